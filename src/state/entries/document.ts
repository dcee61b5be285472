/**
 * Files that users and programs share: of tables in them some entries are ours, everything else is not (PACK-62).
 *
 * An edit is made in the text, so that comments, order, indentation and line ends of the rest stay. Then it is proved:
 * the new text must read as the old one with exactly the changes that were asked for. What cannot be read, or cannot
 * be changed so, is refused and never rewritten.
 */

import type { Node, ParseError } from "jsonc-parser";

import { sha256 } from "../../base/hash.ts";
import { type Fields, fieldsOf, isObject, jsonIn } from "../../base/object.ts";
import { canonicalJson } from "../../base/policy/fingerprint.ts";
import { editToml, readTomlTable } from "./toml.ts";
import {
  type EntryChanges,
  eventOf,
  isListed,
  listedEntries,
  listedNames,
  LISTS,
  listsAfter,
  type Made,
  type MadeFor,
  type SharedFile,
  type Table,
  tableOf,
  type Trouble,
  withoutEmpty,
} from "./types.ts";

const MARK = "\ufeff";

function withoutMark(text: string): string {
  return text.startsWith(MARK) ? text.slice(MARK.length) : text;
}

/** The line of a place in a text, counted from 1. */
function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** The members of an object with a name: JSON may have several, of which tools take one or another. */
function named(node: Node, name: string): Node[] {
  return (node.children ?? []).filter((child) => child.children?.[0]?.value === name);
}

/** Reads the tables of a JSON text. */
async function readJsonTables(
  given: string,
  shared: SharedFile,
): Promise<Table | Trouble> {
  const text = withoutMark(given);
  const comments = shared.syntax === "jsonc";
  const { getNodeValue, parseTree, printParseErrorCode } = await import("jsonc-parser");
  const errors: ParseError[] = [];
  const options = { allowTrailingComma: comments, disallowComments: !comments };
  const root = parseTree(text, errors, options);
  const [error] = errors;
  if (error !== undefined) {
    const line = lineAt(text, error.offset);
    return { problem: `it is not valid JSON (${printParseErrorCode(error.error)})`, line };
  }
  const whole: unknown = root?.type === "object" ? getNodeValue(root) : null;
  if (root?.type !== "object" || !isObject(whole)) {
    return { problem: "it holds no JSON object", line: 1 };
  }
  const entries = new Map<string, unknown>();
  for (const table of [shared.table, shared.lists === true ? LISTS : null]) {
    if (table === null) continue;
    const read = membersOf(text, root, table);
    if ("problem" in read) return read;
    const isNamed = table === shared.table;
    for (const { name, node } of isNamed ? read.members : []) {
      // No tool has entries that are called as those of lists are here.
      if (!isListed(shared, name)) entries.set(name, getNodeValue(node));
    }
  }
  const listed = shared.lists === true ? listedEntries(whole[LISTS]) : new Map<string, unknown>();
  return { whole, entries: new Map([...entries, ...listed]) };
}

/** The members of a table of a text; none where it is not there. */
function membersOf(
  text: string,
  root: Node,
  table: string,
): { readonly members: readonly { readonly name: string; readonly node: Node }[] } | Trouble {
  const [first, second] = named(root, table);
  if (second !== undefined) {
    return { problem: `"${table}" stands in it twice`, line: lineAt(text, second.offset) };
  }
  const value = first?.children?.[1];
  if (first === undefined || value === undefined) return { members: [] };
  if (value.type !== "object") {
    return { problem: `"${table}" is no object`, line: lineAt(text, first.offset) };
  }
  const members = new Map<string, Node>();
  for (const child of value.children ?? []) {
    const [key, content] = child.children ?? [];
    if (key === undefined || content === undefined) continue;
    const name = String(key.value);
    if (members.has(name)) {
      return {
        problem: `"${table}" has two entries of one name`,
        line: lineAt(text, child.offset),
      };
    }
    members.set(name, content);
  }
  return { members: [...members].map(([name, node]) => ({ name, node })) };
}

/** What a text is edited with; loaded when one is. */
type Tools =
  & Pick<typeof import("jsonc-parser"), "getNodeValue" | "parseTree">
  & typeof import("./json_text.ts");

/** A JSON text while its entries are changed. */
class JsonEdit {
  text: string;
  readonly #shared: SharedFile;
  readonly #tools: Tools;

  constructor(text: string, shared: SharedFile, tools: Tools) {
    this.text = text;
    this.#shared = shared;
    this.#tools = tools;
  }

  /** Writes an entry, or removes it where there is no value. */
  set(name: string, value: Fields | undefined): void {
    const { table } = this.#shared;
    if (isListed(this.#shared, name)) this.#setListed(name, value);
    else if (table !== null) this.#setNamed(table, name, value);
  }

  /** Removes what is empty of what was made for an entry: its list, and its table unless only the list was made. */
  removeEmpty(name: string, goes: NonNullable<Made>): void {
    const table = tableOf(this.#shared, name);
    const inTable = this.#nodeAt(table);
    const event = eventOf(name);
    if (
      isListed(this.#shared, name) && inTable !== undefined &&
      this.#isEmpty(this.#nodeAt(table, event))
    ) {
      this.text = this.#tools.removeMember(this.text, inTable, event);
    }
    if (goes !== "list" && this.#isEmpty(this.#nodeAt(table))) {
      this.text = this.#tools.removeMember(this.text, this.#root(), table);
    }
  }

  #root(): Node {
    const node = this.#tools.parseTree(this.text, [], { allowTrailingComma: true });
    if (node === undefined) throw new TypeError("The text was read before and is no JSON now");
    return node;
  }

  /** The object or list that members lead to. */
  #nodeAt(...path: readonly string[]): Node | undefined {
    return path.reduce<Node | undefined>(
      (node, name) => node === undefined ? undefined : named(node, name)[0]?.children?.[1],
      this.#root(),
    );
  }

  /** Whether nothing is in an object or list; a comment that somebody wrote there keeps it. */
  #isEmpty(node: Node | undefined): boolean {
    return node !== undefined &&
      /^(?:\{\s*\}|\[\s*\])$/.test(this.text.slice(node.offset, node.offset + node.length));
  }

  #setListed(name: string, value: Fields | undefined): void {
    const { getNodeValue, removeItem, setItem, setMember } = this.#tools;
    const event = eventOf(name);
    const list = this.#nodeAt(LISTS, event);
    const values: unknown = list === undefined ? [] : getNodeValue(list);
    const index = listedNames(event, Array.isArray(values) ? values : []).indexOf(name);
    if (value === undefined) {
      if (list !== undefined && index >= 0) this.text = removeItem(this.text, list, index);
    } else if (list !== undefined) this.text = setItem(this.text, list, index, value);
    else {
      const table = this.#nodeAt(LISTS);
      this.text = table === undefined
        ? setMember(this.text, this.#root(), LISTS, { [event]: [value] })
        : setMember(this.text, table, event, [value]);
    }
  }

  #setNamed(table: string, name: string, value: Fields | undefined): void {
    const { removeMember, setMember } = this.#tools;
    const node = this.#nodeAt(table);
    if (value === undefined) {
      if (node !== undefined) this.text = removeMember(this.text, node, name);
    } else {
      this.text = node === undefined
        ? setMember(this.text, this.#root(), table, { [name]: value })
        : setMember(this.text, node, name, value);
    }
  }
}

/** A JSON text with changed entries; the text of no file is empty. */
async function editJson(
  given: string,
  { shared, changes, made }: {
    readonly shared: SharedFile;
    readonly changes: EntryChanges;
    readonly made: MadeFor;
  },
): Promise<string | Trouble> {
  const tools = { ...await import("jsonc-parser"), ...await import("./json_text.ts") };
  const text = given === ""
    ? `${JSON.stringify(shared.seed ?? {}, null, 2)}\n`
    : withoutMark(given);
  const edit = new JsonEdit(text, shared, tools);
  for (const [name, value] of changes) edit.set(name, value);
  for (const name of changes.keys()) {
    const goes = made(name);
    if (goes !== null) edit.removeEmpty(name, goes);
  }
  return given.startsWith(MARK) ? `${MARK}${edit.text}` : edit.text;
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
  const value = seed === undefined ? undefined : jsonIn(text.replace(/^\ufeff/, ""));
  return value !== undefined && canonicalJson(value) === canonicalJson(seed);
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
