/** Clones of a workspace: making, adopting, fetching and looking at them, and what is remembered of each. */

export {
  type Across,
  askAcross,
  type FromClone,
  type Missed,
  type RowError,
  rowError,
  type Unread,
  unreadFailure,
  unreadNotes,
} from "./across.ts";
export {
  addressKey,
  hasCredentials,
  otherAddress,
  otherAddressWords,
  withoutCredentials,
} from "./address.ts";
export { adoptedAnywhere, type Adoption, liesInWorkspace } from "./adopted.ts";
export { changesDigest } from "./changes.ts";
export { cloneRepo } from "./clone.ts";
export { type CloneFailure, type CloneOutcome, cloneOutcome } from "./clone_all.ts";
export { borrowing, fetchRepo, type MirrorResult, type Sources } from "./fetch.ts";
export { changedFlagged } from "./hidden.ts";
export {
  type InspectOptions,
  inspectRepos,
  isOnWrongBranch,
  type RepoSnapshot,
} from "./inspect.ts";
export {
  compareWithBase,
  type Landing,
  landingOf,
  type MergedAs,
  mergedInFiles,
} from "./merged.ts";
export { nestedRepositories } from "./nested.ts";
export { prefetch } from "./prefetch.ts";
export {
  type Arrived,
  followRemote,
  type Remembering,
  rememberPush,
  rememberPushes,
} from "./pushed.ts";
export { rememberMerged } from "./remember_merged.ts";
export { tidySteps } from "./tidy.ts";
export { Transfers } from "./transfer.ts";
