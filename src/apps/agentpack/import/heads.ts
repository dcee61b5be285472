/** What the head of an imported rule or command says, and what its body is (PACK-56). */

import { cleanLine } from "../../../base/text/sanitize.ts";
import { decodeText, encodeText } from "../bytes.ts";
import { readFrontMatter } from "../module/front_matter.ts";
import { cutRule, ruleFacts, ruleHead } from "../target/cursor_rule.ts";

/** What a command is for that has no head to say so: its first line, as Claude Code shows it, else its name. */
export async function described(
  content: Uint8Array,
  name: string,
): Promise<{ readonly description?: string }> {
  const text = decodeText(content);
  if (text === null || (await readFrontMatter(text)).kind !== "none") return {};
  const first = text.split("\n").map((line) => cleanLine(line.replace(/^#+\s+/, ""), 200).trim())
    .find((line) => line !== "");
  return { description: first ?? name };
}

/** The body of a rule of another tool, and its head word for word. */
export function ruleBelowHead(
  bytes: Uint8Array,
  file: string,
): { readonly content: Uint8Array; readonly settings: Readonly<Record<string, unknown>> } {
  const text = decodeText(bytes);
  const { head, body } = cutRule(text ?? "");
  return { content: text === null ? bytes : encodeText(body), settings: { file, header: head } };
}

/** The body of a Cursor rule, and the settings by which exactly this file is written again. */
export function ruleOf(
  bytes: Uint8Array,
  file: string,
): { readonly content: Uint8Array; readonly settings: Readonly<Record<string, unknown>> } {
  const text = decodeText(bytes);
  const { head, body } = cutRule(text ?? "");
  const content = text === null ? bytes : encodeText(body);
  const facts = ruleFacts(head);
  const isPlain = text === `${ruleHead(facts)}${body}` && body.endsWith("\n");
  return { content, settings: { ...facts, file, ...(isPlain ? {} : { header: head }) } };
}
