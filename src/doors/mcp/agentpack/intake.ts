/**
 * Reads the arguments of a tool (PACK-45).
 *
 * The published schemas are strict, but refusals that the contract prescribes must not be swallowed by a
 * validator: a missing `yes`, a missing `confirm_token` and an unknown `target` are left to the call.
 */

import {
  AgentpackError,
  type InputOf,
  type Options,
  type Selection,
} from "../../../apps/agentpack/mod.ts";
import type { JsonSchema } from "../../../pipeline/json_schema.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { didYouMean, list } from "../../../base/text/words.ts";
import type { PackTool } from "./tools.ts";

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

/** What a call says whose arguments cannot be read: only what its tool always says. */
export function unread({ spec }: PackTool): Intake {
  return {
    selection: {},
    input: spec.fixed ?? {},
    dryRun: false,
    yes: false,
    confirmToken: "",
  };
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
      const near = didYouMean(name, Object.keys(properties));
      throw invalid(
        spec.name,
        cleanLine(name, 60),
        `it has no argument "${cleanLine(name, 60)}"${
          near === null ? "" : `; did you mean "${near}"?`
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
