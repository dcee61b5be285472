/** Reads the pull requests of a change set, each repository for itself and all of them at once. */

import { type AmofError, toAmofError } from "../../base/error.ts";
import type { CommandContext } from "../../contract/mod.ts";
import type { ChangeState, Forge, PullRequest } from "../../forge/mod.ts";
import type { CommitLine, Repository } from "../../git/mod.ts";
import { inPoolOf, repoDirectory } from "../../workspace/mod.ts";
import type { ChangeSet, Member } from "./set.ts";
import type { LocalState } from "./verdict.ts";

/** So many repositories are asked at once: their hosts are waited for, not processors. */
const AT_ONCE = 16;

/** What was seen of the pull request of a repository. */
export interface Seen {
  readonly name: string;
  readonly member: Member;
  /** Null for a remote that only takes pushes. */
  readonly forge: Forge | null;
  readonly change: PullRequest | null;
  /** Set while it is open. */
  readonly standing: ChangeState | null;
  /** The commit that the branch is at here; null where nobody knows. */
  readonly local: string | null;
  /** How that stands to an open one; null where nobody knows. */
  readonly here: LocalState | null;
  readonly error: AmofError | null;
}

/** How a commit here stands to the one that a pull request is at. One process where they are not the same. */
export async function relationToPull(
  { history }: Repository,
  local: string | null,
  head: string,
): Promise<LocalState | null> {
  if (local === null) return null;
  if (local === head) return { isAhead: false, isBehind: false };
  const apart = await history.apart(local, head);
  // What is not here was pushed by somebody else.
  return apart === null
    ? { isAhead: false, isBehind: true }
    : { isAhead: apart.one > 0, isBehind: apart.other > 0 };
}

/** More commits of a branch are not counted one by one. */
const MOST_COMMITS = 500;

/**
 * The commits that a head has beyond the base branch as last fetched, newest first and at most 500, and where that is;
 * null where it never was. One git process.
 */
export async function beyondBase(
  clone: Repository,
  { base }: Pick<Member, "base">,
  head: string,
): Promise<{ readonly at: string; readonly commits: readonly CommitLine[] } | null> {
  const ref = `refs/remotes/origin/${base}`;
  const at = (await clone.refs.peek([ref])).get(ref);
  if (at === undefined) return null;
  const commits = await clone.sending.commits({ head, without: { ref: at } }, MOST_COMMITS);
  return { at, commits };
}

/** The clone of a repository of a set; null where no workspace has one. */
async function cloneOf(
  ctx: CommandContext,
  { workspace }: ChangeSet,
  { name, repo }: Pick<Member, "name" | "repo">,
): Promise<Repository | null> {
  if (workspace === null) return null;
  return ctx.git.at(await repoDirectory(ctx.system, workspace.directory, repo), name);
}

/**
 * What the branch of a repository here has beyond its base branch; null where nobody knows, such as for a clone that
 * cannot be read. One git process.
 */
export async function aheadOfBase(
  ctx: CommandContext,
  set: ChangeSet,
  { member, local }: Pick<Seen, "member" | "local">,
): Promise<readonly CommitLine[] | null> {
  if (local === null) return null;
  try {
    const clone = await cloneOf(ctx, set, member);
    return clone === null ? null : (await beyondBase(clone, member, local))?.commits ?? null;
  } catch {
    return null;
  }
}

/** The commit of a branch in the clone of a repository. No process. */
async function localOf(
  ctx: CommandContext,
  set: ChangeSet,
  member: Member,
): Promise<string | null> {
  if (!set.known) return null;
  try {
    const ref = `refs/heads/${member.branch}`;
    return (await (await cloneOf(ctx, set, member))?.refs.peek([ref]))?.get(ref) ?? null;
  } catch {
    return null;
  }
}

/** Looks for the pull request of one repository, and how it stands where that is asked; what fails is in the answer. */
async function lookAt(
  ctx: CommandContext,
  set: ChangeSet,
  member: Member,
  closely: boolean,
): Promise<Seen> {
  const { name, forge, branch, base } = member;
  const local = await localOf(ctx, set, member);
  const none = {
    name,
    member,
    forge,
    change: null,
    standing: null,
    local,
    here: null,
    error: null,
  };
  if (forge === null) return none;
  try {
    const change = await forge.find(branch, base);
    if (change?.state !== "open" || !closely) return { ...none, change };
    const standing = await forge.standing(change);
    const clone = await cloneOf(ctx, set, member);
    const here = clone === null
      ? null
      : await relationToPull(clone, local, standing.change.head.sha);
    return { ...none, change: standing.change, standing, here };
  } catch (thrown) {
    return { ...none, error: toAmofError(thrown, () => ctx.system.ids.hex(8)) };
  }
}

/** Asks for all repositories of a set, in its order; throws where none could be asked. */
async function ask(
  ctx: CommandContext,
  set: ChangeSet,
  closely: boolean,
): Promise<readonly Seen[]> {
  const seen = await inPoolOf(
    { report: ctx.report, jobs: Math.max(ctx.jobs, AT_ONCE) },
    "asking",
    set.members,
    (member) => lookAt(ctx, set, member, closely),
  );
  const asked = seen.filter(({ forge }) => forge !== null);
  const [first] = asked;
  if (first?.error && asked.every(({ error }) => error !== null)) throw first.error;
  return seen;
}

/** The pull requests of a set as they stand. */
export function readPulls(ctx: CommandContext, set: ChangeSet): Promise<readonly Seen[]> {
  return ask(ctx, set, true);
}

/** The pull requests of a set, without a look at checks and reviews: one question each. */
export function seek(ctx: CommandContext, set: ChangeSet): Promise<readonly Seen[]> {
  return ask(ctx, set, false);
}
