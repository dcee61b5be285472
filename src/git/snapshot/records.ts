/** Reads `git status --porcelain=v2 --no-renames --untracked-files=all -z` as exactly as a snapshot needs it. */

import type { Entry, IndexEntry, MergeStage } from "./view.ts";

/** One path that `git status` speaks of. */
export interface StatusRecord {
  readonly path: string;
  /** In HEAD; undefined where the record does not tell. */
  readonly head: Entry | null | undefined;
  readonly index: IndexEntry;
  /** The mode of the file on the disk as git sees it; null when it is absent, undefined when not looked at. */
  readonly work: string | null | undefined;
  readonly untracked: boolean;
  /** Whether it is a submodule, or a repository that git does not track. */
  readonly repository: boolean;
}

/** What one call of `git status` says about the commit and the paths. */
export interface StatusView {
  readonly head: string | null;
  readonly branch: string | null;
  readonly records: readonly StatusRecord[];
}

const ABSENT = "000000";
const SUBMODULE = "160000";

function entry(mode: string | undefined, oid: string | undefined): Entry | null {
  return mode === undefined || mode === ABSENT || oid === undefined ? null : { mode, oid };
}

function changed(line: string): StatusRecord {
  const [, letters = "", sub = "", headMode, indexMode, workMode, headOid, indexOid] = line
    .split(" ", 8);
  const path = line.split(" ").slice(8).join(" ");
  // Git reports `--intent-to-add` differently depending on whether the file exists.
  const intended = letters.endsWith("A") && indexMode === ABSENT ||
    letters === "DD" && indexMode !== ABSENT;
  return {
    path,
    head: entry(headMode, headOid),
    index: intended ? "intent_to_add" : entry(indexMode, indexOid),
    work: workMode === ABSENT ? null : workMode,
    untracked: false,
    repository: sub.startsWith("S") || headMode === SUBMODULE || indexMode === SUBMODULE,
  };
}

function unmerged(line: string): StatusRecord {
  const fields = line.split(" ", 10);
  const modes = fields.slice(3, 6);
  const oids = fields.slice(7, 10);
  const stages = ([1, 2, 3] as const).flatMap((stage): MergeStage[] => {
    const found = entry(modes[stage - 1], oids[stage - 1]);
    return found === null ? [] : [{ ...found, stage }];
  });
  return {
    path: line.split(" ").slice(10).join(" "),
    head: undefined,
    index: stages,
    work: fields[6] === ABSENT ? null : fields[6],
    untracked: false,
    repository: stages.some(({ mode }) => mode === SUBMODULE),
  };
}

/** Parses the NUL-separated output. Paths inside `.amof/` are this program's own and are left out. */
export function parseRecords(output: string): StatusView {
  let head: string | null = null;
  let branch: string | null = null;
  const records: StatusRecord[] = [];
  for (const line of output.split("\0")) {
    if (line.startsWith("# branch.oid ")) {
      head = line.slice(13) === "(initial)" ? null : line.slice(13);
    } else if (line.startsWith("# branch.head ")) {
      branch = line.slice(14) === "(detached)" ? null : line.slice(14);
    } else if (line.startsWith("1 ")) records.push(changed(line));
    else if (line.startsWith("u ")) records.push(unmerged(line));
    else if (line.startsWith("? ")) {
      const path = line.slice(2);
      records.push({
        path,
        head: undefined,
        index: null,
        work: undefined,
        untracked: true,
        repository: path.endsWith("/"),
      });
    }
  }
  return {
    head,
    branch,
    records: records.filter(({ path }) => path !== ".amof" && !path.startsWith(".amof/")),
  };
}
