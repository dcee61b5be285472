/**
 * Entries in TOML files: each is a table `[table.name]` with the tables below it. Nothing else of a file is read as
 * lines, so that whatever it holds stays as it is.
 */

import { type Fields, isObject, jsonIn } from "../../base/object.ts";
import { rootCause } from "../../base/error.ts";
import type { EntryChanges, Table, Trouble } from "./types.ts";

/** Reads a table of a TOML text. */
export async function readTomlTable(given: string, table: string): Promise<Table | Trouble> {
  const { parse } = await import("@std/toml/parse");
  let whole: Fields;
  try {
    whole = parse(given.replace(/^\ufeff/, ""));
  } catch (error) {
    // The parser's message quotes the file, which may hold secrets.
    const line = /line (\d+)/i.exec(rootCause(error))?.[1];
    return { problem: "it is not valid TOML", line: line === undefined ? null : Number(line) };
  }
  const entries = whole[table];
  if (entries === undefined) return { whole, entries: new Map() };
  if (!isObject(entries)) return { problem: `"${table}" is no table`, line: null };
  return { whole, entries: new Map(Object.entries(entries)) };
}

/** A part of a text from a header to the next one; the first has no header. */
interface Section {
  /** The keys of the header; null for what stands before the first one. */
  readonly path: readonly string[] | null;
  readonly isArray: boolean;
  /** The keys of its statements, each with the keys before its dots. */
  readonly keys: readonly (readonly string[])[];
  readonly start: number;
  /** Behind its last key; blank lines and comments further down belong to what follows. */
  readonly end: number;
}

const KEY = /[ \t]*(?:([A-Za-z0-9_-]+)|"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)')[ \t]*/y;

/** Keys with dots between them, and where they end. */
function keysAt(line: string, from: number): { readonly path: string[]; readonly end: number } {
  const path: string[] = [];
  let at = from;
  for (;;) {
    KEY.lastIndex = at;
    const found = KEY.exec(line);
    if (found === null) return { path, end: at };
    const [all, bare, quoted, literal] = found;
    path.push(bare ?? literal ?? unquoted(quoted ?? ""));
    at += all.length;
    if (line[at] !== ".") return { path, end: at };
    at++;
  }
}

/** The keys of a header line, or null for what is none. */
function headerPath(line: string): { readonly path: string[]; readonly isArray: boolean } | null {
  const opened = /^[ \t]*(\[\[?)/.exec(line);
  if (opened === null) return null;
  const { path, end } = keysAt(line, opened[0].length);
  return line[end] === "]" ? { path, isArray: opened[1] === "[[" } : null;
}

function unquoted(text: string): string {
  return String(jsonIn(`"${text}"`) ?? text);
}

/** Where a value that begins in a line ends: texts and lists may go over several lines. */
function endOfStatement(text: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const char = text[at];
    if (text.startsWith('"""', at) || text.startsWith("'''", at)) {
      const mark = text.slice(at, at + 3);
      at = endOfLongText(text, at + 3, mark);
      continue;
    }
    if (char === '"' || char === "'") at = endOfText(text, at + 1, char);
    else if (char === "#") {
      while (at < text.length && text[at] !== "\n") at++;
    } else if (char === "\n") {
      if (depth <= 0) return at + 1;
      at++;
    } else {
      if (char === "[" || char === "{") depth++;
      if (char === "]" || char === "}") depth--;
      at++;
    }
  }
  return text.length;
}

function endOfText(text: string, from: number, mark: string): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\" && mark === '"') at++;
    else if (text[at] === mark || text[at] === "\n") return text[at] === mark ? at + 1 : at;
  }
  return text.length;
}

function endOfLongText(text: string, from: number, mark: string): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\" && mark === '"""') at++;
    else if (text.startsWith(mark, at)) {
      at += mark.length;
      // Up to two more marks belong to the text itself.
      while (text[at] === mark[0]) at++;
      return at;
    }
  }
  return text.length;
}

function lineFrom(text: string, at: number): string {
  const end = text.indexOf("\n", at);
  return text.slice(at, end < 0 ? text.length : end);
}

/** The parts of a text. */
export function sectionsOf(text: string): Section[] {
  const sections: Section[] = [];
  let open: Omit<Section, "keys" | "end"> & { keys: string[][]; end: number } = {
    path: null,
    isArray: false,
    keys: [],
    start: 0,
    end: 0,
  };
  let at = text.startsWith("\ufeff") ? 1 : 0;
  while (at < text.length) {
    const line = lineFrom(text, at);
    const header = headerPath(line);
    if (header !== null) {
      sections.push(open);
      const end = Math.min(text.length, at + line.length + 1);
      open = { ...header, keys: [], start: at, end };
      at = end;
    } else if (/^\s*(?:#|$)/.test(line)) at = Math.min(text.length, at + line.length + 1);
    else {
      open.keys.push(keysAt(line, 0).path);
      at = endOfStatement(text, at);
      open.end = at;
    }
  }
  return [...sections, open];
}

function keyText(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : textOf(key);
}

/** A text as TOML writes it: JSON's escapes are among TOML's, but for the delete character. */
function textOf(text: string): string {
  return JSON.stringify(text).replaceAll("\x7f", "\\u007F");
}

/** A value in one line, or null for what TOML has no word for. */
function valueText(value: unknown): string | null {
  if (typeof value === "string") return textOf(value);
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : null;
  if (Array.isArray(value)) {
    const items = value.map(valueText);
    return items.includes(null) ? null : `[${items.join(", ")}]`;
  }
  if (!isObject(value)) return null;
  const members = Object.entries(value).map(([key, item]) => {
    const text = valueText(item);
    return text === null ? null : `${keyText(key)} = ${text}`;
  });
  return members.includes(null) ? null : `{ ${members.join(", ")} }`;
}

/** An entry as a table, objects in it as tables below. */
function entryText(path: readonly string[], value: Fields): string | null {
  const members = Object.entries(value);
  const lines = members.filter(([, item]) => !isObject(item)).map(([key, item]) => {
    const text = valueText(item);
    return text === null ? null : `${keyText(key)} = ${text}`;
  });
  const below = members.flatMap(([key, item]) =>
    isObject(item) ? [entryText([...path, key], item)] : []
  );
  if (lines.includes(null) || below.includes(null)) return null;
  const head = `[${path.map(keyText).join(".")}]`;
  return [[head, ...lines].map((line) => `${line}\n`).join(""), ...below].join("\n");
}

/** A TOML text with changed entries; the text of no file is empty. */
export function editToml(
  given: string,
  table: string,
  changes: EntryChanges,
): string | Trouble {
  const eol = given.includes("\r\n") ? "\r\n" : "\n";
  let text = given;
  for (const [name, value] of changes) {
    if (isElsewhere(text, table, name)) {
      return {
        problem:
          `"${table}" has entries in one line, which cannot be edited safely; write each as [${table}.NAME]`,
        line: null,
      };
    }
    const written = value === undefined ? "" : entryText([table, name], value);
    if (written === null) {
      return { problem: `TOML cannot hold what "${table}.${name}" would be`, line: null };
    }
    text = replaceEntry(text, [table, name], written.replaceAll("\n", eol), eol);
  }
  return text;
}

/** Whether an entry, or the table of all of them, is written otherwise than under headers of their own. */
function isElsewhere(text: string, table: string, name: string): boolean {
  return sectionsOf(text).some(({ path, keys }) =>
    path === null
      ? keys.some(([first]) => first === table)
      : path.length === 1 && path[0] === table && keys.some(([first]) => first === name)
  );
}

/** Puts an entry where it stands, or at the end. */
function replaceEntry(text: string, path: readonly string[], written: string, eol: string): string {
  const [table, name] = path;
  const sections = sectionsOf(text);
  const mine = sections.filter((section) =>
    section.path?.[0] === table && section.path?.[1] === name
  );
  let after = text;
  for (const [index, { start, end }] of [...mine.entries()].reverse()) {
    const isFirst = index === 0;
    // With a table goes the blank line that set it off.
    const from = isFirst && written !== "" ? start : startOfBlank(after, start);
    after = `${after.slice(0, from)}${isFirst ? written : ""}${after.slice(end)}`;
  }
  if (mine.length > 0 || written === "") return after;
  const last = sections.findLast((section) => section.path?.[0] === table);
  if (last !== undefined && last.end < text.length) {
    return `${text.slice(0, last.end)}${eol}${written}${text.slice(last.end)}`;
  }
  const ended = text === "" || text.endsWith("\n") ? text : `${text}${eol}`;
  return `${ended}${ended.trim() === "" ? "" : eol}${written}`;
}

/** Where the blank line above a place begins; the place where there is none. */
function startOfBlank(text: string, at: number): number {
  const blank = /(?<=^|\n)[ \t]*\r?\n$/.exec(text.slice(0, at));
  return blank === null ? at : blank.index;
}
