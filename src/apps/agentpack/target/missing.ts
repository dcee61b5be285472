/**
 * What a configuration has to say before a target writes something (PACK-24).
 *
 * @module
 */

import type { Config } from "../config/config.ts";
import type { TargetName } from "../names.ts";
import { booleanOption, type OutputRule } from "./target.ts";

/**
 * What a configuration lacks before a rule of a target writes, as a path of keys, a colon, and the value; null when it
 * lacks nothing.
 */
export function missingFor(config: Config, tool: TargetName, rule: OutputRule): string | null {
  const target = config.targets.get(tool);
  if (target === undefined) return wholeTarget(tool, [rule]);
  if (target.scope !== "both" && target.scope !== rule.scope) return `targets.${tool}.scope: both`;
  if (rule.option === null || booleanOption(target.options, rule.option, rule.on)) return null;
  return `targets.${tool}.options.${rule.option}: true`;
}

/** What a configuration that lacks a target has to say, so that all of these rules of it write. */
export function wholeTarget(tool: TargetName, rules: readonly OutputRule[]): string {
  const scope = rules.some((rule) => rule.scope === "user") ? "both" : "project";
  const off = rules.flatMap(({ option, on }) => option === null || on ? [] : [`${option}: true`]);
  const options = off.length === 0 ? "" : `, options: { ${[...new Set(off)].join(", ")} }`;
  return `targets.${tool}: { mode: files, scope: ${scope}${options} }`;
}
