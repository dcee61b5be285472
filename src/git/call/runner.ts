/** Runs git for all parts of {@linkcode Git}: one world, one way to fail. */

import { basename, join } from "@std/path";
import type { ProcessResult, System } from "../../base/system/mod.ts";
import { STAGING, TURN_LOCK, withoutOwnPlaces } from "../../base/system/layout.ts";
import { AmofError } from "../../base/error.ts";
import { answered, type Apart, type GitCall, type GitStarter, runGit } from "./client.ts";
import { gitFailure, isRecentGit, tooOld } from "./error.ts";
import {
  classifyGitFailure,
  type GitErrorKind,
  LEFT_MS,
  removeStaleLocks,
} from "./failure_kind.ts";
import { settingsFor } from "./settings.ts";
import type { Verdicts } from "../verdict/memory.ts";
import type { KeptLook, Trace } from "../files/signature.ts";
import { takeTurn } from "../../base/system/turn.ts";
import { commonDirectory } from "../files/directory.ts";
import type { Suspects } from "../seal/judge.ts";
import { sealOf } from "../seal/parts.ts";

/** A way for a call of git round a configuration that must not count. */
export type Bypass =
  /** A git directory that stands in for that of the clone. */
  | { readonly sanitized: string }
  /** Starts git in the clone itself, where what it runs can do no more than whoever has written that. */
  | { readonly confine: <T>(system: System, work: (inside: System) => Promise<T>) => Promise<T> };

/** What somebody has to look at in a clone. */
export interface Untrusted extends Suspects {
  /** Whether git can work there all the same, because it does so where whoever wrote that works. */
  readonly confined: boolean;
}

/** Says before each call how git may work in a directory. */
export interface GitGuard {
  /**
   * Null where git may go by the configuration that is there; a way round it where that must not count. Throws where
   * there is none.
   */
  before(
    directory: string,
    call: Pick<GitCall, "access" | "network" | "sends">,
    label: string | null,
  ): Promise<Bypass | null>;
  /** What somebody has to look at before the configuration of a repository counts; null where it counts. */
  suspects(directory: string): Promise<Untrusted | null>;
  /** Whether a clone was sealed with a digest, and nothing works there that could write nowhere else. */
  holds(directory: string, digest: string): Promise<boolean>;
}

/** Waits before the next tries, in milliseconds: three seconds in all. */
const WAITS_MS = [50, 100, 200, 400, 800, 1_600];

/** The exit code of git where it cannot take the lock. After a hook has run it is another one. */
const NO_LOCK = 128;

/** Each takes the lock of the index before it changes anything, so what failed for want of it can be repeated. */
const LOCKS_FIRST: ReadonlySet<string> = new Set([
  "add",
  "checkout",
  "commit",
  "reset",
  "rm",
  "switch",
  "update-index",
]);

const HELD = /unable to create '(.*[\\/]index\.lock)': file exists/i;

/** With which exit code a call fails for want of the lock that it takes first; null where it may have done something. */
function codeOf(args: readonly string[]): number | null {
  const [verb = ""] = args;
  if (LOCKS_FIRST.has(verb)) return NO_LOCK;
  return verb === "merge" && args.includes("--ff-only") ? 1 : null;
}

/** Whether a call failed because of a lock that somebody may be about to give back. */
async function isHeld(system: System, stderr: string): Promise<boolean> {
  const path = HELD.exec(stderr)?.[1];
  if (path === undefined) return false;
  const made = (await system.files.lstat(path))?.modifiedMs ?? null;
  return made === null || system.clock.now() - made < LEFT_MS;
}

/**
 * Runs git, and again while another git, of an editor or a prompt, holds the index and this one has done
 * nothing yet (WORKSPACE-27). Resolves to how the last try ended. The signal ends the wait, and the try after
 * it then reports that it was ended.
 */
async function unlessHeld<T extends ProcessResult>(
  system: System,
  { code, signal }: { readonly code: number; readonly signal: AbortSignal | undefined },
  run: () => Promise<T>,
): Promise<T> {
  let result = await run();
  for (const wait of WAITS_MS) {
    if (result.exitCode !== code || !await isHeld(system, result.stderr)) break;
    await system.clock.sleep(wait, signal);
    result = await run();
  }
  return result;
}

/**
 * Does work on the repository at `path` while no other process of this program does any. Two ecosystems share
 * their control repository, and git fails while another git holds its index.
 *
 * Without the lock git itself decides, and its own message is better than one from here. So it is where hooks
 * take longer than anybody waits, or a git directory is read-only.
 */
async function inTurn<T>(system: System, path: string, work: () => Promise<T>): Promise<T> {
  const common = await commonDirectory(system, path);
  const lock = common === null ? null : await takeTurn(system, join(common, STAGING, TURN_LOCK));
  try {
    return await work();
  } finally {
    await lock?.release();
  }
}

/** The version of git in a world, or the question for it that is under way: many repositories ask at once. */
const VERSIONS = new WeakMap<System["env"], Promise<string>>();

/** What all git calls of one command share. */
export interface GitWorld extends GitStarter {
  /** How many seconds one transfer may take, or null for as long as it makes progress. */
  readonly timeout: number | null;
  /** Where every call works; in the directory of its runner where absent. */
  readonly apart?: Apart;
  /** Whether every call works in a bare repository of ours. */
  readonly bare?: boolean;
  /** Who says before each call whether the configuration of the repository may count; it always does where absent. */
  readonly guard?: GitGuard | undefined;
  /** What git answered before; nothing is remembered where absent. */
  readonly verdicts?: Verdicts | undefined;
  /** What notes on what somebody goes by who looks at a clone; nobody does where absent. */
  readonly trace?: Trace | undefined;
}

/** A git call in the directory of its runner. */
type Call = Omit<GitCall, "cwd">;

/** How a call ended, and whether it went by a git directory that stands in for that of the clone. */
type RunResult = ProcessResult & { readonly stoodIn: boolean };

/** Failures in which git did not get as far as to answer the question: they never mean "no". */
const UNANSWERED: ReadonlySet<GitErrorKind> = new Set([
  "no_git",
  "no_program",
  "filter",
  "too_old",
  "no_directory",
  "not_a_repo",
  "unsafe_owner",
  "timeout",
  "cancelled",
  "disk_full",
]);

/** Whether a call failed for a reason that has nothing to do with the question, so that its answer is unknown. */
function isUnanswered(result: ProcessResult): boolean {
  return result.truncated || UNANSWERED.has(classifyGitFailure(result));
}

/** How a program ends that is given no time to remove its locks: by a kill, an abort, a bad access to memory. */
const OUTRIGHT: ReadonlySet<number> = new Set([134, 135, 137, 139]);

/** Git in one directory. */
export class Runner {
  readonly system: System;
  /** Where git works. */
  readonly directory: string;
  /** What the repository is called in the details of errors, or null. */
  readonly label: string | null;
  readonly #world: GitWorld;
  #common: string | null = null;

  constructor(world: GitWorld, directory: string, label: string | null) {
    this.system = world.trace?.system ?? world.system;
    this.directory = directory;
    this.label = label;
    this.#world = world;
  }

  /** What messages call the repository. */
  get name(): string {
    return this.label ?? basename(this.directory);
  }

  /** The directory that all worktrees of the repository share; null where there is no repository. No process. */
  async common(): Promise<string | null> {
    return this.#common ??= await commonDirectory(this.system, this.directory);
  }

  /** The same in another directory, without a label. */
  at(directory: string): Runner {
    return new Runner(this.#world, directory, null);
  }

  /** The same in another directory that has the same name in messages. */
  moved(directory: string): Runner {
    return new Runner(this.#world, directory, this.label);
  }

  /** The same with every call kept away from the repository. */
  apart(apart: Apart): Runner {
    return new Runner({ ...this.#world, apart }, apart.work, this.name);
  }

  /** The same, which no interrupt ends: for putting in order what one has cut off. */
  undisturbed(): Runner {
    return new Runner({ ...this.#world, signal: undefined }, this.directory, this.label);
  }

  /**
   * Runs git and resolves to how it ended, also when it failed. Waits a moment for others that hold the index; of a git
   * that was killed no lock is left.
   */
  run(args: readonly string[], call: Call): Promise<RunResult> {
    const { signal } = this.#world;
    const code = codeOf(args);
    const once = () => this.#once(args, call);
    return code === null ? once() : unlessHeld(this.system, { code, signal }, once);
  }

  async #once(args: readonly string[], call: Call): Promise<RunResult> {
    const { timeout, apart, guard, bare = false, verdicts, trace } = this.#world;
    const { system } = this;
    const from = system.clock.now();
    const bypass = apart === undefined && call.apart === undefined && call.sanitized === undefined
      ? await guard?.before(this.directory, call, this.label) ?? null
      : null;
    const limit = call.network === true && timeout !== null ? { timeoutMs: timeout * 1_000 } : {};
    // A command whose writes go elsewhere changes nothing in the repository.
    const place = apart === undefined ? {} : { apart, access: "read" as const };
    const how = { ...call, ...limit, ...place, bare, cwd: this.directory };
    const question = bypass === null ? this.#question(args, how) : null;
    if (question === null) trace?.spoil();
    const stoodIn = bypass !== null && "sanitized" in bypass;
    const said = question !== null && verdicts !== undefined
      ? await verdicts.answer(question)
      : bypass === null
      ? await runGit(this.#world, args, how)
      : "sanitized" in bypass
      ? await runGit(this.#world, args, { ...how, sanitized: bypass.sanitized })
      : await bypass.confine(
        system,
        (inside) => runGit({ ...this.#world, system: inside }, args, how),
      );
    const result = typeof said === "string" ? answered(args, said) : said;
    if (call.access !== "read" && OUTRIGHT.has(result.exitCode)) {
      await removeStaleLocks(system, this.directory, { from, to: system.clock.now() });
    }
    return { ...result, stoodIn };
  }

  /** A call as a question whose answer may be remembered; null for one that is none. */
  #question(args: readonly string[], how: GitCall): Parameters<Verdicts["answer"]>[0] | null {
    const { verdicts, trace } = this.#world;
    const { depends, stdin = "", apart } = how;
    if (verdicts === undefined || depends === undefined || apart !== undefined) return null;
    if (typeof stdin !== "string") return null;
    return {
      clone: this.directory,
      args: [...settingsFor(args[0] ?? "", false), ...args, stdin],
      extent: depends,
      ask: () => runGit(this.#world, args, how),
      run: this.#around,
      trace,
    };
  }

  readonly #around = (args: readonly string[]) =>
    runGit(this.#world, args, { cwd: this.directory, access: "read" });

  /** The same, of which a trace notes what it goes by. */
  traced(trace: Trace): Runner {
    return new Runner({ ...this.#world, trace }, this.directory, this.label);
  }

  /** See {@linkcode Verdicts.lastLook}; null also where the clone is no more as it was sealed. */
  async lastLook(kind: string): Promise<KeptLook | null> {
    const { verdicts, guard } = this.#world;
    const look = await verdicts?.lastLook(this.directory, kind, this.#around) ?? null;
    return look !== null && await guard?.holds(this.directory, look.seal) === true ? look : null;
  }

  /** See {@linkcode Verdicts.keepLook}. */
  async keepLook(
    trace: Trace,
    { kind, key, found }: { readonly kind: string; readonly key: string; readonly found: unknown },
  ): Promise<void> {
    const { verdicts } = this.#world;
    if (verdicts === undefined || trace.isSpoilt) return;
    const seal = (await sealOf(trace.system, this.directory))?.digest;
    if (seal === undefined) return;
    const look = { trace, kind, key, text: JSON.stringify(found), seal };
    await verdicts.keepLook(this.directory, look, this.#around);
  }

  /** What somebody has to look at before the repository's configuration counts; null where it counts. */
  async suspects(): Promise<Untrusted | null> {
    return await this.#world.guard?.suspects(this.directory) ?? null;
  }

  /** Does work on the repository while no other process of this program writes there. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    return inTurn(this.system, this.directory, work);
  }

  /**
   * Runs git and answers what it printed; throws what {@linkcode gitFailure} makes of a failure to do `what`, and
   * `git_failed` for an answer that was cut.
   */
  async must(args: readonly string[], call: Call, what: string): Promise<string> {
    const result = await this.run(args, call);
    if (result.exitCode !== 0) throw await this.#failure(result, call, what);
    if (result.truncated && call.access === "read") throw truncatedFailure(what, this.label);
    return result.stdout;
  }

  /** The same of a call that only reads. */
  read(args: readonly string[], what: string): Promise<string> {
    return this.must(args, { access: "read" }, what);
  }

  /** What {@linkcode must} answers, as bytes. */
  async mustBytes(args: readonly string[], call: Call, what: string): Promise<Uint8Array> {
    const result = await this.run(args, { ...call, binary: true });
    if (result.exitCode !== 0) throw await this.#failure(result, call, what);
    if (result.truncated) throw truncatedFailure(what, this.label);
    return result.bytes ?? new Uint8Array();
  }

  /**
   * Asks git something that may have no answer: null then. A git that is missing, too old, interrupted, or that
   * refuses the repository has not said no: that throws, as {@linkcode must} does. `isNo` tells which failures are a
   * no; all others are when it is absent.
   */
  async ask(
    args: readonly string[],
    call: Call,
    what: string,
    isNo: (result: ProcessResult) => boolean = () => true,
  ): Promise<ProcessResult | null> {
    const result = await this.run(args, call);
    if (result.truncated) throw truncatedFailure(what, this.label);
    if (result.exitCode === 0) return result;
    if (isUnanswered(result) || !isNo(result)) throw await this.#failure(result, call, what);
    // An old git also answers "no" to options it does not know, so its version is checked.
    await this.#requireRecent(what);
    return null;
  }

  async #failure(result: ProcessResult, call: Call, what: string): Promise<AmofError> {
    const cwd = withoutOwnPlaces(this.system, this.directory);
    const error = gitFailure(result, what, this.label, { ...call, cwd });
    if (error.details["kind"] === "other") await this.#requireRecent(what);
    return error;
  }

  /** Throws when git is too old. One process, the first time in a world. */
  async #requireRecent(what: string): Promise<void> {
    const { env } = this.system;
    const asking = VERSIONS.get(env) ?? this.#version();
    VERSIONS.set(env, asking);
    try {
      const version = await asking;
      if (!isRecentGit(version)) throw tooOld(version, what);
    } catch (error) {
      // Only what is recent enough stays so.
      VERSIONS.delete(env);
      throw error;
    }
  }

  async #version(): Promise<string> {
    const result = await this.run(["version"], { access: "read" });
    return /^git version (\S+)/.exec(result.stdout)?.[1] ?? "";
  }
}

/** The failure of an answer that was cut: read as whole, it could say that nothing would be lost. */
function truncatedFailure(what: string, repo: string | null): AmofError {
  return new AmofError("git_failed", `Cannot ${what}: git answered more than can be read`, {
    details: { repo, kind: "too_much" },
  });
}
