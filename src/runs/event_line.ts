/**
 * An event of a run as people read it.
 *
 * @module
 */

import type { Wording } from "../contract/mod.ts";
import { type Verbatim, verbatim } from "../base/text/parts.ts";
import { cleanLine } from "../base/text/sanitize.ts";
import { toned, toneOfWord } from "../base/text/tone.ts";

/** One event as a line: time, level, message. */
export function eventLine(event: Readonly<Record<string, unknown>>, say: Wording): Verbatim {
  const level = String(event["level"]).toUpperCase();
  return verbatim(
    `${say.clock(String(event["timestamp"]))} `,
    toned(toneOfWord(level) ?? "quiet", level.padEnd(5)),
    ` ${speakerOf(event)}${cleanLine(String(event["message"]), 500)}`,
  );
}

/** The repository in which a program printed a line, in front of it; nothing for anything else. */
function speakerOf({ stream, payload }: Readonly<Record<string, unknown>>): string {
  const { repo } = (payload ?? {}) as { readonly repo?: unknown };
  return stream === undefined || typeof repo !== "string" ? "" : `${repo} │ `;
}
