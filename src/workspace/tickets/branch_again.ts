/** How to make the branch of a ticket again that somebody deleted in one of its repositories. */

import type { Repository } from "../../git/mod.ts";
import { shellWord } from "../../base/text/words.ts";

/**
 * The command that makes the branch: out of that of the remote where it is known to have one, else out of the base
 * branch. No process.
 */
export async function branchAgainCommand(
  repository: Repository,
  { directory, branch, base }: {
    readonly directory: string;
    readonly branch: string;
    readonly base: string;
  },
): Promise<string> {
  const [theirs, its] = [branch, base].map((name) => `refs/remotes/origin/${name}`);
  const there = await repository.refs.peek([theirs ?? "", its ?? ""]);
  const words = there.has(theirs ?? "")
    ? ["--track", branch, `origin/${branch}`]
    : ["--no-track", branch, there.has(its ?? "") ? `origin/${base}` : base];
  return `git -C ${shellWord(directory)} branch ${words.map(shellWord).join(" ")}`;
}
