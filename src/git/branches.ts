/**
 * Branches, and which one is checked out. Reached as `git.branches`.
 *
 * @module
 */

// @ts-types="@types/std/path.d.ts"
import { join } from "@std/path";
import { gitDirectory } from "./directory.ts";
import type { Runner } from "./runner.ts";

/** A local branch. */
export interface LocalBranch {
  readonly name: string;
  readonly commit: string;
  /** The upstream as `remote/branch`, or null when none is set. */
  readonly upstream: string | null;
}

/** Branches, and which one is checked out. */
export class Branches {
  readonly #git: Runner;

  constructor(git: Runner) {
    this.#git = git;
  }

  /** All local branches. One process. */
  async list(path: string, repo: string): Promise<LocalBranch[]> {
    const output = await this.#git.must(
      [
        "for-each-ref",
        "--format=%(refname)%09%(objectname)%09%(upstream:short)",
        "--end-of-options",
        "refs/heads",
      ],
      { cwd: path, access: "read" },
      `read the branches of "${repo}"`,
      repo,
    );
    return output.split("\n").filter((line) => line !== "").map((line) => {
      const [ref = "", commit = "", upstream = ""] = line.split("\t");
      return {
        name: ref.replace(/^refs\/heads\//, ""),
        commit,
        upstream: upstream === "" ? null : upstream,
      };
    });
  }

  /** The branch that is checked out, or null when detached. No process: HEAD is read. */
  async current(path: string): Promise<string | null> {
    const directory = await gitDirectory(this.#git.system, path);
    const head = directory === null
      ? null
      : await this.#git.system.files.readText(join(directory, "HEAD"));
    return /^ref: refs\/heads\/(.+)$/m.exec(head ?? "")?.[1] ?? null;
  }

  /** Moves the checked-out branch forward to a commit; refuses anything but a fast-forward. One process. */
  async fastForward(path: string, commit: string, repo: string): Promise<void> {
    await this.#git.must(
      ["merge", "--ff-only", "--quiet", "--end-of-options", commit],
      { cwd: path, access: "internal" },
      `move "${repo}" forward`,
      repo,
    );
  }

  /** Makes a local branch follow a branch of a remote. One process. */
  async setUpstream(path: string, branch: string, upstream: string, repo: string): Promise<void> {
    await this.#git.must(
      ["branch", `--set-upstream-to=${upstream}`, "--end-of-options", branch],
      { cwd: path, access: "internal" },
      `set the upstream of "${repo}"`,
      repo,
    );
  }

  /**
   * Makes a branch at a commit-ish, HEAD when absent, and switches to it. `track` makes it follow that remote
   * branch. One process.
   */
  async create(
    path: string,
    branch: string,
    repo: string,
    start = "HEAD",
    track = false,
  ): Promise<void> {
    await this.#git.must(
      [
        "switch",
        "--quiet",
        track ? "--track" : "--no-track",
        "--create",
        branch,
        "--end-of-options",
        start,
      ],
      { cwd: path, access: "internal" },
      `make the branch ${branch}`,
      repo,
    );
  }

  /** Switches to a local branch that exists; git refuses where changes would be lost. One process. */
  async switchTo(path: string, branch: string, repo: string): Promise<void> {
    await this.#git.must(
      ["switch", "--quiet", "--no-guess", "--end-of-options", branch],
      { cwd: path, access: "internal" },
      `switch "${repo}" to ${branch}`,
      repo,
    );
  }
}
