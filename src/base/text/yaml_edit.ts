/**
 * Edits YAML files that people write where they stand: comments, order, unknown keys, and the way everything else is
 * written stay.
 *
 * Block style and the items of flow lists are edited as text. Every edit is checked: the text must then say what was
 * meant and nothing else. Where it does not, the library writes the document anew, which keeps comments but may change
 * white space.
 */

import {
  type Document,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  parse,
  parseDocument,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { yamlScalar } from "./plain_yaml.ts";

/**
 * An edited text whose lines end like those of the text before: all with CR LF where all of them did, else as they
 * are.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { withEndsOf } from "./yaml_edit.ts";
 *
 * assertEquals(withEndsOf("a\r\n", "a\r\nb\n"), "a\r\nb\r\n");
 * assertEquals(withEndsOf("a\n", "a\nb\n"), "a\nb\n");
 * ```
 */
export function withEndsOf(before: string, after: string): string {
  const always = before.includes("\r\n") && !/(?<!\r)\n/.test(before);
  return always ? after.replace(/(?<!\r)\n/g, "\r\n") : after;
}

/** A place in a document: keys and indexes from the top. */
export type YamlPath = readonly (string | number)[];

/**
 * The edited text when it says what is meant, else the document as the library writes it after the same edit; lines
 * end as they did.
 */
function checked(
  text: string,
  edited: string | null,
  edit: (document: Document.Parsed) => void,
): string {
  const document = parseDocument(text);
  edit(document);
  const meant: unknown = document.toJS();
  if (edited !== null && says(edited, meant)) return withEndsOf(text, edited);
  const written = document.toString({
    lineWidth: 0,
    flowCollectionPadding: /[[{] /.test(text),
  });
  return withEndsOf(text, written);
}

function says(text: string, meant: unknown): boolean {
  try {
    // A text of comments alone holds as much as an empty map.
    return JSON.stringify(parse(text) ?? {}) === JSON.stringify(meant ?? {});
  } catch {
    return false;
  }
}

/** Where a node's own content ends: at its last scalar, so that comments behind it do not count. */
function contentEnd(node: unknown): number {
  if (isMap(node) || isSeq(node)) {
    const last: unknown = node.items[node.items.length - 1];
    const inner: unknown = isPair(last) ? last.value ?? last.key : last;
    const isBlock = node.flow !== true;
    if (isBlock && inner !== undefined && inner !== null) return contentEnd(inner);
  }
  return isNode(node) ? node.range?.[1] ?? 0 : 0;
}

function contentStart(node: unknown): number {
  return isNode(node) ? node.range?.[0] ?? 0 : 0;
}

function lineEnd(text: string, at: number): number {
  // A block scalar ends behind its last newline already.
  if (at > 0 && text[at - 1] === "\n") return at;
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end + 1;
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

/** Puts lines behind a place, with whatever newline is missing before them. */
function insertLines(text: string, at: number, indent: string, lines: readonly string[]): string {
  const before = text.slice(0, at);
  const separator = before === "" || before.endsWith("\n") ? "" : "\n";
  const block = lines.map((line) => `${indent}${line}\n`).join("");
  return `${before}${separator}${block}${text.slice(at)}`;
}

function pairOf(contents: unknown, key: string): { key: unknown; value: unknown } | null {
  if (!isMap(contents)) return null;
  return contents.items.find((pair) => isScalar(pair.key) && pair.key.value === key) ?? null;
}

// Readers that follow YAML 1.1 may take these for numbers: "1_000", "._0", "0o17".
const LIKE_A_NUMBER = /^[-+.]*[0-9_]/;

function inOneLine(value: unknown): string {
  return typeof value === "string" && (value.includes("\n") || LIKE_A_NUMBER.test(value))
    ? JSON.stringify(value)
    : stringify(value, { lineWidth: 0 }).trimEnd();
}

/** Sets a scalar in a document, in quotes where `inOneLine` has them. */
function setScalar(document: Document.Parsed, path: YamlPath, value: unknown): void {
  document.setIn(path, value);
  const node = document.getIn(path, true);
  if (typeof value === "string" && LIKE_A_NUMBER.test(value) && isScalar(node)) {
    node.type = "QUOTE_DOUBLE";
  }
}

function isEmptyValue(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (isScalar(value)) return value.value === null;
  return (isSeq(value) || isMap(value)) && value.items.length === 0;
}

/** The text with lines in block style behind the entries of a top-level key; null where that key is in flow style. */
function appended(text: string, key: string, lines: readonly string[]): string | null {
  const pair = pairOf(parseDocument(text).contents, key);
  if (pair === null) {
    return insertLines(text, text.length, "", [`${key}:`, ...lines.map((line) => `  ${line}`)]);
  }
  const { value } = pair;
  if (isEmptyValue(value)) {
    const keyEnd = isNode(pair.key) ? pair.key.range?.[1] ?? 0 : 0;
    const [from = 0, to = 0] = isNode(value) ? value.range ?? [] : [];
    const hasText = to > from && from > keyEnd;
    const cut = hasText ? text.slice(0, from).replace(/[ \t]+$/, "") + text.slice(to) : text;
    return insertLines(cut, lineEnd(cut, keyEnd), "  ", lines);
  }
  if ((!isSeq(value) && !isMap(value)) || value.flow === true) return null;
  const start = contentStart(value);
  const indent = " ".repeat(start - lineStart(text, start));
  return insertLines(text, lineEnd(text, contentEnd(value)), indent, lines);
}

/** Adds items, each written in block style in lines without its dash, at the end of a top-level list, in one edit. */
export function appendItems(
  text: string,
  key: string,
  items: readonly (readonly string[])[],
): string {
  if (items.length === 0) return text;
  const written = items.flatMap(([first = "", ...others]) => [
    `- ${first}`,
    ...others.map((line) => `  ${line}`),
  ]);
  const values: readonly unknown[] = items.map((lines) => parse(lines.join("\n")));
  return checked(text, appended(text, key, written), (document) => {
    const list = document.get(key);
    if (isSeq(list)) { for (const value of values) list.add(document.createNode(value)); }
    else document.set(key, document.createNode(values));
  });
}

/** Adds a key, written with its value in block style in `lines`, at the end of a top-level map. */
export function appendEntry(
  text: string,
  key: string,
  name: string,
  lines: readonly string[],
): string {
  const entry = parse(lines.join("\n")) as Record<string, unknown>;
  return checked(text, appended(text, key, lines), (document) => {
    document.setIn([key, name], document.createNode(entry[name]));
  });
}

function withScalar(text: string, map: YAMLMap, key: string, value: string): string {
  const last = map.items.at(-1);
  const end = contentEnd(last?.value ?? last?.key);
  const entry = `${key}: ${yamlScalar(value)}`;
  if (map.flow === true) return `${text.slice(0, end)}, ${entry}${text.slice(end)}`;
  const start = contentStart(map);
  // The keys of an item stand behind its dash.
  const indent = text.slice(lineStart(text, start), start).replaceAll(/[^ \t]/g, " ");
  return insertLines(text, lineEnd(text, end), indent, [entry]);
}

/** Adds a scalar at the end of the map at a path; nothing must stand there under that key. */
export function addScalar(text: string, path: YamlPath, key: string, value: string): string {
  const map = parseDocument(text).getIn(path, true);
  const edited = isMap(map) && map.items.length > 0 ? withScalar(text, map, key, value) : null;
  return checked(text, edited, (document) => setScalar(document, [...path, key], value));
}

/** The text with something else in the place of a scalar; null where there is none. */
function replaced(text: string, node: unknown, written: string): string | null {
  const [from, to] = (isScalar(node) ? node.range : null) ?? [];
  if (from === undefined || to === undefined) return null;
  // The place of a value that is missing is right behind the colon.
  const gap = text.charAt(from - 1) === ":" ? " " : "";
  return `${text.slice(0, from)}${gap}${written}${text.slice(to)}`;
}

/** Replaces the scalar at a path. */
export function replaceScalar(text: string, path: YamlPath, value: string): string {
  const node = parseDocument(text).getIn(path, true);
  const edited = replaced(text, node, yamlScalar(value));
  return checked(text, edited, (document) => setScalar(document, path, value));
}

/** A key of the top, or of a map under one. */
type EntryPath = readonly [key: string, inner?: string];

function withEntry(text: string, [key, inner]: EntryPath, value: unknown): string | null {
  const outer = pairOf(parseDocument(text).contents, key);
  const pair = inner === undefined ? outer : pairOf(outer?.value, inner);
  const line = `${inOneLine(inner ?? key)}: ${inOneLine(value)}`;
  if (pair !== null) return replaced(text, pair.value, inOneLine(value));
  return inner === undefined
    ? insertLines(text, text.length, "", [line])
    : appended(text, key, [line]);
}

/** Sets a scalar: in its place, else behind all others of its map. What keeps that map from standing there goes. */
export function setEntry(text: string, path: EntryPath, value: unknown): string {
  return checked(text, withEntry(text, path, value), (document) => {
    const [key, inner] = path;
    if (inner !== undefined && !isMap(document.get(key))) {
      document.set(key, document.createNode({}));
    }
    setScalar(document, inner === undefined ? [key] : [key, inner], value);
  });
}

function withoutEntry(text: string, [key, inner]: EntryPath): string {
  const outer = pairOf(parseDocument(text).contents, key);
  const only = isMap(outer?.value) && outer.value.items.length === 1;
  const pair = inner === undefined || only ? outer : pairOf(outer?.value, inner);
  if (pair === null) return text;
  const end = lineEnd(text, contentEnd(pair.value ?? pair.key));
  return text.slice(0, lineStart(text, contentStart(pair.key))) + text.slice(end);
}

/** Takes a key out, and the map that held it where it was alone there. A text without it stays as it is. */
export function removeEntry(text: string, path: EntryPath): string {
  if (!parseDocument(text).hasIn(path)) return text;
  return checked(text, withoutEntry(text, path), (document) => {
    const [key, inner] = path;
    if (inner !== undefined) document.deleteIn(path);
    const held = document.get(key);
    if (inner === undefined || isMap(held) && held.items.length === 0) document.delete(key);
  });
}

/** The text without an item of a block list, and without the comment lines right above it. */
function withoutBlock(text: string, list: YAMLSeq, index: number): string | null {
  const token = list.srcToken;
  if (token?.type !== "block-seq") return null;
  const dash = token.items[index]?.start.find((one) => one.type === "seq-item-ind");
  if (dash === undefined) return null;
  let from = lineStart(text, dash.offset);
  for (
    let above = lineStart(text, from - 1);
    from > 0 && /^[ \t]*#/.test(text.slice(above, from));
    above = lineStart(text, from - 1)
  ) from = above;
  const to = lineEnd(text, contentEnd(list.items[index]));
  // The first item may stand below comments about the whole list; those stay.
  const start = index === 0 ? lineStart(text, dash.offset) : from;
  return text.slice(0, start) + text.slice(to);
}

/** The text without the only item of a block list, which becomes an empty one. */
function emptied(text: string, list: YAMLSeq, key: string): string | null {
  if (list.flow === true) return null;
  const head = text.slice(0, lineStart(text, contentStart(list)));
  const at = head.lastIndexOf(`${key}:`);
  if (at < 0) return null;
  const end = at + key.length + 1;
  return `${head.slice(0, end)} []${head.slice(end)}${
    text.slice(lineEnd(text, contentEnd(list.items[0])))
  }`;
}

/** The text without an item of a list in one line. */
function withoutInline(text: string, list: YAMLSeq, index: number): string {
  const [item, before, behind] = [index, index - 1, index + 1].map((at) => list.items[at]);
  if (behind !== undefined) {
    return text.slice(0, contentStart(item)) + text.slice(contentStart(behind));
  }
  const from = before === undefined ? contentStart(item) : contentEnd(before);
  return text.slice(0, from) + text.slice(contentEnd(item));
}

/** Puts another item, in block style without its dash, in the place of the one at a path. */
export function replaceItem(text: string, path: YamlPath, lines: readonly string[]): string {
  const item = parseDocument(text).getIn(path, true);
  const start = contentStart(item);
  const indent = " ".repeat(start - lineStart(text, start));
  const isBlock = isMap(item) && item.flow !== true;
  const edited = isBlock
    ? text.slice(0, start) + lines.join(`\n${indent}`) + text.slice(contentEnd(item))
    : null;
  const value: unknown = parse(lines.join("\n"));
  return checked(text, edited, (document) => document.setIn(path, document.createNode(value)));
}

/** Takes the item at a path out of its list. Throws a `TypeError` where there is none. */
export function removeItem(text: string, path: YamlPath): string {
  const document = parseDocument(text, { keepSourceTokens: true });
  const index = Number(path.at(-1));
  const list = document.getIn(path.slice(0, -1), true);
  if (!isSeq(list) || list.items[index] === undefined) {
    throw new TypeError(`Cannot remove ${path.join(".")}: there is no such item`);
  }
  const edited = list.flow === true
    ? withoutInline(text, list, index)
    : list.items.length === 1
    ? emptied(text, list, String(path.at(-2)))
    : withoutBlock(text, list, index);
  return checked(text, edited, (fresh) => void fresh.deleteIn(path));
}
