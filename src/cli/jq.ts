/**
 * `--jq EXPR`: what a jq expression makes of an answer (SETTING-10).
 *
 * jq itself, compiled to WebAssembly, which reads no file and no environment. Loaded only where it is asked for.
 *
 * @module
 */

import process from "node:process";
import { AmofError } from "../error.ts";
import { cleanLine } from "../text/sanitize.ts";

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

async function run(input: unknown, expression: string, shown: string): Promise<string> {
  const library: Library & { readonly default?: Library } = await import("jq-wasm");
  // A bundle has what the library exports as its default alone, and no name for the directory it comes from.
  const { raw } = library.default ?? library;
  Object.assign(globalThis, { __dirname: "/" });
  const { exitCode } = process;
  try {
    return await raw(JSON.stringify(input), expression, ["-r", "-c"]);
  } catch (error) {
    throw new AmofError(
      "invalid_arguments",
      `Cannot use --jq ${cleanLine(JSON.stringify(shown), 200)}: ${complaint(error)}`,
      { hint: "See what the expression works on: the same command with --json" },
    );
  } finally {
    // The library sets the exit code of this process as if it were jq.
    process.exitCode = exitCode ?? 0;
  }
}

/** Whether an expression is one at all: throws `invalid_arguments` before anything is done for its sake. */
export async function checkExpression(expression: string): Promise<void> {
  await run(null, `if false then (${expression}\n) else empty end`, expression);
}

/** What an expression makes of an answer: a line per result, texts as they are and all else as JSON in one line. */
export async function filtered(answer: unknown, expression: string): Promise<string> {
  const text = await run(answer, expression, expression);
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
