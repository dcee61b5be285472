/**
 * The mirror of a repository, made or brought up to date where that is due (MIRROR-3).
 *
 * @module
 */

import { basename, dirname, join } from "@std/path";
import { AmofError } from "../../error.ts";
import { logLines, type OnLine } from "../../git/mod.ts";
import type { Transfers } from "../transfer.ts";
import { fetchLarge, hasLarge, wantsLarge } from "./large.ts";
import { atMirror } from "./lock.ts";
import {
  fetchedAt,
  isMirror,
  makeMirror,
  mirrorAt,
  type Mirrored,
  settleConfig,
  writeFetchedAt,
} from "./make.ts";
import { mirrorDirectory, type MirrorKind } from "./place.ts";
import type { MirrorTools } from "./tools.ts";

/** How a mirror is wanted. */
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
 * Puts a mirror aside that cannot be used, where nobody is known to borrow from it. Throws the error where the mirror is
 * not what failed; null is a mirror of which parts are missing.
 */
async function setAside(
  ctx: MirrorTools,
  repo: Mirrored,
  place: string,
  { error, repair }: { readonly error: AmofError | null; readonly repair: boolean },
): Promise<void> {
  const broken = error === null || !await isMirror(ctx, place) ||
    error.code === "git_failed" && !await mirrorAt(ctx, place, repo).mirrors.isWhole();
  if (!broken) throw error;
  if (!repair && (await ctx.store()).borrowers.of(place).length > 0) throw damaged(repo);
  const aside = `.${basename(place)}.amof-damaged-${ctx.system.ids.hex(8)}`;
  await ctx.system.files.rename(place, join(dirname(place), aside));
  ctx.report.log(
    "warn",
    `${repo.name}: its mirror is damaged and made anew; the old one is ${aside}`,
  );
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
  wish: MirrorWish,
): Promise<FreshMirror | null> {
  const kind = mirrorKind(repo);
  const place = kind === null ? null : mirrorDirectory(ctx.layout, repo.url, kind);
  if (kind === null || place === null) return null;
  const { system } = ctx;
  const { fresh, transfers, from = null, repair = false } = wish;
  const onLine = wish.onLine ??
    logLines(ctx.report.log, repo.name, { stdout: "debug", stderr: "debug" });
  const asked = system.clock.now();
  const transfer = <T>(work: () => Promise<T>): Promise<T> =>
    transfers === undefined ? work() : transfers.turn(ctx, repo, work);
  const making = {
    repo,
    place,
    kind,
    from,
    onLine,
    transfer: fresh === Infinity ? null : transfer,
  };
  const large = async () => {
    if (fresh === Infinity || !await wantsLarge(ctx, place, repo)) return;
    await transfer(() => fetchLarge(ctx, repo, { place, kind, onLine }));
  };
  const isFresh = async () => {
    if (!await isMirror(ctx, place)) return false;
    if (fresh === Infinity) return true;
    if (repo.lfs === true && !await hasLarge(ctx, place)) return false;
    const at = await fetchedAt(ctx, place);
    const now = system.clock.now();
    // What somebody else fetched while this waited has everything that was there when it was asked for.
    return at !== null && at <= now && (at > asked || now - at < fresh * 1_000);
  };
  const look = async (): Promise<FreshMirror | null> => {
    if (await settleConfig(ctx, place, { url: repo.url, kind })) {
      ctx.report.log(
        "warn",
        `${repo.name}: the configuration of its mirror is as it was made again`,
      );
    }
    return await isFresh() ? { directory: place, result: "fresh" } : null;
  };
  return await atMirror(ctx, { place, name: repo.name }, async () => {
    if (await isMirror(ctx, place)) {
      const found = await look();
      if (found !== null) return found;
      const began = system.clock.now();
      try {
        const { mirrors } = mirrorAt(ctx, place, repo);
        await transfer(() => mirrors.fetch(onLine));
        if (kind === "blobless") {
          await transfer(() => mirrors.completeFiles(repo.branch, onLine));
        }
        await large();
        await writeFetchedAt(ctx, place, began);
        return { directory: place, result: "fetched" };
      } catch (error) {
        if (!(error instanceof AmofError)) throw error;
        await setAside(ctx, repo, place, { error, repair });
      }
    } else if (await system.files.lstat(place) !== null) {
      await setAside(ctx, repo, place, { error: null, repair });
    }
    if (!await makeMirror(ctx, making)) return null;
    await large();
    return { directory: place, result: "made" };
  });
}

function damaged({ name }: Mirrored): AmofError {
  return new AmofError("mirror_missing", `Cannot use the mirror of "${name}": it is damaged`, {
    hint: "Make it anew: amof doctor --repair",
    details: { repo: name },
  });
}
