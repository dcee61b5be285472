/** What runs are started, asked, cancelled and locked with; for whoever only reads them there is mod.ts. */

export {
  besideOthers,
  cancelRun,
  claim,
  type RunRequest,
  startRun,
  USUAL_VARIABLES,
  WORKER_COMMAND,
} from "./start.ts";
export { answerQuestion, askFollower, type Question, questionOf } from "./question.ts";
export { concerns, locksAt, together } from "./locks.ts";
