/** Makes clones. Reached as `git.at(directory).part(Clones)`, of a directory from which git is started. */

import { join } from "@std/path";
import type { AbsPath, BranchName, Loose, Sha } from "../../base/ids.ts";
import type { OnLine } from "../call/log.ts";
import { Remotes } from "./remotes.ts";
import type { Runner } from "../call/runner.ts";
import { RepositoryPart } from "../call/part.ts";
import { refuseOverwriting } from "./pull.ts";

interface NewClone {
  readonly url: string;
  /** Where; must not exist yet. */
  readonly directory: Loose<AbsPath>;
  readonly branch: Loose<BranchName>;
  /** How much of the history it gets; all of it when absent. */
  readonly history?: CloneHistory;
  /** The directories that it gets, besides the files at its top; all of them where absent or empty. */
  readonly sparse?: readonly string[];
  /** A repository on this machine whose objects are copied instead of transferred, if it is there. */
  readonly reference?: string | null;
}

/**
 * How much of a history a clone gets: all, all but old contents of files, or so many commits of each branch.
 * With `alone` it is only the branch that is checked out.
 */
export type CloneHistory = "full" | "blobless" | {
  readonly depth: number;
  readonly alone?: boolean;
};

function historyArguments(history: CloneHistory): string[] {
  if (history === "full") return [];
  return history === "blobless"
    ? ["--filter=blob:none"]
    : [`--depth=${history.depth}`, history.alone ? "--single-branch" : "--no-single-branch"];
}

/** The configuration of a clone whose remote has contents of files that it leaves out. */
const PARTIAL = [
  "extensions.partialClone=origin",
  "remote.origin.promisor=true",
  "remote.origin.partialclonefilter=blob:none",
];

/** A clone that borrows from a mirror and is to be made. */
interface Borrowing {
  /** The bare repository whose objects it reads from then on. */
  readonly mirror: string;
  /** Where; must not exist yet. */
  readonly directory: Loose<AbsPath>;
  /** What its origin is to be. */
  readonly url: string;
  /** A branch of the mirror that it is to have, too, following its remote; null for the one that the mirror names first. */
  readonly base: Loose<BranchName> | null;
  /** The branch to check out. */
  readonly branch: Loose<BranchName>;
  /** Whether the mirror leaves contents of files out, which come from `url` when they are needed; not when absent. */
  readonly blobless?: boolean;
  /** The commit it begins at; null where there is none yet. */
  readonly start: Sha | null;
  /** Whether the remote has a branch of that name: it begins there instead, and follows it. */
  readonly track: boolean;
  /** The directories that it gets, besides the files at its top; all of them where absent or empty. */
  readonly sparse?: readonly string[];
  /** What has to be in the clone before files are checked out. */
  readonly before?: () => Promise<void>;
}

/** A clone without working files that is to be made. */
interface CloneWithoutFiles {
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
export class Clones extends RepositoryPart {
  async #clone(
    options: readonly string[],
    { url, directory, onLine }: Pick<NewClone, "url" | "directory"> & Watched,
    what: string,
  ): Promise<void> {
    await this.git.must(
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

  /** Lets the working copy of a clone have some directories only, and the files at its top. One process. */
  async #narrow(clone: Runner, sparse: readonly string[], network: boolean): Promise<void> {
    if (sparse.length === 0) return;
    await clone.must(
      ["sparse-checkout", "set", "--cone", "--stdin"],
      { access: "internal", patient: true, network, stdin: `${sparse.join("\n")}\n` },
      `choose the directories of "${this.git.name}"`,
    );
  }

  /**
   * Clones a branch of a URL into a directory that does not exist yet. One process, a second one for some directories
   * only; network.
   */
  async make(clone: NewClone & Watched): Promise<void> {
    const { directory, branch, history = "full", reference = null, sparse = [] } = clone;
    const options = [
      ...historyArguments(history),
      ...(sparse.length === 0 ? [] : ["--sparse"]),
      ...(reference === null ? [] : ["--reference-if-able", reference, "--dissociate"]),
      "--branch",
      branch,
    ];
    await this.#clone(options, clone, `clone "${this.git.name}"`);
    await this.#narrow(this.git.moved(directory), sparse, true);
  }

  /**
   * Gives a clone its submodules, and theirs, each from its own remote as the repository names it; none of their hooks
   * runs. One process, which starts several for each; network. `paths` are those that are meant; all where it is empty.
   */
  async addSubmodules(onLine?: OnLine, paths: readonly string[] = []): Promise<void> {
    await this.git.must(
      ["submodule", "update", "--init", "--recursive", "--progress", "--", ...paths],
      { access: "internal", network: true, onLine },
      `clone the submodules of "${this.git.name}"`,
    );
  }

  /**
   * Brings a submodule to the commit that the repository names, where the submodule has it already. Throws
   * where untracked files are in the way, ignored ones too. Three processes; no network.
   */
  async settleSubmodule(path: string, wanted: string): Promise<void> {
    const what = `bring ${path} of "${this.git.name}" along`;
    await refuseOverwriting(this.git.moved(join(this.git.directory, path)), what, wanted);
    await this.git.must(
      ["submodule", "update", "--no-fetch", "--recursive", "--", path],
      { access: "internal" },
      what,
    );
  }

  /**
   * Makes a clone that has no objects of its own yet and reads those of a mirror on this machine (MIRROR-4).
   * `url` is its origin, and a branch is checked out. The directory must not exist. Three processes, a fourth
   * one for some directories only.
   */
  async borrow(borrowing: Borrowing): Promise<void> {
    const { mirror, directory, url, base, branch, blobless = false, start, track } = borrowing;
    const what = `clone "${this.git.name}" from its mirror`;
    await this.git.must(
      [
        "clone",
        "--quiet",
        "--shared",
        "--no-checkout",
        "--no-recurse-submodules",
        "--origin",
        "origin",
        ...(base === null ? [] : ["--branch", base]),
        // Without these, git would take what was left out for lost.
        ...(blobless ? PARTIAL.flatMap((setting) => ["--config", setting]) : []),
        "--end-of-options",
        mirror,
        directory,
      ],
      { access: "internal", patient: true },
      what,
    );
    const clone = this.git.moved(directory);
    await clone.must(
      ["remote", "set-url", "--end-of-options", "origin", url],
      { access: "internal" },
      what,
    );
    await this.#narrow(clone, borrowing.sparse ?? [], false);
    await borrowing.before?.();
    // A branch that the clone made of the mirror's first one is seconds old and nobody's work: it may be moved.
    const options = track
      ? ["--track", "-C", branch, `refs/remotes/origin/${branch}`]
      : start === null
      ? ["--orphan", branch]
      : ["--no-track", "-C", branch, start];
    await clone.must(
      ["switch", "--quiet", ...options],
      { access: "internal", patient: true, ...(blobless ? { network: true } : {}) },
      what,
    );
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
    await this.git.must(
      ["init", "--quiet", `--initial-branch=${branch}`, "--end-of-options", directory],
      { access: "internal" },
      "make an empty clone",
    );
    const clone = this.git.at(directory);
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
