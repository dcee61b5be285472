/** What workspaces are made and changed with; for whoever only looks there is mod.ts. */

export { hideTickets } from "./ignore.ts";
export { missingAbove, workspaceSteps } from "./making.ts";
export {
  deleteRemoteBranch,
  makeDirectories,
  replaceFile,
  WORKSPACE_OPERATIONS,
  writeState,
} from "./operations.ts";
export { guardOfControl, heldBack } from "./held_back.ts";
export { type UndoLimits, undoLimits } from "./undo_limits.ts";
export { type InstallFacts, surveyInstall } from "./survey.ts";
