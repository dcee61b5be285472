/**
 * Runs: work of seconds or more, done by a worker process that outlives whoever asked for it.
 *
 * @module
 */

export { cancelRun } from "./cancel.ts";
export { findRun, SHORTEST_PREFIX } from "./find.ts";
export { endProgramsOf, RUN_VARIABLE, runMark, withMark } from "./mark.ts";
export { reconcile, settleIfGone } from "./liveness.ts";
export { busy, claim, lockKey, type RunRequest, startRun, WORKER_COMMAND } from "./start.ts";
export { answerQuestion, askFollower, type Question, questionOf } from "./question.ts";
export { isFinal, statusPhrase } from "./states.ts";
export {
  durationSeconds,
  eventView,
  type RunSummary,
  runSummary,
  type RunView,
  runView,
} from "./view.ts";
