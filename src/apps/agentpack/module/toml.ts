/**
 * Modules in TOML: subagents in the form of Codex, a `name`, a `description` and `developer_instructions` (PACK-68), and
 * commands in that of Gemini CLI, a `prompt` and a `description` (PACK-66).
 */

import { rootCause } from "../../../base/error.ts";
import { type Fields, fieldsOf } from "../../../base/object.ts";
import { list } from "../../../base/text/words.ts";
import { bytesOf, type Content, decodeText, encodeText, withoutMark } from "../content.ts";

function escapedControls(text: string, kept: RegExp): string {
  return text.replace(kept, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A text between three quotation marks, over as many lines as it has. */
function longText(text: string): string {
  const escaped = text.replaceAll("\\", "\\\\")
    .replace(/"{3,}|"+$/g, (marks) => '\\"'.repeat(marks.length));
  return `"""\n${escapedControls(escaped, /[\p{Cc}--[\t\n]]/gv)}"""`;
}

function shortText(text: string): string {
  return escapedControls(JSON.stringify(text), /\p{Cc}/gu);
}

/** What a text of TOML holds, or why it holds nothing, to complete "it …". */
export async function readToml(text: string): Promise<Fields | string> {
  const { parse } = await import("@std/toml/parse");
  try {
    return fieldsOf(parse(withoutMark(text)));
  } catch (error) {
    return `is not valid TOML (${rootCause(error)})`;
  }
}

/** Splits Markdown into its head, with the lines around it, and its text. */
export function cutHead(marked: string): { readonly head: string; readonly body: string } {
  const text = withoutMark(marked);
  const head = /^---\r?\n(?:[^]*?\r?\n)?---(?:\r?\n|$)/.exec(text)?.[0] ?? "";
  return { head, body: text.slice(head.length).replace(/^\r?\n/, "") };
}

/** What every subagent of Codex has, each a text. */
const NEEDED = ["name", "description", "developer_instructions"] as const;

/** Why a TOML file is no subagent of Codex, to complete "it …"; null when it is one. */
export async function tomlAgentProblem(text: string): Promise<string | null> {
  const whole = await readToml(text);
  if (typeof whole === "string") return whole;
  const missing = NEEDED.filter((name) => {
    const value = whole[name];
    return typeof value !== "string" || value.trim() === "";
  });
  return missing.length === 0 ? null : `needs ${list(missing, "and")}, each a text`;
}

/** A subagent out of Markdown and what its head says, or why there is none, to complete "it …". */
export function agentFrom(
  content: Content,
  head: Fields,
): { readonly bytes: Uint8Array } | string {
  const text = decodeText(bytesOf(content) ?? new Uint8Array());
  if (text === null) return "is not valid UTF-8";
  const { body } = cutHead(text);
  if (body.trim() === "") return "has no text, which would be its instructions";
  const { name, description } = head;
  return {
    bytes: encodeText(
      `name = ${shortText(String(name))}\ndescription = ${
        shortText(String(description))
      }\ndeveloper_instructions = ${longText(body)}\n`,
    ),
  };
}

/** Why a TOML file is no command of Gemini CLI, to complete "it …"; null when it is one. */
export async function tomlCommandProblem(text: string): Promise<string | null> {
  const whole = await readToml(text);
  if (typeof whole === "string") return whole;
  const { prompt, description } = whole;
  if (typeof prompt !== "string" || prompt.trim() === "") return "needs a prompt";
  return description === undefined || typeof description === "string"
    ? null
    : "has a description that is no text";
}

/** What a head says in one line that it is for; null where it does not. */
export function descriptionIn(head: string): string | null {
  const line = /^description:[ \t]*(.*?)[ \t]*\r?$/m.exec(head)?.[1] ?? "";
  const plain = /^(["'])(.*)\1$/.exec(line)?.[2] ?? line;
  return plain === "" || /^[>|]/.test(plain) ? null : plain;
}

/** A command out of Markdown, or why there is none, to complete "it …". */
export function commandFrom(
  content: Content,
  described: string | null,
): { readonly bytes: Uint8Array } | string {
  const text = decodeText(bytesOf(content) ?? new Uint8Array());
  if (text === null) return "is not valid UTF-8";
  const { head, body } = cutHead(text);
  if (/!`|!bash/.test(body)) return "runs programs, which have no such form there";
  if (/[!@]\{/.test(body)) return "has !{ or @{, which would run or read something there";
  const description = descriptionIn(head) ?? described;
  const prompt = body.replaceAll("$ARGUMENTS", "{{args}}");
  return {
    bytes: encodeText(
      `${description === null ? "" : `description = ${JSON.stringify(description)}\n`}prompt = ${
        longText(prompt)
      }\n`,
    ),
  };
}
