/**
 * Git as the rest of the program knows it: typed questions and changes. No other folder spells a git
 * argument.
 *
 * Every operation says in its comment how many processes it starts.
 *
 * @module
 */

import { join } from "@std/path";
import type { System } from "../system/mod.ts";
import { BESIDE_PATHS } from "../system/temporary.ts";
import { Branches } from "./branches.ts";
import { Commits } from "./commits.ts";
import { commonDirectory, gitDirectory } from "./directory.ts";
import { classifyGitFailure, gitFailure } from "./error.ts";
import { Everything } from "./everything.ts";
import { History } from "./history.ts";
import { mendFastForward } from "./cut_off.ts";
import { type Lifetime, removeStaleLocks } from "./locks.ts";
import { Landed } from "./landed.ts";
import { Refs } from "./refs.ts";
import { Releases } from "./releases.ts";
import { Remotes } from "./remotes.ts";
import { Runner } from "./runner.ts";
import { Sending } from "./sending.ts";
import { Snapshots } from "./snapshots.ts";
import { Stashes } from "./stashes.ts";
import { parseStatus, type PorcelainStatus } from "./status_v2.ts";
import { Worktrees } from "./worktrees.ts";

export {
  classifyGitFailure,
  type GitErrorKind,
  gitFailure,
  isOvertaken,
  isRecentGit,
  OLDEST_GIT,
} from "./error.ts";
export { logLines } from "./log.ts";
export { reason, tail } from "./reason.ts";
export { useFix, useText } from "./branch_use.ts";
export { branchInUse } from "./refs.ts";
export { isBranchName, isUnsafeUrl } from "./names.ts";
export { hostOf, localJobs, TransferLimits } from "./limits.ts";
export type { Lifetime } from "./locks.ts";
export type { FlaggedFile, Ref, RefCommit } from "./everything.ts";
export type { Landing } from "./landed.ts";
export type { CommitLine } from "./history.ts";
export { type StashEntry, stashTitle } from "./stashes.ts";
export { type Hindrance, snapshotId } from "./snapshots.ts";
export { subjectOf as stashSubject } from "./snapshot/stream.ts";
export type { LocalBranch } from "./branches.ts";
export type { OnLine, PushOutcome } from "./push_outcome.ts";
export type { CommitFacts, Tag } from "./releases.ts";
export type { Sent } from "./sending.ts";
export type { Worktree } from "./worktrees.ts";
export { withRetries } from "./retry.ts";
export type { ChangedPath, PorcelainStatus } from "./status_v2.ts";
export { isReadOnlyGit } from "./verbs.ts";

/** An unfinished operation in a repository. */
export type InProgress = "merge" | "rebase" | "cherry-pick" | "revert" | "bisect";

/**
 * Git over one world: the working copy itself, and its parts. Calls throw an `AmofError` made by
 * {@linkcode gitFailure} unless they say otherwise.
 */
export class Git {
  readonly #git: Runner;
  /** Names of commits. */
  readonly refs: Refs;
  /** Branches, and which one is checked out. */
  readonly branches: Branches;
  /** Which commits are where, and how many. */
  readonly history: History;
  /** What a repository holds besides branches and what a status shows. */
  readonly everything: Everything;
  /** Whether the changes of a branch are in another one, whatever its commits are called. */
  readonly landed: Landed;
  /** What is about remotes or talks to them. */
  readonly remotes: Remotes;
  /** Commits that are about to be sent. */
  readonly sending: Sending;
  /** Linked working copies. */
  readonly worktrees: Worktrees;
  /** Work that was put away. */
  readonly stashes: Stashes;
  /** Snapshots of uncommitted work. */
  readonly snapshots: Snapshots;
  /** Making commits, and files of commits. */
  readonly commits: Commits;
  /** What releases need: tags, release commits, atomic pushes. */
  readonly releases: Releases;

  /** `timeout` is how many seconds one transfer may take; null for as long as it makes progress. */
  constructor(system: System, signal?: AbortSignal, timeout: number | null = null) {
    this.#git = new Runner(system, signal, timeout);
    this.refs = new Refs(this.#git);
    this.branches = new Branches(this.#git);
    this.history = new History(this.#git);
    this.everything = new Everything(this.#git);
    this.landed = new Landed(this.#git);
    this.remotes = new Remotes(this.#git);
    this.sending = new Sending(this.#git);
    this.worktrees = new Worktrees(this.#git);
    this.stashes = new Stashes(this.#git);
    this.snapshots = new Snapshots(this.#git);
    this.commits = new Commits(this.#git);
    this.releases = new Releases(this.#git);
  }

  /** The same git, which only `signal` ends; nothing when it is absent. `timeout` is how many seconds a transfer may take. */
  until(signal?: AbortSignal, timeout: number | null = this.#git.timeout): Git {
    return new Git(this.#git.system, signal, timeout);
  }

  /** The state of a working copy. One process. `untracked: "all"` lists the files of new directories. */
  async status(
    path: string,
    repo: string,
    untracked: "normal" | "all" = "normal",
  ): Promise<PorcelainStatus> {
    const output = await this.#git.must(
      [
        "status",
        "--porcelain=v2",
        "--branch",
        "--show-stash",
        "--ahead-behind",
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
   * Whether a directory is the top of a working copy, and which operation is unfinished there; null when
   * it is none. No process: git's marker files are looked for in one listing.
   */
  async activity(path: string): Promise<{ readonly inProgress: InProgress | null } | null> {
    let entries = await this.#git.system.files.list(join(path, ".git"));
    if (entries.length === 0) {
      const elsewhere = await gitDirectory(this.#git.system, path);
      if (elsewhere === null) return null;
      entries = await this.#git.system.files.list(elsewhere);
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

  /** Does work on a repository while no other process of this program writes there. No process. */
  inTurn<T>(path: string, work: () => Promise<T>): Promise<T> {
    return this.#git.inTurn(path, work);
  }

  /** The git directory of a working copy, following a linked worktree's `.git` file. No process. */
  gitDirectory(path: string): Promise<string | null> {
    return gitDirectory(this.#git.system, path);
  }

  /** Mends a working copy in which a fast-forward was cut off; see {@linkcode mendFastForward}. At least two processes. */
  mendFastForward(path: string, to: string): ReturnType<typeof mendFastForward> {
    return mendFastForward(this.#git, path, to);
  }

  /** Removes the locks of a git that is dead; see {@linkcode removeStaleLocks}. No process. */
  removeStaleLocks(path: string, lifetime: Lifetime): Promise<string[]> {
    return removeStaleLocks(this.#git.system, path, lifetime);
  }

  /** The directory shared by all worktrees of a repository. No process. */
  commonDirectory(path: string): Promise<string | null> {
    return commonDirectory(this.#git.system, path);
  }

  /** Whether the checkout of a working copy was ever finished. No process. */
  async hasIndex(path: string): Promise<boolean> {
    const directory = await gitDirectory(this.#git.system, path);
    return directory !== null &&
      await this.#git.system.files.lstat(join(directory, "index")) !== null;
  }

  /** Paths that git does not track in a working copy, ignored ones too; nested repositories end in `/`. One process. */
  async untrackedPaths(path: string): Promise<string[]> {
    const output = await this.#git.must(
      ["ls-files", "--others", "-z"],
      { cwd: path, access: "read" },
      "list the untracked files",
      null,
    );
    return output.split("\0").filter((name) => name !== "");
  }

  /** Temporary files of this program that lie in a working copy, relative to it, unless ignored. One process. */
  async temporaryFiles(path: string): Promise<string[]> {
    const output = await this.#git.must(
      ["ls-files", "--others", "--exclude-standard", "-z", "--", BESIDE_PATHS],
      { cwd: path, access: "read" },
      "list the temporary files",
      null,
    );
    return output.split("\0").filter((name) => name !== "");
  }

  /**
   * Paths below a directory, relative to it, that the repository around it tracks or would track; what is ignored
   * is left out, what was deleted may be among them. One process.
   */
  async ownPaths(directory: string): Promise<string[]> {
    const output = await this.#git.must(
      ["ls-files", "--cached", "--others", "--exclude-standard", "-z"],
      { cwd: directory, access: "read", upward: true },
      "list the files of a directory",
      null,
    );
    return [...new Set(output.split("\0").filter((name) => name !== ""))];
  }

  /** Ignored files and directories, a wholly ignored directory as one entry that ends in `/`. One process. */
  async ignoredPaths(path: string, repo: string): Promise<string[]> {
    const output = await this.#git.must(
      ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"],
      { cwd: path, access: "read" },
      `list the ignored files of "${repo}"`,
      repo,
    );
    return output.split("\0").filter((name) => name !== "");
  }

  /** Whether git ignores a path of a working copy. One process. */
  async isIgnored(root: string, path: string): Promise<boolean> {
    const result = await this.#git.ask(
      ["check-ignore", "--quiet", "--", path],
      { cwd: root, access: "read" },
      `ask whether git ignores ${path}`,
      null,
    );
    return result !== null;
  }

  /**
   * The top directory of the working copy that holds a directory; null when there is none, or no git. Throws where
   * git refuses to say. One process.
   */
  async topLevel(path: string): Promise<string | null> {
    const call = { cwd: path, access: "read", upward: true } as const;
    const result = await this.#git.run(["rev-parse", "--show-toplevel"], call);
    const top = result.stdout.replace(/\r?\n$/, "");
    if (result.exitCode === 0) return top === "" ? null : top;
    if (classifyGitFailure(result) === "unsafe_owner") {
      throw gitFailure(result, "find the top of the working copy", null, call);
    }
    return null;
  }

  /** Makes an empty repository, bare or not, with `main` as its first branch. One process. */
  async init(path: string, bare: boolean): Promise<void> {
    await this.#git.must(
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

  /** A value of git's configuration as it holds in a directory; null when it is not set. One process. */
  async configured(path: string, name: string): Promise<string | null> {
    const result = await this.#git.ask(
      ["config", "--get", name],
      { cwd: path, access: "read", upward: true },
      `read ${name}`,
      null,
    );
    return result?.stdout.replace(/\r?\n$/, "") || null;
  }

  /** Sets a value in the configuration of one repository. One process. */
  async setConfig(path: string, name: string, value: string): Promise<void> {
    await this.#git.must(
      ["config", "--local", name, value],
      { cwd: path, access: "internal" },
      `set ${name}`,
      null,
    );
  }

  /** The version of the installed git, such as "2.39.5". One process. */
  async version(cwd: string): Promise<string> {
    const output = await this.#git.must(
      ["version"],
      { cwd, access: "read" },
      "ask git for its version",
      null,
    );
    return output.replace(/^git version /, "").trim();
  }
}
