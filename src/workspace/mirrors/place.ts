/** Where the mirror of an address lies, and what its configuration says (MIRROR-1). */

import { isAbsolute, join } from "@std/path";
import { hostOf } from "../../git/mod.ts";
import { sha256 } from "../../base/hash.ts";
import type { Layout } from "../../state/store/mod.ts";
import { maskSecrets } from "../../base/text/mask.ts";

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
 * The directory of a mirror with what git-lfs keeps apart. Not the one in which git-lfs itself would look: what it finds
 * in a mirror it links, and writing to a linked file in a ticket would change the mirror.
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
