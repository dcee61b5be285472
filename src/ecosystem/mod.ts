/**
 * The commands that work on all repositories of an ecosystem, and what other rooms need of them.
 *
 * @module
 */

export { isForgeQuestion } from "./forge.ts";
export { readMessages } from "./commit_messages.ts";
export { scaffoldEcosystem } from "./scaffold.ts";

export { requireAuthor } from "./author.ts";
export { planFar, shownPlace } from "./exec_far_plan.ts";
export { type Keeping, resumeFar, runKeeping } from "./exec_far_run.ts";
export { deedOfFacts, type ExecFacts, type ExecPlace } from "./exec_facts.ts";
export type { Wanted } from "./exec_plan.ts";
export type { ExecRow } from "./exec_run.ts";
export type { OutputForm } from "./exec_output.ts";

export type { Described } from "./describe.ts";
export type { EcosystemList } from "./list.ts";
export type { StatusRow } from "./status_row.ts";
export type { StatusData } from "./status_view.ts";
