/**
 * What a command is: data, and the functions that do its work. Both doors, the help, the tool list and
 * the schemas derive from it (CALL-2).
 *
 * A domain declares its commands with {@linkcode query}, {@linkcode mutation}, {@linkcode navigation}
 * and imports nothing else of the command layer.
 *
 * @module
 */

import type { output, ZodObject } from "zod";
import type { Fields } from "../object.ts";
import type { AmofError } from "../error.ts";
import type { Safety } from "../policy/mode.ts";
import type { Decision } from "../store/mod.ts";
import type { Details } from "../text/parts.ts";
import type { CommandContext, ExecuteContext, NavigationContext } from "./context.ts";
import type { SessionControl } from "./place.ts";
import type { ActionId, NextRule } from "./next.ts";
import type * as z from "./zod.ts";

export type {
  CommandContext,
  ExecuteContext,
  Leftover,
  NavigationContext,
  RepoProgress,
  Reporter,
  StoreReader,
} from "./context.ts";

/**
 * The zod namespace. It is handed to `input` instead of imported, so that declaring a command costs
 * nothing until its arguments are read.
 */
export type ZodNamespace = typeof z;
/** The input schema of a command: a strict object. */
export type InputSchema = ZodObject;
/** The validated input of a schema. */
export type InputOf<S extends InputSchema> = output<S>;

/** What a command is about; its calls need the thing unless it is `global` or `session`. */
export type CommandScope = "global" | "ecosystem" | "run" | "release" | "server" | "session";
/** How a mutation asks for consent (CONFIRM-1). */
export type ConfirmKind = "none" | "simple" | "preview" | "type";

/** Groups of commands that a server can offer or leave out. */
export const TOOLSETS = [
  "ecosystem",
  "ticket",
  "run",
  "release",
  "spin",
  "exec",
  "telemetry",
  "session",
  "server",
  "train",
] as const;
/** One of {@linkcode TOOLSETS}. */
export type Toolset = typeof TOOLSETS[number];

/** The toolset with a contract of its own, which is a server of its own when it stands alone. */
export const AGENTPACK = "agentpack";

/** Everything that can be said for a toolset. */
export const TOOLSET_WORDS: readonly string[] = [...TOOLSETS, "all", "default", AGENTPACK];

/** How a schema says that a member can only be given on the command line, by a person. */
const ONLY_TYPED = "x-only";

/** Makes a member of an input one that is only accepted where a person types it: never over MCP (CALL-5). */
export function onlyTyped<T extends { meta(meta: Record<string, unknown>): unknown }>(
  member: T,
): ReturnType<T["meta"]> {
  return member.meta({ [ONLY_TYPED]: "cli" }) as ReturnType<T["meta"]>;
}

/** Whether a member, or its JSON Schema, is one of those. */
export function isOnlyTyped(member: unknown): boolean {
  const { meta } = member as { meta?: () => Record<string, unknown> | undefined };
  const facts = typeof meta === "function" ? meta.call(member) : member;
  return (facts as Record<string, unknown> | undefined)?.[ONLY_TYPED] === "cli";
}

/** What a command answers. `failure` makes the answer an error that still carries its data. */
export interface Result<D extends object> {
  readonly data: D;
  readonly failure?: AmofError;
}

/** What a result looks like to a reader. */
export interface Rendered {
  /** One sentence of at most 80 characters that begins with its outcome (ANSWER-3). */
  readonly summary: string;
  /** Tables and lists, without colours; each door lays them out. */
  readonly details?: Details;
  /** What the answer does not cover: stands behind the details, or beside those that are bare. */
  readonly notes?: Details;
}

/** How a door says what depends on who reads it. */
export interface Wording {
  /** A moment: as JSON has it for programs, local and as far as possible relative for a person; "-" for null. */
  readonly time: (at: string | null) => string;
  /** The time of day of a line in a log, with milliseconds. */
  readonly clock: (at: string) => string;
}

/** What a mutation would do, computed without changing anything. */
export interface Preview<F extends object, D extends object> {
  /** Everything the confirmation is bound to, and what the answer shows. */
  readonly facts: F;
  /** "Would push 2 repos." */
  readonly summary: string;
  /** What would happen, one line each. */
  readonly effects: readonly string[];
  /** The effects as a table or list for readers; the effects themselves when absent. */
  readonly details?: Details;
  /** What cannot be undone, for the ⚠ line. */
  readonly irreversible?: string;
  /** How things stand now, one sentence. */
  readonly current: string;
  /** What could be done instead, one line each. */
  readonly alternatives: readonly string[];
  /** Set when there is nothing to do or everything is refused: answered at once, without confirmation (CONFIRM-3). */
  readonly settled?: Result<D>;
}

/** Other words for a command, with members that they say. */
export interface Shortcut {
  readonly path: readonly string[];
  readonly args: Fields;
  readonly summary: string;
  readonly examples: readonly string[];
}

interface Common {
  /** The tool name. */
  readonly name: string;
  /** The words on the command line. */
  readonly path: readonly string[];
  /** Other tool names that are accepted and not listed. */
  readonly aliases?: readonly string[];
  readonly toolset: Toolset;
  readonly scope: CommandScope;
  readonly title: string;
  /** What it does, for help and tool list: one sentence, at most 120 characters. */
  readonly summary: string;
  /** More for `--help`. */
  readonly description?: string;
  /** Input members given by position on the command line; the last may be repeated if it is an array. */
  readonly positionals?: readonly string[];
  /** The member that takes everything behind `--` on the command line as it is: words for another program. */
  readonly behind?: string;
  /** Names of flags that differ from their member: `{ repos: "repo" }`. */
  readonly flags?: Readonly<Record<string, string>>;
  /** One-letter flags: `{ message: "m" }`. */
  readonly short?: Readonly<Record<string, string>>;
  /** Switches that stand for values of members: `{ alpha: { pre_release: "alpha" } }`. */
  readonly switches?: Readonly<Record<string, Fields>>;
  /** Other words on the command line that mean the command with some members given. */
  readonly shortcuts?: readonly Shortcut[];
  /** Flags that people expect and the command does not have, each with what to do instead: `{ force: "…" }`. */
  readonly instead?: Readonly<Record<string, string>>;
  /** What may follow its answer: a rule, or actions in their order. The usual ones of its scope when absent. */
  readonly next?: NextRule | readonly ActionId[];
  /** What it is about where that is not its scope. */
  readonly about?: "environment" | "server";
  /** Whether it can only fail where there is no workspace. */
  readonly inWorkspace?: boolean;
  /** Command lines as a user would type them, without the program's name. */
  readonly examples: readonly string[];
  /** Whether it works without a control repository. */
  readonly rootless?: boolean;
  /** Whether a command about an ecosystem also works where none can be told, or no control repository. */
  readonly anywhere?: boolean;
  /** Whether it makes a control repository out of a git repository that is none yet. */
  readonly founding?: boolean;
  /** Over MCP only offered where its toolset or its name is asked for: none of the default tools (MCP-8). */
  readonly extra?: boolean;
  /** The only door that offers it. */
  readonly only?: "cli" | "mcp";
  /** Whether it may talk to other machines; `text` where it only brings in text of others, which lies here already. */
  readonly openWorld?: boolean | "text";
  /**
   * Its details are for programs, too: on the command line they stand alone on standard output, a `value` with nothing
   * beside it, `lines` with the summary on standard error where standard output is a terminal (LOOK-1).
   */
  readonly bare?: "value" | "lines";
}

/** The list in an answer that may be too long for one, and the member, or members, that tell its items apart. */
export interface Pages {
  readonly member: string;
  readonly key: string | readonly string[];
}

/** A command that changes nothing. */
export interface QuerySpec<S extends InputSchema, D extends object> extends Common {
  readonly input: (z: ZodNamespace) => S;
  readonly run: (ctx: CommandContext, input: InputOf<S>) => Promise<Result<D>>;
  readonly render: (data: D, input: InputOf<S>, say: Wording) => Rendered;
  /** Where the session stands after the call. */
  readonly enters?: (data: D) => Parameters<SessionControl["enter"]>[0] | null;
  /** The list that is given out in pieces where answers are limited. */
  readonly pages?: Pages;
  /** Whether the command line can follow the answer live. */
  readonly follows?: boolean;
  /**
   * The command line can show the answer again and again: which list of it has a row for each repository, by name, and
   * which of these rows need attention.
   */
  readonly watches?: {
    readonly member: string;
    readonly isTrouble: (row: Fields) => boolean;
  };
}

/** A command that changes only the session. */
export interface NavigationSpec<S extends InputSchema, D extends object> extends Common {
  /** Makes the audit log note its calls: as this decision about a request, or null for a call like any other. */
  readonly decides?: (data: D) => Decision | null;
  readonly input: (z: ZodNamespace) => S;
  readonly run: (ctx: NavigationContext, input: InputOf<S>) => Promise<Result<D>>;
  readonly render: (data: D, input: InputOf<S>, say: Wording) => Rendered;
}

/** A command that changes repositories, files or infrastructure. It cannot be declared without a preview. */
export interface MutationSpec<S extends InputSchema, F extends object, D extends object>
  extends Common {
  readonly input: (z: ZodNamespace) => S;
  readonly safety: Exclude<Safety, "read-only">;
  readonly confirm: ConfirmKind;
  /** What consent is asked for, where it is: "push", which will "modify remote state". */
  readonly asks?: { readonly deed: string; readonly will: string };
  /**
   * For inputs that make the call more dangerous: what then applies instead (CONFIRM-2). Null means what is declared.
   * Stands behind `input` in a declaration, so that its argument is typed.
   */
  readonly raised?: (input: InputOf<S>) => {
    readonly safety?: Exclude<Safety, "read-only">;
    readonly confirm?: ConfirmKind;
    readonly exclusive?: boolean;
  } | null;
  /** It takes away what stands there: for good, or with a record that brings it back. */
  readonly removes?: "for good" | "with a record";
  /** A run of it makes an ecosystem ready for what its reader wanted it for, which this set offers (NEXT-3). */
  readonly readies?: "after_install" | "after_sync" | "after_commit";
  /** Repeating it changes nothing more. */
  readonly idempotent?: boolean;
  /** Work that is kept as a run: what the run is called (RUN-1). A worker process does it unless `inline`. */
  readonly runs?: string;
  /**
   * The run is worked on by the calling process: always, because it takes no longer than starting another one, or while
   * a person waits for it at the command line (`attended`).
   */
  readonly inline?: boolean | "attended";
  /** Typing it on the command line is the consent to it: only over MCP it asks for what `confirm` says (CONFIRM-2). */
  readonly typed?: boolean;
  /** Whether it excludes other mutations of the same ecosystem, or of the control repository when it has none. */
  readonly exclusive?: boolean;
  /** Whether it settles what was interrupted in the control repository too, besides its own ecosystem. */
  readonly settlesAll?: boolean;
  readonly preview: (ctx: CommandContext, input: InputOf<S>) => Promise<Preview<F, D>>;
  readonly execute: (ctx: ExecuteContext, input: InputOf<S>, facts: F) => Promise<Result<D>>;
  readonly render: (data: D, input: InputOf<S>, say: Wording) => Rendered;
}

/** The command that spends a confirmation token: the pipeline itself carries it out. */
export interface RedeemSpec<S extends InputSchema> extends Common {
  readonly input: (z: ZodNamespace) => S;
  readonly redeem: (
    input: InputOf<S>,
  ) => { readonly token: string; readonly typedValue: string | null };
}

/** A query as the registry holds it. */
export type Query = {
  readonly kind: "query";
  readonly safety: "read-only";
  readonly confirm: "none";
} & QuerySpec<InputSchema, Fields>;
/** A navigation as the registry holds it. */
export type Navigation = {
  readonly kind: "navigation";
  readonly safety: "read-only";
  readonly confirm: "none";
} & NavigationSpec<InputSchema, Fields>;
/** A mutation as the registry holds it. */
export type Mutation = { readonly kind: "mutation" } & MutationSpec<InputSchema, Fields, Fields>;
/** A redeemer as the registry holds it. */
export type Redeemer = {
  readonly kind: "redeem";
  readonly safety: "dangerous-write";
  readonly confirm: "none";
} & RedeemSpec<InputSchema>;
/** Any command. */
export type Command = Query | Navigation | Mutation | Redeemer;

/** Whether a command talks to the remotes of repositories, so that its transfers can be limited in time. */
export function isNetworked(command: Command): boolean {
  // Runs and environments bring in text of others, but no commits.
  return command.openWorld === true &&
    !["exec", "run", "spin", "telemetry"].includes(command.toolset);
}

// The registry holds commands with different inputs in one list. Their functions only ever receive what
// their own `input` produced, which the type system cannot see through the list, hence the casts below.

/**
 * Declares a command that changes nothing.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { query } from "./mod.ts";
 *
 * const hello = query({
 *   name: "amof_hello",
 *   path: ["hello"],
 *   toolset: "session",
 *   scope: "global",
 *   title: "Hello",
 *   summary: "Greet somebody by name.",
 *   positionals: ["name"],
 *   examples: ["hello Ada"],
 *   input: (z) => z.strictObject({ name: z.string() }),
 *   run: (_ctx, input) => Promise.resolve({ data: { greeted: input.name } }),
 *   render: (data: { greeted: string }) => ({ summary: `Greeted ${data.greeted}.` }),
 * });
 * assertEquals([hello.kind, hello.safety], ["query", "read-only"]);
 * ```
 */
export function query<S extends InputSchema, D extends object>(spec: QuerySpec<S, D>): Query {
  return { kind: "query", safety: "read-only", confirm: "none", ...spec } as unknown as Query;
}

/** Declares a command that changes only the session. */
export function navigation<S extends InputSchema, D extends object>(
  spec: NavigationSpec<S, D>,
): Navigation {
  return {
    kind: "navigation",
    safety: "read-only",
    confirm: "none",
    ...spec,
  } as unknown as Navigation;
}

/**
 * Declares a command that changes something; the type demands its preview.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { mutation } from "./mod.ts";
 *
 * const note = mutation({
 *   name: "amof_note",
 *   path: ["note"],
 *   toolset: "session",
 *   scope: "ecosystem",
 *   safety: "safe-write",
 *   confirm: "none",
 *   title: "Note",
 *   summary: "Write a note.",
 *   examples: ["note hello"],
 *   positionals: ["text"],
 *   input: (z) => z.strictObject({ text: z.string() }),
 *   preview: (_ctx, input) =>
 *     Promise.resolve({
 *       facts: { text: input.text },
 *       summary: "Would write a note.",
 *       effects: ["Write note.md"],
 *       current: "There is no note",
 *       alternatives: [],
 *     }),
 *   execute: (_ctx, _input, facts) => Promise.resolve({ data: { written: facts.text } }),
 *   render: (data: { written: string }) => ({ summary: `Wrote "${data.written}".` }),
 * });
 * assertEquals(note.kind, "mutation");
 * ```
 */
export function mutation<S extends InputSchema, F extends object, D extends object>(
  spec: MutationSpec<S, F, D>,
): Mutation {
  return { kind: "mutation", ...spec } as unknown as Mutation;
}

/** Declares the command that spends a token. */
export function redeemer<S extends InputSchema>(spec: RedeemSpec<S>): Redeemer {
  return {
    kind: "redeem",
    safety: "dangerous-write",
    confirm: "none",
    ...spec,
  } as unknown as Redeemer;
}
