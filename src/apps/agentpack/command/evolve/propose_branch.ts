/**
 * Commits changes of the config repo on a new branch, in a temporary working copy.
 *
 * Git processes: five when all goes well.
 */

import { isBranchName } from "../../../../base/ids.ts";
import { join } from "@std/path";
import { pathBelow } from "../../../../base/paths.ts";
import { count } from "../../../../base/text/words.ts";
import { createFile } from "../../content.ts";
import { AgentpackError } from "../../error.ts";
import { rootCause } from "../../../../base/error.ts";
import type { Home } from "../../identity/home.ts";
import { withPath, withPosix, writeFile } from "../../io.ts";
import type { RepoEdit } from "./propose_overlay.ts";
import { type Pack, viaGit } from "../../pack.ts";

interface BranchDone {
  /** The changed files, relative to the config repo. */
  readonly files: readonly string[];
  /** The working copy that holds the changes because they could not be committed; else null. */
  readonly worktree: string | null;
  readonly warnings: readonly string[];
}

/**
 * Makes the branch from HEAD and commits the changes there, with the user's hooks. When only the commit fails,
 * branch and working copy stay, so that a person can finish; when anything before fails, neither does.
 */
export async function commitOnBranch(
  pack: Pack,
  home: Home,
  work: { readonly branch: string; readonly message: string; readonly edits: readonly RepoEdit[] },
): Promise<BranchDone> {
  const { files } = pack.system;
  const { repo } = home;
  const repository = pack.git.at(repo);
  const head = await repository.refs.resolve("HEAD") ?? "";
  const worktree = join(home.scratch, pack.system.ids.uuid());
  await withPath("create", home.scratch, () => files.makeDirectory(home.scratch));
  await viaGit(
    repo,
    () => repository.worktrees.add({ path: worktree, branch: work.branch, from: "HEAD" }),
  );
  const relative = work.edits.map((edit) => pathBelow(repo, edit.path) ?? edit.path);
  try {
    for (const [index, edit] of work.edits.entries()) {
      const path = join(worktree, ...(relative[index] ?? "").split("/"));
      if (edit.bytes === null) await files.remove(path);
      else if (edit.bytes instanceof Uint8Array) {
        await writeFile(files, path, edit.bytes, edit.mode);
      } else {
        const { bytes, mode } = edit;
        await files.remove(path);
        await withPath("write", path, () => createFile(files, path, bytes, { mode }));
      }
    }
  } catch (error) {
    await files.removeTree(worktree);
    await repository.worktrees.forget(worktree);
    await repository.refs.deleteUnused(`refs/heads/${work.branch}`, head);
    throw error;
  }
  try {
    await pack.git.at(worktree).commits.paths(relative, work.message);
  } catch (error) {
    return {
      files: relative,
      worktree,
      warnings: [
        `The changes could not be committed (${
          rootCause(error)
        }); they are in "${worktree}" on the branch ${work.branch}`,
      ],
    };
  }
  const warnings: string[] = [];
  try {
    await repository.worktrees.remove(worktree);
  } catch (error) {
    warnings.push(
      `The temporary working copy "${worktree}" could not be removed: ${rootCause(error)}`,
    );
  }
  return { files: relative, worktree: null, warnings };
}

/** Refuses a config repo that is none, has changes, or has the branch already. */
export async function requireCleanRepo(
  pack: Pack,
  { repo }: Home,
  branch: string | undefined,
): Promise<void> {
  const about = { command: "evolve propose", ...withPosix("repo", repo) };
  const required = (): AgentpackError =>
    new AgentpackError(
      "E_GIT_REPO_REQUIRED",
      `The config repo "${repo}" is not a git repository with a commit`,
      { ...about, hint: "Run git init there, and commit" },
    );
  if (await pack.git.at(repo).gitDirectory() === null) throw required();
  const { changes, head } = await viaGit(repo, () => pack.git.at(repo, "config repo").status());
  if (changes.length > 0) {
    throw new AgentpackError(
      "E_GIT_WORKTREE_DIRTY",
      `The config repo "${repo}" has ${count(changes.length, "uncommitted change")}`,
      { ...about, hint: "Commit or stash them first" },
    );
  }
  if (head === null) throw required();
  if (branch === undefined) return;
  const problem = !isBranchName(branch)
    ? "cannot be the name of a branch"
    : await pack.git.at(repo).refs.resolve(`refs/heads/${branch}`) !== null
    ? "exists already"
    : null;
  if (problem === null) return;
  throw new AgentpackError("E_USAGE", `The branch "${branch}" ${problem}`, { branch });
}
