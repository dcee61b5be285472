/** What runs are started, asked, cancelled and locked with; for whoever only reads them there is mod.ts. */

export {
  besideOthers,
  cancelRun,
  claim,
  concerns,
  locksAt,
  type RunRequest,
  startRun,
  together,
  USUAL_VARIABLES,
  WORKER_COMMAND,
} from "./start.ts";
export { answerQuestion, askFollower, type Question, questionOf } from "./question.ts";
