/** Runs: the engine that carries work of seconds out in the background, and the commands about it. */

export { noteOrphaned, reconcile, settleIfGone } from "./liveness.ts";
export { endPart, endRun, partMarks, RUN_VARIABLE, runMark, withMark } from "./mark.ts";
export {
  durationSeconds,
  eventView,
  isFinal,
  type RunSummary,
  runSummary,
  type RunView,
  runView,
  statusPhrase,
  typedRunId,
} from "./view.ts";
export type { Around, LeftPlace, Wing, Work } from "./wing.ts";
