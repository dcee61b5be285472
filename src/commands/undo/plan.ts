/** What undoing a run would do in each repository, and why it cannot (UNDO-3, UNDO-5). */

import { sha256 } from "../../base/hash.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { Checkpoints, differingRefs, sameCheckout, sameStashes } from "../../git/checkpoint/mod.ts";
import { inPool } from "../../base/async/pool.ts";
import { canonicalJson } from "../../base/policy/fingerprint.ts";
import { few } from "../../base/text/words.ts";
import { BOUNDS } from "./bounds.ts";
import {
  changedSince,
  type Ended,
  impossible,
  neededBy,
  staying,
  type UndoObstacle,
  wayBack,
} from "./obstacles.ts";
import type { OperationRecord } from "./record.ts";

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

type UndoLook = { readonly fact: UndoFact } | { readonly obstacle: UndoObstacle };

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
  const now = await repo.part(Checkpoints).take(BOUNDS);
  fix = wayBack(views, now, action);
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
  const published = await isPublished(repo, views);
  // Others may have fetched what was pushed, also what was pushed after a release that did not push.
  if (published && (action === "push" || action.startsWith("release_"))) {
    return refused("undo_impossible", `commit ${after.head?.slice(0, 8)} was pushed`);
  }
  const stays = staying(views, published && !await isPartOf(repo, after.head, before.head));
  return { fact: factOf(views, { refs, crossings, stays }) };
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

/** Whether a remote has the commit that the run left, as far as was fetched. One process where there is one. */
async function isPublished(repo: Repository, { before, after }: Ended): Promise<boolean> {
  return before.head !== after.head && after.head !== null &&
    await repo.history.unpushedCount(after.head) === 0;
}

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
  return await ctx.git.together(
    { count: repos.length, jobs: ctx.jobs },
    (git, jobs) => inPool(jobs, repos, (repo) => look(git, repo, record.action)),
  );
}
