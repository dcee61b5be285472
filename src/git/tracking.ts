/**
 * Which branches of `origin` a clone keeps track of, read from the disk without starting git.
 *
 * @module
 */

import { join } from "@std/path";
import type { System } from "../system/mod.ts";
import { commonDirectory } from "./directory.ts";

const ALL = "+refs/heads/*:refs/remotes/origin/*";

/**
 * The refspecs a fetch of `origin` goes by: those of the clone's own configuration that lead to remote-tracking
 * branches, and all branches where it has none. What else a configuration may ask for (tags, local branches) would
 * be overwritten and pruned by a fetch, and is left out.
 */
export async function trackingRefspecs(system: System, path: string): Promise<string[]> {
  const directory = await commonDirectory(system, path);
  const text = directory === null ? null : await system.files.readText(join(directory, "config"));
  const found: string[] = [];
  let inside = false;
  for (const line of (text ?? "").split("\n").map((entry) => entry.trim())) {
    if (line.startsWith("[")) inside = /^\[\s*remote\s+"origin"\s*\]$/i.test(line);
    const value = inside ? /^fetch\s*=\s*"?([^\s"#;]+)"?$/i.exec(line)?.[1] : undefined;
    if (value !== undefined && /^(?:\^refs\/|\+?refs\/[^:]+:refs\/remotes\/)/.test(value)) {
      found.push(value);
    }
  }
  return found.some((refspec) => !refspec.startsWith("^")) ? found : [ALL];
}
