/**
 * The words by which repositories are selected, as completion offers them (SELECT-3, SELECT-4).
 *
 * @module
 */

import { join } from "@std/path";
import type { System } from "../../system/mod.ts";
import { few } from "../../text/words.ts";
import { type Manifest, STANDING_WORDS } from "../../workspace/mod.ts";
import type { Candidate } from "./place.ts";

/** What stands before the name of a run. */
export const FAILED = "failed=";
const ON = "on:";

/** How many repositories of a tag are named. */
const MOST_NAMED = 5;

/** The name in a word that begins with what says how it is meant. */
export function nameIn(word: string): string {
  const prefix = [FAILED, ON].find((each) => word.startsWith(each)) ?? "";
  return word.slice(prefix.length);
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

/** The branch that a clone is on, as its files say it; null where that cannot be told. */
async function branchOf(system: System, clone: string): Promise<string | null> {
  const head = await system.files.readText(join(clone, ".git", "HEAD")).catch(() => null);
  return /^ref: refs\/heads\/(.+)$/m.exec(head ?? "")?.[1] ?? null;
}

/** How repositories can stand, and the branches they are on. Starts no process. */
export async function standingCandidates(
  system: System,
  workspace: string,
  { repos }: Manifest,
): Promise<Candidate[]> {
  const on = new Map<string, string[]>();
  for (const { name, path, enabled } of repos) {
    const branch = enabled ? await branchOf(system, join(workspace, path)) : null;
    if (branch !== null) on.set(branch, [...on.get(branch) ?? [], name]);
  }
  return [
    ...STANDING_WORDS.filter(([word]) => !word.startsWith(ON))
      .map(([word, help]) => ({ value: word.replace(/\[.*$/, ""), help })),
    ...[...on].map(([branch, names]) => ({
      value: `${ON}${branch}`,
      help: few(names, MOST_NAMED),
    })),
  ];
}
