/** Taking away workspaces and clones: what is only there, what stands in the way, and the removal itself. */

export {
  attempt,
  type GivenUp,
  NOTHING_DELETED,
  splitRefs,
  type Verifiable,
  verifyRemotes,
} from "./leaving.ts";
export {
  adoptedLines,
  adoptedParts,
  environmentLines,
  environmentStands,
  ignoredWarning,
  isMinor,
  type Loss,
  lossesOf,
  lossLines,
  lossParts,
  refuseInside,
  removablePlace,
  undeletable,
} from "./losses.ts";
export {
  deleteAside,
  removalSteps,
  ticketRemains,
  ticketRemovalSteps,
  undeleted,
} from "./removal.ts";
export { CONTROL, digestOf, type RepoStock, stockOf } from "./repo_stock.ts";
export { digestsOf, obstaclesIn, refuseObstacles, type Stock, takeStock } from "./stock.ts";
export { temporaries } from "./temporaries.ts";
export { pushed, refusalsOf } from "./way_out.ts";
