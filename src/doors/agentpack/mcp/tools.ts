/** agentpack's commands as MCP tools, with the input schemas of the contract word for word (PACK-43). */

import {
  AgentpackError,
  type InputOf,
  type Options,
  PACK_COMMANDS,
  type PackCommand,
  SELECTING_SCHEMAS,
  type Selection,
  type ToolSpec,
} from "../../../apps/agentpack/mod.ts";
import type { JsonSchema } from "../../../pipeline/json_schema.ts";
import { isStructured, type Revision } from "../../mcp/features.ts";
import type { Tool } from "../../mcp/sdk.ts";
import { asTool } from "../../mcp/tool.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { didYouMean, list, meantText } from "../../../base/text/words.ts";

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

// Reads the arguments of a tool (PACK-45).
//
// The published schemas are strict, but no validator may swallow refusals that the contract prescribes. So a
// missing `yes`, a missing `confirm_token` and an unknown `target` are left to the call.

/** What a call says. */
export interface Intake {
  readonly selection: Selection;
  /** The input of the command. */
  readonly input: InputOf<Options>;
  readonly dryRun: boolean;
  readonly yes: boolean;
  /** Empty when absent. */
  readonly confirmToken: string;
}

/** Arguments that the call itself judges. */
const JUDGED_LATER = ["yes", "confirm_token"];

function invalid(tool: string, argument: string | null, problem: string): AgentpackError {
  return new AgentpackError("E_INVALID_ARGUMENTS", `Cannot call ${tool}: ${problem}`, {
    tool,
    ...(argument === null ? {} : { argument }),
  });
}

/** What is wrong with a value, or null. */
function problemWith(name: string, value: unknown, schema: JsonSchema): string | null {
  const type = "const" in schema ? "boolean" : schema["type"];
  if (type === "array") {
    if (!Array.isArray(value)) return `"${name}" must be a list`;
    const items = schema["items"] as JsonSchema;
    return value.map((item) => problemWith(name, item, items)).find((one) => one !== null) ?? null;
  }
  const found: string = typeof value;
  if (found !== type) return `"${name}" must be a ${String(type)}`;
  const choices = schema["enum"] as readonly string[] | undefined;
  // Configurations may have targets that the contract of the tools does not name.
  if (choices === undefined || name === "target" || choices.includes(String(value))) return null;
  const given = cleanLine(String(value), 60);
  return `"${name}" must be ${list(choices, "or")}, not "${given}"`;
}

/** Reads the arguments of a call. Throws `E_INVALID_ARGUMENTS`. */
export function readArguments(
  tool: PackTool,
  given: Readonly<Record<string, unknown>>,
): Intake {
  const { spec, command, properties } = tool;
  const values = new Map<string, unknown>();
  for (const [name, value] of Object.entries(given)) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (schema === undefined) {
      throw invalid(
        spec.name,
        cleanLine(name, 60),
        `it has no argument "${cleanLine(name, 60)}"${
          meantText(didYouMean(name, Object.keys(properties)))
        }`,
      );
    }
    if (value === null || value === undefined) continue;
    const problem = problemWith(name, value, schema);
    if (problem !== null) throw invalid(spec.name, name, problem);
    values.set(name, value);
  }
  for (const name of spec.required ?? []) {
    const value = values.get(name);
    if (JUDGED_LATER.includes(name) || (value !== undefined && value !== "")) continue;
    throw invalid(spec.name, name, `"${name}" is missing`);
  }
  const text = (name: string) => {
    const value = values.get(name);
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const input = Object.fromEntries(
    Object.entries(command.options).map(([id, option]) => [
      id,
      spec.fixed?.[id] ?? values.get(id) ?? option.fallback,
    ]),
  );
  return {
    selection: {
      repo: text("repo"),
      profile: text("profile"),
      target: text("target"),
      machine: text("machine"),
    },
    input,
    dryRun: values.get("dry_run") === true,
    yes: values.get("yes") === true,
    confirmToken: text("confirm_token") ?? "",
  };
}
