/** What stands in the way of any removal of a clone, whatever is in it. */

import { join, resolve } from "@std/path";
import type { Git } from "../../git/mod.ts";
import type { System } from "../../base/system/mod.ts";
import { shellWord } from "../../base/text/words.ts";
import { type Refusal, refuseAll } from "../refusal.ts";

interface Tools {
  readonly system: System;
  readonly git: Git;
}

/** Something that stands in the way of any removal, with its remedy. */
export interface Obstacle {
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
