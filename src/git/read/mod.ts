/** Questions of one command each, as parts of a repository. */

export { BranchOverview } from "./branch_overview.ts";
export { CommitLog, Search } from "./looking.ts";
export { Everything } from "./everything.ts";
