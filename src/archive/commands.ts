/**
 * The commands of this room, for the registry alone: they are loaded together, when one of them is called.
 *
 * @module
 */

export { archive } from "./archive.ts";
export { listArchives } from "./list.ts";
export { restoreArchive } from "./restore.ts";
