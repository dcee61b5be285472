/**
 * A directory with a repository: what is asked and changed there, each kind of question a part of its own.
 *
 * Every operation says in its comment how many processes it starts.
 */

import { AmofError } from "../base/error.ts";
import { type AbsPath, absPath, type Sha } from "../base/ids.ts";
import { shellWord } from "../base/text/words.ts";
import { join, resolve } from "@std/path";
import { type Activity, activityIn, mendFastForward } from "./call/activity.ts";
import { Borrowed } from "./read/borrowed.ts";
import { Branches } from "./write/branches.ts";
import { Commits } from "./write/commits.ts";
import { commonDirectory, gitDirectory } from "./files/directory.ts";
import { gitFailure } from "./call/error.ts";
import {
  classifyGitFailure,
  LEFT_MS,
  type Lifetime,
  removeStaleLocks,
} from "./call/failure_kind.ts";
import { Differences } from "./read/differences.ts";
import { Files } from "./read/files.ts";
import { History } from "./read/history.ts";
import { hasJj } from "./read/everything.ts";
import { Integrated } from "./read/integrated.ts";
import { textOf } from "./odd_names.ts";
import { Refs } from "./read/refs.ts";
import { RemoteRefs } from "./read/remote_refs.ts";
import { Remotes } from "./write/remotes.ts";
import type { Runner, Untrusted } from "./call/runner.ts";
import { RepositoryPart } from "./call/part.ts";
import { type ConfigKeys, listedKeys } from "./files/config_text.ts";
import { Sending } from "./read/sending.ts";
import { Stashes } from "./write/stashes.ts";
import { parseStatus, type PorcelainStatus } from "./read/status_v2.ts";
import { Worktrees } from "./read/branch_use.ts";
import type { System } from "../base/system/mod.ts";
import type { KeptLook } from "./files/signature.ts";

/** A letter for each byte. */
const LATIN = new TextDecoder("latin1");

/**
 * The lock of the index that has been there for longer than git is at work, as an absolute path; null where none is. No
 * process.
 */
async function leftLock(system: System, path: string): Promise<string | null> {
  const own = await gitDirectory(system, path);
  if (own === null) return null;
  const lock = join(own, "index.lock");
  const made = (await system.files.lstat(lock))?.modifiedMs ?? null;
  return made !== null && system.clock.now() - made > LEFT_MS ? lock : null;
}

/** The working copy in a directory, and the kinds of questions about it. Costs nothing until something is asked. */
export class Repository extends RepositoryPart {
  /** What has changed, file by file. */
  get differences(): Differences {
    return new Differences(this.git);
  }

  /** Commits that are about to be sent. */
  get sending(): Sending {
    return new Sending(this.git);
  }

  /** Names of commits. */
  get refs(): Refs {
    return new Refs(this.git);
  }

  /** Branches, and which one is checked out. */
  get branches(): Branches {
    return new Branches(this.git);
  }

  /** Which commits are where, and how many. */
  get history(): History {
    return new History(this.git);
  }

  /** Files by what git makes of them: not tracked, ignored, its own. */
  get files(): Files {
    return new Files(this.git);
  }

  /** Whether the changes of a branch are in another one, whatever its commits are called. */
  get integrated(): Integrated {
    return new Integrated(this.git);
  }

  /** What a clone reads of other repositories. */
  get borrowed(): Borrowed {
    return new Borrowed(this.git);
  }

  /** Addresses of remotes, and what is fetched from them and pushed to them. */
  get remotes(): Remotes {
    return new Remotes(this.git);
  }

  /** What remotes have, asked of them themselves. */
  get remoteRefs(): RemoteRefs {
    return new RemoteRefs(this.git);
  }

  /** Linked working copies. */
  get worktrees(): Worktrees {
    return new Worktrees(this.git);
  }

  /** Work that was put away. */
  get stashes(): Stashes {
    return new Stashes(this.git);
  }

  /** Making commits, and files of commits. */
  get commits(): Commits {
    return new Commits(this.git);
  }

  /**
   * A part that few commands need, which they bring themselves.
   *
   * @example
   * ```ts
   * import { Git } from "./mod.ts";
   * import { Search } from "./read/mod.ts";
   *
   * export function searchIn(git: Git, directory: string): Search {
   *   return git.at(directory, "api").part(Search);
   * }
   * ```
   */
  part<T>(Kind: new (git: Runner) => T): T {
    return new Kind(this.git);
  }

  /**
   * The state of a working copy. One process, and at most four for each submodule where another commit is checked out.
   * `untracked: "all"` lists the files of new directories.
   */
  async status(untracked: "normal" | "all" = "normal"): Promise<PorcelainStatus> {
    const output = await this.git.mustBytes(
      [
        "status",
        "--porcelain=v2",
        "--branch",
        "--show-stash",
        "--ahead-behind",
        `--untracked-files=${untracked}`,
        "-z",
      ],
      { access: "read", depends: "files" },
      `read the status of "${this.git.name}"`,
    );
    const status = parseStatus(textOf(output));
    if (status.changes.length > 0) await this.#refuseLostIndex(status.head);
    const moved = status.submodules.filter(({ wanted, moved }) => wanted !== null && moved);
    if (moved.length === 0) return status;
    const behind = await Promise.all(
      moved.map(async ({ path, wanted, modified }) =>
        !modified && await this.#isBehind(path, wanted) || await this.#isLeft(path)
      ),
    );
    const outOfStep = new Set(moved.filter((_, index) => behind[index]).map(({ path }) => path));
    return {
      ...status,
      changes: status.changes.filter(({ path }) => !outOfStep.has(path)),
      submodules: status.submodules.map((one) => ({ ...one, outOfStep: outOfStep.has(one.path) })),
    };
  }

  /**
   * Throws where git has lost its index. A split index has two files, and the first names the other by its
   * hash, which git may leave out since 2.40. Entries of a lost file would count as deleted. No process, one
   * where it is so.
   */
  async #refuseLostIndex(head: Sha | null): Promise<void> {
    const { system: { files }, directory, name } = this.git;
    const own = await gitDirectory(this.git.system, directory);
    const none = "0".repeat(head?.length ?? 40);
    if (own === null || !await files.exists(join(own, `sharedindex.${none}`))) return;
    const index = await files.readBytes(join(own, "index"));
    // The file beside an index may be older than that; the extension of the index tells.
    if (index === null || !/link[^]{4}\0{20}/.test(LATIN.decode(index))) return;
    const at = `git -C ${shellWord(directory)}`;
    const [first, second] = ["index", `sharedindex.${none}`].map((name) =>
      shellWord(join(own, name))
    );
    throw new AmofError(
      "git_failed",
      `Cannot read the status of "${name}": git has lost its index, for core.splitIndex does not go together with feature.manyFiles or index.skipHash`,
      {
        hint: [
          ...await this.#turnSplitIndexOff(),
          `Have the index made anew, which changes no file: rm ${first} ${second}`,
          `Then: ${at} read-tree HEAD`,
        ].join("\n"),
      },
    );
  }

  /** The line that turns it off in the file in which it is on; none where it is off, or on by no file. */
  async #turnSplitIndexOff(): Promise<string[]> {
    const setting = "core.splitIndex";
    const { stdout } = await this.git.run(
      ["config", "--get", "--show-scope", "--show-origin", "-z", "--type=bool", setting],
      { access: "read" },
    );
    const [scope, origin = "", value] = stdout.split("\0");
    const file = /^file:([^]+)$/.exec(origin)?.[1];
    if (value !== "true" || file === undefined) return [];
    // That of the system belongs to somebody else, and those of the user come before it.
    const where = scope === "system"
      ? "--global"
      : `--file ${shellWord(resolve(this.git.directory, file))}`;
    return [`Turn one of them off: git config ${where} --replace-all ${setting} false`];
  }

  /**
   * Whether a submodule is at an older commit than another one, which it may not have fetched yet. A pull or a
   * change of branches leaves it so. False where nobody can tell.
   */
  async #isBehind(path: string, wanted: string | null): Promise<boolean> {
    if (wanted === null) return false;
    const submodule = this.git.moved(join(this.git.directory, path));
    const call = { access: "read" } as const;
    try {
      const { exitCode } = await submodule.run(
        ["merge-base", "--is-ancestor", "HEAD", wanted],
        call,
      );
      if (exitCode < 2) return exitCode === 0;
      // What was never fetched here cannot be older than what was.
      return (await submodule.run(["cat-file", "-e", wanted], call)).exitCode !== 0;
    } catch (error) {
      if (error instanceof AmofError) return false;
      throw error;
    }
  }

  /**
   * Whether a submodule is still where the commit had it from which the last change of branches went, and nobody has
   * moved it since. What was checked out in the same moment counts as moved by somebody.
   */
  async #isLeft(path: string): Promise<boolean> {
    const { system, directory } = this.git;
    const submodule = this.git.moved(join(directory, path));
    const [own, its] = [
      await gitDirectory(system, directory),
      await gitDirectory(system, submodule.directory),
    ];
    if (own === null || its === null) return false;
    const changedAt = async (file: string) => (await system.files.lstat(file))?.modifiedMs ?? 0;
    const switched = await changedAt(join(own, "HEAD"));
    const moved = [join(its, "HEAD"), join(its, "logs/HEAD")].map(changedAt);
    if (Math.max(...await Promise.all(moved)) >= switched) return false;
    const log = await system.files.readText(join(own, "logs/HEAD"));
    const [, before] =
      /^([0-9a-f]+) [^\n]*\tcheckout: moving from [^\n]*\n(?![^]*\tcheckout: moving from )/m
        .exec(log ?? "") ?? [];
    if (before === undefined) return false;
    const call = { access: "read" } as const;
    try {
      const had = await this.git.run(["rev-parse", "--verify", "-q", `${before}:${path}`], call);
      const has = await submodule.run(["rev-parse", "--verify", "-q", "HEAD"], call);
      return had.exitCode === 0 && had.stdout === has.stdout;
    } catch (error) {
      if (error instanceof AmofError) return false;
      throw error;
    }
  }

  /** What is unfinished in a working copy, and when anything was fetched; see {@linkcode activityIn}. */
  activity(): Promise<Activity | null> {
    return activityIn(this.git);
  }

  /**
   * What somebody has to look at before the configuration of the repository counts; null where it counts. At most a
   * process for each file of configuration that has changed.
   */
  suspects(): Promise<Untrusted | null> {
    return this.git.suspects();
  }

  /**
   * The last look of a kind at the clone as it was kept, where everything stands that it went by; else null. At most one
   * process, for the first clone.
   */
  lastLook(kind: string): Promise<KeptLook | null> {
    return this.git.lastLook(kind);
  }

  /** Keeps what a look found, for {@linkcode Repository.lastLook}, and for what: plain data and a text. No process. */
  keepLook(...look: Parameters<Runner["keepLook"]>): Promise<void> {
    return this.git.keepLook(...look);
  }

  /** Whether jj works there beside git, which is on no branch then. No process. */
  hasJj(): Promise<boolean> {
    return hasJj(this.git.system, this.git.directory);
  }

  /** Does work on a repository while no other process of this program writes there. No process. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.git.inTurn(work);
  }

  /** The git directory of a working copy, following a linked worktree's `.git` file. No process. */
  gitDirectory(): Promise<string | null> {
    return gitDirectory(this.git.system, this.git.directory);
  }

  /** Mends a working copy in which a fast-forward was cut off; see {@linkcode mendFastForward}. At least two processes. */
  mendFastForward(to: string): ReturnType<typeof mendFastForward> {
    return mendFastForward(this.git, to);
  }

  /** Removes the locks of a git that is dead; see {@linkcode removeStaleLocks}. No process. */
  removeStaleLocks(lifetime: Lifetime): Promise<string[]> {
    return removeStaleLocks(this.git.system, this.git.directory, lifetime);
  }

  /** The lock of the index that nobody seems to give back; see {@linkcode leftLock}. No process. */
  leftLock(): Promise<string | null> {
    return leftLock(this.git.system, this.git.directory);
  }

  /** The directory shared by all worktrees of a repository. No process. */
  commonDirectory(): Promise<string | null> {
    return commonDirectory(this.git.system, this.git.directory);
  }

  /** Whether the checkout of a working copy was ever finished. No process. */
  async hasIndex(): Promise<boolean> {
    const directory = await gitDirectory(this.git.system, this.git.directory);
    return directory !== null &&
      await this.git.system.files.lstat(join(directory, "index")) !== null;
  }

  /**
   * The top directory of the working copy that holds a directory; null when there is none, or no git. Throws where
   * git refuses to say. One process.
   */
  async topLevel(): Promise<AbsPath | null> {
    const call = { access: "read", upward: true } as const;
    const result = await this.git.run(["rev-parse", "--show-toplevel"], call);
    const top = result.stdout.replace(/\r?\n$/, "");
    if (result.exitCode === 0) return top === "" ? null : absPath(top);
    if (classifyGitFailure(result) === "unsafe_owner") {
      throw gitFailure(result, "find the top of the working copy", null, {
        ...call,
        cwd: this.git.directory,
      });
    }
    return null;
  }

  /** Makes an empty repository, bare or not, with `main` as its first branch. One process. */
  async init(bare: boolean): Promise<void> {
    await this.git.must(
      [
        "init",
        "--quiet",
        "--initial-branch=main",
        ...(bare ? ["--bare"] : []),
        "--end-of-options",
        this.git.directory,
      ],
      { access: "internal" },
      "make a repository",
    );
  }

  /** A value of git's configuration as it holds in a directory; null when it is not set. One process. */
  async configured(name: string): Promise<string | null> {
    const result = await this.git.ask(
      ["config", "--get", name],
      { access: "read", upward: true },
      `read ${name}`,
    );
    return result?.stdout.replace(/\r?\n$/, "") || null;
  }

  /**
   * What git reads in a file of configuration, and in nothing that it includes; null where it cannot read it. One
   * process.
   */
  async configFile(path: string): Promise<ConfigKeys | null> {
    const result = await this.git.run(
      ["config", "--list", "--no-includes", "-z", "--file", path],
      { access: "read" },
    );
    return result.exitCode === 0 && !result.truncated ? listedKeys(result.stdout) : null;
  }

  /** Sets a value in the configuration of one repository. One process. */
  async setConfig(name: string, value: string): Promise<void> {
    await this.git.must(
      ["config", "--local", name, value],
      { access: "internal" },
      `set ${name}`,
    );
  }
}
