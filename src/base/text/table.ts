/** Tables as data, and as text with columns of fixed width: upper-case headers, `—` for empty, no pipes (ANSWER-6). */

import { type Tone, Toned } from "./tone.ts";
import fastStringWidth from "fast-string-width";

/** What a cell without a value shows. */
export const EMPTY_CELL = "—";

/** The blanks between two columns. */
export const GAP = 2;

/** A column of a table. What is not said is taken from the usual column of that name. */
export interface Column {
  /** What stands above it, in any case; empty where nothing does. */
  readonly name: string;
  /** Which column goes first where all are too wide: that of least worth. The first column never goes. */
  readonly worth?: number;
  /** Its cells are meant to be pasted, or say little in part: they are never shortened. */
  readonly whole?: boolean;
  /** Its cells are sentences: they go on in the next line instead of being shortened. */
  readonly prose?: boolean;
  /** Its cells are names, which people tell apart: they go on in the next line instead of being shortened. */
  readonly names?: boolean;
  /** Its words tell states: they go on in the next line instead of being shortened. */
  readonly states?: boolean;
}

/** A text that a person is told in fewer words. */
export class Brief {
  /** Everything. */
  readonly whole: string;
  /** What a person is told unless they ask for everything. */
  readonly brief: string;
  /** Whether it is told in short only in a question, whose answer can be to show all: its command has no `--all`. */
  readonly onlyAsked: boolean;
  /** What a person is told who cannot ask for everything: it leaves nothing out that tells one from another. */
  readonly unasked: string;

  constructor(whole: string, brief: string, onlyAsked = false, unasked = whole) {
    this.whole = whole;
    this.brief = brief;
    this.onlyAsked = onlyAsked;
    this.unasked = unasked;
  }

  /** The same with both texts changed. */
  mapText(change: (text: string) => string): Brief {
    return new Brief(change(this.whole), change(this.brief), this.onlyAsked, change(this.unasked));
  }

  /** Everything. */
  toString(): string {
    return this.whole;
  }
}

/** A value of a table; numbers are aligned to the right. */
export type Cell = string | number | Toned | Brief | null | undefined;

/** How many rows a person looks through for those that matter. */
export const MANY = 12;

/** The rows that need nobody's attention, and what can be said of all of them: "198 OK". */
interface Fold {
  readonly rows: ReadonlySet<number>;
  readonly says: string;
  /** What shows each row. */
  readonly flag: "--all" | "-v";
}

/** How many rows are folded, with what all of them have in common, or how many there are of each kind. */
function folded(
  rows: ReadonlySet<number>,
  says: string | ((row: number) => string),
): string {
  if (typeof says === "string") return `${rows.size} ${says}`;
  const kinds = [...Map.groupBy(rows, says)].toSorted(([, a], [, b]) => a.length - b.length);
  return kinds.map(([kind, of]) => `${of.length} ${kind}`).join(", ");
}

/** The worth of a column that nothing is known of. */
const COMMON_WORTH = 5;

const NAME = { whole: true, worth: 9 };
const STATE = { states: true, worth: 8 };
const PROSE = { prose: true, worth: 6 };

/** What is the same about a column of that name wherever there is one. */
const USUAL: Readonly<Record<string, Omit<Column, "name">>> = {
  action: NAME,
  archive: NAME,
  archives: NAME,
  command: NAME,
  id: NAME,
  name: NAME,
  repo: NAME,
  run: NAME,
  tag: NAME,
  ticket: NAME,
  tool: NAME,
  file: { whole: true, worth: 7 },
  path: { whole: true, worth: 4 },
  url: { whole: true, worth: 3 },
  commit: { whole: true, worth: 2 },
  sha256: { whole: true, worth: 2 },
  mode: { whole: true, worth: 1 },
  decision: STATE,
  installed: STATE,
  outcome: STATE,
  result: STATE,
  state: STATE,
  status: STATE,
  sync: { whole: true, worth: 5 },
  branch: { names: true, worth: 7 },
  branches: { names: true, worth: 4 },
  repos: { names: true },
  description: PROSE,
  detail: PROSE,
  message: PROSE,
  what: PROSE,
  why: PROSE,
};

/** Rows below named columns, before anybody knows how wide they may be. */
export class Table {
  /** What is known of its columns. */
  readonly columns: readonly Column[];
  /** Its cells, row by row. */
  readonly rows: readonly (readonly Cell[])[];
  /** The rows that a person is told in one line where there are many; null where each one counts. */
  readonly fold: Fold | null;

  constructor(
    columns: readonly (string | Column)[],
    rows: readonly (readonly Cell[])[],
    fold: Fold | null = null,
  ) {
    this.columns = columns.map((column) => {
      const known = typeof column === "string" ? { name: column } : column;
      return { ...USUAL[known.name.toLowerCase()], ...known };
    });
    this.rows = rows;
    this.fold = fold;
  }

  /**
   * The same table, of which a person with many rows is only shown those that are not fine, many alike as one. What is
   * said of the others is the same for all of them, or is said of each and counted, the rarest first. The command that
   * makes it has the flag `--all` of `foldingInput`, with which it leaves this out.
   */
  folding(isFine: (row: number) => boolean, says: string | ((row: number) => string)): Table {
    const rows = new Set(this.rows.keys().filter(isFine));
    return new Table(this.columns, this.rows, { rows, says: folded(rows, says), flag: "--all" });
  }

  /** The same table, of which a person is shown many rows that are alike as one; `-v` shows each. */
  foldingAlike(): Table {
    return new Table(this.columns, this.rows, { rows: new Set(), says: "", flag: "-v" });
  }

  /** The same table with every text changed. */
  mapText(change: (text: string) => string): Table {
    return new Table(
      this.columns,
      this.rows.map((row) =>
        row.map((cell) =>
          typeof cell === "string"
            ? change(cell)
            : cell instanceof Toned || cell instanceof Brief
            ? cell.mapText(change)
            : cell
        )
      ),
      this.fold,
    );
  }

  /** The whole table as text. */
  toString(): string {
    return gridLines(gridOf(this)).join("\n");
  }
}

/** A cell as it is shown. */
export interface GridCell {
  readonly text: string;
  readonly tone: Tone | null;
}

/** A table as it is shown: every column with its alignment, every row with all of its cells or only its first. */
export interface Grid {
  readonly columns: readonly (Column & { readonly worth: number; readonly right: boolean })[];
  readonly rows: readonly (readonly GridCell[])[];
}

function isEmpty(cell: Cell): cell is null | undefined | "" {
  return cell === null || cell === undefined || String(cell) === "";
}

/** A table with headers in upper case, a dash for every empty cell, and numbers at the right. */
export function gridOf({ columns, rows }: Table): Grid {
  return {
    columns: columns.map((column, index) => {
      const cells = rows.map((row) => row[index]).filter((cell) => !isEmpty(cell));
      return {
        ...column,
        name: column.name.toUpperCase(),
        worth: column.worth ?? COMMON_WORTH,
        right: cells.length > 0 && cells.every((cell) => typeof cell === "number"),
      };
    }),
    rows: rows.map((row) =>
      columns.map((_, index): GridCell => {
        const cell = row[index];
        if (isEmpty(cell)) return { text: EMPTY_CELL, tone: null };
        return cell instanceof Toned
          ? { text: cell.text, tone: cell.tone }
          : { text: String(cell), tone: null };
      })
    ),
  };
}

/** Gives the text of a cell a colour; its width must stay as it is. The header's cells have no row. */
export type Paint = (cell: GridCell, column: Column, isHeader: boolean) => string;

const UNPAINTED: Paint = (cell) => cell.text;

/** The lines of a table, headers first. */
export function gridLines({ columns, rows }: Grid, paint: Paint = UNPAINTED): string[] {
  // A cell that has a row of its own says nothing about the width of its column.
  const full = columns.length === 1 ? rows : rows.filter((row) => row.length > 1);
  const widths = columns.map((column, index) =>
    Math.max(textWidth(column.name), ...full.map((row) => textWidth(row[index]?.text ?? "")))
  );
  const line = (cells: readonly GridCell[], isHeader: boolean) =>
    columns.map((column, index) => {
      const cell = cells[index] ?? { text: "", tone: null };
      const missing = " ".repeat(Math.max(0, (widths[index] ?? 0) - textWidth(cell.text)));
      const painted = cell.text === "" ? "" : paint(cell, column, isHeader);
      if (column.right) return missing + painted;
      return index === columns.length - 1 ? painted : painted + missing;
    }).join(" ".repeat(GAP)).trimEnd();
  return [
    line(columns.map(({ name }) => ({ text: name, tone: null })), true),
    ...rows.map((row) => line(row, false)),
  ];
}

/** Lines of rows whose columns stand below each other, `gap` blanks apart; the last column is not padded. */
export function layOut(rows: readonly (readonly string[])[], gap = GAP): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, textWidth(cell));
    });
  }
  return rows.map((row) =>
    row.map((cell, column) =>
      column === row.length - 1 ? cell : padText(cell, (widths[column] ?? 0) + gap)
    ).join("").trimEnd()
  );
}

/** Rows of columns, indented by two. */
export function columns(rows: readonly (readonly string[])[]): string {
  return layOut(rows).map((line) => `  ${line}`.trimEnd()).join("\n");
}

/**
 * Rows below headers, which the door that shows them lays out for its width.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { table } from "./table.ts";
 *
 * assertEquals(
 *   String(table(["repo", "commits"], [["api", 12], ["docs", ""]])),
 *   ["REPO  COMMITS", "api        12", "docs        —"].join("\n"),
 * );
 * ```
 */
export function table(
  headers: readonly (string | Column)[],
  rows: readonly (readonly Cell[])[],
): Table {
  return new Table(headers, rows);
}

/**
 * Renders `Name:  value` lines with aligned values; entries without a value are left out.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { keyValues } from "./table.ts";
 *
 * assertEquals(keyValues([["Run", "4e8c1d72"], ["Status", "failed"], ["Reason", null]]), "Run:     4e8c1d72\nStatus:  failed");
 * ```
 */
export function keyValues(
  entries: readonly (readonly [string, string | null | undefined])[],
): string {
  const present = entries.filter((entry): entry is readonly [string, string] =>
    entry[1] !== null && entry[1] !== undefined && entry[1] !== ""
  );
  return layOut(present.map(([name, value]) => [`${name}:`, value])).join("\n");
}

// How wide text is on a terminal.

/**
 * Characters of one column that the program itself writes: ASCII and a few signs. Most lines have no others, and the
 * library takes a millisecond to prepare its tables for the first that has.
 */
const NARROW = /^[ -~±·–—…←-↓─│✓✗]*$/;

/**
 * Columns of a line: two for East Asian characters and for emoji, however many code points these are made of, none
 * for combining marks and colours.
 */
export function textWidth(text: string): number {
  // Letters that some systems write as several code points are measured in their usual form.
  return NARROW.test(text) ? text.length : fastStringWidth(text.normalize("NFC"));
}

/** The text with blanks behind it until it takes that many columns. */
export function padText(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - textWidth(text)));
}
