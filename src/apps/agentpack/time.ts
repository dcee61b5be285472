/** Times as the files of agentpack hold them: nanoseconds in ids, RFC 3339 in records. */

import type { Clock } from "../../base/system/mod.ts";

/** Nanoseconds since the epoch; the clock counts milliseconds, the rest is zero. */
export function nowNanos(clock: Clock): bigint {
  return BigInt(clock.now()) * 1_000_000n;
}

/** UTC with nine digits of the second: `2026-02-03T08:15:30.123456789Z`. */
export function formatNanos(nanos: bigint): string {
  const ms = Number(nanos / 1_000_000n);
  const fraction = (nanos % 1_000_000_000n).toString().padStart(9, "0");
  return `${new Date(ms).toISOString().slice(0, 19)}.${fraction}Z`;
}

/** UTC to the second: `2026-02-03T08:15:30Z`. */
export function formatSeconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
