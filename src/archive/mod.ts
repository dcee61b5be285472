/**
 * Archives: putting a workspace away and bringing it back.
 *
 * @module
 */

export { ARCHIVE_OPERATIONS } from "./operations.ts";
export { readArchives } from "./record.ts";
