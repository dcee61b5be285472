/** What blocks a pull request, in words. */

import type { Blocker } from "./verdict.ts";

const WORDS: Readonly<Record<string, string>> = {
  draft: "draft",
  queued: "in the queue",
  conflict: "conflict",
  checks: "checks failed",
  checks_pending: "checks running",
  changes_requested: "changes requested",
  review: "review missing",
  protected: "rules of the forge",
  not_pushed: "commits not pushed",
  behind: "commits that are not here",
};

/** A blocker in words: "needs lib". */
export function blockerWords(blocker: Blocker): string {
  return blocker.startsWith("depends_on:")
    ? `needs ${blocker.slice("depends_on:".length)}`
    : WORDS[blocker] ?? blocker;
}
