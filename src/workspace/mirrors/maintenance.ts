/** Removes mirrors that nobody borrows from, and packs the others (MIRROR-6). */

import { basename, dirname, join, relative } from "@std/path";
import type { CommandContext, ExecuteContext } from "../../contract/mod.ts";
import { removeStale } from "../removal/temporaries.ts";
import { type BorrowerFound, borrowersFound, settleBorrowers } from "./borrowers.ts";
import { atMirror, LARGE, mirrorDirectory, type MirrorKind, mirrorsDirectory } from "./place.ts";
import { configDue, fetchedAt, isMirror, mirrorAt, settleConfig } from "./make.ts";
import { Mirrors } from "../../git/write/mod.ts";
import { inPool } from "../../base/async/pool.ts";
import type { Borrower } from "../../state/store/mod.ts";
import type { System } from "../../base/system/mod.ts";
import type { Manifest, Repo } from "../manifest/manifest.ts";
import { ticketWorkspaces } from "../tickets/record.ts";
import { Transfers } from "../clones/transfer.ts";
import { freshMirror, mirrorKind } from "./fresh.ts";

// Which mirrors there are, how large, and who borrows from them (MIRROR-5).

/** How deep mirrors lie below the directory of all of them, at most. */
const DEEPEST = 6;

const MIRROR = /^[^.].*-[0-9a-f]{8}(?:-blobless)?\.git$/;

const LEFT = /^\..+-[0-9a-f]{8}(?:-blobless)?\.git\.amof-(?:damaged-|removed-)?[0-9a-f]{8}$/;

/** Packs and loose files from which on a mirror is packed anew. */
const MANY_PACKS = 5;

const MANY_LOOSE = 500;

/** A mirror, or what should be one. */
export interface MirrorFound {
  /** Where it lies below the directory of all mirrors, with `/` and without the ending. */
  readonly name: string;
  readonly directory: string;
  /** `missing`: somebody borrows from it, and it is not there. `left`: what a kill or a damage has left beside a mirror. */
  readonly state: "whole" | "damaged" | "missing" | "left";
  /** Null where its configuration does not tell. */
  readonly url: string | null;
  readonly kind: "full" | "blobless";
  readonly bytes: number;
  /** When the last fetch began, in milliseconds since the epoch; null where none is known of. */
  readonly fetchedMs: number | null;
  /** Whether its objects are in so many files that packing them is worth it. */
  readonly scattered: boolean;
  readonly borrowers: readonly BorrowerFound[];
}

type Tools = Pick<CommandContext, "system" | "layout" | "store" | "jobs">;

async function places(
  { files }: Pick<System, "files">,
  directory: string,
  depth: number,
): Promise<string[]> {
  const found: string[] = [];
  for (const { name, kind } of await files.list(directory)) {
    if (kind !== "directory") continue;
    const place = join(directory, name);
    if (MIRROR.test(name) || LEFT.test(name)) found.push(place);
    else if (depth < DEEPEST && !name.startsWith(".")) {
      found.push(...await places({ files }, place, depth + 1));
    }
  }
  return found;
}

/** The files below a directory, added up. */
async function measure(
  { files }: Pick<System, "files">,
  directory: string,
): Promise<{ readonly bytes: number; readonly packs: number; readonly loose: number }> {
  let [bytes, packs, loose] = [0, 0, 0];
  for (const { name, kind } of await files.list(directory)) {
    const path = join(directory, name);
    if (kind === "directory") {
      const below = await measure({ files }, path);
      bytes += below.bytes;
      // Names of large files look like those of git's objects, and are in no pack ever.
      if (name === LARGE) continue;
      packs += below.packs;
      loose += below.loose;
    } else if (kind === "file") {
      bytes += (await files.lstat(path))?.size ?? 0;
      if (name.endsWith(".pack")) packs++;
      else if (/^[0-9a-f]{38,}$/.test(name)) loose++;
    }
  }
  return { bytes, packs, loose };
}

/** The address in the configuration of a mirror, which this program has written. */
function urlIn(config: string | null): string | null {
  const quoted = /^\turl = "(.*)"$/m.exec(config ?? "")?.[1];
  return quoted?.replace(/\\(["\\])/g, "$1") ?? null;
}

async function look(
  { system, layout }: Tools,
  place: string,
  borrowers: readonly Borrower[],
): Promise<MirrorFound> {
  const { files } = system;
  const left = LEFT.test(basename(place));
  const there = await files.lstat(place) !== null;
  const { bytes, packs, loose } = await measure(system, place);
  return {
    name: relative(mirrorsDirectory(layout), place).replaceAll("\\", "/").replace(/\.git$/, ""),
    directory: place,
    state: left
      ? "left"
      : !there
      ? "missing"
      : await isMirror({ system }, place)
      ? "whole"
      : "damaged",
    url: urlIn(await files.readText(join(place, "config"))),
    kind: place.endsWith("-blobless.git") ? "blobless" : "full",
    bytes,
    fetchedMs: await fetchedAt({ system }, place),
    scattered: packs >= MANY_PACKS || loose >= MANY_LOOSE,
    borrowers: await borrowersFound({ system }, place, borrowers),
  };
}

/** Every mirror on this machine, and every one that is missing, by name. No process. */
export async function findMirrors(tools: Tools): Promise<MirrorFound[]> {
  const there = await places(tools.system, mirrorsDirectory(tools.layout), 0);
  const borrowers = (await tools.store()).borrowers.list();
  const lent = Map.groupBy(borrowers, ({ mirror }) => mirror);
  const all = [...new Set([...there, ...lent.keys()])];
  const found = await inPool(
    tools.jobs,
    all,
    (place) => look(tools, place, lent.get(place) ?? []),
  );
  // Of one that is gone with all its borrowers nothing has to be told.
  return found.filter(({ state, borrowers }) =>
    state !== "missing" || borrowers.some((borrower) => borrower.state !== "gone")
  ).sort((a, b) => a.name < b.name ? -1 : 1);
}

/** One mirror. No process. */
async function mirrorFacts(tools: Tools, directory: string): Promise<MirrorFound> {
  return await look(tools, directory, (await tools.store()).borrowers.of(directory));
}

/** Whether nobody needs a mirror. */
export function isIdle({ borrowers }: Pick<MirrorFound, "borrowers">): boolean {
  return borrowers.every(({ state }) => state === "gone");
}

type Found = Pick<MirrorFound, "directory" | "name">;

/**
 * Removes a mirror unless somebody borrows from it by now; false then. It is renamed before it is deleted, so that
 * nobody finds a part of it.
 */
export async function removeMirror(
  ctx: ExecuteContext,
  { directory, name }: Found,
): Promise<boolean> {
  const { files, ids } = ctx.system;
  return await atMirror(ctx, { place: directory, name }, async () => {
    const now = await mirrorFacts(ctx, directory);
    if (!isIdle(now)) return false;
    const aside = join(dirname(directory), `.${basename(directory)}.amof-removed-${ids.hex(8)}`);
    if (await files.lstat(directory) !== null) await files.rename(directory, aside);
    await settleBorrowers(ctx, directory, now.borrowers);
    await files.removeTree(aside);
    return true;
  });
}

/** Removes what a kill or a damage has left beside a mirror, while nobody works on that. */
export async function removeLeft(ctx: ExecuteContext, { directory, name }: Found): Promise<void> {
  const mirror = basename(directory).slice(1).replace(/\.amof-[^.]*$/, "");
  await atMirror(ctx, { place: join(dirname(directory), mirror), name }, async () => {
    await ctx.system.files.removeTree(directory);
  });
}

/** The same without what makes git refuse to pack its objects together. */
function bareConfig(config: string): string {
  return config.replace(/^\tpreciousObjects = true\n/m, "");
}

/**
 * Packs the objects of a mirror together. All of them stay, including those that no branch needs.
 *
 * Git refuses that in a repository whose objects are precious. So it works in another repository that has the
 * same objects without that setting. The mirror stays protected, even when this is killed. False where the
 * mirror is gone.
 */
export async function packMirror(ctx: ExecuteContext, found: MirrorFound): Promise<boolean> {
  const { directory, name, url, kind } = found;
  const { files, ids } = ctx.system;
  return await atMirror(ctx, { place: directory, name }, async () => {
    if (url === null || !await isMirror(ctx, directory)) return false;
    await settleConfig(ctx, directory, { url, kind });
    await settleBorrowers(ctx, directory, (await mirrorFacts(ctx, directory)).borrowers);
    const [parent, base] = [dirname(directory), basename(directory)];
    await removeStale(ctx, parent, base);
    const helper = join(parent, `.${base}.amof-${ids.hex(8)}`);
    try {
      await mirrorAt(ctx, directory, { name }).part(Mirrors).packRefs();
      await files.makeDirectory(join(helper, "refs"));
      await files.symlink(join(directory, "objects"), join(helper, "objects"));
      for (const file of ["HEAD", "packed-refs"]) {
        const text = await files.readText(join(directory, file));
        if (text !== null) await files.write(join(helper, file), text);
      }
      const config = await files.readText(join(directory, "config")) ?? "";
      await files.write(join(helper, "config"), bareConfig(config));
      await mirrorAt(ctx, helper, { name }).part(Mirrors).pack();
    } finally {
      await files.removeTree(helper);
    }
    return true;
  });
}

// The clones of an ecosystem's tickets that borrow, and what is the matter with their mirrors (MIRROR-8).

/** A clone of a ticket that borrows. */
export interface BorrowingClone {
  readonly ticket: string;
  readonly repo: Repo;
  /** Absolute. */
  readonly directory: string;
  /** Where it reads objects besides its own, absolute, as its own file says. */
  readonly reads: readonly string[];
  readonly mirror: { readonly place: string; readonly kind: MirrorKind };
}

/** A mirror that has to be mended. */
export interface MirrorTrouble {
  readonly repo: Repo;
  readonly place: string;
  /** `changed`: its configuration is not the one it was made with. */
  readonly what: "missing" | "damaged" | "changed";
  /** Who borrows from it. */
  readonly lent: readonly BorrowingClone[];
}

/** The clones of all tickets that borrow. No process. */
export async function clonesOnMirrors(
  { system, layout, root }: Pick<CommandContext, "system" | "layout" | "root">,
  manifest: Manifest,
): Promise<BorrowingClone[]> {
  const found: BorrowingClone[] = [];
  for (const { id, directory, record } of await ticketWorkspaces(system, root, manifest)) {
    for (const repo of manifest.repos) {
      const own = record?.repos[repo.name];
      const kind = mirrorKind(repo);
      const place = kind === null ? null : mirrorDirectory(layout, repo.url, kind);
      if (own === undefined || kind === null || place === null) continue;
      const clone = join(directory, own.path);
      const text = await system.files.readText(
        join(clone, ".git", "objects", "info", "alternates"),
      );
      const reads = (text ?? "").split("\n").filter((line) => line !== "");
      if (reads.length === 0) continue;
      found.push({ ticket: id, repo, directory: clone, reads, mirror: { place, kind } });
    }
  }
  return found;
}

/** The mirrors of an ecosystem's tickets with which something is the matter. No process. */
export async function mirrorTroubles(
  ctx: Pick<CommandContext, "system" | "layout" | "root">,
  manifest: Manifest,
): Promise<MirrorTrouble[]> {
  const lent = (await clonesOnMirrors(ctx, manifest))
    .filter(({ reads, mirror }) => reads.includes(join(mirror.place, "objects")));
  const troubles: MirrorTrouble[] = [];
  for (const [place, clones] of Map.groupBy(lent, ({ mirror }) => mirror.place)) {
    const [first] = clones;
    if (first === undefined) continue;
    const { repo, mirror: { kind } } = first;
    const what = await ctx.system.files.lstat(place) === null
      ? "missing"
      : !await isMirror(ctx, place)
      ? "damaged"
      : await configDue(ctx, place, { url: repo.url, kind }) !== null
      ? "changed"
      : null;
    if (what !== null) troubles.push({ repo, place, what, lent: clones });
  }
  return troubles;
}

/** Mends the mirrors of an ecosystem's tickets. Throws what git fails with. */
export async function mendMirrors(ctx: ExecuteContext, manifest: Manifest): Promise<void> {
  const transfers = new Transfers(ctx.transfers);
  for (const { repo, what } of await mirrorTroubles(ctx, manifest)) {
    const from = join(ctx.root, manifest.workspaceDir, repo.path);
    const fresh = what === "changed" ? Infinity : 0;
    await freshMirror(ctx, repo, { fresh, transfers, from, repair: true });
    ctx.report.log("info", `${repo.name}: its mirror was ${what}, and is as it was made again`);
  }
}
