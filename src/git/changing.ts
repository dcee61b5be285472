/** What is needed of git for changes, and not for looking: for that there is mod.ts. */

export { logLines, OF_HOOKS } from "./call/log.ts";
export { APART_FILES, type Conflict, type Pair } from "./write/merging.ts";
export { type StashEntry, stashTitle } from "./write/stashes.ts";
export { type Hindrance, snapshotId } from "./snapshot/snapshots.ts";
export { subjectOf as stashSubject } from "./snapshot/stream.ts";
export { type PullRequest, pullRequestIn } from "./write/pull_request.ts";
export { type Authorship, commitText, type PathChange } from "./write/bundles.ts";
export { privateFiles } from "./call/private_files.ts";
export { withRetries } from "./call/retry.ts";
export { writeSanitized } from "./seal/sanitized.ts";
export { webPage } from "./read/web.ts";
export {
  type Aside,
  type Checkpoint,
  differingRefs,
  differingWork,
  sameCheckout,
  sameCheckpoint,
  sameStashes,
} from "./checkpoint/checkpoint.ts";
