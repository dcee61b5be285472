/**
 * JSON Schemas out of zod, trimmed to what readers need: no `$schema`, no number bounds that only repeat what an
 * integer is.
 */

import { type InputSchema, schemaKey } from "./input.ts";

/** A JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

function trim(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(trim);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).filter(([key, item]) =>
    key !== "$schema" &&
    !(["minimum", "maximum"].includes(key) && Math.abs(Number(item)) === Number.MAX_SAFE_INTEGER)
  );
  return Object.fromEntries(entries.map(([key, item]) => [schemaKey(key), trim(item)]));
}

/** The JSON Schema of a zod schema, as a caller writes the value: members with a default are optional. */
export async function toJsonSchema(schema: InputSchema): Promise<JsonSchema> {
  const z = await import("./zod.ts");
  return trim(z.toJSONSchema(schema, { io: "input" })) as JsonSchema;
}
