/** Moments as a person writes them on a command line. */

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/**
 * Milliseconds since the epoch of `90m`, `24h` or `7d` (so long before `now`), of a date, or of a date with a
 * time. It is UTC unless a time names a zone; null for anything else.
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

/**
 * Seconds of `90`, `90s`, `10m` or `1h30m`, from 1 second to a week; null for anything else.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseDuration } from "./moment.ts";
 *
 * assertEquals(["45", "10m", "1h30m", "0s", "soon"].map(parseDuration), [45, 600, 5400, null, null]);
 * ```
 */
export function parseDuration(text: string): number | null {
  const parts = /^(?:(\d{1,6})|(?:(\d{1,4})h)?(?:(\d{1,5})m)?(?:(\d{1,6})s)?)$/.exec(text);
  if (parts === null) return null;
  const [, plain, hours, minutes, seconds] = parts.map((part) => Number(part ?? 0));
  const all = (plain ?? 0) + (hours ?? 0) * 3_600 + (minutes ?? 0) * 60 + (seconds ?? 0);
  return all >= 1 && all <= 604_800 ? all : null;
}

function two(n: number): string {
  return String(n).padStart(2, "0");
}

/** A moment in the time zone of this machine: "2026-03-02 14:30". */
export function localTime(at: number): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${
    two(date.getHours())
  }:${two(date.getMinutes())}`;
}

/** The time of day in the time zone of this machine, with milliseconds: "14:30:05.250". */
export function localClock(at: number): string {
  const date = new Date(at);
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${
    String(date.getMilliseconds()).padStart(3, "0")
  }`;
}

/** A moment as a person says it now: "just now", "2 min ago", "in 5 min", "3 h ago", else date and local time. */
export function spokenTime(at: number, now: number): string {
  const seconds = Math.round(Math.abs(now - at) / 1_000);
  const say = (n: number, unit: string) => at <= now ? `${n} ${unit} ago` : `in ${n} ${unit}`;
  if (seconds < 45) return at <= now ? "just now" : say(seconds, "s");
  if (seconds < 3_570) return say(Math.round(seconds / 60), "min");
  if (seconds < 86_400) return say(Math.round(seconds / 3_600), "h");
  return localTime(at);
}
