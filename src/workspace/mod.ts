/**
 * Workspaces: finding an ecosystem, its manifest, and everything that commands share which make, read and
 * take away its clones.
 */

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
  notInstalled,
  refuseLinked,
  refuseUsedElsewhere,
  repoDirectory,
  requireAdopted,
  requireWorkspace,
  type Workspace,
  type WorkspacePlace,
} from "./workspace.ts";

export { editorFolders, refreshEditorFile, ticketEditorText } from "./editor.ts";

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

export { inPoolOf, RepoCounter } from "./progress.ts";

export { adoptFlag, restoreSteps } from "./clones/adopting.ts";

export {
  isRefusal,
  makeRoom,
  type Refusal,
  refusalReason,
  refuseAll,
  type RowError,
  rowError,
  unlessRefused,
  whyOf,
} from "./refusal.ts";
export { looksSecret, newSecrets } from "./manifest/guard.ts";
