/**
 * `--jq EXPR`: what a jq expression makes of an answer (SETTING-10).
 *
 * jq itself, compiled to WebAssembly, which reads no file and no environment. Loaded only where it is asked for.
 */

import process from "node:process";
import { AmofError, EXIT, type ExitCode, type ProgramExit } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";

type Library = Pick<typeof import("jq-wasm"), "raw">;

/** What jq complains about, without where its input came from. */
function complaint(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const line = text.split("\n").map((each) => each.trim())
    .find((each) => /^(?:jq: )?error/.test(each)) ??
    text;
  return cleanLine(
    line.replace(/^.*?jq: error(?: \(at [^)]*\))?:? ?/, "").replace(/ at <top-level>/, "")
      .replace(/,? line \d+(?:, column \d+)?:?$/, ""),
    300,
  );
}

/** An expression to stand between parentheses: one of nothing but comments answers what it works on. */
function grouped(expression: string): string {
  const isEmpty = expression.split("\n").every((line) => /^\s*(?:#.*)?$/.test(line));
  return isEmpty ? "(.)" : `(${expression}\n)`;
}

async function run(input: unknown, program: string, shown: string): Promise<string> {
  const library: Library & { readonly default?: Library } = await import("jq-wasm");
  // A bundle has what the library exports as its default alone, and no name for the directory it comes from.
  const { raw } = library.default ?? library;
  Object.assign(globalThis, { __dirname: "/" });
  const { exitCode } = process;
  try {
    return await raw(JSON.stringify(input), program, ["-c"]);
  } catch (error) {
    throw refusal(shown, complaint(error));
  } finally {
    // The library sets the exit code of this process as if it were jq.
    process.exitCode = exitCode ?? 0;
  }
}

function refusal(expression: string, why: string, exit: ExitCode = EXIT.usage): AmofError {
  return new AmofError(
    "invalid_arguments",
    `Cannot use --jq ${cleanLine(JSON.stringify(expression), 200)}: ${why}`,
    { hint: "See what the expression works on: the same command with --json", exit },
  );
}

/** Whether an expression is one at all: throws `invalid_arguments` before anything is done for its sake. */
export async function checkExpression(expression: string): Promise<void> {
  await run(null, `if false then ${grouped(expression)} else empty end`, expression);
}

interface Filtered {
  /** A line per result: texts as they are and all else as JSON. */
  readonly text: string;
  /** Why it ended before its end, with the exit code of jq; null where it did not. */
  readonly failure: AmofError | null;
}

/** What jq says of an error: its text, or that it is another value. */
function errorText(value: unknown): string {
  return cleanLine(
    typeof value === "string" ? value : `(not a string): ${JSON.stringify(value)}`,
    300,
  );
}

/** What marks the error that stands for `halt_error`. */
const HALT = "amof:halt";

/** An error as `[1,VALUE]` tells of it: what it says, and the exit code, where the expression asks for one of an error. */
function endOf(value: unknown): { readonly why: string; readonly exit: ExitCode } {
  const [mark, code, halted] = Array.isArray(value) ? value : [];
  if (mark !== HALT) return { why: errorText(value), exit: EXIT.partial };
  const isOfError = Number.isInteger(code) && code > 0 && code < 256;
  return { why: errorText(halted), exit: isOfError ? code as ProgramExit : EXIT.partial };
}

/**
 * What an expression makes of an answer; throws `invalid_arguments` where it is none. The library keeps quiet about an
 * error behind the first result, so the expression is made to tell of it: a result comes as `[0,VALUE]`, an error as
 * `[1,MESSAGE]`.
 */
export async function filtered(answer: unknown, expression: string): Promise<Filtered> {
  // The environment is one that the library makes up.
  const halts =
    `def halt_error($code): ["${HALT}", $code, .] | error; def halt_error: halt_error(5)`;
  const program = `{} as $ENV | def env: {}; ${halts}; try (${
    grouped(expression)
  } | [0, .]) catch [1, .]`;
  const lines = (await run(answer, program, expression)).split("\n").filter((line) => line !== "");
  const failed = lines.at(-1)?.startsWith("[1,") === true ? lines.pop() : undefined;
  // A number stays as jq writes it.
  const results = lines.map((line) => line.slice("[0,".length, -"]".length))
    .map((value) => value.startsWith('"') ? String(JSON.parse(value)) : value);
  const end = failed === undefined ? null : endOf(JSON.parse(failed.slice("[1,".length, -1)));
  return {
    text: results.map((result) => `${result}\n`).join(""),
    failure: end === null ? null : refusal(expression, end.why, end.exit),
  };
}
