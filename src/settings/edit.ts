/**
 * Changes one setting in the text of the user file. All else in it, comments and blanks too, stays as it was written.
 *
 * @module
 */

import {
  isMap,
  isPair,
  isScalar,
  type Node,
  type Pair,
  parseDocument,
  stringify,
  type YAMLMap,
} from "yaml";

/** The way to a setting in the file: `["aliases", "st"]`. */
function placeOfName(name: string): readonly string[] {
  return name.startsWith("aliases.") ? ["aliases", name.slice("aliases.".length)] : [name];
}

function written(value: unknown): string {
  return typeof value === "string" && value.includes("\n")
    ? JSON.stringify(value)
    : stringify(value, { lineWidth: 0 }).trimEnd();
}

function pairOf(map: unknown, key: string): Pair<Node, Node | null> | undefined {
  return isMap(map)
    ? map.items.find((item): item is Pair<Node, Node | null> =>
      isPair(item) && isScalar(item.key) && String(item.key.value) === key
    )
    : undefined;
}

/** Where a pair begins: the start of the line of its key. */
function startOf(text: string, pair: Pair<Node, Node | null>): number {
  return text.lastIndexOf("\n", (pair.key.range?.[0] ?? 0) - 1) + 1;
}

/** Where a pair ends: behind the line of its value. */
function endOf(text: string, pair: Pair<Node, Node | null>): number {
  const value = pair.value?.range?.[1] ?? pair.key.range?.[1] ?? 0;
  // The end of a block is the beginning of the line behind it.
  const at = text.charAt(value - 1) === "\n" ? value - 1 : value;
  const line = text.indexOf("\n", at);
  return line < 0 ? text.length : line + 1;
}

function isBlock(map: unknown): map is YAMLMap<Node, Node | null> {
  return isMap(map) && map.flow !== true && map.items.length > 0;
}

/** The text with lines added, each of them whole. */
function inserted(text: string, at: number, lines: string): string {
  const before = text.slice(0, at);
  return `${before}${before === "" || before.endsWith("\n") ? "" : "\n"}${lines}\n${
    text.slice(at)
  }`;
}

/** The text with a value set; null where it is written in a way that only writing all of it anew can change. */
function set(text: string, place: readonly string[], value: unknown): string | null {
  const root = parseDocument(text, { logLevel: "silent" }).contents;
  if (root !== null && !isBlock(root)) return null;
  const [first = "", second] = place;
  const pair = pairOf(root, first);
  if (pair === undefined) {
    const lines = second === undefined
      ? `${first}: ${written(value)}`
      : `${first}:\n  ${written(second)}: ${written(value)}`;
    return inserted(text, text.length, lines);
  }
  const inner = second === undefined ? pair : pairOf(pair.value, second);
  if (inner === undefined) {
    if (isBlock(pair.value)) {
      const last = pair.value.items.at(-1);
      const key = pair.value.items[0]?.key.range?.[0];
      if (last === undefined || key === undefined) return null;
      const indent = key - (text.lastIndexOf("\n", key - 1) + 1);
      const line = `${" ".repeat(indent)}${written(second)}: ${written(value)}`;
      return inserted(text, endOf(text, last), line);
    }
    if (isMap(pair.value) || second === undefined) return null;
    return inserted(text, endOf(text, pair), `  ${written(second)}: ${written(value)}`);
  }
  const [from, to] = inner.value?.range ?? [];
  if (from === undefined || to === undefined || !isScalar(inner.value)) return null;
  // A value that is missing has its place right behind the colon.
  const gap = text.charAt(from - 1) === ":" ? " " : "";
  return `${text.slice(0, from)}${gap}${written(value)}${text.slice(to)}`;
}

/** The text without a setting; null as for {@linkcode set}. */
function unset(text: string, [first = "", second]: readonly string[]): string | null {
  const root = parseDocument(text, { logLevel: "silent" }).contents;
  if (!isBlock(root)) return null;
  const outer = pairOf(root, first);
  const inner = second === undefined ? outer : pairOf(outer?.value, second);
  if (outer === undefined || inner === undefined) return text;
  if (inner !== outer && !isBlock(outer.value)) return null;
  const pair = isMap(outer.value) && inner !== outer && outer.value.items.length === 1
    ? outer
    : inner;
  return text.slice(0, startOf(text, pair)) + text.slice(endOf(text, pair));
}

/** The text with the whole of it written anew. */
function rewritten(text: string, place: readonly string[], value: unknown): string {
  const document = parseDocument(text, { logLevel: "silent" });
  const [first = ""] = place;
  if (value === undefined) document.deleteIn(place);
  else {
    const holds = isMap(document.contents) && !isMap(document.get(first));
    if (place.length > 1 && holds) document.delete(first);
    document.setIn(place, value);
  }
  return document.toString({ lineWidth: 0 });
}

/** What a text says of everything but one place. */
function others(text: string, [first = "", second]: readonly string[]): string {
  const whole = parseDocument(text, { logLevel: "silent" }).toJS() as unknown;
  const { [first]: inner, ...rest } = (whole ?? {}) as Record<string, unknown>;
  const { [second ?? ""]: _, ...beside } = (second === undefined ? {} : inner ?? {}) as Record<
    string,
    unknown
  >;
  return JSON.stringify([rest, beside]);
}

/** The text with a setting set, or taken out where the value is undefined. The text must be valid YAML. */
export function editSettings(text: string, name: string, value: unknown): string {
  const place = placeOfName(name);
  const edited = value === undefined ? unset(text, place) : set(text, place, value);
  if (edited === null) return rewritten(text, place, value);
  const again = parseDocument(edited, { logLevel: "silent" });
  const holds = again.errors.length === 0 &&
    JSON.stringify(again.getIn(place)) === JSON.stringify(value) &&
    others(text, place) === others(edited, place);
  return holds ? edited : rewritten(text, place, value);
}
