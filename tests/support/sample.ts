/**
 * Which of many places a test breaks. Each place costs a whole run of the program, so the usual test run takes a
 * sample, and `AMOF_EVERY_FAULT=1` takes all.
 *
 * @module
 */

/** Whether every place is wanted. */
export const EVERY_FAULT = Deno.env.get("AMOF_EVERY_FAULT") === "1";

/** Every so manieth place of a sample. */
const STRIDE = 3;
/** What happens last decides whether work is done or undone: these places are always tried. */
const LAST = 6;

/** The distance between two places: `usual` when every place is wanted, at least that of a sample otherwise. */
export function stride(usual = 1): number {
  return EVERY_FAULT ? usual : Math.max(usual, STRIDE);
}

/** The places 1 to `count` that are tried. */
export function sampled(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1)
    .filter((at) => EVERY_FAULT || at % STRIDE === 1 || at > count - LAST);
}
