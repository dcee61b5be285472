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

/** What jq printed, what it said instead where it printed nothing, and its exit code. */
interface Ran {
  readonly text: string;
  readonly said: string | null;
  readonly exit: number;
}

async function run(input: unknown, program: string): Promise<Ran> {
  const library: Library & { readonly default?: Library } = await import("jq-wasm");
  // A bundle has what the library exports as its default alone, and no name for the directory it comes from.
  const { raw } = library.default ?? library;
  Object.assign(globalThis, { __dirname: "/" });
  const { exitCode } = process;
  // The library sets the exit code of this process as if it were jq.
  const exit = () => Number(process.exitCode ?? 0);
  process.exitCode = 0;
  try {
    return { text: await raw(JSON.stringify(input), program, ["-c"]), said: null, exit: exit() };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return { text: "", said, exit: exit() };
  } finally {
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
  // Alone, so that nothing of it is taken for the end of what is around it; behind nothing, so that nothing of it runs.
  const { said } = await run(null, `empty | ${grouped(expression).slice(1, -1)}`);
  if (said !== null) throw refusal(expression, complaint(said));
}

interface Filtered {
  /** A line per result: texts as they are and all else as JSON. */
  readonly text: string;
  /** Why it ended before its end, with the exit code of jq; null where it did not. */
  readonly failure: AmofError | null;
}

/** What jq says of an error: its text, or that it is another value. */
function errorText(value: unknown): string {
  // What the library has for an input where there is none.
  if (value === "break") return "No more inputs";
  return cleanLine(
    typeof value === "string" ? value : `(not a string): ${JSON.stringify(value)}`,
    300,
  );
}

/** Why an expression ended where it did not come to its end; null where that is no failure. What halts it prints only what it says. */
async function halted(
  answer: unknown,
  expression: string,
  { exit, ...ran }: Ran,
): Promise<AmofError | null> {
  const said = ran.said ?? (await run(answer, `${ALONE}${grouped(expression)} | empty`)).said ?? "";
  if (exit === 0) return null;
  const isOne = Number.isInteger(exit) && exit > 0 && exit < 256;
  return refusal(expression, cleanLine(said, 300), isOne ? exit as ProgramExit : EXIT.partial);
}

/** How jq ends where an expression is none. */
const COMPILING = 3;

/** The environment is one that the library makes up. */
const ALONE = "{} as $ENV | def env: {}; ";

/**
 * What an expression makes of an answer; throws `invalid_arguments` for one that is not valid.
 *
 * The library does not report an error behind the first result, so the expression is made to do that. A result
 * comes as `[0,VALUE]`, an error as `[1,MESSAGE]`. `[2]` follows where it was not halted.
 */
export async function filtered(answer: unknown, expression: string): Promise<Filtered> {
  const told = `(try (${grouped(expression)} | [0, .]) catch [1, .]), [2]`;
  const ran = await run(answer, `${ALONE}${told}`);
  if (ran.exit === COMPILING && /^jq: \d+ compile errors?$/m.test(ran.said ?? "")) {
    throw refusal(expression, complaint(ran.said));
  }
  const lines = ran.text.split("\n").filter((line) => line !== "");
  const ended = lines.at(-1) === "[2]";
  if (ended) lines.pop();
  const failed = lines.at(-1)?.startsWith("[1,") === true ? lines.pop() : undefined;
  // A number stays as jq writes it.
  const results = lines.map((line) => line.slice("[0,".length, -"]".length))
    .map((value) => value.startsWith('"') ? String(JSON.parse(value)) : value);
  const why = failed === undefined ? null : JSON.parse(failed)[1];
  return {
    text: results.map((result) => `${result}\n`).join(""),
    failure: failed !== undefined
      ? refusal(expression, errorText(why), EXIT.partial)
      : ended
      ? null
      : await halted(answer, expression, ran),
  };
}
