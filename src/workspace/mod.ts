/**
 * Workspaces: finding an ecosystem, its manifest, and everything that commands share which make, read and
 * take away its clones.
 *
 * @module
 */

export {
  type Across,
  askAcross,
  type FromClone,
  type Missed,
  type RowError,
  rowError,
  type Unread,
  unreadFailure,
  unreadNotes,
} from "./clones/across.ts";
export {
  allAreas,
  type Area,
  areaHere,
  labelOf,
  namedInAny,
  type OfTicket,
  type Unreadable,
  usableTickets,
} from "./areas.ts";
export {
  askBranches,
  type AskedBranch,
  askedLines,
  writeBranch,
  writeBranches,
  wroteBranches,
} from "./asked.ts";
export { adoptedAnywhere, type Adoption, liesInWorkspace } from "./clones/adopted.ts";
export { changedFlagged } from "./clones/hidden.ts";
export { changesDigest } from "./clones/changes.ts";
export {
  chosen,
  chosenAnywhere,
  type ChosenArea,
  clonesOf,
  inAreas,
  type MeantClone,
} from "./selection/chosen.ts";
export { cloneRepo } from "./clones/clone.ts";
export {
  addBorrowers,
  freshMirror,
  isIdle,
  type Lent,
  lentClones,
  mendMirrors,
  type MirrorFound,
  mirrorKind,
  mirrorsDirectory,
  type MirrorTrouble,
  mirrorTroubles,
  packMirror,
  removeLeft,
  removeMirror,
  surveyMirrors,
} from "./mirrors/mod.ts";
export { bringMirrors, type Mirrors } from "./mirrors/bring.ts";
export { type CloneFailure, type CloneOutcome, cloneOutcome } from "./clones/clone_all.ts";
export { guardOfControl } from "./control_guard.ts";
export {
  choiceSetting,
  currentEcosystem,
  ecosystemNames,
  findFounded,
  findRoot,
  formerChoiceSetting,
  noRepository,
  requireEcosystem,
  ticketHere,
} from "./discover.ts";
export { drifts, driftText, editedAside } from "./drift.ts";
export { type EndedTicket, endedTickets, withEnded } from "./tickets/ended.ts";
export { refreshEditorFile, ticketEditorText } from "./editor.ts";
export {
  type InspectOptions,
  inspectRepos,
  isOnWrongBranch,
  type RepoSnapshot,
} from "./clones/inspect.ts";
export { compareWithBase, type MergedAs, mergedInFiles } from "./clones/merged.ts";
export { rememberMerged } from "./clones/remember_merged.ts";
export { hasWorkspace, isInstalled, worktreesOrNone } from "./installed.ts";
export {
  attempt,
  type GivenUp,
  NOTHING_DELETED,
  refusalOf,
  splitRefs,
  type Verifiable,
  verifyRemotes,
} from "./removal/leaving.ts";
export { hideTickets } from "./ignore.ts";
export { leftoverLine, leftoverText } from "./removal/leftover.ts";
export {
  adoptedLines,
  adoptedParts,
  isMinor,
  type Loss,
  lossesOf,
  lossLines,
} from "./removal/losses.ts";
export { missingAbove, workspaceSteps } from "./making.ts";
export {
  addressKey,
  hasCredentials,
  otherAddress,
  otherAddressWords,
  withoutCredentials,
} from "./clones/address.ts";
export { type LeftOut, settle, type Settled } from "./import/settle.ts";
export { type Imported, type Listed, listed, type Source } from "./import/imported.ts";
export { IMPORTERS, kindOfList, LIST_KINDS, type ListKind } from "./import/kinds.ts";
export {
  type EditFacts,
  editFacts,
  editManifest,
  editStep,
  type ManifestEdit,
} from "./manifest/change.ts";
export { type LockedRepo, lockFile, lockText, readLock } from "./lock/lock.ts";
export { LOCK_FORMATS, type LockFormat, writeList } from "./lock/formats.ts";
export { type Pin, type Pinned, pinOutcome, pinSteps } from "./lock/pin.ts";
export { isInside, placesIn, readDocument, tidy } from "./manifest/document.ts";
export {
  allowing,
  allowNoTouch,
  flagsFor,
  type Guard,
  type GuardInput,
  keptTouches,
  makeGuard,
  type Touch,
  touchedBy,
  touches,
  touchFix,
  touchText,
} from "./manifest/guard.ts";
export {
  checkManifest,
  groupsText,
  loadManifest,
  type Manifest,
  manifestFile,
  manifestInvalid,
  type Repo,
} from "./manifest/manifest.ts";
export { type Order, ORDERS, type Task } from "./manifest/tasks.ts";
export { type Outcome, outcomeOf, type RepoRow } from "./outcome.ts";
export { isGitName } from "./manifest/portable_path.ts";
export {
  fileProblem,
  type Mistake,
  mistake,
  type Problem,
  problemText,
  toProblems,
} from "./manifest/problem.ts";
export { manifestJsonSchema } from "./manifest/schema.ts";
export { shapeMistakes, unknownKeys } from "./manifest/shape.ts";
export { nestedRepositories } from "./clones/nested.ts";
export { mergeNewest } from "./newest.ts";
export { obstaclesIn, refuseObstacles } from "./removal/obstacles.ts";
export { refuseInside } from "./removal/occupied.ts";
export {
  deleteRemoteBranch,
  makeDirectories,
  replaceFile,
  WORKSPACE_OPERATIONS,
  writeState,
} from "./operations.ts";
export { prefetch } from "./clones/prefetch.ts";
export { borrowing, fetchRepo, type MirrorResult, type Sources } from "./clones/fetch.ts";
export { isRefusal, type Refusal, refuseAll, staysPut, unlessRefused } from "./refusal.ts";
export {
  environmentLines,
  environmentStands,
  removablePlace,
  undeletable,
} from "./removal/removable.ts";
export {
  deleteAside,
  removalSteps,
  ticketRemains,
  ticketRemovalSteps,
  undeleted,
} from "./removal/removal.ts";
export { CONTROL, digestOf, type RepoStock, stockOf } from "./removal/repo_stock.ts";
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
export {
  foreseen,
  inspectSelected,
  isSelecting,
  noneStands,
  select,
  type Selecting,
  SELECTION_FLAGS,
  selectionInput,
  selectLooking,
} from "./selection/selection.ts";
export { type UndoLimits, undoLimits } from "./undo_limits.ts";
export { STANDING_WORDS } from "./selection/standing.ts";
export { namedHere, namesThrough, saysHere, selectRepos } from "./selection/words.ts";
export { digestsOf, type Stock, takeStock } from "./removal/stock.ts";
export { type InstallFacts, surveyInstall } from "./survey.ts";
export { temporaries } from "./removal/temporaries.ts";
export {
  type Arrived,
  followRemote,
  type Remembering,
  rememberPush,
  rememberPushes,
} from "./clones/pushed.ts";
export { SealKeeper } from "./seals/keeper.ts";
export { shownSuspects, suspectNames, suspectsText } from "./seals/names.ts";
export { inPoolOf, Tally } from "./tally.ts";
export { tidySteps } from "./clones/tidy.ts";
export { amongDigest, ticketStock } from "./tickets/stock.ts";
export { refuseAtWork, runAtWork } from "./tickets/at_work.ts";
export { PendingAgent } from "./tickets/pending_agent.ts";
export { planTicketBox, unboxable } from "./tickets/box.ts";
export { requireTicketWorkspace, scopeManifest } from "./tickets/scope.ts";
export { Transfers } from "./clones/transfer.ts";
export {
  findWorkspace,
  refuseUsedElsewhere,
  repoDirectory,
  requireWorkspace,
  type Workspace,
  type WorkspacePlace,
} from "./workspace.ts";
export { unreadText, whyOf } from "./why.ts";
export { atMirror, type FreshMirror } from "./mirrors/mod.ts";
export { buildClone, type ClonePlan, mirrorOf } from "./tickets/build.ts";
export {
  endedFile,
  findTicketWorkspace,
  isLeft,
  type ListedTicketWorkspace,
  loadRecord,
  recordFile,
  saveRecord,
  ticketDirectory,
  type TicketRecord,
  type TicketRepo,
  type TicketWorkspace,
  ticketWorkspaces,
} from "./tickets/record.ts";
export {
  awayBeside,
  bringTicketBack,
  isAwayName,
  putTicketAway,
  renewTicketPorts,
  type TicketAway,
  ticketsAway,
} from "./tickets/away.ts";
export { branchAgainCommand } from "./tickets/branch_again.ts";
export {
  againCommand,
  findGoneTicket,
  type GoneTicket,
  goneTickets,
  goneTicketsIfKnown,
  remainsText,
} from "./tickets/gone.ts";
export { reservePorts } from "./tickets/ports.ts";
export { freeTicket, releaseTicket } from "./tickets/release.ts";
export { ticketSlug, ticketVariables } from "./tickets/variables.ts";
export {
  type Approval,
  approvalOf,
  requireApproved,
  trustLine,
  untrustedDeed,
} from "./programs/approval.ts";
export {
  approvalName,
  approvalsPrefix,
  type Deed,
  hashOf,
  lineOf,
  type SelectionWords,
  shownLine,
  vectorOf,
} from "./programs/deed.ts";
export {
  environmentIn,
  environmentWith,
  type PassedVariables,
  passedVariables,
  variablesText,
} from "./programs/environment.ts";
