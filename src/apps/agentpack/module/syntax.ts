/** How modules are written: Markdown with a YAML block at its head, files of several modules, and TOML. */

import { splitLines } from "../../../base/text/diff/unified.ts";
import { plainYaml } from "../../../base/text/plain_yaml.ts";
import { rootCause } from "../../../base/error.ts";
import {
  bytesOf,
  concatBytes,
  type Content,
  decodeText,
  encodeText,
  withoutMark,
} from "../content.ts";
import { type Fields, fieldsOf } from "../../../base/object.ts";
import { list } from "../../../base/text/words.ts";

// The YAML block at the head of a Markdown file.

/** What stands at the head of a file. */
type FrontMatter =
  | { readonly kind: "none" }
  | { readonly kind: "unclosed" }
  | { readonly kind: "invalid"; readonly message: string }
  | { readonly kind: "not_a_mapping" }
  | { readonly kind: "mapping"; readonly fields: Readonly<Record<string, unknown>> };

function isFence(line: string | undefined): boolean {
  return line !== undefined && /^---\r?\n?$/.test(line);
}

/** Reads a text of YAML; throws where it is none. */
type ReadYaml = (text: string) => unknown;

/** The first line of a member at the head's own level: its key, and its value if that begins there. */
const MEMBER = /^([A-Za-z_][A-Za-z0-9_-]*):(?:[ \t]+(\S.*))?$/;

/** What closes a value that begins with one of these. */
const CLOSING: Readonly<Record<string, string>> = { "[": "]", "{": "}", '"': '"', "'": "'" };

/** Whether a value that is no YAML is text that was not put in quotes, and not something that lacks its end. */
function isBareText(value: string): boolean {
  const closing = CLOSING[value.charAt(0)];
  if (closing !== undefined) return value.indexOf(closing, 1) > 0;
  return !/^[|>][-+0-9]*$/.test(value);
}

/** The lines of each member of a head; null where a line belongs to none. */
function membersOf(head: string): readonly (readonly [string, ...string[]])[] | null {
  const members: [string, ...string[]][] = [];
  for (const line of head.split(/\r?\n/)) {
    if (line.startsWith("#")) continue;
    if (MEMBER.test(line)) members.push([line]);
    else if (members.length > 0 && /^(?:\s|-(?:\s|$)|$)/.test(line)) members.at(-1)?.push(line);
    else if (line.trim() !== "") return null;
  }
  return members;
}

/**
 * What a head says that is no YAML as a whole, but written as people and Claude Code do. Examples are
 * `argument-hint: [a] [b]` and a colon in a description. A value that is no YAML by itself is taken as text;
 * null where that is impossible.
 */
function memberByMember(head: string, read: ReadYaml): Readonly<Record<string, unknown>> | null {
  const fields = new Map<string, unknown>();
  for (const [first, ...below] of membersOf(head) ?? []) {
    const [, key = "", value] = MEMBER.exec(first) ?? [];
    if (fields.has(key)) return null;
    const lines = [first, ...below];
    try {
      fields.set(key, (read(lines.join("\n")) as Readonly<Record<string, unknown>>)[key]);
    } catch {
      if (value === undefined || !isBareText(value)) return null;
      fields.set(key, [value, ...below].map((line) => line.trim()).join(" ").trim());
    }
  }
  return fields.size === 0 ? null : Object.fromEntries(fields);
}

/**
 * Reads the block between the first line `---` and the next one; both may end in a carriage return, and a byte order mark
 * may stand before it.
 */
export async function readFrontMatter(text: string): Promise<FrontMatter> {
  const lines = splitLines(withoutMark(text));
  if (!isFence(lines[0])) return { kind: "none" };
  const end = lines.findIndex((line, index) => index > 0 && isFence(line));
  if (end < 0) return { kind: "unclosed" };
  const head = lines.slice(1, end).join("");
  let value: unknown = plainYaml(head);
  if (value === undefined) {
    const { parse } = await import("@std/yaml");
    const read: ReadYaml = (text) => parse(text, { schema: "core" });
    try {
      value = read(head);
    } catch (error) {
      value = memberByMember(head, read);
      if (value === null) return { kind: "invalid", message: rootCause(error) };
    }
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    return { kind: "not_a_mapping" };
  }
  return { kind: "mapping", fields: Object.fromEntries(Object.entries(value)) };
}

// Several instruction modules in one file, told apart by markers (PACK-22).

const END = "<!-- /agentpack -->";
const START = "<!-- agentpack:module=";
const NEWLINE = 10;

/** Bytes with a newline at the end; added only when there is none. */
export function withFinalNewline(bytes: Uint8Array): Uint8Array {
  return bytes[bytes.length - 1] === NEWLINE ? bytes : concatBytes([bytes, encodeText("\n")]);
}

/**
 * One file out of sections, in the order given: a single section verbatim, several each between their
 * markers, with no newline after the last marker.
 */
export function aggregate(
  sections: readonly { readonly moduleId: string; readonly bytes: Uint8Array }[],
): Uint8Array {
  const [only] = sections;
  if (only !== undefined && sections.length === 1) return only.bytes;
  const parts = sections.flatMap((section, index) => [
    encodeText(`${index === 0 ? "" : "\n\n---\n\n"}${START}${section.moduleId} -->\n`),
    withFinalNewline(section.bytes),
    encodeText(END),
  ]);
  return concatBytes(parts);
}

function startedId(line: string): string | null {
  const trimmed = line.trim();
  return trimmed.startsWith(START) && trimmed.endsWith("-->")
    ? trimmed.slice(START.length, -"-->".length).trim()
    : null;
}

/**
 * The sections of an aggregated file by module id, line endings included; what stands outside of sections
 * is ignored. Null when a section has no id, a second one of the same id, no end, or another start inside.
 */
export function parseSections(text: string): ReadonlyMap<string, string> | null {
  const sections = new Map<string, string>();
  let open: { readonly id: string; readonly lines: string[] } | null = null;
  for (const line of splitLines(text)) {
    const id = startedId(line);
    if (id !== null) {
      if (open !== null || id === "" || sections.has(id)) return null;
      open = { id, lines: [] };
    } else if (open !== null && line.trim() === END) {
      sections.set(open.id, open.lines.join(""));
      open = null;
    } else open?.lines.push(line);
  }
  return open === null ? sections : null;
}

// Modules in TOML: subagents in the form of Codex, a `name`, a `description` and `developer_instructions` (PACK-68), and
// commands in that of Gemini CLI, a `prompt` and a `description` (PACK-66).

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
export function splitFrontMatter(marked: string): { readonly head: string; readonly body: string } {
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
  const { body } = splitFrontMatter(text);
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
  const { head, body } = splitFrontMatter(text);
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
