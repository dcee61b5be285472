/** What a command works with: the world, git, the store and the run it belongs to. */

import type { RunId } from "../base/ids.ts";
import type { Door } from "../base/policy/mode.ts";
import type { Git, Seal, Suspects } from "../git/mod.ts";
import type {
  EventLevel,
  EventType,
  JournalStep,
  Layout,
  RunRecord,
  Store,
} from "../state/store/mod.ts";
import type { Settings } from "../state/settings/mod.ts";
import type { System } from "../base/system/mod.ts";
import type { Details } from "../base/text/parts.ts";
import type { SessionControl, SessionView } from "./place.ts";

/** The read-only part of the store that commands may use. Reading runs first settles those whose worker is gone. */
export interface StoreReader {
  readonly runs: Pick<
    Store["runs"],
    | "get"
    | "byPrefix"
    | "list"
    | "activeCounts"
    | "typicalSeconds"
    | "totals"
    | "prunable"
    | "holders"
  >;
  readonly events: Pick<Store["events"], "after" | "tail">;
  readonly audit: Pick<
    Store["audit"],
    "list" | "stored" | "anchored" | "anchorPath" | "misnumbered"
  >;
  readonly approvals: Pick<Store["approvals"], "list" | "byPrefix">;
  readonly trust: Pick<Store["trust"], "find" | "count" | "list">;
  readonly environments: Pick<Store["environments"], "get" | "tickets">;
  readonly ports: Pick<Store["ports"], "of" | "list">;
  readonly borrowers: Pick<Store["borrowers"], "of" | "list">;
}

/** A mutation that was cut off: how far it got. */
export interface UnfinishedWork {
  readonly run_id: string;
  readonly action: string;
  readonly steps_begun: number;
  readonly steps: number;
}

/** Takes note of what a command does while it works. */
export interface Reporter {
  /** One line for the log of the run, or for the person who watches. */
  log(level: EventLevel, message: string, fields?: {
    readonly type?: EventType;
    readonly stream?: "stdout" | "stderr";
    readonly payload?: unknown;
    /** Written down before this returns, for whoever comes after a crash; throws where it cannot be. */
    readonly lasting?: true;
  }): void;
  /** How far the work is, when the number of steps is known; `of` tells more where it is done on repositories. */
  progress(done: number, total: number, message: string, of?: RepoProgress): void;
  /**
   * Shows what programs of the user print to the person who watches, as it is but for what a terminal would obey.
   * Throws `BrokenPipe` when the reader is gone. Absent where nobody reads along.
   */
  print?(stream: "stdout" | "stderr", text: string): void;
  /**
   * Takes a part of the answer's details as soon as it is there, where lines are read as they come (LOOK-1); absent
   * where an answer is given whole. The details as a whole are left out then.
   */
  readonly show?: ((details: Details) => void) | undefined;
  /** Whether that is a terminal, whose person is told what is the same of many once. */
  readonly folds?: boolean;
  /** Whether whoever watches a run hears its log, too; how far it is they hear in any case. */
  readonly hearsLog?: true;
}

/** How far work on a repository is: the payload of `progress` events, all of it for whoever watches (RUN-3). */
export interface RepoProgress {
  /** What is done to all of them, such as "cloning". */
  readonly what?: string;
  readonly repo?: string;
  /** What is done to this one, where that is something else. */
  readonly doing?: string;
  /** What git is at, such as "receiving". */
  readonly phase?: string;
  /** How much of that is done. */
  readonly percent?: number;
  /** The work on it has ended, however. */
  readonly ended?: boolean;
  /** How many repositories are done, of how many. */
  readonly done?: number;
  readonly total?: number;
}

/** How the configuration of a clone stands: not sealed, as it was sealed, or with what a person has to look at. */
export type SealState =
  | { readonly state: "free" | "whole" }
  | { readonly state: "changed"; readonly suspects: Suspects; readonly seal: Seal };

/** The seals of clones, as previews and queries may use them (SEAL-1). */
interface SealReader {
  /** How the configuration of a clone stands. At most a process for each file of configuration that has changed. */
  standing(directory: string): Promise<SealState>;
}

/** The seals of clones. */
export interface SealKeeping extends SealReader {
  /**
   * Seals clones as they are, because this program has just made them, or because `by` has looked. In the
   * latter case it only does so where the digest is still the one that was looked at. Answers those that were
   * sealed. No process.
   */
  seal(
    directories: readonly string[],
    looked?: { readonly by: string; readonly digests: readonly string[] },
  ): Promise<readonly string[]>;
  /** Forgets the seals of what was removed: a clone, or all below a directory. */
  forget(directory: string): Promise<void>;
  /** Notes that a process works below a directory that can write there and nowhere else. */
  markBoxed(directory: string): Promise<void>;
}

/** What became of an array that nobody followed any more. */
export interface ArrayLeft {
  /** The name of its engine. */
  readonly engine: string;
  /** Whether it is sure that nothing of it runs any more. */
  readonly confirmed: boolean;
  /** Nodes that could not be asked. */
  readonly unreachable: readonly string[];
}

/** The runs of others and of earlier calls. */
interface RunsReader {
  /** The run with this id or unique beginning of one; throws `run_not_found`. */
  find(id: string): Promise<RunRecord>;
  /** What interrupted mutations left unsettled in the ecosystem, or another one, and in the control repository. */
  unfinished(ecosystem?: string): Promise<readonly UnfinishedWork[]>;
  /** The array of a run that its engine may still work on, or null. */
  arrayOf(runId: string): Promise<Pick<ArrayLeft, "engine"> | null>;
}

/** The same for what changes runs. */
interface RunsKeeper extends RunsReader {
  /** Ends a run with its process group and waits for it; answers the record as it then is. */
  cancel(runId: string): Promise<RunRecord>;
  /** Ends what an engine still does for a run that has ended; null where there is nothing. */
  endArrayOf(run: RunRecord): Promise<ArrayLeft | null>;
  /** Deletes ended runs that are older than a moment and not among the newest; answers how many. */
  prune(keep: number, before: number): number;
  /** Forgets what is kept for undo of runs that are no longer recorded, or too old; answers of how many. */
  forget(): Promise<number>;
}

/** What a mutation notes in the store, and takes from it. */
interface Records {
  readonly trust: Pick<Store["trust"], "approve" | "revoke">;
  readonly environments: Pick<Store["environments"], "set" | "remove">;
  readonly ports: Pick<Store["ports"], "take" | "free">;
  readonly borrowers: Pick<Store["borrowers"], "add" | "remove">;
}

/** Whoever asked for the work, and may watch it. */
interface Asker {
  /** Program and version, or user and door. */
  readonly name: string;
  /** Asks a question that yes or no answers; null when nobody can be asked, or nobody answers. */
  ask(question: string): Promise<boolean | null>;
  /**
   * Runs a program in the place of this one, on its terminal: what is typed meanwhile, also an interrupt, is for it
   * alone. Answers its exit code, or null when it could not be started.
   */
  attach: System["processes"]["attach"];
}

/** What a command receives. Previews and queries get a world that refuses every change. */
export interface CommandContext {
  readonly system: System;
  readonly git: Git;
  /** The control repository, absolute; empty where a command works without one and none was found. */
  readonly root: string;
  /** The ecosystem the call is about; empty for commands without one. */
  readonly ecosystem: string;
  /** The ticket whose own workspace the call works in; null for the base workspace. */
  readonly ticket: string | null;
  /** Repositories whose remotes were asked for this call and did not answer; absent where none was asked. */
  readonly unasked?: readonly string[];
  readonly store: () => Promise<StoreReader>;
  readonly seals: SealReader;
  readonly layout: Layout;
  /** What the user file and the environment say. */
  readonly settings: Settings;
  readonly session: SessionView;
  readonly door: Door;
  /** How many repositories are worked on at once. */
  readonly jobs: number;
  /** How many transfers may run at once, or null for the defaults. */
  readonly transfers: number | null;
  readonly runs: RunsReader;
  /** The ecosystem that a call without a name means, or null where none can be told. */
  readonly impliedEcosystem: () => Promise<string | null>;
  readonly signal: AbortSignal;
  readonly report: Reporter;
}

/** What a navigation command receives besides: it may change where the session stands. */
export interface NavigationContext extends CommandContext {
  readonly session: SessionControl;
  /** What the program remembers for its user. */
  readonly remembered: Store["settings"];
  readonly confirmations: Pick<Store["confirmations"], "live" | "settle" | "find">;
  /** Whose requests and tokens these are. */
  readonly owner: string;
}

/** What a mutation receives while it acts: a world that can be changed, and control over runs. */
export interface ExecuteContext extends CommandContext {
  /** The run this works in, or null for a command that is not kept as one. */
  readonly runId: RunId | null;
  readonly caller: Asker;
  /**
   * What asks for an early end also behind the point of no return, where `signal` is silent: only what may be left out
   * there listens to it.
   */
  readonly stop: AbortSignal;
  readonly seals: SealKeeping;
  readonly records: Records;
  /**
   * Carries out journaled steps of this run: all or none, also across a crash. Behind `pointOfNoReturn`, the
   * number of a step, the rest is finished instead of undone.
   */
  readonly perform: (steps: readonly JournalStep[], pointOfNoReturn?: number) => Promise<void>;
  /**
   * Does work that is not made of steps. When it is cut off, the next command takes these steps back: they tidy up what
   * a killed git leaves, and what was done until then stands. So does the next command with each step that the work
   * leaves for `later`.
   */
  readonly watchOver: <T>(
    steps: readonly JournalStep[],
    work: (later: (step: JournalStep) => void) => Promise<T>,
  ) => Promise<T>;
  readonly runs: RunsKeeper;
}
