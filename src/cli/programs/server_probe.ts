/**
 * `amof server-probe`: looks at an address for a process of this program that has given up the network.
 *
 * @module
 */

import { program } from "../../command/line/program.ts";
import { EXIT } from "../../error.ts";
import { addressInput, lookAt, PROBE_COMMAND } from "../../server/mod.ts";

/** `amof server-probe`. */
export const serverProbeProgram = program({
  path: [PROBE_COMMAND],
  hidden: true,
  lenient: true,
  summary: "Look at an address of this machine; started by the program itself.",
  examples: [],
  input: (z) => z.strictObject(addressInput(z)),
  async main({ app: { system } }, { host = "127.0.0.1", port = 8000 }) {
    system.terminal.out(`${JSON.stringify(await lookAt(system, { host, port }))}\n`);
    return EXIT.ok;
  },
});
