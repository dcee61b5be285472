/** Finds the control repository, its ecosystems, and the one a call means (WORKSPACE-1, WORKSPACE-3). */

import { refuseLinked } from "./linked.ts";
import { isTicketId, SLUG } from "../base/ids.ts";
import { basename, dirname, join, resolve } from "@std/path";
import { sha256 } from "../base/hash.ts";
import { isBelow } from "../base/paths.ts";
import { AmofError } from "../base/error.ts";
import { Git } from "../git/mod.ts";
import type { System } from "../base/system/mod.ts";
import { cleanLine } from "../base/text/sanitize.ts";
import { didYouMean, list, meantText, shellWord } from "../base/text/words.ts";
import { adopterOf, adoptingWorkspace } from "./clones/adopting.ts";
import { checkManifest, loadManifest, type Manifest } from "./manifest/manifest.ts";
import { isTicketDirectory, recordFile } from "./tickets/record.ts";

/** Among so many entries of a directory clones are looked for that somebody could begin with. */
const MOST_LOOKED_AT = 500;

/** So many ecosystems are offered with a command each. */
const MOST_OFFERED = 3;

const MARKERS = [".git", "pyproject.toml", "scripts/amof.py", "repos"];

async function isRoot(system: System, directory: string): Promise<boolean> {
  if ((await system.files.stat(join(directory, "ecosystems")))?.kind !== "directory") return false;
  for (const marker of MARKERS) {
    if (await system.files.stat(join(directory, marker)) !== null) return true;
  }
  return false;
}

/** Whether a directory is the top of a working copy. */
async function isTop({ files }: System, directory: string): Promise<boolean> {
  return await files.stat(join(directory, ".git")) !== null;
}

/** The main working copy behind a linked worktree, or the directory itself: a call means the same from both. */
async function mainRoot(system: System, directory: string): Promise<string> {
  const above = await movedRoot(system, directory);
  if (above !== null) return above;
  const common = await new Git(system).at(directory).commonDirectory();
  if (common === null) return directory;
  const main = dirname(common);
  const usable = main !== directory && common.endsWith(".git") &&
    (await system.files.stat(join(main, "ecosystems")))?.kind === "directory";
  return usable ? main : directory;
}

/**
 * The control repository around a linked worktree whose link leads elsewhere, as both were moved or copied; null where
 * the link is right, or nothing around it knows of the worktree.
 */
async function movedRoot(system: System, directory: string): Promise<string | null> {
  const { files } = system;
  const own = await new Git(system).at(directory).gitDirectory();
  if (own === null || basename(dirname(own)) !== "worktrees") return null;
  const text = await files.readText(join(own, "gitdir"));
  const back = text === null ? null : dirname(resolve(own, text.trim()));
  if (back !== null && (back === directory || await files.realPath(back) === directory)) {
    return null;
  }
  return await upwards(system, async (at) =>
    await isRoot(system, at) &&
    await files.exists(join(at, ".git", "worktrees", basename(own))), dirname(directory));
}

/** The directory that was named as the control repository, and by what; null when none was. */
function namedRoot(
  { env }: System,
  explicit: string | null,
): { readonly source: string; readonly value: string } | null {
  const given: readonly (readonly [string, string | undefined])[] = [
    ["--root", explicit ?? undefined],
    ...["AMOF_ROOT", "AMOF_WORKSPACE_ROOT", "AMOF_CWD"].map((name) =>
      [name, env.get(name)] as const
    ),
  ];
  for (const [source, value] of given) {
    if (value !== undefined && value !== "") return { source, value };
  }
  return null;
}

/** The first directory that fits, upwards from the working directory or another one; null when none does. */
async function upwards(
  { env, files }: System,
  fits: (directory: string) => Promise<boolean>,
  from: string = env.cwd,
): Promise<string | null> {
  for (let at = await files.realPath(from) ?? from;; at = dirname(at)) {
    if (await fits(at)) return at;
    if (dirname(at) === at) return null;
  }
}

/** The workspace of a ticket around the working directory, or null: the outermost, as none lies in another. */
async function ticketDirectoryAround(system: System): Promise<string | null> {
  const { env, files } = system;
  if (!env.cwd.includes("@")) return null;
  let around: string | null = null;
  await upwards(system, async (directory) => {
    const named = isTicketDirectory(directory);
    if (named && await files.lstat(recordFile(directory)) !== null) around = directory;
    return false;
  });
  return around;
}

/**
 * The git repository that can become a control repository: the named directory, or the one around the working
 * directory; null when there is none.
 */
export async function findFounded(system: System, explicit: string | null): Promise<string | null> {
  const named = namedRoot(system, explicit);
  if (named === null) return await upwards(system, (directory) => isTop(system, directory));
  const directory = await system.files.realPath(resolve(system.env.cwd, named.value));
  return directory !== null && await isTop(system, directory) ? directory : null;
}

/**
 * The control repository as an absolute path without symbolic links; null where there is none.
 *
 * Order: `explicit` → `AMOF_ROOT` → `AMOF_WORKSPACE_ROOT` → `AMOF_CWD` → upwards from the working
 * directory → that of `known` which has adopted the clone around it (ADOPT-3) → `otherwise`, what the user file says
 * (SETTING-5). A named directory is used as it is. Throws `root_not_found` where one is named that is none.
 */
export async function searchRoot(
  system: System,
  explicit: string | null,
  otherwise: string | null = null,
  known: () => Promise<readonly string[]> = () => Promise.resolve([]),
): Promise<string | null> {
  const { env } = system;
  const use = async ({ source, value }: { readonly source: string; readonly value: string }) => {
    const directory = await system.files.realPath(resolve(env.cwd, value));
    if (
      directory !== null &&
      (await system.files.stat(join(directory, "ecosystems")))?.kind === "directory"
    ) {
      return await mainRoot(system, directory);
    }
    throw new AmofError(
      "root_not_found",
      `Cannot use "${cleanLine(value)}" (from ${source}): it has no ecosystems/ directory`,
      {
        hint: [
          "Name the control repository with --root DIR or AMOF_ROOT",
          "Begin one in a git repository of its own: amof ecosystem create NAME",
        ],
        details: { source, path: value },
      },
    );
  };
  const named = namedRoot(system, explicit);
  if (named !== null) return await use(named);
  // A ticket can have a clone of the control repository among its repositories: a call there is about the ticket.
  const above = await ticketDirectoryAround(system);
  const found = await upwards(
    system,
    (directory) => isRoot(system, directory),
    above === null ? env.cwd : dirname(above),
  );
  if (found !== null) return await mainRoot(system, found);
  const roots = await known();
  const start = roots.length === 0 ? "" : await system.files.realPath(env.cwd) ?? env.cwd;
  const adopter = await adopterOf(system, roots, start);
  if (adopter !== null) return adopter;
  return otherwise === null ? null : await use({ source: 'the setting "root"', value: otherwise });
}

/** As {@linkcode searchRoot}; throws `root_not_found` also where there is none. */
export async function findRoot(...search: Parameters<typeof searchRoot>): Promise<string> {
  const found = await searchRoot(...search);
  if (found !== null) return found;
  const [system, , , known] = search;
  const start = await system.files.realPath(system.env.cwd) ?? system.env.cwd;
  // A worktree beside an adopted clone is of no ecosystem itself.
  const common = await new Git(system).at(start).commonDirectory();
  const adopter = common === null
    ? null
    : await adopterOf(system, await known?.() ?? [], dirname(common));
  throw new AmofError("root_not_found", `Cannot find a control repository at or above "${start}"`, {
    hint: [
      adopter === null
        ? await beginning(system, start)
        : `Go to the one that has the clone of this worktree: cd ${shellWord(adopter)}`,
      "Go into the one there is, or name it with --root DIR or AMOF_ROOT",
      "Name it once for all: amof config set root DIR",
    ],
    details: { path: start },
  });
}

/** How somebody begins who has no control repository, which may be with the clones that lie where they are. */
async function beginning(system: System, start: string): Promise<string> {
  const clone = await upwards(system, (directory) => isTop(system, directory), start);
  const directory = clone === null ? start : dirname(clone);
  // What cannot be looked at is not what the error is about.
  const clones = await clonesIn(system, directory).catch(() => 0);
  if (clones > 1) {
    const own = shellWord(join(directory, "control"));
    return `Begin one with the ${clones} clones in ${directory}: git init ${own} && cd ${own} && amof ecosystem create NAME --from ${
      shellWord(directory)
    }`;
  }
  const make = clone === null ? "git init && " : "";
  return `Begin one in a git repository of its own: ${make}amof ecosystem create NAME`;
}

async function clonesIn(system: System, directory: string): Promise<number> {
  let clones = 0;
  for (const { name, kind } of (await system.files.list(directory)).slice(0, MOST_LOOKED_AT)) {
    const mayBe = kind === "directory" && !name.startsWith(".");
    if (mayBe && await isTop(system, join(directory, name))) clones++;
  }
  return clones;
}

/** The error of a command that makes an ecosystem, outside of every git repository. */
export function noRepository(path: string): AmofError {
  return new AmofError(
    "root_not_found",
    `Cannot make an ecosystem in "${path}": it is in no git repository`,
    {
      hint: ["Make one for it: git init", "Then repeat the same command"],
      details: { path },
    },
  );
}

/** The names of all ecosystems of a control repository, sorted. */
export async function ecosystemNames(system: System, root: string): Promise<string[]> {
  const entries = await system.files.list(join(root, "ecosystems"));
  const names: string[] = [];
  for (const entry of entries) {
    if (entry.kind !== "directory" || !SLUG.test(entry.name)) continue;
    const file = join(root, "ecosystems", entry.name, "ecosystem.yaml");
    if (await system.files.lstat(file) !== null) names.push(entry.name);
  }
  return names;
}

/** Throws `ecosystem_not_found`, with the nearest name and all others, unless the ecosystem exists. */
export async function requireEcosystem(system: System, root: string, name: string): Promise<void> {
  const names = await ecosystemNames(system, root);
  if (names.includes(name)) return;
  await refuseLinked(system, root, name);
  const shown = cleanLine(name, 60);
  const near = didYouMean(name, names);
  throw new AmofError(
    "ecosystem_not_found",
    `Cannot find ecosystem "${shown}"${meantText(near)}`,
    {
      hint: names.length === 0
        ? "Create one: amof ecosystem create NAME"
        : `Available: ${list(names.slice(0, 20))}`,
      details: {
        ecosystem: shown,
        available: names,
        ...(near === null ? {} : { did_you_mean: near }),
      },
    },
  );
}

/** The manifest of an ecosystem, or null when it cannot be used: one broken ecosystem must not hide the others. */
async function manifestOrNull(
  system: System,
  root: string,
  name: string,
): Promise<Manifest | null> {
  try {
    return (await checkManifest(system, root, name)).manifest;
  } catch (error) {
    if (error instanceof AmofError) return null;
    throw error;
  }
}

/** The ecosystem whose workspace holds a directory, or null. */
async function byPlace(
  system: System,
  root: string,
  names: readonly string[],
  cwd: string,
): Promise<string | null> {
  if (cwd === root || !isBelow(root, cwd)) return null;
  // The usual place is recognised without reading any manifest.
  const usual = names.find((name) =>
    isBelow(join(root, "worktrees", name), cwd) || isBelow(join(root, "ecosystems", name), cwd) ||
    ticketIn(join(root, "worktrees", name), cwd) !== null
  );
  if (usual !== undefined) return usual;
  for (const name of names) {
    const manifest = await manifestOrNull(system, root, name);
    if (manifest === null) continue;
    const base = join(root, manifest.workspaceDir);
    if (isBelow(base, cwd) || ticketIn(base, cwd) !== null) return name;
  }
  return null;
}

/** The ticket whose directory, beside a base workspace, holds a place; null where none does. */
function ticketIn(base: string, place: string): string | null {
  const begins = `${base}@`;
  if (!place.startsWith(begins)) return null;
  const id = place.slice(begins.length).split(/[\\/]/)[0] ?? "";
  return isTicketId(id) ? id : null;
}

/** The ticket of an ecosystem whose workspace holds the working directory; null where none does. No process. */
export async function ticketHere(
  system: System,
  root: string,
  ecosystem: string,
): Promise<string | null> {
  const { env, files } = system;
  // The manifest is read only where there may be one.
  if (!env.cwd.includes("@")) return null;
  const { workspaceDir } = await loadManifest(system, root, ecosystem);
  return ticketIn(join(root, workspaceDir), await files.realPath(env.cwd) ?? env.cwd);
}

/** The ecosystem whose workspace branch is checked out where the caller stands, or null. */
async function byBranch(
  system: System,
  root: string,
  names: readonly string[],
  cwd: string,
): Promise<string | null> {
  for (let at = cwd;; at = dirname(at)) {
    const repository = new Git(system).at(at);
    if (await repository.gitDirectory() !== null) {
      const branch = await repository.branches.current() ?? "";
      for (const name of names.filter((candidate) => branch.endsWith(`/${candidate}`))) {
        if ((await manifestOrNull(system, root, name))?.workspaceBranch === branch) return name;
      }
      return null;
    }
    if (dirname(at) === at) return null;
  }
}

async function byAgentFile(
  system: System,
  names: readonly string[],
  cwd: string,
): Promise<string | null> {
  const text = await system.files.readText(join(cwd, ".amof", "agent.yaml"));
  const name = /^default_ecosystem:\s*["']?([A-Za-z0-9._-]+)/m.exec(text ?? "")?.[1];
  return name !== undefined && names.includes(name) ? name : null;
}

/**
 * The ecosystem a command line means without `-e`: the only one there is, the one whose workspace or directory
 * holds the working directory or has adopted the clone around it, the one whose workspace branch is checked out, the one chosen with
 * `ecosystem switch`, or the default of `.amof/agent.yaml`. Throws `scope_required`.
 */
export async function currentEcosystem(
  system: System,
  root: string,
  chosen: () => Promise<string | null>,
): Promise<string> {
  const names = await ecosystemNames(system, root);
  const [only] = names;
  if (only !== undefined && names.length === 1) return only;
  if (only === undefined) await refuseLinked(system, root, null);
  const real = await system.files.realPath(system.env.cwd) ?? system.env.cwd;
  const cwd = isBelow(root, real) ? real : await adoptingWorkspace(system, root, real) ?? real;
  const standing = await byPlace(system, root, names, cwd) ??
    await byBranch(system, root, names, cwd);
  const choice = standing === null && names.length > 1 ? await chosen() : null;
  const found = standing ??
    names.find((name) => name === choice) ??
    await byAgentFile(system, names, cwd);
  if (found !== null) return found;
  throw undecided(
    names,
    names.slice(0, MOST_OFFERED).map((name) => `Go to ${name}: amof ecosystem switch ${name}`),
  );
}

/** The error where nothing tells which of the ecosystems is meant; `ways` are hints that come first. */
function undecided(names: readonly string[], ways: readonly string[] = []): AmofError {
  const none = names.length === 0;
  return new AmofError(
    "scope_required",
    `Cannot tell which ecosystem is meant: there ${none ? "is none yet" : `are ${names.length}`}`,
    {
      hint: none
        ? "Create one: amof ecosystem create NAME"
        : [...ways, `Name one with --ecosystem NAME. Available: ${list(names.slice(0, 20))}`],
      details: { available: names },
    },
  );
}

/** The ecosystem of a control repository that has one; throws `scope_required` with those there are, and `ways` to one. */
export async function onlyEcosystem(
  system: System,
  root: string,
  ways: readonly string[] = [],
): Promise<string> {
  const names = await ecosystemNames(system, root);
  if (names.length === 0) await refuseLinked(system, root, null);
  if (names.length !== 1) throw undecided(names, ways);
  return names[0] ?? "";
}

/** The name under which the choice for a control repository is remembered. */
export function choiceSetting(root: string): string {
  return `ecosystem:${sha256(root).slice(0, 16)}`;
}

/** The name under which the choice before that one is remembered. */
export function formerChoiceSetting(root: string): string {
  return `former_${choiceSetting(root)}`;
}
