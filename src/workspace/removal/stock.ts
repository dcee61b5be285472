/**
 * Takes stock of everything in a workspace before it is taken away: what is only here, and what stands in the
 * way.
 *
 * Costs six git processes per repository: status, refs, index, ignored files, commits of branches, and the log of past
 * positions. One more where there are tags or other refs, where there are stashes, where files are marked as unchanged,
 * and for each repository inside; up to seven more per submodule.
 */

import { join, resolve, SEPARATOR } from "@std/path";
import { inPool } from "../../base/async/pool.ts";
import type { Git } from "../../git/mod.ts";
import type { System } from "../../base/system/mod.ts";
import { adoptedBy } from "../clones/adopting.ts";
import { editorFile } from "../editor.ts";
import type { Manifest } from "../manifest/manifest.ts";
import { CONTROL, type RepoIdentity, type RepoStock, stockOf } from "./repo_stock.ts";
import { repoDirectory, type WorkspacePlace } from "../workspace.ts";
import { shellWord } from "../../base/text/words.ts";
import { type Refusal, refuseAll } from "../refusal.ts";

interface Tools {
  readonly system: System;
  readonly git: Git;
}

/** Something that stands in the way of any removal, with its remedy. */
interface Obstacle {
  readonly repo: string;
  readonly problem: string;
  readonly fix: string;
}

/** Working copies elsewhere that would be dead without this repository. */
async function linkedWorktrees(tools: Tools, directory: string): Promise<string[]> {
  const { files } = tools.system;
  const own = await tools.git.at(directory).gitDirectory();
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

/** What keeps a clone from being removed, each with its remedy. No process. */
export async function obstaclesIn(
  tools: Tools,
  name: string,
  directory: string,
): Promise<Obstacle[]> {
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

/** Throws for everything that stands in the way of any removal. */
export function refuseObstacles(what: string, obstacles: readonly Obstacle[]): void {
  refuseAll(
    what,
    obstacles.map(({ repo, problem, fix }): Refusal => ({
      repo,
      code: "would_lose_work",
      problem,
      fix,
    })),
  );
}

/** A workspace as it is found. */
export interface Stock {
  readonly repos: readonly RepoStock[];
  /** The working copy of the control repository; null when its directory is gone. */
  readonly control: RepoStock | null;
  /** Files that neither git nor this program put there, relative to the workspace. */
  readonly stray: readonly string[];
  readonly obstacles: readonly Obstacle[];
  /** Clones that stay where they are (ADOPT-2), because the workspace only has a link to them: names with places. */
  readonly adopted: Readonly<Record<string, string>>;
}

/** Whether a path of the workspace is of this program's own making. */
function isOurs(
  path: string,
  manifest: Manifest,
  { editor, links }: { readonly editor: string; readonly links: ReadonlySet<string> },
): boolean {
  return path === editor || links.has(path) || path.startsWith("context/") ||
    /^\.amof\/state\.json(?:\.corrupt-[^/]*)?$/.test(path) ||
    manifest.repos.some((repo) => path === `${repo.path}/` || path.startsWith(`${repo.path}/`));
}

/** What no repository of a workspace tracks, by what it is. Paths are relative to the workspace. */
interface Foreign {
  /** Repositories that the manifest does not know. */
  readonly strangers: readonly string[];
  /** Files among the clones that neither git nor this program put there. */
  readonly stray: readonly string[];
  /** Files that git ignores. */
  readonly ignored: readonly string[];
}

async function foreignIn(
  git: Git,
  directory: string,
  manifest: Manifest,
  { control, links }: { readonly control: RepoStock; readonly links: ReadonlySet<string> },
): Promise<Foreign> {
  const others = control.problem === null ? await git.at(directory).files.untracked() : [];
  const editor = editorFile(directory, manifest).slice(directory.length + SEPARATOR.length);
  const foreign = others.filter((path) => !isOurs(path, manifest, { editor, links }));
  const tracked = new Set(control.uncommitted);
  // Our own ignore patterns hide the directories of the clones, so git does not report stray files there and we look
  // ourselves.
  const among = new Set(manifest.repos.map((repo) => `${repo.path.split("/")[0] ?? ""}/`));
  const isAmong = (path: string) => [...among].some((prefix) => path.startsWith(prefix));
  // Nested repositories end in a slash.
  const files = foreign.filter((path) => !path.endsWith("/") && !tracked.has(path));
  return {
    strangers: foreign.filter((path) => path.endsWith("/")).map((path) => path.slice(0, -1)),
    stray: files.filter(isAmong),
    ignored: files.filter((path) => !isAmong(path)),
  };
}

/** A repository in a workspace, and where it is. */
type Placed = RepoIdentity & { readonly directory: string };

/** The places of all repositories in which there is something. */
async function present(
  { files }: System,
  places: readonly Placed[],
): Promise<Placed[]> {
  const found: Placed[] = [];
  for (const entry of places) {
    const info = await files.lstat(entry.directory);
    const empty = info?.kind === "directory" && (await files.list(entry.directory)).length === 0;
    if (info !== null && !empty) found.push(entry);
  }
  return found;
}

/** The links of a workspace that lead to the clones it has adopted: places relative to it, with what they lead to. */
async function linksIn(
  system: System,
  directory: string,
): Promise<Readonly<Record<string, string>>> {
  const adopted = Object.entries(await adoptedBy(system, directory));
  const links = [];
  for (const [path, place] of adopted) {
    const at = join(directory, path);
    // Where something else has taken the place of the link it goes with the workspace.
    if ((await system.files.lstat(at))?.kind !== "symlink") continue;
    if (await system.files.readLink(at) === place) links.push([path, place] as const);
  }
  return Object.fromEntries(links);
}

/** The repositories in a workspace that are there: those of the manifest that are its own, and what it does not know. */
async function reposIn(
  system: System,
  directory: string,
  own: Manifest["repos"],
  strangers: readonly string[],
): ReturnType<typeof present> {
  return await present(system, [
    ...await Promise.all(own.map(async (repo) => ({
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
  ]);
}

/** Looks at everything in a workspace. */
export async function takeStock(
  tools: { readonly system: System; readonly git: Git; readonly jobs: number },
  place: WorkspacePlace,
  manifest: Manifest,
): Promise<Stock> {
  const { system, git, jobs } = tools;
  const { directory } = place;
  const locked = !place.worktree?.locked ? [] : [{
    repo: CONTROL,
    problem: "is locked against removal",
    fix: `git worktree unlock ${place.directory}`,
  }];
  if (await system.files.lstat(directory) === null) {
    return { repos: [], control: null, stray: [], obstacles: locked, adopted: {} };
  }
  const control = await stockOf(tools, directory, {
    name: CONTROL,
    path: ".",
    readonly: false,
    known: true,
  });
  const linked = await linksIn(system, directory);
  const { strangers, stray, ignored } = await foreignIn(git, directory, manifest, {
    control,
    links: new Set(Object.keys(linked)),
  });
  const own = manifest.repos.filter((repo) => !Object.hasOwn(linked, repo.path));
  const repos = await reposIn(system, directory, own, strangers);
  const stocks = await inPool(
    jobs,
    repos,
    ({ directory, ...who }) => stockOf(tools, directory, who),
  );
  const obstacles = await inPool(
    jobs,
    repos,
    ({ name, directory }) => obstaclesIn(tools, name, directory),
  );
  return {
    repos: stocks,
    control: { ...control, ignored },
    stray,
    obstacles: [...locked, ...obstacles.flat()],
    adopted: Object.fromEntries(
      Object.entries(linked).map(([path, place]) =>
        [manifest.repos.find((repo) => repo.path === path)?.name ?? path, place] as const
      ),
    ),
  };
}

/** The repositories of a stock with their digests: what a confirmation is bound to. */
export function digestsOf(stock: Stock): Record<string, string> {
  const all = [...(stock.control === null ? [] : [stock.control]), ...stock.repos];
  return Object.fromEntries(all.map((repo) => [repo.name, repo.digest]));
}
