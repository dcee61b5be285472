/**
 * Moments as a person writes them on a command line.
 *
 * @module
 */

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/**
 * Milliseconds since the epoch of `90m`, `24h`, `7d` (so long before `now`), of a date, or of a date with a
 * time, in UTC unless it names a zone; null for anything else.
 */
export function parseMoment(text: string, now: number): number | null {
  const ago = /^(\d{1,6})([smhdw])$/.exec(text);
  if (ago !== null) return now - Number(ago[1]) * UNITS[ago[2] as keyof typeof UNITS];
  const parts =
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(Z|[+-]\d{2}:\d{2})?)?$/
      .exec(text);
  if (parts === null) return null;
  const at = Date.parse(`${parts[1]}T${parts[2] ?? "00:00"}${parts[3] ?? "Z"}`);
  return Number.isNaN(at) ? null : at;
}
