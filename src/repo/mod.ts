/**
 * The commands that change which repositories an ecosystem has.
 *
 * @module
 */

export { addRepo } from "./add.ts";
export { removeRepo } from "./remove.ts";
export { renameRepo } from "./rename.ts";
