/**
 * Texts in TOML, which knows neither carriage returns nor other control characters but tabs and line ends.
 *
 * @module
 */

import { rootCause } from "../../../base/error.ts";
import { type Fields, fieldsOf } from "../../../base/object.ts";

function escapedControls(text: string, kept: RegExp): string {
  return text.replace(kept, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A text between three quotation marks, over as many lines as it has. */
export function longText(text: string): string {
  const escaped = text.replaceAll("\\", "\\\\")
    .replace(/"{3,}|"+$/g, (marks) => '\\"'.repeat(marks.length));
  return `"""\n${escapedControls(escaped, /[\p{Cc}--[\t\n]]/gv)}"""`;
}

/** A text on one line. */
export function shortText(text: string): string {
  return escapedControls(JSON.stringify(text), /\p{Cc}/gu);
}

/** What a text of TOML holds, or why it holds nothing, to complete "it …". */
export async function readToml(text: string): Promise<Fields | string> {
  const { parse } = await import("@std/toml/parse");
  try {
    return fieldsOf(parse(text));
  } catch (error) {
    return `is not valid TOML (${rootCause(error)})`;
  }
}

/** Splits Markdown into its head, with the lines around it, and its text. */
export function cutHead(text: string): { readonly head: string; readonly body: string } {
  const head = /^---\r?\n(?:[^]*?\r?\n)?---(?:\r?\n|$)/.exec(text)?.[0] ?? "";
  return { head, body: text.slice(head.length).replace(/^\r?\n/, "") };
}
