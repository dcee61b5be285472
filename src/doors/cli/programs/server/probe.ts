/** `amof server-probe`: looks at an address for a process of this program that has given up the network. */

import { program } from "../../../../pipeline/line/program.ts";
import { EXIT } from "../../../../base/error.ts";
import { addressInput, PROBE_COMMAND, probeAddress } from "../../../../commands/server/record.ts";

/** `amof server-probe`. */
export const serverProbeProgram = program({
  path: [PROBE_COMMAND],
  hidden: true,
  lenient: true,
  summary: "Look at an address of this machine; started by the program itself.",
  examples: [],
  input: addressInput,
  async main({ app: { system } }, { host = "127.0.0.1", port = 8000 }) {
    system.terminal.out(`${JSON.stringify(await probeAddress(system, { host, port }))}\n`);
    return EXIT.ok;
  },
});
