/**
 * The tools that a server lists, as a host sees them that refuses what their schemas do not.
 *
 * @module
 */

import { Ajv2020 } from "ajv/dist/2020.js";
import { select } from "../../src/doors/mcp/selection.ts";
import { toTool } from "../../src/doors/mcp/tool.ts";
import { COMMANDS } from "../../src/pipeline/registry.ts";
import type { Known } from "../../src/contract/mod.ts";

/** What servers are started with. */
export const TOOLSETS_SERVED: readonly (readonly string[])[] = [["default"], ["daily"], ["all"], [
  "ticket",
]];

/** A word that stands for a value the reader fills in. */
const PLACEHOLDER = /^[A-Z][A-Z_]*$/;

/** The tools of a server with these toolsets. */
export async function listedTools(toolsets: readonly string[]): Promise<{
  readonly offers: (command: Known) => boolean;
  /** Why a call is none of a listed tool with listed arguments; null where it is one. */
  readonly problem: (tool: string, args: Readonly<Record<string, unknown>>) => string | null;
}> {
  const { judge, listed } = select(COMMANDS, {
    toolsets,
    tools: [],
    excluded: [],
    readOnly: false,
  });
  const ajv = new Ajv2020({ strict: false });
  const tools = new Map(
    await Promise.all(listed.map(async ({ name, load }) => {
      const { inputSchema } = await toTool(await load(), true);
      return [name, { inputSchema, check: ajv.compile(inputSchema) }] as const;
    })),
  );
  return {
    offers: (command) => judge(command).offered,
    problem(name, args) {
      const tool = tools.get(name);
      if (tool === undefined) return `${name} is not listed`;
      const known = Object.keys(tool.inputSchema.properties ?? {});
      const unlisted = Object.keys(args).filter((member) => !known.includes(member));
      if (unlisted.length > 0) return `${name} does not list ${unlisted.join(", ")}`;
      const filled = Object.fromEntries(
        Object.entries(args).filter(([, value]) =>
          typeof value !== "string" || !PLACEHOLDER.test(value)
        ),
      );
      if (tool.check(filled)) return null;
      const real =
        tool.check.errors?.filter(({ keyword, params }) =>
          keyword !== "required" || !Object.hasOwn(args, String(params["missingProperty"]))
        ) ?? [];
      return real.length === 0 ? null : `${name}: ${ajv.errorsText(real)}`;
    },
  };
}
