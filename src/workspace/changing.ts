/** What workspaces are made and changed with; for whoever only looks there is mod.ts. */

export { missingAbove, workspaceSteps } from "./making.ts";
export {
  deleteRemoteBranch,
  hideTickets,
  makeDirectories,
  replaceFile,
  WORKSPACE_OPERATIONS,
  writeState,
} from "./operations.ts";
export { type UndoLimits, undoLimits } from "./undo_limits.ts";
export { guardOfControl, heldBack, type InstallFacts, NO_COMMIT, surveyInstall } from "./survey.ts";
