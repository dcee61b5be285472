/** The mark by which the programs of a run are found again, whoever their parent is by then (RUN-9). */

import type { RunId } from "../base/ids.ts";
import type { RunRecord } from "../state/store/mod.ts";
import type { System } from "../base/system/mod.ts";

/** The environment variable a provisioner gets; its value is the id of the run (SPIN-5). */
export const RUN_VARIABLE = "AMOF_RUN_ID";

/** The mark of a run, as NAME=VALUE. */
export function runMark(runId: RunId): string {
  return `${RUN_VARIABLE}=${runId}`;
}

/** The environment variable that tells apart what a run does at several places; its value is the run and the place. */
const PART_VARIABLE = "AMOF_RUN_PART";

/** The marks of a program of the user that a run starts at one place, as an environment. */
export function partMarks(runId: RunId, part: string): Readonly<Record<string, string | null>> {
  return {
    [RUN_VARIABLE]: runId,
    [PART_VARIABLE]: `${runId}/${part}`,
    // Only programs that amof starts for itself have this mark: they get more time to end.
    [CHILD_VARIABLE]: null,
  };
}

/** Ends every program that a run has started at one place, and waits until they are gone. */
export function endPart({ processes }: System, runId: RunId, part: string): Promise<void> {
  return processes.endMarked(`${PART_VARIABLE}=${runId}/${part}`);
}

/** Ends every program of the user that a run has started, and waits until they are gone. */
export function endRun({ processes }: System, runId: RunId): Promise<void> {
  return processes.endMarked(runMark(runId));
}

/** The environment variable of everything that a run starts by itself; its value is the id of the run. */
const CHILD_VARIABLE = "AMOF_CHILD_OF";
/** How long programs of the user may take to stop by themselves that a run left which is over. */
const USERS_GRACE_MS = 1_000;
/** How long the programs of a run that is over may take to stop by themselves; git removes its locks then. */
const GRACE_MS = 3_000;

/**
 * A world whose programs are known as those of a run. Each gets a process group of its own, so that an interrupt or a
 * cancellation reaches only this program, which then ends them in order. Those that finish or take back what was begun
 * must not be ended.
 */
export function withMark(system: System, runId: RunId): System {
  const { processes } = system;
  return {
    ...system,
    processes: {
      ...processes,
      run: (request) =>
        processes.run({
          ownGroup: true,
          ...request,
          // An environment that was cleared for a program of the user stays as it was given.
          ...(request.clearEnv && request.ours !== true
            ? {}
            : { env: { [CHILD_VARIABLE]: runId, ...request.env } }),
        }),
    },
  };
}

/** Ends every program that a run which is over has left, and waits until they are gone. */
export async function endProgramsOf(
  run: Pick<RunRecord, "runId" | "worker" | "inline">,
  system: System,
): Promise<void> {
  const { processes } = system;
  // Programs that may be writing to repositories are ended first, and get time to finish.
  await processes.endMarked(`${CHILD_VARIABLE}=${run.runId}`, {
    graceMs: GRACE_MS,
    spareDaemons: true,
  });
  // The group of a caller that worked itself is the user's shell job.
  if (!run.inline && run.worker !== null) await processes.endOrphans(run.worker);
  await processes.endMarked(runMark(run.runId), { graceMs: USERS_GRACE_MS });
}
