/** Where the mirror of an address lies, and what its configuration says (MIRROR-1). */

import { isAbsolute, join } from "@std/path";
import { hostOf } from "../../git/mod.ts";
import { sha256 } from "../../base/hash.ts";
import type { Borrower, Layout } from "../../state/store/mod.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { AmofError } from "../../base/error.ts";
import type { FileLock } from "../../base/system/mod.ts";
import type { ExecuteContext } from "../../contract/mod.ts";

/** Parts of an address that its directory is named after; the digits behind them tell addresses apart. */
const PARTS = 4;
const LONGEST_PART = 60;

/** How much a mirror holds. */
export type MirrorKind = "full" | "blobless";

/** The directory in which all mirrors of this user lie. */
export function mirrorsDirectory(layout: Pick<Layout, "data">): string {
  return join(layout.data, "mirrors");
}

/** Whether an address may have something in it that lets somebody in: over HTTP a token can stand where a user does. */
function mayLetIn(url: string): boolean {
  const bare = url.replace(/^((?:git\+)?ssh(?:\+git)?:\/\/)[^/@:]+@/i, "$1");
  return maskSecrets(bare) !== bare;
}

/** Whether an address means the same wherever git is started. */
function isWhole(url: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(url) || isAbsolute(url) ||
    /^(?:[^/@:]+@)?[^/@:]{2,}:/.test(url);
}

/** A part of an address as a name that every file system takes, and that no mirror has: those end in `.git`. */
function partName(part: string): string {
  return part.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[.-]+|[.-]+$/g, "")
    .slice(0, LONGEST_PART).replace(/\.git$/i, "-git").replace(/\.+$/, "");
}

/**
 * Where the mirror of an address lies, absolute: `<data>/mirrors/<host>/<path>-<8 digits>.git`. Null where there is
 * none: addresses with credentials are written nowhere, and relative ones mean something else in every directory.
 *
 * @example
 * ```ts
 * import { assertEquals, assertMatch } from "@std/assert";
 * import { mirrorDirectory } from "./place.ts";
 *
 * const place = mirrorDirectory({ data: "/data" }, "https://example.com/shop/api.git");
 * assertMatch(place ?? "", /^\/data\/mirrors\/example\.com\/shop\/api-[0-9a-f]{8}\.git$/);
 * assertEquals(mirrorDirectory({ data: "/data" }, "https://me:secret@example.com/shop/api.git"), null);
 * ```
 */
export function mirrorDirectory(
  layout: Pick<Layout, "data">,
  url: string,
  kind: MirrorKind = "full",
): string | null {
  if (mayLetIn(url) || !isWhole(url)) return null;
  const path = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, "")
    .replace(/^(?:[^/@:]+@)?[^/@:]{2,}:/, "").replace(/\/+$/, "").replace(/\.git$/i, "");
  const parts = path.split(/[\\/]/).map(partName).filter((part) => part !== "").slice(-PARTS);
  const name = parts.pop() ?? "repository";
  const digits = sha256(url).slice(0, 8);
  const end = kind === "full" ? "" : `-${kind}`;
  const host = partName(hostOf(url)) || "local";
  return join(mirrorsDirectory(layout), host, ...parts, `${name}-${digits}${end}.git`);
}

/**
 * The directory in a mirror for what git-lfs stores. It is not the one in which git-lfs itself would look. What
 * git-lfs finds in a mirror it links, and writing to a linked file in a ticket would change the mirror.
 */
export const LARGE = "amof-lfs";

interface MirrorFacts {
  readonly url: string;
  readonly kind: MirrorKind;
  /** Whether its hashes are SHA-256. */
  readonly sha256: boolean;
  /** Whether it keeps what git-lfs keeps apart; not when absent. */
  readonly large?: boolean;
}

/**
 * The whole configuration of a mirror. Objects are never removed, nothing is done in the background, no hooks run, and
 * no settings of its own could make git run anything.
 */
export function mirrorConfig({ url, kind, sha256, large = false }: MirrorFacts): string {
  const blobless = kind === "blobless";
  return [
    "[core]",
    "\trepositoryformatversion = 1",
    "\tbare = true",
    "\thooksPath = /dev/null",
    "[extensions]",
    "\tpreciousObjects = true",
    ...(sha256 ? ["\tobjectFormat = sha256"] : []),
    ...(blobless ? ["\tpartialClone = origin"] : []),
    "[gc]",
    "\tauto = 0",
    "[maintenance]",
    "\tauto = false",
    '[remote "origin"]',
    `\turl = "${url.replace(/["\\]/g, "\\$&")}"`,
    "\tfetch = +refs/heads/*:refs/heads/*",
    ...(blobless ? ["\tpromisor = true", "\tpartialclonefilter = blob:none"] : []),
    ...(large ? ["[lfs]", `\tstorage = ${LARGE}`, "\trepositoryformatversion = 0"] : []),
    "",
  ].join("\n");
}

// Turns at a mirror, between all processes of this machine (MIRROR-3).

/** The part of a command's context that mirrors are made and kept with. */
export type MirrorTools =
  & Pick<
    ExecuteContext,
    "system" | "git" | "layout" | "report" | "signal"
  >
  & {
    /** Who is known to borrow. */
    readonly store: () => Promise<
      { readonly borrowers: { readonly of: (mirror: string) => readonly Borrower[] } }
    >;
    /** What stands beside the mirrors for whoever finds them; absent for those that clones of tickets borrow from. */
    readonly readme?: string;
  };

const POLL_MS = 50;
/** After so long the person who watches is told what is waited for. */
const TELL_MS = 1_000;
/** No transfer takes longer: whoever holds the lock then is stuck. */
const PATIENCE_MS = 2 * 60 * 60 * 1_000;

async function take(
  { system, report, signal }: Pick<MirrorTools, "system" | "report" | "signal">,
  place: string,
  name: string,
): Promise<FileLock> {
  const asked = system.clock.now();
  let told = false;
  for (;;) {
    if (signal.aborted) {
      throw new AmofError("cancelled", `Stopped waiting for the mirror of "${name}"`);
    }
    const lock = await system.files.lock(`${place}.lock`);
    if (lock !== null) return lock;
    const waited = system.clock.now() - asked;
    if (waited > PATIENCE_MS) {
      throw new AmofError(
        "timeout",
        `Cannot use the mirror of "${name}": another process has been at work on it for two hours`,
        { hint: "End that one, then repeat", details: { repo: name } },
      );
    }
    if (!told && waited > TELL_MS) {
      told = true;
      report.log("info", `${name}: waits for another process that works on its mirror`);
    }
    await system.clock.sleep(POLL_MS, signal);
  }
}

/**
 * Does work on a mirror while no other process does. The lock is that of the file `<mirror>.lock`, which the machine
 * lets go of when its holder ends in whatever way.
 */
export async function atMirror<T>(
  tools: Pick<MirrorTools, "system" | "report" | "signal">,
  { place, name }: { readonly place: string; readonly name: string },
  work: () => Promise<T>,
): Promise<T> {
  const lock = await take(tools, place, name);
  try {
    return await work();
  } finally {
    await lock.release();
  }
}
