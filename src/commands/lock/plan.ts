/** Looks at which commit every repository is, and whether everybody could get it. */

import { AmofError, toAmofError } from "../../base/error.ts";
import { inPool } from "../../base/async/pool.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, shellWord } from "../../base/text/words.ts";
import { inPoolOf, type Refusal, refuseAll, type Workspace } from "../../workspace/mod.ts";
import { getWhole, overtakenWords, unreadText } from "../advice/clone.ts";
import {
  misnamedRemote,
  otherAddress,
  otherAddressWords,
  type RepoSnapshot,
  withoutCredentials,
} from "../../workspace/clones/mod.ts";
import type { LockedRepo } from "../../workspace/lock/mod.ts";
import { pushed } from "../removal/remedies.ts";
import { mendAndSync, syncOf } from "../advice/head.ts";
import { integratedNeed } from "../advice/needs.ts";

const REMOTE = "origin";

/** What helps where the remote branch is at what this one was before it was rewritten here; else null. */
function rewrittenFix({ git, parting, directory }: RepoSnapshot): string | null {
  if (parting === null || typeof parting === "string" || git === null) return null;
  const [branch, head] = [git.branch ?? "", git.head ?? ""];
  return overtakenWords(parting, { directory, branch, head, behind: git.behind }).fix;
}

/** Why the state of a repository is nothing that another machine could have; null where it is. */
function unfit({ repo, git, missing, error }: RepoSnapshot): Refusal | null {
  const refusal = (code: Refusal["code"], problem: string, fix: string): Refusal => ({
    repo: repo.name,
    code,
    problem,
    fix,
  });
  if (error !== null) return refusal(error.code, unreadText(error), error.hint);
  if (missing || git === null) {
    return refusal("repo_not_found", "is not cloned", `clone it: amof sync --repo ${repo.name}`);
  }
  if (git.head === null) {
    return refusal("repo_not_found", "has no commit", "commit there first");
  }
  return null;
}

/** What leads a repository from work that is in the base branch in another form; null where it has none. */
function integratedFix(
  snapshot: RepoSnapshot,
  state: Workspace["state"],
): string | null {
  const { repo, git, directory, merged } = snapshot;
  const need = merged === null ? integratedNeed(snapshot, state) : null;
  if (need !== null) return `put what is new where it belongs: ${need.fix}`;
  if (merged === null) return null;
  const id = state?.active_ticket ?? null;
  return id !== null && state?.tickets[id]?.repos[repo.name] === git?.branch
    ? `end its ticket, whose work is in ${cleanLine(repo.branch, 60)}: amof ticket end ${
      shellWord(id)
    }`
    : `go back to ${cleanLine(repo.branch, 60)}, which has its work: git -C ${
      shellWord(directory)
    } switch ${shellWord(repo.branch)}`;
}

/** Why a commit is only here; null where the remote has it, as it says itself. Two git processes, one over the network. */
async function onlyLocal(
  ctx: CommandContext,
  snapshot: RepoSnapshot,
  { commit, state, perTicket }: {
    readonly commit: string;
    readonly state: Workspace["state"];
    readonly perTicket: boolean;
  },
): Promise<Refusal | null> {
  const { repo, directory, git } = snapshot;
  const refused = (code: Refusal["code"], problem: string, fix: string) => ({
    repo: repo.name,
    code,
    problem,
    fix,
  });
  const repository = ctx.git.at(directory, repo.name);
  const uncommitted = git?.changes.map(({ path }) => path) ?? [];
  const branch = git?.branch ?? null;
  const conflicted = git?.changes.some((change) => change.conflicted) ?? false;
  const { inProgress, updating } = snapshot;
  const { name, readonly } = repo;
  const push = pushed({
    repo: { name, readonly, branch, head: git?.head ?? null, inProgress, uncommitted, conflicted },
    directory,
    base: repo.branch,
    isOvertaken: (git?.behind ?? 0) > 0,
    rewritten: rewrittenFix(snapshot),
    isLanded: snapshot.merged !== null || snapshot.landed !== null,
    jj: branch === null && await repository.hasJj(),
    updating,
    scope: "",
    ...{ state, perTicket },
  });
  if (uncommitted.length > 0) {
    return refused("repo_dirty", `has ${count(uncommitted.length, "uncommitted file")}`, push);
  }
  let address: string | null = null;
  try {
    // What is written down is the address of the manifest, so that is the one which must have the commit.
    address = await otherAddress(repository, repo.url);
    const there = await repository.remoteRefs.branchesAndTags(address === null ? REMOTE : repo.url);
    const tips = [...there.values()];
    if (tips.some((tip) => tip === commit)) return null;
    if (await repository.history.countUncovered([commit], tips) === 0) return null;
  } catch (thrown) {
    const error = toAmofError(thrown, () => ctx.system.ids.hex(8));
    if (error.code === "cancelled") throw error;
    return refused(error.code, `cannot be asked for: ${cleanLine(error.message, 120)}`, error.hint);
  }
  if (await repository.history.isShallowHere()) {
    return refused(
      "would_lose_work",
      "is at a commit of which nobody can tell whether its remote has it: the history here is cut off",
      `get the whole history: ${getWhole(directory)}`,
    );
  }
  if (address !== null) {
    const misnamed = address === "" ? await misnamedRemote(repository, repo.url) : null;
    const [what, fix] = otherAddressWords(repo, directory, address, misnamed);
    return refused(
      "would_lose_work",
      `is at a commit that is not where the manifest has it: ${what}`,
      fix.startsWith("git ")
        ? `let it go by the manifest: ${
          mendAndSync(fix, address, `then fetch from there: ${syncOf([repo.name], state)}`)
        }`
        : fix,
    );
  }
  // Where the remote has moved on, only a fetch can tell.
  return refused(
    "would_lose_work",
    "is at a commit that its remote does not have as far as is known here",
    integratedFix(snapshot, state) ?? `fetch what it has: amof sync --repo ${repo.name}\n${push}`,
  );
}

/** The repositories of an ecosystem with their commits. */
interface LockedCommits {
  readonly repos: readonly LockedRepo[];
  /** What nobody else has, where that is allowed. */
  readonly local: readonly string[];
  /** What is on another branch than the one that the lock will put at its commit, which does not have it. */
  readonly elsewhere: readonly Elsewhere[];
}

/** A repository whose commit is not on its base branch; a type alias, so that it counts as plain JSON. */
export type Elsewhere = {
  readonly name: string;
  /** Where it is. */
  readonly branch: string;
};

/** A snapshot as an entry of a lock; null where it has no commit. */
export function lockedRepo({ repo, git }: RepoSnapshot): LockedRepo | null {
  if (git === null || git.head === null) return null;
  return {
    name: repo.name,
    url: withoutCredentials(repo.url),
    branch: repo.branch,
    commit: git.head,
    ...(repo.path === `repos/${repo.name}` ? {} : { path: repo.path }),
    ...(repo.readonly ? { readonly: true } : {}),
    ...(repo.tags.length === 0 ? {} : { tags: repo.tags }),
    ...(repo.dependsOn.length === 0 ? {} : { depends_on: repo.dependsOn }),
  };
}

/** Looks, and asks every remote. Throws one error for all repositories that only this machine has as they are. */
export async function planLock(
  ctx: CommandContext,
  snapshots: readonly RepoSnapshot[],
  { state, perTicket, allowLocal }: {
    readonly state: Workspace["state"];
    readonly perTicket: boolean;
    readonly allowLocal: boolean;
  },
): Promise<LockedCommits> {
  const looked = await inPoolOf(ctx, "asking", snapshots, async (snapshot) => {
    if (ctx.signal.aborted) throw new AmofError("cancelled", "Stopped before asking the remotes");
    const never = unfit(snapshot);
    const locked = lockedRepo(snapshot);
    if (never !== null || locked === null) return { locked: null, refusal: never, local: false };
    const refusal = await onlyLocal(ctx, snapshot, { commit: locked.commit, state, perTicket });
    return allowLocal
      ? { locked, refusal: null, local: refusal !== null }
      : { locked, refusal, local: false };
  });
  refuseAll(
    `lock ${ctx.ecosystem}`,
    looked.flatMap(({ refusal }) => refusal ?? []),
    "nothing was written",
  );
  return {
    repos: looked.flatMap(({ locked }) => locked ?? []),
    local: looked.flatMap(({ locked, local }) => (local && locked !== null ? [locked.name] : [])),
    elsewhere: (await inPool(ctx.jobs, snapshots, (snapshot) => elsewhereOf(ctx, snapshot))).flat(),
  };
}

/** What is on another branch than its base branch, which does not have the commit there. At most one process. */
async function elsewhereOf(
  ctx: CommandContext,
  { repo, directory, git }: RepoSnapshot,
): Promise<Elsewhere[]> {
  if (git === null || git.branch === null || git.head === null || git.branch === repo.branch) {
    return [];
  }
  const { refs, history } = ctx.git.at(directory, repo.name);
  const base = (await refs.peekBranches([repo.branch])).base(repo.branch).commit;
  const isThere = base === git.head ||
    base !== undefined && await history.isAncestor(git.head, base);
  return isThere ? [] : [{ name: repo.name, branch: git.branch }];
}
