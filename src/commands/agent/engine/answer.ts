/** What is answered about an agent that worked on an engine (BOX-10). */

import type { Result } from "../../../contract/mod.ts";
import { NO_BOX } from "../../../engine/mod.ts";
import { AmofError, type ErrorCode, type ProgramExit } from "../../../base/error.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { count, few } from "../../../base/text/words.ts";
import type { AgentData, AgentPlace } from "../answer.ts";
import type { AgentArrival } from "./arrive.ts";
import type { EngineAgentEnd } from "./run.ts";

/** States in which nothing is left to do. */
const GOOD: readonly AgentArrival["state"][] = ["taken", "unchanged"];

/** Puts together how it ended. */
export function concludeEngineAgent(
  place: AgentPlace,
  { row, seconds, arrivals, isPending }: EngineAgentEnd,
  run: string,
): Result<AgentData> {
  const { ticket_id, directory, command, box, unboxed, engine } = place;
  const data: AgentData = {
    ticket_id,
    directory,
    command,
    box,
    unboxed,
    engine,
    outcome: row.outcome,
    exit_code: row.exit_code,
    seconds,
    repos: [],
    arrivals,
  };
  const left = arrivals.filter(({ state }) => !GOOD.includes(state));
  const short = run.slice(0, 8);
  const hint = isPending
    ? `Bring home what is left: amof agent run --resume ${short}`
    : "See what it left: amof runs summary";
  const details = { exit_code: row.exit_code, seconds, arrivals };
  const program = `"${cleanLine(place.command[0] ?? "", 60)}"`;
  if (row.outcome !== "ok") {
    const { code, message, exit } = failureOf(place, program, row);
    return { data, failure: new AmofError(code, message, { hint, details, ...exit }) };
  }
  if (left.length === 0) return { data };
  return {
    data,
    failure: new AmofError(
      "partial_failure",
      `${program} ended well, and ${count(left.length, "repository", "repositories")} of ${
        cleanLine(place.ticket_id, 60)
      } ${left.length === 1 ? "has" : "have"} not what it made: ${
        few(left.map(({ repo, state }) => `${repo} (${state.replaceAll("_", " ")})`), 3)
      }`,
      { hint, details },
    ),
  };
}

function failureOf(
  { engine }: AgentPlace,
  program: string,
  { outcome, exit_code: exitCode, last_line: last }: EngineAgentEnd["row"],
): {
  readonly code: ErrorCode;
  readonly message: string;
  readonly exit?: { readonly exit: ProgramExit };
} {
  const why = last === null ? "" : `: ${cleanLine(last, 300)}`;
  const where = `on engine "${cleanLine(engine ?? "", 60)}"`;
  switch (outcome) {
    case "failed":
      return exitCode === null || exitCode === 0
        ? { code: "subprocess_failed", message: `${program} failed ${where}${why}` }
        : {
          code: "subprocess_failed",
          message: `${program} ended ${where} with exit status ${exitCode}`,
          exit: { exit: exitCode as ProgramExit },
        };
    case "timed_out":
      return { code: "timeout", message: `${program} was ended ${where}: its time was over` };
    case "cancelled":
      return { code: "cancelled", message: `${program} was stopped ${where}` };
    case "refused":
      return last?.startsWith(NO_BOX) === true
        ? { code: "box_unavailable", message: `Cannot run it in a box ${where}${why}` }
        : { code: "plan_refused", message: `${program} was not run ${where}${why}` };
    default:
      return {
        code: "subprocess_failed",
        message: `${program} was not run to its end ${where} (${
          outcome.replaceAll("_", " ")
        })${why}`,
      };
  }
}
