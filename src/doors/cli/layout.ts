/** Lays out the parts of an answer for where they are read: with colours, and as wide as a terminal. */

import type { Terminal } from "../../base/system/mod.ts";
import { type Part, Verbatim } from "../../base/text/parts.ts";
import {
  Brief,
  type Cell,
  type Column,
  EMPTY_CELL,
  GAP,
  type Grid,
  type GridCell,
  gridLines,
  gridOf,
  MANY,
  type Paint,
  Table,
  textWidth,
} from "../../base/text/table.ts";
import { Toned, toneOfWord } from "../../base/text/tone.ts";
import { paint, paintMark, paintPatchLine } from "./colors.ts";
import { NARROWEST, wrapLine } from "./wrap.ts";
import { ranged } from "../../base/text/alike.ts";

/** A cell that can be shortened keeps so many columns, so that it can still be told from others. */
const SHORTEST = 12;

let graphemes: Intl.Segmenter | undefined;

/** The characters of a text as people count them. */
function charactersOf(text: string): string[] {
  // Made at the first need: loading its tables is a good part of a start.
  graphemes ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return [...graphemes.segment(text)].map(({ segment }) => segment);
}

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
  const parts = charactersOf(text);
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

/** How much of a line the first column may take before its longest cells get a line of their own. */
const FIRST_SHARE = 0.4;

/** How wide a column would be, and how narrow it can become. */
interface Extent {
  readonly index: number;
  readonly worth: number;
  readonly natural: number;
  readonly least: number;
}

type GridColumn = Grid["columns"][number];

/** The pieces that a cell may be broken into; null where it is shortened instead. */
function piecesOf(text: string, column: GridColumn): string[] | null {
  if (column.states) return text.split(/(?<=\+|[^ ] +)/);
  return column.prose || column.names ? text.split(/(?<=[^ ] +)/) : null;
}

/** How narrow a column can become without losing what must not be lost. */
function leastOf(column: GridColumn, cells: readonly string[], natural: number): number {
  if (column.states) {
    const pieces = cells.flatMap((text) => piecesOf(text, column) ?? []);
    return Math.max(textWidth(column.name), ...pieces.map((piece) => textWidth(piece.trimEnd())));
  }
  if (column.whole || column.right) return natural;
  const shortest = column.prose ? NARROWEST : SHORTEST;
  return Math.min(natural, Math.max(textWidth(column.name), shortest));
}

/** The width of the first column where all do not fit: that of its widest cell that leaves the others their share. */
function firstWidth(cells: readonly number[], header: number, width: number): number {
  const share = Math.max(header, Math.floor(width * FIRST_SHARE));
  return Math.max(header, ...cells.filter((cell) => cell <= share));
}

function extentsOf({ columns, rows }: Grid, width: number): Extent[] {
  return columns.map((column, index) => {
    const cells = rows.map((row) => row[index]?.text ?? "");
    const header = textWidth(column.name);
    const widths = cells.map(textWidth);
    if (index === 0 && columns.length > 1) {
      const first = firstWidth(widths, header, width);
      return { index, worth: Infinity, natural: first, least: first };
    }
    const natural = Math.max(header, ...widths);
    return { index, worth: column.worth, natural, least: leastOf(column, cells, natural) };
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

/** A name that is wider than a line in pieces that are not: between its parts, or anywhere where a part is too wide. */
function partsOf(name: string, width: number): string[] {
  if (textWidth(name.trimEnd()) <= width) return [name];
  return name.split(/(?<=[/._:-])/).flatMap((part) => {
    const pieces: string[] = [];
    for (let rest = charactersOf(part); rest.length > 0;) {
      const piece = takeWidth(rest, width);
      const taken = Math.max(1, charactersOf(piece).length);
      pieces.push(rest.slice(0, taken).join(""));
      rest = rest.slice(taken);
    }
    return pieces;
  });
}

/** Pieces as lines of at most `width` columns; a longer piece is shortened. */
function filled(pieces: readonly string[], width: number): string[] {
  const lines: string[] = [];
  let current = "";
  for (const piece of pieces) {
    if (current !== "" && textWidth((current + piece).trimEnd()) > width) {
      lines.push(current.trimEnd());
      current = "";
    }
    current += piece;
  }
  return [...lines, current.trimEnd()].map((line) => shorten(line, width));
}

/** A row as one line, or as several where cells are broken or the first one is too long to stand beside others. */
function fitRow(
  cells: readonly GridCell[],
  columns: readonly GridColumn[],
  widths: readonly number[],
): GridCell[][] {
  const [first, ...others] = cells;
  const hangs = first !== undefined && others.length > 0 &&
    textWidth(first.text) > (widths[0] ?? 0);
  const blocks = cells.map((cell, index) => {
    const column = columns[index];
    const width = widths[index] ?? 0;
    if (index === 0) return hangs ? [] : [cell.text];
    const pieces = column === undefined ? null : piecesOf(cell.text, column);
    if (pieces === null) return [shorten(cell.text, width)];
    const whole = column?.names ? pieces.flatMap((piece) => partsOf(piece, width)) : pieces;
    return filled(whole, width);
  });
  const height = Math.max(...blocks.map((lines) => lines.length));
  const lines = Array.from({ length: height }, (_, line) =>
    cells.map((cell, index) => {
      const text = blocks[index]?.[line];
      return text === undefined ? { text: "", tone: null } : { ...cell, text };
    }));
  return hangs ? [[first], ...lines] : lines;
}

/** A table of at most `width` columns, unless what cannot be shortened is wider. */
function fitGrid(grid: Grid, width: number): Grid {
  const natural = grid.columns.map((column, index) =>
    Math.max(textWidth(column.name), ...grid.rows.map((row) => textWidth(row[index]?.text ?? "")))
  );
  if (sum(natural) <= width) return grid;
  const kept = staying(extentsOf(grid, width), width).map(({ index }) => index);
  const pick = <T>(items: readonly T[]) =>
    kept.flatMap((index) => index in items ? [items[index] as T] : []);
  const columns = pick(grid.columns);
  const rows = grid.rows.map(pick);
  const widths = narrowed(extentsOf({ columns, rows }, width), width);
  return { columns, rows: rows.flatMap((row) => fitRow(row, columns, widths)) };
}

/** How wide a place is; null where lines may have any length, because a program reads them. */
type Width = number | null;

/** The narrowest terminal that anything is laid out for. */
const NARROWEST_TERMINAL = 20;

/** A text whose words for states have their colours: `DIRTY+UNPUSHED`, `failed`. */
function paintStates(text: string): string {
  return text.replace(/[A-Za-z_]+|[✓✗⚠]/g, (word) => paint(word, toneOfWord(word)));
}

const paintCell: Paint = ({ text, tone }: GridCell, column, isHeader) => {
  if (isHeader) return paint(text, "quiet");
  if (tone !== null || text === EMPTY_CELL) return paint(text, tone ?? "quiet");
  return column.states ? paintStates(text) : paintMark(text);
};

/** The flag by which a person sees what is folded in an answer. */
const FLAG = "--all";

/** How a person comes to see what is folded: a flag, or a key; null where nothing is folded. */
type Unfolding = string | null;

function linesOf(part: Part, width: Width, unfolding: Unfolding): string[] {
  const wrapped = (text: string) =>
    text.split("\n").flatMap((line) => width === null ? [line] : wrapLine(line, width));
  if (typeof part === "string") return wrapped(part).map(paintMark);
  if (part instanceof Toned) return wrapped(part.text).map((line) => paint(line, part.tone));
  if (part instanceof Table) return tableLines(part, width, unfolding);
  if (part instanceof Brief) {
    if (width === null || unfolding === null) return wrapped(part.whole).map(paintMark);
    if (part.onlyAsked && unfolding === FLAG) return wrapped(part.unasked).map(paintMark);
    // Behind the name of a file or the subject of a commit it would be read as part of that.
    const isApart = /\n[ ].*$/.test(part.brief);
    const how = isApart && unfolding === FLAG ? `${FLAG} shows all` : unfolding;
    return wrapped(`${part.brief}${isApart ? "\n" : " · "}${how}`).map(paintMark);
  }
  return verbatimLines(part);
}

/** A table as a person is shown it: of many rows only those that need attention, and how many the others are. */
function attentive(
  table: Table,
  unfolding: Unfolding,
): { readonly table: Table; readonly rest: string | null } {
  const rows = table.rows.map((row) =>
    row.map((cell) => cell instanceof Brief && unfolding !== null ? cell.brief : cell)
  );
  const { fold, columns } = table;
  if (unfolding === null || fold === null || rows.length <= MANY) {
    return { table: new Table(columns, rows), rest: null };
  }
  const isFolded = fold.rows.size > 1;
  const others = isFolded ? rows.filter((_, index) => !fold.rows.has(index)) : rows;
  const shown = alike(others, columns);
  return {
    table: new Table(columns, shown),
    rest: isFolded
      ? `${fold.says} · ${unfolding === FLAG ? fold.flag : unfolding}`
      : shown.length < others.length
      ? unfolding === FLAG ? `${fold.flag} shows each` : unfolding
      : null,
  };
}

/** The mark before the name of a row of results. */
const MARK = /^[✓✗⚠–] /;

/** Rows of which many say the same of each name, told once: a commit, the name itself, how many and which pull request make no difference. */
function alike(
  rows: readonly (readonly Cell[])[],
  columns: readonly Column[],
): (readonly Cell[])[] {
  const named = Math.max(0, columns.findIndex(({ name }) => name === "repo"));
  const isCommit = (at: number) => columns[at]?.name === "commit";
  const counts = (cell: Cell, at: number) =>
    typeof cell === "number" || /^(?:sync|pr)$/.test(columns[at]?.name ?? "");
  const groups = Map.groupBy(rows, (row) => {
    const first = String(row[named] ?? "");
    const name = first.replace(MARK, "");
    return row.map((cell, at) =>
      at === named
        ? MARK.exec(first)?.[0] ?? ""
        : isCommit(at)
        ? ""
        : counts(cell, at)
        ? String(cell).replaceAll(/\d+/g, "#")
        : String(cell ?? "").replaceAll(name, "")
    ).join("\0");
  });
  return [...groups.values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined || same.length <= MANY) return same;
    return [first.map((cell, at) => {
      const cells = same.map((row) => row[at]);
      if (at === named) return `${cell} and ${same.length - 1} more`;
      if (cells.every((other) => other === cell)) return cell;
      return isCommit(at) ? "" : counts(cell, at) ? ranged(cells.map(String)) : cell;
    })];
  });
}

function tableLines(whole: Table, width: Width, unfolding: Unfolding): string[] {
  if (width === null) return gridLines(gridOf(whole), paintCell);
  const { table, rest } = attentive(whole, unfolding);
  return [
    ...(table.rows.length === 0 && rest !== null
      ? []
      : gridLines(fitGrid(gridOf(table), width), paintCell)),
    ...(rest === null ? [] : [paint(rest, "quiet")]),
  ];
}

function verbatimLines(part: Verbatim): string[] {
  if (part.isPatch) return String(part).split("\n").map(paintPatchLine);
  return part.pieces.map((piece) =>
    typeof piece === "string" ? piece : paint(piece.text, piece.tone)
  ).join("").split("\n");
}

/** How wide what is written to standard output may be. */
export function outputWidth(terminal: Terminal): Width {
  return terminal.stdoutIsTerminal ? terminal.columns : null;
}

/** How wide what is written to standard error may be. */
export function errorWidth(terminal: Terminal): Width {
  return terminal.stderrIsTerminal ? terminal.columns : null;
}

/**
 * Parts as text for a place of that width, without a newline at the end. What is shortened for a person with
 * many repositories says how to see it all. `unfolding` is that way: the flag `--all`, unless it is a question
 * with a key. Null shows all of it.
 */
export function layOutParts(
  parts: readonly Part[],
  width: Width,
  unfolding: Unfolding = FLAG,
): string {
  const most = width === null ? null : Math.max(width, NARROWEST_TERMINAL);
  return parts.flatMap((part) => linesOf(part, most, unfolding)).join("\n");
}
