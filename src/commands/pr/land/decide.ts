/**
 * Whether a change set can be landed as it stands, and whether one of its pull requests still is what was previewed:
 * decided by values alone (CHANGE-8).
 */

import type { ChangeStanding, Method, PullRequest } from "../../../forge/mod.ts";
import { type Blocker, blockersOf } from "../verdict.ts";
import { shortSha } from "../../../base/ids.ts";

/** A pull request as it was previewed. */
export interface LandFact {
  readonly name: string;
  readonly number: number;
  readonly url: string;
  readonly host: string;
  readonly branch: string;
  readonly base: string;
  /** Exactly this commit is merged. */
  readonly head: string;
  /** How many commits that brings to the base branch; null where they are not here. */
  readonly commits: number | null;
  /** The newest of them: `faa140f Subject`. */
  readonly commit_subjects: readonly string[];
  readonly method: Method;
  /** Whether its base branch takes pull requests only in a queue. */
  readonly queue: boolean;
  readonly checks: string;
  readonly review: string;
}

/** Why landing stops before a pull request. */
interface Surprise {
  readonly code: "change_moved" | "change_blocked";
  readonly why: string;
  /** The commit it is at. */
  readonly now: string;
}

/** What is other than previewed, or null. `ignored` are names of checks that do not count. */
export function surpriseOf(
  fact: LandFact,
  { change, ...standing }: ChangeStanding,
  ignored: readonly string[],
): Surprise | null {
  const of = `#${fact.number} of ${fact.name}`;
  const moved = (why: string): Surprise => ({
    code: "change_moved",
    why: `${of} ${why}`,
    now: change.head.sha,
  });
  if (change.number !== fact.number || change.base.branch !== fact.base) {
    return moved("is for another base branch now");
  }
  if (change.head.sha !== fact.head) {
    return moved(`has moved: previewed ${shortSha(fact.head)}, now ${shortSha(change.head.sha)}`);
  }
  if (change.state === "merged") return moved("was merged meanwhile");
  if (change.state === "closed") return moved("was closed meanwhile");
  const [first] = blockersOf({ change, ...standing }, { ignored });
  return first === undefined
    ? null
    : { code: "change_blocked", why: `${of} is blocked: ${first}`, now: change.head.sha };
}

/** What a forge made of a merge that it did not answer well: judged by what is there, never by its words. */
export function afterRefusal(
  fact: LandFact,
  change: PullRequest,
): "merged" | "moved" | "open" {
  if (change.state === "merged" && change.head.sha === fact.head) return "merged";
  return change.state === "open" && change.head.sha === fact.head ? "open" : "moved";
}

/** A pull request that stands in the way of landing, with everything that blocks it. */
export interface Obstacle {
  readonly name: string;
  readonly number: number | null;
  readonly blocked_by:
    readonly (Blocker | "closed" | "no_pull_request" | "method" | "queue" | "unread")[];
}

/** What of a set keeps it from being landed, all of it at once. */
export function obstaclesOf(
  rows: readonly {
    readonly name: string;
    readonly number: number;
    readonly state: PullRequest["state"];
    readonly blocked_by: readonly Blocker[];
    readonly queue: boolean;
    readonly methods: readonly Method[];
  }[],
  { method, allowQueue }: { readonly method: Method; readonly allowQueue: boolean },
): readonly Obstacle[] {
  return rows.flatMap(({ name, number, state, blocked_by, queue, methods }): Obstacle[] => {
    if (state === "merged") return [];
    const found: Obstacle["blocked_by"] = [
      ...blocked_by.filter((one) => !one.startsWith("depends_on:")),
      ...(state === "closed" ? ["closed" as const] : []),
      ...(state === "open" && !methods.includes(method) ? ["method" as const] : []),
      ...(state === "open" && queue && !allowQueue ? ["queue" as const] : []),
    ];
    return found.length === 0 ? [] : [{ name, number, blocked_by: found }];
  });
}
