/**
 * Releases of the control repository: versions are its tags (RELEASE-1).
 *
 * @module
 */

export { configSchema } from "./config_schema.ts";
export { RELEASE_OPERATIONS } from "./operations.ts";
export { TRAIN_OPERATIONS } from "./train/operations.ts";

export type { ReleaseLogData } from "./log.ts";
export type { ReleaseStatusData } from "./status.ts";
