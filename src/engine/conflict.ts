/** The error of an engine that has something else under the name of an array (ENGINE-7). */

import { AmofError } from "../base/error.ts";

/** Makes it; `look` is the command by which a person sees what is there. */
export function otherPlan(run: string, where: string, look?: string): AmofError {
  return new AmofError(
    "engine_conflict",
    `Cannot start the array of run ${run.slice(0, 8)}: ${where} has something else under its name`,
    {
      ...(look === undefined ? {} : { hint: `Look at it: ${look}` }),
      details: { run_id: run },
    },
  );
}
