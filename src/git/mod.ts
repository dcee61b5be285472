/**
 * Git as the rest of the program knows it: typed questions and changes. No other folder spells a git
 * argument.
 *
 * Every operation says in its comment how many processes it starts.
 *
 * @module
 */

// @ts-types="@types/std/path.d.ts"
import { join, resolve } from "@std/path";
import type { ProcessResult, System } from "../system/mod.ts";
import { type GitCall, runGit } from "./client.ts";
import { gitFailure } from "./error.ts";
import { type OnLine, type PushOutcome, pushOutcome, Releases } from "./releases.ts";
import { parseStatus, type PorcelainStatus } from "./status_v2.ts";

export { classifyGitFailure, type GitErrorKind, gitFailure, reason, tail } from "./error.ts";
export { isBranchName, isUnsafeUrl } from "./names.ts";
export { hostOf, Slots, TransferLimits } from "./limits.ts";
export { inPool, localJobs } from "./pool.ts";
export type { CommitFacts, OnLine, PushOutcome, Tag } from "./releases.ts";
export { isNetworkFailure, withRetries } from "./retry.ts";
export type { ChangedPath, PorcelainStatus } from "./status_v2.ts";
export { isReadOnlyGit } from "./verbs.ts";

/** One entry of `git worktree list`. */
export interface Worktree {
  readonly path: string;
  /** The branch without `refs/heads/`, or null when detached or bare. */
  readonly branch: string | null;
  readonly head: string | null;
  readonly bare: boolean;
  /** Whether git would remove the entry because its directory is gone. */
  readonly prunable: boolean;
  /** Whether somebody locked it against removal. */
  readonly locked: boolean;
}

/** A local branch. */
export interface LocalBranch {
  readonly name: string;
  readonly commit: string;
  /** The upstream as `remote/branch`, or null when none is set. */
  readonly upstream: string | null;
}

/** A commit as a person recognises it. */
export interface CommitLine {
  readonly commit: string;
  readonly subject: string;
}

/** An unfinished operation in a repository. */
export type InProgress = "merge" | "rebase" | "cherry-pick" | "revert" | "bisect";

/** Git over one world. Calls throw an `AmofError` made by {@linkcode gitFailure} unless they say otherwise. */
export class Git {
  readonly #system: System;
  readonly #signal: AbortSignal | undefined;

  /** What releases need: tags, release commits, atomic pushes. */
  readonly releases: Releases;

  constructor(system: System, signal?: AbortSignal) {
    this.#system = system;
    this.#signal = signal;
    this.releases = new Releases((args, call) => this.#run(args, call));
  }

  #run(args: readonly string[], call: GitCall): Promise<ProcessResult> {
    return runGit(this.#system, args, call, this.#signal);
  }

  async #must(
    args: readonly string[],
    call: GitCall,
    what: string,
    repo: string | null,
  ): Promise<string> {
    const result = await this.#run(args, call);
    if (result.exitCode !== 0) throw gitFailure(result, what, repo);
    return result.stdout;
  }

  /** The state of a working copy. One process. `untracked: "all"` lists the files of new directories. */
  async status(
    path: string,
    repo: string,
    untracked: "normal" | "all" = "normal",
  ): Promise<PorcelainStatus> {
    const output = await this.#must(
      [
        "status",
        "--porcelain=v2",
        "--branch",
        "--show-stash",
        `--untracked-files=${untracked}`,
        "-z",
      ],
      { cwd: path, access: "read" },
      `read the status of "${repo}"`,
      repo,
    );
    return parseStatus(output);
  }

  /**
   * How many commits of HEAD, or another full ref, no remote-tracking branch has. One process; 0 in a repository
   * without commits.
   */
  async unpushedCount(path: string, repo: string, ref = "HEAD"): Promise<number> {
    const result = await this.#run(
      ["rev-list", "--count", ref, "--not", "--remotes", "--"],
      { cwd: path, access: "read" },
    );
    if (result.exitCode === 0) return Number(result.stdout.trim());
    if (/unknown revision|bad revision/.test(result.stderr)) return 0;
    throw gitFailure(result, `count the unpushed commits of "${repo}"`, repo);
  }

  /** How many commits of any local branch no remote-tracking branch has. One process. */
  async localOnlyCount(path: string, repo: string): Promise<number> {
    const output = await this.#must(
      ["rev-list", "--count", "--branches", "--not", "--remotes", "--"],
      { cwd: path, access: "read" },
      `count the local commits of "${repo}"`,
      repo,
    );
    return Number(output.trim());
  }

  /**
   * The newest commits of any local branch, and of a detached HEAD, that no remote-tracking branch has: at most
   * `most` of them. One process.
   */
  async localOnlyCommits(
    path: string,
    repo: string,
    head: string | null,
    most: number,
  ): Promise<CommitLine[]> {
    const output = await this.#must(
      [
        "log",
        "--no-show-signature",
        `--max-count=${most}`,
        "--format=%H%x09%s",
        "-z",
        "--branches",
        ...(head === null ? [] : [head]),
        "--not",
        "--remotes",
        "--",
      ],
      { cwd: path, access: "read" },
      `list the local commits of "${repo}"`,
      repo,
    );
    return output.split("\0").filter((line) => line !== "").map((line) => {
      const at = line.indexOf("\t");
      return { commit: line.slice(0, at), subject: line.slice(at + 1) };
    });
  }

  /** How many commits tags have that neither a branch nor a remote-tracking branch has. One process. */
  async tagOnlyCount(path: string, repo: string): Promise<number> {
    const output = await this.#must(
      ["rev-list", "--count", "--tags", "--not", "--branches", "--remotes", "--"],
      { cwd: path, access: "read" },
      `count the tagged commits of "${repo}"`,
      repo,
    );
    return Number(output.trim());
  }

  /**
   * How many commits of a branch no other local branch and no remote-tracking branch has, one of the remote
   * with the same name aside. One process.
   */
  async ownCount(path: string, branch: string, withoutRemote: boolean): Promise<number> {
    const output = await this.#must(
      [
        "rev-list",
        "--count",
        `refs/heads/${branch}`,
        "--not",
        `--exclude=${branch}`,
        "--branches",
        ...(withoutRemote ? [`--exclude=*/${branch}`] : []),
        "--remotes",
        "--",
      ],
      { cwd: path, access: "read" },
      `count the commits of ${branch}`,
      null,
    );
    return Number(output.trim());
  }

  /** How many commits some have that others do not; commits unknown here are passed over. One process. */
  async countUncovered(
    path: string,
    commits: readonly string[],
    others: readonly string[],
    repo: string,
  ): Promise<number> {
    const output = await this.#must(
      ["rev-list", "--count", "--ignore-missing", "--stdin"],
      {
        cwd: path,
        access: "read",
        stdin: [...commits, ...others.map((other) => `^${other}`), ""].join("\n"),
      },
      `count the commits of "${repo}"`,
      repo,
    );
    return Number(output.trim());
  }

  /** All local branches. One process. */
  async localBranches(path: string, repo: string): Promise<LocalBranch[]> {
    const output = await this.#must(
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

  /** The messages of all stashes, newest first. One process. */
  async stashes(path: string, repo: string): Promise<CommitLine[]> {
    const output = await this.#must(
      ["stash", "list", "--format=%H%x09%gs", "-z"],
      { cwd: path, access: "read" },
      `list the stashes of "${repo}"`,
      repo,
    );
    return output.split("\0").filter((line) => line !== "").map((line) => {
      const at = line.indexOf("\t");
      return { commit: line.slice(0, at), subject: line.slice(at + 1) };
    });
  }

  /** Ignored files and directories, a wholly ignored directory as one entry that ends in `/`. One process. */
  async ignoredPaths(path: string, repo: string): Promise<string[]> {
    const output = await this.#must(
      ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"],
      { cwd: path, access: "read" },
      `list the ignored files of "${repo}"`,
      repo,
    );
    return output.split("\0").filter((name) => name !== "");
  }

  /** How many commits `to` has that `from` does not. One process; null when one of them does not exist. */
  async countBetween(path: string, from: string, to: string): Promise<number | null> {
    const result = await this.#run(
      ["rev-list", "--count", "--end-of-options", `${from}..${to}`, "--"],
      { cwd: path, access: "read" },
    );
    return result.exitCode === 0 ? Number(result.stdout.trim()) : null;
  }

  /** How many commits a commit has that none of the others has. One process. */
  async countBeyond(
    path: string,
    commit: string,
    others: readonly string[],
    repo: string,
  ): Promise<number> {
    const output = await this.#must(
      [
        "rev-list",
        "--count",
        "--end-of-options",
        commit,
        ...others.map((other) => `^${other}`),
        "--",
      ],
      { cwd: path, access: "read" },
      `count the commits of "${repo}"`,
      repo,
    );
    return Number(output.trim());
  }

  /** The commit a full ref name points to, or null. One process. */
  async resolveRef(path: string, ref: string): Promise<string | null> {
    const result = await this.#run(
      ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`],
      { cwd: path, access: "read" },
    );
    return result.exitCode === 0 ? result.stdout.trim() : null;
  }

  /**
   * Whether a directory is the top of a working copy, and which operation is unfinished there; null when
   * it is none. No process: git's marker files are looked for in one listing.
   */
  async activity(path: string): Promise<{ readonly inProgress: InProgress | null } | null> {
    let entries = await this.#system.files.list(join(path, ".git"));
    if (entries.length === 0) {
      const elsewhere = await this.gitDirectory(path);
      if (elsewhere === null) return null;
      entries = await this.#system.files.list(elsewhere);
    }
    const names = new Set(entries.map((entry) => entry.name));
    const markers: readonly (readonly [string, InProgress])[] = [
      ["rebase-merge", "rebase"],
      ["rebase-apply", "rebase"],
      ["MERGE_HEAD", "merge"],
      ["CHERRY_PICK_HEAD", "cherry-pick"],
      ["REVERT_HEAD", "revert"],
      ["BISECT_LOG", "bisect"],
    ];
    return { inProgress: markers.find(([file]) => names.has(file))?.[1] ?? null };
  }

  /** The git directory of a working copy, following a linked worktree's `.git` file. No process. */
  async gitDirectory(path: string): Promise<string | null> {
    const dotGit = join(path, ".git");
    const info = await this.#system.files.stat(dotGit);
    if (info === null) return null;
    if (info.kind === "directory") return dotGit;
    const text = await this.#system.files.readText(dotGit);
    const match = /^gitdir: (.+)$/m.exec(text ?? "");
    return match === null ? null : resolve(path, match[1]?.trim() ?? "");
  }

  /** The directory shared by all worktrees of a repository. No process. */
  async commonDirectory(path: string): Promise<string | null> {
    const own = await this.gitDirectory(path);
    if (own === null) return null;
    const common = await this.#system.files.readText(join(own, "commondir"));
    return common === null ? own : resolve(own, common.trim());
  }

  /** All worktrees of a repository, the main one first. One process. */
  async worktrees(root: string): Promise<Worktree[]> {
    const output = await this.#must(
      ["worktree", "list", "--porcelain"],
      { cwd: root, access: "read" },
      "list the worktrees of the control repository",
      null,
    );
    return output.split("\n\n").filter((block) => block.trim() !== "").map((block) => {
      const lines = block.split("\n");
      const value = (key: string) =>
        lines.find((line) => line.startsWith(`${key} `))?.slice(key.length + 1) ?? null;
      return {
        path: value("worktree") ?? "",
        branch: value("branch")?.replace(/^refs\/heads\//, "") ?? null,
        head: value("HEAD"),
        bare: lines.includes("bare"),
        prunable: lines.some((line) => line.startsWith("prunable")),
        locked: lines.some((line) => /^locked(?: |$)/.test(line)),
      };
    });
  }

  /** Adds a worktree, on a new branch from a commit or on an existing one for null. One process. */
  async addWorktree(
    root: string,
    path: string,
    branch: string,
    from: string | null,
  ): Promise<void> {
    await this.#must(
      from !== null
        ? ["worktree", "add", "-b", branch, "--end-of-options", path, from]
        : ["worktree", "add", "--end-of-options", path, branch],
      { cwd: root, access: "internal" },
      `add the worktree for "${branch}"`,
      null,
    );
  }

  /** Whether the checkout of a working copy was ever finished. No process. */
  async hasIndex(path: string): Promise<boolean> {
    const directory = await this.gitDirectory(path);
    return directory !== null && await this.#system.files.lstat(join(directory, "index")) !== null;
  }

  /**
   * Removes a worktree. Git refuses when it holds changes or untracked files, but deletes ignored ones:
   * look with {@linkcode Git.untrackedPaths} first. `unfinished` removes one whose checkout was cut off,
   * which git keeps locked. One process.
   */
  async removeWorktree(root: string, path: string, unfinished = false): Promise<void> {
    await this.#must(
      [
        "worktree",
        "remove",
        ...(unfinished ? ["--force", "--force"] : []),
        "--end-of-options",
        path,
      ],
      { cwd: root, access: "internal" },
      "remove the worktree",
      null,
    );
  }

  /** Paths that git does not track in a working copy, ignored ones too; nested repositories end in `/`. One process. */
  async untrackedPaths(path: string): Promise<string[]> {
    const output = await this.#must(
      ["ls-files", "--others", "-z"],
      { cwd: path, access: "read" },
      "list the untracked files",
      null,
    );
    return output.split("\0").filter((name) => name !== "");
  }

  /**
   * Paths below a directory, relative to it, that the repository around it tracks or would track; what is ignored
   * is left out, what was deleted may be among them. One process.
   */
  async ownPaths(directory: string): Promise<string[]> {
    const output = await this.#must(
      ["ls-files", "--cached", "--others", "--exclude-standard", "-z"],
      { cwd: directory, access: "read", upward: true },
      "list the files of a directory",
      null,
    );
    return [...new Set(output.split("\0").filter((name) => name !== ""))];
  }

  /** Forgets worktrees whose directory is gone. One process. */
  async pruneWorktrees(root: string): Promise<void> {
    await this.#must(
      ["worktree", "prune"],
      { cwd: root, access: "internal" },
      "forget the worktrees whose directory is gone",
      null,
    );
  }

  /** Deletes a ref only if it still points to `expected`; false when it does not. One process, two when it fails. */
  async deleteRef(root: string, ref: string, expected: string): Promise<boolean> {
    // Without an expected value git would delete whatever is there.
    if (expected === "") return false;
    const result = await this.#run(["update-ref", "-d", ref, expected], {
      cwd: root,
      access: "internal",
    });
    if (result.exitCode === 0) return true;
    if (await this.resolveRef(root, ref) !== expected) return false;
    throw gitFailure(result, `delete ${ref}`, null);
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
    await this.#must(
      [
        "clone",
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

  /** The branch that is checked out, or null when detached. No process: HEAD is read. */
  async currentBranch(path: string): Promise<string | null> {
    const directory = await this.gitDirectory(path);
    const head = directory === null
      ? null
      : await this.#system.files.readText(join(directory, "HEAD"));
    return /^ref: refs\/heads\/(.+)$/m.exec(head ?? "")?.[1] ?? null;
  }

  /** Brings the remote-tracking branches of `origin` up to date and removes vanished ones. One process, network. */
  async fetch(path: string, repo: string, onLine: OnLine): Promise<void> {
    await this.#must(
      ["fetch", "--prune", "--no-recurse-submodules", "--end-of-options", "origin"],
      { cwd: path, access: "internal", network: true, onLine },
      `fetch "${repo}"`,
      repo,
    );
  }

  /** The commits of refs by full name; those that do not exist are absent. One process. */
  async refs(
    path: string,
    patterns: readonly string[],
    repo: string,
  ): Promise<ReadonlyMap<string, string>> {
    const output = await this.#must(
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

  /** Whether one commit is an ancestor of another, or the same. One process. */
  async isAncestor(path: string, ancestor: string, descendant: string): Promise<boolean> {
    const result = await this.#run(
      ["merge-base", "--is-ancestor", "--end-of-options", ancestor, descendant],
      { cwd: path, access: "read" },
    );
    return result.exitCode === 0;
  }

  /** Moves the checked-out branch forward to a commit; refuses anything but a fast-forward. One process. */
  async fastForward(path: string, commit: string, repo: string): Promise<void> {
    await this.#must(
      ["merge", "--ff-only", "--quiet", "--end-of-options", commit],
      { cwd: path, access: "internal" },
      `move "${repo}" forward`,
      repo,
    );
  }

  /**
   * Points a ref to a commit, only if it still points to `expected`; false when it does not. One process, two when
   * it fails.
   */
  async moveRef(path: string, ref: string, commit: string, expected: string): Promise<boolean> {
    const result = await this.#run(
      ["update-ref", "-m", "amof", ref, commit, expected],
      { cwd: path, access: "internal" },
    );
    if (result.exitCode === 0) return true;
    if (await this.resolveRef(path, ref) !== expected) return false;
    throw gitFailure(result, `move ${ref}`, null);
  }

  /** The URL a remote is pushed to, or null when there is no such remote. One process. */
  async pushUrl(path: string, remote: string): Promise<string | null> {
    const result = await this.#run(
      ["remote", "get-url", "--push", "--end-of-options", remote],
      { cwd: path, access: "read" },
    );
    return result.exitCode === 0 ? result.stdout.trim() : null;
  }

  /** The branches of a remote by name with their commits, asked of the remote itself. One process, network. */
  async remoteBranches(
    path: string,
    remote: string,
    repo: string,
  ): Promise<ReadonlyMap<string, string>> {
    const refs = await this.#remoteRefs(path, remote, repo, ["--heads"]);
    return new Map([...refs].map(([ref, commit]) => [ref.replace(/^refs\/heads\//, ""), commit]));
  }

  /** The branches and tags of a remote by full name, asked of the remote itself. One process, network. */
  remoteRefs(path: string, remote: string, repo: string): Promise<ReadonlyMap<string, string>> {
    return this.#remoteRefs(path, remote, repo, ["--heads", "--tags"]);
  }

  async #remoteRefs(
    path: string,
    remote: string,
    repo: string,
    kinds: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    const output = await this.#must(
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

  /** Stages tracked changes and untracked files, never `.amof/`, and commits with the user's hooks. Two processes. */
  async commitAll(path: string, message: string, repo: string, onLine: OnLine): Promise<void> {
    await this.#must(
      ["add", "--all", "--", ".", ":(exclude,top).amof"],
      { cwd: path, access: "internal" },
      `stage the changes of "${repo}"`,
      repo,
    );
    await this.#must(
      ["commit", "--file=-", "--cleanup=verbatim"],
      { cwd: path, access: "write", stdin: message, onLine },
      `commit the changes of "${repo}"`,
      repo,
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
    const result = await this.#run(
      [
        "push",
        "--porcelain",
        "--no-follow-tags",
        "--recurse-submodules=no",
        "--end-of-options",
        remote,
        `${commit}:refs/heads/${branch}`,
      ],
      { cwd: path, access: "write", network: true, onLine },
    );
    return pushOutcome(result);
  }

  /** Makes a local branch follow a branch of a remote. One process. */
  async setUpstream(path: string, branch: string, upstream: string, repo: string): Promise<void> {
    await this.#must(
      ["branch", `--set-upstream-to=${upstream}`, "--end-of-options", branch],
      { cwd: path, access: "internal" },
      `set the upstream of "${repo}"`,
      repo,
    );
  }

  /** Whether git ignores a path of a working copy. One process. */
  async isIgnored(root: string, path: string): Promise<boolean> {
    const result = await this.#run(["check-ignore", "--quiet", "--", path], {
      cwd: root,
      access: "read",
    });
    return result.exitCode === 0;
  }

  /**
   * Stages new files and commits exactly them, with the user's hooks; when that fails they are not staged
   * any more. Three processes.
   */
  async commitPaths(root: string, paths: readonly string[], message: string): Promise<string> {
    await this.#must(
      ["add", "--", ...paths],
      { cwd: root, access: "internal" },
      "stage the new files",
      null,
    );
    try {
      await this.#must(
        ["commit", "--file=-", "--cleanup=verbatim", "--only", "--", ...paths],
        { cwd: root, access: "write", stdin: message },
        "commit the new files",
        null,
      );
    } catch (error) {
      // What stayed staged would go into the user's next commit.
      await this.#run(["rm", "--cached", "--quiet", "--", ...paths], {
        cwd: root,
        access: "internal",
      });
      throw error;
    }
    return await this.resolveRef(root, "HEAD") ?? "";
  }

  /** Makes an empty repository, bare or not, with `main` as its first branch. One process. */
  async init(path: string, bare: boolean): Promise<void> {
    await this.#must(
      [
        "init",
        "--quiet",
        "--initial-branch=main",
        ...(bare ? ["--bare"] : []),
        "--end-of-options",
        path,
      ],
      { cwd: path, access: "internal" },
      "make a repository",
      null,
    );
  }

  /** Sets a value in the configuration of one repository. One process. */
  async setConfig(path: string, name: string, value: string): Promise<void> {
    await this.#must(
      ["config", "--local", name, value],
      { cwd: path, access: "internal" },
      `set ${name}`,
      null,
    );
  }

  /** Adds a remote. One process. */
  async addRemote(path: string, name: string, url: string): Promise<void> {
    await this.#must(
      ["remote", "add", "--end-of-options", name, url],
      { cwd: path, access: "internal" },
      `add the remote ${name}`,
      null,
    );
  }

  /**
   * Makes a branch at a commit-ish, HEAD when absent, and switches to it. `track` makes it follow that remote
   * branch. One process.
   */
  async createBranch(
    path: string,
    branch: string,
    repo: string,
    start = "HEAD",
    track = false,
  ): Promise<void> {
    await this.#must(
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
    await this.#must(
      ["switch", "--quiet", "--no-guess", "--end-of-options", branch],
      { cwd: path, access: "internal" },
      `switch "${repo}" to ${branch}`,
      repo,
    );
  }

  /** Makes a ref that must not exist yet; false when it does. One process, two when it fails. */
  async createRef(path: string, ref: string, commit: string): Promise<boolean> {
    const result = await this.#run(["update-ref", "-m", "amof", ref, commit, ""], {
      cwd: path,
      access: "internal",
    });
    if (result.exitCode === 0) return true;
    if (await this.resolveRef(path, ref) !== null) return false;
    throw gitFailure(result, `make ${ref}`, null);
  }

  /** The stash with exactly this message, as `stash@{n}`, or null. One process. */
  async findStash(path: string, message: string): Promise<string | null> {
    const result = await this.#run(["stash", "list", "--format=%gd%x00%gs", "-z"], {
      cwd: path,
      access: "read",
    });
    if (result.exitCode !== 0) return null;
    const parts = result.stdout.split("\0");
    for (let index = 0; index + 1 < parts.length; index += 2) {
      // Git puts "On <branch>: " in front of the message.
      if (parts[index + 1]?.replace(/^On [^:]*: /, "") === message) return parts[index] ?? null;
    }
    return null;
  }

  /** Puts all uncommitted work away, untracked files too. One process. */
  async stashSave(path: string, message: string, repo: string): Promise<void> {
    await this.#must(
      ["stash", "push", "--quiet", "--include-untracked", "--message", message],
      { cwd: path, access: "internal" },
      `stash the changes of "${repo}"`,
      repo,
    );
  }

  /** Brings back a stash and drops it; git keeps it when it does not fit. One process. */
  async stashPop(path: string, stash: string, repo: string): Promise<void> {
    await this.#must(
      ["stash", "pop", "--quiet", "--index", stash],
      { cwd: path, access: "internal" },
      `restore the stashed changes of "${repo}"`,
      repo,
    );
  }

  /** Deletes a branch of a remote only if it still points to a commit. One process, network. */
  async deleteRemoteBranch(
    path: string,
    remote: string,
    branch: string,
    commit: string,
    repo: string,
  ): Promise<void> {
    const ref = `refs/heads/${branch}`;
    await this.#must(
      [
        "push",
        "--porcelain",
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

  /** The top directory of the working copy that holds a directory; null when there is none, or no git. One process. */
  async topLevel(path: string): Promise<string | null> {
    const result = await this.#run(["rev-parse", "--show-toplevel"], {
      cwd: path,
      access: "read",
      upward: true,
    });
    const top = result.stdout.replace(/\r?\n$/, "");
    return result.exitCode === 0 && top !== "" ? top : null;
  }

  /** The URL a remote is fetched from, or null when there is no such remote. One process. */
  async remoteUrl(path: string, remote: string): Promise<string | null> {
    const result = await this.#run(
      ["remote", "get-url", "--end-of-options", remote],
      { cwd: path, access: "read" },
    );
    const url = result.stdout.trim();
    return result.exitCode === 0 && url !== "" ? url : null;
  }

  /**
   * The commit that a branch or tag of a remote repository points to, a tag's own commit first; null when
   * there is neither. One process, network.
   */
  async remoteCommit(cwd: string, url: string, name: string, what: string): Promise<string | null> {
    const refs = [`refs/heads/${name}`, `refs/tags/${name}`, `refs/tags/${name}^{}`];
    const output = await this.#must(
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
    await this.#must(
      [
        "clone",
        "--quiet",
        "--no-recurse-submodules",
        "--no-checkout",
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

  /** Puts the files of a commit into a working copy. One process. */
  async checkOut(path: string, commit: string, what: string): Promise<void> {
    await this.#must(
      ["checkout", "--quiet", "--detach", commit, "--"],
      { cwd: path, access: "internal" },
      `check out ${commit} of ${what}`,
      null,
    );
  }

  /** The bytes of a file in a commit, or null when the commit or the file does not exist. One process. */
  async fileAt(path: string, commit: string, file: string): Promise<Uint8Array | null> {
    const result = await this.#run(
      ["cat-file", "blob", "--end-of-options", `${commit}:${file}`],
      { cwd: path, access: "read", binary: true },
    );
    return result.exitCode === 0 ? result.bytes ?? new Uint8Array() : null;
  }

  /** The version of the installed git, such as "2.39.5". One process. */
  async version(cwd: string): Promise<string> {
    const output = await this.#must(
      ["version"],
      { cwd, access: "read" },
      "ask git for its version",
      null,
    );
    return output.replace(/^git version /, "").trim();
  }
}
