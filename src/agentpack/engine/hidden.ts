/**
 * What a change would write, and a reviewer of it would not see (PACK-52).
 *
 * @module
 */

import { type HiddenCharacters, hiddenCharacters, markName } from "../../text/hidden.ts";
import { count, few } from "../../text/words.ts";
import { decodeText } from "../bytes.ts";
import type { DesiredFile } from "./desired.ts";

/** Longer texts are not read by anybody, and have no diff either. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Whether bytes are printable ASCII and line ends, as most texts are: that can be told without decoding them. */
function isPlain(bytes: Uint8Array): boolean {
  return bytes.every((byte) =>
    (byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x0d || byte === 0x09
  );
}

function inContent({ bytes }: DesiredFile): HiddenCharacters | null {
  if (bytes.length > MAX_BYTES || (isPlain(bytes) && !bytes.includes(0x0d))) return null;
  const text = decodeText(bytes);
  return text === null ? null : hiddenCharacters(text);
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
