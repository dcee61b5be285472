/**
 * Lets the processes of this program take turns where they write into the same repository: two ecosystems share their
 * control repository, and git fails while another git holds its index.
 *
 * @module
 */

import { join } from "@std/path";
import type { System } from "../../base/system/mod.ts";
import { STAGING, TURN_LOCK } from "../../base/system/temporary.ts";
import { takeTurn } from "../../base/system/turn.ts";
import { commonDirectory } from "./directory.ts";

/**
 * Does work on the repository at `path` while no other process of this program does any. Hooks may take longer than
 * anybody waits, and a git directory may be read-only: git itself decides then, and its own message is better than one
 * from here.
 */
export async function inTurn<T>(system: System, path: string, work: () => Promise<T>): Promise<T> {
  const common = await commonDirectory(system, path);
  const lock = common === null ? null : await takeTurn(system, join(common, STAGING, TURN_LOCK));
  try {
    return await work();
  } finally {
    await lock?.release();
  }
}
