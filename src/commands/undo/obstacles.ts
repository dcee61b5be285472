/**
 * What stands against taking a run back in a repository, by how that was before the run, after it, and is now (UNDO-5).
 */

import { AmofError } from "../../base/error.ts";
import {
  type Aside,
  type Checkpoint,
  differingRefs,
  differingWork,
  sameCheckout,
  sameStashes,
} from "../../git/checkpoint/mod.ts";
import { few, remedies } from "../../base/text/words.ts";
import { waysOn } from "../../workspace/mod.ts";
import type { RepoViews } from "./record.ts";

/** A repository in which the run cannot be taken back. */
export interface UndoObstacle {
  readonly name: string;
  readonly code: "undo_stale" | "undo_impossible";
  /** What stands in the way. */
  readonly paths: readonly string[];
  readonly detail: string;
  /** What takes it away, where something else does; null where nothing is known. */
  readonly fix: string | null;
}

/** A repository after a run that was looked at. */
export type Ended = RepoViews & { readonly after: Checkpoint };

const WHY: Readonly<Record<Aside["why"], string>> = {
  too_large: "too large to be kept",
  excluded: "looks like a secret, and is never kept",
  repository: "is a repository of its own",
  name: "has a name that is not UTF-8",
  special: "is neither a file nor a link",
  untracked: "is not kept",
};

/** What is no longer as the run left it, as names and paths. */
export function changedSince({ what, before, after }: Ended, now: Checkpoint): string[] {
  const checkout = what === "everything" && !sameCheckout(before, after);
  return [
    ...now.head === after.head && now.branch === after.branch ? [] : ["HEAD"],
    ...differingRefs(before, after).filter((name) => now.refs[name] !== after.refs[name]),
    ...sameStashes(before, after) || sameStashes(now, after) ? [] : ["refs/stash"],
    ...checkout && now.inProgress !== after.inProgress ? [`a ${now.inProgress ?? "merge"}`] : [],
    ...checkout ? differingWork(now, after) : [],
  ];
}

function wasAside({ before, after }: Ended): ReadonlyMap<string, Aside> {
  return new Map([...after.aside, ...before.aside].map((one) => [one.path, one]));
}

/** What goes back from a merge or the like that a run has left for somebody to finish; null where it left none. */
export function wayBack(
  { name, directory, before, after }: Pick<Ended, "name" | "directory" | "before" | "after">,
  now: Pick<Checkpoint, "inProgress">,
  action: string,
): string | null {
  const { inProgress } = now;
  if (inProgress === null || before.inProgress !== null || after.inProgress !== inProgress) {
    return null;
  }
  // The hint names the ticket where the run was in its own workspace.
  const updating = action === "ticket_update" ? { ticket: "", own: false } : null;
  return `go back from it: ${waysOn({ name, directory, inProgress, updating }).back}`;
}

/** Why a repository cannot go back whatever was done since; null where it can. */
export function impossible(
  views: Ended,
  paths: readonly string[],
): Omit<UndoObstacle, "name" | "fix"> | null {
  const { before, after } = views;
  const code = "undo_impossible";
  const unfinished = before.inProgress ?? after.inProgress;
  const moved = before.head !== after.head || before.branch !== after.branch;
  if (unfinished !== null && (before.inProgress !== after.inProgress || moved)) {
    return { code, paths: [], detail: `a ${unfinished} was under way` };
  }
  const aside = wasAside(views);
  const lost = paths.filter((path) => aside.has(path));
  if (lost.length === 0) return null;
  const first = aside.get(lost[0] ?? "");
  const why = first === undefined ? "" : `: ${first.path} ${WHY[first.why]}`;
  return { code, paths: lost, detail: `not all of it was kept${why}` };
}

/** What stays as it is although the run may have changed it. */
export function staying(views: Ended, published: boolean): string[] {
  const { name, after } = views;
  const changed = new Map<string, Aside>();
  const before = new Map(views.before.aside.map((one) => [one.path, one]));
  for (const one of after.aside) {
    // Neither the content of another repository nor that of such a name is read, so the run may have changed it.
    const differs = one.why === "repository" || one.why === "name" ||
      before.get(one.path)?.bytes !== one.bytes;
    if (differs) changed.set(one.path, one);
    before.delete(one.path);
  }
  return [
    ...[...changed.values()].map(({ path, why }) => `${name}: ${path} ${WHY[why]}`),
    ...[...before.values()].map(({ path, why }) => `${name}: ${path}, which is gone, ${WHY[why]}`),
    ...published ? [`${name}: commit ${after.head?.slice(0, 8)} is on the remote`] : [],
  ];
}

/** The commits that undoing needs: those that were there before and are named by nothing that the run left. */
export function neededBy({ before, after }: Ended): string[] {
  const left = new Set([after.head, ...Object.values(after.refs)]);
  const stashes = new Set(after.stashes.map(({ commit }) => commit));
  const needed = [
    before.head,
    ...differingRefs(before, after).map((name) => before.refs[name] ?? null),
    ...before.stashes.map(({ commit }) => commit).filter((commit) => !stashes.has(commit)),
  ];
  return [...new Set(needed)].filter((commit): commit is string =>
    commit !== null && !left.has(commit)
  );
}

/** The error for repositories in which a run cannot be taken back. */
export function refused(
  runId: string,
  obstacles: readonly UndoObstacle[],
  others: number,
): AmofError {
  const code = obstacles.some((one) => one.code === "undo_impossible")
    ? "undo_impossible"
    : "undo_stale";
  const [first] = obstacles;
  const short = runId.slice(0, 8);
  const where = few(obstacles.map(({ name }) => `"${name}"`), 5);
  const leaving = obstacles.map(({ name }) => `!${name}`).join(",");
  return new AmofError(
    code,
    `Cannot undo run ${short} in ${where}: ${obstacles.length === 1 ? first?.detail : "see each"}`,
    {
      hint: [
        ...remedies(obstacles.flatMap(({ fix }) => fix ?? [])),
        ...(others > 0 ? [`Leave them as they are: amof undo ${short} --repo '${leaving}'`] : []),
        `See what the run did: amof operations ${short}`,
      ],
      details: { run_id: runId, repos: obstacles },
    },
  );
}
