/**
 * Runs: the engine that carries work of seconds out in the background, and the commands about it.
 *
 * @module
 */

export { cancelRun } from "./engine/cancel.ts";
export { findRun } from "./engine/find.ts";
export { reconcile, settleIfGone } from "./engine/liveness.ts";
export {
  endPart,
  endProgramsOf,
  endRun,
  partMarks,
  RUN_VARIABLE,
  runMark,
  withMark,
} from "./engine/mark.ts";
export { answerQuestion, askFollower, type Question, questionOf } from "./engine/question.ts";
export { noteOrphaned } from "./engine/noted.ts";
export { concerns, locksAt, together } from "./engine/locks.ts";
export { claim, type RunRequest, startRun, WORKER_COMMAND } from "./engine/start.ts";
export { isFinal, statusPhrase } from "./engine/states.ts";
export {
  durationSeconds,
  eventView,
  type RunSummary,
  type RunView,
  runView,
} from "./engine/view.ts";
export { eventLine } from "./event_line.ts";
export type { ListData as RunList } from "./list.ts";
export type { LogData } from "./logs.ts";
export { USUAL_VARIABLES } from "./usual_variables.ts";
