/**
 * Where the branches of a repository are in use: checked out, rebased or bisected in one of its working copies.
 *
 * Git refuses to move or delete such a branch from outside, except by the one command that is used here to do both.
 * Everything is read from the disk without starting git, where refs are files.
 */

import { basename, dirname, join, resolve } from "@std/path";
import type { System } from "../../base/system/mod.ts";
import { shellWord } from "../../base/text/words.ts";
import { commonDirectory, gitDirectory, headText, refsAreFiles } from "../call/directory.ts";
import type { Runner } from "../call/runner.ts";

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
export async function copiesOf(system: System, path: string): Promise<Copy[]> {
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
export async function headsOf(
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
