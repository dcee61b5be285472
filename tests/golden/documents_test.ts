// The documents keep what they say: rules are numbered once and exist where they are cited, links lead somewhere,
// and examples can be run as they stand. What tables and numbers say is in documents_facts_test.ts.

import { assert, assertEquals } from "@std/assert";
import { parse as parseYaml } from "@std/yaml";
import { z } from "zod";
import { parseConfig } from "../../src/apps/agentpack/config/config.ts";
import { policySchema } from "../../src/apps/agentpack/config/policy.ts";
import { fsKey } from "../../src/apps/agentpack/identity.ts";
import { PACK_ENTRIES, parsePack, takePackWords } from "../../src/doors/agentpack/cli/parse.ts";
import { configSchema } from "../../src/commands/release/config_schema.ts";
import { manifestSchema } from "../../src/workspace/manifest/schema.ts";
import { splitWords } from "../../src/base/text/shells.ts";
import { answerChecker } from "../support/answer_schema.ts";
import {
  blocks,
  citations,
  comments,
  exists,
  fileLinks,
  MODULES,
  proseOf,
  READINGS,
  REFERENCE,
  rule,
  RULE_BOOKS,
  RULES,
  sentences,
} from "../support/documents.ts";
import { lineProblem } from "../support/spoken.ts";

/** A label in a comment or document: what looks like one is a rule, or one of these. */
const OTHER_LABELS = /^(?:ADR|CVE|HTTP|ISO|PROJ|RFC|SHA|TICKET|UTF|X|Y|T|A|B)-\d+$/;

/** What points to documents that a reader of the project does not have; written so that it does not find itself. */
const ELSEWHERE = new RegExp(
  [
    "\\b(?:amof|design|engines|mcp-eras|packaging|stock" + "trim|style|tickets-next)[.]md\\b",
    "\\u00a7",
    "\\bdesign \\d",
    "\\bhabits? \\d",
  ].join("|"),
  "i",
);

Deno.test("every rule has a number of its own, in order", () => {
  assert(RULES.length > 150, String(RULES.length));
  const problems: string[] = [];
  const next = new Map<string, { readonly number: number; readonly document: string }>();
  for (const { label, document } of RULES) {
    const [prefix = "", number = ""] = label.split("-");
    const expected = next.get(prefix) ?? { number: 1, document };
    if (Number(number) !== expected.number) {
      problems.push(`${document}: ${label} stands where ${prefix}-${expected.number} is due`);
    }
    if (document !== expected.document) {
      problems.push(`${label}: ${prefix} is a prefix of two documents`);
    }
    next.set(prefix, { number: Number(number) + 1, document });
  }
  assertEquals(problems, []);
});

Deno.test("every citation leads to a rule", () => {
  const known = new Set(RULES.map(({ label }) => label));
  const problems = [...MODULES, ...READINGS].flatMap(({ name, text }) =>
    citations(text).filter((label) => !known.has(label)).map((label) => `${name}: ${label}`)
  );
  // A label with a mistake in its letters would not be recognised as a citation.
  const unknown = MODULES.flatMap(({ name, text }) =>
    comments(text).flatMap((comment) => [...comment.matchAll(/(?<=[( ])[A-Z]{2,}-\d+\b/g)])
      .map(([label]) => label)
      .filter((label) => !known.has(label) && !OTHER_LABELS.test(label))
      .map((label) => `${name}: ${label}`)
  );
  assertEquals([...problems, ...unknown], []);
});

Deno.test("every rule is cited by the code that keeps it", () => {
  const cited = new Set<string>();
  for (const { text } of MODULES.filter(({ name }) => name.startsWith("src/"))) {
    for (const label of citations(text)) cited.add(label);
    for (const [, prefix, first, last] of text.matchAll(/\b([A-Z]+)-(\d+) to \1-(\d+)\b/g)) {
      for (let at = Number(first); at <= Number(last); at++) cited.add(`${prefix}-${at}`);
    }
  }
  assertEquals(RULES.map(({ label }) => label).filter((label) => !cited.has(label)), []);
});

for (
  const [what, text, expected] of [
    ["a paragraph", "One, two;\nthree: four. amof is five? (Six.) Seven", [
      "One, two; three: four.",
      "amof is five?",
      "(Six.)",
      "Seven",
    ]],
    ["a rule", "**A-1.** One `a.b` and e.g.\n\nTwo.", ["**A-1.**", "One `a.b` and e.g.", "Two."]],
    ["a heading", "## One\n\nTwo | three", ["## One", "Two | three"]],
    ["a list", "One:\n\n- two\n  more\n  - three\n12. four. Five", [
      "One:",
      "two more",
      "three",
      "four.",
      "Five",
    ]],
    ["a table", "| one | two. Three |\n| --- | --- |\n| four | |", ["one", "two.", "Three", "four"]],
    ["no prose", "One\n\n```sh\na. b.\n```\n<!-- c. -->\n![d](e.svg)\ntwo", ["One", "two"]],
  ] as const
) {
  Deno.test(`sentences of ${what}`, () => assertEquals(sentences(text), [...expected]));
}

/** Those of some sentences that have more words, each with how it begins. */
function longer(most: number, name: string, found: readonly string[]): string[] {
  return found.map((sentence) => sentence.split(" ")).filter(({ length }) => length > most)
    .map((words) => `${name}: ${words.length} words: ${words.slice(0, 8).join(" ")} …`);
}

Deno.test("no sentence of a document has more than 40 words", () => {
  const long = READINGS.filter((each) => !REFERENCE.includes(each))
    .flatMap(({ name, text }) => longer(40, name, sentences(text)));
  assertEquals(long, []);
});

Deno.test("sentences of comments", () => {
  const module = [
    "/** One {@linkcode two three}. Four",
    " *",
    " * @returns five */",
    "  // six",
    "  // seven; eight",
    'const nine = "src/*"; /* ten',
    "eleven */ // twelve",
  ].join("\n");
  assertEquals(comments(module).flatMap((comment) => sentences(proseOf(comment))), [
    "One two_three.",
    "Four",
    "@returns five",
    "six seven; eight",
    "ten eleven",
  ]);
});

/** Folders whose comments are still to be shortened, each with how many long sentences it may have. */
const LONG_WINDED: Readonly<Record<string, number>> = {
  "src/commands/agent": 2,
  "src/commands/exec": 5,
  "src/commands/undo": 1,
  "src/git/checkpoint": 4,
  "src/git/snapshot": 2,
};

Deno.test("no sentence of a comment has more than 30 words", () => {
  const long = MODULES.filter(({ name }) => name.startsWith("src/")).flatMap(({ name, text }) =>
    longer(30, name, comments(text).flatMap((comment) => sentences(proseOf(comment))))
  );
  const inFolder = (folder: string) => long.filter((line) => line.startsWith(`${folder}/`));
  const allowed = Object.entries(LONG_WINDED).flatMap(([folder, most]) =>
    inFolder(folder).slice(0, most)
  );
  assertEquals(long.filter((line) => !allowed.includes(line)), []);
});

Deno.test("nothing cites what a reader cannot open", () => {
  const found = [...MODULES, ...READINGS].flatMap(({ name, text }) =>
    text.split("\n").flatMap((line, index) =>
      ELSEWHERE.test(line) ? [`${name}:${index + 1}: ${line.trim()}`] : []
    )
  );
  assertEquals(found, []);
});

Deno.test("every link of a document leads to a file of the project", async () => {
  const problems: string[] = [];
  for (const reading of READINGS) {
    for (const { file, anchor } of fileLinks(reading)) {
      if (!await exists(file)) problems.push(`${reading.name}: ${file}`);
      const target = READINGS.find(({ name }) => name === file);
      const anchors = [...(target?.text ?? "").matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
        heading.toLowerCase().replaceAll(/[^\p{L}\p{N}_ -]/gu, "").replaceAll(" ", "-")
      );
      if (anchor !== "" && !anchors.includes(anchor)) {
        problems.push(`${reading.name}: ${file}#${anchor}`);
      }
    }
  }
  assertEquals(problems, []);
});

Deno.test("every path of the source that a document names is there", async () => {
  const problems: string[] = [];
  for (const { name, text } of READINGS) {
    for (const [, path = ""] of text.matchAll(/`((?:src|tests)\/[\w./-]*)`/g)) {
      if (!await exists(path)) problems.push(`${name}: ${path}`);
    }
  }
  assertEquals(problems, []);
});

Deno.test("the documents are linked from where readers come in", () => {
  for (const entrance of ["README.md", ".github/ARCHITECTURE.md"]) {
    const page = READINGS.find(({ name }) => name === entrance);
    assert(page !== undefined);
    const linked = new Set(fileLinks(page).map(({ file }) => file));
    const missing = RULE_BOOKS.filter(({ name }) => !linked.has(name));
    assertEquals(missing.map(({ name }) => name), [], entrance);
  }
});

/** The command lines of an example: comments left out, one line each. */
function commandLines(block: string): string[] {
  // A comment, or where a line reads from or is piped into, begins behind a space and outside of quotes.
  const own = /^(?:'[^']*'|"[^"]*"|(?!\s[#|<]\s)[^'"])*/;
  return block.split("\n").map((line) => own.exec(line)?.[0].trim() ?? "")
    .filter((line) => line.startsWith("amof "));
}

async function packProblem(words: readonly string[]): Promise<string | null> {
  const { words: path, rest } = takePackWords(words);
  const entry = PACK_ENTRIES.find((one) => one.path.join(" ") === path.join(" "));
  if (entry === undefined && words[0] === "help") return null;
  if (entry === undefined) return words[0] === "mcp" ? await lineProblem(words) : "is no command";
  try {
    parsePack(entry, rest, { get: () => undefined } as never, "agentpack");
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

Deno.test("every command line of a document can be pasted", async () => {
  const problems: string[] = [];
  let checked = 0;
  for (const { name, text } of READINGS) {
    for (const line of blocks(text, "sh").flatMap(commandLines)) {
      const [, ...words] = splitWords(line) ?? [];
      const isPack = words[0] === "agentpack" && !words.includes("--help");
      const problem = isPack ? await packProblem(words.slice(1)) : await lineProblem(words);
      checked++;
      if (problem !== null) problems.push(`${name}: ${line}: ${problem}`);
    }
  }
  assert(checked > 80, String(checked));
  assertEquals(problems, []);
});

Deno.test("every example of a file is one that the program takes", async () => {
  const example = (label: string, language: string) => blocks(rule(label).text, language)[0] ?? "";
  manifestSchema(z).parse(parseYaml(example("WORKSPACE-5", "yaml")));
  configSchema(z).parse(parseYaml(example("RELEASE-6", "yaml")));
  const { modules } = await parseConfig(example("PACK-3", "yaml"), "agentpack.yaml");
  assertEquals(modules.map(({ id }) => id), ["skill:tidy", "prompt:changelog"]);
  await parseConfig(example("PACK-5", "yaml"), "agentpack.yaml");
  policySchema(z).parse(parseYaml(example("PACK-58", "yaml")));
  const check = await answerChecker();
  assertEquals(check(JSON.parse(example("ANSWER-1", "json"))), null);
  assert(rule("PACK-14").text.includes(fsKey("skill:tidy")));
});
