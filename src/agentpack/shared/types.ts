/**
 * What files that are shared with users are, and what is done to them (PACK-62).
 *
 * @module
 */

import type { Fields } from "../../object.ts";

/** How a file is written: JSON, JSON in which the tool that reads it takes comments, or TOML. */
export type Syntax = "json" | "jsonc" | "toml";

/** A file with a table of which some entries are ours. */
export interface SharedFile {
  /** Relative to the root, a plain name. */
  readonly file: string;
  readonly syntax: Syntax;
  /** The member of the file that holds the entries by their names. */
  readonly table: string;
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
  /** The entries by name; null where the table is not there. */
  readonly entries: ReadonlyMap<string, unknown> | null;
}

/** What should become of a file when nothing of ours is left in it. */
export type Made = "file" | "table" | null;
