// Property: what the light stand-in for zod accepts, zod accepts with the same result, for every command and manifest.

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { commonSchema } from "../../src/pipeline/common.ts";
import { membersOf } from "../../src/pipeline/line/parse.ts";
import { type InputSchema, isOnlyTyped, lightly } from "../../src/contract/mod.ts";
import * as z from "../../src/contract/zod.ts";
import { manifestSchema } from "../../src/workspace/manifest/schema.ts";
import { COMMANDS, PROGRAMS } from "../support/loaded.ts";

/** How many inputs of each command are compared. */
const RUNS = 40;

/** Commands of every hour, for which the stand-in must have everything. */
const DAILY = ["status", "log", "grep", "diff", "branches", "path", "exec", "run", "sync", "push"];

const scalar = fc.oneof(
  fc.constantFrom<unknown>(null, undefined, true, false, 0, 1, -1, 1.5, 2 ** 53, NaN, "", "api"),
  fc.constantFrom("merge", "full", "shallow:3", "2w", "a b", "__proto__", "constructor", "x\ny"),
  fc.integer(),
  fc.string({ maxLength: 8 }),
  fc.constantFrom<unknown>(new Date(0), /x/, new Map(), Symbol.iterator, 1n),
);
const names = fc.oneof(
  fc.constantFrom("name", "url", "run", "shell", "path", "toString", "__proto__"),
  fc.string({ maxLength: 4 }),
);
const anything = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(names, tie("value"), { maxKeys: 3 }),
  ),
})).value;

interface Looked {
  readonly shape?: Readonly<Record<string, unknown>>;
  readonly def: {
    readonly type: string;
    readonly innerType?: Looked;
    readonly element?: Looked;
    readonly valueType?: Looked;
    readonly entries?: Readonly<Record<string, string>>;
  };
}

/** Values that a schema of zod mostly accepts. */
function near(schema: Looked): fc.Arbitrary<unknown> {
  const { type, innerType, element, valueType, entries } = schema.def;
  const words = fc.oneof(
    // It fits most rules for words.
    { weight: 20, arbitrary: fc.constant("full") },
    fc.constantFrom("2b0c1ab4-6c1e-4b7c-9d3f-0a1b2c3d4e5f", "2B0C1AB4-6C1E-1B7C-9D3F-0A1B2C3D4E5F"),
    fc.constantFrom("api", "v1.0", "svc-*", "2w", "https://x.y/z", "A_B", "shallow:30"),
  );
  if (innerType !== undefined) return near(innerType);
  if (element !== undefined) return fc.array(near(element), { maxLength: 3 });
  if (valueType !== undefined) return fc.dictionary(words, near(valueType), { maxKeys: 3 });
  if (entries !== undefined) return fc.constantFrom(...Object.values(entries));
  if (schema.shape !== undefined) {
    const members = Object.fromEntries(
      Object.entries(schema.shape).map(([name, inner]) => [
        name,
        fc.oneof({ weight: 99, arbitrary: near(inner as Looked) }, anything),
      ]),
    );
    const required: string[] = Object.entries(schema.shape)
      .filter(([, inner]) => (inner as Looked).def.innerType === undefined)
      .map(([name]) => name);
    const right = fc.record<Record<string, unknown>, string>(members, { requiredKeys: required });
    const wrong = fc.record<Record<string, unknown>, string>(members, { requiredKeys: [] });
    const more = fc.oneof(
      { weight: 9, arbitrary: fc.constant({}) },
      fc.dictionary(names, anything, { maxKeys: 2 }),
    );
    return fc.tuple(fc.oneof({ weight: 9, arbitrary: right }, wrong), more)
      .map(([own, others]) => ({ ...others, ...own }));
  }
  if (type === "boolean") return fc.boolean();
  if (type === "number") return fc.constantFrom(1, 100, 200);
  return words;
}

/** Compares the two on many values; answers how many were accepted. */
function compared(light: InputSchema, real: InputSchema, runs: number): number {
  let accepted = 0;
  const values = fc.oneof({ weight: 9, arbitrary: near(real as unknown as Looked) }, anything);
  fc.assert(
    fc.property(values, (value) => {
      const by = light.safeParse(value);
      if (!by.success) return;
      accepted++;
      const ordinary = real.safeParse(value);
      assert(ordinary.success, "zod does not accept it");
      assertEquals(by.data, ordinary.data);
      assertEquals(Object.keys(by.data), Object.keys(ordinary.data));
    }),
    { numRuns: runs },
  );
  return accepted;
}

Deno.test("what the stand-in for zod accepts as the input of a command, zod accepts alike", () => {
  const without: string[] = [];
  let accepted = 0;
  for (const command of [...COMMANDS, ...PROGRAMS]) {
    const name = command.path.join(" ");
    const real = command.input(z);
    const light = lightly((z) => command.input(z));
    if (light === null) {
      without.push(name);
      continue;
    }
    assertEquals(membersOf(light), membersOf(real), name);
    for (const member of Object.keys(real.shape)) {
      assertEquals(isOnlyTyped(light.shape[member]), isOnlyTyped(real.shape[member]), name);
    }
    accepted += compared(light, real, RUNS);
    if (!("scope" in command)) continue;
    const shared = lightly((z) => commonSchema(z, command, light));
    assert(shared !== null, name);
    compared(shared, commonSchema(z, command, real), 20);
  }
  assertEquals(without.filter((name) => DAILY.includes(name)), []);
  // Where little is accepted nothing is compared.
  assert(accepted > COMMANDS.length * RUNS / 2, `only ${accepted} were accepted`);
});

Deno.test("what the stand-in for zod accepts as a manifest, zod accepts alike", () => {
  const light = lightly(manifestSchema);
  assert(light !== null);
  const accepted = compared(light, manifestSchema(z), 1_000);
  assert(accepted > 100, `only ${accepted} were accepted`);
});
