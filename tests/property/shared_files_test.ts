// Laws of files that users share: entries come and go, and every byte of the rest stays.

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { editEntriesOf, isTrouble, readTable } from "../../src/agentpack/shared/document.ts";
import type { EntryChanges, SharedFile } from "../../src/agentpack/shared/types.ts";

const JSONC: SharedFile = { file: "mcp.json", syntax: "jsonc", table: "servers" };
const TOML: SharedFile = { file: "config.toml", syntax: "toml", table: "mcp_servers" };

const word = fc.constantFrom("a", "b c", 'q"uote', "ünï", "//", "#", "[x]", "x = 1", "", "\\n");
const value = fc.record({
  command: word,
  args: fc.array(word, { maxLength: 3 }),
  env: fc.dictionary(fc.constantFrom("HOME", "A.B", "x y"), word, { maxKeys: 2 }),
}, { requiredKeys: ["command"] });
const name = fc.constantFrom("mine", "my.own", "my own", "third");
const changes = fc.dictionary(name, value, { minKeys: 1, maxKeys: 3 });

/** Pieces of JSON files that somebody wrote by hand, with comments in all places. */
const json = fc.record({
  eol: fc.constantFrom("\n", "\r\n"),
  indent: fc.constantFrom("  ", "    ", "\t"),
  head: fc.constantFrom("", "// head\n", "/* head */\n"),
  before: fc.constantFrom("", '"theme": "dark", // mine\n', '/* x */ "list": [1,\n2],\n'),
  foreign: fc.array(
    fc.constantFrom(
      '"one": { "command": "x" }',
      '// about two\n"two": {"url":"https://example.com", "n": 1.50}',
      '"three": {\n"command": "y" // why\n}',
    ),
    { maxLength: 3 },
  ).map((all) => [...new Set(all)]),
  end: fc.constantFrom("", " // last", "\n// below\n", ","),
  behind: fc.constantFrom("", ',\n"zed": null', ', // note\n"zed": {}'),
  table: fc.boolean(),
}).map(({ eol, indent, head, before, foreign, end, behind, table }) => {
  const tail = end === "," && foreign.length === 0 ? "" : end;
  const inside = foreign.length === 0 && tail === "" ? "{}" : `{\n${foreign.join(",\n")}${tail}\n}`;
  const body = table ? `${before}"servers": ${inside}${behind}` : `${before}"zed": 1`;
  return `${head}{\n${body}\n}\n`.replaceAll("\n", `${eol}${indent}`);
});

const toml = fc.record({
  eol: fc.constantFrom("\n", "\r\n"),
  head: fc.constantFrom("", 'model = "x" # mine\n', 'text = """\n[mcp_servers.mine]\n"""\n'),
  sections: fc.array(
    fc.constantFrom(
      '# about one\n[mcp_servers.one]\ncommand = "x"\n\n[mcp_servers.one.env]\nA = "1"\n',
      "[other]\nlist = [\n  1, # one\n  [2],\n]\n",
      '["quoted.key"]\nx = 1979-05-27T07:32:00Z\n',
      "[[profiles]]\nname = 'y' # [mcp_servers.mine]\n",
      '[mcp_servers."two three"]\nurl = "https://example.com"\n# trailing\n',
    ),
    { maxLength: 4 },
  ).map((all) => [...new Set(all)]),
  end: fc.constantFrom("", "# the end\n", "\n\n"),
}).map(({ eol, head, sections, end }) =>
  `${head}${sections.join("\n")}${end}`.replaceAll("\n", eol)
);

async function edited(
  shared: SharedFile,
  text: string | null,
  wanted: EntryChanges,
  made: "file" | "table" | null,
): Promise<string | null> {
  const result = await editEntriesOf(shared, text, wanted, made);
  assert(!("problem" in result), JSON.stringify({ result, text }));
  return result.text;
}

/** All lines of the first text stand in the second one, in their order; a comma may have come to the end of one. */
function keepsLines(before: string, after: string): void {
  const lines = after.split("\n").map((line) => line.replace(/\r$/, ""));
  let at = 0;
  for (const line of before.split("\n").map((one) => one.replace(/\r$/, ""))) {
    // An empty table in one line is opened.
    if (line.trim() === "" || line.includes('"servers": {}')) continue;
    const bare = (text: string) => text.replaceAll(/[,{}\s]/g, "");
    while (at < lines.length && bare(lines[at] ?? "") !== bare(line)) at++;
    assert(at < lines.length, JSON.stringify({ line, before, after }));
    at++;
  }
}

for (const [shared, text] of [[JSONC, json], [TOML, toml]] as const) {
  Deno.test(`entries of ${shared.syntax} files come and go, and the rest stays as it is`, async () => {
    await fc.assert(
      fc.asyncProperty(text, changes, changes, async (before, first, second) => {
        const read = await readTable(shared, before);
        assert(!isTrouble(read), JSON.stringify({ read, before }));
        const made = read.entries === null ? "table" : null;
        const with1 = await edited(shared, before, new Map(Object.entries(first)), made) ?? "";
        keepsLines(before, with1);
        const with2 = await edited(shared, with1, new Map(Object.entries(second)), made) ?? "";
        keepsLines(before, with2);
        if (before.trim() !== "") {
          assertEquals(with2.includes("\r\n"), before.includes("\r\n"));
          assertEquals(/(?<!\r)\n/.test(with2), /(?<!\r)\n/.test(before));
        }
        const gone = new Map([...Object.keys(first), ...Object.keys(second)]
          .map((key) => [key, undefined]));
        const back = await edited(shared, with2, gone, made) ?? "";
        keepsLines(before, back);
        const blank = (text: string) => text.replaceAll(/[,\s]/g, "");
        assertEquals(blank(back), blank(before));
      }),
      { numRuns: 200 },
    );
  });

  Deno.test(`a ${shared.syntax} file that exists for our entries alone goes with the last one`, async () => {
    await fc.assert(
      fc.asyncProperty(changes, async (entries) => {
        const text = await edited(shared, null, new Map(Object.entries(entries)), "file");
        const read = await readTable(shared, text ?? "");
        assert(!isTrouble(read));
        assertEquals(Object.fromEntries(read.entries ?? []), entries);
        const gone = new Map(Object.keys(entries).map((key) => [key, undefined]));
        assertEquals(await edited(shared, text, gone, "file"), null);
      }),
      { numRuns: 40 },
    );
  });
}
