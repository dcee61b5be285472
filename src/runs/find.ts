/** Finds the run a person means by an id or the beginning of one. */

import { AmofError } from "../base/error.ts";
import type { RunRecord } from "../state/store/mod.ts";

/** The shortest beginning of an id that is accepted. */
export const SHORTEST_PREFIX = 4;

/**
 * The run with this id, or the only one whose id begins so.
 *
 * Throws `invalid_arguments` for text that cannot be an id, `run_not_found` when no run or more than one matches.
 */
export function findRun(runs: { byPrefix(prefix: string): RunRecord[] }, id: string): RunRecord {
  const prefix = id.toLowerCase();
  if (!/^[0-9a-f-]{4,36}$/.test(prefix)) {
    throw new AmofError(
      "invalid_arguments",
      `Cannot look up run "${
        id.slice(0, 60)
      }": an id is a UUID or at least its first ${SHORTEST_PREFIX} characters`,
      {
        hint: "List the runs: amof runs list",
        details: { run_id: id.slice(0, 60) },
      },
    );
  }
  const [run, second] = runs.byPrefix(prefix);
  if (run === undefined || second !== undefined) {
    throw new AmofError(
      "run_not_found",
      run === undefined
        ? `Cannot find run "${id}"`
        : `Cannot tell which run "${id}" means: several begin so`,
      { hint: "List the runs: amof runs list", details: { run_id: id } },
    );
  }
  return run;
}
