/**
 * Which modules and targets a call is about (PACK-5).
 *
 * @module
 */

import { didYouMean, list } from "../../text/words.ts";
import { compareBytes } from "../bytes.ts";
import { AgentpackError, configInvalid } from "../error.ts";
import { isTargetName, TARGET_NAMES, type TargetName } from "../names.ts";
import type { Config, ModuleConfig } from "./config.ts";

/** The modules a profile selects, sorted by id. Throws `E_CONFIG_INVALID` for an unknown profile. */
export function selectModules(config: Config, profileName: string): ModuleConfig[] {
  const profile = config.profiles.get(profileName);
  if (profile === undefined) {
    const available = [...config.profiles.keys()].sort(compareBytes);
    const near = didYouMean(profileName, available);
    throw configInvalid(
      `Unknown profile "${profileName}"${near === null ? "" : `; did you mean "${near}"?`}`,
      {
        profile: profileName,
        available,
        hint: `Use ${list(available, "or")}`,
      },
    );
  }
  return config.modules.filter((module) =>
    module.enabled && !profile.excludeModules.includes(module.id) &&
    (profile.includeModules.includes(module.id) ||
      module.tags.some((tag) => profile.includeTags.includes(tag)))
  ).sort((a, b) => compareBytes(a.id, b.id));
}

/**
 * The configured targets that a filter leaves, sorted by name.
 *
 * Throws `E_TARGET_UNSUPPORTED` for an unknown name, `E_CONFIG_INVALID` for one that is not configured.
 */
export function selectTargets(config: Config, filter: string): TargetName[] {
  if (filter === "all") return [...config.targets.keys()].sort(compareBytes);
  if (!isTargetName(filter)) {
    throw new AgentpackError("E_TARGET_UNSUPPORTED", `Unknown target "${filter}"`, {
      target: filter,
      allowed: ["all", ...TARGET_NAMES],
      hint: `Use ${list(["all", ...TARGET_NAMES], "or")}`,
    });
  }
  if (!config.targets.has(filter)) {
    throw configInvalid(`The target "${filter}" is not configured`, {
      target: filter,
      hint: `Add "${filter}" below "targets" in agentpack.yaml`,
    });
  }
  return [filter];
}
