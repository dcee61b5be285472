/**
 * What is kept of a run and for how long (UNDO-6).
 *
 * @module
 */

import type { Bounds } from "../git/mod.ts";
import { looksSecret } from "../workspace/mod.ts";

const MB = 1024 * 1024;

/** Days that an operation can be undone. */
const KEPT_DAYS = 14;
/** How many operations are kept at most. */
export const KEPT_RUNS = 50;

/** Of files up to 10 MB the contents are kept, up to 500 MB of a repository; of secrets, told by name, never. */
export const BOUNDS: Bounds = {
  fileBytes: 10 * MB,
  allBytes: 500 * MB,
  untracked: true,
  isExcluded: looksSecret,
};

/** Until when an operation can be undone, in milliseconds since the epoch. */
export function keptUntil(at: number): number {
  return at + KEPT_DAYS * 24 * 60 * 60 * 1000;
}
