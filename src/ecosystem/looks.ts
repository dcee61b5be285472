/**
 * The commands of this room that only look, for the registry alone: they are what people call most, and need a tenth of
 * what the others do.
 *
 * @module
 */

export { branches } from "./branches.ts";
export { describeEcosystem } from "./describe.ts";
export { diff } from "./diff.ts";
export { grep } from "./grep.ts";
export { listEcosystems } from "./list.ts";
export { log } from "./log.ts";
export { showManifest } from "./manifest_show.ts";
export { validateManifest } from "./manifest_validate.ts";
export { path } from "./path.ts";
export { status } from "./status.ts";
export { switchEcosystem } from "./switch.ts";
