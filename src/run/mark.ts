/**
 * The mark by which the programs of a run are found again, whoever their parent is by then.
 *
 * @module
 */

/** The environment variable a program of a run gets; its value is the id of the run (amof.md §2.10). */
export const RUN_VARIABLE = "AMOF_RUN_ID";

/** The mark of a run, as NAME=VALUE. */
export function runMark(runId: string): string {
  return `${RUN_VARIABLE}=${runId}`;
}
