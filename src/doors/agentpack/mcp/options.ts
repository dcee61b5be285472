/** How a server of agentpack's tools is started: by flags, each with an environment variable. */

import { allows } from "../../../base/policy/mode.ts";
import type { Fields } from "../../../base/object.ts";
import type { Environment } from "../../../base/system/mod.ts";
import { VERSION } from "../../../base/version.ts";
import type { App } from "../../../pipeline/app.ts";
import { flagOrEnv, readStart, startsReadOnly } from "../../mcp/start.ts";
import type { ToolStart } from "../../wing.ts";
import type { Host } from "../call.ts";
import type { PackFeatureOptions } from "./feature.ts";
import { fixedModes } from "./modes.ts";

/** A server of amof as the program around calls of agentpack. */
export function hostOf({ system, store }: App): Host {
  return { system, version: VERSION, prefix: "amof agentpack", store };
}

/** The project that a server is started with, if with one. */
export function projectOf(env: Environment, own: Fields): string | undefined {
  const given = own["project_root"];
  const flag = typeof given === "string" ? given : undefined;
  return flagOrEnv(env, "AGENTPACK_PROJECT_ROOT", flag) ?? undefined;
}

/** Reads flags and environment; either mode binds the tools to modes. Throws `invalid_arguments`. */
export function packServerOptions(
  env: Environment,
  { flags, own, readOnly, excluded }: ToolStart,
): PackFeatureOptions {
  const { mode, maxMode: max, confirmBy } = readStart(env, flags);
  const lifetime = env.get("AGENTPACK_CONFIRM_SECONDS") ?? "";
  return {
    project: projectOf(env, own),
    confirmBy,
    modes: fixedModes(mode !== null && max !== null && !allows(max, mode) ? max : mode, max),
    readOnly: startsReadOnly(env, readOnly),
    excluded,
    tokenLifetimeMs: /^\d{1,4}$/.test(lifetime) ? Number(lifetime) * 1000 : undefined,
  };
}
