// Property: what is taken for a configuration without the schema is one by the schema, too, and says the same there.

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { isPlainConfig } from "../../src/apps/agentpack/config/config.ts";
import { configSchema } from "../../src/apps/agentpack/config/schema.ts";
import * as z from "../../src/contract/zod.ts";

const schema = configSchema(z);
const odd = fc.constantFrom<unknown>(undefined, null, 1, "text", true, [], ["a"], [1], {}, {
  a: 1,
});

/** Mostly what belongs there, sometimes anything. */
function or<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 30, arbitrary }, { weight: 1, arbitrary: odd });
}

function map(members: Record<string, fc.Arbitrary<unknown>>, ...requiredKeys: string[]) {
  const all: Record<string, fc.Arbitrary<unknown>> = { ...members, other: odd };
  return fc.record(all, { requiredKeys });
}

const text = or(fc.constantFrom("a", "b c", ""));
const texts = or(fc.array(or(fc.constantFrom("a", "b")), { maxLength: 2 }));
const flag = or(fc.boolean());
const profile = map({ include_tags: texts, include_modules: texts, exclude_modules: texts });
const target = map(
  {
    mode: or(fc.constant("files")),
    scope: or(fc.constantFrom("user", "project", "both", "none")),
    options: or(fc.dictionary(fc.constantFrom("a", "b"), odd)),
  },
  "mode",
  "scope",
);
const source = map({
  local_path: or(map({ path: text }, "path")),
  git: or(map({ url: text, ref: text, subdir: text, shallow: flag }, "url")),
});
const module = map(
  {
    id: text,
    type: or(fc.constantFrom("skill", "prompt", "command", "hook", "rule")),
    enabled: flag,
    tags: texts,
    targets: texts,
    source: or(source),
    metadata: or(fc.dictionary(fc.constantFrom("scope", "b"), odd)),
  },
  "id",
  "type",
  "source",
);
const config = map(
  {
    version: or(fc.constant(1)),
    profiles: or(fc.dictionary(fc.constantFrom("default", "b"), or(profile))),
    targets: or(fc.dictionary(fc.constantFrom("codex", "b"), or(target))),
    modules: or(fc.array(or(module), { maxLength: 3 })),
  },
  "version",
);

Deno.test("what is plainly a configuration is one by the schema, which changes nothing in it", () => {
  const seen = { plain: 0, refused: 0 };
  fc.assert(
    fc.property(or(config), (document) => {
      const { success, data } = schema.safeParse(document);
      const isPlain = isPlainConfig(document);
      seen[isPlain ? "plain" : "refused"]++;
      assertEquals(isPlain, success);
      if (isPlain) assertEquals(data, document);
    }),
    { numRuns: 1_000 },
  );
  assert(seen.plain > 50 && seen.refused > 50, JSON.stringify(seen));
});
