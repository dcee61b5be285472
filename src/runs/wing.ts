/**
 * What a wing of the program brings. The core knows no more of one than this: taken off the list of wings, what remains
 * works as before.
 */

import type { Fields } from "../base/object.ts";
import type { Environment, ProcessRequest, System } from "../base/system/mod.ts";
import type {
  ArrayLeft,
  Command,
  CommandContext,
  ExecuteContext,
  Mutation,
  Preview,
  Result,
  UndoPreview,
} from "../contract/mod.ts";
import type { Settings } from "../state/settings/mod.ts";
import type { Layout, RunRecord, Store } from "../state/store/mod.ts";
import type { Operation, Settled } from "./steps/mod.ts";

/** The work of a run, which somebody has agreed to. */
export interface Work {
  readonly command: Mutation;
  readonly input: Fields;
  readonly facts: Fields;
  /** The tickets whose own workspaces it takes, besides the one it is called in. */
  readonly tickets: readonly string[];
}

/** Does the work of a run, with something before and behind it. */
export type Around = (act: () => Promise<Result<Fields>>) => Promise<Result<Fields>>;

/** Where a wing looks for what runs have left outside of this process. */
export interface LeftPlace {
  readonly system: System;
  readonly layout: Layout;
  readonly store: () => Promise<Store>;
}

/** What runs leave behind on engines, which go on with it until somebody ends it (ENGINE-7). */
interface Arrays {
  /** What an engine may still do for a run, or null. */
  readonly of: (at: LeftPlace, runId: string) => Promise<Pick<ArrayLeft, "engine"> | null>;
  /** Ends it; null where there is nothing. Throws `engine_unavailable` where the engine cannot be reached. */
  readonly end: (at: LeftPlace, run: RunRecord) => Promise<ArrayLeft | null>;
}

/** Where a line that is being typed looks for the values of an argument. */
interface TypedPlace {
  readonly system: System;
  readonly settings: Settings;
  readonly root: () => Promise<string>;
  readonly ecosystem: () => Promise<string>;
  /** The ticket that the line names, or null. */
  readonly ticket: string | null;
}

/** A wing. Its module loads nothing of it before it is called. */
export interface Wing {
  /** Where each of its commands is declared, by the tool's name. */
  readonly commands: Readonly<Record<string, () => Promise<Command>>>;
  /** The address of the one server elsewhere that it speaks to, or null: nothing else is open to this process. */
  readonly service?: (env: Pick<Environment, "get">) => string | null;
  /** The kinds of journaled steps it has. */
  readonly operations?: () => Promise<readonly Operation<never>[]>;
  /** Tells which programs besides git only ask, so that a call that must change nothing may start them. */
  readonly questions?: () => Promise<(request: ProcessRequest) => boolean>;
  /** Tells before a mutation what of it could be taken back; null where nothing would happen. */
  readonly undoPreview?: (
    ctx: CommandContext,
    command: Mutation,
    input: Fields,
    preview: Preview<Fields, Fields>,
  ) => Promise<UndoPreview | null>;
  /** Tells before a run what is to stand around its work; null where nothing is. */
  readonly around?: (ctx: ExecuteContext, work: Work) => Promise<Around | null>;
  /** Hears how an interrupted run was settled. */
  readonly settled?: (ctx: ExecuteContext, settled: Settled) => Promise<void>;
  /** Forgets what it keeps of runs that are no longer recorded, or too old; answers of how many. */
  readonly forget?: (ctx: ExecuteContext) => Promise<number>;
  readonly arrays?: Arrays;
  /** The address of the pages on which a request can be approved, or null where none are served. */
  readonly pages?: (system: System, root: string) => Promise<string | null>;
  /** The values of arguments as they are now, by their source, each with a word of help. */
  readonly values?: Readonly<
    Record<
      string,
      (
        at: TypedPlace,
        typed: string,
      ) => Promise<readonly { readonly value: string; readonly help: string }[]>
    >
  >;
}
