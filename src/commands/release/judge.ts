/** Whether a version may be released, by all gates (RELEASE-4), and how what they found is told. */

import { AmofError } from "../../base/error.ts";
import { GATES, type Judged } from "./gates.ts";
import { nextVersion, type Stage, usualStage, type Version } from "./ladder.ts";
import type { ReleaseState } from "./state.ts";
import { fixLine } from "../../base/text/words.ts";

/** One thing that was looked at. */
export interface Finding {
  /** The gate, such as `clean`. */
  readonly gate: string;
  readonly message: string;
  /** What mends it, or null. */
  readonly fix: string | null;
}

/** The gates of one release (RELEASE-4). */
export interface Validation {
  readonly ok: boolean;
  readonly passed: readonly Finding[];
  readonly warnings: readonly Finding[];
  readonly errors: readonly Finding[];
}

/** The findings for readers, the worst first. */
export function findingLines(
  { passed, warnings, errors }: Pick<Validation, "passed" | "warnings" | "errors">,
  withPassed = false,
): string[] {
  const line = (symbol: string) => ({ gate, message, fix }: Finding) =>
    `${symbol} ${gate.replaceAll("_", " ")}: ${message}${fixLine(fix)}`;
  return [
    ...errors.map(line("✗")),
    ...warnings.map(line("⚠")),
    ...(withPassed ? passed.map(line("✓")) : []),
  ];
}

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

/** Whether the usual next stage could be released, as far as can be told without asking the remote. */
export interface Readiness {
  readonly stage: string;
  readonly ok: boolean;
  readonly warnings: number;
  readonly errors: number;
}

/** Judges whether the usual next stage of a repository could be released. */
export function readinessOf(standing: ReleaseState, current: Version): Readiness {
  const stage = usualStage(current);
  const { ok, warnings, errors } = judge({
    standing,
    stage,
    next: usualNext(current, stage),
    push: false,
    strict: false,
    mayBeEmpty: stage !== current.stage,
    baseline: false,
    expectedBranch: null,
  });
  return { stage, ok, warnings: warnings.length, errors: errors.length };
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
