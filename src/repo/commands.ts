/**
 * The commands of this room, for the registry alone: they are loaded together, when one of them is called.
 *
 * @module
 */

export { addRepo } from "./add.ts";
export { removeRepo } from "./remove.ts";
export { renameRepo } from "./rename.ts";
export { trustRepo } from "./trust.ts";
