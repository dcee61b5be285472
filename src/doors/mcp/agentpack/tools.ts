/** agentpack's commands as MCP tools, with the input schemas of the contract word for word (PACK-43). */

import {
  PACK_COMMANDS,
  type PackCommand,
  SELECTING_SCHEMAS,
  type ToolSpec,
} from "../../../apps/agentpack/mod.ts";
import type { JsonSchema } from "../../../pipeline/json_schema.ts";
import { isStructured, type Revision } from "../features.ts";
import type { Tool } from "../sdk.ts";
import { asTool } from "../tool.ts";

/** A tool and the command behind it. */
export interface PackTool {
  readonly spec: ToolSpec;
  readonly command: PackCommand;
  /** The schemas of its arguments, in order. */
  readonly properties: Readonly<Record<string, JsonSchema>>;
}

/** The order in which hosts see them: looking first, then the two steps of a deploy, then the rest. */
const ORDER = [
  "plan",
  "diff",
  "preview",
  "status",
  "doctor",
  "deploy",
  "deploy_apply",
  "rollback",
  "evolve_propose",
  "evolve_restore",
  "explain",
];

function propertiesOf(command: PackCommand, spec: ToolSpec): Record<string, JsonSchema> {
  const own = spec.takes.map((id) => [id, command.options[id]?.schema ?? {}] as const);
  return {
    ...Object.fromEntries(spec.selecting.map((name) => [name, SELECTING_SCHEMAS[name]])),
    ...Object.fromEntries(own),
    ...spec.more,
  };
}

/** Every tool by name. */
export const PACK_TOOLS: ReadonlyMap<string, PackTool> = new Map(
  PACK_COMMANDS.flatMap((command) =>
    (command.tools ?? []).map((spec): [string, PackTool] => [
      spec.name,
      { spec, command, properties: propertiesOf(command, spec) },
    ])
  ).sort(([a], [b]) => ORDER.indexOf(a) - ORDER.indexOf(b)),
);

/** The tools that a server offers. */
export function offeredTools(
  limits: { readonly readOnly: boolean; readonly excluded: readonly string[] },
): PackTool[] {
  return [...PACK_TOOLS.values()].filter(({ spec }) =>
    !limits.excluded.includes(spec.name) && (spec.hints.reads || !limits.readOnly)
  );
}

/** The one schema of every result: the envelope, which failures have, too. */
const OUTPUT_SCHEMA = {
  type: "object" as const,
  properties: {
    schema_version: { const: 1 },
    ok: { type: "boolean" },
    command: { type: "string" },
    data: { type: "object" },
    warnings: { type: "array", items: { type: "string" } },
    errors: { type: "array", items: { type: "object" } },
  },
  required: ["schema_version", "ok", "command", "data", "warnings", "errors"],
};

/** A tool as the list shows it. */
export function toPackTool({ spec, properties }: PackTool, revision: Revision): Tool {
  const { name, title, description, required, hints } = spec;
  const inputSchema = {
    type: "object" as const,
    additionalProperties: false,
    ...(required === undefined ? {} : { required: [...required] }),
    properties,
  };
  return asTool(
    { name, title, description, inputSchema, outputSchema: OUTPUT_SCHEMA, hints },
    isStructured(revision),
  );
}
