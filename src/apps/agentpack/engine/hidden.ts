/**
 * What a change would write, and a reviewer of it would not see (PACK-52).
 *
 * @module
 */

import { bytesOf, type Content } from "../content.ts";
import { type HiddenCharacters, hiddenCharacters, markName } from "../../../base/text/hidden.ts";
import { count, few } from "../../../base/text/words.ts";
import { decodeText } from "../bytes.ts";
import type { DesiredFile } from "./desired.ts";

/** Longer texts are not read by anybody, and have no diff either. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Whether bytes are printable ASCII and line ends but carriage returns, as most texts are: told without decoding them. */
function isPlain(bytes: Uint8Array): boolean {
  // A plain loop: this runs over every byte that a plan would write.
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] ?? 0;
    if (byte >= 0x7f || (byte < 0x20 && byte !== 0x0a && byte !== 0x09)) return false;
  }
  return true;
}

/** What was found in contents: several targets share one. */
const known = new WeakMap<Content, { readonly found: HiddenCharacters | null }>();

function inContent({ bytes: content }: DesiredFile): HiddenCharacters | null {
  let answer = known.get(content);
  if (answer === undefined) {
    const bytes = bytesOf(content);
    const isUnread = bytes === null || bytes.length > MAX_BYTES || isPlain(bytes);
    const text = isUnread ? null : decodeText(bytes);
    answer = { found: text === null ? null : hiddenCharacters(text) };
    known.set(content, answer);
  }
  return answer.found;
}

/** Warnings about a path, and what would be written there, that hide or reorder what is read. */
export function hiddenWarnings(path: string, file: DesiredFile | undefined): string[] {
  const found = file === undefined ? null : inContent(file);
  const marked = markName(path);
  return [
    ...(marked === path ? [] : [
      `The path "${marked}" has hidden characters: it is another one than it looks like`,
    ]),
    ...(found === null ? [] : [
      `"${marked}" would get ${
        said(found)
      }, first in line ${found.line}: it says something else than it looks like`,
    ]),
  ];
}

function said({ count: found, codes }: HiddenCharacters): string {
  return `${count(found, "hidden character")} (${few(codes, 4)})`;
}
