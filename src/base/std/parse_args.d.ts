// Types of the one function used from @std/cli/parse-args; the npm build ships none.

/** What the parser is told about the flags; see the std documentation of `ParseOptions`. */
export interface ParseOptions {
  readonly alias?: Readonly<Record<string, string | readonly string[]>>;
  readonly boolean?: readonly string[];
  readonly string?: readonly string[];
  readonly collect?: readonly string[];
  readonly negatable?: readonly string[];
  readonly stopEarly?: boolean;
  readonly unknown?: (argument: string, key?: string, value?: unknown) => unknown;
}

/** The parsed flags by name; `_` holds the positional arguments. */
export interface ParsedArgs {
  readonly _: readonly (string | number)[];
  readonly [flag: string]: unknown;
}

/** Parses an argument vector into flags and positionals. */
export function parseArgs(args: readonly string[], options?: ParseOptions): ParsedArgs;
