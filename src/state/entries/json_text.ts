/**
 * Members of JSON objects and items of lists, set and taken away in the text: what stands around them, comments too, stays
 * where it is.
 */

import { createScanner, type Node } from "jsonc-parser";

/** The kinds of tokens that say nothing: `SyntaxKind` is a const enum, which isolated modules cannot read. */
const [COMMA, LINE_COMMENT, BLOCK_COMMENT, END] = [5, 12, 13, 17];

interface Token {
  readonly kind: number;
  readonly start: number;
  readonly end: number;
}

/** The commas and comments in a part of a text in which nothing else is but blanks. */
function tokens(text: string, from: number, to: number): Token[] {
  const scanner = createScanner(text.slice(from, to), false);
  const found: Token[] = [];
  for (let kind: number = scanner.scan(); kind !== END; kind = scanner.scan()) {
    const start = from + scanner.getTokenOffset();
    const end = start + scanner.getTokenLength();
    if (kind === COMMA || kind === LINE_COMMENT || kind === BLOCK_COMMENT) {
      found.push({ kind, start, end });
    }
  }
  return found;
}

function endOf(node: Node): number {
  return node.offset + node.length;
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

/** The blanks that the line of a place begins with. */
function indentOf(text: string, at: number): string {
  return /^[\t ]*/.exec(text.slice(lineStart(text, at)))?.[0] ?? "";
}

/** What one step of indentation is in a text, as far as it shows. */
function unitOf(text: string): string {
  return /^([\t ]+)\S/m.exec(text)?.[1] ?? "  ";
}

function eolOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

function splice(text: string, from: number, to: number, content: string): string {
  return `${text.slice(0, from)}${content}${text.slice(to)}`;
}

/** A value on lines of its own, those after the first with an indentation before them. */
function valueText(text: string, value: unknown, indent: string): string {
  return JSON.stringify(value, null, unitOf(text)).replaceAll("\n", `${eolOf(text)}${indent}`);
}

function findMember(object: Node, name: string): Node | undefined {
  return object.children?.find((child) => child.children?.[0]?.value === name);
}

/** Sets a member of an object of a text: in its place, or as the last one. */
export function setMember(text: string, object: Node, name: string, value: unknown): string {
  const there = findMember(object, name)?.children?.[1];
  return there === undefined
    ? append(text, object, `${JSON.stringify(name)}: `, value)
    : replace(text, { object, there, value });
}

/** Sets an item of a list of a text: in its place, or, where the place is none of the list, as the last one. */
export function setItem(text: string, list: Node, index: number, value: unknown): string {
  const there = list.children?.[index];
  return there === undefined
    ? append(text, list, "", value)
    : replace(text, { object: list, there, value });
}

function replace(
  text: string,
  { object, there, value }: {
    readonly object: Node;
    readonly there: Node;
    readonly value: unknown;
  },
): string {
  const isLong = text.slice(object.offset, endOf(object)).includes("\n");
  const written = isLong
    ? valueText(text, value, indentOf(text, there.offset))
    : JSON.stringify(value);
  return splice(text, there.offset, endOf(there), written);
}

/** Adds the last member or item; `label` is what stands before its value. */
function append(text: string, object: Node, label: string, value: unknown): string {
  const close = endOf(object) - 1;
  const last = object.children?.at(-1);
  if (last === undefined) return setFirst(text, object, { close, label, value });
  const between = tokens(text, endOf(last), close);
  const hasComma = between.some(({ kind }) => kind === COMMA);
  const isLong = text.slice(object.offset, close).includes("\n");
  if (!isLong) {
    const at = between.at(-1)?.end ?? endOf(last);
    const added = splice(
      text,
      at,
      at,
      `${hasComma ? "" : between.length === 0 ? "," : ""} ${label}${JSON.stringify(value)}`,
    );
    return hasComma || between.length === 0 ? added : splice(added, endOf(last), endOf(last), ",");
  }
  const indent = indentOf(text, last.offset);
  // Comments at the end are about what stands before them.
  const at = Math.max(endOf(last), between.at(-1)?.end ?? 0);
  const added = splice(
    text,
    at,
    at,
    `${eolOf(text)}${indent}${label}${valueText(text, value, indent)}`,
  );
  return hasComma ? added : splice(added, endOf(last), endOf(last), ",");
}

/** Sets the first member or item of what has none. */
function setFirst(
  text: string,
  object: Node,
  { close, label, value }: {
    readonly close: number;
    readonly label: string;
    readonly value: unknown;
  },
): string {
  const outer = indentOf(text, object.offset);
  const indent = `${outer}${unitOf(text)}`;
  const eol = eolOf(text);
  const from = tokens(text, object.offset + 1, close).at(-1)?.end ?? object.offset + 1;
  const member = `${label}${valueText(text, value, indent)}`;
  return splice(text, from, close, `${eol}${indent}${member}${eol}${outer}`);
}

/** Takes a member of an object of a text away, with the comma that set it off and the line that it leaves empty. */
export function removeMember(text: string, object: Node, name: string): string {
  const index = (object.children ?? []).findIndex((child) => child.children?.[0]?.value === name);
  return removeItem(text, object, index);
}

/** The same for an item of a list. */
export function removeItem(text: string, object: Node, index: number): string {
  const children = object.children ?? [];
  const member = children[index];
  if (member === undefined) return text;
  const next = children[index + 1];
  const previous = children[index - 1];
  const close = endOf(object) - 1;
  const behind = tokens(text, endOf(member), next?.offset ?? close)
    .find(({ kind }) => kind === COMMA);
  let after = text;
  if (behind !== undefined) after = splice(after, behind.start, behind.end, "");
  after = next === undefined && previous !== undefined
    ? removeLastLine(after, member.offset, endOf(member))
    : removeLine(after, member.offset, endOf(member));
  if (next !== undefined || previous === undefined || behind !== undefined) {
    return children.length === 1 ? closed(after, object.offset) : after;
  }
  const before = tokens(text, endOf(previous), member.offset).find(({ kind }) => kind === COMMA);
  return before === undefined ? after : splice(after, before.start, before.end, "");
}

/** Cuts a part of a text, with its whole line where nothing else is in it. */
function removeLine(text: string, from: number, to: number): string {
  const start = lineStart(text, from);
  const rest = /^[\t ]*\r?\n/.exec(text.slice(to))?.[0];
  const isAlone = text.slice(start, from).trim() === "";
  if (isAlone && rest !== undefined) return splice(text, start, to + rest.length, "");
  const blank = /^ +/.exec(text.slice(to))?.[0] ?? "";
  return splice(text, from, to + (isAlone ? 0 : blank.length), "");
}

/** The same for the last member: the line end before it was put there with it, the one behind it was not. */
function removeLastLine(text: string, from: number, to: number): string {
  const start = lineStart(text, from);
  const isAlone = text.slice(start, from).trim() === "" &&
    /^[ \t]*(?:\r?\n|$)/.test(text.slice(to));
  if (!isAlone) {
    const blank = /[\t ]*$/.exec(text.slice(0, from))?.[0] ?? "";
    return splice(text, from - blank.length, to, "");
  }
  const end = text.slice(0, start).endsWith("\r\n") ? start - 2 : start - 1;
  return splice(text, Math.max(0, end), to, "");
}

/** Closes an object that has become empty. */
function closed(text: string, open: number): string {
  const blank = /^\s*(?=[}\]])/.exec(text.slice(open + 1))?.[0];
  return blank === undefined ? text : splice(text, open + 1, open + 1 + blank.length, "");
}
