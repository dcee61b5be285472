/**
 * JSON Schemas out of zod, trimmed to what hosts need (mcp.md §2): no `$schema`, no number bounds that
 * only repeat what an integer is.
 *
 * @module
 */

import type { Command, InputSchema } from "../spec/mod.ts";
import { commonSchema } from "./common.ts";

/** A JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

function trim(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(trim);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).filter(([key, item]) =>
    key !== "$schema" &&
    !(["minimum", "maximum"].includes(key) && Math.abs(Number(item)) === Number.MAX_SAFE_INTEGER)
  );
  return Object.fromEntries(entries.map(([key, item]) => [key, trim(item)]));
}

/** The JSON Schema of a zod schema, as a caller writes the value: members with a default are optional. */
export async function toJsonSchema(schema: InputSchema): Promise<JsonSchema> {
  const { z } = await import("../spec/zod.ts");
  return trim(z.toJSONSchema(schema, { io: "input" })) as JsonSchema;
}

/** The whole input schema of a command: its own members, then the shared ones. */
export async function inputJsonSchema(command: Command): Promise<JsonSchema> {
  const { z } = await import("../spec/zod.ts");
  const own = command.input(z);
  const mine = await toJsonSchema(own);
  const shared = await toJsonSchema(commonSchema(z, command, own));
  const required = [...(mine["required"] as string[] | undefined ?? [])];
  return {
    type: "object",
    properties: { ...mine["properties"] as object, ...shared["properties"] as object },
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}
