/**
 * The refs of a repository, by full name. Reached as `git.refs`.
 *
 * @module
 */

import { AmofError } from "../error.ts";
import { type BranchUse, branchUses, useFix, useText } from "./branch_use.ts";
import { gitFailure } from "./error.ts";
import type { Runner } from "./runner.ts";

/** The refusal to change a branch that a working copy stands on. */
export function branchInUse(what: string, use: BranchUse, directory: string): AmofError {
  return new AmofError("would_lose_work", `Cannot ${what}: ${useText(use)}`, {
    hint: `Let go of it: ${useFix(use, directory)}`,
    details: { branch: use.branch, path: use.path },
  });
}

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

  /** Throws when a branch is in use where `counts` says that this matters. No process. */
  async #refuseInUse(
    path: string,
    ref: string,
    what: string,
    counts: (use: BranchUse) => boolean,
  ): Promise<void> {
    if (!ref.startsWith("refs/heads/")) return;
    const use = (await branchUses(this.#git.system, path))
      .find((entry) => ref === `refs/heads/${entry.branch}` && counts(entry));
    if (use !== undefined) throw branchInUse(`${what} ${ref}`, use, path);
  }

  /**
   * Deletes a ref only if it still points to `expected`; false when it does not. Throws for a branch that any working
   * copy stands on. One process, two when it fails.
   */
  async delete(root: string, ref: string, expected: string): Promise<boolean> {
    // Without an expected value git would delete whatever is there.
    if (expected === "") return false;
    await this.#refuseInUse(root, ref, "delete", () => true);
    const result = await this.#git.run(["update-ref", "-d", ref, expected], {
      cwd: root,
      access: "internal",
    });
    if (result.exitCode === 0) return true;
    if (await this.resolve(root, ref) !== expected) return false;
    throw gitFailure(result, `delete ${ref}`, null);
  }

  /** The same for taking back what was made: a branch that any working copy stands on stays, and the answer is false. */
  async deleteUnused(root: string, ref: string, expected: string): Promise<boolean> {
    const uses = await branchUses(this.#git.system, root);
    if (uses.some(({ branch }) => ref === `refs/heads/${branch}`)) return false;
    return await this.delete(root, ref, expected);
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
   * Points a ref to a commit, only if it still points to `expected`; false when it does not. Throws for a branch that
   * another working copy stands on. One process, two when it fails.
   */
  async move(path: string, ref: string, commit: string, expected: string): Promise<boolean> {
    await this.#refuseInUse(path, ref, "move", (use) => !use.own);
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
