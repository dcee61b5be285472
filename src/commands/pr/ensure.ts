/** Opens a pull request unless there is one, so that whatever was cut off can be repeated (CHANGE-4). */

import { AmofError } from "../../base/error.ts";
import type { Forge, PullRequest } from "../../forge/mod.ts";

/** What a pull request should be. */
interface Wish {
  readonly head: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
  readonly draft: boolean;
  readonly labels: readonly string[];
  readonly reviewers: readonly string[];
}

/** The open pull request of a branch, and whether it was made by this. */
async function opened(
  forge: Forge,
  { labels: _, reviewers: _who, ...wish }: Wish,
): Promise<{ readonly change: PullRequest; readonly made: boolean }> {
  const known = await forge.find(wish.head, wish.base);
  if (known?.state === "open") return { change: known, made: false };
  try {
    return { change: await forge.create(wish), made: true };
  } catch (error) {
    if (!(error instanceof AmofError) || error.code === "cancelled") throw error;
    // A forge may have made it all the same, or somebody else was faster.
    const there = await forge.find(wish.head, wish.base).catch(() => null);
    if (there?.state === "open") return { change: there, made: true };
    throw error;
  }
}

/** Opens a pull request where none is open, with its labels and reviewers. */
export async function ensureOpen(
  forge: Forge,
  wish: Wish,
): Promise<{ readonly change: PullRequest; readonly made: boolean }> {
  const { change, made } = await opened(forge, wish);
  await forge.invite(change, {
    labels: wish.labels.filter((label) => !change.labels.includes(label)),
    reviewers: wish.reviewers.filter((one) => !change.reviewers.includes(one)),
  });
  return { change, made };
}
