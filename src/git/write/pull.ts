/** Brings a branch of a remote into the checked-out one. */

import type { BranchName, Loose } from "../../base/ids.ts";
import { AmofError } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { few } from "../../base/text/words.ts";
import type { Runner } from "../call/runner.ts";

/** What is to be pulled. */
export interface PullOptions {
  readonly branch: Loose<BranchName>;
  /** `origin` when absent. */
  readonly remote?: string;
  /** Whether own commits are put on top; without it only a fast-forward is made. */
  readonly rebase?: boolean;
}

/** The error for commits of both sides that changed the same places; nothing of either is lost. */
function conflicting(what: string, files: readonly string[]): AmofError {
  const shown = few(files.map((name) => cleanLine(name, 100)), 5);
  return new AmofError(
    "git_failed",
    `Cannot ${what}: own commits and those of the remote changed the same places of ${shown}; nothing was changed`,
    {
      hint:
        "Bring both together by hand: git pull --rebase, edit these files, git add, git rebase --continue",
      details: { kind: "conflict", files: files.slice(0, 50) },
    },
  );
}

function withDirectories(paths: readonly string[]): Set<string> {
  return new Set(
    paths.flatMap((path) =>
      path.split("/").map((_, at, parts) => parts.slice(0, at + 1).join("/"))
    ),
  );
}

/** Throws when a commit holds files that are here without being tracked: a rebase writes over them. Two processes. */
export async function refuseOverwriting(
  git: Runner,
  what: string,
  commit = "FETCH_HEAD",
): Promise<void> {
  const ask = async (...args: string[]): Promise<string[]> =>
    (await git.read(args, what)).split("\0")
      .filter((name) => name !== "").map((name) => name.replace(/\/$/, ""));
  const coming = await ask("ls-tree", "-r", "-z", "--name-only", commit);
  const here = await ask("ls-files", "--others", "-z");
  const comingOrAbove = withDirectories(coming);
  const hereOrAbove = withDirectories(here);
  const blocking = new Set([
    ...here.filter((name) => comingOrAbove.has(name)),
    ...coming.filter((name) => hereOrAbove.has(name)),
  ]);
  if (blocking.size === 0) return;
  const shown = [...blocking].slice(0, 5).map((name) => cleanLine(name, 100)).join(", ");
  throw new AmofError(
    "git_failed",
    `Cannot ${what}: files that git does not track are in the way: ${shown}`,
    { hint: "Move these files away, then repeat", details: { kind: "in_the_way" } },
  );
}

/**
 * Brings a branch of a remote into the checked-out one, which must be clean: by fast-forward, or with `rebase`
 * below the own commits. Refuses to write over files that are not tracked; a rebase that conflicts is taken back.
 * Two processes, with `rebase` at most five; network.
 */
export async function pull(
  git: Runner,
  { branch, remote = "origin", rebase = false }: PullOptions,
): Promise<void> {
  const what = `pull ${branch} from ${remote}`;
  await git.must(
    [
      "fetch",
      "--progress",
      "--no-prune",
      "--no-prune-tags",
      "--no-recurse-submodules",
      "--end-of-options",
      remote,
      `refs/heads/${branch}`,
    ],
    { access: "internal", network: true },
    what,
  );
  if (!rebase) {
    await git.must(
      ["merge", "--ff-only", "--no-squash", "--no-overwrite-ignore", "--quiet", "FETCH_HEAD"],
      { access: "write" },
      what,
    );
    return;
  }
  await refuseOverwriting(git, what);
  try {
    await git.must(["rebase", "--quiet", "FETCH_HEAD"], { access: "write" }, what);
  } catch (error) {
    // While the rebase stands, git knows where both sides met.
    const unmerged = await git.ask(
      ["diff", "--name-only", "--diff-filter=U", "-z"],
      { access: "read" },
      what,
    );
    await git.run(["rebase", "--abort"], { access: "internal" });
    const files = (unmerged?.stdout ?? "").split("\0").filter((name) => name !== "");
    throw files.length === 0 ? error : conflicting(what, files);
  }
}
