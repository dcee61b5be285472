/**
 * `remote set` and `sync`: the config repo and the place it is shared at (PACK-54).
 *
 * @module
 */

import { gitSourceProblem } from "../config/config.ts";
import { AgentpackError } from "../error.ts";
import { withHomeLock } from "../engine/lock.ts";
import { reason } from "../../git/mod.ts";
import { count } from "../../text/words.ts";
import { homeOf } from "../identity/home.ts";
import { posix } from "../io.ts";
import { type Answer, type Pack, type Selection, viaGit } from "../pack.ts";

/** `data` of `remote set`. */
export interface RemoteData {
  readonly repo: string;
  readonly repo_posix: string;
  readonly remote: string;
  readonly url: string;
}

/** `data` of `sync`. */
export interface SyncData {
  readonly repo: string;
  readonly repo_posix: string;
  readonly remote: string;
  readonly branch: string;
  readonly rebase: boolean;
  /** What was run, in words of git. */
  readonly commands: readonly string[];
}

/** What the errors about the config repo say besides. */
function about(command: string, repo: string): Readonly<Record<string, string>> {
  return { command, repo, repo_posix: posix(repo) };
}

async function requireRepo(pack: Pack, command: string, repo: string): Promise<void> {
  if (await pack.git.gitDirectory(repo) !== null) return;
  throw new AgentpackError(
    "E_GIT_REPO_REQUIRED",
    `The config repo "${repo}" is no git repository`,
    {
      ...about(command, repo),
      hint: "Run git init there, and commit",
    },
  );
}

/** Sets the URL of a remote of the config repo. Throws `E_GIT_REPO_REQUIRED`, `E_USAGE`. */
export async function remoteSet(
  pack: Pack,
  selection: Selection,
  options: { readonly url: string; readonly name: string },
): Promise<Answer<RemoteData>> {
  const home = homeOf(pack.system.env, selection.repo);
  const { url, name } = options;
  const problem = gitSourceProblem({ url, ref: "main", subdir: "" }) ??
    (/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name) ? null : "its name is none");
  if (problem !== null) throw new AgentpackError("E_USAGE", `Cannot use the remote: ${problem}`);
  return await withHomeLock(pack.system, home, async (held) => {
    await requireRepo(pack, "remote set", home.repo);
    await viaGit(home.repo, () => pack.git.remotes.set(home.repo, name, url));
    return {
      data: { repo: home.repo, repo_posix: posix(home.repo), remote: name, url },
      warnings: held.warnings,
    };
  });
}

/**
 * Pulls the checked-out branch of the config repo from its remote, by fast-forward or with `rebase` below the
 * own commits, then pushes it. Throws `E_GIT_*`; what neither way can bring together is left as it was.
 */
export async function sync(
  pack: Pack,
  selection: Selection,
  options: { readonly rebase: boolean; readonly remote: string },
): Promise<Answer<SyncData>> {
  const home = homeOf(pack.system.env, selection.repo);
  const { repo } = home;
  const { remote, rebase } = options;
  return await withHomeLock(pack.system, home, async (held) => {
    await requireRepo(pack, "sync", repo);
    const unfinished = (await pack.git.activity(repo))?.inProgress ?? null;
    if (unfinished !== null) {
      throw new AgentpackError(
        "E_GIT_WORKTREE_DIRTY",
        `The config repo "${repo}" is in the middle of a ${unfinished}`,
        {
          ...about("sync", repo),
          in_progress: unfinished,
          hint: unfinished === "bisect"
            ? "End it first: git bisect reset"
            : `Finish it there, or take it back: git ${unfinished} --abort`,
        },
      );
    }
    const { changes } = await viaGit(repo, () => pack.git.status(repo, "config repo"));
    if (changes.length > 0) {
      throw new AgentpackError(
        "E_GIT_WORKTREE_DIRTY",
        `The config repo "${repo}" has ${count(changes.length, "uncommitted change")}`,
        { ...about("sync", repo), hint: "Commit or stash them first" },
      );
    }
    const branch = await pack.git.branches.current(repo);
    if (branch === null) {
      throw new AgentpackError("E_GIT_DETACHED_HEAD", `The config repo "${repo}" is on no branch`, {
        ...about("sync", repo),
        hint: "Check a branch out: git switch main",
      });
    }
    const url = await pack.git.remotes.url(repo, remote);
    if (url === null) {
      throw new AgentpackError(
        "E_GIT_REMOTE_MISSING",
        `The config repo "${repo}" has no remote "${remote}"`,
        { ...about("sync", repo), remote, hint: `Set it: remote set URL --name ${remote}` },
      );
    }
    const commands: string[] = [];
    const there = await viaGit(
      repo,
      () => pack.git.remotes.commitOf(repo, url, branch, "the config repo"),
    );
    // The first sync has nothing to pull.
    if (there !== null) {
      await viaGit(repo, () => pack.git.remotes.pull(repo, remote, branch, rebase));
      commands.push(`git pull ${rebase ? "--rebase" : "--ff-only"} ${remote} ${branch}`);
    }
    const head = await pack.git.refs.resolve(repo, "HEAD");
    if (head !== null && head !== there) {
      const outcome = await pack.git.remotes.push(repo, remote, head, branch, () => {});
      if (!outcome.ok) {
        throw new AgentpackError(
          "E_UNEXPECTED",
          `Cannot push ${branch} to ${remote}: ${outcome.reason ?? reason(outcome.result)}`,
        );
      }
      commands.push(`git push ${remote} ${branch}`);
    }
    return {
      data: { repo, repo_posix: posix(repo), remote, branch, rebase, commands },
      warnings: held.warnings,
    };
  });
}
