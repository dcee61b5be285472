/**
 * The commands that work on all repositories of an ecosystem, and what other rooms need of them.
 *
 * @module
 */

export { isForgeQuestion } from "./forge.ts";
export { readMessages } from "./commit_messages.ts";
export { scaffoldEcosystem } from "./scaffold.ts";

export type { Described } from "./describe.ts";
export type { EcosystemList } from "./list.ts";
export type { StatusRow } from "./status_row.ts";
export type { StatusData } from "./status_view.ts";
