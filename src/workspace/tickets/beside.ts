/** What clones in the workspaces of tickets keep of what a clone of the base workspace would lose. */

import { join } from "@std/path";
import type { Git } from "../../git/mod.ts";
import { Checkpoints } from "../../git/checkpoint/mod.ts";
import { Everything } from "../../git/read/mod.ts";
import type { System } from "../../base/system/mod.ts";
import { inPool } from "../../base/async/pool.ts";
import type { Manifest } from "../manifest/mod.ts";
import type { Stock } from "../removal/mod.ts";
import { ticketWorkspaces } from "./record.ts";

interface Tools {
  readonly system: System;
  readonly git: Git;
  readonly jobs: number;
  readonly root: string;
}

/** How many commits are listed. */
const MOST = 10_000;

/** Which of some commits the branches of a clone have. At most two processes. */
async function heldIn(
  { git }: Tools,
  directory: string,
  commits: readonly string[],
): Promise<ReadonlySet<string>> {
  const clone = git.at(directory);
  if (commits.length === 0 || await clone.activity() === null) return new Set();
  const missing = new Set(await clone.part(Checkpoints).missing(commits));
  const there = commits.filter((commit) => !missing.has(commit));
  const { heads } = await clone.refs.peekBranches([]);
  const loose = there.length === 0
    ? []
    : await clone.history.uncovered(there, [...heads.values()], MOST);
  // Of more than are listed nobody knows which are missing.
  if (loose.length === MOST) return new Set();
  const without = new Set<string>(loose.map(({ commit }) => commit));
  return new Set(there.filter((commit) => !without.has(commit)));
}

/**
 * The stock of a base workspace without the past positions that a ticket took along into a workspace of its own: they are
 * not lost with it. No process where nothing has only such commits.
 */
export async function withoutMoved(
  tools: Tools,
  { manifest, directory, stock }: {
    readonly manifest: Manifest;
    readonly directory: string;
    readonly stock: Stock;
  },
): Promise<Stock> {
  if (stock.repos.every(({ reflogOnly }) => reflogOnly === 0)) return stock;
  const beside = await ticketWorkspaces(tools.system, tools.root, manifest);
  const repos = await inPool(tools.jobs, stock.repos, async (repo) => {
    const { name, path, reflogOnly, stashes, left } = repo;
    const clones = beside.flatMap(({ directory: at, record }) => {
      const own = record?.repos[name];
      return own === undefined ? [] : [join(at, own.path)];
    });
    if (reflogOnly === 0 || clones.length === 0) return repo;
    const known = [...stashes, ...left].map(({ commit }) => commit);
    const clone = tools.git.at(join(directory, path), name);
    let only: readonly string[] = await clone.part(Everything).onlyInReflog(known);
    for (const one of clones) {
      const held = await heldIn(tools, one, only);
      only = only.filter((commit) => !held.has(commit));
    }
    return { ...repo, reflogOnly: only.length };
  });
  return { ...stock, repos };
}
