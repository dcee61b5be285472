/**
 * The commands of this room, for the registry alone: they are loaded together, when one of them is called.
 *
 * @module
 */

export { releaseBump } from "./bump.ts";
export { releaseInit } from "./init.ts";
export { releaseLog } from "./log.ts";
export { releasePromote } from "./promote.ts";
export { releasePush } from "./push.ts";
export { releaseShow } from "./show.ts";
export { releaseStatus } from "./status.ts";
export { trainBump } from "./train/bump.ts";
export { trainPromote } from "./train/promote.ts";
export { trainStatus } from "./train/status.ts";
export { releaseValidate } from "./validate.ts";
