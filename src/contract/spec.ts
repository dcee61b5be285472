/** What a declaration says of a command, by the kind of command. */

import type { Fields } from "../base/object.ts";
import type { Safety } from "../base/policy/mode.ts";
import type { Decision } from "../state/store/mod.ts";
import type { CommandContext, ExecuteContext, NavigationContext } from "./context.ts";
import type { DeclaredInput, InputOf, ZodNamespace } from "./input.ts";
import type { ActionId, NextRule } from "./next.ts";
import type { SessionControl } from "./place.ts";
import { TOOLSETS } from "./toolsets.ts";
import type { AmofError } from "../base/error.ts";
import type { Details } from "../base/text/parts.ts";

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
  /** What its command declares as `bare`, where only this answer is so. */
  readonly bare?: "value";
}

/** How a door says what depends on who reads it. */
export interface Wording {
  /** A moment: as JSON has it for programs, local and as far as possible relative for a person; "-" for null. */
  readonly time: (at: string | null) => string;
  /** The time of day of a line in a log, with milliseconds. */
  readonly clock: (at: string) => string;
  /** Whether the reader was shown what programs printed while they ran. */
  readonly watched: boolean;
}

/** What a mutation is about, where that is no ecosystem, run or release. */
interface Subject {
  /** With its kind: "supplier ACME". */
  readonly name: string;
  /**
   * What a person types where a name has to be typed, and what that is: "supplier code". The name of the ecosystem
   * when absent.
   */
  readonly typed?: { readonly what: string; readonly value: string };
}

/** What undoing could bring back of a mutation (UNDO-7). One of both is said. */
export interface UndoPreview {
  /** "branches and tags in api and web"; null where nothing comes back. */
  readonly brings_back: string | null;
  /** What stays as the work leaves it, with what to do instead behind a semicolon; null where all of it comes back. */
  readonly cannot: string | null;
}

/** What a mutation would do, computed without changing anything. */
export interface Preview<F extends object, D extends object> {
  /** Everything the confirmation is bound to, and what the answer shows. */
  readonly facts: F;
  /** What it is done to; the ecosystem, run or release of the call when absent. */
  readonly subject?: Subject;
  /** "Would push 2 repos." */
  readonly summary: string;
  /** What would happen, one line each. */
  readonly effects: readonly string[];
  /** The effects as a table or list for readers; the effects themselves when absent. */
  readonly details?: Details;
  /** What cannot be undone, for the ⚠ line. */
  readonly irreversible?: string;
  /** What undoing could bring back: the pipeline finds out, where there is something to do. */
  readonly undo?: UndoPreview;
  /** How things stand now, one sentence. */
  readonly current: string;
  /** Set where what the preview found asks for a typed name, whatever the call asks for: the only copy of work would go. */
  readonly confirm?: "type";
  /** How consent is asked for where the call is another deed than the declared one: a removal instead of an installation. */
  readonly asks?: Asks;
  /** What consent is asked for, where the declaration (`asks.will`) cannot say it: "delete 2 branches". */
  readonly will?: string;
  /** What could be done instead, one line each. */
  readonly alternatives: readonly string[];
  /** Set when there is nothing to do or everything is refused: answered at once, without confirmation (CONFIRM-3). */
  readonly settled?: Result<D>;
}

/** The words in which a command asks for consent; what they are is said where it is declared. */
interface Asks {
  readonly deed: string;
  readonly will: string;
  readonly verb?: string;
}

/** What a command is about; its calls need the thing unless it is `global` or `session`. */
type CommandScope = "global" | "ecosystem" | "run" | "release" | "server" | "session";
/** How a mutation asks for consent (CONFIRM-1). */
export type ConfirmKind = "none" | "simple" | "preview" | "type";

/**
 * What a command locks for as long as it works (RUN-6). That is the whole ecosystem, the workspace it works in, or
 * some of the workspaces: the base one, those of tickets.
 */
export type Locks = "ecosystem" | "scope" | {
  readonly base?: boolean;
  readonly tickets?: readonly string[];
  /** Of several workspaces those that nobody works in are enough: the command tells which it did not get. */
  readonly each?: boolean;
};

/** Other words for a command, with members that they say. */
interface Shortcut {
  readonly path: readonly string[];
  readonly args: Fields;
  readonly summary: string;
  readonly examples: readonly string[];
}

/** One of {@linkcode TOOLSETS}. */
type Toolset = typeof TOOLSETS[number];

/**
 * What has to exist for a command.
 *
 * - `a workspace`: without one it can only fail.
 * - `a repository`: a git repository, of which it makes a control repository.
 * - `nothing`.
 * - `what is there`: a command about an ecosystem answers what it can, even without an ecosystem or a control
 *   repository.
 */
type Needs = "a workspace" | "a repository" | "nothing" | "what is there";

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
  /**
   * Where it works when it is called in a ticket: in the ticket's workspace (SCOPE-2), or in none (SCOPE-4). In
   * none means that it is only about that ticket, the session, or what the manifest says. A server that is
   * bound to a ticket offers only these two. Any other is about the base workspace.
   */
  readonly inTicket?: "its workspace" | "no workspace";
  /** Command lines as a user would type them, without the program's name. */
  readonly examples: readonly string[];
  /** What has to be there for it; a control repository, and what its scope says, when absent. */
  readonly needs?: Needs;
  /**
   * Whether MCP offers it, where not by default: only where its toolset or its name is asked for (MCP-8), or never,
   * because only the command line has it.
   */
  readonly mcp?: "asked for" | "never";
  /**
   * Whether no token of a program is a consent to it. Where the door of a program cannot ask a person by form,
   * a person has to approve the request (CONFIRM-16).
   */
  readonly byPerson?: boolean;
  /** Whether it may talk to other machines; `text` where it only brings in text of others, which lies here already. */
  readonly openWorld?: boolean | "text";
}

/** The list in an answer that may be too long for one, and the member, or members, that tell its items apart. */
export interface Pages {
  readonly member: string;
  readonly key: string | readonly string[];
}

/** The name of a member of an answer: its own, or that of a member of its rows, as `repos.name`. */
type FieldOf<D> = {
  [K in keyof D & string]:
    | K
    | (NonNullable<D[K]> extends readonly (infer R)[]
      ? R extends object ? `${K}.${keyof R & string}` : never
      : never);
}[keyof D & string];

/** A command that changes nothing. */
export interface QuerySpec<S extends DeclaredInput, D extends object> extends Common {
  /**
   * Its details are for programs, too: on the command line they stand alone on standard output (LOOK-1). A
   * `value` has nothing beside it. `lines` have the summary on standard error where standard output is a
   * terminal.
   */
  readonly bare?: "value" | "lines";
  /** What people ask of its answer, in the order in which `--json=` offers it. */
  readonly fields?: readonly FieldOf<D>[];
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
    /** Whether a look asks hosts of others, which are asked less often than files; absent where none does. */
    readonly asksHosts?: (args: Fields) => boolean;
  };
}

/** A command that changes only the session. */
export interface NavigationSpec<S extends DeclaredInput, D extends object> extends Common {
  /** Makes the audit log note its calls: as this decision about a request, or null for a call like any other. */
  readonly decides?: (data: D) => Decision | null;
  /** Whether it only moves the session, so that callers without one are not offered it (MCP-18). */
  readonly moves?: boolean;
  /** Whether the command line remembers what it chose or ended, so that a dry run of it is refused. */
  readonly remembers?: boolean;
  readonly input: (z: ZodNamespace) => S;
  readonly run: (ctx: NavigationContext, input: InputOf<S>) => Promise<Result<D>>;
  readonly render: (data: D, input: InputOf<S>, say: Wording) => Rendered;
}

/** A workspace that a run makes. */
export interface WorkspaceMade {
  /** The ticket that gets it; null for the base workspace. */
  readonly ticket: string | null;
  /** The branch of the control repository that is made for it, or null. */
  readonly branch: string | null;
  /** The repositories that are cloned into it. */
  readonly repos: readonly string[];
  /** Those of them whose clones were there before, and stay where they are; none when absent. */
  readonly adopted?: readonly string[];
}

/** The workspace of a ticket that a run takes away. */
export interface WorkspaceEnded {
  readonly ticket: string;
  /** The repositories that are cloned in it. */
  readonly repos: readonly string[];
  /** The flags by which it was asked for, each with a space before it. */
  readonly flags: string;
  /** Branches that the run deletes on remotes, which nothing brings back. */
  readonly deleted: readonly { readonly repo: string; readonly branch: string }[];
}

/** Clones that a run brings into a workspace that was there before. */
export interface ClonesAdded {
  /** The ticket whose workspace it is; null for the base workspace. */
  readonly ticket: string | null;
  readonly repos: readonly string[];
}

/** What applies to a call instead of what its command declares. */
interface Escalation {
  readonly safety?: Exclude<Safety, "read-only">;
  readonly confirm?: ConfirmKind;
  /** Null where it excludes nothing. */
  readonly locks?: Locks | null;
}

/** What a mutation says of its runs to undo, which alone reads it. */
interface Undoable<I, F> {
  /**
   * The repositories of the workspace that a run of it may change, by name: they are looked at before and after, so
   * that it can be undone (UNDO-1). `names` where it leaves uncommitted work, index and stashes alone, which then need
   * not be looked at. Absent where it changes none, or cannot be undone.
   */
  readonly changes?: (facts: F, input: I) => {
    readonly repos: readonly string[];
    readonly what: "names" | "everything";
    /** Whether its branches only move to where their commits are still in: none has to be kept from being forgotten. */
    readonly forwards?: boolean;
    /** Whether tickets of the workspace change, also where no repository does. */
    readonly tickets?: boolean;
    /** What of it undo brings back, where that is not all. */
    readonly back?: string;
    /** The workspace that it makes, which undoing takes away again (UNDO-9). */
    readonly makes?: WorkspaceMade | undefined;
    /** The workspace of a ticket that it takes away, which undoing makes again (UNDO-10). */
    readonly ends?: WorkspaceEnded | undefined;
    /** The clones that it brings into a workspace, which undoing takes away again (UNDO-11). */
    readonly adds?: ClonesAdded | undefined;
  };
  /**
   * What undoing cannot take back (UNDO-7). It completes "Undo cannot take back" or, where the command
   * `changes` repositories, "not". What to do instead follows a semicolon: "the workspace; remove it: amof
   * discard". `data` is the result, once it is done: a release that could not be pushed is only here.
   */
  readonly irreversible?: string | ((facts: F, input: I, data?: Fields) => string | null);
  /** The run that it takes back. */
  readonly undoes?: (facts: F) => string;
}

/** A command that changes repositories, files or infrastructure. It cannot be declared without a preview. */
export interface MutationSpec<S extends DeclaredInput, F extends object, D extends object>
  extends Common {
  readonly input: (z: ZodNamespace) => S;
  readonly safety: Exclude<Safety, "read-only">;
  readonly confirm: ConfirmKind;
  /**
   * What consent is asked for, where it is: "push", which will "modify remote state". `verb` begins the question where
   * that noun cannot: "delete" for a "deletion".
   */
  readonly asks?: Asks;
  /**
   * For inputs that make the call more dangerous: what then applies instead (CONFIRM-2). Null means what is declared.
   * Only a command that has it can ask for a typed name that its `confirm` does not ask for.
   * Stands behind `input` in a declaration, so that its argument is typed.
   */
  readonly raised?: (input: InputOf<S>) => Escalation | null;
  /** As {@linkcode raised}, for what only the disk tells: looked up, without a process, once the place of a call is known. */
  readonly meets?: (
    at: Pick<CommandContext, "system" | "root" | "ecosystem" | "layout">,
    input: InputOf<S>,
  ) => Promise<Escalation | null>;
  /**
   * In mode execute, before anything is previewed: asks remotes for what the preview goes by, and changes nothing but
   * remote-tracking branches. Answers the repositories whose remotes did not answer, which the context of the preview
   * has as `unasked`.
   */
  readonly fetches?: (ctx: ExecuteContext, input: InputOf<S>) => Promise<readonly string[]>;
  /** The ticket in whose workspace the session stands after it, null for the base; undefined where it does not move. */
  readonly enters?: (data: D) => string | null | undefined;
  /** Repeating it changes nothing more. */
  readonly idempotent?: boolean;
  /** Work that is kept as a run: what the run is called (RUN-1). A worker process does it unless `inline`. */
  readonly runs?: string;
  /**
   * The calling process works on the run. With true it always does, because starting another process would take
   * longer. With `attended` it does while a person waits for it at the command line.
   *
   * So it does with `followed`, where the run is reported like that of a worker. That is for work that costs
   * little to repeat, so that it may end with its terminal.
   */
  readonly inline?: boolean | "attended" | "followed";
  /**
   * Whether what is asked for may take so long that a worker does it although the command is `inline`, unless somebody
   * waits for it at the command line. Starts no process.
   */
  readonly lengthy?: (ctx: CommandContext, input: InputOf<S>) => Promise<boolean>;
  /** Typing it on the command line is the consent to it: only over MCP it asks for what `confirm` says (CONFIRM-2). */
  readonly typed?: boolean;
  /** What of it excludes other mutations, in the control repository when it has no ecosystem; nothing when absent. */
  readonly locks?: Locks | null | ((input: InputOf<S>) => Locks);
  /** What undo goes by. */
  readonly undo?: Undoable<InputOf<S>, F>;
  /**
   * `agreed` are the facts of an earlier look, where this one is to find out whether they still hold. What cannot have
   * changed since, such as the subject of a commit, may be taken from them.
   */
  readonly preview: (
    ctx: CommandContext,
    input: InputOf<S>,
    agreed?: F,
  ) => Promise<Preview<F, D>>;
  readonly execute: (ctx: ExecuteContext, input: InputOf<S>, facts: F) => Promise<Result<D>>;
  readonly render: (data: D, input: InputOf<S>, say: Wording) => Rendered;
}

/** The command that spends a confirmation token: the pipeline itself carries it out. */
export interface RedeemSpec<S extends DeclaredInput> extends Common {
  readonly input: (z: ZodNamespace) => S;
  readonly redeem: (
    input: InputOf<S>,
  ) => { readonly token: string; readonly typedValue: string | null };
}
