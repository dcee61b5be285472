/**
 * What only the submodules of a clone hold: their repositories lie inside the clone's and go with it, but no
 * question about the clone tells of their commits (WORKSPACE-17, WORKSPACE-18).
 */

import { join } from "@std/path";
import type { Git } from "../../git/mod.ts";
import { Everything } from "../../git/read/mod.ts";
import type { System } from "../../base/system/mod.ts";
import { changedFlagged } from "./hidden.ts";

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

/** Commits, of branches and of other refs, and stashes of one repository, each as a person recognises it. */
async function onlyThere(
  tools: Tools,
  directory: string,
  gitDirectory: string,
  label: string,
): Promise<string[]> {
  const repository = tools.git.at(directory, label);
  const head = await repository.refs.resolve("HEAD");
  if (head === null) return [];
  const shallow = await shallowCommits(tools, gitDirectory);
  const refs = await repository.part(Everything).refs();
  const others = refs.filter(({ name }) => !/^refs\/(?:heads\/|stash$)/.test(name));
  const [commits, onlyRefs, stashes] = await Promise.all([
    repository.history.localOnlyCommits({ head, most: MOST_COMMITS, known: shallow }),
    others.length === 0 ? [] : repository.part(Everything).onlyIn({
      refs: others,
      known: [head, ...shallow],
      most: MOST_COMMITS,
    }),
    refs.some(({ name }) => name === "refs/stash") ? repository.stashes.list() : [],
  ]);
  return [
    ...commits.map(({ commit, subject }) => `${label}: ${commit.slice(0, 7)} ${subject}`),
    ...onlyRefs.map(({ commit, subject, ref }) =>
      `${label}: ${commit.slice(0, 7)} ${subject} (${ref})`
    ),
    ...stashes.map(({ commit, subject }) => `${label}: stash ${commit.slice(0, 7)} ${subject}`),
  ];
}

/** What the submodules of a clone hold. */
interface SubmoduleWork {
  /** Work that is only there, as `path: what`. */
  readonly work: readonly string[];
  /** Where submodules are checked out, relative to the clone. */
  readonly places: readonly string[];
}

/**
 * The work that only submodules hold: uncommitted files, those too that git was told to take for unchanged, commits
 * that no remote-tracking branch has, stashes; those of submodules that are not checked out now, and submodules of
 * submodules, too. At most seven git processes per submodule, and none without submodules.
 */
export async function submoduleWork(
  tools: Tools,
  directory: string,
  gitlinks: readonly string[],
): Promise<SubmoduleWork> {
  const { git, system } = tools;
  const seen = new Set<string>();
  const found: string[] = [];
  const places: string[] = [];
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
  async function below(place: string, prefix: string, links: readonly string[]): Promise<void> {
    for (const path of links) {
      const inner = join(place, path);
      const label = `${prefix}${path}`;
      const repository = git.at(inner, label);
      const gitDirectory = await repository.gitDirectory();
      if (gitDirectory === null || !await isNew(gitDirectory)) continue;
      places.push(label);
      const { changes } = await repository.status("all");
      const { gitlinks: deeper, flagged } = await repository.part(Everything).index();
      const hidden = await changedFlagged(tools, inner, label, flagged);
      found.push(...[...changes, ...hidden].map((change) => `${label}: ${change.path}`));
      found.push(...await onlyThere(tools, inner, gitDirectory, label));
      await below(inner, `${label}/`, deeper);
    }
    const own = await git.at(place).gitDirectory();
    if (own !== null) await dormant(own);
  }
  await below(directory, "", gitlinks);
  return { work: found, places };
}
