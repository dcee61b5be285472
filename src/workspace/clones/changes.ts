/** Ties a confirmation to uncommitted work without reading it. */

import { join } from "@std/path";
import { sha256 } from "../../base/hash.ts";
import { inPool } from "../../base/async/pool.ts";
import { bytesOf, type ChangedPath, type Git, isOddName } from "../../git/mod.ts";
import type { System } from "../../base/system/mod.ts";

/**
 * A digest of changed paths with size and time of their files; contents are not read, but of files whose names only git
 * can be told.
 */
export async function changesDigest(
  tools: { readonly system: System; readonly git: Git; readonly jobs: number },
  directory: string,
  changes: readonly ChangedPath[],
): Promise<string> {
  const lines = await inPool(tools.jobs, changes, async (change) => {
    if (isOddName(change.path)) {
      const { Everything } = await import("../../git/read/mod.ts");
      const everything = tools.git.at(directory).part(Everything);
      const [object] = change.code.includes("D") ? [] : await everything.hash([change.path]);
      return `${change.raw}\t${object ?? "-"}`;
    }
    const info = await tools.system.files.lstat(join(directory, change.path));
    return `${change.raw}\t${info?.size ?? "-"}\t${info?.modifiedMs ?? "-"}`;
  });
  return sha256(bytesOf(lines.join("\n")));
}
