/**
 * Releases of the control repository: versions are its tags (RELEASE-1).
 *
 * @module
 */

export { releaseBump } from "./bump.ts";
export { configSchema } from "./config_schema.ts";
export { releaseInit } from "./init.ts";
export { releaseLog, type ReleaseLogData } from "./log.ts";
export { RELEASE_OPERATIONS } from "./operations.ts";
export { releasePromote } from "./promote.ts";
export { releasePush } from "./push.ts";
export { releaseShow } from "./show.ts";
export { releaseStatus, type ReleaseStatusData } from "./status.ts";
export { releaseValidate } from "./validate.ts";
export { trainBump } from "./train/bump.ts";
export { TRAIN_OPERATIONS } from "./train/operations.ts";
export { trainPromote } from "./train/promote.ts";
export { trainStatus } from "./train/status.ts";
