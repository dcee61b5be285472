/** The pull requests of a change set as answers tell of them. */

import { cleanLine } from "../../base/text/sanitize.ts";
import type { PullRequest } from "../../forge/mod.ts";
import { needsWithin } from "../look/layers.ts";
import type { Seen } from "./look.ts";
import type { ChangeSet } from "./set.ts";
import { type Blocker, blockersOf, withNeeds } from "./verdict.ts";

/** A repository as answers tell of it. */
export interface ChangeRow {
  readonly name: string;
  readonly forge: string;
  readonly number: number | null;
  readonly url: string | null;
  readonly state: PullRequest["state"];
  readonly draft: boolean;
  readonly title: string;
  readonly base: string;
  /** The commit that the pull request is at. */
  readonly head: string;
  readonly merge_sha: string | null;
  readonly mergeable: boolean | null;
  readonly checks: {
    readonly state: string;
    readonly total: number;
    readonly failed: readonly string[];
  };
  readonly review: { readonly state: string; readonly approvals: number; readonly stale: number };
  readonly blocked_by: readonly Blocker[];
}

/** The names of the repositories that each of a set needs within it. */
export function needsOf(set: ChangeSet): ReadonlyMap<string, readonly string[]> {
  return needsWithin(set.manifest.repos, set.members.map(({ name }) => name));
}

/** The rows of those that have a pull request, with all that blocks them. */
export function rowsOf(
  set: ChangeSet,
  seen: readonly Seen[],
  ignored: readonly string[] = [],
): readonly ChangeRow[] {
  const rows = seen.flatMap(({ name, forge, change, standing, here }): ChangeRow[] => {
    if (forge === null || change === null) return [];
    const clean = (texts: readonly string[]) => texts.map((text) => cleanLine(text, 80));
    return [{
      name,
      forge: forge.kind,
      number: change.number,
      url: change.url,
      state: change.state,
      draft: change.draft,
      title: cleanLine(change.title, 200),
      base: change.base.branch,
      head: change.head.sha,
      merge_sha: change.merge_sha,
      mergeable: standing?.mergeable ?? null,
      checks: {
        state: standing?.checks.state ?? "none",
        total: standing?.checks.total ?? 0,
        failed: clean(standing?.checks.failed ?? []),
      },
      review: standing?.review ?? { state: "none", approvals: 0, stale: 0 },
      blocked_by: standing === null ? [] : blockersOf(standing, { ignored, here }),
    }];
  });
  const judged = withNeeds(rows, needsOf(set));
  return rows.map((row, at) => ({ ...row, blocked_by: judged[at]?.blocked_by ?? [] }));
}
