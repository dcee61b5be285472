/** Reads what `gh api -i`, `glab api -i` and `curl -i` print: an answer of HTTP as it came. */

import type { ForgeAnswer } from "./port.ts";

/** What stands before the body of an answer. */
const HEAD = /^HTTP\/[0-9.]+ +([0-9]{3})[^\n]*\n((?:[^\s:][^\n:]*:[^\n]*\n)*)\r?\n/;

/** The answer in a text; null where none stands there, which is to say that the host has not answered. */
export function parseAnswer(text: string): ForgeAnswer | null {
  const found = HEAD.exec(text);
  if (found === null) return null;
  const [head, code = "0", lines = ""] = found;
  const rest = text.slice(head.length);
  const status = Number(code);
  // What is said on the way, such as "go on", is no answer yet.
  if (status < 200) return parseAnswer(rest);
  const headers = new Map(
    lines.split("\n").flatMap((line): [string, string][] => {
      const at = line.indexOf(":");
      return at < 1 ? [] : [[line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()]];
    }),
  );
  return { status, headers, body: bodyOf(rest) };
}

/** A body as JSON; as its text where it is none, null where it is empty. */
function bodyOf(text: string): unknown {
  if (text.trim() === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
