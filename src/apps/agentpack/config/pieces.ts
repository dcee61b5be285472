/**
 * Reads a long configuration in pieces, between which others have their turn: reading thousands of modules at once
 * would keep everybody waiting.
 */

import { plainYaml } from "../../../base/text/plain_yaml.ts";

/** So many modules are read at once. */
const AT_ONCE = 200;

/** A configuration in pieces of text. */
interface Pieces {
  /** Everything but the modules. */
  readonly head: string;
  /** Some modules each, with how many. */
  readonly modules: readonly { readonly text: string; readonly count: number }[];
}

/** What one module may say about another one, or about the rest of the document. */
const ENTANGLED = /^(?:---|\.\.\.|%|\ufeff)|(?:^|[\s,[{:-])[&*]\S/m;

/** Takes a configuration apart; null for one that is short, or written in another way than usual. */
function takeApart(text: string): Pieces | null {
  if (ENTANGLED.test(text)) return null;
  const lines = text.split("\n");
  const start = lines.findIndex((line) => /^modules:\s*$/.test(line)) + 1;
  const indent = /^( *)- /.exec(lines[start] ?? "")?.[1];
  if (start === 0 || indent === undefined) return null;
  const begins = (line: string) => line.startsWith(`${indent}- `);
  const isInside = (line: string) =>
    begins(line) || /^\s*(?:#|$)/.test(line) || line.startsWith(`${indent} `);
  let end = start;
  while (end < lines.length && isInside(lines[end] ?? "")) end++;
  const firsts = [];
  for (let at = start; at < end; at++) if (begins(lines[at] ?? "")) firsts.push(at);
  if (firsts.length <= AT_ONCE) return null;
  const modules = [];
  for (let first = 0; first < firsts.length; first += AT_ONCE) {
    const last = firsts[first + AT_ONCE] ?? end;
    const count = Math.min(AT_ONCE, firsts.length - first);
    modules.push({ text: lines.slice(firsts[first], last).join("\n"), count });
  }
  return { head: [...lines.slice(0, start - 1), ...lines.slice(end)].join("\n"), modules };
}

/**
 * The value of a configuration, read in pieces; null where it has to be read as a whole, as whatever is wrong with it
 * has to be.
 */
export async function parseInPieces(
  text: string,
  parse: (text: string) => unknown,
  pause: () => Promise<void>,
): Promise<object | null> {
  const pieces = takeApart(text);
  if (pieces === null) return null;
  const attempt = (part: string): unknown => {
    try {
      return parse(part);
    } catch {
      return undefined;
    }
  };
  const head = attempt(pieces.head);
  if (head === null || typeof head !== "object" || Array.isArray(head) || "modules" in head) {
    return null;
  }
  const modules: unknown[] = [];
  for (const piece of pieces.modules) {
    await pause();
    const read = plainYaml(`modules:\n${piece.text}`)?.["modules"] ?? attempt(piece.text);
    if (!Array.isArray(read) || read.length !== piece.count) return null;
    modules.push(...read);
  }
  return { ...head, modules };
}
