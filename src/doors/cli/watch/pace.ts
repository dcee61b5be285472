/**
 * How long a watching waits until it looks again: files are looked at often, hosts of others are left alone more and more.
 */

import type { Fields } from "../../../base/object.ts";

/** How often is looked at least: files in a working copy change without git being told. */
export const POLL_MS = 2_000;
/** Looking takes at most this share of the time: one part in so many. */
const SHARE = 5;
/** A host is asked so often while something changes there, */
const HOST_MS = 30_000;
/** and where nothing does, each time later by this factor, */
const FACTOR = 1.5;
/** but at least so often. */
const HOST_MOST_MS = 300_000;

/**
 * The milliseconds from a look that took `took` of them to the next one. `same` looks in a row have found what the one
 * before had; it is null where no host is asked.
 */
export function pauseMs(took: number, same: number | null): number {
  if (same === null) return Math.max(POLL_MS, SHARE * took);
  return Math.max(SHARE * took, Math.min(HOST_MOST_MS, Math.round(HOST_MS * FACTOR ** same)));
}

/** The milliseconds from `now` for which a host that answered with this wants to be left alone; 0 where it does not say. */
export function restOf({ error, details }: Fields, now: number): number {
  if (error !== "forge_limited") return 0;
  const until = Date.parse(String((details as Fields | undefined)?.["resets_at"]));
  return Number.isFinite(until) ? Math.max(0, until - now) : 0;
}
