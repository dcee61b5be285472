/** Taking away workspaces and clones: what is only there, what stands in the way, and the removal itself. */

export { CONTROL, digestOf, type RepoStock, stockOf } from "./repo_stock.ts";
export { digestsOf, obstaclesIn, refuseObstacles, type Stock, takeStock } from "./stock.ts";
export { temporaries } from "./temporaries.ts";
