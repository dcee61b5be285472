/**
 * What of imported modules no deploy would write yet, and what has to be set first (PACK-56).
 *
 * @module
 */

import type { Config } from "../config/config.ts";
import type { TargetName } from "../names.ts";
import { missingFor, wholeTarget } from "../target/missing.ts";
import type { Candidate } from "./candidates.ts";

/** Modules that a target does not write. */
export interface NotDeployed {
  readonly target: TargetName;
  /** What `agentpack.yaml` has to say: a path of keys, a colon, and the value. */
  readonly needs: string;
  readonly module_ids: readonly string[];
}

/** What is missing for candidates, once for each setting; a target that is not there is one setting as a whole. */
export function notDeployed(config: Config, candidates: readonly Candidate[]): NotDeployed[] {
  const found = new Map<string, NotDeployed>();
  const rulesOf = (name: TargetName) =>
    candidates.flatMap(({ assets }) =>
      assets.flatMap(({ tool, rule }) => tool === name ? [rule] : [])
    );
  for (const { moduleId, assets } of candidates) {
    for (const { tool, rule } of assets) {
      const needs = config.targets.has(tool)
        ? missingFor(config, tool, rule)
        : wholeTarget(tool, rulesOf(tool));
      if (needs === null) continue;
      const before = found.get(needs)?.module_ids ?? [];
      found.set(needs, { target: tool, needs, module_ids: [...new Set([...before, moduleId])] });
    }
  }
  return [...found.values()];
}
