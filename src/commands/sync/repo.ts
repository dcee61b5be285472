/** Brings one repository forward, and only forward (WORKSPACE-15). */

import { AmofError, toAmofError } from "../../base/error.ts";
import { type InProgress, useText } from "../../git/mod.ts";
import type { ExecuteContext } from "../../contract/mod.ts";
import { count, shellWord } from "../../base/text/words.ts";
import {
  expectedBranch,
  inspectRepos,
  isKnownIntegrated,
  otherAddress,
  otherAddressWords,
  partingOf,
} from "../../workspace/clones/mod.ts";
import { rebaseCommand } from "../advice/command_lines.ts";
import { ownNewsOf } from "../advice/own_remote.ts";
import {
  bringSubmodules,
  cloneRepo,
  comparisonsOf,
  defaultInstead,
  fetchOrigin,
  fetchOthers,
  type Sources,
  type Unfetched,
} from "../../workspace/clones/changing.ts";
import type { Repo } from "../../workspace/manifest/mod.ts";
import { isBaseBranch, scopeManifest } from "../../workspace/tickets/mod.ts";
import { loadState, makeRoom, repoDirectory, requireAdopted, whyOf } from "../../workspace/mod.ts";
import { atRemote, finishThere, partingWords, pullThere } from "../advice/clone.ts";
import { headNeeds, mendAndSync, syncOf } from "../advice/head.ts";
import { type At, row, skipped, type SyncRow } from "./row.ts";
import { remoteNeeds } from "../advice/news.ts";
import { cleanLine } from "../../base/text/sanitize.ts";

/** A base branch with commits that its remote lacks, and without some that are there. */
interface Apart {
  readonly head: string;
  readonly ahead: number;
  readonly behind: number;
  readonly checkedOut: boolean;
}

/** What is said of a base branch that has parted from that of the remote, and what brings it there. */
async function partedRow(
  ctx: ExecuteContext,
  { repo, workspace, directory }: At,
  { head, ahead, behind, checkedOut }: Apart,
): Promise<SyncRow> {
  const repository = ctx.git.at(directory, repo.name);
  const { branch } = repo;
  const { name: upstream, ref: there } = await repository.refs.base(branch);
  const detail = `${checkedOut ? "" : `${branch} is `}${ahead} ahead and ${behind} behind`;
  const row = skipped(repo, "diverged", detail);
  const kept = await comparisonsOf(repository, repo, await loadState(ctx.system, workspace));
  const parting = isKnownIntegrated(kept, branch, head)
    ? "landed"
    : await partingOf(repository, { head, there, ofBase: true, branch, upstream, isBase: true });
  if (parting === null) {
    return checkedOut ? { ...row, fix: pullThere(directory, atRemote(upstream)) } : row;
  }
  // What another repository has says nothing about this one's.
  if (parting === "anew" && await otherAddress(repository, repo.url) !== null) return row;
  const { note, fix } = partingWords(parting, { directory, branch, head, upstream, checkedOut });
  if (parting === "cut") return { ...row, detail: note, fix };
  return { ...row, detail: `${detail}: ${note}`, fix };
}

const noBranch = ({ branch }: Repo) => `the remote has no branch ${branch}`;

/** Moves the checked-out base branch forward, if it can. */
async function advanceCheckedOut(
  ctx: ExecuteContext,
  repo: Repo,
  directory: string,
): Promise<SyncRow | Apart> {
  const repository = ctx.git.at(directory, repo.name);
  const status = await repository.status();
  const { name: upstream, ref: there } = await repository.refs.base(repo.branch);
  let { ahead, behind } = status;
  if (status.upstream !== upstream || behind === null) {
    const tip = await repository.refs.resolve(there);
    behind = tip === null
      ? null
      // Without a local commit every commit of the remote is missing.
      : status.head === null
      ? await repository.history.countBeyond(tip, [])
      : await repository.history.countBetween("HEAD", there);
    if (behind === null) {
      return skipped(repo, "no_upstream", noBranch(repo));
    }
    ahead = await repository.history.countBetween(there, "HEAD");
  }
  if (behind === 0) return row(repo, { result: "up_to_date" });
  if (status.changes.length > 0) {
    return skipped(
      repo,
      "dirty",
      `${count(behind, "commit")} behind, ${count(status.changes.length, "file")} not committed`,
    );
  }
  if (ahead !== null && ahead > 0 && status.head !== null) {
    return { head: status.head, ahead, behind, checkedOut: true };
  }
  await repository.branches.fastForward(there);
  return row(repo, {
    result: "updated",
    commits: behind,
    detail: `${count(behind, "commit")} pulled`,
  });
}

/** Moves the base branch forward while another branch is checked out. */
async function advanceBehind(
  ctx: ExecuteContext,
  { repo, directory }: At,
): Promise<SyncRow | Apart> {
  const here = `refs/heads/${repo.branch}`;
  const repository = ctx.git.at(directory, repo.name);
  const { ref: there } = await repository.refs.base(repo.branch);
  const refs = await repository.refs.peek([here, there]);
  const old = refs.get(here);
  const next = refs.get(there);
  if (next === undefined) {
    return skipped(repo, "no_upstream", noBranch(repo));
  }
  if (old === undefined || old === next || await repository.history.isAncestor(next, old)) {
    return row(repo, { result: "up_to_date" });
  }
  if (!await repository.history.isAncestor(old, next)) {
    const ahead = await repository.history.countBetween(next, old) ?? 0;
    const behind = await repository.history.countBetween(old, next) ?? 0;
    return { head: old, ahead, behind, checkedOut: false };
  }
  const commits = await repository.history.countBetween(old, next) ?? 0;
  const use = await repository.worktrees.usedElsewhere(repo.branch);
  if (use !== null) {
    return skipped(
      repo,
      "checked_out",
      `${count(commits, "commit")} behind, and ${useText(use)}`,
    );
  }
  if (!await repository.refs.move(here, { to: next, expected: old })) {
    throw new AmofError(
      "repo_changed",
      `Cannot move ${repo.branch} of "${repo.name}" forward: somebody else moved it`,
      {
        hint: "Repeat: amof sync",
        details: { repo: repo.name },
      },
    );
  }
  return row(repo, {
    result: "updated",
    commits,
    detail: `${count(commits, "commit")} pulled`,
  });
}

/** Clones or fetches one repository and moves its base branch as far as is safe. Never throws: a failure is a row. */
export async function syncOne(
  ctx: ExecuteContext,
  sources: Sources,
  workspace: string,
  given: Repo,
): Promise<SyncRow> {
  let repo = given;
  try {
    if (ctx.signal.aborted) throw new AmofError("cancelled", "Stopped before this repository");
    const directory = await repoDirectory(ctx.system, workspace, repo);
    if ((await ctx.system.files.list(directory)).length === 0) {
      // A ticket's clone held work that the remote alone cannot give back.
      if (ctx.ticket !== null) return skipped(repo, "missing", `${repo.path} is not there`);
      await requireAdopted(ctx.system, workspace, repo);
      const { transfers, tally } = sources;
      const what = await transfers.turn(ctx, repo, () => {
        tally.begin(repo.name, "cloning");
        return cloneRepo(ctx, workspace, repo);
      });
      return row(repo, {
        result: "cloned",
        detail: what === "empty" ? "the remote has no commit yet" : `branch ${repo.branch}`,
      });
    }
    const activity = await ctx.git.at(directory).activity();
    if (activity === null) {
      throw new AmofError(
        "git_failed",
        `Cannot sync "${repo.name}": ${repo.path} exists but is not a git repository`,
        {
          hint: makeRoom(directory, "amof sync"),
          details: { repo: repo.name, kind: "not_a_repo" },
        },
      );
    }
    const mirror = await fetchOrigin(ctx, sources, repo, directory)
      .catch(async (error) => {
        throw await byManifest(ctx, given, directory, error);
      });
    const unfetched = await fetchOthers(ctx, sources, repo, directory);
    repo = await asFetched(ctx, repo, directory);
    const at = { repo, workspace, directory };
    const moved = await withAdvice(ctx, at, await advance(ctx, at, activity));
    const advanced = await withSubmodules(ctx, sources, { repo, directory, row: moved });
    const other = await otherAddress(ctx.git.at(directory, repo.name), repo.url);
    if (other === null) {
      const branch = advanced.reason === "no_upstream"
        ? await defaultInstead(ctx, repo, directory)
        : null;
      const fix = branch === null ? advanced.fix : rebaseCommand(repo.name, branch);
      return withUnfetched({ ...advanced, fix, mirror }, unfetched);
    }
    // What is at another address is not to be brought in: it may be the history of something else.
    const [said, mend] = otherAddressWords(repo, directory, other);
    const ticket = ctx.ticket === null ? "" : ` --ticket ${shellWord(ctx.ticket)}`;
    const fix = mendAndSync(mend, other, `${syncOf([repo.name], null)}${ticket}`);
    const detail = advanced.detail === "" ? said : `${advanced.detail}; ${said}`;
    return withUnfetched({ ...advanced, detail, fix, mirror }, unfetched);
  } catch (thrown) {
    const error = toAmofError(thrown, () => ctx.system.ids.hex(8));
    return row(repo, {
      result: "failed",
      detail: whyOf(error),
      code: error.code,
      fix: error.hint,
    });
  }
}

/** The error of a fetch; of an origin that was not found, where the manifest has another address, with that for a hint. */
async function byManifest(
  ctx: ExecuteContext,
  repo: Repo,
  directory: string,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof AmofError)) return error;
  const { code, message, details, exit } = error;
  if (details["kind"] !== "not_found" && details["kind"] !== "not_a_repo") return error;
  const other = await otherAddress(ctx.git.at(directory, repo.name), repo.url);
  if (other === null || other === "") return error;
  const hint = `Mend its address: ${otherAddressWords(repo, directory, other)[1]}`;
  return new AmofError(code, message, { hint, details, exit, cause: error });
}

/** The repository with its base branch as the fetch has shown it, which a ticket may follow (TICKET-19). */
async function asFetched(ctx: ExecuteContext, repo: Repo, directory: string): Promise<Repo> {
  if (ctx.ticket === null) return repo;
  const { refs } = ctx.git.at(directory, repo.name);
  const { ref } = await refs.base(repo.branch);
  if ((await refs.peek([ref])).has(ref)) return repo;
  return (await scopeManifest(ctx)).repos.find(({ name }) => name === repo.name) ?? repo;
}

/** The same row as a failure where another remote could not be fetched; what `origin` has was brought in. */
function withUnfetched(row: SyncRow, unfetched: readonly Unfetched[]): SyncRow {
  const [first] = unfetched;
  if (first === undefined) return row;
  const whys = unfetched.map(({ remote, error }) => `${remote}: ${whyOf(error)}`);
  return {
    ...row,
    result: "failed",
    detail: [...row.detail === "" ? [] : [row.detail], ...whys].join("; "),
    code: first.error.code,
    fix: first.error.hint,
  };
}

/** Brings submodules along that are older than the repository names, where the manifest says that clones have them. */
async function withSubmodules(
  ctx: ExecuteContext,
  { transfers }: Sources,
  { repo, directory, row: moved }: {
    readonly repo: Repo;
    readonly directory: string;
    readonly row: SyncRow;
  },
): Promise<SyncRow> {
  const brought = await bringSubmodules(ctx, transfers, { repo, directory });
  if (brought === 0) return moved;
  const note = `${count(brought, "submodule")} brought along`;
  return {
    ...moved,
    result: moved.result === "up_to_date" ? "updated" : moved.result,
    detail: moved.detail === "" ? note : `${moved.detail}; ${note}`,
  };
}

/** Moves the base branch of a repository that was fetched, and that of a ticket, as far as is safe. */
async function advance(
  ctx: ExecuteContext,
  at: At,
  { inProgress }: { readonly inProgress: InProgress | null },
): Promise<SyncRow> {
  const { repo, directory } = at;
  if (inProgress !== null) return skipped(repo, "in_progress", `a ${inProgress} is in progress`);
  const branch = await ctx.git.at(directory).branches.current();
  if (branch === null) {
    const { refs } = ctx.git.at(directory);
    const { ref } = await refs.base(repo.branch);
    return (await refs.peek([ref])).has(ref)
      ? skipped(repo, "detached", "HEAD is detached", "HEAD")
      // As of a clone that was made at a tag: going back to the branch waits for another one in the manifest.
      : skipped(repo, "no_upstream", `HEAD is detached, and ${noBranch(repo)}`, "HEAD");
  }
  const isBase = branch === repo.branch;
  const found = isBase
    ? await advanceCheckedOut(ctx, repo, directory)
    : await advanceBehind(ctx, at);
  const moved = "head" in found ? await partedRow(ctx, at, found) : found;
  return isBase ? moved : await withOwn(ctx, at, { row: moved, branch });
}

/** The row with the commands that finish, or go on past, what kept its branch where it is. One look at the clone. */
async function withAdvice(
  ctx: ExecuteContext,
  { repo, workspace, directory }: At,
  row: SyncRow,
): Promise<SyncRow> {
  const { reason, fix, detail } = row;
  const helps = reason === "in_progress" || reason === "detached" || reason === "dirty";
  if (fix !== null || !helps) return row;
  const state = await loadState(ctx.system, workspace);
  const [seen] = await inspectRepos(ctx, { workspace, repos: [repo], state });
  const git = seen?.git ?? null;
  if (seen === undefined || git === null) return row;
  const { inProgress, updating } = seen;
  if (inProgress !== null) {
    const conflicted = git.changes.some((change) => change.conflicted);
    const unfinished = { name: repo.name, directory, inProgress, updating, conflicted };
    return { ...row, fix: finishThere(unfinished) };
  }
  const [need] = reason === "detached" ? headNeeds(seen, true) : remoteNeeds(seen, state);
  if (need === undefined) return row;
  if (reason !== "detached") return { ...row, fix: need.fix };
  const plain = "no branch is checked out";
  const said = need.problem.startsWith(plain)
    ? need.problem.slice(plain.length)
    : `: ${need.problem}`;
  return { ...row, detail: `${detail}${said}`, fix: need.fix };
}

/** The row of a base branch, with what became of the other branch that is checked out. */
async function withOwn(
  ctx: ExecuteContext,
  { repo, workspace, directory }: At,
  { row, branch }: { readonly row: SyncRow; readonly branch: string },
): Promise<SyncRow> {
  const repository = ctx.git.at(directory, repo.name);
  const state = await loadState(ctx.system, workspace);
  const isExpected = expectedBranch(repo, state) === branch;
  const news = await ownNewsOf(repository, {
    directory,
    branch,
    url: repo.url,
    isBase: isBaseBranch(state, repo, branch),
    isExpected,
  });
  const also = (said: string) => row.detail === "" ? said : `${row.detail}, ${said}`;
  const stays = `stays on ${cleanLine(branch, 60)}`;
  if (news === null) return row.result === "skipped" ? row : { ...row, detail: also(stays) };
  const { commits, reason, note, tip } = news;
  const isAlone = row.result === "up_to_date";
  if (reason === null) {
    await repository.branches.fastForward(tip);
    return {
      ...row,
      ...(isAlone ? { result: "updated", branch, commits } : {}),
      detail: also(`${cleanLine(branch, 60)} moved forward by ${count(commits, "commit")}`),
    };
  }
  return {
    ...row,
    ...(isAlone && isExpected && reason !== "elsewhere"
      ? { result: "skipped", branch, reason: reason === "dirty" ? "dirty" : "diverged" }
      : {}),
    detail: also(`${stays}, ${note}`),
    fix: row.fix ?? news.fix,
  };
}
