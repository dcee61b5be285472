/** What `git status` says of the paths of a working copy, and what commit and index have of them. */

import type { Runner } from "../call/runner.ts";
import { textOf } from "../odd_names.ts";
import { blobName, fileOf, type Found, type OnDisk, readPath } from "./disk.ts";
import {
  type ChangedPath,
  type Entry,
  GITLINK,
  type IndexEntry,
  isPlain,
  type MergeStage,
} from "./view.ts";

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
    repository: sub.startsWith("S") || headMode === GITLINK || indexMode === GITLINK,
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
    repository: stages.some(({ mode }) => mode === GITLINK),
  };
}

/** Whether a path is this program's own, of which a status here tells nothing. */
export function isOurs(path: string): boolean {
  return path === ".amof" || path.startsWith(".amof/");
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
    records: records.filter(({ path }) => !isOurs(path)),
  };
}

/** Reads what `git status` says, exactly. One process. */
export async function readStatus(git: Runner): Promise<StatusView> {
  const output = await git.read([
    "status",
    "--porcelain=v2",
    "--branch",
    "--no-renames",
    "--untracked-files=all",
    "-z",
  ], `read the status of "${git.name}"`);
  return parseRecords(output);
}

/** What the commit has at some paths. One process for every two hundred. */
async function inHead(
  git: Runner,
  head: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, Entry>> {
  const found = new Map<string, Entry>();
  for (let at = 0; at < paths.length; at += 200) {
    const output = await git.read([
      "ls-tree",
      "-z",
      "--full-tree",
      head,
      "--",
      ...paths.slice(at, at + 200),
    ], `read the commit of "${git.name}"`);
    for (const line of output.split("\0")) {
      const [mode = "", kind = "", oid = ""] = line.slice(0, line.indexOf("\t")).split(" ");
      // The commit may have a directory under that name.
      if (oid !== "" && kind !== "tree") {
        found.set(line.slice(line.indexOf("\t") + 1), { mode, oid });
      }
    }
  }
  return found;
}

/** A path before its file was read. */
export interface Plan {
  readonly record: StatusRecord;
  readonly index: ChangedPath["index"];
  readonly head: Entry | null;
  /** Whether the file belongs to the work although the index does not have it. */
  readonly loose: boolean;
}

/** What is to be kept of each path, without its file; `head` is any object of the repository where it has no commit. */
export async function planPaths(
  git: Runner,
  status: StatusView,
  head: string,
): Promise<Plan[]> {
  const records = status.records.filter((record) => !record.repository);
  const nothing = blobName(new Uint8Array(), head);
  // Git's status is the same for a path added with `--intent-to-add` whose file is missing and for an empty file that
  // was deleted.
  const vague = (record: StatusRecord) =>
    record.head === undefined && !record.untracked ||
    record.work === null && isPlain(record.index) && record.index.oid === nothing;
  const asking = status.head === null ? [] : records.filter(vague).map((r) => r.path);
  const there = await inHead(git, head, asking);
  const plans = new Map<string, Plan>();
  for (const record of records) {
    const known = plans.get(record.path);
    if (record.untracked) {
      plans.set(record.path, {
        record,
        index: null,
        head: known?.head ?? null,
        loose: true,
      });
      continue;
    }
    const asked = vague(record);
    const inCommit = asked ? there.get(record.path) ?? null : record.head ?? null;
    plans.set(record.path, {
      record,
      head: inCommit,
      index: asked && isPlain(record.index) && inCommit === null ? "intent_to_add" : record.index,
      // A file that was only removed from the index is still kept, even if git ignores it from now on.
      loose: record.index === null,
    });
  }
  return [...plans.values()];
}

/** The mode of a file: git's word where it looked, because some file systems know no permissions. */
function modeOf(record: StatusRecord, found: OnDisk): string {
  const said = record.work;
  return said === undefined || said === null || said === "120000" || found.mode === "120000"
    ? found.mode
    : said;
}

/** Reads the file of a path without following links: what is there, and the path with it. */
export async function readPlan(
  git: Runner,
  { record, loose, ...known }: Plan,
  like: string,
): Promise<{ found: Found; file: OnDisk | null; changed: ChangedPath }> {
  const { path } = record;
  // Git reported no file here; reading the path again could follow a link.
  const found = record.work === null && !loose
    ? null
    : await readPath(git.system, git.directory, path, like);
  const file = fileOf(found);
  const work = file === null ? null : { mode: modeOf(record, file), oid: file.oid };
  return { found, file, changed: { path, ...known, work, permissions: file?.permissions ?? null } };
}

/** A path that two commits do not have alike. */
export interface Difference {
  readonly path: string;
  readonly from: Entry | null;
  readonly to: Entry | null;
}

/** What differs between two commits. One process. */
export async function differences(
  git: Runner,
  from: string,
  to: string,
): Promise<Difference[]> {
  const output = await git.mustBytes(
    ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--end-of-options", from, to],
    { access: "read" },
    `read the kept changes of "${git.name}"`,
  );
  const parts = textOf(output).split("\0");
  const found: Difference[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [fromMode = "", toMode = "", fromOid = "", toOid = ""] = (parts[at] ?? "").slice(1)
      .split(" ");
    found.push({
      path: parts[at + 1] ?? "",
      from: fromMode === ABSENT ? null : { mode: fromMode, oid: fromOid },
      to: toMode === ABSENT ? null : { mode: toMode, oid: toOid },
    });
  }
  return found;
}
