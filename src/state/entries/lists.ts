/**
 * Entries of lists (PACK-67): they have no names in a file, so each is named by its event and what it runs. Whoever
 * changes how long it may take edits that entry; whoever changes what it runs, or for what, makes another one.
 */

import { sha256 } from "../../base/hash.ts";
import { type Fields, fieldsOf } from "../../base/object.ts";
import { canonicalJson } from "../../base/policy/fingerprint.ts";
import { type EntryChanges, eventOf, isListed, LISTS, type SharedFile } from "./types.ts";

/** The commands that an entry runs: its own, or those of the group that it is. */
export function commandsOf(entry: Fields): string[] {
  const group: readonly unknown[] = Array.isArray(entry["hooks"]) ? entry["hooks"] : [];
  return [entry, ...group.map(fieldsOf)].flatMap(({ command }) =>
    typeof command === "string" ? [command] : []
  );
}

/** The name of an entry of a list. */
export function listedName(event: string, value: unknown): string {
  const entry = fieldsOf(value);
  const commands = commandsOf(entry);
  const told = commands.length === 0 ? value : [entry["matcher"] ?? "", commands];
  return `${LISTS}.${event}.${sha256(canonicalJson(told ?? null)).slice(0, 10)}`;
}

/** The names of the entries of a list in their order; of several that run the same the later ones get numbers. */
export function listedNames(event: string, values: readonly unknown[]): string[] {
  const seen = new Map<string, number>();
  return values.map((value) => {
    const name = listedName(event, value);
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name}#${count}`;
  });
}

/** The lists of a table; members that are none, such as switches, are nobody's entries. */
function listsOf(table: unknown): [event: string, values: readonly unknown[]][] {
  return Object.entries(fieldsOf(table)).flatMap(([event, values]) =>
    Array.isArray(values) ? [[event, values]] : []
  );
}

/** The entries of all lists by name. */
export function listedEntries(table: unknown): Map<string, unknown> {
  const entries = new Map<string, unknown>();
  for (const [event, values] of listsOf(table)) {
    const names = listedNames(event, values);
    for (const [index, value] of values.entries()) entries.set(names[index] ?? "", value);
  }
  return entries;
}

/** What the table has to hold after changes: every list in its order, new entries at its end. Empty lists do not count. */
export function listsAfter(shared: SharedFile, table: unknown, changes: EntryChanges): Fields {
  const after: Record<string, unknown> = { ...fieldsOf(table) };
  for (const [name, value] of changes) {
    if (!isListed(shared, name)) continue;
    const event = eventOf(name);
    const list: readonly unknown[] = Array.isArray(after[event]) ? after[event] : [];
    const index = listedNames(event, list).indexOf(name);
    after[event] = value === undefined
      ? list.filter((_, at) => at !== index)
      : index < 0
      ? [...list, value]
      : list.map((one, at) => at === index ? value : one);
  }
  return withoutEmpty(after);
}

/** A table without lists that hold nothing. */
export function withoutEmpty(table: unknown): Fields {
  return Object.fromEntries(
    Object.entries(fieldsOf(table)).filter(([, value]) =>
      !Array.isArray(value) || value.length > 0
    ),
  );
}
