/** How each door says what depends on who reads it, and what undoing could bring back (UNDO-7). */

import type { Door, Mode } from "../base/policy/mode.ts";
import type { Wording } from "../contract/mod.ts";
import { localClock, spokenTime } from "../base/text/moment.ts";
import { isObject } from "../base/object.ts";

/**
 * What undo could bring back as a sentence for readers. Null where it is not known, and where what is
 * irreversible has been said and nothing is to be added.
 */
export function undoLine(
  { undo, irreversible }: { readonly undo?: unknown; readonly irreversible?: unknown },
): string | null {
  if (!isObject(undo)) return null;
  const { brings_back: back, cannot } = undo;
  const stays = typeof cannot === "string" ? cannot : null;
  if (typeof back === "string") {
    return closed(`Undo will bring back ${back}${stays === null ? "" : `; not ${stays}`}`);
  }
  if (irreversible !== undefined && !stays?.includes(";")) return null;
  return closed(`Undo cannot take back ${stays ?? "this"}`);
}

/** A sentence with its full stop, but behind a command line, with which it would be copied. */
function closed(sentence: string): string {
  return /: amof [^;,]*$/.test(sentence) ? sentence : `${sentence}.`;
}

/** A program is told moments as they are, in UTC. */
const FOR_PROGRAMS: Wording = {
  time: (at) => at === null ? "-" : `${at.slice(0, 19)}Z`,
  clock: (at) => at.slice(11, 23),
  watched: false,
};

/** A person is told them from now, or in the time of the place; what is no moment stays as it is. */
function forPeople(now: number): Wording {
  const moment = (at: string, say: (ms: number) => string) => {
    const ms = Date.parse(at);
    return Number.isNaN(ms) ? at : say(ms);
  };
  return {
    time: (at) => at === null ? "-" : moment(at, (ms) => spokenTime(ms, now)),
    clock: (at) => moment(at, localClock),
    watched: true,
  };
}

/** The command line that starts a server whose callers may go as far as a mode. */
export function startWith(door: Exclude<Door, "cli">, mode: Mode): string {
  return door === "mcp"
    ? `amof mcp serve --max-mode ${mode}`
    : `AMOF_MAX_MODE=${mode} amof server start`;
}

/** The wording of a door; `now` in milliseconds since the epoch. */
export function wordingFor(door: Door, now: number): Wording {
  return door === "cli" ? forPeople(now) : FOR_PROGRAMS;
}
