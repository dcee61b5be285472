/**
 * Workspaces: finding an ecosystem, its manifest, and everything that commands share which make, read and
 * take away its clones.
 */

export { guardOfControl } from "./control_guard.ts";
export {
  choiceSetting,
  currentEcosystem,
  ecosystemNames,
  findFounded,
  findRoot,
  formerChoiceSetting,
  noRepository,
  onlyEcosystem,
  requireEcosystem,
  searchRoot,
  ticketHere,
} from "./discover.ts";
export { drifts, driftText, editedAside } from "./drift.ts";

export { refreshEditorFile, ticketEditorText } from "./editor.ts";

export { archivesOf, hasArchive, hasWorkspace, isInstalled, worktreesOrNone } from "./installed.ts";

export { hideTickets } from "./ignore.ts";

export { missingAbove, workspaceSteps } from "./making.ts";

export { type Outcome, outcomeOf, type RepoRow } from "./outcome.ts";

export {
  deleteRemoteBranch,
  makeDirectories,
  replaceFile,
  WORKSPACE_OPERATIONS,
  writeState,
} from "./operations.ts";

export {
  commitWithJj,
  finishThere,
  integrateThere,
  isRefusal,
  listConflicts,
  pushWithJj,
  type Refusal,
  refuseAll,
  staysPut,
  unlessRefused,
  waysOn,
} from "./refusal.ts";

export { heldBack } from "./held_back.ts";
export { looksSecret } from "./secret_files.ts";
export {
  freshState,
  type LastPush,
  loadState,
  NO_STATE,
  readState,
  saveState,
  stateFile,
  stateText,
  type TicketState,
  type WorkspaceState,
} from "./state.ts";

export { type UndoLimits, undoLimits } from "./undo_limits.ts";

export { type InstallFacts, surveyInstall } from "./survey.ts";

export { inPoolOf, Tally } from "./tally.ts";

export {
  findWorkspace,
  refuseUsedElsewhere,
  repoDirectory,
  requireWorkspace,
  type Workspace,
  type WorkspacePlace,
} from "./workspace.ts";
export { unreadText, whyOf } from "./why.ts";
