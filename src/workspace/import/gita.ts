/** gita: its `repos.csv` of clones with `groups.csv` beside it, and what `gita freeze` prints. */

import { cleanLine } from "../../base/text/sanitize.ts";
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

/** A row of `repos.csv`: path, name, type, flags; gita names nested clones with a slash. */
function cloneOf([clone = "", name = ""]: readonly string[]): Listed {
  return listed({ ...namesOf(name || clone), clone });
}

/** A row of `gita freeze`: address, name, path, type, flags, and since 0.16.8 the branch. */
function frozenOf([url = "", name = "", , , , branch = ""]: readonly string[]): Listed {
  return listed({ ...namesOf(name || url), url, version: branch === "" ? null : branch });
}

function namesOf(what: string): Pick<Listed, "what" | "name"> {
  return { what, name: what.split("/").at(-1) ?? what };
}

/** Reads both forms with their groups: those of `repos.csv` lie beside it, those of `gita freeze` are its last lines. */
export async function importGita({ text, shown, include }: Source): Promise<Imported> {
  const all = cells(text, ",").map((row) => row.map((cell) => cell.trim()));
  // ",GROUP,GROUPPATH,repo1|repo2"
  const isGroup = (row: readonly string[]) => row.length === 4 && row[0] === "" && row[1] !== "";
  const rows = all.filter((row) => !isGroup(row));
  const bad = rows.find((row) => row.length < 2 || row[0] === "");
  if (bad !== undefined) {
    throw unreadable(shown, `"${cleanLine(bad.join(","), 60)}" is no line of gita`);
  }
  const frozen = rows.some((row) => row.length > 4) ||
    rows.every(([first = ""]) => isAddress(first));
  const groups = frozen
    ? all.filter(isGroup).map(([, name = "", , repos = ""]) => [name, repos.split("|")] as const)
    : cells(await include("groups.csv").catch(() => ""), ":")
      .map(([name = "", repos = ""]) => [name, repos.split(/\s+/)] as const);
  const named = groups.map(([name, repos]) =>
    [name, repos.map((repo) => repo.trim()).filter((repo) => repo !== "")] as const
  );
  return {
    repos: rows.map(frozen ? frozenOf : cloneOf),
    groups: Object.fromEntries(named.filter(([name, repos]) => name !== "" && repos.length > 0)),
    notes: rows.flatMap((row) => {
      const flags = row[frozen ? 4 : 3] ?? "";
      return flags === "" ? [] : [`${row[1]}: flags ${cleanLine(flags, 60)}`];
    }),
  };
}
