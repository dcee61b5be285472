/**
 * What a command is: data, and the functions that do its work. Both doors, the help, the tool list and
 * the schemas derive from it (CALL-2).
 *
 * A domain declares its commands with {@linkcode query}, {@linkcode mutation}, {@linkcode navigation}
 * and imports nothing else of the command layer.
 */

import type { Fields } from "../base/object.ts";
import { type DeclaredInput, type InputSchema, withSchema } from "./input.ts";
import type { MutationSpec, NavigationSpec, QuerySpec, RedeemSpec } from "./spec.ts";

export type {
  ArrayLeft,
  CommandContext,
  ExecuteContext,
  NavigationContext,
  RepoProgress,
  Reporter,
  SealKeeping,
  SealState,
  StoreReader,
  UnfinishedWork,
} from "./context.ts";
export {
  type DeclaredInput,
  type InputOf,
  type InputSchema,
  isDeprecated,
  isOnlyTyped,
  isUnlisted,
  onlyTyped,
  unlisted,
  type ZodNamespace,
} from "./input.ts";
export { lightly } from "./light.ts";
export type {
  ClonesAdded,
  ConfirmKind,
  Locks,
  Pages,
  Preview,
  Rendered,
  Result,
  UndoPreview,
  Wording,
  WorkspaceEnded,
  WorkspaceMade,
} from "./spec.ts";
export { DAILY, TOOLSET_WORDS, TOOLSETS } from "./toolsets.ts";

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
/** A confirm as the registry holds it. */
export type ConfirmCommand = {
  readonly kind: "redeem";
  readonly safety: "dangerous-write";
  readonly confirm: "none";
} & RedeemSpec<InputSchema>;
/** Any command. */
export type Command = Query | Navigation | Mutation | ConfirmCommand;

/** The members of a declaration that only its work or its own page of help need. */
type OwnMember =
  | "input"
  | "run"
  | "render"
  | "preview"
  | "execute"
  | "undo"
  | "raised"
  | "meets"
  | "fetches"
  | "locks"
  | "lengthy"
  | "redeem"
  | "enters"
  | "decides"
  | "remembers"
  | "watches"
  | "follows"
  | "pages"
  | "fields"
  | "description"
  | "examples"
  | "instead"
  | "short"
  | "switches";
/** A command as the list of all commands knows it without loading the module that declares it: what is plain data. */
export type Known = KnownOf<Command>;
/** The same of a mutation. */
export type KnownMutation = KnownOf<Mutation>;
type KnownOf<C> = C extends Command ? Omit<C, OwnMember> : never;

/** Whether a command talks to the remotes of repositories, so that its transfers can be limited in time. */
export function isNetworked(command: Known): boolean {
  // Runs and environments bring in text of others, but no commits.
  return command.openWorld === true &&
    !["exec", "run", "spin", "stocktrim", "telemetry"].includes(command.toolset);
}

/** Whether a command changes an environment. */
export function changesEnvironment({ kind, toolset }: Pick<Known, "kind" | "toolset">): boolean {
  return kind === "mutation" && toolset === "spin";
}

/** Whether a server that is bound to a ticket offers a command (SCOPE-4): environments are shared by all of them. */
export function isForTicket(command: Known): boolean {
  return command.inTicket === "no workspace" ||
    (command.inTicket === "its workspace" && !changesEnvironment(command));
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
 *   input: (z) => ({ name: z.string() }),
 *   run: (_ctx, input) => Promise.resolve({ data: { greeted: input.name } }),
 *   render: (data: { greeted: string }) => ({ summary: `Greeted ${data.greeted}.` }),
 * });
 * assertEquals([hello.kind, hello.safety], ["query", "read-only"]);
 * ```
 */
export function query<S extends DeclaredInput, D extends object>(spec: QuerySpec<S, D>): Query {
  return {
    kind: "query",
    safety: "read-only",
    confirm: "none",
    ...withSchema(spec),
  } as unknown as Query;
}

/** Declares a command that changes only the session. */
export function navigation<S extends DeclaredInput, D extends object>(
  spec: NavigationSpec<S, D>,
): Navigation {
  return {
    kind: "navigation",
    safety: "read-only",
    confirm: "none",
    ...withSchema(spec),
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
 *   input: (z) => ({ text: z.string() }),
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
export function mutation<S extends DeclaredInput, F extends object, D extends object>(
  spec: MutationSpec<S, F, D>,
): Mutation {
  return { kind: "mutation", ...withSchema(spec) } as unknown as Mutation;
}

/** Declares the command that spends a token. */
export function confirmCommand<S extends DeclaredInput>(spec: RedeemSpec<S>): ConfirmCommand {
  return {
    kind: "redeem",
    safety: "dangerous-write",
    confirm: "none",
    ...withSchema(spec),
  } as unknown as ConfirmCommand;
}
