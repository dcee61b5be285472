/** What is kept of a run and for how long (UNDO-6, UNDO-8). */

import type { Bounds } from "../../git/checkpoint/mod.ts";
import { looksSecret } from "../../workspace/mod.ts";

/** Bytes of one MB. */
export const MB = 1024 * 1024;

/** Of files up to 10 MB the contents are kept, up to 500 MB of a repository; of secrets, told by name, never. */
export const BOUNDS: Bounds = {
  fileBytes: 10 * MB,
  allBytes: 500 * MB,
  untracked: true,
  isExcluded: looksSecret,
};
