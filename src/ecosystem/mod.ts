/**
 * Ecosystems: finding them, their manifest, and their workspace.
 *
 * @module
 */

export { createEcosystem } from "./create.ts";
export { describeEcosystem } from "./describe.ts";
export { currentEcosystem, ecosystemNames, findRoot, requireEcosystem } from "./discover.ts";
export { install } from "./install.ts";
export { listEcosystems } from "./list.ts";
export { manifestSchema } from "./manifest_schema.ts";
export { push } from "./push.ts";
export { showManifest } from "./show.ts";
export { status } from "./status.ts";
export { choiceSetting, switchEcosystem } from "./switch.ts";
export { validateManifest } from "./validate.ts";
