/** A release among the commits of a branch that its remote lacks: its tag goes with them, which a push does not take. */

import type { Repository } from "../../git/mod.ts";

/** How many commits are looked through. */
const MOST = 50;

/** The tag of the newest release that a commit has and a ref has not; null for none. A git process. */
export async function unsentRelease(
  repository: Repository,
  { tip, without }: { readonly tip: string; readonly without: string },
): Promise<string | null> {
  const commits = await repository.history.uncovered([tip], [without], MOST);
  const tags = commits.flatMap(({ subject }) =>
    /^chore\(release\): (v\d\S*)/.exec(subject)?.[1] ?? []
  );
  const known = await repository.refs.peek(tags.map((tag) => `refs/tags/${tag}`));
  return tags.find((tag) => known.has(`refs/tags/${tag}`)) ?? null;
}
