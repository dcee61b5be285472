/** Reads the output of `git status --porcelain=v2 --branch --show-stash -z`. */

import { type Sha, sha } from "../../base/ids.ts";
import { defined } from "../../base/object.ts";

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

/** A submodule in which something has changed, or where another commit is checked out. */
interface ChangedSubmodule {
  readonly path: string;
  /** The commit that the repository names for it; null where the index has another one than the last commit. */
  readonly wanted: Sha | null;
  /** Whether another commit is checked out than the repository names. */
  readonly moved: boolean;
  /** Whether files that it tracks have changed in it. */
  readonly modified: boolean;
  /**
   * Whether a pull or a change of branches left it where it was, while the repository names another commit now.
   * Nobody changed it, and there is nothing to commit.
   */
  readonly outOfStep: boolean;
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
  /**
   * Without what has changed inside of submodules alone, of which nothing can be committed here, and without those that
   * are out of step.
   */
  readonly changes: readonly ChangedPath[];
  readonly submodules: readonly ChangedSubmodule[];
}

/**
 * The submodules whose work no snapshot holds: those with changes in what they track, and those where another commit is
 * checked out. What is built in them is nobody's work.
 */
export function changedSubmodules(
  { submodules }: Pick<PorcelainStatus, "submodules">,
): string[] {
  return submodules.filter(({ moved, modified, outOfStep }) => modified || (moved && !outOfStep))
    .map(({ path }) => path);
}

/** What a record says of a submodule; null where it is about none. */
function submoduleIn(line: string, path: string): ChangedSubmodule | null {
  const [, staged, , commit, modified] = /^[12u] (.)(.) S(.)(.)./.exec(line) ?? [];
  if (staged === undefined) return null;
  const isStaged = staged !== ".";
  // "1 XY sub mH mI mW hH hI path": what the index names.
  const wanted = line[0] === "1" && !isStaged ? line.split(" ")[7] ?? "" : "";
  return {
    path,
    wanted: wanted === "" ? null : sha(wanted),
    moved: isStaged || commit === "C",
    modified: modified === "M",
    outOfStep: false,
  };
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
  const submodules: ChangedSubmodule[] = [];
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
    const submodule = submoduleIn(line, path);
    if (submodule !== null) submodules.push(submodule);
    // Of what has changed inside alone git would say that there is nothing to commit.
    if (submodule?.moved === false && line.slice(2, 4) === ".M") continue;
    changes.push({
      path,
      code: kind === "?" ? "??" : line.slice(2, 4),
      conflicted: kind === "u",
      ...defined({ from }),
      raw: line,
    });
  }
  return { head, branch, upstream, ahead, behind, stashes, changes, submodules };
}
