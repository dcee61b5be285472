/**
 * Forges as the rest of the program knows them: where a repository is, and the port through which its pull requests are
 * read and changed. They are reached through programs of the user, never by this one itself.
 */

export { pageLine } from "./answers.ts";
export { Forges } from "./forges.ts";
export type { ChangeEdit, ChangeState, Forge, ForgeKind, Method, PullRequest } from "./port.ts";
export { isForgeLook } from "./programs.ts";
