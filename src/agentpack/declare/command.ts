/**
 * What a command of agentpack is: one declaration from which the command line, its help and, for eleven of
 * them, the MCP tool are made.
 *
 * agentpack has a contract of its own (PACK-38 to PACK-48), with other global options, envelopes, error codes
 * and rules of approval than the commands of amof, which is why it has declarations of its own.
 *
 * @module
 */

import type { Answer, Approve, Pack, Selection } from "../pack.ts";
import type { JsonSchema } from "../../contract/json_schema.ts";
import type { InputOf, Options } from "./option.ts";

/** What a command gets besides its input. */
export interface Call {
  /** Read-only unless the call may change something. */
  readonly pack: Pack;
  readonly selection: Selection;
  /** Whether to show what would change instead of changing it. */
  readonly dryRun: boolean;
  /** For operations that find out late that they would write. */
  readonly approve: Approve;
  /** Asks a person who sits at a terminal for a line; null where there is none. */
  readonly ask: ((question: string) => Promise<string | null>) | null;
  /** Opens something in the editor of a person who sits at a terminal; answers a warning when that failed. */
  readonly edit: ((path: string) => Promise<string | null>) | null;
}

/** How a call changes something. */
export interface Change {
  /** What is approved: the command id of `E_CONFIRM_REQUIRED`. */
  readonly id: string;
  /**
   * Whether the command itself asks for approval, after it found something to do, or is asked for before it
   * begins (PACK-38).
   */
  readonly asks: "first" | "late";
}

/** The selecting arguments a tool may have. */
export type Selecting = "repo" | "profile" | "target" | "machine";

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

/** How a command is declared. `A` is what it answers: data, warnings, and what only people are shown. */
export interface CommandSpec<O extends Options, A extends Answer<object>> {
  readonly path: readonly string[];
  /** A positional option whose choices are words of the command: `explain plan`. */
  readonly variant?: keyof O & string;
  readonly summary: string;
  readonly description?: string;
  readonly options: O;
  readonly examples: readonly string[];
  /** The id with its mode flags; the words when absent. */
  readonly id?: (input: InputOf<O>, dryRun: boolean) => string;
  /** How the call changes something; absent or null when it only reads. */
  readonly changes?: (input: InputOf<O>, dryRun: boolean) => Change | null;
  /** Whether a dry run shows what would change. Without, a dry run of a changing call is refused. */
  readonly rehearses?: boolean;
  readonly run: (call: Call, input: InputOf<O>) => Promise<A>;
  /** What a person reads. */
  readonly render: (answer: A) => string;
  /** Whether a rehearsal found nothing to do, so that nobody has to be asked. */
  readonly isIdle?: (answer: A) => boolean;
  /** Whether a check found something, for commands with `check`. */
  readonly differs?: (answer: A) => boolean;
  readonly tools?: readonly ToolSpec[];
}

/** A command as the table holds it. */
export type PackCommand = CommandSpec<Options, Answer<object>>;

/** Declares a command. */
export function declare<O extends Options, A extends Answer<object>>(
  spec: CommandSpec<O, A>,
): PackCommand {
  // Inputs come only from the spec's own options, and `render` sees only what its own `run` answered.
  return spec as unknown as PackCommand;
}

/** The words of a call, its variant included. */
export function wordsOf(command: PackCommand, input: InputOf<Options>): readonly string[] {
  return command.variant === undefined
    ? command.path
    : [...command.path, String(input[command.variant])];
}

/** The command id of a call (PACK-39). */
export function commandId(
  command: PackCommand,
  input: InputOf<Options>,
  dryRun: boolean,
): string {
  return command.id?.(input, dryRun) ?? wordsOf(command, input).join(" ");
}
