/** Which branches of `origin` a clone keeps track of, read from the disk without starting git. */

import { join } from "@std/path";
import type { System } from "../../base/system/mod.ts";
import { commonDirectory } from "../call/directory.ts";

const ALL = "+refs/heads/*:refs/remotes/origin/*";

/** The refspecs with which a configuration fetches a remote, as they stand in the text of the file. */
function fetchRefspecs(text: string, remote: string): string[] {
  const found: string[] = [];
  let inside = false;
  for (const line of text.split("\n").map((entry) => entry.trim())) {
    if (line.startsWith("[")) inside = /^\[\s*remote\s+"(.*)"\s*\]$/i.exec(line)?.[1] === remote;
    const value = inside ? /^fetch\s*=\s*"?([^\s"#;]+)"?$/i.exec(line)?.[1] : undefined;
    if (value !== undefined) found.push(value);
  }
  return found;
}

/** Whether one side of a refspec fits a ref: with `*` for any characters, or none. */
function fits(side: string, ref: string): boolean {
  const [before = "", after] = side.split("*");
  if (after === undefined) return side === ref;
  return ref.length >= before.length + after.length && ref.startsWith(before) &&
    ref.endsWith(after);
}

/**
 * The refspec that a remote needs besides those it has, so that a branch of it can be followed; null where they lead the
 * branch to its remote-tracking branch, or keep it out (WORKSPACE-29). It ends in `*`, as git fails to fetch a branch by its name once it is gone.
 */
export function refspecToFollow(
  refspecs: readonly string[],
  remote: string,
  branch: string,
): string | null {
  if (refspecs.length === 0) return `+refs/heads/*:refs/remotes/${remote}/*`;
  const ref = `refs/heads/${branch}`;
  const isDecided = refspecs.some((refspec) => {
    if (refspec.startsWith("^")) return fits(refspec.slice(1), ref);
    const [from = "", to = ""] = refspec.replace(/^\+/, "").split(":");
    const named = from.includes("*") ? ref.slice(from.indexOf("*")) : "";
    const rest = named.slice(0, named.length - (from.split("*")[1] ?? "").length);
    return fits(from, ref) && to.replace("*", rest) === `refs/remotes/${remote}/${branch}`;
  });
  return isDecided ? null : `+${ref}*:refs/remotes/${remote}/${branch}*`;
}

async function configured(system: System, path: string, remote: string): Promise<string[]> {
  const directory = await commonDirectory(system, path);
  const text = directory === null ? null : await system.files.readText(join(directory, "config"));
  return fetchRefspecs(text ?? "", remote);
}

/** As {@linkcode refspecToFollow}, of the configuration of a clone. No process. */
export async function missingRefspec(
  system: System,
  path: string,
  { remote, branch }: { readonly remote: string; readonly branch: string },
): Promise<string | null> {
  return refspecToFollow(await configured(system, path, remote), remote, branch);
}

/**
 * The refspecs a fetch of `origin` goes by: those of the clone's own configuration that lead to remote-tracking
 * branches, with that of a branch which is wanted in any case, and all branches where it has none. What else a
 * configuration may ask for (tags, local branches) would be overwritten and pruned by a fetch, and is left out.
 */
export async function trackingRefspecs(
  system: System,
  path: string,
  branch: string | null,
): Promise<string[]> {
  const found = (await configured(system, path, "origin"))
    .filter((value) => /^(?:\^refs\/|\+?refs\/[^:]+:refs\/remotes\/)/.test(value));
  if (found.every((refspec) => refspec.startsWith("^"))) return [ALL];
  const missing = branch === null ? null : refspecToFollow(found, "origin", branch);
  return missing === null ? found : [...found, missing];
}
