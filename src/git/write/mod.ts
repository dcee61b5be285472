/** Changes that few commands make, as parts of a repository. */

export { Clones } from "./clones.ts";
export { Joining } from "./joining.ts";
export { Mirrors } from "./mirrors.ts";
export { Releases } from "./releases.ts";
export { APART_FILES, type Conflict, Merging, type Pair, Reverting } from "./merging.ts";
export { type Authorship, Bundles, commitText, type PathChange } from "./bundles.ts";
