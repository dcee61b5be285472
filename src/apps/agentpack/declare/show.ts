/** How agentpack's answers look to a person. Whatever others wrote (paths, file contents) is cleaned. */

import { bold, cyan, dim, green, red, yellow } from "@std/fmt/colors";
import { markHidden, markName, stripUnsafe } from "../../../base/text/sanitize.ts";
import type { Column, Table } from "../../../base/text/table.ts";
import type { FileDiff } from "../engine/differences.ts";
import type { Change, ChangeSummary, EntryChange } from "../engine/plan.ts";

/** A path or another text of somebody else, as one line in which nothing hides. */
export function shownPath(path: string): string {
  return markName(path);
}

/** The column of modules: their ids are pasted. */
export const MODULE_COLUMN: Column = { name: "module", whole: true, worth: 9 };

/** Lines of text, or nothing where there are none. */
export function lines(...parts: readonly (string | readonly string[] | null)[]): string {
  return parts.flatMap((part) => part === null ? [] : part).join("\n");
}

const MARKS: Readonly<Record<string, string>> = {
  create: "+",
  update: "~",
  delete: "-",
  rollback_restore: "~",
  rollback_delete: "-",
};

function coloured(op: string, text: string): string {
  const mark = MARKS[op];
  return mark === "+" ? green(text) : mark === "-" ? red(text) : yellow(text);
}

/** One change as a line: what happens, where, and what to know about it. */
export function changeLine(
  change: Partial<Omit<Change, "op">> & {
    readonly op: string;
    readonly target: string;
    readonly path: string;
  },
): string {
  const line = `${MARKS[change.op] ?? "?"} ${change.target}  ${shownPath(change.path)}`;
  return lines(
    `  ${coloured(change.op, line)}${notesOf(change)}`,
    (change.entries ?? []).map(entryLine),
  );
}

/** What to know about a change of a file or an entry. */
function notesOf(change: Partial<Omit<Change, "op">>): string {
  const notes = [
    ...(change.update_kind === "adopt_update" ? ["not managed, needs --adopt"] : []),
    ...(change.locally_modified ? ["edited since it was deployed"] : []),
    ...(change.is_symlink ? ["replaces a link"] : []),
    ...(change.hidden_characters ? ["has hidden characters"] : []),
    ...(change.program ? ["run by hooks"] : []),
    ...(change.from === undefined ? [] : [`from ${shownPath(change.from)}`]),
    ...(change.refused === undefined ? [] : ["refused"]),
  ];
  return notes.length === 0 ? "" : dim(` (${notes.join(", ")})`);
}

/** One entry of a shared file as a line: what happens to it, and what runs because of it. */
function entryLine(entry: EntryChange): string {
  const line = `${MARKS[entry.op]} ${shownPath(entry.key)}`;
  const said = entry.runs ?? (entry.stops === undefined ? undefined : `no more ${entry.stops}`);
  const runs = said === undefined ? "" : `  ${shownPath(said)}`;
  return `      ${coloured(entry.op, line)}${runs}${notesOf(entry)}`;
}

/** Counts of changes in words. */
export function changeCounts({ create, update, delete: gone }: ChangeSummary): string {
  return `${create} to create, ${update} to update, ${gone} to delete`;
}

/** Whether nothing would change. */
export function isUnchanged({ create, update, delete: gone }: ChangeSummary): boolean {
  return create + update + gone === 0;
}

function diffLine(line: string): string {
  // A change of line endings alone would look like no change at all.
  const end = /^[+-].*\r$/.test(line) ? "␍" : "";
  const clean = `${markHidden(line)}${end}`;
  if (line.startsWith("@@")) return cyan(clean);
  if (line.startsWith("+++") || line.startsWith("---")) return bold(clean);
  if (line.startsWith("+")) return green(clean);
  if (line.startsWith("-")) return red(clean);
  return clean;
}

/** A unified diff in colours. */
export function patchText(unified: string): string {
  return unified.replace(/\n$/, "").split("\n").map(diffLine).join("\n");
}

/** Unified diffs in colours, with a heading per file. */
export function diffText(files: readonly FileDiff[]): string {
  return files.map((file) => {
    const heading = bold(`${file.target}  ${shownPath(`${file.root}/${file.path}`)} (${file.op})`);
    const body = file.unified === undefined
      ? "  No diff: the content is not text, or longer than 100 kB"
      : patchText(file.unified);
    return `${heading}\n${body}`;
  }).join("\n\n");
}

/** A preview with what a person should know before they agree. */
export function withWarnings(text: string | Table, warnings: readonly string[]): string {
  const shown = warnings.map((warning) => `${yellow("warning:")} ${markHidden(warning)}`);
  return shown.length === 0 ? String(text) : lines(String(text), "", shown);
}

/** Commands that make sense next, as a block. */
export function nextActions(actions: readonly string[] | undefined): string | null {
  if (actions === undefined || actions.length === 0) return null;
  const shown = [...new Set(actions.map(asPeopleType))];
  return dim(`\nNext:\n${shown.map((action) => `  ${stripUnsafe(action)}`).join("\n")}`);
}

/** A next action as people type it: they read what it prints, and are asked before anything changes. */
function asPeopleType(action: string): string {
  const plain = action.replace(/ --(?:json|yes)(?= |$)/g, "");
  // One command installs the operator files everywhere.
  return plain.replace(/ --target \S+(?= bootstrap\b)/, "").replace(
    /( bootstrap) --scope \w+$/,
    "$1",
  );
}

/** Warnings as people read them: about operator files one line is enough, whatever they lack and where. */
export function warningsForPeople(warnings: readonly string[], prefix: string): string[] {
  const operators = warnings.flatMap((warning) =>
    /^operator assets (\w+) \((\S+)\)/.exec(warning)?.slice(1, 3).join(" ") ?? []
  );
  const others = warnings.filter((warning) => !warning.startsWith("operator assets "));
  return operators.length === 0 ? others : [
    ...others,
    `Agents are not taught everywhere how to use agentpack (operator files: ${
      operators.join(", ")
    }): ${prefix} bootstrap`,
  ];
}
