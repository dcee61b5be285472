/** An answer as lines of a screen, and which repository each is about. */

import type { Fields } from "../../../base/object.ts";
import type { Query, Wording } from "../../../contract/mod.ts";
import { blocks, cleanParts } from "../../../base/text/parts.ts";
import { stripUnsafe } from "../../../base/text/sanitize.ts";
import { layOutParts } from "../layout.ts";
import { ALL_KEY, type Sheet, type View } from "./view.ts";

/** The rows of an answer, one for each repository. */
function rowsIn(envelope: Fields, member: string): readonly Fields[] {
  const rows = envelope[member];
  return Array.isArray(rows) ? rows as readonly Fields[] : [];
}

/** The repository whose row in a table this line is: the first word says its name, perhaps behind a mark. */
function repoOf(line: string, names: ReadonlySet<string>): string | null {
  const word = /^ *(?:[✓✗⚠–] )?(\S+)(?: {2}|$)/u.exec(line)?.[1];
  return word !== undefined && names.has(word) ? word : null;
}

/** Lays an answer out as the command itself renders it, narrowed to what the view asks for. */
export function sheetOf(
  command: Query,
  { envelope, input, say }: {
    readonly envelope: Fields;
    readonly input: Fields;
    readonly say: Wording;
  },
  { view, columns, note }: {
    readonly view: View;
    readonly columns: number;
    readonly note: string;
  },
): Sheet {
  const { member = "", isTrouble = () => true } = command.watches ?? {};
  const wanted = view.filter.toLowerCase();
  const rows = rowsIn(envelope, member).filter((row) =>
    String(row["name"]).toLowerCase().includes(wanted) &&
    (view.scope !== "trouble" || isTrouble(row))
  );
  const rendered = command.render(
    { ...envelope, [member]: rows },
    view.scope === "usual" ? input : { ...input, all: true },
    say,
  );
  const names = new Set(rows.map(({ name }) => String(name)));
  const parts = blocks(cleanParts(rendered.details), cleanParts(rendered.notes));
  const lines = layOutParts(parts, columns, ALL_KEY).split("\n").map((text) => ({
    text,
    repo: repoOf(stripUnsafe(text), names),
  }));
  const shown = new Set(lines.map(({ repo }) => repo));
  return {
    summary: rendered.summary,
    lines,
    folded: [...names].some((name) => !shown.has(name)),
    note,
  };
}
