/**
 * Repositories that lie in a clone without being its submodules, and submodules that do not.
 *
 * Git adds such a one as the name of a commit and nothing else: nobody who clones the outer repository can get it.
 */

import { join } from "@std/path";
import { AmofError } from "../../base/error.ts";
import type { ChangedPath, Git, PorcelainStatus, Repository } from "../../git/mod.ts";
import type { System } from "../../base/system/mod.ts";

const GITLINK = "160000";

/** Whether a change, as git prints it, would put a repository into the index, or has done so. */
function isRepository({ code, path, raw }: ChangedPath): boolean {
  // With all files listed only a repository is listed as a directory.
  if (code === "??") return path.endsWith("/");
  const [kind, , , , index, tree] = raw.split(" ");
  return (kind === "1" || kind === "2") && (index === GITLINK || tree === GITLINK) && code !== "D.";
}

/** The paths that a text like `.gitmodules` names. */
function pathsIn(text: string): string[] {
  return text.split("\n").flatMap((line) => /^\s*path\s*=\s*"?(.+?)"?\s*$/.exec(line)?.[1] ?? []);
}

/**
 * The submodules that `.gitmodules` names and that were never checked out, but for those that it wants left out. No git
 * process.
 */
export async function absentSubmodules(system: System, directory: string): Promise<string[]> {
  const text = await system.files.readText(join(directory, ".gitmodules")) ?? "";
  const wanted = text.split(/^\s*(?=\[)/m).filter((part) =>
    !/^\s*update\s*=\s*none\s*$/m.test(part)
  )
    .flatMap(pathsIn);
  const absent = await Promise.all(wanted.map(async (path) => {
    const place = join(directory, path);
    // A sparse clone has no directory for what it leaves out.
    return (await system.files.lstat(place))?.kind === "directory" &&
      await system.files.lstat(join(place, ".git")) === null;
  }));
  return wanted.filter((_, at) => absent[at]);
}

/**
 * The submodules that are checked out at commits which none of their remotes has, as far as was fetched: a push of what
 * names them is refused. One process for each that is checked out; nothing is said of one that cannot be read.
 */
export async function unsentSubmodules(
  { system, git }: { readonly system: System; readonly git: Git },
  directory: string,
): Promise<string[]> {
  const named = pathsIn(await system.files.readText(join(directory, ".gitmodules")) ?? "");
  const unsent = await Promise.all(named.map(async (path) => {
    const place = join(directory, path);
    // Whoever wrote the file may name any place; nobody is led out of the clone.
    const steps = path.split("/");
    if (steps.some((step) => ["", ".", "..", ".git"].includes(step.toLowerCase()))) return false;
    for (const at of steps.keys()) {
      const part = join(directory, ...steps.slice(0, at + 1));
      if ((await system.files.lstat(part))?.kind !== "directory") return false;
    }
    if (await system.files.lstat(join(place, ".git")) === null) return false;
    try {
      return await git.at(place).history.unpushedCount() > 0;
    } catch (error) {
      if (!(error instanceof AmofError)) throw error;
      return false;
    }
  }));
  return named.filter((_, at) => unsent[at]);
}

/**
 * Those of some changes of a working copy, listed with all files of new directories, that are repositories and no
 * submodules. No git process.
 */
export async function nestedRepositories(
  system: System,
  directory: string,
  changes: readonly ChangedPath[],
): Promise<string[]> {
  const found = changes.filter(isRepository).map(({ path }) => path.replace(/\/$/, ""));
  if (found.length === 0) return [];
  const submodules = new Set(
    pathsIn(await system.files.readText(join(directory, ".gitmodules")) ?? ""),
  );
  return found.filter((path) => !submodules.has(path));
}

/** Those of some repositories in a clone that were its submodules: git keeps what is committed there itself. No process. */
export async function formerSubmodules(
  system: System,
  directory: string,
  nested: readonly string[],
): Promise<string[]> {
  const files = await Promise.all(nested.map(async (path) => {
    const file = join(directory, path, ".git");
    return (await system.files.lstat(file))?.kind === "file"
      ? await system.files.readText(file) ?? ""
      : "";
  }));
  const kept = /^gitdir: [^\n]*[/\\]\.git[/\\]modules[/\\]/;
  return nested.filter((_, at) => kept.test(files[at] ?? ""));
}

/** New directories with more in them are not looked into: nobody waits for that. */
const MOST_NEW = 2000;

/**
 * The same of the changes that a look has found, in which new directories may be listed alone. One process where there
 * may be a repository in one of those, else none.
 */
export async function nestedIn(
  system: System,
  repository: Repository,
  directory: string,
  { changes }: PorcelainStatus,
): Promise<string[]> {
  const fresh = changes.filter(({ code, path }) => code === "??" && path.endsWith("/"));
  const held = await Promise.all(
    fresh.map(async ({ path }) =>
      (await system.files.tree(join(directory, path), MOST_NEW, ".git"))
        ?.some((found) => /(?:^|[\\/])\.git$/.test(found)) ?? false
    ),
  );
  const all = held.includes(true)
    ? (await repository.status("all")).changes
    : changes.filter((change) => !fresh.includes(change));
  return await nestedRepositories(system, directory, all);
}
