// Covers readArguments(): arguments that hosts write as texts.

import { assert, assertEquals } from "@std/assert";
import { inputJsonSchema, type JsonSchema } from "../../../../src/pipeline/json_schema.ts";
import { mayNeedReading, readArguments } from "../../../../src/doors/mcp/calls.ts";
import { toTool } from "../../../../src/doors/mcp/tool.ts";
import type { Fields } from "../../../../src/base/object.ts";
import { COMMANDS } from "../../../support/loaded.ts";

const SCHEMA: JsonSchema = {
  type: "object",
  properties: {
    name: { type: "string" },
    repos: { type: "array", items: { type: "string" } },
    limit: { type: "integer" },
    price: { type: "number" },
    fetch: { type: "boolean" },
    confirm: { type: "boolean" },
    mode: { type: "string", enum: ["ask", "plan"] },
    since: { anyOf: [{ type: "string" }, { type: "integer" }] },
    depth: { anyOf: [{ type: "integer" }, { const: "all" }] },
    lines: {
      type: "array",
      items: {
        type: "object",
        properties: { code: { type: "string" }, quantity: { type: "number" } },
        required: ["code", "quantity"],
      },
    },
    set: { type: "object", additionalProperties: { type: "string" } },
    anything: {},
    target: { type: "integer" },
  },
  required: ["target"],
};

/** How many notes there are when the arguments are read, and what they become. */
type Row = readonly [given: Fields, read: Fields, notes: number];

const ROWS: readonly Row[] = [
  [{ repos: '["api","web"]' }, { repos: ["api", "web"] }, 1],
  [{ limit: "5", fetch: "false", price: " 2.50 " }, { limit: 5, fetch: false, price: 2.5 }, 3],
  [{ depth: "3" }, { depth: 3 }, 1],
  [{ depth: "all" }, { depth: "all" }, 0],
  [{ lines: '[{"code":"7","quantity":"2"}]' }, { lines: [{ code: "7", quantity: 2 }] }, 2],
  [{ lines: ['{"code":"A","quantity":1}'] }, { lines: [{ code: "A", quantity: 1 }] }, 1],
  [{ set: '{"A":"1"}' }, { set: { A: "1" } }, 1],
  [{ target: "9" }, { target: 9 }, 1],
  // Where a text is wanted, it is one, whatever it looks like.
  [{ name: "5", since: "5", anything: "[1]", set: { A: "true" } }, {
    name: "5",
    since: "5",
    anything: "[1]",
    set: { A: "true" },
  }, 0],
  [{ name: '["api"]', repos: ["5", ""] }, { name: '["api"]', repos: ["5", ""] }, 0],
  // Nothing was said.
  [{ repos: "", limit: "", fetch: "", mode: "", depth: "" }, {}, 5],
  [{ limit: "null" }, {}, 1],
  [{ name: "", since: "", anything: "" }, { name: "", since: "", anything: "" }, 0],
  // What is wrong stays for the check, which says why.
  [{ repos: "api web", limit: "5.5", fetch: "no" }, {
    repos: "api web",
    limit: "5.5",
    fetch: "no",
  }, 0],
  [{ repos: "api,,web" }, { repos: "api,,web" }, 0],
  // What models mean.
  [{ repos: "api, web" }, { repos: ["api", "web"] }, 1],
  [{ repos: "api", fetch: "True" }, { repos: ["api"], fetch: true }, 2],
  [{ fetch: "FALSE", name: "True", mode: "True" }, { fetch: false, name: "True", mode: "True" }, 1],
  // But no consent.
  [{ confirm: "True" }, { confirm: "True" }, 0],
  [{ repos: '"api"', limit: "[5]" }, { repos: '"api"', limit: "[5]" }, 0],
  [{ target: "", lines: [{ code: "A", quantity: "" }] }, {
    target: "",
    lines: [{ code: "A", quantity: "" }],
  }, 0],
  [{ unknown: "", other: "5" }, { unknown: "", other: "5" }, 0],
  [{ random_string: "x" }, { random_string: "x" }, 0],
  // As they should be.
  [{ repos: ["api"], limit: 5, fetch: false, mode: null }, {
    repos: ["api"],
    limit: 5,
    fetch: false,
    mode: null,
  }, 0],
];

Deno.test("values are read out of texts where no text is wanted, each with a note", () => {
  for (const [given, read, notes] of ROWS) {
    const result = readArguments(SCHEMA, SCHEMA, given);
    assertEquals(result.args, read, JSON.stringify(given));
    assertEquals(result.notes.length, notes, result.notes.join("\n"));
    assert(notes === 0 || mayNeedReading(given), JSON.stringify(given));
  }
});

Deno.test("a note names the argument and what to send", () => {
  const { notes } = readArguments(SCHEMA, SCHEMA, { repos: '["api"]', limit: "5", fetch: "" });
  assertEquals(notes, [
    "repos: JSON in a text was read as a list; send a list, not a text",
    "limit: JSON in a text was read as 5; send a number, not a text",
    "fetch: an empty text counts as left out",
  ]);
});

Deno.test("the dummy of a tool without arguments is left out", () => {
  const { args, notes } = readArguments(SCHEMA, { properties: {} }, { random_string: "x" });
  assertEquals(args, {});
  assertEquals(notes.length, 1);
});

/** A value of the type that a schema declares; undefined where a text is one, or only a list of choices is. */
function sampleOf(schema: JsonSchema): unknown {
  switch (schema["type"]) {
    case "boolean":
      return "const" in schema ? schema["const"] : true;
    case "integer":
    case "number":
      return 7;
    case "array":
      return [];
    default:
      return undefined;
  }
}

const OTHER = ["depends_on", "order", "command", "argv", "env"];

Deno.test("every tool takes a name where it wants a list of names", async () => {
  let tried = 0;
  for (const command of COMMANDS) {
    const schema = await inputJsonSchema(command);
    const { inputSchema } = await toTool(command, true);
    for (const [name, member] of Object.entries(schema["properties"] as Fields)) {
      const { type, items } = member as {
        type?: string;
        items?: { type?: string; enum?: unknown };
      };
      // Consent, and lines of words.
      if (name.startsWith("allow_") || OTHER.includes(name)) continue;
      if (type !== "array" || items?.type !== "string" || items.enum !== undefined) continue;
      const given = { [name]: "one" };
      assert(mayNeedReading(given), `${command.name} ${name}`);
      assertEquals(readArguments(schema, inputSchema, given).args, { [name]: ["one"] });
      tried++;
    }
  }
  assert(tried > 50, String(tried));
});

Deno.test("every tool takes its lists, numbers and booleans as texts", async () => {
  let tried = 0;
  for (const command of COMMANDS) {
    const schema = await inputJsonSchema(command);
    const { inputSchema } = await toTool(command, true);
    for (const [name, member] of Object.entries(schema["properties"] as Fields)) {
      const sample = sampleOf(member as JsonSchema);
      if (sample === undefined) continue;
      const given = { [name]: JSON.stringify(sample) };
      const { args, notes } = readArguments(schema, inputSchema, given);
      assertEquals(args, { [name]: sample }, `${command.name} ${name}`);
      assertEquals(notes.length, 1, `${command.name} ${name}`);
      tried++;
    }
  }
  assert(tried > 300, String(tried));
});
