/** What is kept of a run and for how long (UNDO-6, UNDO-8). */

import type { Bounds } from "../../git/checkpoint/mod.ts";
import { looksSecret } from "../../workspace/mod.ts";

/** Bytes of one MB. */
export const MB = 1024 * 1024;

const DAY_MS = 24 * 60 * 60 * 1000;

/** Days that an operation can be undone whose record does not tell. */
const KEPT_DAYS = 14;

/** Of files up to 10 MB the contents are kept, up to 500 MB of a repository; of secrets, told by name, never. */
export const BOUNDS: Bounds = {
  fileBytes: 10 * MB,
  allBytes: 500 * MB,
  untracked: true,
  isExcluded: looksSecret,
};

/** Until when an operation can be undone that is kept for some days, in milliseconds since the epoch. */
export function keptUntil(at: number, days: number = KEPT_DAYS): number {
  return at + days * DAY_MS;
}
