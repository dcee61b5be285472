/** Several instruction modules in one file, told apart by markers (PACK-22). */

import { concatBytes, encodeText } from "../bytes.ts";
import { splitLines } from "../../../base/text/diff/unified.ts";

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
