/** What doctor says about the roots of targets, and about manifests that git does not ignore (PACK-53). */

import { dirname, join } from "@std/path";
import { shellWord } from "../../../../base/text/words.ts";
import type { Session } from "../../engine/session.ts";
import { MANIFEST_GLOB, manifestPath } from "../../engine/target_manifest.ts";
import { ignore } from "../../gitignore.ts";
import { type Twins, withPosix } from "../../io.ts";
import type { TargetName } from "../../names.ts";

type RootIssue = "missing" | "not_a_directory" | "not_writable";

/** One root as doctor found it. */
export interface RootReport extends Twins<"root"> {
  readonly target: TargetName;
  readonly exists: boolean;
  /** Whether files can be written there, or the directory be made. */
  readonly writable: boolean;
  readonly scan_extras: boolean;
  readonly issues: readonly RootIssue[];
  /** `what to do: command`, or null. */
  readonly suggestion: string | null;
}

/** A `.gitignore` that got the line for manifests, or had it. */
export interface GitignoreFix extends Twins<"repo_root" | "gitignore_path"> {
  readonly updated: boolean;
}

/** The nearest directory above a path that exists, or the path itself. */
async function nearestExisting(session: Session, path: string): Promise<string> {
  let at = path;
  while (at !== dirname(at) && await session.pack.system.files.stat(at) === null) at = dirname(at);
  return at;
}

/** Looks at one root. */
export async function reportRoot(
  session: Session,
  target: TargetName,
  root: string,
  scanExtras: boolean,
): Promise<RootReport> {
  const { files } = session.pack.system;
  const info = await files.stat(root);
  const place = await nearestExisting(session, root);
  const isDirectory = info?.kind === "directory";
  const writable = (info === null || isDirectory) && await files.isWritable(place);
  const issues: RootIssue[] = info === null
    ? writable ? ["missing"] : ["missing", "not_writable"]
    : !isDirectory
    ? ["not_a_directory"]
    : writable
    ? []
    : ["not_writable"];
  const suggestions: Readonly<Record<RootIssue, string>> = {
    missing: `create directory: mkdir -p ${shellWord(root)}`,
    not_a_directory: `move the file away: mv ${shellWord(root)} ${shellWord(`${root}.old`)}`,
    not_writable: `allow writing: chmod u+w ${shellWord(place)}`,
  };
  // A directory cannot be made where nothing can be written, and no permission opens what is mounted read-only.
  const issue = issues.at(-1);
  const helps = issue !== "not_writable" || !await files.isReadOnly(place);
  return {
    target,
    ...withPosix("root", root),
    exists: info !== null,
    writable,
    scan_extras: scanExtras,
    issues,
    suggestion: issue === undefined || !helps ? null : suggestions[issue],
  };
}

/** Manifests that git would list as untracked files, by the top of their repository. */
export async function unignoredManifests(session: Session): Promise<ReadonlyMap<string, string[]>> {
  const { git } = session.pack;
  const tops = new Map<string, string | null>();
  const found = new Map<string, string[]>();
  for (const { target, root } of session.roots) {
    const place = await nearestExisting(session, root);
    // A repository that git does not trust is not ours to complain about.
    if (!tops.has(place)) tops.set(place, await git.at(place).topLevel().catch(() => null));
    const top = tops.get(place) ?? null;
    if (top === null) continue;
    const manifest = manifestPath(root, target);
    if (!await git.at(top).files.isIgnored(manifest)) {
      found.set(top, [...found.get(top) ?? [], manifest]);
    }
  }
  return found;
}

/** Adds the line for manifests to the `.gitignore` of a repository. */
export async function fixGitignore(session: Session, repo: string): Promise<GitignoreFix> {
  const { files } = session.pack.system;
  const path = join(repo, ".gitignore");
  const updated = await ignore(files, repo, [MANIFEST_GLOB]);
  return {
    ...withPosix("repo_root", repo),
    ...withPosix("gitignore_path", path),
    updated,
  };
}
