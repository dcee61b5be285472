/**
 * Ecosystems: finding them, their manifest, and their workspace.
 *
 * @module
 */

export { createEcosystem } from "./create.ts";
export { describeEcosystem } from "./describe.ts";
export {
  digestsOf,
  discard,
  environmentLines,
  lossLines,
  refuseObstacles,
  removablePlace,
  undeletable,
} from "./discard.ts";
export {
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
export { isMinor, type Loss, lossesOf, lossText, refLosses } from "./losses.ts";
export { leftoverLine } from "./leftover.ts";
export { hasWorkspace, listEcosystems } from "./list.ts";
export { loadManifest, type Manifest, type Repo } from "./manifest.ts";
export { manifestJsonSchema } from "./manifest_schema.ts";
export {
  deleteRemoteBranch,
  ECOSYSTEM_OPERATIONS,
  makeDirectories,
  replaceFile,
  writeState,
} from "./operations.ts";
export { push } from "./push.ts";
export { type Refusal, refuseAll } from "./refusal.ts";
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
export { type Stock, takeStock } from "./stock.ts";
export { status } from "./status.ts";
export { choiceSetting, switchEcosystem } from "./switch.ts";
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
