/** Reads a list of repositories from a file: only this file, and those below its directory that it names. */

import { basename, dirname, isAbsolute, join, resolve } from "@std/path";
import { defined } from "../../../../base/object.ts";
import { AmofError } from "../../../../base/error.ts";
import type { CommandContext } from "../../../../contract/mod.ts";
import { cleanLine } from "../../../../base/text/sanitize.ts";
import { isBelow } from "../../../../base/paths.ts";
import { shellWord } from "../../../../base/text/words.ts";
import { withoutCredentials } from "../../../../workspace/clones/mod.ts";
import { addCommand } from "../../../advice/command_lines.ts";
import {
  type Imported,
  IMPORTERS,
  kindOfList,
  kindsThatFit,
  lastName,
  LIST_KINDS,
  type Listed,
  type ListKind,
  type Source,
  type Superproject,
  yamlOf,
} from "../../../../workspace/import/mod.ts";
import { type LeftOut, slugOf } from "../settle.ts";

const MAX_BYTES = 4 * 1024 * 1024;

function refuse(shown: string, why: string, hint: string): AmofError {
  return new AmofError("invalid_arguments", `Cannot read ${cleanLine(shown, 120)}: ${why}`, {
    hint,
    details: { field: "from", file: shown },
  });
}

async function textOf(ctx: CommandContext, path: string, shown: string): Promise<string> {
  const info = await ctx.system.files.stat(path);
  if (info === null) throw refuse(shown, "there is no such file", "Name a file that exists");
  if (info.kind !== "file") throw refuse(shown, "it is no file", "Name a file");
  if (info.size > MAX_BYTES) {
    throw refuse(shown, `it has more than ${MAX_BYTES} bytes`, "Name a list of repositories");
  }
  return (await ctx.system.files.readText(path) ?? "").replace(/^\uFEFF/, "");
}

/** Where a list names something, which must lie below the directory of the list. */
async function placeOf(ctx: CommandContext, directory: string, path: string): Promise<string> {
  const real = await ctx.system.files.realPath(resolve(directory, path));
  const base = await ctx.system.files.realPath(directory) ?? directory;
  if (isAbsolute(path) || (real !== null && !isBelow(base, real))) {
    throw refuse(path, "only files below the directory of the list are read", "Copy it there");
  }
  return real ?? resolve(directory, path);
}

/** The names of what is in a directory that a list names; null for what is no directory. */
async function entriesOf(
  ctx: CommandContext,
  directory: string,
  path: string,
): Promise<string[] | null> {
  const place = await placeOf(ctx, directory, path);
  if ((await ctx.system.files.stat(place))?.kind !== "directory") return null;
  const entries = await ctx.system.files.list(place);
  return entries.map(({ name }) => `${path.replace(/\/+$/, "")}/${name}`).sort();
}

/** Reads a list. `file` is absolute; `shown` is what messages call it. Throws `invalid_arguments`. */
export async function readList(
  ctx: CommandContext,
  { file, shown, kind }: {
    readonly file: string;
    readonly shown: string;
    readonly kind: ListKind | null;
  },
): Promise<{
  readonly kind: ListKind;
  readonly list: Imported;
  readonly leftOut: readonly LeftOut[];
}> {
  const text = await textOf(ctx, file, shown);
  const found = kind ?? kindOfList(basename(file), text);
  if (found === null) {
    const fitting = kindsThatFit(text);
    // What looks like YAML and is none says where, whichever tool wrote it.
    if (fitting.includes("repos")) await yamlOf(text, shown);
    throw refuse(
      shown,
      "neither its name nor its content tells which tool wrote it",
      [
        ...fitting.map((fits) => `Say that ${fits} did: the same command with --kind ${fits}`),
        `${
          fitting.length === 0 ? "Name" : "Or name"
        } a directory of clones, or a list of a kind that is read (${LIST_KINDS.join(", ")})`,
      ].join("\n"),
    );
  }
  const directory = dirname(file);
  const checkout = found === "repo-xml" ? await checkoutOf(ctx, file) : null;
  const base = checkout?.directory ?? directory;
  const home = await homeOf(ctx, base);
  const around = found === "gitmodules" ? await superprojectOf(ctx, file, { home, shown }) : null;
  const list = await IMPORTERS[found]({
    text,
    shown,
    include: async (path) => await textOf(ctx, await placeOf(ctx, base, path), path),
    within: (path) => entriesOf(ctx, base, path),
    after: checkout?.after ?? [],
    home,
    platform: ctx.system.env.platform,
    ...defined({ superproject: around?.superproject }),
  });
  return {
    kind: found,
    list: await withAddresses(ctx, directory, list),
    leftOut: around?.leftOut ?? [],
  };
}

/** What git knows of the repository around submodules, which is left out itself: no manifest holds it and its parts in one place. */
async function superprojectOf(
  ctx: CommandContext,
  file: string,
  { home, shown }: { readonly home: string | null; readonly shown: string },
): Promise<{ readonly superproject: Superproject; readonly leftOut: readonly LeftOut[] }> {
  const directory = dirname(file);
  const git = ctx.git.at(directory);
  const settings = await git.configFile(file);
  if (settings === null) {
    throw refuse(
      shown,
      "git cannot read it",
      `See what it says: git config --list --file ${shellWord(file)}`,
    );
  }
  const top = await git.topLevel();
  if (top === null || await ctx.system.files.realPath(top) !== directory) {
    return { superproject: { settings, pins: null, branch: null }, leftOut: [] };
  }
  const name = slugOf(home === null ? basename(top) : lastName(home));
  const isRoot = directory === await ctx.system.files.realPath(ctx.root);
  const use = (await git.worktrees.uses()).find(({ own, doing }) => own && doing === "checkout");
  return {
    superproject: { settings, pins: await git.files.gitlinks(), branch: use?.branch ?? null },
    leftOut: [{
      what: basename(top),
      reason: isRoot
        ? "it is the control repository; the lock pins these from now on, not its commits"
        : "these are its submodules; the lock pins them from now on, not its commits",
      ...(isRoot || home === null
        ? {}
        : { add: addCommand({ name, url: withoutCredentials(home) }) }),
    }],
  };
}

/**
 * Where the lists of a checkout of repo lie, and its local ones, which count after them. Null where the file is
 * not the one that such a checkout begins with.
 */
async function checkoutOf(
  ctx: CommandContext,
  file: string,
): Promise<{ directory: string; after: NonNullable<Source["after"]> } | null> {
  const { files } = ctx.system;
  const place = dirname(file);
  const directory = join(place, "manifests");
  if (basename(file) !== "manifest.xml" || basename(place) !== ".repo") return null;
  if ((await files.stat(directory))?.kind !== "directory") return null;
  const local = join(place, "local_manifests");
  const isThere = (await files.stat(local))?.kind === "directory";
  const names = (isThere ? await files.list(local) : []).map(({ name }) => name)
    .filter((name) => name.endsWith(".xml")).toSorted();
  const after: { readonly name: string; readonly text: string }[] = [];
  for (const name of names) {
    const shown = `local_manifests/${name}`;
    after.push({ name: shown, text: await textOf(ctx, join(local, name), shown) });
  }
  return { directory, after };
}

/** The address of the repository a directory lies in; null where it lies in none. */
async function homeOf(ctx: CommandContext, directory: string): Promise<string | null> {
  const top = await ctx.git.at(directory).topLevel();
  return top === null ? null : await ctx.git.at(top).remotes.address("origin");
}

/** The list with the addresses of repositories of which it only names a clone. */
async function withAddresses(
  ctx: CommandContext,
  directory: string,
  list: Imported,
): Promise<Imported> {
  const notes: string[] = [];
  const repos: Listed[] = [];
  for (const repo of list.repos) {
    if (repo.url !== null || repo.clone === null) {
      repos.push(repo);
      continue;
    }
    const place = resolve(directory, repo.clone);
    const git = ctx.git.at(place, repo.name);
    const url = await git.activity() === null ? null : await git.remotes.address("origin");
    if (url === null) notes.push(`${repo.what}: it is no clone with a remote origin`);
    else repos.push({ ...repo, url, branch: await git.remotes.rememberedBranch() });
  }
  return { ...list, repos, notes: [...list.notes, ...notes] };
}
