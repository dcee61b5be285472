/**
 * Archives: putting a workspace away and bringing it back.
 *
 * @module
 */

export { archive } from "./archive.ts";
export { listArchives } from "./list.ts";
export { ARCHIVE_OPERATIONS } from "./operations.ts";
export { readArchives } from "./record.ts";
export { restoreArchive } from "./restore.ts";
