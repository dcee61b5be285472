/** Events of a run as people read them: as lines of its log, or as notes where the log is not shown. */

import { type Verbatim, verbatim } from "./parts.ts";
import { linesOfSaid } from "./alike.ts";
import { cleanLine } from "./sanitize.ts";
import { toned, toneOfWord } from "./tone.ts";

interface Event {
  readonly level: string;
  readonly type?: string;
  readonly message: string;
  readonly stream?: string | undefined;
}

/** One event as a line: time, as `clock` says it, level, message. */
export function eventLine(
  event: Readonly<Record<string, unknown>>,
  clock: (at: string) => string,
): Verbatim {
  const level = String(event["level"]).toUpperCase();
  return verbatim(
    `${clock(String(event["timestamp"]))} `,
    toned(toneOfWord(level) ?? "quiet", level.padEnd(5)),
    ` ${speakerOf(event)}${cleanLine(String(event["message"]), 500)}`,
  );
}

/**
 * What a person who does not read the log sees of an event. That is warnings, but not failures of repositories,
 * which the answer has, and not what a program printed. Null for everything else.
 */
export function noteOf({ level, type, stream, message }: Event): string | null {
  const warns = level === "warn" || level === "error";
  return warns && type === "log" && stream === undefined ? cleanLine(message, 500) : null;
}

/**
 * Notes as lines with the sign of a warning. Of many of which each is about a repository, `api: …`, those that say the
 * same share a line.
 */
export function noteLines(notes: readonly string[]): string[] {
  const parts = notes.map((note) => /^([\w.-]+): (.*)$/s.exec(note));
  const said = parts.flatMap((part) =>
    part === null ? [] : [{ name: part[1] ?? "", why: part[2] ?? "" }]
  );
  const others = notes.filter((_, index) => parts[index] === null);
  return [...linesOfSaid(said), ...new Set(others)].map((line) => `⚠ ${line}`);
}

/** The repository in which a program printed a line, in front of it; nothing for anything else. */
function speakerOf({ stream, payload }: Readonly<Record<string, unknown>>): string {
  const { repo } = (payload ?? {}) as { readonly repo?: unknown };
  return stream === undefined || typeof repo !== "string" ? "" : `${repo} │ `;
}
