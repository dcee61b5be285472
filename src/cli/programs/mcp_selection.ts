/**
 * Which tools a server offers, as flags with an environment twin each (design §4).
 *
 * @module
 */

import { COMMANDS } from "../../command/registry.ts";
import type { Selection } from "../../mcp/selection.ts";
import type { InputOf, InputSchema, ZodNamespace } from "../../spec/mod.ts";
import { TOOLSETS } from "../../spec/mod.ts";
import type { Environment } from "../../system/mod.ts";

/** The flags. */
// deno-lint-ignore explicit-module-boundary-types -- the inferred type is what callers extend
export const selectionInput = (z: ZodNamespace) =>
  z.strictObject({
    toolsets: z.string().optional().describe(
      `Comma-separated: ${TOOLSETS.join(", ")}, all, default (all of amof's)`,
    ),
    tools: z.string().optional().describe("Comma-separated tools to offer besides, or alone"),
    exclude_tools: z.string().optional().describe("Comma-separated tools never to offer"),
    read_only: z.boolean().default(false).describe("Offer only tools that change nothing"),
  }) satisfies InputSchema;

/** The value of a flag, else of its environment twin, else null. */
export function twin(env: Environment, name: string, given: string | undefined): string | null {
  return given ?? (env.get(name) || null);
}

function names(value: string | null): string[] {
  return (value ?? "").split(",").map((name) => name.trim()).filter((name) => name !== "");
}

/** The selection of a command line; throws `invalid_arguments` for a name that is no tool or toolset. */
export async function selectionOf(
  env: Environment,
  input: InputOf<ReturnType<typeof selectionInput>>,
): Promise<Selection> {
  const { select } = await import("../../mcp/selection.ts");
  const toolsets = twin(env, "AMOF_TOOLSETS", input.toolsets);
  return select(COMMANDS, {
    toolsets: toolsets === null ? null : names(toolsets),
    tools: names(twin(env, "AMOF_TOOLS", input.tools)),
    excluded: names(twin(env, "AMOF_EXCLUDE_TOOLS", input.exclude_tools)),
    // Whoever sets it to anything but a no wants to be safe.
    readOnly: input.read_only || !/^(?:0|false|no|off)?$/i.test(env.get("AMOF_READ_ONLY") ?? ""),
  });
}
