/**
 * `amof run-worker ID`: the process that works on a run.
 *
 * @module
 */

import { WORKER_COMMAND } from "../../run/mod.ts";
import { program } from "../../command/line/program.ts";

/** `amof run-worker`. */
export const runWorkerProgram = program({
  path: [WORKER_COMMAND],
  hidden: true,
  summary: "Work on a run; started by the program itself.",
  positionals: ["run_id"],
  examples: [],
  input: (z) => z.strictObject({ run_id: z.uuid().describe("The run") }),
  async main(ctx, input) {
    const { runWorker } = await import("../../command/worker.ts");
    return await runWorker(ctx.app, input.run_id);
  },
});
