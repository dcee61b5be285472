/**
 * Whether what the program says can be followed: every command line in a hint is pasted into the program's own
 * parser, and each door speaks its own language. The test world looks at every answer any test gets.
 *
 * @module
 */

import { GLOBAL_FLAGS } from "../../src/pipeline/line/flags.ts";
import { type AnyEntry, ENTRIES } from "../../src/doors/cli/entries.ts";
import {
  doorFlags,
  type Entry,
  entryFlags,
  parseInvocation,
} from "../../src/pipeline/line/parse.ts";
import { loadCommand } from "../../src/pipeline/registry.ts";
import { takeWords } from "../../src/pipeline/line/words.ts";
import { writtenLines } from "../../src/pipeline/tool_words.ts";
import { AmofError } from "../../src/base/error.ts";
import type { Command } from "../../src/contract/mod.ts";
import { asTyped, parseArguments } from "../../src/pipeline/common.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Members of an answer that say what to do next. */
const ADVICE = new Set(["alternatives", "command", "execute_hint", "fix", "hint", "how", "next"]);
/** Members of an answer in which the program speaks itself. */
const SPOKEN = new Set([...ADVICE, "current_state", "message", "note", "summary", "warnings"]);
/** Members that repeat what others wrote. */
const QUOTED = new Set([
  "events",
  "logs",
  "lines",
  "commits",
  "stderr_tail",
  "entries",
  "_context",
]);

/** Every text of an answer in members of these names. */
function spoken(value: unknown, names: ReadonlySet<string> = SPOKEN, own = false): string[] {
  if (typeof value === "string") return own ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((item) => spoken(item, names, own));
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([name, item]) =>
    QUOTED.has(name)
      ? []
      : spoken(item, names, names.has(name) && (typeof item === "string" || Array.isArray(item)))
  );
}

/** What words name, not loaded: most answers of most tests name nothing. */
function entryOf(words: readonly string[]): AnyEntry | undefined {
  return ENTRIES.find((entry) => entry.path.join(" ") === words.join(" "));
}

/** A word that stands for a value the reader fills in: `ID`, `NAME`, `DIR`. */
const PLACEHOLDER = /^[A-Z][A-Z_]*$/;

/** What is wrong with the arguments of a command, placeholders apart. */
async function argumentProblem(entry: Command, args: Fields): Promise<string | null> {
  try {
    await parseArguments(entry, args, "cli");
    return null;
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    const issues = error.details["issues"] as readonly { path: string; problem: string }[];
    const real = issues.find(({ path }) => {
      const member = Object.keys(args).find((name) => asTyped(entry, name) === path);
      const value = member === undefined ? undefined : [args[member]].flat()[0];
      return !(typeof value === "string" && PLACEHOLDER.test(value));
    });
    return real === undefined ? null : `${real.path} ${real.problem}`;
  }
}

/** Why a command line cannot be pasted, or null. */
export async function lineProblem(words: readonly string[]): Promise<string | null> {
  if (words[0] === "help") return null;
  const taken = takeWords(words, ENTRIES);
  if (taken.rest.includes("--help") || taken.rest.includes("--version")) return null;
  const named = entryOf(taken.words);
  if (named === undefined) return "is no command";
  const entry: Entry = await named.load();
  if (entry.kind === "program" && entry.delegate !== undefined) return null;
  try {
    const { args } = await parseInvocation(entry, taken.rest);
    return entry.kind === "program" ? null : await argumentProblem(entry, args);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Sentences about the program, not command lines. */
const PROSE = /(?:of|that|what|where|does|only) $/i;
const OF_OTHERS = /(?<![\w-])(?:git|gh|glab) [a-z-]+[^;,)]*/g;

/** What keeps a line of advice from being pasted whole: more than one command in it, or words behind one. */
function wholeProblem(line: string): string | null {
  const [first, second] = writtenLines(line).filter(({ start }) =>
    !PROSE.test(line.slice(0, start))
  );
  if (first === undefined) return null;
  if (second !== undefined) return "has two commands";
  return /^[.)`'"\s]*$/.test(line.slice(first.end)) ? null : "does not end with its command";
}

/** What is wrong with the command lines and flags of a text; `called` is the command that was called. */
async function pasted(text: string, called: AnyEntry | undefined): Promise<string[]> {
  const problems = text.split("\n").flatMap((line) => {
    const problem = wholeProblem(line);
    return problem === null ? [] : [`"${line}" ${problem}`];
  });
  let rest = text;
  for (const line of writtenLines(text)) {
    const written = text.slice(line.start, line.end);
    rest = rest.replace(written, "");
    if (PROSE.test(text.slice(0, line.start))) continue;
    const problem = await lineProblem(line.words);
    if (problem !== null) problems.push(`"${written}" ${problem}`);
  }
  const known = new Set(GLOBAL_FLAGS.map((flag) => flag.name));
  if (called !== undefined) {
    const entry: Entry = await called.load();
    for (const flag of [...await entryFlags(entry), ...doorFlags(entry)]) known.add(flag.name);
  }
  for (
    const [, name = ""] of rest.replaceAll(OF_OTHERS, "").matchAll(/(?<![\w-])--([a-z][a-z0-9-]*)/g)
  ) {
    if (!known.has(name)) problems.push(`--${name} is no flag of ${called?.path.join(" ")}`);
  }
  return problems;
}

/** Words that only a tool call has. */
const TOOL_WORDS =
  /\bamof_[a-z_]+\b|(?<!--(?:[a-z]+-)*)\b(?:confirm_name|typed_value|dry_run|confirm|mode)=\S/;

/** A moment as programs write it; a person is told it from now, or in local time, and may type it like that. */
const MOMENT_OF_PROGRAMS = /(?<!--(?:since|until) )\b\d{4}-\d\d-\d\dT\d\d:\d\d/;

/** Texts of a human answer: hints, and everything the program says besides what was asked for. */
function hintsOf(stderr: string): string[] {
  const lines = stderr.split("\n");
  const next = lines.indexOf("Next:");
  return [
    ...lines.flatMap((line, index) => {
      if (!line.startsWith("hint: ")) return [];
      const end = lines.findIndex((other, at) => at > index && !/^[A-Z]/.test(other));
      return [line.slice(6), ...lines.slice(index + 1, end < 0 ? lines.length : end)];
    }),
    ...(next < 0 ? [] : lines.slice(next + 1).filter((line) => line.startsWith("  amof "))),
  ];
}

/** Throws when an answer of the command line could not be followed there. */
export async function assertFollowable(
  argv: readonly string[],
  stdout: string,
  stderr: string,
): Promise<void> {
  const entry = entryOf(takeWords(argv, ENTRIES).words);
  // agentpack speaks by a contract of its own; these print what they are asked for.
  if (entry?.kind === "program" && !/^(?:approve|deny)$/.test(entry.path.join(" "))) return;
  if (argv.includes("--help") || argv[0] === "help") return;
  let advice = hintsOf(stderr);
  let all = advice;
  // A file that is printed is for programs.
  const isFile = /--out[ =]-(?: |$)/.test(argv.join(" "));
  let shown = (isFile ? [stderr] : [stdout, stderr]).flatMap((text) => text.split("\n"));
  if (argv.some((word) => /^--json(?:=|$)/.test(word))) {
    try {
      const answer: unknown = JSON.parse(stdout);
      advice = spoken(answer, ADVICE);
      all = spoken(answer);
      shown = all;
    } catch {
      return;
    }
  }
  const problems = all.filter((text) => TOOL_WORDS.test(text)).map((text) =>
    `speaks of tools: ${text}`
  );
  problems.push(
    ...shown.filter((text) => MOMENT_OF_PROGRAMS.test(text)).map((text) =>
      `tells a person a moment in UTC: ${text}`
    ),
  );
  for (const text of advice) problems.push(...await pasted(text, entry));
  if (problems.length > 0) {
    throw new Error(`amof ${argv.join(" ")} says what nobody can follow:\n${problems.join("\n")}`);
  }
}

/** Throws when an answer over MCP names a command that a tool stands for. */
export async function assertInToolWords(
  tool: string,
  text: string,
  data: unknown,
): Promise<void> {
  if (!tool.startsWith("amof_")) return;
  for (const part of [text, ...spoken(data)]) {
    for (const line of writtenLines(part)) {
      const { words } = takeWords(line.words, ENTRIES);
      const entry = entryOf(words);
      if (entry === undefined || entry.kind === "program" || entry.mcp === "never") continue;
      if (await lineProblem(line.words) !== null) continue;
      // What this server does not offer is a person's to do.
      if (/terminal/.test(part)) continue;
      throw new Error(`${tool} tells a model to type "amof ${line.words.join(" ")}": ${part}`);
    }
  }
}

/** A call of a tool as a text writes it. */
const CALL = /\b(amof_[a-z_]+)\(((?:"(?:[^"\\]|\\.)*"|[^()"])*)\)/g;

/** The calls of tools in a text; members that are named without a value are for the reader to fill in. */
export function writtenCalls(
  text: string,
): { readonly written: string; readonly tool: string; readonly args: Fields }[] {
  return [...text.matchAll(CALL)].map(([written, tool = "", inside = ""]) => ({
    written,
    tool,
    args: Object.fromEntries(
      [...inside.matchAll(/([a-z_]+)=("(?:[^"\\]|\\.)*"|\[[^\]]*\]|[^,\s]+)/g)].map((
        [, member = "", value = ""],
      ) => [member, JSON.parse(value) as unknown]),
    ),
  }));
}

/** What is wrong with the calls of tools in a text: tools or arguments that do not exist or do not validate. */
export async function callProblems(text: string): Promise<string[]> {
  const problems: string[] = [];
  for (const { written, tool, args } of writtenCalls(text)) {
    const command = await loadCommand(tool);
    if (command === null) {
      problems.push(`${written} is no tool`);
      continue;
    }
    if (Object.keys(args).length === 0) continue;
    try {
      await parseArguments(command, args, "mcp");
    } catch (error) {
      const issues = error instanceof AmofError ? error.details["issues"] : undefined;
      const placeholders = Array.isArray(issues) && issues.every(({ path }) => {
        const value = args[String(path).split(".")[0] ?? ""];
        return value !== undefined && PLACEHOLDER.test(String(value));
      });
      if (!placeholders) {
        problems.push(`${written}: ${error instanceof Error ? error.message : ""}`);
      }
    }
  }
  return problems;
}
