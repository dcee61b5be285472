/**
 * Work that was put away. Reached as `git.stashes`.
 *
 * @module
 */

import { type CommitLine, commitLines } from "./history.ts";
import type { Runner } from "./runner.ts";

/** Work that was put away. */
export class Stashes {
  readonly #git: Runner;

  constructor(git: Runner) {
    this.#git = git;
  }

  /** The messages of all stashes, newest first; there must be one. Needs no working copy. One process. */
  async list(path: string, repo: string): Promise<CommitLine[]> {
    const output = await this.#git.must(
      [
        "log",
        "--walk-reflogs",
        "--first-parent",
        "--no-show-signature",
        "--format=%H%x09%gs",
        "-z",
        "refs/stash",
        "--",
      ],
      { cwd: path, access: "read" },
      `list the stashes of "${repo}"`,
      repo,
    );
    return commitLines(output);
  }

  /** The stash with exactly this message, as `stash@{n}`, or null. One process. */
  async find(path: string, message: string): Promise<string | null> {
    const output = await this.#git.must(
      ["stash", "list", "--format=%gd%x00%gs", "-z"],
      { cwd: path, access: "read" },
      "list the stashes",
      null,
    );
    const parts = output.split("\0");
    for (let index = 0; index + 1 < parts.length; index += 2) {
      // Git puts "On <branch>: " in front of the message.
      if (parts[index + 1]?.replace(/^On [^:]*: /, "") === message) return parts[index] ?? null;
    }
    return null;
  }

  /** Puts all uncommitted work away, untracked files too. One process. */
  async save(path: string, message: string, repo: string): Promise<void> {
    await this.#git.must(
      ["stash", "push", "--quiet", "--include-untracked", "--message", message],
      { cwd: path, access: "internal" },
      `stash the changes of "${repo}"`,
      repo,
    );
  }

  /** Brings back a stash and drops it; git keeps it when it does not fit. One process. */
  async pop(path: string, stash: string, repo: string): Promise<void> {
    await this.#git.must(
      ["stash", "pop", "--quiet", "--index", stash],
      { cwd: path, access: "internal" },
      `restore the stashed changes of "${repo}"`,
      repo,
    );
  }
}
