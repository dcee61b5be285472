/** The YAML block at the head of a Markdown file. */

import { splitLines } from "../../../base/text/diff/unified.ts";
import { plainYaml } from "../../../base/text/plain_yaml.ts";
import { rootCause } from "../../../base/error.ts";
import { concatBytes, encodeText, withoutMark } from "../content.ts";

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
 * What a head says that is no YAML as a whole but as people and Claude Code write it: `argument-hint: [a] [b]`, or a
 * colon in a description. A value that is no YAML by itself is the text as it stands; null where that cannot be.
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
