/**
 * Ecosystems: finding them, their manifest, and their workspace.
 *
 * @module
 */

export { createEcosystem } from "./create.ts";
export { describeEcosystem } from "./describe.ts";
export { currentEcosystem, ecosystemNames, findRoot, requireEcosystem } from "./discover.ts";
export { featureBranch, inspectRepos, type RepoSnapshot } from "./inspect.ts";
export { doctor } from "./doctor.ts";
export { install } from "./install.ts";
export { leftoverLine } from "./leftover.ts";
export { listEcosystems } from "./list.ts";
export { loadManifest, type Manifest, type Repo } from "./manifest.ts";
export { manifestSchema } from "./manifest_schema.ts";
export { ECOSYSTEM_OPERATIONS, writeState } from "./operations.ts";
export { push } from "./push.ts";
export { showManifest } from "./show.ts";
export { loadState, stateFile, stateText, type TicketState, type WorkspaceState } from "./state.ts";
export { status } from "./status.ts";
export { choiceSetting, switchEcosystem } from "./switch.ts";
export { sync } from "./sync.ts";
export { validateManifest } from "./validate.ts";
export { repoDirectory, requireWorkspace, selectRepos, type Workspace } from "./workspace.ts";
