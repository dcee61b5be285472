/** Questions of one command each, as parts of a repository. */

export { BranchOverview } from "./branch_overview.ts";
export { CommitLog } from "./commit_log.ts";
export { Everything } from "./everything.ts";
export { Search } from "./search.ts";
