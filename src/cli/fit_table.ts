/**
 * Fits a table to the width of a terminal: first the columns that are worth least go, then the widest cells are
 * shortened in their middle. What is meant to be pasted stays whole.
 *
 * @module
 */

import { GAP, type Grid, type GridCell } from "../text/table.ts";
import { textWidth } from "../text/width.ts";
import { NARROWEST, wrapLine } from "./wrap.ts";

/** A cell that can be shortened keeps so many columns, so that it can still be told from others. */
const SHORTEST = 12;

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

function takeWidth(parts: readonly string[], most: number): string {
  let taken = "";
  let used = 0;
  for (const part of parts) {
    used += textWidth(part);
    if (used > most) break;
    taken += part;
  }
  return taken;
}

/** A text of at most `width` columns: its beginning and its end, with `…` for what is left out between them. */
export function shorten(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  const parts = [...graphemes.segment(text)].map(({ segment }) => segment);
  const head = takeWidth(parts, Math.ceil((width - 1) / 2));
  const room = width - 1 - textWidth(head);
  const tail = [];
  let used = 0;
  for (const part of parts.toReversed()) {
    used += textWidth(part);
    if (used > room) break;
    tail.unshift(part);
  }
  return `${head}…${tail.join("")}`;
}

/** How wide a column would be, and how narrow it can become. */
interface Extent {
  readonly index: number;
  readonly worth: number;
  readonly natural: number;
  readonly least: number;
}

function extentsOf({ columns, rows }: Grid): Extent[] {
  return columns.map((column, index) => {
    const header = textWidth(column.name);
    const natural = Math.max(header, ...rows.map((row) => textWidth(row[index]?.text ?? "")));
    const isLast = index === columns.length - 1;
    const shortest = column.prose && isLast ? NARROWEST : SHORTEST;
    return {
      index,
      worth: index === 0 ? Infinity : column.worth,
      natural,
      least: column.whole || column.right ? natural : Math.min(natural, Math.max(header, shortest)),
    };
  });
}

function sum(widths: readonly number[]): number {
  return widths.reduce((total, width) => total + width, 0) + GAP * (widths.length - 1);
}

/** The columns that stay: of those that are worth least the last one goes first. */
function staying(extents: readonly Extent[], width: number): readonly Extent[] {
  if (extents.length < 2 || sum(extents.map(({ least }) => least)) <= width) return extents;
  const worth = Math.min(...extents.map((extent) => extent.worth));
  const gone = extents.findLastIndex((extent) => extent.worth === worth);
  return staying(extents.filter((_, index) => index !== gone), width);
}

/** The widths of columns that together are too wide: the widest gives away first. */
function narrowed(extents: readonly Extent[], width: number): number[] {
  const widths = extents.map(({ natural }) => natural);
  for (let excess = sum(widths) - width; excess > 0; excess--) {
    const widest = widths.reduce(
      (found, size, index) =>
        size > (extents[index]?.least ?? 0) && (found < 0 || size > (widths[found] ?? 0))
          ? index
          : found,
      -1,
    );
    if (widest < 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

/** The cells of one row as one line, or as several where its last cell is prose that is too long. */
function fitRow(
  cells: readonly GridCell[],
  widths: readonly number[],
  isProse: boolean,
): GridCell[][] {
  const last = cells.length - 1;
  const end = cells[last];
  const fitted = cells.map((cell, index) => ({
    ...cell,
    text: shorten(cell.text, widths[index] ?? 0),
  }));
  if (!isProse || end === undefined) return [fitted];
  const lines = wrapLine(end.text, widths[last] ?? 0);
  return lines.map((text, at) =>
    at === 0
      ? [...fitted.slice(0, -1), { ...end, text }]
      : [...fitted.slice(0, -1).map(() => ({ text: "", tone: null })), {
        ...end,
        text: text.trimStart(),
      }]
  );
}

/** A table of at most `width` columns, unless what cannot be shortened is wider. */
export function fitGrid(grid: Grid, width: number): Grid {
  const natural = extentsOf(grid);
  if (sum(natural.map((extent) => extent.natural)) <= width) return grid;
  const kept = staying(natural, width).map(({ index }) => index);
  const pick = <T>(items: readonly T[]) =>
    kept.flatMap((index) => index in items ? [items[index] as T] : []);
  const columns = pick(grid.columns);
  const rows = grid.rows.map(pick);
  const widths = narrowed(extentsOf({ columns, rows }), width);
  const isProse = columns.at(-1)?.prose === true;
  return { columns, rows: rows.flatMap((row) => fitRow(row, widths, isProse)) };
}
