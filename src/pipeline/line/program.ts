/**
 * Commands that exist only on the command line because they are doors, generators or helpers themselves.
 *
 * They change no repository through the command layer; what they need of it they call like everybody else.
 */

import type { App } from "../app.ts";
import type { DeclaredInput, InputOf, InputSchema, ZodNamespace } from "../../contract/mod.ts";
import { withSchema } from "../../contract/input.ts";
import type { AmofError } from "../../base/error.ts";
import type { System } from "../../base/system/mod.ts";
import type { GlobalFlags } from "./flags.ts";
import type { Grammar } from "./grammar.ts";

/** Carries out a command line in a world, as if it had been typed there; answers its exit code. */
export type RunLine = (world: System, argv: readonly string[]) => Promise<number>;

/** What a program receives besides its input. */
export interface ProgramContext {
  readonly app: App;
  readonly flags: GlobalFlags;
  /** Answers the candidates for a command line, of which this program is a part itself. */
  readonly complete: (words: readonly string[]) => Promise<string>;
  /** Absent for a program that a command calls. */
  readonly run?: RunLine;
  /** What is wrong with words as the beginning of a command line; null where they are a command. */
  readonly unknown: (words: readonly string[]) => AmofError | null;
}

/** A command line of its own, behind the words of a program or all of one that is called so. */
export interface OwnLine {
  /** Runs one command line; `prefix` is how the user calls it. Answers the exit code. */
  readonly run: (system: System, argv: readonly string[], prefix: string) => Promise<number>;
  /** What can be said on it. */
  readonly grammar: () => Promise<Grammar>;
}

interface ProgramSpec<S extends DeclaredInput> {
  readonly path: readonly string[];
  readonly summary: string;
  readonly description?: string;
  /** Not shown in help: for the program's own use. */
  readonly hidden?: boolean;
  readonly positionals?: readonly string[];
  readonly flags?: Readonly<Record<string, string>>;
  readonly short?: Readonly<Record<string, string>>;
  readonly examples: readonly string[];
  readonly input: (z: ZodNamespace) => S;
  /** Answers in the form of all answers, of which single fields can be asked for. */
  readonly answers?: boolean;
  /** Acts, and has nothing to show before it does. */
  readonly acts?: boolean;
  /** Works whatever stands in the user file. */
  readonly lenient?: boolean;
  /** Takes everything behind its word as it is. */
  readonly delegate?: OwnLine;
  /** Its group in the overview, where its first word does not tell it. */
  readonly group?: string;
  /** Does the work; answers the exit code. */
  readonly main: (ctx: ProgramContext, input: InputOf<S>) => Promise<number>;
}

/** A program as the list holds it. */
export type Program = { readonly kind: "program" } & ProgramSpec<InputSchema>;

/** A program as the list of all programs knows it without loading the module that declares it. */
export type KnownProgram = Pick<Program, "kind" | "path" | "summary" | "hidden" | "group"> & {
  /** Set where it has a command line of its own. */
  readonly delegates?: boolean;
};

/** Declares a program. */
export function program<S extends DeclaredInput>(spec: ProgramSpec<S>): Program {
  // As for commands: `main` only ever receives what its own `input` produced.
  return { kind: "program", ...withSchema(spec) } as unknown as Program;
}
