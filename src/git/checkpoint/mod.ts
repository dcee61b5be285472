/** Checkpoints of how a repository stands, as a part of it. */

export { Checkpoints } from "./checkpoints.ts";
export {
  type Aside,
  type Checkpoint,
  differingRefs,
  differingWork,
  sameCheckout,
  sameCheckpoint,
  sameStashes,
} from "./names.ts";
export type { Bounds, Keeping } from "./take.ts";
