/**
 * A command as an MCP tool.
 *
 * @module
 */

import { inputJsonSchema } from "../command/json_schema.ts";
import type { Command } from "../spec/mod.ts";
import type { Tool } from "./sdk.ts";

/** The one loose schema of every result: it admits errors, because clients check those against it too. */
const OUTPUT_SCHEMA = {
  type: "object" as const,
  properties: { summary: { type: "string" } },
  required: ["summary"],
};

/** The tool of a command. `structured` says whether the negotiated revision knows titles and output schemas. */
export async function toTool(command: Command, structured: boolean): Promise<Tool> {
  const mutation = command.kind === "mutation" ? command : null;
  const acts = mutation !== null || command.kind === "redeem";
  return {
    name: command.name,
    ...(structured ? { title: command.title } : {}),
    description: command.summary,
    inputSchema: await inputJsonSchema(command) as Tool["inputSchema"],
    ...(structured ? { outputSchema: OUTPUT_SCHEMA } : {}),
    annotations: {
      readOnlyHint: !acts,
      destructiveHint: command.kind === "redeem" || mutation?.safety === "dangerous-write" ||
        mutation?.raised !== undefined,
      idempotentHint: command.kind === "query" || mutation?.idempotent === true,
      openWorldHint: command.openWorld ?? false,
    },
  };
}
