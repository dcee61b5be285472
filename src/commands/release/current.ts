/** Which version is the current one of a branch (RELEASE-2): the highest of those that it has. */

import type { System } from "../../base/system/mod.ts";
import type { Repository, Tag } from "../../git/mod.ts";
import { Releases } from "../../git/write/mod.ts";
import { type LadderTag, ladderTags } from "./ladder.ts";
import { readRecords } from "./record.ts";

/** How the subject of a commit begins that a release is made of. */
export const RELEASE_SUBJECT = "chore(release): ";

/** The current version of a branch, and the highest one of the repository where that is another one. */
interface Current {
  readonly current: LadderTag | null;
  /** The highest version, where the branch does not have it; null where it has. */
  readonly beyond: LadderTag | null;
}

/**
 * The current version of what `ref` names. A branch has a version whose commit it has, or a copy of that commit, as a
 * rebase makes it: then its message or a record tells. Where it has none, as in a clone without history, the highest of
 * all counts. At most two git processes, none where there are fewer than two versions or it is at the highest.
 */
export async function currentOf(
  system: System,
  repository: Repository,
  { directory, tags, ref, head = null }: {
    readonly directory: string;
    readonly tags: readonly Tag[];
    readonly ref: string;
    /** Its commit, where that is known: nothing is asked where that is the highest version. */
    readonly head?: string | null;
  },
): Promise<Current> {
  const all = ladderTags(tags.map(({ name }) => name));
  const highest = all[0] ?? null;
  const releases = repository.part(Releases);
  const isThere = tags.some(({ name, commit }) => name === highest?.tag && commit === head);
  const within = isThere || all.length < 2 ? null : await releases.tagsIn(ref);
  if (highest === null || within === null) return { current: highest, beyond: null };
  if (within.has(highest.tag)) return { current: highest, beyond: null };
  for (const { tag } of await readRecords(system, directory)) within.add(tag);
  for (const line of await releases.linesWith(ref, RELEASE_SUBJECT)) {
    within.add(line.slice(RELEASE_SUBJECT.length).trim());
  }
  const current = all.find(({ tag }) => within.has(tag)) ?? highest;
  return { current, beyond: current === highest ? null : highest };
}

/** That a higher version does not count, as the branch does not have it. */
export function beyondLine(beyond: string, branch: string): string {
  return `${beyond} is not in ${branch}, so it does not count here`;
}
