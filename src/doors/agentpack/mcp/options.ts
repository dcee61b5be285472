/** How a server of agentpack's tools is started: by flags, each with an environment variable. */

import { allows } from "../../../base/policy/mode.ts";
import type { Environment } from "../../../base/system/mod.ts";
import { MODERN_REVISION } from "../../mcp/features.ts";
import type { Tool } from "../../mcp/sdk.ts";
import { readStart, type StartFlags, startsReadOnly } from "../../mcp/start.ts";
import type { PackFeatureOptions } from "./feature.ts";
import { fixedModes } from "./modes.ts";
import { offeredTools, PACK_TOOLS, toPackTool } from "./tools.ts";

/** What the flags of a server said. */
export interface PackServerFlags extends StartFlags {
  readonly readOnly: boolean;
  readonly excluded: readonly string[];
}

/** Reads flags and environment; either mode binds the tools to modes. Throws `invalid_arguments`. */
export function packServerOptions(env: Environment, flags: PackServerFlags): PackFeatureOptions {
  const { mode, maxMode: max, confirmBy, project } = readStart(env, flags);
  const lifetime = env.get("AGENTPACK_CONFIRM_SECONDS") ?? "";
  return {
    project,
    confirmBy,
    modes: fixedModes(mode !== null && max !== null && !allows(max, mode) ? max : mode, max),
    readOnly: startsReadOnly(env, flags.readOnly),
    excluded: flags.excluded,
    tokenLifetimeMs: /^\d{1,4}$/.test(lifetime) ? Number(lifetime) * 1000 : undefined,
  };
}

/** The tools of a server with these options, as its list shows them. */
export function listedTools(options: Pick<PackFeatureOptions, "readOnly" | "excluded">): Tool[] {
  return offeredTools(options).map((tool) => toPackTool(tool, MODERN_REVISION));
}

/** Whether a name is one of agentpack's tools. */
export function isPackTool(name: string): boolean {
  return PACK_TOOLS.has(name);
}
