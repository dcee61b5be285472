/** Runs: the engine that carries work of seconds out in the background, and the commands about it. */

export { cancelRun } from "./cancel.ts";
export { findRun } from "./find.ts";
export { reconcile, settleIfGone } from "./liveness.ts";
export { endPart, endRun, partMarks, RUN_VARIABLE, runMark, withMark } from "./mark.ts";
export { answerQuestion, askFollower, type Question, questionOf } from "./question.ts";
export { noteOrphaned } from "./noted.ts";
export { concerns, locksAt, together } from "./locks.ts";
export { claim, type RunRequest, startRun, WORKER_COMMAND } from "./start.ts";
export { isFinal, statusPhrase } from "./states.ts";
export {
  durationSeconds,
  eventView,
  type RunSummary,
  runSummary,
  type RunView,
  runView,
} from "./view.ts";
export { USUAL_VARIABLES } from "./usual_variables.ts";
export type { LeftPlace, Wing, Work } from "./wing.ts";
