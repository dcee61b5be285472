/**
 * Reads the output of `git status --porcelain=v2 --branch --show-stash -z`.
 *
 * @module
 */

import { type Sha, sha } from "../ids.ts";
import { defined } from "../object.ts";

/** One changed path. */
export interface ChangedPath {
  readonly path: string;
  /** The two status letters as git prints them, `??` for untracked. */
  readonly code: string;
  readonly conflicted: boolean;
  /** The path it was renamed or copied from; absent for anything else. */
  readonly from?: string;
  /** The line as git printed it, for digests. */
  readonly raw: string;
}

/** What one `git status` call tells about a repository. */
export interface PorcelainStatus {
  /** The commit, or null in a repository without commits. */
  readonly head: Sha | null;
  /** The branch, or null when the head is detached. */
  readonly branch: string | null;
  /** The upstream as `remote/branch`, or null when none is set. */
  readonly upstream: string | null;
  /** Commits ahead of the upstream; null without one or when it is gone. */
  readonly ahead: number | null;
  /** Commits behind the upstream; null without one or when it is gone. */
  readonly behind: number | null;
  readonly stashes: number;
  readonly changes: readonly ChangedPath[];
}

/**
 * The submodules among changes: those with changes of their own, and those where another commit is checked out. No
 * snapshot holds either.
 */
export function changedSubmodules(changes: readonly Pick<ChangedPath, "path" | "raw">[]): string[] {
  return changes.filter(({ raw }) => /^[12u] .. S/.test(raw)).map(({ path }) => path);
}

/** The path behind a given number of space-separated fields. */
function afterFields(line: string, fields: number): string {
  let at = 0;
  for (let field = 0; field < fields; field++) at = line.indexOf(" ", at) + 1;
  return line.slice(at);
}

/**
 * Parses the NUL-separated output. Lines of unknown kind are passed over, as git's documentation demands
 * of readers. Paths inside `.amof/` are ours and do not count as changes (WORKSPACE-11).
 */
export function parseStatus(output: string): PorcelainStatus {
  let head: Sha | null = null;
  let branch: string | null = null;
  let upstream: string | null = null;
  let ahead: number | null = null;
  let behind: number | null = null;
  let stashes = 0;
  const changes: ChangedPath[] = [];
  const records = output.split("\0");
  for (let index = 0; index < records.length; index++) {
    const line = records[index] ?? "";
    if (line.startsWith("# ")) {
      const value = afterFields(line, 2);
      if (line.startsWith("# branch.oid ")) head = value === "(initial)" ? null : sha(value);
      else if (line.startsWith("# branch.head ")) branch = value === "(detached)" ? null : value;
      else if (line.startsWith("# branch.upstream ")) upstream = value;
      else if (line.startsWith("# branch.ab ")) {
        const match = /^\+(\d+) -(\d+)$/.exec(value);
        ahead = match === null ? null : Number(match[1]);
        behind = match === null ? null : Number(match[2]);
      } else if (line.startsWith("# stash ")) stashes = Number(value);
      continue;
    }
    const kind = line[0];
    const fields = kind === "1" ? 8 : kind === "2" ? 9 : kind === "u" ? 10 : kind === "?" ? 1 : 0;
    // A rename is followed by the old path in a record of its own.
    const from = kind === "2" ? records[++index] : undefined;
    if (fields === 0) continue;
    const path = afterFields(line, fields);
    if (path === ".amof" || path.startsWith(".amof/")) continue;
    changes.push({
      path,
      code: kind === "?" ? "??" : line.slice(2, 4),
      conflicted: kind === "u",
      ...defined({ from }),
      raw: line,
    });
  }
  return { head, branch, upstream, ahead, behind, stashes, changes };
}
