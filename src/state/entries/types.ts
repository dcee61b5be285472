/** What files that are shared with users are, and what is done to them (PACK-62). */

import type { Fields } from "../../base/object.ts";

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
