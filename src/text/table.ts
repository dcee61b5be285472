/**
 * Tables with columns of fixed width: upper-case headers, `—` for empty, no pipes (ANSWER-6).
 *
 * @module
 */

import { eastAsianWidth } from "get-east-asian-width";

/** Columns of a text on a terminal: combining marks take none, wide East Asian characters and emoji two. */
function stringWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (!/[\p{M}\p{Cf}]/u.test(character)) width += eastAsianWidth(character.codePointAt(0) ?? 0);
  }
  return width;
}

/** What a cell without a value shows. */
export const EMPTY_CELL = "—";

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
  const cells = [
    headers.map((header) => header.toUpperCase()),
    ...shown.map((row) => headers.map((_, column) => row[column] || EMPTY_CELL)),
  ];
  const widths = headers.map((_, column) =>
    Math.max(...cells.map((row) => stringWidth(row[column] ?? "")))
  );
  const lines = cells.map((row) =>
    row.map((cell, column) =>
      column === row.length - 1
        ? cell
        : cell + " ".repeat((widths[column] ?? 0) - stringWidth(cell) + 2)
    ).join("").trimEnd()
  );
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
  const width = Math.max(0, ...present.map(([name]) => stringWidth(name)));
  return present.map(([name, value]) =>
    `${name}:${" ".repeat(width - stringWidth(name) + 2)}${value}`
  ).join("\n");
}
