import { assert, assertEquals } from "@std/assert";
import { ENTRIES } from "../../../src/doors/cli/entries.ts";
import { entryFlags, NAMED_OTHERWISE, valueName } from "../../../src/pipeline/line/parse.ts";

Deno.test("the value of a flag is called by its choices, else by what it is", () => {
  const cases: readonly (readonly [string, "string" | "integer" | "array", string[], string])[] = [
    ["lock-file", "string", [], "FILE"],
    ["repo", "array", [], "REPO"],
    ["retry-failed", "string", [], "RUN"],
    ["limit", "integer", [], "N"],
    ["color", "string", ["auto", "never"], "auto|never"],
    ["kind", "string", Array.from({ length: 20 }, (_, index) => `kind${index}`), "WORD"],
  ];
  for (const [flag, type, choices, name] of cases) {
    assertEquals(valueName(flag, type, choices), name);
  }
});

Deno.test("every flag whose value has a name of its own exists", async () => {
  const flags = new Set<string>();
  for (const { load } of ENTRIES) {
    for (const { name, value } of await entryFlags(await load())) {
      if (value !== undefined) flags.add(name);
    }
  }
  assertEquals(NAMED_OTHERWISE.filter((name) => !flags.has(name)), []);
  assert(flags.has("repo"));
});
