/**
 * Has git write down what it and hosts say to each other over HTTP, which it does not print: how often it asked, and for
 * how long a host asks to be left alone.
 */

import type { System } from "../../base/system/mod.ts";

/** The same world, in which every git writes into a file what it and hosts say: headers alone, no credentials. */
export function overheard(system: System, file: string): System {
  const { processes } = system;
  return {
    ...system,
    processes: {
      ...processes,
      run: (request) =>
        processes.run({
          ...request,
          env: {
            ...request.env,
            GIT_TRACE_CURL: file,
            GIT_TRACE_CURL_NO_DATA: "1",
            GIT_TRACE_REDACT: "1",
          },
        }),
    },
  };
}
