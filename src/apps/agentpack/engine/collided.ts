/**
 * Markers that git leaves where two sides collided, in what a plan would write: nobody wants them deployed (PACK-55).
 *
 * @module
 */

import { count, few, shellWord } from "../../../base/text/words.ts";
import { type Content, textOf } from "../content.ts";
import { collisionLine } from "../diff/conflict_markers.ts";
import { AgentpackError } from "../error.ts";
import type { DesiredFile } from "./desired.ts";
import type { Session } from "./session.ts";

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
