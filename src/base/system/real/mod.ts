/** The world this process runs in. Nothing else in the program names the `Deno` global. */

import type { Http, System } from "../mod.ts";
import { realClock } from "./at_start.ts";
import { environment } from "./environment.ts";
import { realFiles } from "./files.ts";
import { realHttp, realLoopback } from "./http.ts";
import { realProcesses } from "./processes.ts";
import { realTerminal, type Streams } from "./terminal.ts";

/**
 * The real world; `http` is how much of the network it has, all of it when absent. `streams` are standard input and
 * output where something of them was used already.
 */
export function realSystem(http: Http = realHttp, streams?: Streams): System {
  return {
    files: realFiles,
    processes: realProcesses,
    clock: realClock,
    ids: {
      uuid: () => crypto.randomUUID(),
      hex: (digits) =>
        Array.from(crypto.getRandomValues(new Uint8Array(Math.ceil(digits / 2))))
          .map((byte) => byte.toString(16).padStart(2, "0")).join("").slice(0, digits),
    },
    env: environment(),
    terminal: realTerminal(streams),
    http,
    loopback: realLoopback,
  };
}
