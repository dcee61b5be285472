/**
 * The commands of this room, for the registry alone: they are loaded together, when one of them is called.
 *
 * @module
 */

export { agentRun } from "./agent_run.ts";
export { commit } from "./commit.ts";
export { createEcosystem } from "./create.ts";
export { discard } from "./discard.ts";
export { doctor } from "./doctor.ts";
export { exec } from "./exec.ts";
export { execTrust } from "./exec_trust.ts";
export { listTrusted } from "./exec_trust_list.ts";
export { install } from "./install.ts";
export { addJournal } from "./journal_add.ts";
export { lock } from "./lock.ts";
export { fetchMirrors } from "./mirror_fetch.ts";
export { listMirrors } from "./mirror_list.ts";
export { pruneMirrors } from "./mirror_prune.ts";
export { listOperations } from "./operations.ts";
export { push } from "./push.ts";
export { runTask } from "./run.ts";
export { sync } from "./sync.ts";
export { listTasks } from "./tasks.ts";
