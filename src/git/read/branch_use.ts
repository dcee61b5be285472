/**
 * Where the branches of a repository are in use: checked out, rebased or bisected in one of its working copies.
 *
 * Git refuses to move or delete such a branch from outside, except by the one command that is used here to do both.
 * Everything is read from the disk without starting git, where refs are files.
 */

import { basename, dirname, join, resolve } from "@std/path";
import type { System } from "../../base/system/mod.ts";
import { shellWord } from "../../base/text/words.ts";
import { commonDirectory, gitDirectory, headText, refsAreFiles } from "../files/directory.ts";
import type { Runner } from "../call/runner.ts";
import type { AbsPath, BranchName, Loose } from "../../base/ids.ts";
import { RepositoryPart } from "../call/part.ts";

/** A branch that a working copy stands on. */
export interface BranchUse {
  /** Without `refs/heads/`. */
  readonly branch: string;
  /** The top of the working copy, absolute. */
  readonly path: string;
  /** Whether it is the working copy that was asked about. */
  readonly own: boolean;
  readonly doing: "checkout" | "rebase" | "bisect";
  /** Whether the working copy is not there, although git has it on its list. */
  readonly gone: boolean;
}

/** A working copy of a repository, as git has it on its list. */
interface Copy {
  readonly gitDirectory: string;
  readonly path: string;
  readonly gone: boolean;
  /** Whether it is another one than that in which the git directory lies. */
  readonly linked: boolean;
}

/** All working copies of a repository, those too whose directory is gone. No process. */
async function copiesOf(system: System, path: string): Promise<Copy[]> {
  const { files } = system;
  const common = await commonDirectory(system, path);
  if (common === null) return [];
  const copies: Copy[] = [];
  const usual = basename(common) === ".git";
  // A bare repository has no index; its HEAD is no checked-out branch.
  if (usual || await files.lstat(join(common, "index")) !== null) {
    const own = await gitDirectory(system, path) === common ? path : common;
    copies.push({
      gitDirectory: common,
      path: usual ? dirname(common) : own,
      gone: false,
      linked: false,
    });
  }
  for (const { name } of await files.list(join(common, "worktrees"))) {
    const directory = join(common, "worktrees", name);
    const text = await files.readText(join(directory, "gitdir"));
    if (text === null) continue;
    const dotGit = resolve(directory, text.trim());
    copies.push({
      gitDirectory: directory,
      path: dirname(dotGit),
      gone: await files.lstat(dotGit) === null,
      linked: true,
    });
  }
  return copies;
}

function branchIn(text: string | null): string[] {
  const name = /^(?:ref: )?refs\/heads\/(.+)$/.exec(text?.split("\n")[0]?.trim() ?? "")?.[1];
  return name === undefined ? [] : [name];
}

/** What each working copy of a repository has checked out, by its top, as git lists them. One process. */
async function listedHeads(git: Runner): Promise<ReadonlyMap<string, string>> {
  const output = await git.read(
    ["worktree", "list", "--porcelain", "-z"],
    `list the working copies of "${git.name}"`,
  );
  const heads = new Map<string, string>();
  for (const block of output.split("\0\0")) {
    const lines = block.split("\0");
    const value = (key: string) => lines.find((line) => line.startsWith(key))?.slice(key.length);
    const [path, branch] = [value("worktree "), value("branch ")];
    if (path === undefined || branch === undefined) continue;
    heads.set(await git.system.files.realPath(path) ?? path, branch);
  }
  return heads;
}

/** What a working copy has checked out, by the names of the branches. One process for all of them where refs are no files. */
async function headsOf(
  git: Runner,
  common: string,
): Promise<(copy: Copy) => Promise<string[]>> {
  const { system } = git;
  const listed = await refsAreFiles(system, common) ? null : await listedHeads(git);
  return async ({ gitDirectory, path }) =>
    branchIn(
      listed === null
        ? await headText(system, gitDirectory)
        : listed.get(await system.files.realPath(path) ?? path) ?? null,
    );
}

/** The branches that one working copy is on, each with what it does there; `head` is what it has checked out. */
async function branchesOf(
  system: System,
  directory: string,
  head: readonly string[],
): Promise<[branch: string, doing: BranchUse["doing"]][]> {
  const read = (...parts: string[]) => system.files.readText(join(directory, ...parts));
  const rebased = [
    ...branchIn(await read("rebase-merge", "head-name")),
    ...branchIn(await read("rebase-apply", "head-name")),
    // Further branches that the end of a rebase moves: a name, and two commits.
    ...(await read("rebase-merge", "update-refs") ?? "").split("\n").flatMap(branchIn),
  ];
  const start = (await read("BISECT_START"))?.trim() ?? "";
  const bisected = start === "" || /^[0-9a-f]{40,64}$/.test(start) ? [] : [start];
  return [
    ...head.map((name): [string, BranchUse["doing"]] => [name, "checkout"]),
    ...rebased.map((name): [string, BranchUse["doing"]] => [name, "rebase"]),
    ...bisected.map((name): [string, BranchUse["doing"]] => [name, "bisect"]),
  ];
}

/**
 * Every use of a branch in any working copy of the repository that git works in. No process; one where refs are no
 * files.
 */
export async function branchUses(git: Runner): Promise<BranchUse[]> {
  const { system, directory: path } = git;
  const real = async (place: string) => await system.files.realPath(place) ?? place;
  const directory = await gitDirectory(system, path);
  const common = await commonDirectory(system, path);
  if (directory === null || common === null) return [];
  const own = await real(directory);
  const headOf = await headsOf(git, common);
  const uses: BranchUse[] = [];
  for (const copy of await copiesOf(system, path)) {
    const mine = await real(copy.gitDirectory) === own;
    for (const [branch, doing] of await branchesOf(system, copy.gitDirectory, await headOf(copy))) {
      uses.push({ branch, doing, own: mine, path: copy.path, gone: copy.gone });
    }
  }
  return uses;
}

const DOING: Readonly<Record<BranchUse["doing"], string>> = {
  checkout: "checked out",
  rebase: "being rebased",
  bisect: "being bisected",
};

/** "main is checked out at /elsewhere". */
export function useText({ branch, doing, path }: BranchUse): string {
  return `${branch} is ${DOING[doing]} at ${path}`;
}

/** The command by which a branch gets free. Whoever works there keeps every file, those too that git ignores. */
export function useCommand({ doing, path, gone }: BranchUse, directory: string): string {
  const at = `git -C ${shellWord(path)}`;
  if (gone) return `git -C ${shellWord(directory)} worktree prune`;
  if (doing === "rebase") return `${at} rebase --continue`;
  return doing === "bisect" ? `${at} bisect reset` : `${at} switch --detach`;
}

/** How a branch gets free, with a command to paste. */
export function useFix(use: BranchUse, directory: string): string {
  const { doing, own, gone } = use;
  const what = gone
    ? "forget what is gone"
    : doing === "rebase"
    ? "finish it there"
    : doing === "bisect"
    ? "end it there"
    : own
    ? "leave it"
    : "leave it there";
  return `${what}: ${useCommand(use, directory)}`;
}

// Linked working copies. Reached as `git.at(directory).worktrees`.

/** A linked worktree, as `git worktree list` tells of it. */
export interface Worktree {
  readonly path: string;
  /** The branch without `refs/heads/`, or null when detached. */
  readonly branch: string | null;
  /** Whether git would remove the entry because its directory is gone. */
  readonly prunable: boolean;
  /** Whether somebody locked it against removal. */
  readonly locked: boolean;
}

interface NewWorktree {
  readonly path: Loose<AbsPath>;
  readonly branch: Loose<BranchName>;
  /** The commit its new branch begins at; null for a branch that exists. */
  readonly from: string | null;
}

/** Linked working copies. */
export class Worktrees extends RepositoryPart {
  /** The linked worktrees of a repository; none where there is none. No process; one where refs are no files. */
  async linked(): Promise<Worktree[]> {
    const { system, directory } = this.git;
    const common = await commonDirectory(system, directory);
    if (common === null) return [];
    const headOf = await headsOf(this.git, common);
    const linked: Worktree[] = [];
    for (const copy of await copiesOf(system, directory)) {
      if (!copy.linked) continue;
      const locked = await system.files.lstat(join(copy.gitDirectory, "locked")) !== null;
      const [branch = null] = await headOf(copy);
      linked.push({ path: copy.path, branch, prunable: copy.gone && !locked, locked });
    }
    return linked;
  }

  /** Throws what keeps git from working in the repository: that it is none, is not trusted, or git is not there. One process. */
  async requireUsable(): Promise<void> {
    await this.git.read(
      ["worktree", "list", "--porcelain"],
      "list the worktrees of the control repository",
    );
  }

  /** Whether a directory is, or was, one of its linked worktrees. No process. */
  async has(path: string): Promise<boolean> {
    return (await this.#records(path)).length > 0;
  }

  /**
   * Where git looks for the working copy that a directory holds, if it looks elsewhere: both were moved together with
   * their repository, or copied. Null where nothing of the kind is there. No process.
   */
  async movedFrom(directory: string): Promise<string | null> {
    const { files } = this.git.system;
    const record = await this.#named(directory);
    const text = record === null ? null : await files.readText(join(record, "gitdir"));
    if (record === null || text === null) return null;
    const place = dirname(resolve(record, text.trim()));
    return place === directory || await this.#leads(place) === "here" ? null : place;
  }

  /** Whether what stands in the place of a worktree belongs to another repository, as after a copy of both. No process. */
  async isForeign(path: string): Promise<boolean> {
    return await this.#leads(path) === "elsewhere";
  }

  /** Links a working copy to its repository again, in the place where {@linkcode movedFrom} has found it. No process. */
  async relink(directory: string): Promise<void> {
    await this.git.inTurn(async () => {
      const { files } = this.git.system;
      const record = await this.#named(directory);
      if (record === null || await this.movedFrom(directory) === null) return;
      await files.write(join(directory, ".git"), `gitdir: ${record}\n`);
      await files.write(join(record, "gitdir"), `${join(directory, ".git")}\n`);
    });
  }

  /** What git knows about the worktree of the name that the link in a directory ends with; null where there is none. */
  async #named(directory: string): Promise<string | null> {
    const { system } = this.git;
    if ((await system.files.lstat(join(directory, ".git")))?.kind !== "file") return null;
    const named = await gitDirectory(system, directory);
    const common = await commonDirectory(system, this.git.directory);
    if (named === null || common === null || basename(dirname(named)) !== "worktrees") return null;
    const record = join(common, "worktrees", basename(named));
    return await system.files.exists(record) ? record : null;
  }

  /** Whether the link of a working copy leads to what this repository knows about it; null where there is none. */
  async #leads(path: string): Promise<"here" | "elsewhere" | null> {
    const { system } = this.git;
    const real = async (place: string) => await system.files.realPath(place) ?? place;
    const named = await gitDirectory(system, path);
    if (named === null) return null;
    const own = await Promise.all((await this.#records(path)).map(real));
    return own.includes(await real(named)) ? "here" : "elsewhere";
  }

  /** Where the branches of a repository are in use, in this working copy and all others; see {@linkcode branchUses}. */
  uses(): Promise<BranchUse[]> {
    return branchUses(this.git);
  }

  /** The working copy other than this one in which a branch is in use, or null; see {@linkcode branchUses}. */
  async usedElsewhere(branch: Loose<BranchName>): Promise<BranchUse | null> {
    return (await this.uses()).find((use) => !use.own && use.branch === branch) ?? null;
  }

  /** Adds a worktree, on a new branch from a commit or on an existing one for null. One process. */
  async add({ path, branch, from }: NewWorktree): Promise<void> {
    await this.git.inTurn(() =>
      this.git.must(
        from !== null
          ? ["worktree", "add", "--no-track", "-b", branch, "--end-of-options", path, from]
          : ["worktree", "add", "--end-of-options", path, branch],
        { access: "internal" },
        `add the worktree for "${branch}"`,
      )
    );
  }

  /**
   * Removes a worktree. Git refuses when it holds changes or untracked files, but deletes ignored ones:
   * look with {@linkcode Repository.files} first. `unfinished` removes one whose checkout was cut off,
   * which git keeps locked. One process.
   */
  async remove(path: string, unfinished = false): Promise<void> {
    await this.git.inTurn(() =>
      this.git.must(
        [
          "worktree",
          "remove",
          ...(unfinished ? ["--force", "--force"] : []),
          "--end-of-options",
          path,
        ],
        { access: "internal" },
        "remove the worktree",
      )
    );
  }

  /**
   * Forgets one worktree whose working copy is gone; does nothing while it is there, or locked. Git itself would forget
   * all that are away, also what another process has moved for a moment and what is on a disk not mounted now. No git
   * process.
   */
  async forget(path: string): Promise<void> {
    const { files } = this.git.system;
    if (await files.lstat(join(path, ".git")) !== null && !await this.isForeign(path)) return;
    for (const record of await this.#records(path)) {
      if (await files.lstat(join(record, "locked")) === null) await files.removeTree(record);
    }
  }

  /** Whether a worktree is still locked by the git that was making it. No process. */
  async isBeingMade(path: string): Promise<boolean> {
    for (const record of await this.#records(path)) {
      const reason = await this.git.system.files.readText(join(record, "locked"));
      if (reason?.trim() === "initializing") return true;
    }
    return false;
  }

  /** Where git keeps what it knows about a worktree. */
  async #records(path: string): Promise<string[]> {
    const { files } = this.git.system;
    const common = await commonDirectory(this.git.system, this.git.directory);
    if (common === null) return [];
    const found: string[] = [];
    for (const { name } of await files.list(join(common, "worktrees"))) {
      const record = join(common, "worktrees", name);
      const text = await files.readText(join(record, "gitdir"));
      if (text !== null && resolve(record, text.trim()) === join(path, ".git")) found.push(record);
    }
    return found;
  }
}
