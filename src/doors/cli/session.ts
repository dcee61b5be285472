/** The session of one command line. */

import { Session } from "../../pipeline/session.ts";
import type { Reporter } from "../../contract/mod.ts";
import { type System, timestamp } from "../../base/system/mod.ts";
import { stripUnsafe } from "../../base/text/sanitize.ts";
import type { GlobalFlags } from "../../pipeline/line/flags.ts";
import { defined } from "../../base/object.ts";
import { eventLine, noteOf } from "../../base/text/event_line.ts";
import type { Part } from "../../base/text/parts.ts";
import { wordingFor } from "../../pipeline/wording.ts";
import { paint, paintMark, strong, writeError } from "./colors.ts";
import { errorWidth, layOutParts } from "./layout.ts";
import type { Area } from "./live/area.ts";

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

/** How long a call goes on before `--verbose` tells how far it is. */
const PATIENCE_MS = 500;

/** What a person is told while a call goes on. */
interface CliReporter extends Reporter {
  /** Whether what programs print was shown to a person, so that the answer needs a line of distance from it. */
  isBehindOutput(): boolean;
  /** Whether whoever read that has left, such as `head`. */
  isUnread(): boolean;
}

/**
 * A line that names the repository whose output follows, and how it ended: `── api ✗ exit status 2`. Of a line
 * that only says how something ended, the sign is painted.
 */
function paintHeading(line: string): string {
  const parts = /^(── [^✗]+?)( ✗ .*)?$/u.exec(line);
  if (parts === null) return paintMark(line);
  return strong(parts[1] ?? "") + paint(parts[2] ?? "", "bad");
}

/** Progress and log lines of a call, for the person who watches; `area` shows how far it is, where there is one. */
export function stderrReporter(
  system: System,
  flags: GlobalFlags,
  area: Area | null = null,
): CliReporter {
  const { clock, terminal } = system;
  const begun = clock.now();
  let printed = false;
  let unread = false;
  const tell = (part: Part, width: number | null) =>
    writeError(terminal, `${layOutParts([part], width)}\n`);
  const shown = (text: string) => stripUnsafe(text).split("\n").map(paintHeading).join("\n");
  return {
    hearsLog: true,
    folds: terminal.stdoutIsTerminal,
    isUnread: () => unread,
    isBehindOutput: () => printed && terminal.stdoutIsTerminal,
    log(level, message, { type = "log", stream, payload } = {}) {
      const at = clock.now();
      if (type === "progress" || type === "step") {
        area?.hear({ at, level, type, message, payload });
      }
      if (flags.json) return;
      // The stack of a defect, which whoever reports it needs.
      if (type === "internal") terminal.err(`${stripUnsafe(message)}\n`);
      // What programs print is shown as it is.
      else if (flags.verbose && type !== "progress" && stream === undefined) {
        tell(
          eventLine({ timestamp: timestamp(at), level, message }, wordingFor("cli", at).clock),
          null,
        );
      } else if (level === "error" || !flags.quiet) {
        const note = noteOf({ level, type, ...defined({ stream }), message });
        if (note !== null) tell(`⚠ ${note}`, errorWidth(terminal));
      }
    },
    ...(flags.json ? {} : {
      print: (stream, text) => {
        printed = true;
        try {
          if (stream === "stdout") {
            terminal.out(terminal.stdoutIsTerminal ? shown(text) : stripUnsafe(text));
          } else terminal.err(stripUnsafe(text));
        } catch (error) {
          unread = true;
          throw error;
        }
      },
    }),
    progress(done, total, message, of) {
      const at = clock.now();
      area?.hear({
        at,
        level: "debug",
        type: "progress",
        message,
        payload: { ...of, done, total },
      });
      if (flags.verbose && !flags.json && at - begun >= PATIENCE_MS) {
        terminal.err(`${done}/${total} ${stripUnsafe(message)}\n`);
      }
    },
  };
}
