/**
 * Commits that take back what other commits have brought, made without a working copy. Reached as
 * `git.bare(directory).part(Reverting)`.
 */

import { type Sha, sha, shortSha } from "../../base/ids.ts";
import type { Runner } from "../call/runner.ts";
import { mergedTree } from "./joining.ts";
import { type Authorship, commitText } from "./bundles.ts";

/** What is taken back, on top of what, in which words. */
interface Reversal {
  /** The tip of the branch that it is taken back from. */
  readonly base: Sha;
  /** The commit that brought it, an ancestor of `base`, and the one before. */
  readonly after: Sha;
  readonly before: Sha;
  readonly author: Authorship;
  readonly message: string;
}

/** A commit; null where nothing of it is left to take back. Or the files in which others have changed the same since. */
type Reversed = { readonly commit: Sha | null } | { readonly conflicts: readonly string[] };

const WHAT = "make a commit that takes back what was merged";

/** Commits that take back others. */
export class Reverting {
  readonly #git: Runner;

  constructor(git: Runner) {
    this.#git = git;
  }

  async #resolve(name: string): Promise<string> {
    const output = await this.#git.must(
      ["rev-parse", "--verify", "--end-of-options", name],
      { access: "read" },
      `look up ${name}`,
    );
    return output.trim();
  }

  /** The parents of a commit. One process. */
  async parents(commit: Sha): Promise<readonly Sha[]> {
    const output = await this.#git.must(
      ["rev-list", "--parents", "--max-count=1", commit, "--"],
      { access: "read" },
      `look up ${shortSha(commit)}`,
    );
    return output.trim().split(" ").slice(1).map(sha);
  }

  /** The commit so many first parents before another one. One process. */
  async ancestor(commit: Sha, steps: number): Promise<Sha> {
    return sha(await this.#resolve(`${commit}~${steps}`));
  }

  /**
   * A commit on top of `base` that takes back what came between `before` and `after`: as a merge with a commit that leads
   * from `after` back to the files of `before`. Needs git 2.38. At most five processes.
   */
  async takeBack({ base, after, before, author, message }: Reversal): Promise<Reversed> {
    const back = await this.#commit(await this.#resolve(`${before}^{tree}`), {
      parent: after,
      author,
      message,
    });
    const merged = await mergedTree(this.#git, { into: base, other: back }, WHAT);
    if ("conflicts" in merged) return merged;
    const { tree } = merged;
    if (tree === await this.#resolve(`${base}^{tree}`)) return { commit: null };
    return { commit: await this.#commit(tree, { parent: base, author, message }) };
  }

  async #commit(tree: string, words: Parameters<typeof commitText>[1]): Promise<Sha> {
    const output = await this.#git.must(
      ["hash-object", "-t", "commit", "-w", "--stdin"],
      { access: "internal", stdin: commitText(tree, words) },
      WHAT,
    );
    return sha(output.trim());
  }
}
