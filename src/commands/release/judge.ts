/** Whether a version may be released, by all gates (RELEASE-4). */

import { AmofError } from "../../base/error.ts";
import type { Finding, Validation } from "./finding.ts";
import { GATES, type Judged } from "./gates.ts";
import { nextVersion, type Stage, type Version } from "./ladder.ts";

/** Looks at every gate. Strictness turns warnings into errors. */
export function judge(judged: Judged): Validation {
  const passed: Finding[] = [];
  const warnings: Finding[] = [];
  const errors: Finding[] = [];
  for (const [gate, look] of Object.entries(GATES)) {
    const verdict = look(judged);
    if (verdict === null) continue;
    const [level, message, fix] = verdict;
    const finding: Finding = {
      gate,
      message,
      fix: level === "ok" || level === "info" ? null : fix ?? null,
    };
    if (level === "ok" || level === "info") passed.push(finding);
    else if (level === "warning" && !judged.strict) warnings.push(finding);
    else errors.push(finding);
  }
  return { ok: errors.length === 0, passed, warnings, errors };
}

/** The version that usually comes next at a stage; null where that would lead back. */
export function usualNext(current: Version, stage: Stage): Version | null {
  try {
    if (stage === "stable") {
      return current.stage === "stable"
        ? nextVersion(current, { kind: "bump", part: "patch", stage: null })
        : nextVersion(current, { kind: "promote", target: "stable" });
    }
    return nextVersion(current, { kind: "bump", part: "patch", stage });
  } catch (error) {
    if (error instanceof AmofError && error.code === "invalid_transition") return null;
    throw error;
  }
}
