/**
 * The refs of a repository, by full name. Reached as `git.refs`.
 *
 * @module
 */

import { gitFailure } from "./error.ts";
import type { Runner } from "./runner.ts";

/** The refs of a repository, by full name. */
export class Refs {
  readonly #git: Runner;

  constructor(git: Runner) {
    this.#git = git;
  }

  /** The commit a full ref name points to, or null. One process. */
  async resolve(path: string, ref: string): Promise<string | null> {
    const result = await this.#git.ask(
      ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`],
      { cwd: path, access: "read" },
      `look up ${ref}`,
      null,
      ({ exitCode }) => exitCode === 1,
    );
    return result?.stdout.trim() ?? null;
  }

  /** Deletes a ref only if it still points to `expected`; false when it does not. One process, two when it fails. */
  async delete(root: string, ref: string, expected: string): Promise<boolean> {
    // Without an expected value git would delete whatever is there.
    if (expected === "") return false;
    const result = await this.#git.run(["update-ref", "-d", ref, expected], {
      cwd: root,
      access: "internal",
    });
    if (result.exitCode === 0) return true;
    if (await this.resolve(root, ref) !== expected) return false;
    throw gitFailure(result, `delete ${ref}`, null);
  }

  /** The commits of refs by full name; those that do not exist are absent. One process. */
  async list(
    path: string,
    patterns: readonly string[],
    repo: string,
  ): Promise<ReadonlyMap<string, string>> {
    const output = await this.#git.must(
      ["for-each-ref", "--format=%(refname) %(objectname)", "--end-of-options", ...patterns],
      { cwd: path, access: "read" },
      `read the refs of "${repo}"`,
      repo,
    );
    return new Map(
      output.split("\n").filter((line) => line !== "").map((line) => {
        const at = line.lastIndexOf(" ");
        return [line.slice(0, at), line.slice(at + 1)] as const;
      }),
    );
  }

  /**
   * Points a ref to a commit, only if it still points to `expected`; false when it does not. One process, two when
   * it fails.
   */
  async move(path: string, ref: string, commit: string, expected: string): Promise<boolean> {
    const result = await this.#git.run(
      ["update-ref", "-m", "amof", ref, commit, expected],
      { cwd: path, access: "internal" },
    );
    if (result.exitCode === 0) return true;
    if (await this.resolve(path, ref) !== expected) return false;
    throw gitFailure(result, `move ${ref}`, null);
  }

  /** Makes a ref that must not exist yet; false when it does. One process, two when it fails. */
  async create(path: string, ref: string, commit: string): Promise<boolean> {
    const result = await this.#git.run(["update-ref", "-m", "amof", ref, commit, ""], {
      cwd: path,
      access: "internal",
    });
    if (result.exitCode === 0) return true;
    if (await this.resolve(path, ref) !== null) return false;
    throw gitFailure(result, `make ${ref}`, null);
  }
}
