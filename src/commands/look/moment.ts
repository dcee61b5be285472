/** Moments, as callers give them. */

import { AmofError } from "../../base/error.ts";
import { parseMoment } from "../../base/text/moment.ts";
import { cleanLine } from "../../base/text/sanitize.ts";

/** A moment in milliseconds since the epoch, of the value of a flag; throws `invalid_arguments`. */
export function momentOf(flag: string, text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const at = parseMoment(text, now);
  if (at !== null) return at;
  throw new AmofError(
    "invalid_arguments",
    `Cannot use --${flag} "${cleanLine(text, 60)}": that is no moment`,
    {
      hint: "Write how long ago, such as 90m, 24h, 7d or 2w, or a date, such as 2026-03-02",
      details: { issues: [{ path: flag, problem: "is no moment" }] },
    },
  );
}
