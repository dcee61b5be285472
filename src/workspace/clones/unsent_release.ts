/** A release among the commits of a branch that its remote lacks: its tag goes with them, which a push does not take. */

import type { Repository } from "../../git/mod.ts";

/** How many commits are looked through. */
const MOST = 50;

/**
 * The tag of the newest release that a commit has and a ref has not; null for none. With `records` also that of one whose
 * record is on its way with nothing but records, which goes by the same command. A git process.
 */
export async function unsentRelease(
  repository: Repository,
  { tip, without, records = false }: {
    readonly tip: string;
    readonly without: string;
    readonly records?: boolean;
  },
): Promise<string | null> {
  const subjects = (await repository.history.uncovered([tip], [without], MOST))
    .map(({ subject }) => subject);
  const named = (pattern: RegExp) => subjects.flatMap((one) => pattern.exec(one)?.[1] ?? []);
  const tags = named(/^chore\(release\): (v\d\S*)/);
  const known = await repository.refs.peek(tags.map((tag) => `refs/tags/${tag}`));
  const unsent = tags.find((tag) => known.has(`refs/tags/${tag}`));
  if (unsent !== undefined) return unsent;
  const isRecords = records && subjects.every((one) => one.startsWith("chore(release): record "));
  return isRecords ? named(/^chore\(release\): record (v\d\S*)/)[0] ?? null : null;
}
