/**
 * How much of what could be tried is tried. Each fault costs whole runs of the program, so the usual test run takes a
 * sample; `AMOF_TEST_THOROUGHLY=1` takes all.
 *
 * @module
 */

/** Whether everything is wanted. */
export const THOROUGHLY = Deno.env.get("AMOF_TEST_THOROUGHLY") === "1";

/** What happens last decides whether work is done or undone: these places are always tried. */
const LAST = 4;

/** The distance between two places: `usual` when all are wanted, `sample` when that is more. */
export function stride(usual = 1, sample = 9): number {
  return THOROUGHLY ? usual : Math.max(usual, sample);
}

/** The places 1 to `count` that are tried. */
export function sampled(count: number): number[] {
  const step = stride();
  return Array.from({ length: count }, (_, index) => index + 1)
    .filter((at) => at % step === 1 % step || at > count - LAST);
}

/** How many cases a property is tried with that starts programs for each: all that are wanted, or as many as a sample takes. */
export function cases(all: number, sample: number): number {
  return THOROUGHLY ? all : sample;
}

/** A third of the items, another one for each offset, so that three offsets cover all; every item when all are wanted. */
export function third<T>(items: readonly T[], offset: number): readonly T[] {
  return THOROUGHLY ? items : items.filter((_, at) => (at + offset) % 3 === 0);
}
