// Covers changedText(): one value changes, and nothing else in the text.

import { assertEquals } from "@std/assert";
import { parse } from "@std/yaml";
import * as fc from "fast-check";
import { changedText } from "../../../../src/state/settings/schema.ts";

const TEXT = `# yaml-language-server: $schema=settings.schema.json
# mine

root: ~/control   # here
color: "never" # quoted

# words of mine
aliases:
    st: status --fetch   # look
    # second
    p: 'push --dry-run'
# the end
`;

const CASES: readonly (readonly [string, string, unknown, string, string])[] = [
  ["changes a value where it stands", "color", "auto", 'color: "never"', "color: auto"],
  ["adds an alias like its neighbours", "aliases.x", "sync", "run'\n", "run'\n    x: sync\n"],
  ["takes a line out", "root", undefined, "root: ~/control   # here\n", ""],
  ["takes an alias out", "aliases.st", undefined, "    st: status --fetch   # look\n", ""],
  ["adds a setting at the end", "jobs", 3, "# the end\n", "# the end\njobs: 3\n"],
  ["quotes what YAML would misread", "editor", "a: b # c", "end\n", 'end\neditor: "a: b # c"\n'],
  ["quotes what some readers take for a number", "editor", "._0", "end\n", 'end\neditor: "._0"\n'],
  ["leaves a text that has nothing to take out", "jobs", undefined, "# the end", "# the end"],
];

for (const [what, name, value, from, to] of CASES) {
  Deno.test(`changedText() ${what}`, async () => {
    assertEquals(await changedText(TEXT, name, value), TEXT.replace(from, to));
  });
}

const SMALL: readonly (readonly [string, string, unknown, string])[] = [
  ["", "jobs", 3, "jobs: 3\n"],
  ["", "aliases.st", "status", "aliases:\n  st: status\n"],
  ["# none yet\n", "jobs", 3, "# none yet\njobs: 3\n"],
  ["jobs: # how many\n", "jobs", 3, "jobs: 3 # how many\n"],
  ["aliases:\njobs: 3\n", "aliases.st", "status", "aliases:\n  st: status\njobs: 3\n"],
  ["aliases:\n  st: status\njobs: 3\n", "aliases.st", undefined, "jobs: 3\n"],
  ["color: auto", "jobs", 3, "color: auto\njobs: 3\n"],
  ["{ jobs: 3 } # short\n", "color", "auto", "{ jobs: 3, color: auto } # short\n"],
  ["aliases: { a: sync }\n", "aliases.b", "push", "aliases: { a: sync, b: push }\n"],
  ["editor: >-\n  code\n  --wait\njobs: 3\n", "editor", undefined, "jobs: 3\n"],
];

Deno.test("changedText() of small and odd files", async () => {
  for (const [text, name, value, expected] of SMALL) {
    assertEquals(await changedText(text, name, value), expected, text);
  }
});

Deno.test("whatever stands in a file, an edit says what was asked and leaves all else", async () => {
  const word = fc.stringMatching(/^[a-z]{1,5}$/);
  const value = fc.oneof(
    fc.integer({ min: 1, max: 99 }),
    fc.string({ minLength: 1, maxLength: 20 }),
    fc.stringMatching(/^[-+.]?[0-9a-fox_.:]{1,6}$/),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(word, fc.string({ minLength: 1, maxLength: 12 }), { maxKeys: 3 }),
      fc.dictionary(fc.constantFrom("root", "jobs", "color", "editor"), value),
      fc.tuple(word, value.filter((each) => typeof each === "string" && each.trim() !== "")),
      async (aliases, others, [name, line]) => {
        let text = "# begin\n";
        for (const [key, each] of Object.entries(others)) text = await changedText(text, key, each);
        for (const [key, each] of Object.entries(aliases)) {
          text = await changedText(text, `aliases.${key}`, each);
        }
        text = await changedText(text, `aliases.${name}`, line);
        assertEquals(parse(text), { ...others, aliases: { ...aliases, [name]: line } });
        const gone = await changedText(text, `aliases.${name}`, undefined);
        const { [name]: _, ...rest } = aliases;
        const left = Object.keys(rest).length === 0 ? others : { ...others, aliases: rest };
        assertEquals(parse(gone) ?? {}, left);
      },
    ),
    { numRuns: 60 },
  );
});
