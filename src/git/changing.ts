/** What is needed of git for changes, and not for looking: for that there is mod.ts. */

export { logLines, OF_HOOKS } from "./call/log.ts";
export { type StashEntry } from "./write/stashes.ts";
export { type PullRequest, pullRequestIn, webPage } from "./read/web.ts";
export { withRetries } from "./call/limits.ts";
export { privateFiles, writeSanitized } from "./seal/sanitized.ts";
