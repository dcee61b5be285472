/** What files that are shared with users are, and what is done to them (PACK-62). */

import { type Fields, fieldsOf } from "../../base/object.ts";
import { sha256 } from "../../base/hash.ts";
import { canonicalJson } from "../../base/policy/fingerprint.ts";

/** How a file is written: JSON, JSON in which the tool that reads it takes comments, TOML, or YAML with a list of them. */
type Syntax = "json" | "jsonc" | "toml" | "yaml";

/** A file with tables of which some entries are ours. */
export interface SharedFile {
  /** Relative to the root, a plain name. */
  readonly file: string;
  readonly syntax: Syntax;
  /** The member of the file that holds entries by their names; null where there is none. */
  readonly table: string | null;
  /** Whether its member {@linkcode LISTS} holds lists of entries, which have no names in the file. */
  readonly lists?: true;
  /** What else the tool wants in a file that did not exist. */
  readonly seed?: Fields;
}

/** The member that holds lists of entries by the events they belong to. */
export const LISTS = "hooks";

/** The start of the names that entries of lists are given: `hooks.PreToolUse.1f0c2b7a9d`. */
const LISTED = `${LISTS}.`;

/** Whether a name is one of an entry of a list. */
export function isListed({ lists }: SharedFile, name: string): boolean {
  return lists === true && name.startsWith(LISTED);
}

/** The event of an entry of a list. */
export function eventOf(name: string): string {
  return name.slice(LISTED.length, name.lastIndexOf("."));
}

/** The member of the file that an entry stands in. */
export function tableOf(shared: SharedFile, name: string): string {
  return isListed(shared, name) ? LISTS : shared.table ?? LISTS;
}

/** How an entry is called in answers: `mcpServers.github`, `hooks.PreToolUse.1f0c2b7a9d`. */
export function keyOf(shared: SharedFile, name: string): string {
  return isListed(shared, name) ? name : `${shared.table}.${name}`;
}

/** The name of an entry that is called so. */
export function nameOf(key: string): string {
  return key.startsWith(LISTED) ? key : key.slice(key.indexOf(".") + 1);
}

/** What a change makes of an entry; undefined takes it away. */
export type EntryChanges = ReadonlyMap<string, Fields | undefined>;

/** Why a text cannot be used, and in which line, counted from 1. */
export interface Trouble {
  readonly problem: string;
  readonly line: number | null;
}

/** What a file holds. */
export interface Table {
  /** Everything, as plain values. */
  readonly whole: Fields;
  /** The entries of all its tables by name. */
  readonly entries: ReadonlyMap<string, unknown>;
}

/** What of a file exists because of our entries, and goes with the last one: the file, the table or a list in it. */
export type Made = "file" | "table" | "list" | null;

/** What exists because of the entry of a name and others like it. */
export type MadeFor = (name: string) => Made;

const SERVERS = "mcpServers";

/** The files of servers, as they are called in a project where the tool has them there. */
export const SERVER_FILES = {
  "claude-code": { file: ".mcp.json", syntax: "json", table: SERVERS },
  "claude-desktop": { file: "claude_desktop_config.json", syntax: "json", table: SERVERS },
  cursor: { file: "mcp.json", syntax: "jsonc", table: SERVERS },
  vscode: { file: "mcp.json", syntax: "jsonc", table: "servers" },
  codex: { file: "config.toml", syntax: "toml", table: "mcp_servers" },
  windsurf: { file: "mcp_config.json", syntax: "json", table: SERVERS },
  // Settings of these two may have comments.
  gemini: { file: "settings.json", syntax: "jsonc", table: SERVERS },
  zed: { file: "settings.json", syntax: "jsonc", table: "context_servers" },
} as const satisfies Readonly<Record<string, SharedFile>>;

// Entries of lists (PACK-67): they have no names in a file, so each is named by its event and what it runs. Whoever
// changes how long it may take edits that entry; whoever changes what it runs, or for what, makes another one.

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
