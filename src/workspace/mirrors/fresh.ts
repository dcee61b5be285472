/** The mirror of a repository, made or brought up to date where that is due (MIRROR-3), with what git-lfs keeps (MIRROR-11). */

import { basename, dirname, join } from "@std/path";
import { AmofError } from "../../base/error.ts";
import { namedByAddress, type OnLine } from "../../git/mod.ts";
import { logLines } from "../../git/changing.ts";
import { Mirrors } from "../../git/write/mod.ts";
import type { Borrower } from "../../state/store/mod.ts";
import type { Transfers } from "../clones/transfer.ts";
import { type BorrowerFound, borrowersFound, markAll } from "./borrowers.ts";
import { atMirror, LARGE, mirrorDirectory, type MirrorKind, type MirrorTools } from "./place.ts";
import {
  fetchedAt,
  isMirror,
  makeMirror,
  type Making,
  mirrorAt,
  type Mirrored,
  settleConfig,
  writeFetchedAt,
} from "./make.ts";

/** Where git-lfs keeps the file of a name below its directory. */
function placeOf(name: string): string {
  return join("objects", name.slice(0, 2), name.slice(2, 4), name);
}

/** Whether what git-lfs keeps apart belongs into a mirror: the manifest says so, or it is there already. No process. */
async function wantsLarge(
  { system }: Pick<MirrorTools, "system">,
  place: string,
  { lfs = false }: Pick<Mirrored, "lfs">,
): Promise<boolean> {
  return lfs || await hasLarge({ system }, place);
}

/** Whether a mirror has been asked for large files before. No process. */
async function hasLarge(
  { system }: Pick<MirrorTools, "system">,
  place: string,
): Promise<boolean> {
  return await system.files.lstat(join(place, LARGE)) !== null;
}

/** Brings the large files of the base branch into a mirror. One process, network. */
async function fetchLarge(
  ctx: MirrorTools,
  repo: Mirrored,
  { place, kind, onLine }: {
    readonly place: string;
    readonly kind: MirrorKind;
    readonly onLine: OnLine;
  },
): Promise<void> {
  const branch = await ctx.git.bare(place, repo.name).refs.peek([`refs/heads/${repo.branch}`]);
  if (branch.size === 0) return;
  await ctx.system.files.makeDirectory(join(place, LARGE));
  await settleConfig(ctx, place, { url: repo.url, kind });
  await mirrorAt(ctx, place, repo).part(Mirrors).fetchLarge(repo.branch, onLine);
}

/**
 * Copies the large files that a commit needs, as far as a mirror has them, into a clone that nobody has worked
 * in yet. Git-lfs asks the remote for the others. At most one process.
 */
export async function lendLarge(
  ctx: MirrorTools,
  { name, mirror, clone, commit }: {
    readonly name: string;
    readonly mirror: string;
    readonly clone: string;
    readonly commit: string;
  },
): Promise<void> {
  const { files } = ctx.system;
  if (!await hasLarge(ctx, mirror)) return;
  const wanted = new Set(await mirrorAt(ctx, mirror, { name }).part(Mirrors).largeFiles(commit));
  for (const file of wanted) {
    const from = join(mirror, LARGE, placeOf(file));
    if (await files.lstat(from) === null) continue;
    await files.duplicate(from, join(clone, ".git", "lfs", placeOf(file)));
  }
}

interface MirrorWish {
  /** It is not fetched when its last fetch began no more than so many seconds ago; `Infinity` for never. */
  readonly fresh: number;
  /** Gets what git prints; the log of the run where absent. */
  readonly onLine?: OnLine;
  /** Hands out turns to talk to hosts; absent where the caller has taken one. */
  readonly transfers?: Transfers;
  /** Whether a damaged one is made anew although somebody borrows from it. */
  readonly repair?: boolean;
  /** A clone of the repository on this machine, from which a new mirror takes what it can. */
  readonly from?: string | null;
}

/** A mirror that can be borrowed from. */
export interface FreshMirror {
  /** Absolute; a bare repository. */
  readonly directory: string;
  readonly result: "made" | "fetched" | "fresh";
}

/** What kind of mirror a repository's clones borrow from (MIRROR-10); null for those that borrow from none. */
export function mirrorKind({ clone }: Pick<Mirrored, "clone">): MirrorKind | null {
  return clone === "full" || clone === "blobless" ? clone : null;
}

/** Why there is no mirror of a repository, as words for a log; null where there is one. */
export function noMirror(
  ctx: Pick<MirrorTools, "layout">,
  repo: Pick<Mirrored, "clone" | "url">,
): string | null {
  const kind = mirrorKind(repo);
  if (kind === null) return "its clones have only the last commits";
  if (mirrorDirectory(ctx.layout, repo.url, kind) !== null) return null;
  return "its address has credentials in it, or is a relative one";
}

/**
 * Puts a mirror aside that cannot be used, where nobody is known to borrow from it. Answers who does. Throws the error
 * where the mirror is not what failed; null is a mirror of which parts are missing.
 */
async function moveToTrash(
  ctx: MirrorTools,
  repo: Mirrored,
  place: string,
  { error, repair }: { readonly error: AmofError | null; readonly repair: boolean },
): Promise<readonly BorrowerFound[]> {
  const broken = error === null || !await isMirror(ctx, place) ||
    error.code === "git_failed" && !await mirrorAt(ctx, place, repo).part(Mirrors).isWhole();
  if (!broken) throw error;
  const borrowers = await borrowersFound(ctx, place, (await ctx.store()).borrowers.of(place));
  if (!repair && borrowers.length > 0) throw damaged(repo);
  const aside = `.${basename(place)}.amof-damaged-${ctx.system.ids.hex(8)}`;
  await ctx.system.files.rename(place, join(dirname(place), aside));
  ctx.report.log(
    "warn",
    `${repo.name}: its mirror is damaged and made anew; the old one is ${aside}`,
  );
  return borrowers;
}

/** A mirror that is looked after. */
interface Wanted extends Making {
  readonly transfer: NonNullable<Making["transfer"]>;
  /** As of {@linkcode MirrorWish}. */
  readonly fresh: number;
  /** When it was asked for, in milliseconds since the epoch. */
  readonly asked: number;
}

async function isFresh(ctx: MirrorTools, { repo, place, fresh, asked }: Wanted): Promise<boolean> {
  if (fresh === Infinity) return true;
  if (repo.lfs === true && !await hasLarge(ctx, place)) return false;
  const at = await fetchedAt(ctx, place);
  const now = ctx.system.clock.now();
  // A fetch by another process that ended while this one waited has everything that was there when it was asked for.
  return at !== null && at <= now && (at > asked || now - at < fresh * 1_000);
}

/** Brings the large files where the mirror is to have them. */
async function bringLarge(
  ctx: MirrorTools,
  { repo, place, kind, onLine, fresh, transfer }: Wanted,
): Promise<void> {
  if (fresh === Infinity || !await wantsLarge(ctx, place, repo)) return;
  await transfer(() => fetchLarge(ctx, repo, { place, kind, onLine }));
}

/** Brings a mirror up to date that is there. */
async function fetchMirror(ctx: MirrorTools, wanted: Wanted): Promise<void> {
  const { repo, place, kind, onLine, transfer } = wanted;
  const began = ctx.system.clock.now();
  const mirrors = mirrorAt(ctx, place, repo).part(Mirrors);
  await transfer(() => mirrors.fetch(onLine));
  if (kind === "blobless") await transfer(() => mirrors.completeFiles(repo.branch, onLine));
  await bringLarge(ctx, wanted);
  await writeFetchedAt(ctx, place, began);
}

/** {@linkcode freshMirror} for whoever has the lock of the mirror. */
async function freshHeld(
  ctx: MirrorTools,
  wanted: Wanted,
  repair: boolean,
): Promise<FreshMirror | null> {
  const { repo, place, kind, fresh, transfer } = wanted;
  let borrowers: readonly Omit<Borrower, "mirror">[] = (await ctx.store()).borrowers.of(place);
  if (await isMirror(ctx, place)) {
    if (await settleConfig(ctx, place, { url: repo.url, kind })) {
      const mended = `${repo.name}: the configuration of its mirror is as it was made again`;
      ctx.report.log("warn", mended);
    }
    if (await isFresh(ctx, wanted)) return { directory: place, result: "fresh" };
    try {
      await fetchMirror(ctx, wanted);
      await markAll(ctx, place, borrowers);
      return { directory: place, result: "fetched" };
    } catch (error) {
      if (!(error instanceof AmofError)) throw error;
      borrowers = await moveToTrash(ctx, repo, place, { error, repair });
    }
  } else if (await ctx.system.files.lstat(place) !== null) {
    borrowers = await moveToTrash(ctx, repo, place, { error: null, repair });
  }
  const making = { ...wanted, transfer: fresh === Infinity ? null : transfer };
  if (!await makeMirror(ctx, making)) return null;
  await markAll(ctx, place, borrowers);
  await bringLarge(ctx, wanted);
  return { directory: place, result: "made" };
}

/**
 * The mirror of a repository, not older than is wished; null where it has none (see {@linkcode noMirror}), which is the
 * caller's to tell. Several callers at once, in whatever processes, make one transfer. No git process where it is fresh,
 * else one, with network; where it is made from a clone three.
 *
 * Throws what git failed with, and `mirror_missing` where it is damaged and somebody borrows from it.
 */
export async function freshMirror(
  ctx: MirrorTools,
  repo: Mirrored,
  { fresh, transfers, from = null, repair = false, onLine }: MirrorWish,
): Promise<FreshMirror | null> {
  const kind = mirrorKind(repo);
  const place = kind === null ? null : mirrorDirectory(ctx.layout, repo.url, kind);
  if (kind === null || place === null) return null;
  const wanted: Wanted = {
    repo,
    place,
    kind,
    from,
    onLine: onLine ?? logLines(ctx.report.log, repo.name, { stdout: "debug", stderr: "debug" }),
    transfer: (work) => transfers === undefined ? work() : transfers.turn(ctx, repo, work),
    fresh,
    asked: ctx.system.clock.now(),
  };
  try {
    return await atMirror(ctx, { place, name: repo.name }, () => freshHeld(ctx, wanted, repair));
  } catch (error) {
    throw namedByAddress(error, repo.url);
  }
}

function damaged({ name }: Mirrored): AmofError {
  return new AmofError("mirror_missing", `Cannot use the mirror of "${name}": it is damaged`, {
    details: { repo: name },
  });
}
