/** How a person reads what became of each repository when a ticket began: its branch, or why it was left out. */

import { few } from "../../base/text/words.ts";

const WORDS = {
  create: "new branch",
  track: "branch of the remote",
  reuse: "earlier branch",
  stay: "on it already",
  read: "to read",
} as const;

/** What was done in a repository, in words for a person; data says it by one word. */
export function howOf(action: keyof typeof WORDS): string {
  return WORDS[action];
}

/** A line for each reason, with the repositories that it left out. */
export function skippedLines(
  skipped: readonly { readonly name: string; readonly reason: string }[],
): string[] {
  return [...Map.groupBy(skipped, ({ reason }) => reason)].map(([reason, same]) =>
    `– ${few(same.map(({ name }) => name), 6)}: ${reason}`
  );
}
