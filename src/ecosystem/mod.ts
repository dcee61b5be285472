/**
 * Ecosystems: finding them, their manifest, and their workspace.
 *
 * @module
 */

export { createEcosystem } from "./create.ts";
export { describeEcosystem } from "./describe.ts";
export { discard } from "./discard.ts";
export { environmentLines, removablePlace, undeletable } from "./removable.ts";
export { refuseObstacles } from "./obstacles.ts";
export {
  choiceSetting,
  currentEcosystem,
  ecosystemNames,
  findFounded,
  findRoot,
  requireEcosystem,
} from "./discover.ts";
export { guardOfControl } from "./control_guard.ts";
export {
  allowing,
  allowNoTouch,
  type Guard,
  type GuardInput,
  makeGuard,
  type Touch,
  touchedBy,
  touches,
  touchFix,
  touchText,
} from "./guard.ts";
export { featureBranch, inspectRepos, type RepoSnapshot } from "./inspect.ts";
export { isGitName } from "./portable_path.ts";
export { isInside, placesIn, readDocument, tidy } from "./document.ts";
export {
  fileProblem,
  type Mistake,
  mistake,
  type Problem,
  problemText,
  toProblems,
} from "./problem.ts";
export { shapeMistakes, unknownKeys } from "./shape.ts";
export { doctor } from "./doctor.ts";
export { install } from "./install.ts";
export { type InstallFacts, surveyInstall } from "./install_plan.ts";
export { workspaceSteps } from "./install_steps.ts";
export { isMinor, type Loss, lossesOf, lossLines, lossText, refLosses } from "./losses.ts";
export { leftoverLine } from "./leftover.ts";
export { hasWorkspace } from "./installed.ts";
export { listEcosystems } from "./list.ts";
export { loadManifest, type Manifest, type Repo } from "./manifest.ts";
export { manifestJsonSchema } from "./manifest_schema.ts";
export {
  deleteRemoteBranch,
  makeDirectories,
  replaceFile,
  WORKSPACE_OPERATIONS,
  writeState,
} from "./operations.ts";
export { push } from "./push.ts";
export { type Refusal, refuseAll } from "./refusal.ts";
export { scaffoldEcosystem } from "./scaffold.ts";
export { showManifest } from "./show.ts";
export { removalSteps } from "./removal.ts";
export {
  freshState,
  loadState,
  NO_STATE,
  readState,
  stateFile,
  stateText,
  type TicketState,
  type WorkspaceState,
} from "./state.ts";
export { CONTROL, type RepoStock } from "./repo_stock.ts";
export { digestsOf, type Stock, takeStock } from "./stock.ts";
export { status } from "./status.ts";
export { switchEcosystem } from "./switch.ts";
export { sync } from "./sync.ts";
export { validateManifest } from "./validate.ts";
export {
  findWorkspace,
  refuseUsedElsewhere,
  repoDirectory,
  requireWorkspace,
  selectRepos,
  type Workspace,
  type WorkspacePlace,
} from "./workspace.ts";
