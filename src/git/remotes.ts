/**
 * What is about remotes or talks to them. Reached as `git.at(directory).remotes`.
 *
 * @module
 */

import {
  type AbsPath,
  type BranchName,
  branchName,
  isBranchName,
  type Loose,
  type Sha,
  sha,
} from "../ids.ts";
import { pull, type PullOptions } from "./pull.ts";
import { type OnLine, PUSH_OPTIONS, type PushOutcome, pushOutcome } from "./push_outcome.ts";
import type { Runner } from "./runner.ts";
import { trackingRefspecs } from "./tracking.ts";

/** How long a remote may take to answer a question without which work can go on. */
const QUESTION_MS = 15_000;

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
export interface BareClone {
  readonly url: string;
  /** Where; must not exist yet. */
  readonly directory: string;
  /** The branch or tag of which only the newest commit is wanted; null for everything. */
  readonly only: string | null;
  /** What messages call it. */
  readonly what: string;
}

/** A commit and the branch of a remote that it belongs to. */
export interface RemoteBranch {
  readonly commit: Sha;
  readonly branch: Loose<BranchName>;
  /** `origin` when absent. */
  readonly remote?: string;
}

/** A commit that is to be sent to a branch of a remote. */
export interface Push extends RemoteBranch {
  readonly onLine?: OnLine;
}

/** What is about remotes or talks to them. */
export class Remotes {
  readonly #git: Runner;

  constructor(git: Runner) {
    this.#git = git;
  }

  /** Clones a branch of a URL into a directory that does not exist yet. One process. */
  async clone(
    { url, directory, branch, history = "full", reference = null, onLine }: NewClone & {
      readonly onLine?: OnLine;
    },
  ): Promise<void> {
    await this.#git.must(
      [
        "clone",
        "--progress",
        "--no-recurse-submodules",
        ...historyArguments(history),
        ...(reference === null ? [] : ["--reference-if-able", reference, "--dissociate"]),
        "--origin",
        "origin",
        "--branch",
        branch,
        "--end-of-options",
        url,
        directory,
      ],
      { access: "internal", network: true, onLine },
      `clone "${this.#git.name}"`,
    );
  }

  /** Clones every branch and tag of a URL into a directory that does not exist yet, without working files. One process, network. */
  async cloneBare(
    { url, directory, onLine }: Pick<NewClone, "url" | "directory"> & { readonly onLine?: OnLine },
  ): Promise<void> {
    await this.#git.must(
      ["clone", "--progress", "--bare", "--origin", "origin", "--end-of-options", url, directory],
      { access: "internal", network: true, onLine },
      `copy "${this.#git.name}"`,
    );
  }

  /** Makes a bare clone hold exactly the branches and tags of its origin. One process, network. */
  async fetchBare(onLine?: OnLine): Promise<void> {
    await this.#git.must(
      [
        "fetch",
        "--progress",
        "--prune",
        "--end-of-options",
        "origin",
        "+refs/heads/*:refs/heads/*",
        "+refs/tags/*:refs/tags/*",
      ],
      { access: "internal", network: true, onLine },
      `refresh the copy of "${this.#git.name}"`,
    );
  }

  /**
   * Makes what a clone of a remote without commits is: an empty repository on a branch that follows the one of
   * `origin`. Four processes.
   */
  async emptyClone({ url, directory, branch }: NewClone): Promise<void> {
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

  /**
   * Brings the remote-tracking branches of `origin` up to date, removes vanished ones, and adds new tags. No other
   * ref is touched, whatever the configuration asks for. One process, network.
   */
  async fetch(onLine?: OnLine): Promise<void> {
    await this.#git.must(
      [
        "fetch",
        "--progress",
        "--prune",
        "--no-prune-tags",
        "--no-recurse-submodules",
        "--refmap=",
        "--end-of-options",
        "origin",
        ...await trackingRefspecs(this.#git.system, this.#git.directory),
      ],
      { access: "internal", network: true, onLine },
      `fetch "${this.#git.name}"`,
    );
  }

  /**
   * Brings one branch of `origin` and its remote-tracking branch together, also where it was not tracked before. One
   * process, network.
   */
  async fetchBranch(branch: Loose<BranchName>, onLine?: OnLine): Promise<void> {
    await this.#git.must(
      [
        "fetch",
        "--progress",
        "--no-prune",
        "--no-prune-tags",
        "--no-recurse-submodules",
        "--refmap=",
        "--end-of-options",
        "origin",
        `+refs/heads/${branch}:refs/remotes/origin/${branch}`,
      ],
      { access: "internal", network: true, onLine },
      `fetch ${branch} of "${this.#git.name}"`,
    );
  }

  /** Brings one commit of `origin` by its name, also where no branch has it any more. One process, network. */
  async fetchCommit(commit: Sha, onLine?: OnLine): Promise<void> {
    await this.#git.must(
      [
        "fetch",
        "--progress",
        "--no-tags",
        "--no-prune",
        "--no-recurse-submodules",
        "--refmap=",
        "--end-of-options",
        "origin",
        commit,
      ],
      { access: "internal", network: true, onLine },
      `fetch ${commit.slice(0, 7)} of "${this.#git.name}"`,
    );
  }

  /**
   * The commit of a branch of `origin`, asked of the remote itself; null when it has none. Gives up after some
   * seconds. One process, network.
   */
  async tipOf(branch: Loose<BranchName>): Promise<string | null> {
    const ref = `refs/heads/${branch}`;
    const output = await this.#git.must(
      ["ls-remote", "--end-of-options", "origin", ref],
      { access: "read", network: true, timeoutMs: QUESTION_MS },
      `ask the remote of "${this.#git.name}"`,
    );
    // The name is a pattern to git: it also matches at the end of longer ones.
    return output.split("\n").map((line) => line.split("\t"))
      .find(([, name]) => name === ref)?.[0] ?? null;
  }

  /**
   * What a remote says of itself: the branch that a clone would check out, null where it says none, and of `name`
   * whether it is a branch, and the commit of the tag it is, or null. Gives up after some seconds. One process,
   * network.
   */
  async introduce(
    url: string,
    name: string | null,
  ): Promise<{
    readonly defaultBranch: BranchName | null;
    readonly isBranch: boolean;
    readonly tag: Sha | null;
    readonly isEmpty: boolean;
  }> {
    const wanted = name === null
      ? []
      : [`refs/heads/${name}`, `refs/tags/${name}`, `refs/tags/${name}^{}`];
    const output = await this.#git.must(
      ["ls-remote", "--symref", "--end-of-options", url, "HEAD", ...wanted],
      { access: "read", network: true, timeoutMs: QUESTION_MS },
      `ask the remote of "${this.#git.name}"`,
    );
    const head = /^ref: refs\/heads\/(.+)\tHEAD$/m.exec(output)?.[1] ?? null;
    const refs = new Map(
      output.split("\n").filter((line) => /^[0-9a-f]{40,}\t/.test(line)).map((line) => {
        const [commit = "", ref = ""] = line.split("\t");
        return [ref, sha(commit)] as const;
      }),
    );
    const [branch = "", tag = "", peeled = ""] = wanted;
    return {
      defaultBranch: head === null || !isBranchName(head) ? null : branchName(head),
      isBranch: refs.has(branch),
      tag: refs.get(peeled) ?? refs.get(tag) ?? null,
      isEmpty: refs.size === 0,
    };
  }

  /** The branch that `origin` checked out when it was cloned, as this clone remembers it; null where it does not. One process. */
  async rememberedBranch(): Promise<string | null> {
    const result = await this.#git.ask(
      ["rev-parse", "--verify", "--quiet", "--symbolic-full-name", "refs/remotes/origin/HEAD"],
      { access: "read" },
      `look up the default branch of "${this.#git.name}"`,
    );
    return /^refs\/remotes\/origin\/(.+)$/.exec(result?.stdout.trim() ?? "")?.[1] ?? null;
  }

  /** The names of all remotes. One process. */
  async names(): Promise<string[]> {
    const result = await this.#git.ask(
      ["config", "--get-regexp", "--name-only", "^remote\\..*\\.url$"],
      { access: "read" },
      `list the remotes of "${this.#git.name}"`,
    );
    return (result?.stdout ?? "").split("\n").filter((line) => line !== "")
      .map((line) => line.replace(/^remote\./, "").replace(/\.url$/, ""));
  }

  /** The URL a remote is pushed to, or null when there is no such remote. One process. */
  async pushUrl(remote: string): Promise<string | null> {
    return await this.#urlOf(remote, ["--push"]);
  }

  /** The branches of a remote by name with their commits, asked of the remote itself. One process, network. */
  async branches(
    remote: string,
  ): Promise<ReadonlyMap<string, Sha>> {
    const refs = await this.#refs(remote, ["--heads"]);
    return new Map([...refs].map(([ref, commit]) => [ref.replace(/^refs\/heads\//, ""), commit]));
  }

  /**
   * The branches and tags of a remote by full name, asked of the remote itself; what an annotated tag points to
   * stands under its name with `^{}`. One process, network.
   */
  refs(remote: string): Promise<ReadonlyMap<string, Sha>> {
    return this.#refs(remote, ["--heads", "--tags"]);
  }

  /** The same with everything else that the remote shows, such as notes and requests to merge. One process, network. */
  everyRef(remote: string): Promise<ReadonlyMap<string, Sha>> {
    return this.#refs(remote, []);
  }

  async #refs(
    remote: string,
    kinds: readonly string[],
  ): Promise<ReadonlyMap<string, Sha>> {
    const output = await this.#git.must(
      ["ls-remote", ...kinds, "--end-of-options", remote],
      { access: "read", network: true },
      `ask the remote of "${this.#git.name}"`,
    );
    return new Map(
      output.split("\n").filter((line) => line !== "").map((line) => {
        const [commit = "", ref = ""] = line.split("\t");
        return [ref, sha(commit)] as const;
      }),
    );
  }

  /** Pushes one commit to one branch of a remote, never with force, never with tags. One process, network. */
  async push({ commit, branch, remote = "origin", onLine }: Push): Promise<PushOutcome> {
    const result = await this.#git.run(
      [
        "push",
        ...PUSH_OPTIONS,
        "--end-of-options",
        remote,
        `${commit}:refs/heads/${branch}`,
      ],
      { access: "write", network: true, onLine },
    );
    return pushOutcome(result);
  }

  /** Adds a remote. One process. */
  async add(name: string, url: string): Promise<void> {
    await this.#git.must(
      ["remote", "add", "--end-of-options", name, url],
      { access: "internal" },
      `add the remote ${name}`,
    );
  }

  /** Gives a remote another URL, or adds it. Two processes. */
  async set(name: string, url: string): Promise<void> {
    if (await this.url(name) === null) return await this.add(name, url);
    await this.#git.must(
      ["remote", "set-url", "--end-of-options", name, url],
      { access: "internal" },
      `change the remote ${name}`,
    );
  }

  /**
   * Brings a branch of a remote into the checked-out one, which must be clean: by fast-forward, or with
   * `rebase` below the own commits. Refuses to write over files that are not tracked; a rebase that conflicts is
   * taken back. Two processes, with `rebase` at most five; network.
   */
  pull(options: PullOptions): Promise<void> {
    return pull(this.#git, options);
  }

  /** Deletes a branch of a remote only if it still points to a commit. One process, network. */
  async deleteBranch({ branch, commit, remote = "origin" }: RemoteBranch): Promise<void> {
    const ref = `refs/heads/${branch}`;
    await this.#git.must(
      [
        "push",
        ...PUSH_OPTIONS,
        `--force-with-lease=${ref}:${commit}`,
        "--end-of-options",
        remote,
        `:${ref}`,
      ],
      { access: "write", network: true },
      `delete ${branch} on the remote of "${this.#git.name}"`,
    );
  }

  /** The URL a remote is fetched from, or null when there is no such remote. One process. */
  async url(remote: string): Promise<string | null> {
    return await this.#urlOf(remote, []);
  }

  async #urlOf(remote: string, options: readonly string[]): Promise<string | null> {
    const result = await this.#git.ask(
      ["remote", "get-url", ...options, "--end-of-options", remote],
      { access: "read" },
      `look up the remote ${remote}`,
    );
    const url = result?.stdout.trim() ?? "";
    return url === "" ? null : url;
  }

  /**
   * The commit that a branch or tag of a remote repository points to, a tag's own commit first; null when
   * there is neither. One process, network.
   */
  async commitOf(url: string, name: string, what: string): Promise<string | null> {
    const refs = [`refs/heads/${name}`, `refs/tags/${name}`, `refs/tags/${name}^{}`];
    const output = await this.#git.must(
      ["ls-remote", "--end-of-options", url, ...refs],
      { access: "read", network: true },
      `ask for "${name}" of ${what}`,
    );
    // The names are patterns to git: they also match at the end of longer ones.
    const found = output.split("\n").map((line) => line.split("\t"))
      .filter(([, ref]) => refs.includes(ref ?? ""));
    const peeled = found.find(([, ref]) => ref?.endsWith("^{}"));
    return (peeled ?? found[0])?.[0] ?? null;
  }

  /**
   * Clones a repository without working files into a directory that does not exist yet: all of it, or only
   * the newest commit of one branch or tag. One process, network.
   */
  async cloneWithoutFiles({ url, directory, only, what }: BareClone): Promise<void> {
    await this.#git.must(
      [
        "clone",
        "--progress",
        "--no-recurse-submodules",
        "--no-checkout",
        "--origin",
        "origin",
        ...(only === null ? [] : ["--depth", "1", "--single-branch", "--branch", only]),
        "--end-of-options",
        url,
        directory,
      ],
      { access: "internal", network: true },
      `clone ${what}`,
    );
  }
}
