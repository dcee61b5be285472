/** How a server is started, as flags with an environment flagOrEnv each, and which tools it then offers (MCP-8). */

import { COMMANDS } from "../../../../pipeline/registry.ts";
import type { Selection } from "../../../mcp/selection.ts";
import { flagOrEnv, startsReadOnly } from "../../../mcp/start.ts";
import { CONFIRM_BY, ELICITATION, type Mode, MODES } from "../../../../base/policy/mode.ts";
import {
  type InputOf,
  type InputSchema,
  TOOLSETS,
  type ZodNamespace,
} from "../../../../contract/mod.ts";
import type { OwnTools, ToolChoice } from "../../../wing.ts";
import { OWN_TOOLS } from "../../../wings.ts";
import type { Environment } from "../../../../base/system/mod.ts";

/** The flags that choose tools. */
// deno-lint-ignore explicit-module-boundary-types -- the inferred type is what callers extend
export const selectionInput = (z: ZodNamespace) =>
  z.strictObject({
    toolsets: z.string().optional().describe(
      `Comma-separated: ${
        TOOLSETS.join(", ")
      }, default (the usual ones of these), daily (what a coding agent needs every day), all${
        OWN_TOOLS.map(({ toolset }) => `, and ${toolset}, which alone is a server of that name`)
          .join("")
      }`,
    ),
    tools: z.string().optional().describe("Comma-separated tools to offer besides, or alone"),
    exclude_tools: z.string().optional().describe("Comma-separated tools never to offer"),
    read_only: z.boolean().default(false).describe("Offer only tools that change nothing"),
  }) satisfies InputSchema;

/** All flags of a server. */
// deno-lint-ignore explicit-module-boundary-types -- the inferred type is what callers extend
export const serveInput = (z: ZodNamespace) =>
  // Not by `extend`, for which all of zod would have to be loaded (`contract/light.ts`).
  z.strictObject({
    ...selectionInput(z).shape,
    max_mode: z.enum(MODES).optional().describe("Highest mode any call may use (execute)"),
    confirm: z.enum(CONFIRM_BY).optional().describe(
      "token, or human: only a person at a terminal can agree (token)",
    ),
    elicitation: z.enum(ELICITATION).optional().describe(
      "auto, or off: no forms, for hosts that declare them and never show one (auto)",
    ),
    ticket: z.string().optional().describe(
      "Bind it to this ticket's own workspace: nothing else can be touched (or AMOF_TICKET)",
    ),
    ...OWN_TOOLS.reduce<object>((flags, { input }) => ({ ...flags, ...input(z) }), {}),
  }) satisfies InputSchema;

function names(value: string | null): string[] {
  return (value ?? "").split(",").map((name) => name.trim()).filter((name) => name !== "");
}

/** What a command line chose. */
interface Chosen {
  /** Tools of commands; null where only others were chosen. */
  readonly own: Selection | null;
  /** Which of those of a wing; null without its toolset. */
  readonly more: ToolChoice & { readonly tools: OwnTools } | null;
}

/**
 * What a command line chose, in a server that may be bound to a ticket or capped; throws `invalid_arguments` for a name
 * that is no tool or toolset.
 */
export async function selectionOf(
  env: Environment,
  input: InputOf<ReturnType<typeof selectionInput>>,
  { ticket = null, maxMode = "execute" }: {
    readonly ticket?: string | null;
    readonly maxMode?: Mode;
  } = {},
): Promise<Chosen> {
  const given = flagOrEnv(env, "AMOF_TOOLSETS", input.toolsets);
  const toolsets = given === null ? null : names(given);
  const tools = names(flagOrEnv(env, "AMOF_TOOLS", input.tools));
  const excluded = names(flagOrEnv(env, "AMOF_EXCLUDE_TOOLS", input.exclude_tools));
  const readOnly = startsReadOnly(env, input.read_only);
  const wing = OWN_TOOLS.find(({ toolset }) => toolsets?.includes(toolset));
  const more = wing === undefined ? null : { tools: wing, readOnly, excluded };
  const others = toolsets?.filter((name) => name !== wing?.toolset) ?? null;
  if (more !== null && others?.length === 0 && tools.length === 0) return { own: null, more };
  const foreign = await wing?.load();
  const { select } = await import("../../../mcp/selection.ts");
  return {
    own: select(COMMANDS, {
      toolsets: others,
      tools,
      excluded: excluded.filter((name) => foreign?.has(name) !== true),
      readOnly,
      ticket,
      maxMode,
    }),
    more,
  };
}
