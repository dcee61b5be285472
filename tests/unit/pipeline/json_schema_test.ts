// Covers inputJsonSchema() for every command: closed, described, without what hosts do not need.

import { assert, assertEquals } from "@std/assert";
import {
  inputJsonSchema,
  type JsonSchema,
  toJsonSchema,
} from "../../../src/pipeline/json_schema.ts";
import * as z from "../../../src/contract/zod.ts";
import { COMMANDS } from "../../support/loaded.ts";

/** Every object inside a JSON value, with the path to it. */
function objects(
  value: unknown,
  path = "",
): (readonly [string, Readonly<Record<string, unknown>>])[] {
  if (value === null || typeof value !== "object") return [];
  const inner = Object.entries(value).flatMap(([key, item]) => objects(item, `${path}/${key}`));
  return Array.isArray(value) ? inner : [[path, value as Record<string, unknown>], ...inner];
}

const properties = (schema: JsonSchema) =>
  schema["properties"] as Record<string, Record<string, unknown>>;

for (const command of COMMANDS) {
  Deno.test(`inputJsonSchema() of ${command.name} is a closed object`, async () => {
    const schema = await inputJsonSchema(command);
    assertEquals([schema["type"], schema["additionalProperties"]], ["object", false]);
  });

  Deno.test(`inputJsonSchema() of ${command.name} describes every property`, async () => {
    const bare = Object.entries(properties(await inputJsonSchema(command)))
      .filter(([, property]) =>
        typeof property["description"] !== "string" || property["description"] === ""
      )
      .map(([name]) => name);
    assertEquals(bare, []);
  });

  Deno.test(`inputJsonSchema() of ${command.name} says nothing that only repeats what an integer is`, async () => {
    const schema = await inputJsonSchema(command);
    assert(!JSON.stringify(schema).includes(String(Number.MAX_SAFE_INTEGER)));
    assertEquals(
      objects(schema).filter(([, found]) => "$schema" in found).map(([path]) => path),
      [],
    );
  });

  Deno.test(`inputJsonSchema() of ${command.name} has no keywords of our own`, async () => {
    assert(!/"x-/.test(JSON.stringify(await inputJsonSchema(command))));
  });

  Deno.test(`inputJsonSchema() of ${command.name} has no combinators at the top`, async () => {
    const keys = Object.keys(await inputJsonSchema(command));
    assertEquals(
      keys.filter((key) =>
        !["type", "properties", "required", "additionalProperties"].includes(key)
      ),
      [],
    );
  });

  Deno.test(`inputJsonSchema() of ${command.name} requires only what it declares`, async () => {
    const schema = await inputJsonSchema(command);
    const known = Object.keys(properties(schema));
    const required = schema["required"] as string[] | undefined ?? [];
    assertEquals(required.filter((name) => !known.includes(name)), []);
  });
}

Deno.test("inputJsonSchema() offers confirmation where a command asks for it, and only there", async () => {
  for (const command of COMMANDS) {
    const names = Object.keys(properties(await inputJsonSchema(command)));
    if (command.kind === "redeem") continue;
    // Some commands ask only for certain arguments.
    const asks = command.confirm !== "none" ||
      (command.kind === "mutation" && command.raised !== undefined);
    assertEquals(names.includes("confirmation_token"), asks, command.name);
    assertEquals(names.includes("dry_run"), command.kind === "mutation", command.name);
  }
});

Deno.test("toJsonSchema() leaves members with a default optional and keeps real bounds", async () => {
  const schema = await toJsonSchema(
    z.strictObject({
      name: z.string().describe("A name"),
      times: z.int().min(1).max(9).default(3).describe("A number"),
      any: z.int().optional().describe("Any number"),
    }),
  );
  assertEquals(schema, {
    type: "object",
    properties: {
      name: { type: "string", description: "A name" },
      times: { type: "integer", minimum: 1, maximum: 9, default: 3, description: "A number" },
      any: { type: "integer", description: "Any number" },
    },
    required: ["name"],
    additionalProperties: false,
  });
});
