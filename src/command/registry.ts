/**
 * The list of all commands, in the order of help and tool list.
 *
 * @module
 */

import {
  agentStats,
  approvals,
  auditCommand,
  auditVerify,
  cancelConfirm,
  confirm,
  globalTelemetry,
  scopeBack,
  scopeInfo,
  setMode,
} from "../session/mod.ts";
import { archive, listArchives, restoreArchive } from "../archive/mod.ts";
import {
  addJournal,
  branches,
  commit,
  createEcosystem,
  describeEcosystem,
  diff,
  discard,
  doctor,
  exec,
  execTrust,
  grep,
  install,
  listEcosystems,
  listTasks,
  listTrusted,
  lock,
  log,
  path,
  push,
  runTask,
  showManifest,
  status,
  switchEcosystem,
  sync,
  validateManifest,
} from "../ecosystem/mod.ts";
import {
  activeRuns,
  cancelRunCommand,
  listRuns,
  pruneRuns,
  runLogs,
  runStatus,
  runSummaryCommand,
} from "../runs/mod.ts";
import {
  releaseBump,
  releaseInit,
  releaseLog,
  releasePromote,
  releasePush,
  releaseShow,
  releaseStatus,
  releaseValidate,
  trainBump,
  trainPromote,
  trainStatus,
} from "../release/mod.ts";
import { addRepo, removeRepo, renameRepo } from "../repo/mod.ts";
import { STOCKTRIM_COMMANDS } from "../stocktrim/mod.ts";
import { serverRestart, serverStart, serverStatus, serverStop } from "../server/mod.ts";
import { endTicket, listTickets, startTicket, switchTicket, updateTicket } from "../ticket/mod.ts";
import { spinDeploy, spinDestroy, spinStatus, spinTrust } from "../spin/mod.ts";
import type { Command, Mutation } from "../contract/mod.ts";

/** Every command. */
export const COMMANDS: readonly Command[] = [
  listEcosystems,
  createEcosystem,
  describeEcosystem,
  switchEcosystem,
  install,
  lock,
  status,
  log,
  diff,
  grep,
  branches,
  path,
  sync,
  commit,
  push,
  exec,
  runTask,
  listTasks,
  execTrust,
  listTrusted,
  archive,
  listArchives,
  restoreArchive,
  discard,
  startTicket,
  listTickets,
  switchTicket,
  updateTicket,
  endTicket,
  spinStatus,
  spinDeploy,
  spinDestroy,
  spinTrust,
  validateManifest,
  showManifest,
  addRepo,
  removeRepo,
  renameRepo,
  releaseStatus,
  releaseValidate,
  releaseBump,
  releasePromote,
  releaseLog,
  releaseShow,
  releaseInit,
  releasePush,
  trainStatus,
  trainBump,
  trainPromote,
  listRuns,
  activeRuns,
  runStatus,
  runLogs,
  runSummaryCommand,
  cancelRunCommand,
  pruneRuns,
  addJournal,
  serverStatus,
  serverStart,
  serverStop,
  serverRestart,
  globalTelemetry,
  agentStats,
  confirm,
  cancelConfirm,
  approvals,
  auditCommand,
  auditVerify,
  doctor,
  setMode,
  scopeInfo,
  scopeBack,
  ...STOCKTRIM_COMMANDS,
];

/** The command with this tool name or alias, or null. */
export function findCommand(name: string): Command | null {
  return COMMANDS.find((command) => command.name === name || command.aliases?.includes(name)) ??
    null;
}

/** The command whose runs are called so, or null. */
export function commandOfRun(action: string): Mutation | null {
  for (const command of COMMANDS) {
    if (command.kind === "mutation" && command.runs === action) return command;
  }
  return null;
}
