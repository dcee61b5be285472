/**
 * Reads XML as a tree of elements. Entities of its own, document types and processing instructions are refused: they
 * can read files and expand without bound.
 */

import { SaxesParser } from "saxes";
import { unreadable } from "./imported.ts";

/** An element. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
}

const MOST_ELEMENTS = 50_000;
const DEEPEST = 50;

/** The root element of a text. Throws `invalid_arguments`. */
export function xmlOf(text: string, shown: string): Element {
  const parser = new SaxesParser({ position: true });
  type Open = { name: string; attributes: Record<string, string>; children: Open[] };
  const open: Open[] = [];
  let root: Open | null = null;
  let elements = 0;
  const refuse = (why: string): never => {
    throw unreadable(shown, `${why} (line ${parser.line})`);
  };
  parser.on("error", (error) => refuse(error.message.replace(/^\d+:\d+: /, "").replace(/\.$/, "")));
  parser.on("doctype", () => refuse("a document type is not allowed"));
  parser.on("processinginstruction", () => refuse("a processing instruction is not allowed"));
  parser.on("opentag", ({ name, attributes }) => {
    if (++elements > MOST_ELEMENTS) refuse(`it has more than ${MOST_ELEMENTS} elements`);
    if (open.length >= DEEPEST) refuse(`it is nested deeper than ${DEEPEST} levels`);
    const texts = Object.entries(attributes).map(([key, value]) => [key, String(value)] as const);
    const element: Open = { name, attributes: Object.fromEntries(texts), children: [] };
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  });
  parser.on("closetag", () => void open.pop());
  parser.write(text).close();
  return root ?? refuse("it has no element");
}
