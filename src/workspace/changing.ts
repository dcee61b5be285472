/** What workspaces are made and changed with; for whoever only looks there is mod.ts. */

export { type InstallFacts, missingAbove, workspaceSteps } from "./making.ts";
export {
  deleteRemoteBranch,
  hideTickets,
  makeDirectories,
  replaceFile,
  WORKSPACE_OPERATIONS,
  writeState,
} from "./operations.ts";
export { type UndoLimits, undoLimits } from "./manifest/manifest.ts";
