/**
 * Subagents in the form of Codex: TOML with a `name`, a `description` and `developer_instructions` (PACK-68).
 *
 * @module
 */

import type { Fields } from "../../../base/object.ts";
import { list } from "../../../base/text/words.ts";
import { decodeText, encodeText } from "../bytes.ts";
import { bytesOf, type Content } from "../content.ts";
import { cutHead, longText, readToml, shortText } from "./toml_text.ts";

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

/** What the head of a subagent limits it by and Codex would not. */
export function limitsOf(head: Fields): string[] {
  return ["tools", "disallowedTools", "readonly", "permissionMode"].filter((name) =>
    (head[name] ?? null) !== null
  );
}
