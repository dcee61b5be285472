/**
 * The YAML block at the head of a Markdown file.
 *
 * @module
 */

import { splitLines } from "../../text/diff/lines.ts";
import { plainYaml } from "../../text/plain_yaml.ts";
import { rootCause } from "../../error.ts";

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

/** Reads the block between the first line `---` and the next one; both may end in a carriage return. */
export async function readFrontMatter(text: string): Promise<FrontMatter> {
  const lines = splitLines(text);
  if (!isFence(lines[0])) return { kind: "none" };
  const end = lines.findIndex((line, index) => index > 0 && isFence(line));
  if (end < 0) return { kind: "unclosed" };
  let value: unknown;
  try {
    const head = lines.slice(1, end).join("");
    value = plainYaml(head);
    if (value === undefined) {
      const { parse } = await import("@std/yaml");
      value = parse(head, { schema: "core" });
    }
  } catch (error) {
    return { kind: "invalid", message: rootCause(error) };
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    return { kind: "not_a_mapping" };
  }
  return { kind: "mapping", fields: Object.fromEntries(Object.entries(value)) };
}
