/** Reads the pull requests of a change set, each repository for itself and all of them at once. */

import { type AmofError, toAmofError } from "../../base/error.ts";
import type { CommandContext } from "../../contract/mod.ts";
import type { ChangeStanding, Forge, PullRequest } from "../../forge/mod.ts";
import { inPoolOf, repoDirectory } from "../../workspace/mod.ts";
import type { ChangeSet, Member } from "./set.ts";

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
  readonly standing: ChangeStanding | null;
  /** The commit that the branch is at here; null where nobody knows. */
  readonly local: string | null;
  readonly error: AmofError | null;
}

/** The commit of a branch in the clone of a repository. No process. */
async function localOf(
  ctx: CommandContext,
  set: ChangeSet,
  member: Member,
): Promise<string | null> {
  if (set.workspace === null || !set.known) return null;
  try {
    const directory = await repoDirectory(ctx.system, set.workspace.directory, member.repo);
    const ref = `refs/heads/${member.branch}`;
    return (await ctx.git.at(directory, member.name).refs.peek([ref])).get(ref) ?? null;
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
  const none = { name, member, forge, change: null, standing: null, local, error: null };
  if (forge === null) return none;
  try {
    const change = await forge.find(branch, base);
    if (change?.state !== "open" || !closely) return { ...none, change };
    const standing = await forge.standing(change);
    return { ...none, change: standing.change, standing };
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
