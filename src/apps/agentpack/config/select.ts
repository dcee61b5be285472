/** Which modules and targets a call is about (PACK-5). */

import { didYouMean, few, list, meantText } from "../../../base/text/words.ts";
import { compareBytes } from "../bytes.ts";
import { AgentpackError, configInvalid } from "../error.ts";
import { isTargetName, TARGET_NAMES, type TargetName } from "../names.ts";
import type { Config, ModuleConfig } from "./config.ts";

/** The error for an id that no module has. */
export function noModule(id: string, ids: readonly string[]): AgentpackError {
  const near = didYouMean(id, ids) ?? didYouMean(id, ids.map((one) => nameOf(one)));
  const meant = ids.find((one) => one === near || nameOf(one) === near);
  return configInvalid(
    `There is no module "${id}"${meant === undefined ? "" : `; did you mean "${meant}"?`}`,
    {
      module_id: id,
      available: [...ids].sort(compareBytes).slice(0, 50),
      hint: ids.length === 0
        ? "agentpack.yaml has no modules; make one with add TYPE SOURCE"
        : `agentpack.yaml has ${few([...ids].sort(compareBytes), 8)}`,
    },
  );
}

/** The part of an id behind its type. */
function nameOf(id: string): string {
  return id.slice(id.indexOf(":") + 1);
}

/** A warning about a module that a filter names and nobody configured: nothing would be found, without a word. */
export function filterWarnings({ modules }: Config, id: string | undefined): string[] {
  const ids = modules.map((module) => module.id);
  return id === undefined || ids.includes(id) ? [] : [noModule(id, ids).message];
}

/** The modules a profile selects, sorted by id. Throws `E_CONFIG_INVALID` for an unknown profile. */
export function selectModules(config: Config, profileName: string): ModuleConfig[] {
  const profile = config.profiles.get(profileName);
  if (profile === undefined) {
    const available = [...config.profiles.keys()].sort(compareBytes);
    throw configInvalid(
      `Unknown profile "${profileName}"${meantText(didYouMean(profileName, available))}`,
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
    const near = didYouMean(filter, TARGET_NAMES);
    const meant = near === null ? "" : `; did you mean "${near}"?`;
    throw new AgentpackError("E_TARGET_UNSUPPORTED", `Unknown target "${filter}"${meant}`, {
      target: filter,
      allowed: ["all", ...TARGET_NAMES],
      hint: `Use ${list(["all", ...TARGET_NAMES], "or")}`,
    });
  }
  if (!config.targets.has(filter)) {
    const configured = [...config.targets.keys()].sort(compareBytes);
    throw configInvalid(`The target "${filter}" is not configured`, {
      target: filter,
      configured,
      hint: `Add "${filter}" below "targets" in agentpack.yaml${
        configured.length === 0 ? "" : `, or use ${list(configured, "or")}`
      }`,
    });
  }
  return [filter];
}
