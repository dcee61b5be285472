// Every command line that stands in the program's own texts is pasted into its parser: also those of failures that
// no other test provokes. Each door is spoken to in its own language.

import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join, relative } from "@std/path";
import { takeWords } from "../../../src/pipeline/line/words.ts";
import { inToolWords, writtenLines } from "../../../src/pipeline/tool_words.ts";
import { listedTools, TOOLSETS_SERVED } from "../../support/listed_tools.ts";
import { lineProblem, writtenCalls } from "../../support/spoken.ts";
import { COMMAND_ENTRIES } from "../../support/loaded.ts";

const SRC = fromFileUrl(new URL("../../../src/", import.meta.url));

/** Not texts to a reader: scripts, the walk of the demo, agentpack's own contract. */
const OTHER = /(?:^|\/)(?:agentpack|completion|types)\/|programs\/(?:demo|agentpack)|cli\/topics/;

async function files(directory: string): Promise<string[]> {
  const found: string[] = [];
  for await (const entry of Deno.readDir(directory)) {
    const path = join(directory, entry.name);
    if (entry.isDirectory) found.push(...await files(path));
    else if (/\.tsx?$/.test(entry.name) && !entry.name.endsWith(".d.ts")) found.push(path);
  }
  return found;
}

/** What a template fills in stands as `FILLED`, or as nothing where it ends a word or goes on in the next line. */
function filled(text: string): string {
  return text.replace(/(^|\s)\$\{[^}]*$/, "$1FILLED").replaceAll(
    /(^|\s)\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/g,
    "$1FILLED",
  ).replaceAll(
    /\$\{.*?(?:\}|$)/g,
    "",
  );
}

/** The part of every line of a module that begins with a command line, up to the end of its string. */
function texts(source: string): { readonly before: string; readonly text: string }[] {
  // A glob in a text begins no comment.
  const code = source.replaceAll(/^\s*(?:\/\*[\s\S]*?\*\/|\/\/.*$)/gm, "");
  return code.split("\n").flatMap((line) =>
    [...line.matchAll(/(?<![\w/.-])amof (?=[-a-z])/g)].map(({ index }) => ({
      before: line.slice(0, index),
      text: /^(?:[^"`\\]|\\[^n`])*/.exec(filled(line.slice(index)))?.[0] ?? "",
    }))
  );
}

/** Sentences about the program. */
const PROSE =
  /(?:["'`(]|of|that|what|does|by|call|this|for|flags of|completion of|open|asks|where) $|["'`]$/i;

Deno.test("every command line in the program's texts can be pasted", async () => {
  const problems: string[] = [];
  let checked = 0;
  for (const path of await files(SRC)) {
    const name = relative(SRC, path).replaceAll("\\", "/");
    if (OTHER.test(name)) continue;
    for (const { before, text } of texts(await Deno.readTextFile(path))) {
      const [line] = writtenLines(text);
      const problem = line === undefined ? null : await lineProblem(line.words);
      checked++;
      // A command that is only known while the program runs is pasted where a test provokes it.
      if (problem !== null && line?.words.includes("FILLED")) continue;
      if (problem === null || (problem === "is no command" && PROSE.test(before))) continue;
      problems.push(`${name}: "${text.slice(0, line?.end)}" ${problem}`);
    }
  }
  assert(checked > 150, String(checked));
  assertEquals(problems, []);
});

Deno.test("every call that a model is told is of a tool that its server lists, with arguments that it lists", async () => {
  const told: string[] = [];
  for (const path of await files(SRC)) {
    if (OTHER.test(relative(SRC, path).replaceAll("\\", "/"))) continue;
    told.push(...texts(await Deno.readTextFile(path)).map(({ text }) => text));
  }
  const problems = new Set<string>();
  const members = new Set<string>();
  for (const toolsets of TOOLSETS_SERVED) {
    const { offers, problem } = await listedTools(toolsets);
    for (const text of told) {
      const said = await inToolWords(text, { offers, command: null });
      for (const { tool, args } of writtenCalls(said)) {
        const found = problem(tool, args);
        if (found !== null) problems.add(`${toolsets.join()}: "${said}" ${found}`);
        for (const name of Object.keys(args)) members.add(`${tool} ${name}`);
      }
    }
  }
  assertEquals([...problems], []);
  for (const each of ["amof_ticket_end only", "amof_get_ecosystem_status ticket"]) {
    assert(members.has(each), each);
  }
});

Deno.test("no text for both doors has words of tools", async () => {
  // Where a tool is spoken of: the MCP door, and what the command layer says to it alone.
  const toldToModels =
    /^(?:doors\/mcp\/|pipeline\/(?:suggest\/|consent\/words|answer|tool_words|redeem|registry)|doors\/cli\/programs\/(?:mcp\/|schema))/;
  const found: string[] = [];
  for (const path of await files(SRC)) {
    const name = relative(SRC, path).replaceAll("\\", "/");
    if (OTHER.test(name) || toldToModels.test(name)) continue;
    const text = (await Deno.readTextFile(path)).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
    for (
      const [said] of text.matchAll(/(?<!["'])\bamof_[a-z_]+\(|confirm_name=|typed_value=|mode="/g)
    ) {
      found.push(`${name}: ${said}`);
    }
  }
  assertEquals(found, []);
});

Deno.test("every example of every command is words of that command", () => {
  for (const entry of COMMAND_ENTRIES) {
    for (const example of entry.examples) {
      const words = example.split(" ");
      assertEquals(
        takeWords(words, COMMAND_ENTRIES).words.join(" "),
        entry.path.join(" "),
        `${entry.name}: ${example}`,
      );
    }
  }
});
