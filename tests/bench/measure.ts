/**
 * Figures of one run, each beside its floor, and the table they make.
 *
 * @module
 */

import { table } from "../../src/base/text/table.ts";

/** A figure with what it is measured against. */
export interface Row {
  readonly what: string;
  /** NaN where there is none. */
  readonly floor: number;
  readonly figure: number;
  readonly unit: string;
  /** As it is written in the design, such as `≤ 1.5 ×`; empty where there is none. */
  readonly budget: string;
}

const rows: Row[] = [];

/** Adds a figure; NaN as floor where there is none. */
export function add(
  what: string,
  { floor = NaN, figure, budget = "", unit = "ms" }: {
    readonly floor?: number;
    readonly figure: number;
    readonly budget?: string;
    readonly unit?: string;
  },
): void {
  rows.push({ what, floor, figure, unit, budget });
  // Some figures take minutes: who waits sees each when it is known.
  const least = Number.isNaN(floor) ? "" : ` (floor ${floor.toFixed(1)})`;
  Deno.stderr.writeSync(
    new TextEncoder().encode(`${what}: ${figure.toFixed(1)} ${unit}${least}\n`),
  );
}

/** All figures so far, in order. */
export function measured(): readonly Row[] {
  return rows;
}

/** The middle one of some values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

function isDisposable(value: unknown): value is AsyncDisposable {
  return typeof value === "object" && value !== null && Symbol.asyncDispose in value;
}

/**
 * Medians of several kinds of work in turns, in milliseconds, so that what else the machine does weighs on all alike.
 * What a work answers that can be disposed of is, after the clock has stopped.
 */
export async function inTurns(
  times: number,
  ...kinds: readonly (() => Promise<unknown>)[]
): Promise<readonly number[]> {
  const taken = kinds.map((): number[] => []);
  for (let turn = -2; turn < times; turn++) {
    for (const [index, work] of kinds.entries()) {
      const started = performance.now();
      const made = await work();
      if (turn >= 0) taken[index]?.push(performance.now() - started);
      if (isDisposable(made)) await made[Symbol.asyncDispose]();
    }
  }
  return taken.map(median);
}

/** All figures as a table. */
export function figures(): string {
  const number = (value: number) =>
    Number.isNaN(value) ? "" : value >= 1000 ? value.toFixed(0) : value.toFixed(1);
  return table(
    ["what", "floor", "figure", "unit", "ratio", "budget"],
    rows.map((row) => [
      row.what,
      number(row.floor),
      number(row.figure),
      row.unit,
      Number.isNaN(row.floor) ? "" : (row.figure / row.floor).toFixed(2),
      row.budget,
    ]),
  ).toString();
}
