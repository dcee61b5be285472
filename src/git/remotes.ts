/**
 * What is about remotes or talks to them. Reached as `git.remotes`.
 *
 * @module
 */

import { pull } from "./pull.ts";
import { type OnLine, PUSH_OPTIONS, type PushOutcome, pushOutcome } from "./push_outcome.ts";
import type { Runner } from "./runner.ts";
import { trackingRefspecs } from "./tracking.ts";

/** How long a remote may take to answer a question without which work can go on. */
const QUESTION_MS = 15_000;

/** What is about remotes or talks to them. */
export class Remotes {
  readonly #git: Runner;

  constructor(git: Runner) {
    this.#git = git;
  }

  /** Clones a branch of a URL into a directory that does not exist yet. One process. */
  async clone(
    parent: string,
    url: string,
    directory: string,
    branch: string,
    repo: string,
    onLine: OnLine,
  ): Promise<void> {
    await this.#git.must(
      [
        "clone",
        "--progress",
        "--no-recurse-submodules",
        "--origin",
        "origin",
        "--branch",
        branch,
        "--end-of-options",
        url,
        directory,
      ],
      { cwd: parent, access: "internal", network: true, onLine },
      `clone "${repo}"`,
      repo,
    );
  }

  /**
   * Makes what a clone of a remote without commits is: an empty repository on a branch that follows the one of
   * `origin`. Four processes.
   */
  async emptyClone(
    parent: string,
    url: string,
    directory: string,
    branch: string,
  ): Promise<void> {
    await this.#git.must(
      ["init", "--quiet", `--initial-branch=${branch}`, "--end-of-options", directory],
      { cwd: parent, access: "internal" },
      "make an empty clone",
      null,
    );
    await this.add(directory, "origin", url);
    for (const [name, value] of [["remote", "origin"], ["merge", `refs/heads/${branch}`]]) {
      await this.#git.must(
        ["config", "--local", `branch.${branch}.${name}`, value ?? ""],
        { cwd: directory, access: "internal" },
        "make an empty clone follow its remote",
        null,
      );
    }
  }

  /**
   * Brings the remote-tracking branches of `origin` up to date, removes vanished ones, and adds new tags. No other
   * ref is touched, whatever the configuration asks for. One process, network.
   */
  async fetch(path: string, repo: string, onLine: OnLine): Promise<void> {
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
        ...await trackingRefspecs(this.#git.system, path),
      ],
      { cwd: path, access: "internal", network: true, onLine },
      `fetch "${repo}"`,
      repo,
    );
  }

  /**
   * Brings one branch of `origin` and its remote-tracking branch together, also where it was not tracked before. One
   * process, network.
   */
  async fetchBranch(path: string, branch: string, repo: string, onLine: OnLine): Promise<void> {
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
      { cwd: path, access: "internal", network: true, onLine },
      `fetch ${branch} of "${repo}"`,
      repo,
    );
  }

  /**
   * The commit of a branch of `origin`, asked of the remote itself; null when it has none. Gives up after some
   * seconds. One process, network.
   */
  async tipOf(path: string, branch: string, repo: string): Promise<string | null> {
    const ref = `refs/heads/${branch}`;
    const output = await this.#git.must(
      ["ls-remote", "--end-of-options", "origin", ref],
      { cwd: path, access: "read", network: true, timeoutMs: QUESTION_MS },
      `ask the remote of "${repo}"`,
      repo,
    );
    // The name is a pattern to git: it also matches at the end of longer ones.
    return output.split("\n").map((line) => line.split("\t"))
      .find(([, name]) => name === ref)?.[0] ?? null;
  }

  /** The URL a remote is pushed to, or null when there is no such remote. One process. */
  async pushUrl(path: string, remote: string): Promise<string | null> {
    return await this.#urlOf(path, remote, ["--push"]);
  }

  /** The branches of a remote by name with their commits, asked of the remote itself. One process, network. */
  async branches(
    path: string,
    remote: string,
    repo: string,
  ): Promise<ReadonlyMap<string, string>> {
    const refs = await this.#refs(path, remote, repo, ["--heads"]);
    return new Map([...refs].map(([ref, commit]) => [ref.replace(/^refs\/heads\//, ""), commit]));
  }

  /**
   * The branches and tags of a remote by full name, asked of the remote itself; what an annotated tag points to
   * stands under its name with `^{}`. One process, network.
   */
  refs(path: string, remote: string, repo: string): Promise<ReadonlyMap<string, string>> {
    return this.#refs(path, remote, repo, ["--heads", "--tags"]);
  }

  /** The same with everything else that the remote shows, such as notes and requests to merge. One process, network. */
  everyRef(path: string, remote: string, repo: string): Promise<ReadonlyMap<string, string>> {
    return this.#refs(path, remote, repo, []);
  }

  async #refs(
    path: string,
    remote: string,
    repo: string,
    kinds: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    const output = await this.#git.must(
      ["ls-remote", ...kinds, "--end-of-options", remote],
      { cwd: path, access: "read", network: true },
      `ask the remote of "${repo}"`,
      repo,
    );
    return new Map(
      output.split("\n").filter((line) => line !== "").map((line) => {
        const [commit = "", ref = ""] = line.split("\t");
        return [ref, commit] as const;
      }),
    );
  }

  /** Pushes one commit to one branch of a remote, never with force, never with tags. One process, network. */
  async push(
    path: string,
    remote: string,
    commit: string,
    branch: string,
    onLine: OnLine,
  ): Promise<PushOutcome> {
    const result = await this.#git.run(
      [
        "push",
        ...PUSH_OPTIONS,
        "--end-of-options",
        remote,
        `${commit}:refs/heads/${branch}`,
      ],
      { cwd: path, access: "write", network: true, onLine },
    );
    return pushOutcome(result);
  }

  /** Adds a remote. One process. */
  async add(path: string, name: string, url: string): Promise<void> {
    await this.#git.must(
      ["remote", "add", "--end-of-options", name, url],
      { cwd: path, access: "internal" },
      `add the remote ${name}`,
      null,
    );
  }

  /** Gives a remote another URL, or adds it. Two processes. */
  async set(path: string, name: string, url: string): Promise<void> {
    if (await this.url(path, name) === null) return await this.add(path, name, url);
    await this.#git.must(
      ["remote", "set-url", "--end-of-options", name, url],
      { cwd: path, access: "internal" },
      `change the remote ${name}`,
      null,
    );
  }

  /**
   * Brings a branch of a remote into the checked-out one, which must be clean: by fast-forward, or with
   * `rebase` below the own commits. Refuses to write over files that are not tracked; a rebase that conflicts is
   * taken back. Two processes, with `rebase` at most five; network.
   */
  pull(path: string, remote: string, branch: string, rebase: boolean): Promise<void> {
    return pull(this.#git, path, remote, branch, rebase);
  }

  /** Deletes a branch of a remote only if it still points to a commit. One process, network. */
  async deleteBranch(
    path: string,
    remote: string,
    branch: string,
    commit: string,
    repo: string,
  ): Promise<void> {
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
      { cwd: path, access: "write", network: true },
      `delete ${branch} on the remote of "${repo}"`,
      repo,
    );
  }

  /** The URL a remote is fetched from, or null when there is no such remote. One process. */
  async url(path: string, remote: string): Promise<string | null> {
    return await this.#urlOf(path, remote, []);
  }

  async #urlOf(path: string, remote: string, options: readonly string[]): Promise<string | null> {
    const result = await this.#git.ask(
      ["remote", "get-url", ...options, "--end-of-options", remote],
      { cwd: path, access: "read" },
      `look up the remote ${remote}`,
      null,
    );
    const url = result?.stdout.trim() ?? "";
    return url === "" ? null : url;
  }

  /**
   * The commit that a branch or tag of a remote repository points to, a tag's own commit first; null when
   * there is neither. One process, network.
   */
  async commitOf(cwd: string, url: string, name: string, what: string): Promise<string | null> {
    const refs = [`refs/heads/${name}`, `refs/tags/${name}`, `refs/tags/${name}^{}`];
    const output = await this.#git.must(
      ["ls-remote", "--end-of-options", url, ...refs],
      { cwd, access: "read", network: true },
      `ask for "${name}" of ${what}`,
      null,
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
  async cloneWithoutFiles(
    cwd: string,
    url: string,
    directory: string,
    only: string | null,
    what: string,
  ): Promise<void> {
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
      { cwd, access: "internal", network: true },
      `clone ${what}`,
      null,
    );
  }
}
