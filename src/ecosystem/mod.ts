/**
 * The commands that work on all repositories of an ecosystem.
 *
 * @module
 */

export { branches } from "./branches.ts";
export { createEcosystem } from "./create.ts";
export { type Described, describeEcosystem } from "./describe.ts";
export { diff } from "./diff.ts";
export { discard } from "./discard.ts";
export { doctor } from "./doctor.ts";
export { isForgeQuestion } from "./from_org.ts";
export { exec } from "./exec.ts";
export { execTrust } from "./exec_trust.ts";
export { listTrusted } from "./exec_trust_list.ts";
export { install } from "./install.ts";
export { addJournal } from "./journal_add.ts";
export { type EcosystemList, listEcosystems } from "./list.ts";
export { lock } from "./lock.ts";
export { showManifest } from "./manifest_show.ts";
export { validateManifest } from "./manifest_validate.ts";
export { commit } from "./commit.ts";
export { readMessages } from "./commit_messages.ts";
export { grep } from "./grep.ts";
export { log } from "./log.ts";
export { path } from "./path.ts";
export { push } from "./push.ts";
export { runTask } from "./run.ts";
export { scaffoldEcosystem } from "./scaffold.ts";
export { status } from "./status.ts";
export type { StatusRow } from "./status_row.ts";
export type { StatusData } from "./status_view.ts";
export { switchEcosystem } from "./switch.ts";
export { sync } from "./sync.ts";
export { listTasks } from "./tasks.ts";
