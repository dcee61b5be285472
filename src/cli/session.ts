/**
 * The session of one command line.
 *
 * @module
 */

import { Session } from "../command/session.ts";
import type { Reporter } from "../contract/mod.ts";
import type { System } from "../system/mod.ts";
import { stripUnsafe } from "../text/sanitize.ts";
import type { GlobalFlags } from "../command/line/flags.ts";

/** A session that ends with the process; its tokens belong to the user. */
export function cliSession(system: System, flags: GlobalFlags): Session {
  return new Session({
    id: `sess_${system.ids.hex(12)}`,
    owner: `cli:${system.env.user}`,
    mode: flags.mode ?? "execute",
    maxMode: "execute",
    ecosystem: flags.ecosystem,
  });
}

/** Progress and log lines of a call, for the person who watches. */
export function stderrReporter(system: System, flags: GlobalFlags): Reporter {
  const { terminal } = system;
  const live = terminal.stderrIsTerminal && !flags.quiet && !flags.json;
  return {
    log(level, message) {
      if (flags.verbose || (level === "error" && !flags.json)) {
        terminal.err(`${stripUnsafe(message)}\n`);
      }
    },
    progress(done, total, message) {
      if (live) terminal.err(`\r\u001b[K${done === total ? "" : `${done}/${total} ${message}`}`);
    },
  };
}
