/** Runs: the engine that carries work of seconds out in the background, and the commands about it. */

export { findRun } from "./find.ts";
export { reconcile, settleIfGone } from "./liveness.ts";
export { endPart, endRun, partMarks, RUN_VARIABLE, runMark, withMark } from "./mark.ts";
export { noteOrphaned } from "./noted.ts";
export { isFinal, statusPhrase } from "./states.ts";
export {
  durationSeconds,
  eventView,
  type RunSummary,
  runSummary,
  type RunView,
  runView,
} from "./view.ts";
export type { LeftPlace, Wing, Work } from "./wing.ts";
