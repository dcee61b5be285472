/**
 * gita: its `repos.csv` of clones with `groups.csv` beside it, and what `gita freeze` prints.
 *
 * @module
 */

import { cleanLine } from "../../text/sanitize.ts";
import { type Imported, type Listed, listed, type Source, unreadable } from "./imported.ts";

/** The cells of the lines of a table, with double quotes around those that hold a delimiter. */
function cells(text: string, delimiter: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let quoted = false;
  const endRow = () => {
    row.push(cell);
    if (row.some((one) => one !== "")) rows.push(row);
    [row, cell] = [[], ""];
  };
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at);
    if (quoted) {
      if (sign !== '"') cell += sign;
      else if (text.charAt(at + 1) === '"') cell += text.charAt(++at);
      else quoted = false;
    } else if (sign === '"' && cell === "") quoted = true;
    else if (sign === delimiter) {
      row.push(cell);
      cell = "";
    } else if (sign === "\n") endRow();
    else if (sign !== "\r") cell += sign;
  }
  endRow();
  return rows;
}

/** Whether the first cell of a line is the address of a remote, as `gita freeze` writes it, and no path. */
function isAddress(cell: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(cell) || /^[^/\\]+@[^/\\]+:/.test(cell);
}

/** A row of either form; gita names nested clones with a slash. */
function oneOf([first = "", name = ""]: readonly string[]): Listed {
  const shared = { what: name || first, name: (name || first).split("/").at(-1) ?? name };
  return isAddress(first) ? listed({ ...shared, url: first }) : listed({ ...shared, clone: first });
}

/** Reads both forms, and the groups where `repos.csv` has them beside it. */
export async function importGita({ text, shown, include }: Source): Promise<Imported> {
  const rows = cells(text, ",").map((row) => row.map((cell) => cell.trim()));
  const bad = rows.find((row) => row.length < 2 || row[0] === "");
  if (bad !== undefined) {
    throw unreadable(shown, `"${cleanLine(bad.join(","), 60)}" is no line of gita`);
  }
  const frozen = rows.every(([first = ""]) => isAddress(first));
  const beside = frozen ? "" : await include("groups.csv").catch(() => "");
  const groups = cells(beside, ":").map(([name = "", repos = ""]) =>
    [name, repos.split(/\s+/).filter((repo) => repo !== "")] as const
  );
  return {
    repos: rows.map(oneOf),
    groups: Object.fromEntries(groups.filter(([name, repos]) => name !== "" && repos.length > 0)),
    notes: rows.flatMap((row) => {
      const flags = frozen ? "" : row[3] ?? "";
      return flags === "" ? [] : [`${row[1]}: flags ${cleanLine(flags, 60)}`];
    }),
  };
}
