/**
 * `amof server-worker`: the process that `amof server start` leaves running.
 *
 * @module
 */

import { program } from "../../command/line/program.ts";
import { addressInput, SERVER_COMMAND } from "../../server/mod.ts";
import { findRoot } from "../../workspace/mod.ts";

/** `amof server-worker`. */
export const serverWorkerProgram = program({
  path: [SERVER_COMMAND],
  hidden: true,
  lenient: true,
  summary: "Be the server of a control repository; started by the program itself.",
  examples: [],
  input: (z) => z.strictObject(addressInput(z)),
  async main({ app }, { host = "127.0.0.1", port = 8000 }) {
    const root = await findRoot(app.system, app.root, app.settings.root);
    const { runServer } = await import("../../http/serve.ts");
    return await runServer(app, {
      root,
      host,
      port,
      routes: [],
      close: () => Promise.resolve(),
    });
  },
});
