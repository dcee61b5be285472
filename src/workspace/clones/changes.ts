/** Uncommitted work, without reading it: what ties a confirmation to it, and where it does not go along. */

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

/** Every directory that a path lies in. */
function above(path: string): string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("/"));
}

/** The changed paths that two commits have in different ways, or that lie where one of both has something else. */
export function conflictingPaths(
  changes: readonly Pick<ChangedPath, "path" | "from">[],
  differing: readonly string[],
): string[] {
  const there = new Set(differing);
  const directories = new Set(differing.flatMap(above));
  return changes.flatMap(({ path, from }) => from === undefined ? [path] : [path, from])
    .map((path) => path.replace(/\/$/, ""))
    .filter((path) =>
      there.has(path) || directories.has(path) || above(path).some((one) => there.has(one))
    );
}
