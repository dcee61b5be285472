/**
 * How a server of agentpack's tools is started: by flags, each with an environment twin.
 *
 * @module
 */

import { CONFIRM_BY, type ConfirmBy } from "../../command/consent/approver.ts";
import { AmofError } from "../../error.ts";
import { allows, isMode, type Mode, MODES } from "../../policy/mode.ts";
import type { Environment } from "../../system/mod.ts";
import { list } from "../../text/words.ts";
import { NEWEST_REVISION } from "../features.ts";
import type { Tool } from "../sdk.ts";
import { fixedModes, type Modes } from "./modes.ts";
import { offeredTools, PACK_TOOLS, toPackTool } from "./tools.ts";
import type { PackFeatureOptions } from "./feature.ts";

/** What the flags said; undefined for those that were not given. */
export interface PackServerFlags {
  readonly projectRoot?: string | undefined;
  readonly confirm?: string | undefined;
  /** The mode, and the highest: either binds the tools to modes. */
  readonly mode?: string | undefined;
  readonly maxMode?: string | undefined;
  readonly readOnly?: boolean;
  readonly excluded?: readonly string[];
}

function modeOf(name: string, value: string): Mode | null {
  if (value === "") return null;
  if (isMode(value)) return value;
  throw new AmofError("invalid_arguments", `Cannot use ${name} "${value}"`, {
    hint: `Use ${list(MODES, "or")}`,
  });
}

/** The mode a server keeps to that has no tool to change it; null without one. */
function modesOf(env: Environment, flags: PackServerFlags): Modes | null {
  const mode = modeOf("mode", flags.mode ?? env.get("AMOF_MODE") ?? "");
  const max = modeOf("max mode", flags.maxMode ?? env.get("AMOF_MAX_MODE") ?? "");
  return fixedModes(mode !== null && max !== null && !allows(max, mode) ? max : mode, max);
}

/** Reads flags and environment. Throws `invalid_arguments`. */
export function packServerOptions(env: Environment, flags: PackServerFlags): PackFeatureOptions {
  const confirm = flags.confirm ?? (env.get("AMOF_CONFIRM") || "token");
  const confirmBy: ConfirmBy | undefined = CONFIRM_BY.find((by) => by === confirm);
  if (confirmBy === undefined) {
    throw new AmofError("invalid_arguments", `Cannot use confirmation by "${confirm}"`, {
      hint: `Use ${list(CONFIRM_BY, "or")}`,
    });
  }
  const lifetime = env.get("AGENTPACK_CONFIRM_SECONDS") ?? "";
  return {
    project: flags.projectRoot ?? (env.get("AGENTPACK_PROJECT_ROOT") || undefined),
    confirmBy,
    modes: modesOf(env, flags),
    // Any value that does not clearly mean "no" makes the server read-only.
    readOnly: flags.readOnly ?? !/^(?:0|false|no|off)?$/i.test(env.get("AMOF_READ_ONLY") ?? ""),
    excluded: flags.excluded ?? [],
    tokenLifetimeMs: /^\d{1,4}$/.test(lifetime) ? Number(lifetime) * 1000 : undefined,
  };
}

/** The tools of a server with these options, as its list shows them. */
export function listedTools(options: Pick<PackFeatureOptions, "readOnly" | "excluded">): Tool[] {
  return offeredTools(options).map((tool) => toPackTool(tool, NEWEST_REVISION));
}

/** Whether a name is one of agentpack's tools. */
export function isPackTool(name: string): boolean {
  return PACK_TOOLS.has(name);
}
