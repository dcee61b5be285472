/**
 * Work that a status does not show: files that git was told to take for unchanged, and repositories inside of others.
 */

import { join } from "@std/path";
import { inPool } from "../../base/async/pool.ts";
import { type FlaggedFile, type Git, isOddName } from "../../git/mod.ts";
import { Everything } from "../../git/read/mod.ts";
import { AmofError } from "../../base/error.ts";
import type { System } from "../../base/system/mod.ts";
import { shortSha } from "../../base/ids.ts";

/** The most directories of one clone that are looked into. */
const MOST_DIRECTORIES = 50_000;

/**
 * Those of the files marked `skip-worktree` or `assume-unchanged` that are on the disk and differ from the index. One
 * git process where there are any, else none.
 */
export async function changedFlagged(
  { system, git }: { readonly system: System; readonly git: Git },
  directory: string,
  repo: string,
  flagged: readonly FlaggedFile[],
): Promise<{ readonly path: string; readonly object: string }[]> {
  const kinds = await inPool(
    64,
    flagged,
    async ({ path }) => (await system.files.lstat(join(directory, path)))?.kind ?? null,
  );
  const present = flagged.flatMap((file, index) => {
    const kind = kinds[index] ?? null;
    return kind === null ? [] : [{ ...file, kind }];
  });
  const plain = present.filter(({ kind, mode, path }) =>
    kind === "file" && mode !== "120000" && !path.includes("\n")
  );
  const hashes = plain.length === 0
    ? []
    : await git.at(directory, repo).part(Everything).hash(plain.map(({ path }) => path));
  const now = new Map(plain.map(({ path }, index) => [path, hashes[index] ?? ""]));
  const changed: { path: string; object: string }[] = [];
  for (const { path, kind, mode, object } of present) {
    // Contents behind links are not compared: a path that is still a link counts as unchanged.
    if (kind === "symlink" && mode === "120000") continue;
    const hash = now.get(path) ?? kind;
    if (hash !== object) changed.push({ path, object: hash });
  }
  return changed;
}

/** The most objects of git-lfs that are counted. */
const MOST_OBJECTS = 10_000;

/** How many objects git-lfs keeps in a git directory, at most ten thousand. No process. */
export async function lfsObjects(system: System, gitDirectory: string): Promise<number> {
  const root = join(gitDirectory, "lfs", "objects");
  let found = 0;
  for (const outer of await system.files.list(root)) {
    if (outer.kind !== "directory") continue;
    for (const inner of await system.files.list(join(root, outer.name))) {
      if (inner.kind !== "directory") continue;
      found += (await system.files.list(join(root, outer.name, inner.name)))
        .filter(({ kind }) => kind === "file").length;
      if (found >= MOST_OBJECTS) return MOST_OBJECTS;
    }
  }
  return found;
}

/** Repositories inside a working copy, and places where nobody could look for them. */
interface Inside {
  /** Relative, ending in a slash. */
  readonly repositories: readonly string[];
  readonly unseen: readonly string[];
}

/** Whether a directory is a repository: with a working copy, or bare. */
async function isRepository(
  system: System,
  directory: string,
  names: ReadonlySet<string>,
): Promise<boolean> {
  if (names.has("HEAD") && names.has("objects") && names.has("refs")) return true;
  if (!names.has(".git")) return false;
  const dotGit = join(directory, ".git");
  return (await system.files.lstat(dotGit))?.kind === "file" ||
    await system.files.lstat(join(dotGit, "HEAD")) !== null;
}

/**
 * Repositories at any depth inside a working copy, ignored directories included, but for those at the places `known`.
 * Links are not followed. No process, but one look per directory.
 */
export async function repositoriesInside(
  system: System,
  directory: string,
  known: readonly string[],
): Promise<Inside> {
  const expected = new Set(known);
  const repositories: string[] = [];
  const unseen: string[] = [];
  const waiting = [""];
  for (let looked = 0; waiting.length > 0; looked++) {
    const at = waiting.pop() ?? "";
    if (looked === MOST_DIRECTORIES) {
      unseen.push(`more than ${MOST_DIRECTORIES} directories, not all were looked into`);
      break;
    }
    const place = join(directory, at);
    try {
      const entries = await system.files.list(place);
      const names = new Set(entries.map(({ name }) => name));
      if (at !== "" && !expected.has(at) && await isRepository(system, place, names)) {
        repositories.push(`${at}/`);
        continue;
      }
      for (const { name, kind } of entries) {
        if (kind === "directory" && name !== ".git") {
          waiting.push(at === "" ? name : `${at}/${name}`);
        } else if (kind === "other" && isOddName(name)) {
          unseen.push(`${at === "" ? name : `${at}/${name}`} (its name is no UTF-8)`);
        }
      }
    } catch (error) {
      if (!(error instanceof AmofError)) throw error;
      unseen.push(`${at}/ (${error.message})`);
    }
  }
  return { repositories: repositories.sort(), unseen };
}

// What only the submodules of a clone hold. Their repositories lie inside the clone's and go with it, but no
// question about the clone shows their commits (WORKSPACE-17, WORKSPACE-18).

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
    ...commits.map(({ commit, subject }) => `${label}: ${shortSha(commit)} ${subject}`),
    ...onlyRefs.map(({ commit, subject, ref }) =>
      `${label}: ${shortSha(commit)} ${subject} (${ref})`
    ),
    ...stashes.map(({ commit, subject }) => `${label}: stash ${shortSha(commit)} ${subject}`),
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
 * The work that only submodules hold: uncommitted files, also those that git was told to take for unchanged, commits
 * that no remote-tracking branch has, and stashes. Submodules that are not checked out now count, and so do submodules
 * of submodules. At most seven git processes per submodule, and none without submodules.
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
