/**
 * What only the submodules of a clone hold: their repositories lie inside the clone's and go with it, but no
 * question about the clone tells of their commits (amof.md §2.6, §2.7).
 *
 * @module
 */

// @ts-types="@types/std/path.d.ts"
import { join } from "@std/path";
import type { Git } from "../git/mod.ts";
import type { System } from "../system/mod.ts";

/** More commits of one submodule than anybody reads. */
const MOST_COMMITS = 100;

interface Tools {
  readonly system: System;
  readonly git: Git;
}

/** The git directories kept for submodules below a git directory, those of submodules not counted in. */
async function modulesOf({ system }: Tools, gitDirectory: string): Promise<string[]> {
  const found: string[] = [];
  async function walk(directory: string): Promise<void> {
    for (const { name, kind } of await system.files.list(directory)) {
      if (kind !== "directory") continue;
      const inner = join(directory, name);
      // Names of submodules may hold slashes.
      if (await system.files.lstat(join(inner, "HEAD")) === null) await walk(inner);
      else found.push(inner);
    }
  }
  await walk(join(gitDirectory, "modules"));
  return found;
}

/** Commits that a shallow repository cannot look behind: a remote has sent them. */
async function shallowCommits({ system }: Tools, gitDirectory: string): Promise<string[]> {
  const text = await system.files.readText(join(gitDirectory, "shallow"));
  return (text ?? "").split("\n").filter((line) => /^[0-9a-f]{40,64}$/.test(line));
}

/** Commits and stashes of one repository, each as a person recognises it. */
async function onlyThere(
  tools: Tools,
  directory: string,
  gitDirectory: string,
  label: string,
): Promise<string[]> {
  const { git } = tools;
  const head = await git.refs.resolve(directory, "HEAD");
  if (head === null) return [];
  const [commits, stashes] = await Promise.all([
    git.history.localOnlyCommits(
      directory,
      label,
      head,
      MOST_COMMITS,
      await shallowCommits(tools, gitDirectory),
    ),
    await git.refs.resolve(directory, "refs/stash") === null
      ? []
      : git.stashes.list(directory, label),
  ]);
  return [
    ...commits.map(({ commit, subject }) => `${label}: ${commit.slice(0, 7)} ${subject}`),
    ...stashes.map(({ commit, subject }) => `${label}: stash ${commit.slice(0, 7)} ${subject}`),
  ];
}

/**
 * The work that only submodules hold, as `path: what`: uncommitted files, commits that no remote-tracking
 * branch has, stashes; those of submodules that are not checked out now, and submodules of submodules, too.
 * One git process, and four more per submodule.
 */
export async function submoduleWork(
  tools: Tools,
  directory: string,
  name: string,
): Promise<string[]> {
  const { git, system } = tools;
  const seen = new Set<string>();
  const found: string[] = [];
  async function isNew(gitDirectory: string): Promise<boolean> {
    // Links could lead round in circles.
    const real = await system.files.realPath(gitDirectory);
    if (real === null || seen.has(real)) return false;
    seen.add(real);
    return true;
  }
  async function dormant(gitDirectory: string): Promise<void> {
    for (const module of await modulesOf(tools, gitDirectory)) {
      if (!await isNew(module)) continue;
      const label = module.slice(gitDirectory.length + "/modules/".length);
      found.push(...await onlyThere(tools, module, module, label));
      await dormant(module);
    }
  }
  async function below(place: string, prefix: string): Promise<void> {
    for (const path of await git.gitlinks(place, name)) {
      const inner = join(place, path);
      const label = `${prefix}${path}`;
      const gitDirectory = await git.gitDirectory(inner);
      if (gitDirectory === null || !await isNew(gitDirectory)) continue;
      const { changes } = await git.status(inner, label, "all");
      found.push(...changes.map((change) => `${label}: ${change.path}`));
      found.push(...await onlyThere(tools, inner, gitDirectory, label));
      await below(inner, `${label}/`);
    }
    const own = await git.gitDirectory(place);
    if (own !== null) await dormant(own);
  }
  await below(directory, "");
  return found;
}
