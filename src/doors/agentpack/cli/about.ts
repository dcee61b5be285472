/** What help says of agentpack as a whole, apart so that amof's own help loads nothing else of it. */

/** One sentence. */
export const PACK_SUMMARY = "Plan, deploy, roll back and evolve the agents' own assets.";

/** How a first walk goes, behind the words that call it. */
export const PACK_EXAMPLES: readonly string[] = [
  "init --git",
  "import --apply",
  "preview --diff",
  "deploy --apply",
  "status --check",
];
