/** The box: programs that see little of the machine and write only where they may (BOX-1). */

export { findMaker, isBoxTrial, type Maker, withBox } from "./box.ts";
export {
  type BoxPlan,
  type BoxWish,
  findSharedFiles,
  isSharedFilesLook,
  type Network,
  NETWORKS,
  planBox,
} from "./plan.ts";
