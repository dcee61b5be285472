/**
 * Makes clones. Reached as `git.at(directory).clones`, of a directory from which git is started.
 *
 * @module
 */

import type { AbsPath, BranchName, Loose } from "../ids.ts";
import type { OnLine } from "./push_outcome.ts";
import { Remotes } from "./remotes.ts";
import type { Runner } from "./runner.ts";

/** A clone that is to be made. */
export interface NewClone {
  readonly url: string;
  /** Where; must not exist yet. */
  readonly directory: Loose<AbsPath>;
  readonly branch: Loose<BranchName>;
  /** How much of the history it gets; all of it when absent. */
  readonly history?: CloneHistory;
  /** A repository on this machine whose objects are copied instead of transferred, if it is there. */
  readonly reference?: string | null;
}

/** How much of a history a clone gets: all, all but old contents of files, or so many commits of each branch. */
export type CloneHistory = "full" | "blobless" | { readonly depth: number };

function historyArguments(history: CloneHistory): string[] {
  if (history === "full") return [];
  return history === "blobless"
    ? ["--filter=blob:none"]
    : [`--depth=${history.depth}`, "--no-single-branch"];
}

/** A clone without working files that is to be made. */
export interface CloneWithoutFiles {
  readonly url: string;
  /** Where; must not exist yet. */
  readonly directory: string;
  /** The branch or tag of which only the newest commit is wanted; null for everything. */
  readonly only: string | null;
  /** What messages call it. */
  readonly what: string;
}

interface Watched {
  readonly onLine?: OnLine;
}

/** Clones that are made. */
export class Clones {
  readonly #git: Runner;

  constructor(git: Runner) {
    this.#git = git;
  }

  async #clone(
    options: readonly string[],
    { url, directory, onLine }: Pick<NewClone, "url" | "directory"> & Watched,
    what: string,
  ): Promise<void> {
    await this.#git.must(
      [
        "clone",
        "--progress",
        "--no-recurse-submodules",
        "--origin",
        "origin",
        ...options,
        "--end-of-options",
        url,
        directory,
      ],
      { access: "internal", network: true, onLine },
      what,
    );
  }

  /** Clones a branch of a URL into a directory that does not exist yet. One process, network. */
  async make(clone: NewClone & Watched): Promise<void> {
    const { branch, history = "full", reference = null } = clone;
    const options = [
      ...historyArguments(history),
      ...(reference === null ? [] : ["--reference-if-able", reference, "--dissociate"]),
      "--branch",
      branch,
    ];
    await this.#clone(options, clone, `clone "${this.#git.name}"`);
  }

  /** Clones every branch and tag of a URL into a directory that does not exist yet, without working files. One process, network. */
  async makeBare(clone: Pick<NewClone, "url" | "directory"> & Watched): Promise<void> {
    await this.#clone(["--bare"], clone, `copy "${this.#git.name}"`);
  }

  /**
   * Clones a repository without working files into a directory that does not exist yet: all of it, or only
   * the newest commit of one branch or tag. One process, network.
   */
  async makeWithoutFiles({ only, what, ...clone }: CloneWithoutFiles): Promise<void> {
    const options = only === null
      ? ["--no-checkout"]
      : ["--no-checkout", "--depth", "1", "--single-branch", "--branch", only];
    await this.#clone(options, clone, `clone ${what}`);
  }

  /**
   * Makes what a clone of a remote without commits is: an empty repository on a branch that follows the one of
   * `origin`. Four processes.
   */
  async makeEmpty({ url, directory, branch }: NewClone): Promise<void> {
    await this.#git.must(
      ["init", "--quiet", `--initial-branch=${branch}`, "--end-of-options", directory],
      { access: "internal" },
      "make an empty clone",
    );
    const clone = this.#git.at(directory);
    await new Remotes(clone).add("origin", url);
    for (const [name, value] of [["remote", "origin"], ["merge", `refs/heads/${branch}`]]) {
      await clone.must(
        ["config", "--local", `branch.${branch}.${name}`, value ?? ""],
        { access: "internal" },
        "make an empty clone follow its remote",
      );
    }
  }
}
