// Laws of files that users share: entries come and go, and every byte of the rest stays.

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { cases } from "../support/sample.ts";
import { editEntriesOf, isTrouble, readTable } from "../../src/state/entries/document.ts";
import { madeOf } from "../../src/apps/agentpack/engine/shared/plan.ts";
import { type EntryChanges, listedName, type SharedFile } from "../../src/state/entries/types.ts";
import type { Fields } from "../../src/base/object.ts";

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
  const result = await editEntriesOf(shared, text, wanted, () => made);
  assert(!("problem" in result), JSON.stringify({ result, text }));
  return result.text;
}

/** All lines of the first text stand in the second one, in their order; a comma may have come to the end of one. */
function keepsLines(before: string, after: string, ...opened: readonly string[]): void {
  const lines = after.split("\n").map((line) => line.replace(/\r$/, ""));
  let at = 0;
  for (const line of before.split("\n").map((one) => one.replace(/\r$/, ""))) {
    // An empty table in one line is opened.
    const isOpened = ['"servers": {}', ...opened].some((one) => line.includes(one));
    if (line.trim() === "" || isOpened) continue;
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
        const made = (shared.table ?? "") in read.whole ? null : "table";
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
      { numRuns: cases(200, 60) },
    );
  });

  Deno.test(`a ${shared.syntax} file that exists for our entries alone goes with the last one`, async () => {
    await fc.assert(
      fc.asyncProperty(changes, async (entries) => {
        const text = await edited(shared, null, new Map(Object.entries(entries)), "file");
        const read = await readTable(shared, text ?? "");
        assert(!isTrouble(read));
        assertEquals(Object.fromEntries(read.entries), entries);
        const gone = new Map(Object.keys(entries).map((key) => [key, undefined]));
        assertEquals(await edited(shared, text, gone, "file"), null);
      }),
      { numRuns: 40 },
    );
  });
}

const LISTED: SharedFile = { ...JSONC, lists: true, seed: { version: 1 } };
const event = fc.constantFrom("PreToolUse", "stop", "Foreign");

/** What a tool runs: a group, or a single one, of the same words as other things in the file. */
const hook = fc.record({
  event,
  value: fc.oneof(
    fc.record({ command: word, timeout: fc.nat({ max: 2 }) }),
    fc.record({ matcher: word, hooks: fc.tuple(fc.record({ type: word, command: word })) }),
  ),
}).map(({ event, value }) => [listedName(event, value), value] as const);
const hookChanges = fc.array(hook, { minLength: 1, maxLength: 4 })
  .map((all): ReadonlyMap<string, Fields> => new Map(all));

/** Files with hooks that somebody wrote by hand, with comments, switches and lists that hold nothing. */
const hooksFile = fc.record({
  eol: fc.constantFrom("\n", "\r\n"),
  indent: fc.constantFrom("  ", "    ", "\t"),
  before: fc.constantFrom("", '"theme": "dark", // mine\n', '"servers": { "a": {} },\n'),
  lists: fc.array(
    fc.constantFrom(
      '"PreToolUse": [\n{ "command": "theirs" }, // why\n{\n"hooks": []\n}\n]',
      '"Foreign": [{"command":"x"},{"command":"x","timeout":9}, 3, "text"]',
      '// off\n"stop": []',
      '"enabled": true',
      '"disabled": [\n// none\n]',
    ),
    { maxLength: 4 },
  ).map((all) => [...new Set(all)]),
  table: fc.boolean(),
}).map(({ eol, indent, before, lists, table }) => {
  const inside = lists.length === 0 ? "{}" : `{\n${lists.join(",\n")}\n}`;
  const body = table ? `${before}"hooks": ${inside}` : `${before}"zed": 1`;
  return `// head\n{\n${body}\n}\n`.replaceAll("\n", `${eol}${indent}`);
});

Deno.test("entries of lists come and go in their order, and the rest stays byte for byte", async () => {
  await fc.assert(
    fc.asyncProperty(hooksFile, hookChanges, hookChanges, async (before, first, second) => {
      const read = await readTable(LISTED, before);
      assert(!isTrouble(read), before);
      const theirs = new Set(read.entries.keys());
      const mine = (wanted: EntryChanges) =>
        new Map([...wanted].filter(([key]) => !theirs.has(key)));
      const made = madeOf(LISTED, { text: before, whole: read.whole }, []);
      const edit = async (text: string, wanted: EntryChanges) => {
        const result = await editEntriesOf(LISTED, text, wanted, made);
        assert("text" in result, JSON.stringify({ result, text }));
        return result.text ?? "";
      };
      const with1 = await edit(before, mine(first));
      keepsLines(before, with1, '"hooks": {}', "[]", '"Foreign": [');
      const with2 = await edit(with1, mine(second));
      const there = await readTable(LISTED, with2);
      assert(!isTrouble(there));
      for (const [key, value] of [...mine(first), ...mine(second)]) {
        assertEquals(there.entries.get(key), mine(second).get(key) ?? value);
      }
      // What others have keeps its order and stands before what came later.
      const kept = [...there.entries.keys()].filter((key) => theirs.has(key));
      assertEquals(kept, [...theirs].filter((key) => kept.includes(key)));
      assertEquals(kept.length, theirs.size);
      // The same once more changes nothing at all.
      assertEquals(await edit(with2, mine(second)), with2);
      const gone = new Map([...mine(first).keys(), ...mine(second).keys()]
        .map((key) => [key, undefined]));
      assertEquals(shape(await edit(with2, gone)), shape(before));
    }),
    { numRuns: cases(300, 100) },
  );
});

/** A text but for how an empty table that was opened is closed again. */
function shape(text: string): string {
  return text.replaceAll(/(?<=[{[])\s+(?=[}\]])/g, "");
}

Deno.test("a file that exists for our hooks alone begins as its tool wants it, and goes with the last one", async () => {
  await fc.assert(
    fc.asyncProperty(hookChanges, async (entries) => {
      const made = () => "file" as const;
      const result = await editEntriesOf(LISTED, null, entries, made);
      assert("text" in result && result.text !== null);
      const read = await readTable(LISTED, result.text);
      assert(!isTrouble(read));
      assertEquals(Object.fromEntries(read.entries), Object.fromEntries(entries));
      assertEquals(read.whole["version"], 1);
      const gone = new Map([...entries.keys()].map((key) => [key, undefined]));
      const left = await editEntriesOf(LISTED, result.text, gone, made);
      assertEquals(left, { text: null });
    }),
    { numRuns: 60 },
  );
});
