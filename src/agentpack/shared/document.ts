/**
 * Files that users and programs share: of one table in them some entries are ours, everything else is not (PACK-62).
 *
 * An edit is made in the text, so that comments, order, indentation and line ends of the rest stay, and then proved: the
 * new text must read as the old one with exactly the changes that were asked for. What cannot be read, or cannot be
 * changed so, is refused and never rewritten.
 *
 * @module
 */

import { sha256 } from "../../hash.ts";
import type { Fields } from "../../object.ts";
import { canonicalJson } from "../../policy/fingerprint.ts";
import { AgentpackError } from "../error.ts";
import { editJson, readJsonTable } from "./json.ts";
import { editToml, readTomlTable } from "./toml.ts";
import type { EntryChanges, Made, SharedFile, Table, Trouble } from "./types.ts";

/** The error for a shared file that cannot be used. */
export function sharedFileError(path: string, { problem, line }: Trouble): AgentpackError {
  const where = line === null ? path : `${path}:${line}`;
  return new AgentpackError(
    "E_SHARED_FILE_INVALID",
    `Cannot edit "${where}": ${problem}; it was left as it is`,
    { path, line, error: problem },
  );
}

/** The hash of an entry: whatever the order of its members, and however it is written. */
export function entryHash(value: unknown): string {
  return sha256(canonicalJson(plain(value)));
}

/** A value as JSON has it: dates of TOML become texts. */
function plain(value: unknown): unknown {
  return value === undefined ? null : JSON.parse(JSON.stringify(value)) as unknown;
}

/** Whether a text holds nothing yet. */
function isBlank(text: string): boolean {
  return text.replace(/^\ufeff/, "").trim() === "";
}

/** Reads the table of a text; answers why it cannot be used otherwise. */
export async function readTable(shared: SharedFile, text: string): Promise<Table | Trouble> {
  if (isBlank(text)) return { whole: {}, entries: null };
  return shared.syntax === "toml"
    ? await readTomlTable(text, shared.table)
    : await readJsonTable(text, shared.table, shared.syntax === "jsonc");
}

/** Whether something can be read, or why not. */
export function isTrouble(read: Table | Trouble): read is Trouble {
  return "problem" in read;
}

/**
 * A text with changed entries; null stands for no file, before and after. `made` says what of it exists only because of
 * entries that are ours, and goes with the last one. Answers why that cannot be done otherwise.
 */
export async function editEntriesOf(
  shared: SharedFile,
  text: string | null,
  changes: EntryChanges,
  made: Made,
): Promise<{ readonly text: string | null } | Trouble> {
  const before = await readTable(shared, text ?? "");
  if (isTrouble(before)) return before;
  const wanted = new Map(before.entries ?? []);
  for (const [name, value] of changes) {
    if (value === undefined) wanted.delete(name);
    else wanted.set(name, value);
  }
  const dropsTable = wanted.size === 0 && made !== null;
  const { [shared.table]: _table, ...others } = before.whole;
  const edit = shared.syntax === "toml" ? editToml : editJson;
  const edited = text === null && wanted.size === 0
    ? ""
    : await edit(isBlank(text ?? "") ? "" : text ?? "", shared.table, changes, dropsTable);
  if (typeof edited !== "string") return edited;
  const after = await readTable(shared, edited);
  const proves = !isTrouble(after) &&
    sameEntries(after.entries ?? new Map(), wanted) &&
    sameRest(after.whole, others, shared.table);
  if (!proves) {
    return {
      problem: `the entries of "${shared.table}" are written in a way that cannot be edited safely`,
      line: null,
    };
  }
  const isEmpty = made === "file" && wanted.size === 0 && holdsNothing(edited);
  return { text: isEmpty ? null : edited };
}

/** Whether a text has neither members nor comments. */
function holdsNothing(text: string): boolean {
  return /^\ufeff?\s*(?:\{\s*\})?\s*$/.test(text);
}

function sameEntries(
  a: ReadonlyMap<string, unknown>,
  b: ReadonlyMap<string, unknown>,
): boolean {
  return a.size === b.size &&
    [...a].every(([name, value]) => b.has(name) && entryHash(value) === entryHash(b.get(name)));
}

function sameRest(whole: Fields, others: Fields, table: string): boolean {
  const { [table]: _table, ...rest } = whole;
  return canonicalJson(plain(rest)) === canonicalJson(plain(others));
}
