/** Lays out the parts of an answer for where they are read: with colours, and as wide as a terminal. */

import type { Terminal } from "../../base/system/mod.ts";
import { type Part, Verbatim } from "../../base/text/parts.ts";
import {
  Brief,
  EMPTY_CELL,
  type GridCell,
  gridLines,
  gridOf,
  MANY,
  type Paint,
  Table,
} from "../../base/text/table.ts";
import { Toned } from "../../base/text/tone.ts";
import { fitGrid } from "./fit_table.ts";
import { paint, paintMark, paintPatchLine, paintStates } from "./colors.ts";
import { wrapLine } from "./wrap.ts";

/** How wide a place is; null where lines may have any length, because a program reads them. */
type Width = number | null;

/** The narrowest terminal that anything is laid out for. */
const NARROWEST_TERMINAL = 20;

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
    const isWhole = width === null || unfolding === null || part.onlyAsked && unfolding === FLAG;
    if (isWhole) return wrapped(part.whole).map(paintMark);
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
  const fine = table.fold?.rows ?? new Set();
  if (unfolding === null || table.fold === null || rows.length <= MANY || fine.size < 2) {
    return { table: new Table(table.columns, rows), rest: null };
  }
  return {
    table: new Table(table.columns, rows.filter((_, index) => !fine.has(index))),
    rest: `${table.fold.says} · ${unfolding}`,
  };
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
 * Parts as text for a place of that width, without a newline at the end. What a person with many is only told in short
 * says how to see it: `unfolding`, the flag `--all` unless it is a question with a key; null shows all of it.
 */
export function layOutParts(
  parts: readonly Part[],
  width: Width,
  unfolding: Unfolding = FLAG,
): string {
  const most = width === null ? null : Math.max(width, NARROWEST_TERMINAL);
  return parts.flatMap((part) => linesOf(part, most, unfolding)).join("\n");
}
