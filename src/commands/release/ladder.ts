/**
 * The version ladder: which version follows which, as pure functions of the tags (RELEASE-1 to RELEASE-3).
 *
 * Stages go alpha → beta → rc → stable. Versions are ordered by semver precedence, never by text: `v1.0.3`
 * stands above `v1.0.3-rc.1`. Nothing is remembered between calls.
 */

import { compare, format, type SemVer, tryParse } from "@std/semver";
import { AmofError } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";

/** The stages from the first to the last. */
export const STAGES = ["alpha", "beta", "rc", "stable"] as const;
/** One of {@linkcode STAGES}. */
export type Stage = typeof STAGES[number];
/** A stage before stable. */
export type PreStage = Exclude<Stage, "stable">;

/** The parts of a version that can be raised. */
export const PARTS = ["patch", "minor", "major"] as const;
/** One of {@linkcode PARTS}. */
export type Part = typeof PARTS[number];

/** A version of the ladder. */
export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  readonly stage: Stage;
  /** The number within the stage; null for stable. */
  readonly num: number | null;
}

/** A way from one version to the next. */
export type Step =
  | { readonly kind: "bump"; readonly part: Part; readonly stage: PreStage | null }
  | { readonly kind: "promote"; readonly target: Exclude<Stage, "alpha"> };

/** A tag of the ladder. */
export interface LadderTag {
  readonly tag: string;
  readonly version: Version;
}

const SPELLING = /^v?(\d+\.\d+\.\d+(?:-(alpha|beta|rc)(?:\.(\d+))?)?)$/;

/**
 * The version a tag or file spells: `v1.2.3`, `1.2.3-beta.2`, `1.2.3-rc`. Null for anything else, such as other
 * pre-release words, build metadata, leading zeros, or numbers that cannot be counted on exactly.
 */
export function parseVersion(text: string): Version | null {
  const match = SPELLING.exec(text);
  const parsed = match === null ? undefined : tryParse(match[1] ?? "");
  if (match === null || parsed === undefined) return null;
  const { major, minor, patch } = parsed;
  const stage = STAGES.find((known) => known === match[2]) ?? "stable";
  const num = stage === "stable" ? null : Number(match[3] ?? "1");
  return num !== null && !Number.isSafeInteger(num) ? null : { major, minor, patch, stage, num };
}

/** The version that somebody wants to begin with; throws `invalid_arguments` about `field` where it is none. */
export function firstVersion(text: string, field: string, hint: string): Version {
  const version = parseVersion(text);
  if (version !== null) return version;
  throw new AmofError(
    "invalid_arguments",
    `Cannot begin with "${
      cleanLine(text, 60)
    }": it is not a version such as 0.1.0 or 0.1.0-alpha.1`,
    { hint, details: { field } },
  );
}

function toSemVer({ major, minor, patch, stage, num }: Version): SemVer {
  return {
    major,
    minor,
    patch,
    prerelease: stage === "stable" ? [] : [stage, num ?? 1],
    build: [],
  };
}

/** The text of a version without a `v`: `1.2.3-beta.2`. */
export function formatVersion(version: Version): string {
  return format(toSemVer(version));
}

/** The tag of a version: always with a `v`. */
export function tagOf(version: Version): string {
  return `v${formatVersion(version)}`;
}

/** Negative, zero or positive, by semver precedence. */
export function compareVersions(a: Version, b: Version): number {
  return compare(toSemVer(a), toSemVer(b));
}

/** The tags of the ladder among some names, the highest first. */
export function ladderTags(names: readonly string[]): LadderTag[] {
  return names.flatMap((tag) => {
    const version = parseVersion(tag);
    return version === null ? [] : [{ tag, version }];
  }).sort((a, b) =>
    compareVersions(b.version, a.version) ||
    // If a version is tagged both with and without `v`, the tag with `v` counts.
    Number(b.tag === tagOf(b.version)) - Number(a.tag === tagOf(a.version))
  );
}

/** The current version: the highest tag of the ladder, or null when there is none. */
export function currentTag(names: readonly string[]): LadderTag | null {
  return ladderTags(names)[0] ?? null;
}

function rank(stage: Stage): number {
  return STAGES.indexOf(stage);
}

function refused(current: Version, step: Step, why: string, hint: string): AmofError {
  return new AmofError(
    "invalid_transition",
    `Cannot ${words(step)} from ${tagOf(current)}: ${why}`,
    { hint, details: { current: tagOf(current), step: words(step) } },
  );
}

/** A number one higher; throws where numbers stop being exact. */
function plusOne(n: number, current: Version, step: Step): number {
  if (Number.isSafeInteger(n + 1)) return n + 1;
  throw refused(current, step, `${n} is the highest number there is`, "Choose a higher part");
}

/** What a step is called in messages: "bump patch (alpha)", "promote to rc". */
export function words(step: Step): string {
  return step.kind === "promote"
    ? `promote to ${step.target}`
    : `bump ${step.part}${step.stage === null ? "" : ` (${step.stage})`}`;
}

/** The command line of a step, for a release that is pushed or one that stays here. */
export function commandFor(step: Step, push = true): string {
  const words = step.kind === "bump"
    ? `${step.part}${step.stage === null ? "" : ` --${step.stage}`}`
    : `promote${step.target === "stable" ? "" : ` ${step.target}`}`;
  return `amof release ${words}${push ? "" : " --no-push"}`;
}

/** Whether a pre-release came out of raising this part, as its numbers show: `1.1.0-alpha.1` of minor. */
function raised(part: Part, version: Version): boolean {
  if (version.stage === "stable") return false;
  if (part === "patch") return true;
  return version.patch === 0 &&
    (part === "minor" ? version.minor > 0 : version.minor === 0 && version.major > 0);
}

function bumped(current: Version, step: Step & { kind: "bump" }): Version {
  const { part, stage } = step;
  if (stage !== null && raised(part, current)) return restaged(current, stage, step);
  if (part === "patch" && current.stage !== "stable") {
    throw refused(
      current,
      step,
      "it is a pre-release, and its stable version is what comes next",
      "Make it stable: amof release promote",
    );
  }
  const up = (n: number) => plusOne(n, current, step);
  const base = part === "major"
    ? { major: up(current.major), minor: 0, patch: 0 }
    : part === "minor"
    ? { major: current.major, minor: up(current.minor), patch: 0 }
    : { major: current.major, minor: current.minor, patch: up(current.patch) };
  return { ...base, stage: stage ?? "stable", num: stage === null ? null : 1 };
}

/** The same base at a stage: the next number of its own, the first of a later one; never back. */
function restaged(current: Version, stage: PreStage, step: Step): Version {
  if (rank(stage) < rank(current.stage)) {
    throw refused(
      current,
      step,
      `${stage} comes before ${current.stage}`,
      `Go on from here: ${commandFor({ kind: "promote", target: "stable" })}`,
    );
  }
  const num = stage === current.stage ? plusOne(current.num ?? 0, current, step) : 1;
  return { ...current, stage, num };
}

function promoted(current: Version, step: Step & { kind: "promote" }): Version {
  if (current.stage === "stable") {
    throw refused(
      current,
      step,
      "it is stable already",
      `Begin the next version: ${commandFor({ kind: "bump", part: "patch", stage: "alpha" })}`,
    );
  }
  return step.target === "stable"
    ? { ...current, stage: "stable", num: null }
    : restaged(current, step.target, step);
}

/**
 * The version a step leads to; always higher than the current one.
 *
 * Throws `invalid_transition` for a step the ladder does not have: back to an earlier stage, a promotion of a
 * stable version, a patch of a pre-release.
 */
export function nextVersion(current: Version, step: Step): Version {
  return step.kind === "bump" ? bumped(current, step) : promoted(current, step);
}

/** The steps worth offering from a version, the most likely first. */
export function possibleSteps(current: Version): Step[] {
  const bump = (part: Part, stage: PreStage | null): Step => ({ kind: "bump", part, stage });
  if (current.stage === "stable") {
    return PARTS.flatMap((part) => [bump(part, "alpha"), bump(part, null)]);
  }
  const { stage } = current;
  const later = STAGES.filter((other) => rank(other) > rank(stage));
  return [
    ...later.map((target): Step => ({
      kind: "promote",
      target: target as Exclude<Stage, "alpha">,
    })),
    bump("patch", stage),
  ];
}

/** The stage that usually follows: the next one, and stable again after stable. */
export function usualStage(current: Version): Stage {
  return STAGES[rank(current.stage) + 1] ?? "stable";
}
