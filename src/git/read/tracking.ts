/** Which branches of remotes a clone keeps track of, read from the disk without starting git. */

import { join } from "@std/path";
import { isBranchName } from "../../base/ids.ts";
import type { System } from "../../base/system/mod.ts";
import { commonDirectory, configText } from "../files/directory.ts";
import { type ConfigKeys, configKeys } from "../files/config_text.ts";

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
 * The refspec that a remote needs besides those it has, so that a branch of it can be followed. Null where they
 * map the branch to its remote-tracking branch, or exclude it (WORKSPACE-29). It ends in `*`, as git fails to
 * fetch a branch by its name once it is gone.
 */
export function refspecToFollow(
  refspecs: readonly string[],
  remote: string,
  branch: string,
): string | null {
  if (refspecs.length === 0) return `+refs/heads/*:refs/remotes/${remote}/*`;
  const ref = `refs/heads/${branch}`;
  const isDecided = refspecs.some((refspec) =>
    isKeptOut(refspec, ref) || isLed(refspec, remote, branch)
  );
  return isDecided ? null : `+${ref}*:refs/remotes/${remote}/${branch}*`;
}

function isKeptOut(refspec: string, ref: string): boolean {
  return refspec.startsWith("^") && fits(refspec.slice(1), ref);
}

/** Whether a refspec leads a branch of a remote to its remote-tracking branch. */
function isLed(refspec: string, remote: string, branch: string): boolean {
  const ref = `refs/heads/${branch}`;
  const [from = "", to = ""] = refspec.replace(/^\+/, "").split(":");
  const named = from.includes("*") ? ref.slice(from.indexOf("*")) : "";
  const rest = named.slice(0, named.length - (from.split("*")[1] ?? "").length);
  return fits(from, ref) && to.replace("*", rest) === `refs/remotes/${remote}/${branch}`;
}

/**
 * Whether a push makes its branch follow where it went: not where it does already, nor where it follows the branch of its
 * name at another remote. A base branch keeps any other remote, which is where its news come from (WORKSPACE-35).
 */
export function followsAnew(
  upstream: string | null,
  { remote, branch, isBase }: {
    readonly remote: string;
    readonly branch: string;
    readonly isBase: boolean;
  },
): boolean {
  if (upstream === null) return true;
  if (upstream.startsWith(`${remote}/`)) return upstream !== `${remote}/${branch}`;
  // A local branch may be followed, too, which is no remote.
  return !(isBase ? upstream.includes("/") : upstream.endsWith(`/${branch}`));
}

/** A branch of another remote than `origin`. */
export interface Elsewhere {
  readonly remote: string;
  readonly url: string;
  readonly branch: string;
}

/**
 * The branch of another remote than `origin` that a local branch follows, as the base branch of a fork's clone follows
 * the forked repository. Null where it follows none, or one without a remote-tracking branch of its remote's name.
 */
export function elsewhereIn(keys: ConfigKeys, local: string): Elsewhere | null {
  const remote = keys.get(`branch.${local}.remote`)?.at(-1) ?? "origin";
  const [merged, ...more] = keys.get(`branch.${local}.merge`) ?? [];
  const branch = /^refs\/heads\/(.+)$/.exec(merged ?? "")?.[1] ?? "";
  const url = keys.get(`remote.${remote}.url`)?.[0] ?? "";
  // With a slash in it, it could not be told from a branch of a remote with a shorter name.
  const isName = remote !== "origin" && isBranchName(remote) && !remote.includes("/");
  if (!isName || more.length > 0 || !isBranchName(branch) || url === "") return null;
  const refspecs = (keys.get(`remote.${remote}.fetch`) ?? []).filter((one) => one !== null);
  const isTracked = refspecs.some((one) => isLed(one, remote, branch)) &&
    !refspecs.some((one) => isKeptOut(one, `refs/heads/${branch}`));
  return isTracked ? { remote, url, branch } : null;
}

/** As {@linkcode elsewhereIn}, of those local branches of a clone that follow one, by their names. No process. */
export async function elsewhereOf(
  system: System,
  path: string,
  locals: readonly string[],
): Promise<ReadonlyMap<string, Elsewhere>> {
  const directory = await commonDirectory(system, path);
  const text = directory === null ? null : await configText(system, directory);
  // Most clones have one remote, and their configuration need not be read for that.
  const keys = /\[\s*remote\s+"(?!origin")/i.test(text ?? "") ? configKeys(text ?? "") : null;
  return new Map(locals.flatMap((local) => {
    const found = keys === null ? null : elsewhereIn(keys, local);
    return found === null ? [] : [[local, found]];
  }));
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

/** The refspec that a clone of another branch alone was given for a branch of `origin`; null for none. No process. */
export async function addedRefspec(
  system: System,
  path: string,
  branch: string,
): Promise<string | null> {
  const found = await configured(system, path, "origin");
  const added = `+refs/heads/${branch}*:refs/remotes/origin/${branch}*`;
  // Without any refspec nothing at all would be known of the remote.
  return found.includes(added) && found.some((refspec) => refspec !== added) ? added : null;
}

/**
 * The refspecs a fetch of `origin` goes by: those of the clone's own configuration that lead to remote-tracking
 * branches, or all branches where it has none. A branch that is wanted in any case is added.
 *
 * A configuration may ask for more, such as tags or local branches. A fetch would overwrite and prune those, so
 * they are left out.
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

/** The refspecs of another remote that lead to remote-tracking branches of its name, and those that keep something out. */
export async function refspecsOf(
  system: System,
  path: string,
  remote: string,
): Promise<string[]> {
  return (await configured(system, path, remote)).filter((value) =>
    value.startsWith("^refs/") ||
    /^\+?refs\/[^:]+:(.+)$/.exec(value)?.[1]?.startsWith(`refs/remotes/${remote}/`) === true
  );
}
