/**
 * Files that users and programs share: of tables in them some entries are ours, everything else is not (PACK-62).
 *
 * An edit is made in the text, so that comments, order, indentation and line ends of the rest stay, and then proved: the
 * new text must read as the old one with exactly the changes that were asked for. What cannot be read, or cannot be
 * changed so, is refused and never rewritten.
 */

import { sha256 } from "../../base/hash.ts";
import { type Fields, fieldsOf } from "../../base/object.ts";
import { canonicalJson } from "../../base/policy/fingerprint.ts";
import { editJson, readJsonTables } from "./json.ts";
import { editToml, readTomlTable } from "./toml.ts";
import { listsAfter, withoutEmpty } from "./lists.ts";
import {
  type EntryChanges,
  isListed,
  LISTS,
  type MadeFor,
  type SharedFile,
  type Table,
  type Trouble,
} from "./types.ts";

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

/** Reads the tables of a text; answers why it cannot be used otherwise. */
export async function readTable(shared: SharedFile, text: string): Promise<Table | Trouble> {
  if (isBlank(text)) return { whole: {}, entries: new Map() };
  if (shared.syntax === "yaml") return (await import("./yaml.ts")).readYamlList(text, shared);
  return shared.syntax === "toml"
    ? await readTomlTable(text, shared.table ?? "")
    : await readJsonTables(text, shared);
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
  made: MadeFor,
): Promise<{ readonly text: string | null } | Trouble> {
  const before = await readTable(shared, text ?? "");
  if (isTrouble(before)) return before;
  const wanted = new Map(before.entries);
  for (const [name, value] of changes) {
    if (value === undefined) wanted.delete(name);
    else wanted.set(name, value);
  }
  const isNew = isBlank(text ?? "");
  const given = isNew ? "" : text ?? "";
  const edited = text === null && wanted.size === 0
    ? ""
    : shared.syntax === "yaml"
    ? (await import("./yaml.ts")).editYaml(given, shared, changes)
    : await (shared.syntax === "toml"
      ? editToml(given, shared.table ?? "", changes)
      : editJson(given, { shared, changes, made }));
  if (typeof edited !== "string") return edited;
  const after = await readTable(shared, edited);
  const seed = isNew && edited !== "" ? shared.seed ?? {} : {};
  const proves = !isTrouble(after) &&
    sameEntries(shared, after.entries, wanted) &&
    sameLists(
      listsAfter(shared, before.whole[LISTS], changes),
      withoutEmpty(after.whole[LISTS]),
      shared,
    ) &&
    canonicalJson(rest(shared, after.whole)) ===
      canonicalJson({ ...seed, ...rest(shared, before.whole) });
  if (!proves) {
    return {
      problem: `the entries of "${
        shared.table ?? LISTS
      }" are written in a way that cannot be edited safely`,
      line: null,
    };
  }
  const isOurs = [...changes.keys()].some((name) => made(name) === "file");
  const isEmpty = isOurs && wanted.size === 0 && holdsNothing(shared, edited);
  return { text: isEmpty ? null : edited };
}

/** Whether a text has neither members nor comments, but for what a new file begins with. */
function holdsNothing({ seed }: SharedFile, text: string): boolean {
  if (/^\ufeff?\s*(?:\{\s*\})?\s*$/.test(text)) return true;
  try {
    return seed !== undefined &&
      canonicalJson(JSON.parse(text.replace(/^\ufeff/, ""))) === canonicalJson(seed);
  } catch {
    return false;
  }
}

/** Whether entries with names are the same; those of lists have an order, too. */
function sameEntries(
  shared: SharedFile,
  a: ReadonlyMap<string, unknown>,
  b: ReadonlyMap<string, unknown>,
): boolean {
  const named = [...a].filter(([name]) => !isListed(shared, name));
  return named.length === [...b.keys()].filter((name) => !isListed(shared, name)).length &&
    named.every(([name, value]) => b.has(name) && entryHash(value) === entryHash(b.get(name)));
}

/** Whether the lists of a file hold the same in the same order. */
function sameLists(a: unknown, b: unknown, { lists }: SharedFile): boolean {
  return lists !== true || canonicalJson(plain(a)) === canonicalJson(plain(b));
}

/** What of a file no entry is in. */
function rest({ table, lists }: SharedFile, whole: Fields): Fields {
  const others = Object.entries(whole).filter(([member]) =>
    member !== table && (lists !== true || member !== LISTS)
  );
  return fieldsOf(plain(Object.fromEntries(others)));
}
