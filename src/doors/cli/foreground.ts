/**
 * Shows a run to the person who waits for it: live at a terminal, and its log as lines with `--verbose`. Without that
 * only warnings are told, before the answer, which tells the failures.
 */

import type { RunId } from "../../base/ids.ts";
import type { App } from "../../pipeline/app.ts";
import type { Outcome } from "../../pipeline/envelope.ts";
import { commandOf, finishedOutcome, followRun } from "../../pipeline/follow.ts";
import type { GlobalFlags } from "../../pipeline/line/flags.ts";
import type { Session } from "../../pipeline/session.ts";
import { wordingFor } from "../../pipeline/wording.ts";
import { eventView } from "../../runs/mod.ts";
import type { RunEvent } from "../../state/store/mod.ts";
import { eventLine, noteLines, noteOf } from "../../base/text/event_line.ts";
import { stripUnsafe } from "../../base/text/sanitize.ts";
import { writeError } from "./colors.ts";
import { errorWidth, layOutParts } from "./layout.ts";
import type { Area } from "./live/area.ts";
import { askYesNo } from "./prompt.ts";

/** Prints events of a run as lines; those of level debug only with `--verbose`. */
export function printEvent(
  app: App,
  flags: GlobalFlags,
  write: (text: string) => void,
): (event: RunEvent) => void {
  return (event) => {
    if (flags.json || (event.level === "debug" && !flags.verbose)) return;
    const line = eventLine(eventView(event), wordingFor("cli", app.system.clock.now()).clock);
    write(`${layOutParts([line], null)}\n`);
  };
}

/** Shows a run until it ends; an interrupt cancels it, also one that came while it was being started. */
export async function foreground(
  app: App,
  session: Session,
  { runId, working, action, flags, area, interrupted }: {
    readonly runId: RunId;
    readonly working: Outcome["working"];
    /** What the run is called. */
    readonly action: string;
    readonly flags: GlobalFlags;
    readonly area: Area | null;
    readonly interrupted: boolean;
  },
): Promise<Outcome> {
  const { terminal } = app.system;
  const print = flags.quiet
    ? () => {}
    : printEvent(app, flags, (text) => writeError(terminal, text));
  const notes: string[] = [];
  const onEvent = (event: RunEvent) => {
    if (flags.verbose) {
      // Of the last event only the status is printed; the answer that follows tells the rest.
      const message = event.type === "exit"
        ? event.message.replace(/^(Ended: \w+): .*/s, "$1")
        : event.message;
      print({ ...event, message });
      return;
    }
    area?.hear(event);
    const note = noteOf(event);
    if (note !== null && (event.level === "error" || !flags.quiet)) notes.push(note);
    // The stack of a defect, which whoever reports it needs.
    if (event.type === "internal" && !flags.json) terminal.err(`${stripUnsafe(event.message)}\n`);
  };
  area?.start(action);
  try {
    const run = await followRun(app, runId, {
      after: 0,
      onEvent,
      onInterrupt: "cancel",
      interrupted,
      working,
      onQuestion: (text, signal) => askYesNo(terminal, text, signal),
    });
    await working;
    return finishedOutcome(session, run, await commandOf(run), app.system.clock.now());
  } finally {
    area?.end();
    if (notes.length > 0 && !flags.json) {
      writeError(terminal, `${layOutParts(noteLines(notes), errorWidth(terminal))}\n`);
    }
  }
}
