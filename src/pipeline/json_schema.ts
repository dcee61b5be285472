/** The JSON Schemas of commands. */

import { type JsonSchema, toJsonSchema } from "../contract/input.ts";
import type { Command } from "../contract/mod.ts";
import { commonSchema } from "./common.ts";

export { type JsonSchema, toJsonSchema };

/** The whole input schema of a command: its own members, then the shared ones. */
export async function inputJsonSchema(command: Command): Promise<JsonSchema> {
  const z = await import("../contract/zod.ts");
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
