/**
 * Tables with columns of fixed width: upper-case headers, `—` for empty, no pipes (ANSWER-6).
 *
 * @module
 */

import { padText, textWidth } from "./width.ts";

/** What a cell without a value shows. */
const EMPTY_CELL = "—";

/** Lines of rows whose columns stand below each other, `gap` blanks apart; the last column is not padded. */
export function layOut(rows: readonly (readonly string[])[], gap = 2): string[] {
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
 * Renders rows below upper-case headers; the last column is not padded.
 *
 * More than `maxRows` rows are cut with "… and N more".
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { table } from "./table.ts";
 *
 * assertEquals(
 *   table(["repo", "branch"], [["api", "main"], ["docs", ""]]),
 *   ["REPO  BRANCH", "api   main", "docs  —"].join("\n"),
 * );
 * ```
 */
export function table(
  headers: readonly string[],
  rows: readonly (readonly string[])[],
  maxRows = Infinity,
): string {
  const shown = rows.slice(0, maxRows);
  const lines = layOut([
    headers.map((header) => header.toUpperCase()),
    ...shown.map((row) => headers.map((_, column) => row[column] || EMPTY_CELL)),
  ]);
  if (rows.length > shown.length) lines.push(`… and ${rows.length - shown.length} more`);
  return lines.join("\n");
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
