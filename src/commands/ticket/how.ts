/** How a repository came to the branch of a ticket, as a person reads it. */

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
