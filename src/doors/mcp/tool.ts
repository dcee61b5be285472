/** A command as an MCP tool. */

import { inputJsonSchema, type JsonSchema } from "../../pipeline/json_schema.ts";
import type { Command } from "../../contract/mod.ts";
import { listedMembers } from "../../pipeline/common.ts";
import type { Tool } from "./sdk.ts";

/** The one loose schema of every result: it admits errors, because clients check those against it too. */
const OUTPUT_SCHEMA = { type: "object" as const };

/** Keywords that guard against nonsense but tell a model nothing; the server checks them all the same. */
const GUARDS = ["minLength", "maxLength", "minimum", "maximum", "pattern"];
/** What can stand as `only` is told once, by the status. */
function briefly(name: string, member: JsonSchema, command: Command): JsonSchema {
  const isTold = name === "only" && command.kind === "mutation" && command.mcp !== "asked for";
  return isTold ? { ...member, description: "As in status" } : member;
}

/** Whether a default is what anybody expects of an absent member: no, nothing, none. */
function isExpected(value: unknown): boolean {
  return value === false || value === "" || (Array.isArray(value) && value.length === 0);
}

/** A schema without the keywords a model does not need. */
function withoutKeywords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutKeywords);
  if (value === null || typeof value !== "object") return value;
  const kept = Object.entries(value).filter(([key, item]) =>
    !(key === "default" && isExpected(item)) && !(GUARDS.includes(key) && typeof item !== "object")
  );
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutKeywords(item)]));
}

/**
 * The input schema as the tool list shows it, without members that repeat another one and without keywords that
 * only guard. Every word of the list is paid for in every conversation (MCP-9). The schema is closed, so an
 * answer advises listed members alone: a host may refuse what a schema forbids.
 */
function listed(schema: JsonSchema, command: Command): JsonSchema {
  const members = schema["properties"] as Record<string, JsonSchema>;
  const required = schema["required"] as readonly string[] | undefined ?? [];
  const listed = listedMembers(members, command);
  const shown = Object.entries(members).filter(([name]) =>
    required.includes(name) || listed.includes(name)
  );
  return withoutKeywords({
    ...schema,
    properties: Object.fromEntries(
      shown.map(([name, member]) => [name, briefly(name, member, command)]),
    ),
  }) as JsonSchema;
}

interface ToolFacts {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Tool["inputSchema"];
  readonly outputSchema: Tool["outputSchema"];
  readonly hints: {
    readonly reads: boolean;
    readonly destroys: boolean;
    readonly idempotent: boolean;
    readonly openWorld: boolean;
  };
}

/** A tool as the list shows it. `structured` says whether the revision knows titles and output schemas. */
export function asTool(facts: ToolFacts, structured: boolean): Tool {
  const { name, title, description, inputSchema, outputSchema, hints } = facts;
  return {
    name,
    ...(structured ? { title } : {}),
    description,
    inputSchema,
    ...(structured ? { outputSchema } : {}),
    annotations: {
      readOnlyHint: hints.reads,
      destructiveHint: hints.destroys,
      idempotentHint: hints.idempotent,
      openWorldHint: hints.openWorld,
    },
  };
}

/** The tool of a command. `structured` says whether the negotiated revision knows titles and output schemas. */
export async function toTool(command: Command, structured: boolean): Promise<Tool> {
  const mutation = command.kind === "mutation" ? command : null;
  const acts = mutation !== null || command.kind === "redeem";
  return asTool({
    name: command.name,
    title: command.title,
    description: command.summary,
    inputSchema: listed(await inputJsonSchema(command), command) as Tool["inputSchema"],
    outputSchema: OUTPUT_SCHEMA,
    hints: {
      reads: !acts,
      destroys: command.kind === "redeem" || mutation?.safety === "dangerous-write" ||
        mutation?.raised !== undefined,
      idempotent: command.kind === "query" || mutation?.idempotent === true,
      openWorld: (command.openWorld ?? false) !== false,
    },
  }, structured);
}
