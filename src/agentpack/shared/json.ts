/**
 * Entries in JSON files, with comments where the tool that reads the file takes them.
 *
 * @module
 */

import type { Node, ParseError } from "jsonc-parser";
import { isObject } from "../../object.ts";
import type { EntryChanges, Table, Trouble } from "./types.ts";

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

/** Reads a table of a JSON text. */
export async function readJsonTable(
  given: string,
  table: string,
  comments: boolean,
): Promise<Table | Trouble> {
  const text = withoutMark(given);
  const { getNodeValue, parseTree, printParseErrorCode } = await import("jsonc-parser");
  const errors: ParseError[] = [];
  const options = { allowTrailingComma: comments, disallowComments: !comments };
  const root = parseTree(text, errors, options);
  const [error] = errors;
  if (error !== undefined) {
    const line = lineAt(text, error.offset);
    return { problem: `it is not valid JSON (${printParseErrorCode(error.error)})`, line };
  }
  if (root?.type !== "object") return { problem: "it holds no JSON object", line: 1 };
  const [first, second] = named(root, table);
  if (second !== undefined) {
    return { problem: `"${table}" stands in it twice`, line: lineAt(text, second.offset) };
  }
  const whole: unknown = getNodeValue(root);
  if (!isObject(whole)) return { problem: "it holds no JSON object", line: 1 };
  const value = first?.children?.[1];
  if (first === undefined || value === undefined) return { whole, entries: null };
  if (value.type !== "object") {
    return { problem: `"${table}" is no object`, line: lineAt(text, first.offset) };
  }
  const entries = new Map<string, unknown>();
  for (const child of value.children ?? []) {
    const [key, content] = child.children ?? [];
    if (key === undefined || content === undefined) continue;
    const name = String(key.value);
    if (entries.has(name)) {
      return {
        problem: `"${table}" has two entries of one name`,
        line: lineAt(text, child.offset),
      };
    }
    entries.set(name, getNodeValue(content));
  }
  return { whole, entries };
}

/** A JSON text with changed entries; the text of no file is empty. */
export async function editJson(
  given: string,
  table: string,
  changes: EntryChanges,
  dropsTable: boolean,
): Promise<string | Trouble> {
  const { parseTree } = await import("jsonc-parser");
  const { removeMember, setMember } = await import("./json_text.ts");
  let text = given === "" ? "{}\n" : withoutMark(given);
  const parsed = () => parseTree(text, [], { allowTrailingComma: true });
  const root = () => {
    const node = parsed();
    if (node === undefined) throw new TypeError("The text was read before and is no JSON now");
    return node;
  };
  const inTable = () => named(root(), table)[0]?.children?.[1];
  for (const [name, value] of changes) {
    const node = inTable();
    if (value === undefined) {
      if (node !== undefined) text = removeMember(text, node, name);
    } else if (node === undefined) text = setMember(text, root(), table, { [name]: value });
    else text = setMember(text, node, name, value);
  }
  const left = inTable();
  // A comment that somebody wrote in it keeps the table.
  const isEmpty = left !== undefined &&
    /^\{\s*\}$/.test(text.slice(left.offset, left.offset + left.length));
  if (dropsTable && isEmpty) text = removeMember(text, root(), table);
  return given.startsWith(MARK) ? `${MARK}${text}` : text;
}
