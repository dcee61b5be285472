// Property: what the reader of plain YAML reads, the library reads alike.

import { assert, assertEquals } from "@std/assert";
import { parse } from "@std/yaml";
import fc from "fast-check";
import { plainYaml } from "../../src/base/text/plain_yaml.ts";

const word = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("api", "main", "git@host:org/api.git", "svc-*") },
  { weight: 4, arbitrary: fc.constantFrom("https://host/a.git", "/dir/a", '"a: b"', "'x # y'") },
  { weight: 4, arbitrary: fc.constantFrom("true", "[]", "[api, web]", "[ a,b ]", "two words") },
  fc.constantFrom("null", "~", "yes", "No", "TRUE", "12", "1.5", "0x1f", ".inf", "2026-01-02"),
  fc.constantFrom("a: b", "a #b", "a#b", "a:", ":a", "- a", "-", "&a", "*a", "!a", "|", ">", "<<"),
  fc.constantFrom('"a\\n"', "'it''s'", "[true, 1]", "[a: b]", "{a: b}", "[", "]", "a,b", "a, b"),
  fc.constantFrom(
    "é",
    "a\tb",
    "a ",
    "  a",
    "%a",
    "@a",
    "`a`",
    "?",
    "? a",
    "...",
    "---",
    "a'b",
    'a"b',
  ),
  fc.string({ maxLength: 6 }),
);
const key = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.constantFrom("name", "url", "repos", "tags", "depends_on", "a", "b-c"),
  },
  fc.constantFrom("true", "null", "y", "__proto__", "toString", "1", '"q"', "a b", "<<", ""),
);
const line = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(key, word).map(([name, value]) => `${name}: ${value}`) },
  { weight: 4, arbitrary: key.map((name) => `${name}:`) },
  { weight: 4, arbitrary: fc.tuple(key, word).map(([name, value]) => `- ${name}: ${value}`) },
  { weight: 3, arbitrary: word.map((value) => `- ${value}`) },
  key.map((name) => `- ${name}:`),
  fc.constantFrom(
    "",
    "# a comment",
    " # more",
    "-",
    "- - a",
    "...",
    "---",
    "%YAML 1.2",
    "\t",
    "\r",
  ),
  word,
);
/** Lines in any shape, mostly as a manifest has them. */
const text = fc.array(
  fc.tuple(fc.constantFrom(0, 0, 0, 2, 2, 4, 4, 1, 3, 6), line),
  { minLength: 1, maxLength: 8 },
).map((lines) => lines.map(([indent, rest]) => `${" ".repeat(indent)}${rest}\n`).join(""));

const usual = fc.constantFrom("api", "main", "git@host:org/api.git", "[a, b]", "true", '"a b"');
const block: fc.Arbitrary<readonly string[]> = fc.letrec<{ block: readonly string[] }>((tie) => ({
  block: fc.uniqueArray(
    fc.tuple(
      key,
      fc.oneof(
        { maxDepth: 2 },
        usual.map((value) => ({ value, lines: [] as readonly string[] })),
        tie("block").map((lines) => ({ value: "", lines: lines.map((each) => `  ${each}`) })),
        fc.tuple(fc.constantFrom("", "  "), fc.array(tie("block"), { minLength: 1, maxLength: 3 }))
          .map(([indent, items]) => ({
            value: "",
            lines: items.flatMap((lines) =>
              lines.map((each, index) => `${indent}${index === 0 ? "- " : "  "}${each}`)
            ),
          })),
      ),
    ),
    { selector: ([name]) => name, minLength: 1, maxLength: 4 },
  ).map((members) =>
    members.flatMap(([name, { value, lines }]) => [`${name}:${value && ` ${value}`}`, ...lines])
  ),
})).block;

/** What the library reads; undefined for what it refuses. */
function byLibrary(source: string): unknown {
  try {
    return parse(source);
  } catch {
    return undefined;
  }
}

Deno.test("what the reader of plain YAML reads, the library reads alike", () => {
  let read = 0;
  const sources = fc.oneof(text, block.map((lines) => `${lines.join("\n")}\n`));
  fc.assert(
    fc.property(sources, (source) => {
      const plain = plainYaml(source);
      if (plain === undefined) return;
      read++;
      const ordinary = byLibrary(source);
      assertEquals(plain, ordinary as typeof plain);
      assertEquals(JSON.stringify(plain), JSON.stringify(ordinary));
    }),
    { numRuns: 5_000 },
  );
  assert(read > 500, `only ${read} were read`);
});

Deno.test("the usual manifest is read as plain YAML", () => {
  const source = `# The shop.
name: shop
description: All of the shop (and more)

repos:
  - name: api
    url: git@host:org/api.git
    tags: [backend, go]
  # The page.
  - name: web
    url: "https://host/web.git"
    branch: main
    readonly: true
    depends_on:
      - api
groups:
  all: [api, web]
tasks:
  test:
    run: [make, test]
`;
  assertEquals(plainYaml(source), parse(source) as Record<string, unknown>);
  assertEquals(plainYaml("name: shop\nrepos: []\n"), { name: "shop", repos: [] });
});
