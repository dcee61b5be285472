/**
 * Takes stock of everything in a workspace before it is taken away: what is only here, and what stands in the
 * way (amof.md §2.6, §2.7).
 *
 * Costs six git processes per repository, one more where there are stashes, four more per submodule.
 *
 * @module
 */

// @ts-types="@types/std/path.d.ts"
import { join, resolve, SEPARATOR } from "@std/path";
import { AmofError } from "../error.ts";
import {
  type CommitLine,
  type Git,
  inPool,
  type InProgress,
  type LocalBranch,
} from "../git/mod.ts";
import { canonicalJson, sha256 } from "../policy/fingerprint.ts";
import type { System } from "../system/mod.ts";
import { shellWord } from "../text/words.ts";
import { changesDigest } from "./changes.ts";
import { editorFile } from "./editor.ts";
import type { Manifest } from "./manifest.ts";
import { submoduleWork } from "./submodules.ts";
import { repoDirectory, type WorkspacePlace } from "./workspace.ts";

/** More commits than anybody reads; counting them all would take as long as the history is. */
const MOST_COMMITS = 10_000;
/** How the working copy of the control repository is called among the repositories. */
export const CONTROL = "(workspace)";

/** One repository below a workspace, and all of it that exists nowhere else as far as is known here. */
export interface RepoStock {
  readonly name: string;
  /** Relative to the workspace. */
  readonly path: string;
  readonly readonly: boolean;
  /** Whether the manifest names it. */
  readonly known: boolean;
  readonly branch: string | null;
  readonly head: string | null;
  readonly branches: readonly LocalBranch[];
  readonly uncommitted: readonly string[];
  /** Newest first; at most ten thousand. */
  readonly unpushed: readonly CommitLine[];
  readonly stashes: readonly CommitLine[];
  /** Commits that only tags hold here. */
  readonly tagOnly: number;
  readonly ignored: readonly string[];
  /** Repositories inside ignored directories. */
  readonly nested: readonly string[];
  /** Work that only its submodules hold, as `path: what`. */
  readonly submodules: readonly string[];
  readonly inProgress: InProgress | null;
  /** Why it could not be read, or null. */
  readonly problem: string | null;
  /** Everything a confirmation must be bound to. */
  readonly digest: string;
}

/** Something that stands in the way of any removal, with its remedy. */
export interface Obstacle {
  readonly repo: string;
  readonly problem: string;
  readonly fix: string;
}

/** A workspace as it is found. */
export interface Stock {
  readonly repos: readonly RepoStock[];
  /** The working copy of the control repository; null when its directory is gone. */
  readonly control: RepoStock | null;
  /** Files that neither git nor this program put there, relative to the workspace. */
  readonly stray: readonly string[];
  readonly obstacles: readonly Obstacle[];
}

interface Tools {
  readonly system: System;
  readonly git: Git;
  readonly jobs: number;
}

const EMPTY = {
  branch: null,
  head: null,
  branches: [],
  uncommitted: [],
  unpushed: [],
  stashes: [],
  tagOnly: 0,
  ignored: [],
  nested: [],
  submodules: [],
  inProgress: null,
  problem: null,
  digest: "",
};

async function nestedIn(
  system: System,
  directory: string,
  entries: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for (const entry of entries) {
    if (!entry.endsWith("/")) continue;
    if (await system.files.lstat(join(directory, entry, ".git")) !== null) found.push(entry);
  }
  return found;
}

/** What a confirmation is bound to in one repository, and what it is computed from. */
async function look(tools: Tools, directory: string, name: string) {
  const { git } = tools;
  const activity = await git.activity(directory);
  if (activity === null) throw new AmofError("git_failed", "it is not a git repository");
  const status = await git.status(directory, name, "all");
  // The branches and stashes of the control repository stay where they are.
  const own = name !== CONTROL;
  const branches = own ? await git.branches.list(directory, name) : [];
  const stashes = own && status.stashes > 0 ? await git.stashes.list(directory, name) : [];
  const { branch, head, changes } = status;
  const { inProgress } = activity;
  const submodules = await submoduleWork(tools, directory, name);
  const digest = sha256(canonicalJson({
    branch,
    head,
    branches,
    stashes,
    submodules,
    inProgress,
    changes: await changesDigest(tools, directory, changes),
  }));
  const uncommitted = changes.map((change) => change.path);
  return { branch, head, branches, stashes, submodules, inProgress, uncommitted, digest };
}

/**
 * The digest of one repository as it is now, to be compared with that of its {@linkcode RepoStock}. At most
 * four git processes, and four more per submodule.
 */
export async function digestOf(tools: Tools, directory: string, name: string): Promise<string> {
  return (await look(tools, directory, name)).digest;
}

/** Looks at one repository. Never throws for what is wrong with the repository itself. */
async function stockOf(
  tools: Tools,
  directory: string,
  who: Pick<RepoStock, "name" | "path" | "readonly" | "known">,
): Promise<RepoStock> {
  const { git, system } = tools;
  const { name } = who;
  try {
    const found = await look(tools, directory, name);
    if (name === CONTROL) return { ...who, ...EMPTY, ...found };
    const detached = found.branch === null ? found.head : null;
    const ignored = await git.ignoredPaths(directory, name);
    return {
      ...who,
      ...EMPTY,
      ...found,
      unpushed: found.branches.length === 0 && detached === null
        ? []
        : await git.history.localOnlyCommits(directory, name, detached, MOST_COMMITS),
      ignored,
      tagOnly: await git.history.tagOnlyCount(directory, name),
      nested: await nestedIn(system, directory, ignored),
    };
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    return { ...who, ...EMPTY, problem: error.message };
  }
}

/** Working copies elsewhere that would be dead without this repository. */
async function linkedWorktrees(tools: Tools, directory: string): Promise<string[]> {
  const { files } = tools.system;
  const own = await tools.git.gitDirectory(directory);
  if (own === null) return [];
  const living: string[] = [];
  for (const entry of await files.list(join(own, "worktrees"))) {
    const text = await files.readText(join(own, "worktrees", entry.name, "gitdir"));
    const dotGit = text === null ? "" : resolve(own, text.trim());
    if (dotGit !== "" && await files.lstat(dotGit) !== null) living.push(join(dotGit, ".."));
  }
  return living;
}

function worktreeRemove(repository: string, path: string): string {
  return `git -C ${shellWord(repository)} worktree remove ${shellWord(path)}`;
}

async function obstaclesIn(tools: Tools, name: string, directory: string): Promise<Obstacle[]> {
  const { files } = tools.system;
  if ((await files.lstat(directory))?.kind === "symlink") {
    return [{ repo: name, problem: "is a symbolic link", fix: `remove the link ${directory}` }];
  }
  const dotGit = await files.lstat(join(directory, ".git"));
  if (dotGit !== null && dotGit.kind !== "directory") {
    return [{
      repo: name,
      problem: "is a working copy of a repository elsewhere",
      fix: `remove it there: ${worktreeRemove(directory, directory)}`,
    }];
  }
  return (await linkedWorktrees(tools, directory)).map((path) => ({
    repo: name,
    problem: `has another working copy at ${path}`,
    fix: `remove it: ${worktreeRemove(directory, path)}`,
  }));
}

/** Whether a path of the workspace is of this program's own making. */
function isOurs(path: string, manifest: Manifest, editor: string): boolean {
  return path === editor || path.startsWith("context/") ||
    /^\.amof\/state\.json(?:\.corrupt-[^/]*)?$/.test(path) ||
    manifest.repos.some((repo) => path === `${repo.path}/` || path.startsWith(`${repo.path}/`));
}

/** Looks at everything in a workspace. */
export async function takeStock(
  tools: Tools,
  place: WorkspacePlace,
  manifest: Manifest,
): Promise<Stock> {
  const { system, git } = tools;
  const { directory, worktree } = place;
  const locked: Obstacle[] = worktree?.locked
    ? [{
      repo: CONTROL,
      problem: "is locked against removal",
      fix: `git worktree unlock ${directory}`,
    }]
    : [];
  if (await system.files.lstat(directory) === null) {
    return { repos: [], control: null, stray: [], obstacles: locked };
  }
  const control = await stockOf(tools, directory, {
    name: CONTROL,
    path: ".",
    readonly: false,
    known: true,
  });
  const others = control.problem === null ? await git.untrackedPaths(directory) : [];
  const editor = editorFile(directory, manifest).slice(directory.length + SEPARATOR.length);
  const foreign = others.filter((path) => !isOurs(path, manifest, editor));
  // Nested repositories end in a slash.
  const strangers = foreign.filter((path) => path.endsWith("/")).map((path) => path.slice(0, -1));
  const tracked = new Set(control.uncommitted);
  // What lies among the clones is hidden from git by our own patterns, so git's silence about it says nothing.
  const among = new Set(manifest.repos.map((repo) => `${repo.path.split("/")[0] ?? ""}/`));
  const stray = foreign.filter((path) =>
    !path.endsWith("/") && !tracked.has(path) &&
    [...among].some((prefix) => path.startsWith(prefix))
  );
  const ignored = foreign.filter((path) =>
    !path.endsWith("/") && !tracked.has(path) && !stray.includes(path)
  );
  const places = [
    ...await Promise.all(manifest.repos.map(async (repo) => ({
      name: repo.name,
      path: repo.path,
      readonly: repo.readonly,
      known: true,
      directory: await repoDirectory(system, directory, repo),
    }))),
    ...strangers.map((path) => ({
      name: path,
      path,
      readonly: false,
      known: false,
      directory: join(directory, path),
    })),
  ];
  const present: typeof places = [];
  for (const entry of places) {
    const info = await system.files.lstat(entry.directory);
    const empty = info?.kind === "directory" &&
      (await system.files.list(entry.directory)).length === 0;
    if (info !== null && !empty) present.push(entry);
  }
  return {
    repos: await inPool(
      tools.jobs,
      present,
      ({ directory, ...who }) => stockOf(tools, directory, who),
    ),
    control: { ...control, ignored },
    stray,
    obstacles: [
      ...locked,
      ...(await inPool(
        tools.jobs,
        present,
        (entry) => obstaclesIn(tools, entry.name, entry.directory),
      )).flat(),
    ],
  };
}
