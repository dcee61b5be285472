/**
 * Takes stock of the workspace of a ticket before it goes: its clones as any others, and what lies among them.
 *
 * There is no working copy of the control repository in it, so git is asked about the clones alone.
 */

import { join } from "@std/path";
import { inPool } from "../../base/async/pool.ts";
import type { Git } from "../../git/mod.ts";
import { sha256 } from "../../base/hash.ts";
import { canonicalJson } from "../../base/policy/fingerprint.ts";
import type { System } from "../../base/system/mod.ts";
import { stockOf } from "../removal/repo_stock.ts";
import { obstaclesIn, type Stock } from "../removal/stock.ts";
import { repoDirectory } from "../workspace.ts";
import type { TicketRecord } from "./record.ts";

/** Whether a file at the top of a ticket's workspace, or in its `.amof`, is of this program's own making. */
function isOurs(path: string): boolean {
  return /^\.amof\/(?:ticket\.json|env)$/.test(path) ||
    /^amof\.[^/]+\.code-workspace$/.test(path);
}

/** What lies among the clones of a ticket, relative to its workspace; a directory ends in a slash. */
interface Among {
  readonly files: readonly string[];
  readonly repositories: readonly string[];
}

/** Whether a directory holds anything but empty directories. */
async function holdsAnything(system: System, directory: string): Promise<boolean> {
  for (const { name, kind } of await system.files.list(directory)) {
    if (kind !== "directory" || await holdsAnything(system, join(directory, name))) return true;
  }
  return false;
}

/** Looks at everything in the workspace of a ticket that lies in none of its clones. No process. */
async function among(system: System, directory: string, paths: readonly string[]): Promise<Among> {
  const files: string[] = [];
  const repositories: string[] = [];
  const leadsToClone = (path: string) => paths.some((clone) => clone.startsWith(`${path}/`));
  const waiting = [""];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const { name, kind } of await system.files.list(join(directory, at))) {
      const path = at === "" ? name : `${at}/${name}`;
      if (paths.includes(path) || isOurs(path)) continue;
      if (kind !== "directory") files.push(path);
      else if (path === ".amof" || leadsToClone(path)) waiting.push(path);
      else if (await system.files.lstat(join(directory, path, ".git")) !== null) {
        repositories.push(path);
      } else if (await holdsAnything(system, join(directory, path))) files.push(`${path}/`);
    }
  }
  return { files: files.sort(), repositories: repositories.sort() };
}

/**
 * A digest of what lies among the clones at `paths`, by name, size and time, so that it can be told whether anything
 * was added since it was looked at. No process.
 */
export async function amongDigest(
  system: System,
  directory: string,
  paths: readonly string[],
): Promise<string> {
  const { files } = await among(system, directory, paths);
  const lines = await Promise.all(files.map(async (path) => {
    const info = await system.files.lstat(join(directory, path));
    return [path, info?.size ?? null, path.endsWith("/") ? null : info?.modifiedMs ?? null];
  }));
  return sha256(canonicalJson(lines));
}

/**
 * Looks at everything in the workspace of a ticket with this record. Costs the git processes of the
 * stock of a workspace. Throws `manifest_invalid` where a link leads out of it.
 */
export async function ticketStock(
  tools: { readonly system: System; readonly git: Git; readonly jobs: number },
  directory: string,
  record: Pick<TicketRecord, "repos">,
): Promise<Stock> {
  const { system, jobs } = tools;
  const repos = Object.entries(record.repos).map(([name, { path, role }]) => ({
    name,
    path,
    readonly: role === "context",
    known: true,
  }));
  const paths = repos.map(({ path }) => path);
  const { files, repositories } = await among(system, directory, paths);
  const own = await Promise.all(
    repos.map(async (repo) => ({ repo, place: await repoDirectory(system, directory, repo) })),
  );
  const places = [
    ...own,
    ...repositories.map((path) => ({
      repo: { name: path, path, readonly: false, known: false },
      place: join(directory, path),
    })),
  ];
  const there = [];
  for (const entry of places) {
    const info = await system.files.lstat(entry.place);
    if (
      info !== null &&
      (info.kind !== "directory" || (await system.files.list(entry.place)).length > 0)
    ) {
      there.push(entry);
    }
  }
  const stocks = await inPool(jobs, there, ({ repo, place }) => stockOf(tools, place, repo));
  const obstacles = await inPool(
    jobs,
    there,
    ({ repo, place }) => obstaclesIn(tools, repo.name, place),
  );
  return {
    repos: stocks,
    control: null,
    stray: files,
    obstacles: obstacles.flat(),
    adopted: {},
  };
}
