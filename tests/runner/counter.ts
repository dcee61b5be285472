/**
 * The line that counts while tests run: drawn in its place at a terminal, told now and then everywhere else.
 *
 * @module
 */

import type { Report } from "./report.ts";

/** Elsewhere than at a terminal the count is told that often. */
const TOLD_EVERY_MS = 60_000;

/** At a terminal the line is drawn anew that often at most: somebody may be recording what is shown. */
const DRAWN_EVERY_MS = 1000;

/** Where the line is shown. */
export interface Surroundings {
  /** Milliseconds since the run began. */
  readonly ms: () => number;
  /** How wide the terminal is, or null where a line cannot be drawn in its place. */
  readonly columns: () => number | null;
  readonly write: (text: string) => void;
}

/**
 * How many columns a line can be drawn in, or null: in a pipe, at a terminal that cannot move its cursor, and at one
 * that does not know its own width, as a log has it.
 */
export function drawable(
  { isTerminal, term, columns }: {
    readonly isTerminal: boolean;
    readonly term: string | undefined;
    readonly columns: number;
  },
): number | null {
  return isTerminal && columns > 0 && term !== undefined && !["", "dumb"].includes(term)
    ? columns
    : null;
}

/** Shows the count of a report and whatever else is said. */
export class Counter {
  readonly #report: Pick<Report, "count">;
  readonly #around: Surroundings;
  #shown = 0;
  #isOn = false;

  constructor(report: Pick<Report, "count">, around: Surroundings) {
    this.#report = report;
    this.#around = around;
  }

  /** Shows where the run is, where it is time for it. */
  tick(): void {
    const { ms, columns, write } = this.#around;
    const now = ms();
    const width = columns();
    if (now - this.#shown < (width === null ? TOLD_EVERY_MS : DRAWN_EVERY_MS)) return;
    this.#shown = now;
    if (width === null) return write(`${this.#report.count(now)}\n`);
    this.#isOn = true;
    write(`\r\x1b[K${this.#report.count(now, width - 1)}`);
  }

  /** Shows lines that stay. */
  say(lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#around.write(`${this.#isOn ? "\r\x1b[K" : ""}${lines.join("\n")}\n`);
    this.#isOn = false;
  }
}
