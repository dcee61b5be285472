/** `amof run-worker ID`: the process that works on a run. */

import { WORKER_COMMAND } from "../../../runs/changing.ts";
import { program } from "../../../pipeline/line/program.ts";

/** `amof run-worker`. */
export const runWorkerProgram = program({
  path: [WORKER_COMMAND],
  hidden: true,
  lenient: true,
  summary: "Work on a run; started by the program itself.",
  positionals: ["run_id"],
  examples: [],
  input: (z) => ({
    run_id: z.uuid().describe("The run"),
    timeout: z.int().min(1).optional().describe("How long one transfer may take, in seconds"),
    asker: z.int().min(1).optional().describe("The process whose person may be asked"),
  }),
  main: (ctx, { run_id: run, timeout = null, asker = null }) =>
    import("../../../pipeline/worker.ts").then(({ runWorker }) =>
      runWorker({ ...ctx.app, timeout, asker }, run)
    ),
});
