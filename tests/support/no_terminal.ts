/**
 * A terminal for tests that run in this process: nobody sits at it, wherever the tests were started.
 *
 * @module
 */

import type { Terminal } from "../../src/base/system/mod.ts";

/** A terminal whose streams are pipes 100 columns wide, that shows nothing and has nothing to read. */
export function withoutTerminal(terminal: Terminal): Terminal {
  return {
    ...terminal,
    stdinIsTerminal: false,
    stdoutIsTerminal: false,
    stderrIsTerminal: false,
    columns: 100,
    size: () => ({ columns: 100, rows: 24 }),
    out: () => {},
    err: () => {},
    ask: () => Promise.resolve(null),
    input: () => new ReadableStream({ start: (controller) => controller.close() }),
  };
}
