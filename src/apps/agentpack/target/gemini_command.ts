/**
 * Commands in the form of Gemini CLI: TOML with a `prompt` and a `description` (PACK-66).
 *
 * @module
 */

import { decodeText, encodeText } from "../bytes.ts";
import { bytesOf, type Content } from "../content.ts";
import { cutHead, longText, readToml } from "./toml_text.ts";

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
