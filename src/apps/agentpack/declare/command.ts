/**
 * What a command of agentpack is: one declaration from which the command line, its help and, for eleven of
 * them, the MCP tool are made.
 *
 * agentpack has declarations of its own, because its contract is another one (PACK-38 to PACK-48). Its global
 * options, envelopes, error codes and rules of approval differ from those of amof's commands.
 */

import type { JsonSchema } from "../../../contract/input.ts";
import type { Table } from "../../../base/text/table.ts";
import type { HeldLock } from "../engine/journal.ts";
import type { Home } from "../identity.ts";
import type { Answer, Pack, Selection } from "../pack.ts";

/** What a command that looks gets besides its input. */
export interface Look {
  /** Its world is read-only, but for checkouts. */
  readonly pack: Pack;
  readonly selection: Selection;
  /** Throws where the environment names no home directory. */
  readonly home: Home;
}

/** What a command that changes something gets besides its input: the lock of the home is held for it. */
export interface Act extends Look {
  readonly held: HeldLock;
  /**
   * Asks for approval of what was found under the lock, in the form of the `data` of a look. Throws
   * `E_CONFIRM_REQUIRED` or whatever else means no.
   */
  readonly approve: (facts: object) => Promise<void>;
}

/** The person who sits at a terminal. */
export interface Person {
  /** Asks for a line; null at the end of input. */
  readonly ask: (question: string) => Promise<string | null>;
  /** Opens something in their editor; answers a warning when that failed. */
  readonly edit: (path: string) => Promise<string | null>;
}

/** What a command gets that is about to change something. */
export interface Asking extends Look {
  /** Null where nobody can be asked. */
  readonly person: Person | null;
}

interface Changes {
  /** The flag without which it only looks; it is part of the command id. */
  readonly flag?: string;
  /**
   * Whether the command itself asks for approval, after it found something to do, or is asked for before it
   * begins (PACK-38).
   */
  readonly asks: "first" | "late";
}

/** The selecting arguments a tool may have. */
type Selecting = "repo" | "profile" | "target" | "machine";

/** A command as a tool (PACK-43). */
export interface ToolSpec {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly selecting: readonly Selecting[];
  /** The options it has as arguments, in order. */
  readonly takes: readonly string[];
  /** Arguments that the tool has and the command line has not. */
  readonly more?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  /** Values that the tool always has. */
  readonly fixed?: Readonly<Record<string, unknown>>;
  readonly hints: {
    readonly reads: boolean;
    readonly destroys: boolean;
    readonly idempotent: boolean;
    /** Whether it may fetch from elsewhere. */
    readonly openWorld: boolean;
  };
}

type MemberOf<D> = D extends unknown ? keyof D & string : never;

/** The names of members of `D`, or of any of its alternatives. */
export function members<D>(...names: readonly MemberOf<D>[]): readonly string[] {
  return names;
}

/**
 * How a command is declared. `A` is what it answers: data, warnings, and what only people are shown; `P` is
 * what it needs to know before the lock of the home is taken.
 */
export interface CommandSpec<O extends Options, A extends Answer<object>, P = undefined> {
  readonly path: readonly string[];
  /** A positional option whose choices are words of the command: `explain plan`. */
  readonly variant?: string;
  readonly summary: string;
  readonly description?: string;
  readonly options: O;
  readonly examples: readonly string[];
  /** The members of its `data`; by variant where these differ. */
  readonly answers: readonly string[] | Readonly<Record<string, readonly string[]>>;
  /** Absent where it only reads. */
  readonly changes?: Changes;
  /** What it answers without changing anything, or would change; without, it has no dry run. */
  look?(call: Look, input: InputOf<O>): Promise<A>;
  /** What happens before the lock is taken: bad input is refused, standard input read, a person asked. */
  prepare?(call: Asking, input: InputOf<O>): Promise<P>;
  /** Makes the change, under the lock; warnings about the lock are added to its own. */
  act?(call: Act, input: InputOf<O>, prepared: P): Promise<A>;
  /** What follows when the lock is free again. */
  follow?(person: Person, answer: A): Promise<A>;
  /** What a person reads; a door lays tables out for its width. */
  render(answer: A): string | Table;
  /**
   * Throws what would be refused even after a yes, so that nobody is asked in vain. It gets what a look found, null
   * for commands without one.
   */
  refuse?(call: Look, input: InputOf<O>, looked: A | null): void | Promise<void>;
  /** Whether a look found nothing to change, so that nobody has to be asked. */
  isIdle?(answer: A): boolean;
  /** Whether a check found something, for commands with `check`. */
  differs?(answer: A): boolean;
  readonly tools?: readonly ToolSpec[];
}

/** A command as the table holds it. */
export type PackCommand = CommandSpec<Options, Answer<object>, unknown>;

/** Declares a command, of whose options `variant` and `changes.flag` are. */
export function declare<O extends Options, A extends Answer<object>, P = undefined>(
  spec: CommandSpec<O, A, P> & {
    readonly variant?: keyof O;
    readonly changes?: { readonly flag?: keyof O };
  },
): CommandSpec<O, A, P> {
  return spec;
}

/** Whether a call would change something, were it no dry run. */
export function isChange({ changes }: PackCommand, input: InputOf<Options>): boolean {
  return changes !== undefined && (changes.flag === undefined || input[changes.flag] === true);
}

/** The words of a call, its variant included. */
export function wordsOf(
  { path, variant }: PackCommand,
  input: InputOf<Options>,
): readonly string[] {
  const word = variant === undefined ? undefined : input[variant];
  return word === undefined ? path : [...path, String(word)];
}

/** The command id of a call (PACK-39): its words, and the flag that makes it change something. */
export function commandId(command: PackCommand, input: InputOf<Options>, dryRun: boolean): string {
  const flag = isChange(command, input) && !dryRun ? command.changes?.flag : undefined;
  return [...wordsOf(command, input), ...(flag === undefined ? [] : [`--${flag}`])].join(" ");
}

// Words and schemas that the declarations of several tools share (PACK-45).

/** The selecting arguments of most tools. */
export const EVERY_SELECTOR: readonly Selecting[] = ["repo", "profile", "target", "machine"];

/** The schemas of the selecting arguments. The contract names four targets; others are taken, too. */
export const SELECTING_SCHEMAS: Readonly<Record<Selecting, JsonSchema>> = {
  repo: {
    type: "string",
    description: "Path to the agentpack config repo (default: $AGENTPACK_HOME/repo).",
  },
  profile: { type: "string", default: "default" },
  target: {
    type: "string",
    default: "all",
    enum: ["all", "codex", "claude_code", "cursor", "vscode"],
  },
  machine: {
    type: "string",
    description: "Machine id for machine overlays. Omit to auto-detect.",
  },
};

/** `dry_run` without more words. */
export const DRY_RUN: JsonSchema = { type: "boolean", default: false };

/** `yes` where it must be true. */
export const MUST_SAY_YES: JsonSchema = {
  const: true,
  description: "Required explicit approval for mutating operations.",
};

/** `yes` where a dry run needs none. */
export const MAY_SAY_YES: JsonSchema = {
  type: "boolean",
  default: false,
  description: "Required explicit approval when not dry_run.",
};

/** The hints of tools that only read; a missing git checkout is fetched all the same. */
export const READS: ToolSpec["hints"] = {
  reads: true,
  destroys: false,
  idempotent: true,
  openWorld: true,
};

// The options of agentpack's commands as data: parser, help, `help --json` and tool schemas come from them.

interface OptionFacts {
  /** One line for help. */
  readonly help: string;
  /** The long flag without dashes; the member's name with `-` for `_` when absent. */
  readonly long?: string;
  /** What the value is called in help. */
  readonly value?: string;
  /** Its JSON Schema as an argument of a tool, word for word; absent where only the command line has it. */
  readonly schema?: JsonSchema;
}

/** An option whose value is a `T`. */
export interface Option<T = unknown> extends OptionFacts {
  /** `switch` is a flag with a twin `--no-…`. */
  readonly kind: "flag" | "switch" | "text" | "list";
  /** Whether it stands without a flag, behind the words of the command. */
  readonly positional: boolean;
  readonly required: boolean;
  /** The values it may have; empty for any. */
  readonly choices: readonly string[];
  /** Its value when it is not given. */
  readonly fallback: T;
}

/** Options by the members of the input. */
export type Options = Readonly<Record<string, Option>>;

/** The input that options produce. */
export type InputOf<O extends Options> = {
  readonly [K in keyof O]: O[K] extends Option<infer T> ? T : never;
};

const PLAIN = { positional: false, required: false, choices: [] } as const;

/** A flag. */
export function flag(facts: OptionFacts): Option<boolean> {
  return { ...PLAIN, kind: "flag", fallback: false, ...facts };
}

/** A flag that can be forced off, too; undefined when it is not given. */
export function onOrOff(facts: OptionFacts): Option<boolean | undefined> {
  return { ...PLAIN, kind: "switch", fallback: undefined, ...facts };
}

/** A text. */
export function text(facts: OptionFacts): Option<string | undefined> {
  return { ...PLAIN, kind: "text", fallback: undefined, ...facts };
}

/** A text that has to be given. */
export function requiredText(facts: OptionFacts): Option<string> {
  return { ...PLAIN, kind: "text", required: true, fallback: "", ...facts };
}

/** A text that has to be given, behind the words of the command. */
export function argument(facts: OptionFacts): Option<string> {
  return { ...requiredText(facts), positional: true };
}

/** One of several words. */
export function choice<const T extends string>(
  choices: readonly T[],
  fallback: T,
  facts: OptionFacts,
): Option<T> {
  return { ...PLAIN, kind: "text", choices, fallback, ...facts };
}

/** One of several words, or undefined when it is not given. */
export function optionalChoice<const T extends string>(
  choices: readonly T[],
  facts: OptionFacts,
): Option<T | undefined> {
  return { ...PLAIN, kind: "text", choices, fallback: undefined, ...facts };
}

/** One of several words, which has to be given, behind the words of the command. */
export function choiceArgument<const T extends string>(
  choices: readonly [T, ...T[]],
  facts: OptionFacts,
): Option<T> {
  return {
    kind: "text",
    positional: true,
    required: true,
    choices,
    fallback: choices[0],
    ...facts,
  };
}

/** Several texts, repeated or with commas between; of a closed set when choices are named. */
export function list<const T extends string>(
  choices: readonly T[],
  facts: OptionFacts,
): Option<readonly T[]> {
  return { ...PLAIN, kind: "list", choices, fallback: [], ...facts };
}

/** The long flag of an option. */
export function longName(id: string, option: OptionFacts): string {
  return option.long ?? id.replaceAll("_", "-");
}
