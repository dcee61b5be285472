/** What undoing a run would do in each repository, and why it cannot (UNDO-3, UNDO-5). */

import { sha256 } from "../../base/hash.ts";
import type { CommandContext } from "../../contract/mod.ts";
import {
  type Aside,
  type Checkpoint,
  Checkpoints,
  differingRefs,
  differingWork,
  sameCheckout,
  sameStashes,
} from "../../git/checkpoint/mod.ts";
import { inPool } from "../../base/async/pool.ts";
import { canonicalJson } from "../../base/policy/fingerprint.ts";
import { few, remedies, shellWord } from "../../base/text/words.ts";
import { fieldsOf } from "../../base/object.ts";
import { BOUNDS, type OperationRecord, type RepoViews } from "./record.ts";
import { AmofError } from "../../base/error.ts";
import { waysOn } from "../advice/clone.ts";

// What stands against taking a run back in a repository, by how that was before the run, after it, and is now (UNDO-5).

/** A repository in which the run cannot be taken back. */
interface UndoObstacle {
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

/** What is checked out, and which branches and tags are, otherwise than the run left it. */
function movedSince({ before, after }: Ended, now: Checkpoint): string[] {
  const refs = differingRefs(before, after);
  const back = `refs/heads/${before.branch}`;
  // Of a branch that the run left alone only its commit is known, as that was checked out.
  const isBack = before.branch !== null && before.branch !== after.branch && !refs.includes(back);
  return [
    ...now.head === after.head && now.branch === after.branch ? [] : ["HEAD"],
    ...refs.filter((name) => now.refs[name] !== after.refs[name]),
    ...isBack && (now.refs[back] ?? null) !== before.head ? [back] : [],
  ];
}

/** What is no longer as the run left it, as names and paths. */
export function changedSince(views: Ended, now: Checkpoint): string[] {
  const { what, before, after } = views;
  const checkout = what === "everything" && !sameCheckout(before, after);
  return [
    ...movedSince(views, now),
    ...sameStashes(before, after) || sameStashes(now, after) ? [] : ["refs/stash"],
    ...checkout && now.inProgress !== after.inProgress ? [`a ${now.inProgress ?? "merge"}`] : [],
    ...checkout ? differingWork(now, after) : [],
  ];
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

/** What a run has begun or left in a repository for somebody to finish, as "a merge"; null for nothing. */
function leftUnfinished({ before, after }: Pick<Ended, "before" | "after">): string | null {
  const unfinished = before.inProgress ?? after.inProgress;
  const moved = before.head !== after.head || before.branch !== after.branch;
  return unfinished === null || (before.inProgress === after.inProgress && !moved)
    ? null
    : `a ${unfinished}`;
}

/** Why a repository cannot go back whatever was done since; null where it can. */
export function impossible(
  views: Ended,
  paths: readonly string[],
): Omit<UndoObstacle, "name" | "fix"> | null {
  const code = "undo_impossible";
  const unfinished = leftUnfinished(views);
  if (unfinished !== null) return { code, paths: [], detail: `${unfinished} was under way` };
  const aside = new Map(
    [...views.after.aside, ...views.before.aside].map((one) => [one.path, one]),
  );
  const lost = paths.filter((path) => aside.has(path));
  if (lost.length === 0) return null;
  const first = aside.get(lost[0] ?? "");
  const why = first === undefined ? "" : `: ${first.path} ${WHY[first.why]}`;
  return { code, paths: lost, detail: `not all of it was kept${why}` };
}

/** What stays as it is although the run may have changed it; `there` are files that the run only took into commits. */
export function staying(
  views: Ended,
  published: boolean,
  there: readonly string[] = [],
): string[] {
  const { name, before: was, after } = views;
  const changed = new Map<string, Aside>();
  const before = new Map(
    views.before.aside.filter(({ path }) => !there.includes(path)).map((one) => [one.path, one]),
  );
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
    // Where the run only went to another branch, its commit was there without it.
    ...published && was.branch === after.branch
      ? [`${name}: commit ${after.head?.slice(0, 8)} is on the remote`]
      : [],
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

/** What the way around a run that cannot be taken back depends on. */
type Begun = Pick<OperationRecord, "run_id" | "tickets">;

/** The ticket that a run began in a workspace; null for any other run. */
function begunTicket({ tickets: { before, after } }: Begun): string | null {
  const [was, is] = [before, after].map((view) => fieldsOf(view?.["tickets"]));
  return Object.keys(is ?? {}).find((id) => !Object.hasOwn(was ?? {}, id)) ?? null;
}

/**
 * What to do about repositories in which a run cannot be taken back: what mends them, or an undo in the `others`. A ticket
 * that it began stays where one of its repositories does, so the others leave the ticket instead.
 */
export function around(
  record: Begun,
  obstacles: readonly UndoObstacle[],
  others: readonly string[],
): string[] {
  const leaving = obstacles.map(({ name }) => `!${name}`).join(",");
  const ticket = begunTicket(record);
  const aside = ticket === null
    ? `amof undo ${record.run_id.slice(0, 8)} --repo '${leaving}'`
    : `amof ticket end ${shellWord(ticket)} --repo ${
      others.map(shellWord).join(",")
    } --cleanup-local`;
  return [
    ...remedies(obstacles.flatMap(({ fix }) => fix ?? [])),
    ...(others.length > 0 ? [`Leave them as they are: ${aside}`] : []),
  ];
}

/** The error for repositories in which a run cannot be taken back. */
export function refused(
  record: Begun,
  obstacles: readonly UndoObstacle[],
  others: readonly string[],
): AmofError {
  const { run_id: runId } = record;
  const code = obstacles.some((one) => one.code === "undo_impossible")
    ? "undo_impossible"
    : "undo_stale";
  const [first] = obstacles;
  const short = runId.slice(0, 8);
  const where = few(obstacles.map(({ name }) => `"${name}"`), 5);
  return new AmofError(
    code,
    `Cannot undo run ${short} in ${where}: ${obstacles.length === 1 ? first?.detail : "see each"}`,
    {
      hint: [
        ...around(record, obstacles, others),
        `See what the run did: amof operations ${short}`,
      ],
      details: { run_id: runId, repos: obstacles },
    },
  );
}

/** What goes back in one repository. */
export interface UndoFact {
  readonly name: string;
  /** The branch that is checked out afterwards; null for none. */
  readonly branch: string | null;
  readonly head: { readonly from: string | null; readonly to: string | null };
  /** Names of branches and tags that are moved, made or deleted. */
  readonly refs: readonly string[];
  /** Paths of files that are put back, or that go away. */
  readonly files: readonly string[];
  /** Those of the files that go away, because they were not there before. */
  readonly deletes: readonly string[];
  readonly stashes: number;
  /** What stays as it is, one sentence each. */
  readonly stays: readonly string[];
  /** The hash of everything that was compared. */
  readonly digest: string;
}

type UndoLook =
  | { readonly fact: UndoFact; readonly isDirty: boolean }
  | { readonly obstacle: UndoObstacle };

/** The repositories for which there is a way around: those with changes leave no ticket. */
export function othersOf(record: Begun, looks: readonly UndoLook[]): string[] {
  const isAny = begunTicket(record) === null;
  return looks.flatMap((one) => "fact" in one && (isAny || !one.isDirty) ? [one.fact.name] : []);
}

/** Whether commits of such a run are for others, and stay once they are at a remote. */
export function publishes(action: string): boolean {
  return action === "push" || action.startsWith("release_");
}

/** Runs that move branches to what their remotes have and nowhere else, so that no other commit is theirs. */
const ONLY_FORWARDS: ReadonlySet<string> = new Set(["sync"]);

/** A branch that such a run left at a commit which no remote has; null where there is none. */
async function madeMeanwhile(repo: Repository, { before, after }: Ended): Promise<string | null> {
  for (const name of differingRefs(before, after)) {
    const [from, to] = [before.refs[name], after.refs[name]];
    if (!name.startsWith("refs/heads/") || from === undefined || to === undefined) continue;
    const { history } = repo;
    if (await history.unpushedCount(to) > await history.unpushedCount(from)) return name;
  }
  return null;
}

/** Looks at one repository. At most five git processes, and two for each branch that only went forwards. */
async function look(
  git: CommandContext["git"],
  views: Ended,
  action: string,
): Promise<UndoLook> {
  const { name, directory, before, after } = views;
  const repo = git.at(directory, name);
  const refused = (code: UndoObstacle["code"], detail: string, paths: readonly string[] = []) => ({
    obstacle: { name, code, paths, detail, fix },
  });
  let fix: string | null = null;
  if (await repo.gitDirectory() === null) {
    return refused("undo_impossible", "it is no longer there");
  }
  // What git's own files tell needs no look at the work.
  const names = await repo.part(Checkpoints).names();
  fix = wayBack(views, names, action);
  const never = impossible(views, []);
  if (never !== null) return { obstacle: { name, ...never, fix } };
  const gone = movedSince(views, names);
  if (gone.length > 0) return refused("undo_stale", `${few(gone, 5)} changed since`, gone);
  const now = await repo.part(Checkpoints).take(BOUNDS);
  const changed = changedSince(views, now);
  if (changed.length > 0) return refused("undo_stale", `${few(changed, 5)} changed since`, changed);
  const [lost] = await repo.part(Checkpoints).missing(neededBy(views));
  if (lost !== undefined) {
    return refused("undo_impossible", `commit ${lost.slice(0, 8)} is no longer there`);
  }
  const crossings = sameCheckout(before, after)
    ? []
    : await repo.part(Checkpoints).crossings(after, before);
  const files = crossings.map(({ path }) => path);
  const refs = differingRefs(before, after);
  const dirty = new Set([...now.paths, ...now.aside].map(({ path }) => path));
  const mixed = views.what === "names" ? files.filter((path) => dirty.has(path)) : [];
  if (mixed.length > 0) return refused("undo_stale", `${few(mixed, 5)} changed since`, mixed);
  const moved = crossings.filter(({ stays }) => !stays).map(({ path }) => path);
  const obstacle = impossible(views, moved);
  if (obstacle !== null) return { obstacle: { name, ...obstacle, fix } };
  const used = refs.length === 0 ? [] : await elsewhere(repo, directory, refs);
  if (used.length > 0) {
    const detail = `${few(used, 5)} is checked out in another worktree`;
    return refused("undo_impossible", detail, used);
  }
  const meanwhile = ONLY_FORWARDS.has(action) ? await madeMeanwhile(repo, views) : null;
  if (meanwhile !== null) {
    const detail = `somebody committed to ${meanwhile} while the run was at work`;
    return refused("undo_impossible", detail, [meanwhile]);
  }
  const published = views.before.head !== views.after.head && views.after.head !== null &&
    await repo.history.unpushedCount(views.after.head) === 0;
  // Others may have fetched what was pushed, also what was pushed after a release that did not push.
  if (published && publishes(action)) {
    return refused("undo_impossible", `commit ${after.head?.slice(0, 8)} was pushed`);
  }
  const stays = staying(
    views,
    published && !await isPartOf(repo, after.head, before.head),
    crossings.filter(({ stays, from }) => stays && from.work !== null).map(({ path }) => path),
  );
  return { fact: factOf(views, { refs, crossings, stays }), isDirty: dirty.size > 0 };
}

/** What undoing does in a repository in which nothing stands against it. */
function factOf(
  { name, before, after }: Ended,
  { refs, crossings, stays }: {
    readonly refs: readonly string[];
    readonly crossings: Awaited<ReturnType<Checkpoints["crossings"]>>;
    readonly stays: readonly string[];
  },
): UndoFact {
  return {
    name,
    branch: before.branch,
    head: { from: after.head, to: before.head },
    refs,
    files: crossings.map(({ path }) => path),
    deletes: crossings.filter(({ from, to }) => from.work !== null && to.work === null)
      .map(({ path }) => path),
    stashes: sameStashes(before, after) ? 0 : Math.max(before.stashes.length, after.stashes.length),
    stays,
    digest: sha256(canonicalJson({ before, after })),
  };
}

type Repository = ReturnType<CommandContext["git"]["at"]>;

/** Whether going from one commit to another leaves nothing behind. One process. */
async function isPartOf(
  repo: Repository,
  from: string | null,
  to: string | null,
): Promise<boolean> {
  return from !== null && to !== null && await repo.history.isAncestor(from, to);
}

/** Which of some branches are checked out in another worktree of a repository. One process. */
async function elsewhere(
  repo: Repository,
  directory: string,
  refs: readonly string[],
): Promise<string[]> {
  const uses = await repo.worktrees.uses();
  return uses.filter(({ branch, path }) =>
    path !== directory && refs.includes(`refs/heads/${branch}`)
  ).map(({ branch }) => branch);
}

/** Looks at repositories of an operation, several at once. */
export async function lookAtRepos(
  ctx: CommandContext,
  record: OperationRecord,
  names: readonly string[],
): Promise<UndoLook[]> {
  const repos = record.repos.flatMap((repo): Ended[] =>
    repo.after !== null && names.includes(repo.name) ? [{ ...repo, after: repo.after }] : []
  );
  return await ctx.git.keeping(() =>
    inPool(ctx.jobs, repos, (repo) => look(ctx.git, repo, record.action))
  );
}
