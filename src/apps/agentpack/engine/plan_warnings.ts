/**
 * What a plan would write and nobody wants to: what a reviewer would not see (PACK-52), and markers that git leaves where
 * two sides collided (PACK-55).
 */

import { bytesOf, type Content, textOf } from "../content.ts";
import { type HiddenCharacters, hiddenCharacters, markName } from "../../../base/text/hidden.ts";
import { count, few, shellWord } from "../../../base/text/words.ts";
import { decodeText } from "../bytes.ts";
import { collisionLine } from "../diff/merge.ts";
import { AgentpackError } from "../error.ts";
import type { DesiredFile } from "./desired.ts";
import type { Session } from "./session.ts";

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

/** How many files an error names. */
const NAMED = 5;

/**
 * Warnings about markers in files that a plan would write. A text may quote them, so that they are refused only while
 * the config repo is in the middle of what leaves them. Throws `E_GIT_WORKTREE_DIRTY`.
 */
export async function collisionWarnings(
  { pack, home }: Session,
  files: readonly DesiredFile[],
): Promise<string[]> {
  // Several targets share a content.
  const lines = new Map<Content, number | null>();
  const marked = files.flatMap(({ path, bytes }) => {
    let line = lines.get(bytes);
    if (line === undefined) {
      const text = textOf(bytes);
      line = text === null ? null : collisionLine(text);
      lines.set(bytes, line);
    }
    return line === null ? [] : [{ path, line }];
  });
  if (marked.length === 0) return [];
  const git = pack.git.at(home.repo, "config repo");
  const unfinished = (await git.activity().catch(() => null))?.inProgress ?? null;
  if (unfinished === null) {
    return marked.map(({ path, line }) =>
      `"${path}" would get conflict markers of git, first in line ${line}`
    );
  }
  const inRepo = `git -C ${shellWord(home.repo)} ${unfinished}`;
  throw new AgentpackError(
    "E_GIT_WORKTREE_DIRTY",
    `The config repo "${home.repo}" is in the middle of a ${unfinished}, and ${
      count(marked.length, "file")
    } would get its conflict markers: ${few(marked.map(({ path }) => path), NAMED)}`,
    {
      in_progress: unfinished,
      conflict_files: marked.map(({ path }) => path),
      hint:
        `Edit them there and finish it: ${inRepo} --continue, or take it back: ${inRepo} --abort`,
    },
  );
}
