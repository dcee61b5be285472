/** Entries in YAML files, where they are the items of a list that have a `name`. */

import { isMap, isSeq, LineCounter, parseDocument, stringify } from "yaml";
import { type Fields, fieldsOf, isObject } from "../../base/object.ts";
import { appendItems, removeItem, replaceItem } from "../../base/text/yaml_edit.ts";
import type { EntryChanges, SharedFile, Table, Trouble } from "./types.ts";

const MARK = "\ufeff";

/** A text without its byte order mark, and that mark. */
function splitByteOrderMark(text: string): readonly [mark: string, text: string] {
  return text.startsWith(MARK) ? [MARK, text.slice(MARK.length)] : ["", text];
}

/** What the items of a list are called: those without a name by what they use, or by their place among such. */
function namesOf(items: readonly unknown[]): string[] {
  let nameless = 0;
  return items.map((item) => {
    const { name, uses } = fieldsOf(item);
    return String(name ?? uses ?? `#${nameless++}`);
  });
}

/** The list of a table; empty where there is none, null where something else stands there. */
function itemsOf(whole: Fields, table: string): readonly unknown[] | null {
  const list = whole[table] ?? [];
  return Array.isArray(list) ? list : null;
}

/** Reads the list of a YAML text. */
export function readYamlList(given: string, { table }: SharedFile): Table | Trouble {
  const [, text] = splitByteOrderMark(given);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line } = lines.linePos(error.pos[0]);
    return { problem: `it is not valid YAML (${error.code})`, line };
  }
  const whole: unknown = document.toJS() ?? {};
  if (!isObject(whole)) return { problem: "it holds no YAML mapping", line: 1 };
  const items = itemsOf(whole, table ?? "");
  if (items === null) return { problem: `"${table}" is no list`, line: null };
  const names = namesOf(items);
  if (new Set(names).size < names.length) {
    return { problem: `"${table}" has two entries of one name`, line: null };
  }
  const entries = names.map((name, index): [string, unknown] => {
    const { name: _, ...value } = fieldsOf(items[index]);
    return [name, isObject(items[index]) ? value : items[index]];
  });
  return { whole, entries: new Map(entries) };
}

/** A YAML text with changed entries; the text of no file is empty. */
export function editYaml(
  given: string,
  { table, seed }: SharedFile,
  changes: EntryChanges,
): string {
  const key = table ?? "";
  const [mark, before] = splitByteOrderMark(given);
  let text = before === "" && seed !== undefined ? stringify(seed) : before;
  for (const [name, value] of changes) {
    const items = itemsOf(fieldsOf(parseDocument(text).toJS()), key) ?? [];
    const index = namesOf(items).indexOf(name);
    const lines = stringify({ name, ...value }, { lineWidth: 0 }).trimEnd().split("\n");
    if (value === undefined) text = index < 0 ? text : removeItem(text, [key, index]);
    else if (index < 0) text = appendItems(text, key, [lines]);
    else text = replaceItem(text, [key, index], lines);
  }
  return `${mark}${text}`;
}

/** Where the entries of these names stand in a YAML text. */
export function yamlRanges(
  text: string,
  { table }: SharedFile,
  names: readonly string[],
): readonly { readonly start: number; readonly end: number }[] {
  const [mark, body] = splitByteOrderMark(text);
  const root = parseDocument(body).contents;
  const list: unknown = isMap(root) ? root.get(table ?? "", true) : null;
  if (!isSeq(list)) return [];
  return list.items.flatMap((item) => {
    const [start, end] = isMap(item) ? item.range ?? [] : [];
    const isOurs = isMap(item) && names.includes(String(item.get("name")));
    return isOurs && start !== undefined && end !== undefined
      ? [{ start: start + mark.length, end: end + mark.length }]
      : [];
  });
}
