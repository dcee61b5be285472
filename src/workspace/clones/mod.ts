/** Clones of a workspace: making, adopting, fetching and looking at them, and what is remembered of each. */

export {
  addressKey,
  hasCredentials,
  misnamedRemote,
  otherAddress,
  otherAddressWords,
  repoAt,
  withoutCredentials,
} from "./address.ts";
export {
  type InspectOptions,
  inspectRepos,
  isOnWrongBranch,
  missingSnapshot,
  prefetch,
  type RepoSnapshot,
  requireAbsent,
} from "./inspect.ts";
export { branchesOf, countBehind, expectedBranch } from "./branches.ts";
export {
  type BranchState,
  compareWithBase,
  comparisonsIn,
  integratedIn,
  isKnownIntegrated,
  type Landing,
  landingOf,
  type MergedAs,
  mergedInFiles,
  type Parting,
  partingOf,
  type Rewritten,
  rewrittenOf,
  tipsOf,
} from "./merged.ts";
export { retractedIn, retractedWords } from "./retracted.ts";
export { nestedRepositories, unsentSubmodules } from "./nested.ts";
export { changesDigest, conflictingPaths } from "./changes.ts";
export { unsentRelease } from "./unsent_release.ts";
export { adopterOf, adoptingWorkspace } from "./adopting.ts";
