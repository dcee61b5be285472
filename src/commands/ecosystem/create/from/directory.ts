/** Finds the clones in a directory: what each is, and why others are not taken. */

import { basename, join, resolve } from "@std/path";
import { toAmofError } from "../../../../base/error.ts";
import { inPool } from "../../../../base/async/pool.ts";
import type { CommandContext } from "../../../../contract/mod.ts";
import { isOddName, isUnsafeUrl } from "../../../../git/mod.ts";
import { cleanLine } from "../../../../base/text/sanitize.ts";
import { few, shellWord } from "../../../../base/text/words.ts";
import { pathBelow } from "../../../../base/paths.ts";
import { type Imported, type Listed, listed } from "../../../../workspace/import/mod.ts";
import { type LeftOut, slugOf } from "../settle.ts";
import { withoutCredentials } from "../../../../workspace/clones/mod.ts";
import { addCommand } from "../../../advice/command_lines.ts";
import { whyOf } from "../../../../workspace/mod.ts";

/** How deep clones are looked for below the directory: `host/owner/name` is three. */
const DEPTH = 4;
/** How deep repositories are looked for within a clone. */
const NESTED_DEPTH = 2;
/** How many directories are looked at. */
const MOST_DIRECTORIES = 20_000;

/** Where nobody keeps clones of their own: what programs have fetched, or are just making or removing. */
function isForeign(name: string): boolean {
  return name === ".git" || name === "node_modules" || /^\..+\.amof-/.test(name);
}

/** A place that belongs to git. */
interface Found {
  readonly path: string;
  /**
   * What its `.git` is. `lost` is a link that leads nowhere, `bare` a directory that is a git directory itself.
   * `closed` is a directory that may not be read, `odd` one whose name is no UTF-8.
   */
  readonly kind: "directory" | "file" | "lost" | "bare" | "closed" | "odd";
  /** The clone it lies in, or null. */
  readonly inside: string | null;
}

/** What is found below a directory. */
interface Scan {
  readonly found: Found[];
  left: number;
}

async function kindOf({ system: { files } }: CommandContext, path: string): Promise<
  Found["kind"] | null
> {
  const listed = await files.list(path).catch(() => null);
  if (listed === null) return "closed";
  const entries = new Map(listed.map(({ name, kind }) => [name, kind] as const));
  const own = entries.get(".git");
  // Tools that keep git directories elsewhere lead there by a link, which git follows. One in a circle cannot be.
  const kind = own === "symlink"
    ? (await files.stat(join(path, ".git")).catch(() => null))?.kind ?? "lost"
    : own;
  if (kind === "directory" || kind === "lost") return kind;
  if (kind !== undefined) return "file";
  const bare = entries.get("HEAD") === "file" && entries.get("objects") === "directory" &&
    entries.get("refs") === "directory";
  return bare ? "bare" : null;
}

async function scan(
  ctx: CommandContext,
  directory: string,
  { depth, inside }: { readonly depth: number; readonly inside: string | null },
  all: Scan,
): Promise<void> {
  if (depth === 0) return;
  for (const entry of await ctx.system.files.list(directory)) {
    // Of a name that is no UTF-8 nobody can tell what it is.
    const isOdd = isOddName(entry.name) && inside === null;
    // Links are not followed: what they lead to is found where it lies.
    if (entry.kind !== "directory" && !isOdd || isForeign(entry.name)) continue;
    if (--all.left < 0) return;
    const path = join(directory, entry.name);
    const isHidden = entry.name.startsWith(".");
    // What a clone hides is its tools' own.
    if (isHidden && inside !== null) continue;
    const kind = isOdd ? "odd" : await kindOf(ctx, path);
    if (kind !== null) all.found.push({ path, kind, inside });
    // Hidden directories are looked at, as somebody's clones may be called so; searched is the one for what people configure.
    if (["bare", "closed", "odd"].includes(kind ?? "") || isHidden && entry.name !== ".config") {
      continue;
    }
    const within = kind === null ? inside : inside ?? path;
    const deeper = kind === null || inside !== null ? depth - 1 : Math.min(depth - 1, NESTED_DEPTH);
    await scan(ctx, path, { depth: deeper, inside: within }, all);
  }
}

/** Why a place that belongs to git is no clone to take; null where it is one. At most one process. */
async function reasonAgainst(
  ctx: CommandContext,
  { path, kind, inside }: Found,
): Promise<string | null> {
  const { files } = ctx.system;
  if (kind === "bare") return "it is a bare repository";
  if (kind === "lost") return "its .git is a link that leads nowhere";
  if (kind === "closed") return "it may not be read";
  if (kind === "odd") return "its name is no UTF-8, so nothing in it can be read";
  const repository = ctx.git.at(path, basename(path));
  if (kind === "file") {
    const gitDirectory = await repository.gitDirectory();
    if (gitDirectory !== null && gitDirectory !== await repository.commonDirectory()) {
      return "it is a linked worktree of another clone";
    }
    if (/[/\\]\.git[/\\]modules[/\\]/.test(gitDirectory ?? "")) return "it is a submodule";
  }
  if (inside !== null) return `it lies inside of ${cleanLine(basename(inside), 60)}`;
  const real = await files.realPath(path);
  if (kind === "directory" && real === await files.realPath(ctx.root)) {
    return "it is the control repository";
  }
  const top = await repository.topLevel();
  if (top !== null && resolve(top) === real) return null;
  const head = join(await repository.gitDirectory() ?? path, "HEAD");
  return top === null && await files.lstat(head) !== null
    ? "it is bare, and its working copies are linked worktrees"
    : "git finds no repository in it";
}

/** A clone as a manifest needs it, or why it cannot be taken. At most four git processes. */
async function look(
  ctx: CommandContext,
  directory: string,
  found: Found,
): Promise<Listed | LeftOut> {
  const what = pathBelow(directory, found.path) ?? found.path;
  const against = await reasonAgainst(ctx, found);
  if (against !== null) return { what, reason: against };
  const { remotes } = ctx.git.at(found.path, basename(found.path));
  const url = await remotes.address("origin");
  if (url === null) {
    const [only, ...others] = await remotes.names();
    if (only === undefined) return { what, reason: "it has no remote" };
    const shown = few([only, ...others].map((name) => cleanLine(name, 40)), 3);
    const reason = `it has no remote origin, only ${shown}`;
    const address = others.length > 0 ? null : await remotes.address(only);
    const there = address === null || isUnsafeUrl(address) ? null : withoutCredentials(address);
    return others.length > 0 ? { what, reason } : {
      what,
      reason,
      fix: `git -C ${shellWord(found.path)} remote rename ${shellWord(only)} origin`,
      ...(there === null
        ? {}
        : { add: addCommand({ name: slugOf(basename(found.path)), url: there }) }),
    };
  }
  return listed({
    what,
    name: basename(found.path),
    url,
    clone: found.path,
    branch: await remotes.rememberedBranch(),
    submodules: await ctx.system.files.lstat(join(found.path, ".gitmodules")) !== null,
  });
}

/** Looks for clones in and below a directory, itself among them where it `counts`. Nothing there is changed. */
export async function findClones(
  ctx: CommandContext,
  directory: string,
  counts = false,
): Promise<{ readonly list: Imported; readonly leftOut: readonly LeftOut[] }> {
  const all: Scan = { found: [], left: MOST_DIRECTORIES };
  const kind = counts ? await kindOf(ctx, directory) : null;
  if (kind !== null) all.found.push({ path: directory, kind, inside: null });
  await scan(ctx, directory, { depth: DEPTH, inside: null }, all);
  const looked = await inPool(ctx.jobs, all.found, async (found) => {
    try {
      return await look(ctx, directory, found);
    } catch (thrown) {
      // Whatever is odd about one clone, the others are taken.
      const error = toAmofError(thrown, () => ctx.system.ids.hex(8));
      if (["cancelled", "internal_error"].includes(error.code)) throw thrown;
      return { what: pathBelow(directory, found.path) ?? found.path, reason: whyOf(error) };
    }
  });
  return {
    list: {
      repos: looked.filter((one) => "name" in one),
      groups: {},
      notes: all.left < 0 ? [`Only the first ${MOST_DIRECTORIES} directories were looked at`] : [],
    },
    leftOut: looked.filter((one) => "reason" in one),
  };
}
