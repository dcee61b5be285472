/**
 * Workspaces: finding an ecosystem, its manifest, and everything that commands share which make, read and
 * take away its clones.
 */

export {
  findFounded,
  findRoot,
  firstCommit,
  NO_COMMIT,
  noRepository,
  searchRoot,
  surroundings,
} from "./root.ts";
export {
  choiceSetting,
  currentEcosystem,
  ecosystemNames,
  formerChoiceSetting,
  onlyEcosystem,
  requireEcosystem,
  ticketHere,
} from "./discover.ts";
export {
  archivesOf,
  findWorkspace,
  followedState,
  hasArchive,
  hasWorkspace,
  isInstalled,
  linkedEcosystems,
  linkedText,
  MOVED,
  refuseLinked,
  refuseUsedElsewhere,
  repoDirectory,
  requireAdopted,
  requireWorkspace,
  type Workspace,
  type WorkspacePlace,
} from "./workspace.ts";
export {
  controlDrift,
  controlPush,
  drifts,
  driftText,
  editedAside,
  lockedCommits,
  unsentAside,
} from "./drift.ts";

export { refreshEditorFile, ticketEditorText } from "./editor.ts";

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

export { inPoolOf, Tally } from "./tally.ts";

export { installAgain, wayBack } from "./clones/adopting.ts";

export {
  atRemote,
  commitWithJj,
  fileNames,
  finishThere,
  getWhole,
  isEdited,
  isRefusal,
  keepOn,
  listConflicts,
  makeRoom,
  overtakenWords,
  partingWords,
  pullThere,
  pushWithJj,
  putAway,
  type Refusal,
  refuseAll,
  type RowError,
  rowError,
  staysPut,
  switchThere,
  unfinishedLine,
  unfinishedText,
  unlessRefused,
  unreadText,
  waysOn,
  whyOf,
} from "./refusal.ts";
export { looksSecret, newSecrets } from "./manifest/guard.ts";
