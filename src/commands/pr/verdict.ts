/**
 * What stands between pull requests and their base branches, and how a change set stands as a whole: decided by values
 * alone (CHANGE-5).
 */

import type { ChangeState, PullRequest } from "../../forge/mod.ts";

/** What keeps an open pull request from being merged, in a word. */
export type Blocker =
  | "draft"
  | "queued"
  | "conflict"
  | "checks"
  | "checks_pending"
  | "changes_requested"
  | "review"
  | "protected"
  | "not_pushed"
  | "behind"
  | `depends_on:${string}`;

/** How a change set stands. */
export type SetState =
  | "none"
  | "open"
  | "ready"
  | "landing"
  | "partly_landed"
  | "landed"
  | "closed";

/** How a branch here stands to the commit that its pull request is at. */
export interface LocalState {
  /** Whether it has commits that the pull request does not. */
  readonly isAhead: boolean;
  /** Whether the pull request has commits that it does not. */
  readonly isBehind: boolean;
}

/** A pull request of a set, as far as it decides anything. */
export interface Judged {
  readonly name: string;
  readonly state: PullRequest["state"];
  readonly blocked_by: readonly Blocker[];
}

/** What blocks one by itself; `ignored` are names of checks that do not count. */
export function blockersOf(
  { change, mergeable, queued, checks, review, protected: rules }: ChangeState,
  { ignored = [], here = null }: {
    readonly ignored?: readonly string[];
    /** Null where nobody knows. */
    readonly here?: LocalState | null;
  } = {},
): readonly Blocker[] {
  const counts = (name: string) => !ignored.includes(name);
  const found: (Blocker | false)[] = [
    change.draft && "draft",
    queued && "queued",
    mergeable === false && "conflict",
    checks.failed.some(counts) && "checks",
    checks.pending.some(counts) && "checks_pending",
    review.state === "changes_requested" && "changes_requested",
    review.state === "required" && "review",
    here?.isAhead === true && "not_pushed",
    here?.isBehind === true && "behind",
  ];
  const own = found.filter((one) => one !== false);
  // Rules say only that something is missing; what that is may have been said already.
  return rules && own.length === 0 ? ["protected"] : own;
}

/** The same with what must land before: those of `needs` that are in the set and not merged. */
export function withNeeds(
  rows: readonly Judged[],
  needs: ReadonlyMap<string, readonly string[]>,
): readonly Judged[] {
  const open = new Set(rows.filter(({ state }) => state !== "merged").map(({ name }) => name));
  return rows.map((row) =>
    row.state !== "open" ? row : {
      ...row,
      blocked_by: [
        ...row.blocked_by,
        ...(needs.get(row.name) ?? []).filter((name) => open.has(name)).map((name): Blocker =>
          `depends_on:${name}`
        ),
      ],
    }
  );
}

/** Whether one can be merged as soon as those before it are. */
export function isReady({ state, blocked_by }: Pick<Judged, "state" | "blocked_by">): boolean {
  return state === "open" && blocked_by.every((one) => one.startsWith("depends_on:"));
}

/** How a set stands, by those of its pull requests that there are. */
export function stateOf(rows: readonly Judged[]): SetState {
  const open = rows.filter(({ state }) => state === "open");
  const closed = rows.filter(({ state }) => state === "closed");
  if (rows.length === 0) return "none";
  if (open.some(({ blocked_by }) => blocked_by.includes("queued"))) return "landing";
  if (closed.length === rows.length) return "closed";
  if (open.length + closed.length === 0) return "landed";
  if (open.length + closed.length < rows.length) return "partly_landed";
  return closed.length === 0 && open.every(isReady) ? "ready" : "open";
}

// What blocks a pull request, in words.

const WORDS: Readonly<Record<string, string>> = {
  draft: "draft",
  queued: "in the queue",
  conflict: "conflict",
  checks: "checks failed",
  checks_pending: "checks running",
  changes_requested: "changes requested",
  review: "review missing",
  protected: "rules of the forge",
  not_pushed: "commits not pushed",
  behind: "commits that are not here",
};

/** A blocker in words: "needs lib". */
export function blockerWords(blocker: Blocker): string {
  return blocker.startsWith("depends_on:")
    ? `needs ${blocker.slice("depends_on:".length)}`
    : WORDS[blocker] ?? blocker;
}
