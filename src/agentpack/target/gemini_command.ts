/**
 * Commands in the form of Gemini CLI: TOML with a `prompt` and a `description` (PACK-66).
 *
 * @module
 */

import { isObject } from "../../object.ts";
import { decodeText, encodeText } from "../bytes.ts";
import { bytesOf, type Content } from "../content.ts";
import { rootCause } from "../../error.ts";

/** Why a TOML file is no command of Gemini CLI, to complete "it …"; null when it is one. */
export async function tomlCommandProblem(text: string): Promise<string | null> {
  const { parse } = await import("@std/toml/parse");
  let whole: unknown;
  try {
    whole = parse(text);
  } catch (error) {
    return `is not valid TOML (${rootCause(error)})`;
  }
  const { prompt, description } = isObject(whole) ? whole : {};
  if (typeof prompt !== "string" || prompt.trim() === "") return "needs a prompt";
  return description === undefined || typeof description === "string"
    ? null
    : "has a description that is no text";
}

/** A text between three quotation marks. */
function longText(text: string): string {
  const escaped = text.replaceAll("\\", "\\\\")
    .replace(/"{3,}|"+$/g, (marks) => '\\"'.repeat(marks.length))
    // TOML has neither carriage returns nor other control characters but tabs and line ends.
    .replace(
      /[\p{Cc}--[\t\n]]/gv,
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
  return `"""\n${escaped}"""`;
}

/** A command out of Markdown, or why there is none, to complete "it …". */
export function commandFrom(
  content: Content,
  described: string | null,
): { readonly bytes: Uint8Array } | string {
  const text = decodeText(bytesOf(content) ?? new Uint8Array());
  if (text === null) return "is not valid UTF-8";
  const head = /^---\r?\n(?:[^]*?\r?\n)?---(?:\r?\n|$)/.exec(text)?.[0] ?? "";
  const body = text.slice(head.length).replace(/^\r?\n/, "");
  if (/!`|!bash/.test(body)) return "runs programs, which have no such form there";
  if (/[!@]\{/.test(body)) return "has !{ or @{, which would run or read something there";
  const line = /^description:[ \t]*(.*?)[ \t]*\r?$/m.exec(head)?.[1] ?? "";
  const plain = /^(["'])(.*)\1$/.exec(line)?.[2] ?? line;
  const description = plain === "" || /^[>|]/.test(plain) ? described : plain;
  const prompt = body.replaceAll("$ARGUMENTS", "{{args}}");
  return {
    bytes: encodeText(
      `${description === null ? "" : `description = ${JSON.stringify(description)}\n`}prompt = ${
        longText(prompt)
      }\n`,
    ),
  };
}
