/** What the watching screen shows, and what keys do to it: pure. */

import { stripUnsafe } from "../../../base/text/sanitize.ts";
import { padText, textWidth } from "../../../base/text/table.ts";
import { paint, strong } from "../colors.ts";
import type { Key } from "./full_screen.ts";

/** Which repositories are shown: as the command shows them by itself, those that need attention, or all. */
type Scope = "usual" | "trouble" | "all";

/** What a person has chosen. */
export interface View {
  readonly scope: Scope;
  /** Only repositories with this in their name. */
  readonly filter: string;
  /** Whether the filter is being typed. */
  readonly typing: boolean;
  /** The repository that is marked; null while none is. */
  readonly selected: string | null;
  /** The first line that is shown. */
  readonly top: number;
}

/** At the beginning. */
export const FIRST_VIEW: View = {
  scope: "usual",
  filter: "",
  typing: false,
  selected: null,
  top: 0,
};

/** An answer as lines, with the repository that a line is about. */
export interface Sheet {
  readonly summary: string;
  readonly lines: readonly { readonly text: string; readonly repo: string | null }[];
  /** Whether a repository that fits the filter is not among the lines. */
  readonly folded: boolean;
  /** What the last line says besides the keys: a failure, or when it was looked. */
  readonly note: string;
}

/** What is to be done besides showing the screen anew. */
export type Wish = "quit" | "refresh" | "open" | null;

/** The rows of a screen that are not for lines: the summary, which lines these are, and the keys. */
const FURNITURE = 3;

/** How many lines a screen shows. */
function room(rows: number): number {
  return Math.max(1, rows - FURNITURE);
}

/** The view with that line on the screen. */
function showing(view: View, line: number, rows: number): View {
  const height = room(rows);
  const top = line < view.top ? line : line >= view.top + height ? line - height + 1 : view.top;
  return { ...view, top };
}

/** The view that marks the repository so many further down; it scrolls where there is none. */
function moved(view: View, by: number, { lines }: Sheet, rows: number): View {
  const about = lines.flatMap(({ repo }, line) => repo === null ? [] : [{ repo, line }]);
  const most = Math.max(0, lines.length - room(rows));
  if (about.length === 0) return { ...view, top: Math.min(most, Math.max(0, view.top + by)) };
  const at = about.findIndex(({ repo }) => repo === view.selected);
  const next = at >= 0 ? at + by : by > 0 ? by - 1 : about.length + by;
  const chosen = about[Math.min(about.length - 1, Math.max(0, next))];
  if (chosen === undefined) return view;
  // The header of a table comes with its first row, and what stands below it with its last.
  const first = chosen === about[0];
  const last = chosen === about.at(-1);
  const line = first ? 0 : last ? lines.length - 1 : chosen.line;
  return showing(showing({ ...view, selected: chosen.repo }, line, rows), chosen.line, rows);
}

/** What keys do while the filter is being typed. */
function typed(view: View, key: Key): View {
  switch (key.name) {
    case "text":
      return { ...view, filter: view.filter + key.text, top: 0 };
    case "erase":
      return view.filter === ""
        ? { ...view, typing: false }
        : { ...view, filter: [...view.filter].slice(0, -1).join(""), top: 0 };
    case "escape":
      return { ...view, typing: false, filter: "", top: 0 };
    case "enter":
      return { ...view, typing: false };
    default:
      return view;
  }
}

/** What a letter does. */
function commanded(view: View, text: string, sheet: Sheet, rows: number): [View, Wish] {
  switch (text) {
    case "q":
      return [view, "quit"];
    case "r":
      return [view, "refresh"];
    case "o":
      return [view, "open"];
    case "j":
      return [moved(view, 1, sheet, rows), null];
    case "k":
      return [moved(view, -1, sheet, rows), null];
    case "/":
    case "f":
      return [{ ...view, typing: true }, null];
    case "a": {
      const hides = view.scope === "trouble" || sheet.folded;
      return [{ ...view, scope: hides ? "all" : "trouble", top: 0 }, null];
    }
    default:
      return [view, null];
  }
}

/** The view after a key, and what else it asks for. */
export function press(view: View, key: Key, sheet: Sheet, rows: number): [View, Wish] {
  if (key.name === "interrupt") return [view, "quit"];
  const page = room(rows) - 1;
  switch (key.name) {
    case "up":
      return [moved(view, -1, sheet, rows), null];
    case "down":
      return [moved(view, 1, sheet, rows), null];
    case "page_up":
      return [moved(view, -page, sheet, rows), null];
    case "page_down":
      return [moved(view, page, sheet, rows), null];
    case "home":
      return [moved(view, -sheet.lines.length, sheet, rows), null];
    case "end":
      return [moved(view, sheet.lines.length, sheet, rows), null];
    default:
  }
  if (view.typing) return [typed(view, key), null];
  if (key.name === "text") return commanded(view, key.text, sheet, rows);
  return [key.name === "escape" ? { ...view, filter: "", selected: null, top: 0 } : view, null];
}

/** The view as far as a new answer leaves it possible. */
export function settled(view: View, { lines }: Sheet, rows: number): View {
  const line = view.selected === null ? -1 : lines.findIndex(({ repo }) => repo === view.selected);
  const top = Math.min(view.top, Math.max(0, lines.length - room(rows)));
  return line < 0 ? { ...view, selected: null, top } : showing({ ...view, top }, line, rows);
}

/** Text that stands in one row: its end is cut off where that is narrower. */
function truncate(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let width = 0;
  let kept = "";
  for (const character of stripUnsafe(text)) {
    width += textWidth(character);
    if (width > columns - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

/** What is pressed to see what is folded. */
export const ALL_KEY = "a all";

/** The last row: the filter that is typed, or what can be pressed. */
function footer({ scope, filter, typing }: View, { folded, note }: Sheet, columns: number): string {
  if (typing) return truncate(`/${filter}_`, columns);
  const hides = scope === "trouble" || folded;
  const keys = [
    "q quit",
    filter === "" ? "/ filter" : `/ filter: ${filter}`,
    hides ? ALL_KEY : "a problems",
    "o open",
    "r refresh",
  ].join("  ");
  const all = `${keys}  ${note}`;
  return truncate(textWidth(all) <= columns ? all : keys, columns);
}

/** All rows of the screen, none wider than it. */
export function screen(
  view: View,
  sheet: Sheet,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): string[] {
  const height = room(rows);
  const shown = sheet.lines.slice(view.top, view.top + height).map(({ text, repo }) =>
    repo !== null && repo === view.selected
      // The marked row is told by more than a colour on every terminal.
      ? `\u001b[7m${padText(truncate(stripUnsafe(text), columns), columns)}\u001b[27m`
      : truncate(text, columns)
  );
  const where = sheet.lines.length <= height
    ? ""
    : `lines ${view.top + 1}–${view.top + shown.length} of ${sheet.lines.length}: j k ↓ ↑`;
  return [
    strong(truncate(sheet.summary, columns)),
    paint(truncate(where, columns), "quiet"),
    ...shown,
    ...Array.from({ length: Math.max(0, height - shown.length) }, () => ""),
    paint(footer(view, sheet, columns), "quiet"),
  ].slice(0, rows);
}
