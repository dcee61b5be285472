/** The words by which repositories are selected, as completion offers them (SELECT-3, SELECT-4). */

import { join } from "@std/path";
import { isBelow } from "../../../base/paths.ts";
import type { System } from "../../../base/system/mod.ts";
import { Git } from "../../../git/mod.ts";
import { few } from "../../../base/text/words.ts";
import type { Manifest } from "../../../workspace/manifest/mod.ts";
import { STANDING_WORDS } from "../../../workspace/selection/mod.ts";
import type { Candidate } from "./place.ts";

/** What stands before the name of a run. */
export const FAILED = "failed=";
const ON = "on:";
/** What stands before the name of a commit to compare with. */
export const CHANGED = "changed=";
/** What stands before a word that leaves out. */
const NOT = "!";
/** The repository that one stands in. */
const HERE: Candidate = { value: ".", help: "the one you stand in" };

/** How many repositories of a tag are named. */
const MOST_NAMED = 5;

/** The name in a word that begins with what says how it is meant. */
export function nameIn(word: string): string {
  const positive = word.startsWith(NOT) ? word.slice(NOT.length) : word;
  const prefix = [FAILED, ON, CHANGED].find((each) => positive.startsWith(each)) ?? "";
  return positive.slice(prefix.length);
}

/** The words that a beginning allows: those that leave out only behind "!", which a shell may have to be told to keep. */
export async function besidesExcluded(
  typed: string,
  words: (typed: string) => Promise<readonly Candidate[]>,
): Promise<readonly Candidate[]> {
  if (!typed.startsWith(NOT)) return await words(typed);
  return (await words(typed.slice(NOT.length))).map(({ value, help }) => ({
    value: `${NOT}${value}`,
    help: `all but ${help === "" ? value : help}`,
  }));
}

/** The repositories of a manifest, each with its base branch. */
export function repoCandidates({ repos }: Manifest): Candidate[] {
  return repos.map(({ name, branch, readonly: fixed }) => ({
    value: name,
    help: fixed ? `${branch}, read-only` : branch,
  }));
}

/** The words that name repositories: each name, and the one that one stands in, where that is in the workspace. */
export async function selectionCandidates(
  { env, files }: System,
  workspace: string,
  manifest: Manifest,
): Promise<Candidate[]> {
  const stands = isBelow(workspace, await files.realPath(env.cwd) ?? env.cwd);
  return [...repoCandidates(manifest), ...(stands ? [HERE] : [])];
}

/** Whether a word is one of the program's own rather than a name. */
export function isOwnWord(word: string): boolean {
  return nameIn(word) === HERE.value;
}

/** The tags and groups of a manifest, each with what it selects. */
export function tagCandidates({ repos, groups }: Manifest): Candidate[] {
  const found = new Map<string, string[]>(
    Object.entries(groups).map(([name, names]) => [name, [...names]]),
  );
  for (const { name, tags } of repos) {
    for (const tag of tags) found.set(tag, [...new Set([...found.get(tag) ?? [], name])]);
  }
  return [...found].sort(([a], [b]) => a < b ? -1 : 1)
    .map(([value, names]) => ({ value, help: few(names, MOST_NAMED) }));
}

/** The branches that clones are on, each with the names of the repositories. */
async function checkedOut(
  system: System,
  workspace: string,
  { repos }: Manifest,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const on = new Map<string, string[]>();
  for (const { name, path, enabled } of repos) {
    const clone = new Git(system).at(join(workspace, path));
    const branch = enabled ? await clone.branches.current().catch(() => null) : null;
    if (branch !== null) on.set(branch, [...on.get(branch) ?? [], name]);
  }
  return on;
}

/** What repositories can be compared with: their base branches here and on the remote, and the branches they are on. */
export async function changedCandidates(
  system: System,
  workspace: string,
  manifest: Manifest,
): Promise<Candidate[]> {
  const bases = manifest.repos.map(({ branch }) => branch);
  const on = await checkedOut(system, workspace, manifest);
  const refs = new Set([...bases.map((branch) => `origin/${branch}`), ...bases, ...on.keys()]);
  return [...refs].map((ref) => ({ value: `${CHANGED}${ref}`, help: "" }));
}

/** How repositories can stand, and the branches they are on. Starts no process. */
export async function standingCandidates(
  system: System,
  workspace: string,
  manifest: Manifest,
): Promise<Candidate[]> {
  const on = await checkedOut(system, workspace, manifest);
  return [
    ...STANDING_WORDS.filter(([word]) => !word.startsWith(ON))
      .map(([word, help]) => ({ value: word.replace(/\[.*$/, ""), help })),
    ...[...on].map(([branch, names]) => ({
      value: `${ON}${branch}`,
      help: few(names, MOST_NAMED),
    })),
  ];
}
