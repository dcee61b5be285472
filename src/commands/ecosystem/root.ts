/** Finds the control repository (WORKSPACE-1), and says how to begin where there is none. */

import { basename, dirname, join, resolve } from "@std/path";
import { AmofError } from "../../base/error.ts";
import { Git } from "../../git/mod.ts";
import type { System } from "../../base/system/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { shellWord } from "../../base/text/words.ts";
import { adopterOf } from "../../workspace/clones/mod.ts";
import { isTicketDirectory, recordFile } from "../../workspace/tickets/mod.ts";

/** Among so many entries of a directory clones are looked for that somebody could begin with. */
const MOST_LOOKED_AT = 500;

/** So many control repositories are offered with a command each. */
const MOST_OFFERED = 3;

/** How a control repository is begun in a git repository. */
const CREATE = "amof ecosystem create NAME --commit";

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
 * The control repository around a linked worktree whose link leads elsewhere, as both were moved or copied.
 * Null where the link is right, or nothing around it knows of the worktree.
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
 * Order: `explicit` → `AMOF_ROOT` → `AMOF_WORKSPACE_ROOT` → `AMOF_CWD` → upwards from the working directory →
 * that of `known` which has adopted the clone around it (ADOPT-3) → `otherwise`. The last is what the user file
 * says (SETTING-5). A named directory is used as it is. Throws `root_not_found` where one is named that is
 * none.
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
    const isFounded = directory !== null && await isTop(system, directory);
    throw new AmofError(
      "root_not_found",
      `Cannot use "${cleanLine(value)}" (from ${source}): it has no ecosystems/ directory`,
      {
        hint: [
          "Name the control repository with --root DIR or AMOF_ROOT",
          `Begin one there: ${isFounded ? "" : `git init ${shellWord(value)} && `}${CREATE}`,
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
      ...(adopter === null
        ? await beginning(system, start)
        : [`Go to the one that has the clone of this worktree: cd ${shellWord(adopter)}`]),
      "Go into the one there is, or name it with --root DIR or AMOF_ROOT",
      "Name it once for all: amof config set root DIR",
    ],
    details: { path: start },
  });
}

/** What lies around somebody who has no control repository. */
interface Around {
  /** Where their clones lie, absolute: that around the working copy they are in, or the directory they are in. */
  readonly directory: string;
  /** Whether they are in no working copy, in one, or in one that was only just begun, which can become a control repository. */
  readonly inside: "nothing" | "clone" | "new";
  /** How many clones lie there; a linked worktree is of another, and one that was just begun is for the list. */
  readonly clones: number;
  /** The control repositories that lie there, by their names. */
  readonly controls: readonly string[];
}

/** What lies around `start`, absolute; what cannot be looked at counts as not there. */
export async function surroundings(system: System, start: string): Promise<Around> {
  const { files } = system;
  const clone = await upwards(system, (directory) => isTop(system, directory), start);
  const directory = clone === null ? start : dirname(clone);
  const inside = clone === null ? "nothing" : await isNew(system, clone) ? "new" : "clone";
  const entries = await files.list(directory).catch(() => []);
  const controls: string[] = [];
  let clones = 0;
  for (const { name, kind } of entries.slice(0, MOST_LOOKED_AT)) {
    const place = join(directory, name);
    if (kind !== "directory" || name.startsWith(".") || !await isTop(system, place)) continue;
    const link = await files.readText(join(place, ".git")).catch(() => null);
    if (await isRoot(system, place)) controls.push(name);
    else if (link?.includes("/worktrees/") !== true) clones++;
  }
  return { directory, inside, clones: inside === "new" ? clones - 1 : clones, controls };
}

/** Whether a working copy has no branch yet. */
async function isNew({ files }: System, directory: string): Promise<boolean> {
  const git = join(directory, ".git");
  const heads = await files.list(join(git, "refs", "heads")).catch(() => null);
  return heads?.length === 0 && await files.stat(join(git, "packed-refs")) === null &&
    await files.stat(join(git, "reftable")) === null;
}

/** How somebody begins who has no control repository, which may be with the clones that lie where they are. */
async function beginning(system: System, start: string): Promise<readonly string[]> {
  const { directory, inside, clones, controls } = await surroundings(system, start);
  if (controls.length > 0) {
    return controls.slice(0, MOST_OFFERED).map((name) =>
      `Go into the one that lies here: cd ${shellWord(join(directory, name))}`
    );
  }
  if (clones > 1) {
    const own = shellWord(join(directory, "control"));
    const make = inside === "new" ? "" : `git init ${own} && cd ${own} && `;
    return [
      `Begin one with the ${clones} clones in ${directory}: ${make}${CREATE} --from ${
        shellWord(directory)
      }`,
    ];
  }
  const make = inside === "nothing" ? "git init && " : "";
  return [`Begin one in a git repository of its own: ${make}${CREATE}`];
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
