/**
 * Figures as they are shown: a file of JSON, a table for the README, and a plot.
 *
 * @module
 */

import type { Row } from "./measure.ts";

/** A figure as the file has it; null where there is no floor. */
export interface SpeedRow extends Omit<Row, "floor"> {
  readonly floor: number | null;
}

/** Figures with where and when they were measured. */
export interface Speed {
  /** Such as `2 × Some CPU, Linux 6.1`. */
  readonly machine: string;
  /** Such as `2026-03-16`. */
  readonly date: string;
  readonly version: string;
  readonly rows: readonly SpeedRow[];
}

const BEGIN = "<!-- speed: made by deno task bench -->";
const END = "<!-- end of speed -->";

function round(value: number): number {
  return Number(value.toPrecision(4));
}

/** Rows with those that say more about each: `· gita ll` stands below several, and is another figure below each. */
function parted(rows: readonly SpeedRow[]): ReadonlyMap<string, readonly SpeedRow[]> {
  const parts = new Map<string, SpeedRow[]>();
  let part: SpeedRow[] = [];
  for (const row of rows) {
    if (!row.what.startsWith("·")) parts.set(row.what, part = []);
    part.push(row);
  }
  return parts;
}

/** Figures with those of an earlier run that are not measured again, if it was on the same machine with the same version. */
export function merged(earlier: Speed | null, now: Speed): Speed {
  if (earlier?.machine !== now.machine || earlier.version !== now.version) return now;
  const all = new Map([...parted(earlier.rows), ...parted(now.rows)]);
  return { ...now, rows: [...all.values()].flat() };
}

/** Figures as they are kept: four digits of each. */
export function speedOf(rows: readonly Row[], of: Omit<Speed, "rows">): Speed {
  return {
    ...of,
    rows: rows.map((row) => ({
      ...row,
      floor: Number.isNaN(row.floor) ? null : round(row.floor),
      figure: round(row.figure),
    })),
  };
}

function number(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(2);
}

/** How many times its floor a figure is; null where there is none, or the budget is a figure of its own. */
function timesOf({ floor, figure, budget }: SpeedRow): number | null {
  const isAbsolute = budget !== "" && !budget.includes("×");
  return floor === null || floor === 0 || isAbsolute ? null : figure / floor;
}

function ratio(row: SpeedRow): string {
  const times = timesOf(row);
  return times === null ? "" : `${times.toFixed(2)} ×`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

/** The part of the README, without the marks around it. */
export function speedTable({ machine, date, version, rows }: Speed): string {
  const lines = rows.map((row) =>
    `| ${cell(row.what)} | ${row.floor === null ? "" : number(row.floor)} | ${
      number(row.figure)
    } ${row.unit} | ${ratio(row)} | ${cell(row.budget)} |`
  );
  return [
    "<!-- deno-fmt-ignore-start -->",
    "",
    `Measured with amof ${version} on ${machine}, ${date}. The floor is what the same cannot be done without:`,
    "the start of an empty program, and the same calls of git by `xargs`.",
    "",
    "![Each figure as a multiple of its floor](.github/pictures/speed.svg)",
    "",
    "| what | floor | figure | ratio | budget |",
    "| ---- | ----: | -----: | ----: | ------ |",
    ...lines,
    "",
    "<!-- deno-fmt-ignore-end -->",
  ].join("\n");
}

/** The README with the figures between its marks; with nothing between them where there are none. */
export function withSpeed(readme: string, speed: Speed | null): string {
  const [before, rest] = readme.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error("The README has no such marks");
  const part = speed === null ? "" : `${speedTable(speed)}\n\n`;
  return `${before}${BEGIN}\n\n${part}${END}${after}`;
}

const LINE = 22;
const LEFT = 540;
const WIDTH = 1000;
/** What is more than so many times its floor is drawn as so many. */
const MOST = 4;

const STYLE =
  `text{font:13px system-ui,sans-serif;fill:#24292f}.bar{fill:#0969da}.over{fill:#bc4c00}` +
  `.one{stroke:#57606a;stroke-dasharray:3 3}` +
  `@media(prefers-color-scheme:dark){text{fill:#e6edf3}.bar{fill:#58a6ff}.over{fill:#f0883e}.one{stroke:#8b949e}}`;

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** What a budget allows as a multiple of the floor; null where it says something else. */
function allowed(budget: string): number | null {
  const times = /^≤ ([\d.]+) ×/.exec(budget)?.[1];
  return times === undefined ? null : Number(times);
}

/** Every figure that is a multiple of a floor as a bar, and where that is more than its budget. */
export function speedPlot({ machine, date, rows }: Speed): string {
  const shown = rows.flatMap((row) => {
    const times = timesOf(row);
    return times === null ? [] : [{ ...row, times }];
  });
  const scale = (WIDTH - LEFT - 70) / MOST;
  const height = LINE * (shown.length + 2) + 8;
  const bars = shown.flatMap((row, at) => {
    const y = LINE * (at + 1);
    const length = (Math.min(row.times, MOST) * scale).toFixed(1);
    const over = row.times > (allowed(row.budget) ?? Infinity);
    return [
      `<text x="${LEFT - 8}" y="${y + 15}" text-anchor="end">${escaped(row.what)}</text>`,
      `<rect class="${over ? "over" : "bar"}" x="${LEFT}" y="${
        y + 4
      }" width="${length}" height="14"/>`,
      `<text x="${LEFT + Number(length) + 6}" y="${y + 15}">${row.times.toFixed(2)} ×</text>`,
    ];
  });
  const one = (LEFT + scale).toFixed(1);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img">`,
    `<title>Each figure as a multiple of its floor, ${escaped(machine)}, ${escaped(date)}</title>`,
    `<style>${STYLE}</style>`,
    `<text x="${one}" y="15" text-anchor="middle">floor</text>`,
    `<line class="one" x1="${one}" y1="20" x2="${one}" y2="${LINE * (shown.length + 1) + 4}"/>`,
    ...bars,
    `<text x="8" y="${height - 8}">${escaped(machine)}, ${escaped(date)}</text>`,
    `<rect class="over" x="${LEFT}" y="${height - 19}" width="14" height="14"/>`,
    `<text x="${LEFT + 20}" y="${height - 8}">more than its budget</text>`,
    "</svg>\n",
  ].join("\n");
}
