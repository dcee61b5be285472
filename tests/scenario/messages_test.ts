// Every command of both doors in situations in which it cannot do what it is asked for: whatever is said can be
// followed in the door it was said through, and is plain English.

import { assert, assertEquals } from "@std/assert";
import { PACK_COMMANDS } from "../../src/apps/agentpack/command/table.ts";
import { PACK_TOOLS } from "../../src/doors/agentpack/mcp/tools.ts";
import { pick } from "../support/answers.ts";
import { commandLine, Server } from "../support/both_doors.ts";
import { PACK_SITUATIONS, packCalls, packLines } from "../support/pack_situations.ts";
import { third, THOROUGHLY } from "../support/sample.ts";
import { asToolCall, rightLines, SITUATIONS, wrongLines } from "../support/situations.ts";
import { assertFollowable, assertInToolWords, callProblems } from "../support/spoken.ts";
import { COMMANDS } from "../support/loaded.ts";

/** What no message of either door may hold. */
const NEVER: readonly (readonly [why: string, pattern: RegExp])[] = [
  ["a value that is none", /\bundefined\b|\[object |\bNaN\b|\bnull\b/],
  [
    "words of the schema library",
    /\bInvalid (?:input|option)\b|\bexpected (?:string|record|object)/,
  ],
  ["double punctuation", /(?:[.;:,!?])(?:[.;,:])(?=\s|$)|\s[.;,](?=\s|$)|: :/],
  [
    "a wrong plural",
    /(?<![\d.,/:-])1 (?:commits|repos|files|runs|clones|problems|errors|branches)\b/,
  ],
  ["words of nobody", /\bis success\b|\bit is no (?!longer|repo)|\bstands? in none\b/],
  ["a zero", /\bFound 0 (?!problems)/],
  ["an exception", /\b(?:TypeError|RangeError|ReferenceError|AmofError|AgentpackError)\b/],
  ["a code of the system", /\bE(?:NOENT|NOTDIR|ACCES|EXIST|PERM|ISDIR)\b|\(os error \d+\)/],
  ["a name that is empty", /(?<![=\w\\])""|\s\(\)/],
  ["words of how amof is built", /\bsettle[sd]?\b|\btakes? stock\b|\bstanding\b/],
  ["a line that ends with a blank", /[ \t]$/m],
];

/** What the answers of people never hold: what only programs read. */
const NOT_FOR_PEOPLE: readonly (readonly [why: string, pattern: RegExp])[] = [
  ["words of tools", /\bamof_[a-z_]+\(|\b(?:confirm_name|typed_value|dry_run)\b/],
  ["a time for programs", /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/],
];

/** Codes whose message says what to do, or whose details do in members of their own. */
const SAYS_ENOUGH: ReadonlySet<string> = new Set(["E_CONFIRM_REQUIRED", "E_INVALID_ARGUMENTS"]);

/** About how many answers each door gives. */
const MOST = THOROUGHLY ? 4_000 : 1_200;

/** Lines that repeat what others or the caller wrote, or hold data: ids, hashes, diffs, JSON. */
function ofOurs(text: string): string {
  return text.split("\n").filter((line) => !/^\s*[-+{}]|^ $/.test(line) && !/^\s*\| /.test(line))
    .join("\n");
}

function problemsOf(
  text: string,
  rules: readonly (readonly [why: string, pattern: RegExp])[],
): string[] {
  return rules.flatMap(([why, pattern]) => {
    const found = pattern.exec(text);
    return found === null
      ? []
      : [`${why}: ${text.slice(Math.max(0, found.index - 60), found.index + 60)}`];
  });
}

/** The messages of what was called, each problem once. */
class Findings {
  readonly #seen = new Set<string>();
  calls = 0;

  add(called: string, problems: readonly string[]): void {
    this.calls++;
    for (const problem of problems) {
      this.#seen.add(`${called}\n    ${problem.replaceAll("\n", "\\n")}`);
    }
  }

  assertNone(): void {
    assertEquals([...this.#seen].slice(0, 60).join("\n"), "");
  }
}

async function problemIn(check: () => Promise<void>): Promise<string[]> {
  try {
    await check();
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

async function typed(
  situation: Parameters<typeof commandLine>[0],
  words: readonly string[],
): Promise<string[]> {
  const { code, stdout, stderr } = await commandLine(situation, words);
  const said = `${stdout}${stderr}`;
  const problems = await problemIn(() => assertFollowable(words, stdout, stderr));
  if (words.includes("--json")) return problems;
  // This prints the names of members.
  const rules = words.join(" ").startsWith("agentpack schema") ? [] : NOT_FOR_PEOPLE;
  problems.push(...problemsOf(ofOurs(said), [...NEVER, ...rules]));
  // The check of a person's own script found what it shows.
  if (code !== 0 && code !== 3 && !/^(?:hint: |Next:| {2}\S)|pass --yes$/m.test(stderr)) {
    problems.push(`no hint: ${said}`);
  }
  if (said !== "" && !said.endsWith("\n")) problems.push(`the last line does not end: ${said}`);
  return problems;
}

async function called(
  server: Server,
  tool: string,
  args: Readonly<Record<string, unknown>>,
): Promise<string[]> {
  const answer = await server.call(tool, args);
  const problems = await problemIn(() => assertInToolWords(tool, answer.text, answer.data));
  problems.push(...problemsOf(ofOurs(answer.text), NEVER), ...await callProblems(answer.text));
  const advice = pick(answer.data, "hint") ?? pick(answer.data, "suggested_actions", 0);
  if (answer.isError && (advice === undefined || advice === "")) {
    problems.push(`no hint: ${answer.text}`);
  }
  return problems;
}

/** What is wrong with the sentences of an envelope of agentpack. */
function packProblems(data: Readonly<Record<string, unknown>>): string[] {
  const { errors = [], warnings = [] } = data as {
    errors?: readonly { code: string; message: string; details?: Record<string, unknown> }[];
    warnings?: readonly string[];
  };
  const sentences = [
    ...errors.flatMap(({ message, details }) => [message, String(details?.["hint"] ?? "")]),
    ...warnings,
  ];
  const helps = (details: Record<string, unknown> = {}) =>
    Object.hasOwn(details, "hint") || pick(details, "next_actions", 0) !== undefined;
  const unhelped = errors.filter(({ code, details }) => !helps(details) && !SAYS_ENOUGH.has(code));
  return [
    ...sentences.flatMap((sentence) => problemsOf(sentence.replace(/, not ""$/, ""), NEVER)),
    ...unhelped.map(({ code, message }) => `no hint: ${code} ${message}`),
  ];
}

Deno.test({
  name: "every message of every command can be followed and read, in every situation",
  ignore: Deno.build.os === "windows", // the situations are made of shell scripts and paths
  async fn(t) {
    const findings = new Findings();
    for (const [index, { name, make }] of SITUATIONS.entries()) {
      await t.step(name, async () => {
        await using situation = await make();
        await using server = new Server(situation, ["--toolsets", "all"]);
        await server.initialize();
        for (const command of COMMANDS) {
          // What is wrong with arguments is found before anything is looked at, and said everywhere alike.
          const lines = [...rightLines(command), ...index === 0 ? await wrongLines(command) : []];
          for (const words of third(lines, index)) {
            const told = `[${name}] ${words.join(" ")}`;
            findings.add(`amof ${told}`, await typed(situation, words));
            const args = await asToolCall(command, words);
            if (args !== null) {
              findings.add(`${command.name} ${told}`, await called(server, command.name, args));
            }
          }
        }
      });
    }
    assert(findings.calls > MOST / 2, String(findings.calls));
    findings.assertNone();
  },
});

Deno.test({
  name: "every message of agentpack can be read, in every situation",
  ignore: Deno.build.os === "windows", // paths of the situations
  async fn(t) {
    const findings = new Findings();
    for (const [index, { name, make }] of PACK_SITUATIONS.entries()) {
      await t.step(name, async () => {
        await using situation = await make();
        for (const command of PACK_COMMANDS) {
          for (const words of third(packLines(command), index)) {
            findings.add(`[${name}] ${words.join(" ")}`, await typed(situation, words));
          }
        }
      });
    }
    assert(findings.calls > MOST / 2, String(findings.calls));
    findings.assertNone();
  },
});

Deno.test({
  name: "every message of agentpack's tools can be read, in every situation",
  ignore: Deno.build.os === "windows", // paths of the situations
  async fn(t) {
    const findings = new Findings();
    for (const [index, { name, make }] of PACK_SITUATIONS.entries()) {
      await t.step(name, async () => {
        await using situation = await make();
        await using server = new Server(situation, ["--toolsets", "agentpack"]);
        await server.initialize();
        for (const { spec, properties } of PACK_TOOLS.values()) {
          for (const args of third(packCalls(properties), index)) {
            const answer = await server.call(spec.name, args);
            findings.add(
              `[${name}] ${spec.name} ${JSON.stringify(args)}`,
              packProblems(answer.data),
            );
          }
        }
      });
    }
    assert(findings.calls > 150, String(findings.calls));
    findings.assertNone();
  },
});
