/**
 * Ties a confirmation to uncommitted work without reading it.
 *
 * @module
 */

import { join } from "@std/path";
import { sha256 } from "../hash.ts";
import { inPool } from "../async/pool.ts";
import { type ChangedPath } from "../git/mod.ts";
import type { System } from "../system/mod.ts";

/** A digest of changed paths with size and time of their files; contents are not read. */
export async function changesDigest(
  tools: { readonly system: System; readonly jobs: number },
  directory: string,
  changes: readonly ChangedPath[],
): Promise<string> {
  const lines = await inPool(tools.jobs, changes, async (change) => {
    const info = await tools.system.files.lstat(join(directory, change.path));
    return `${change.raw}\t${info?.size ?? "-"}\t${info?.modifiedMs ?? "-"}`;
  });
  return sha256(lines.join("\n"));
}
