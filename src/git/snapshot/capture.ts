/**
 * Takes a snapshot of the uncommitted work of a repository, byte for byte, without touching anything: no filter, no
 * hook and no code of the repository runs, and nothing but objects is made.
 *
 * Two git processes; one more where a path is not merged or was only announced to the index.
 */

import { type Sha, sha } from "../../base/ids.ts";
import { AmofError } from "../../base/error.ts";
import { isOddName } from "../odd_names.ts";
import type { Runner } from "../call/runner.ts";
import { blobName, type OnDisk, readPath } from "./disk.ts";
import { type Content, snapshotStream, type Title } from "./stream.ts";
import {
  byPath,
  type ChangedPath,
  type Entry,
  type IndexEntry,
  isPlain,
  type MergeStage,
  type View,
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
interface StatusView {
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

/** A snapshot that was taken. */
export interface Taken {
  /** The commit on top. Nothing names it yet, so that git would forget it in time. */
  readonly commit: Sha;
  readonly view: View;
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

function refuse(repo: string, path: string, why: string): AmofError {
  return new AmofError(
    "would_lose_work",
    `Cannot put the changes of "${repo}" away: ${path} ${why}`,
    {
      hint: "Move it out of the repository, or commit it",
      details: { repo, path },
    },
  );
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
export function modeOf(record: StatusRecord, found: OnDisk): string {
  const said = record.work;
  return said === undefined || said === null || said === "120000" || found.mode === "120000"
    ? found.mode
    : said;
}

/** Takes a snapshot, of some paths alone where they are named; null when there is nothing to keep. */
export async function takeSnapshot(
  git: Runner,
  title: Title,
  paths?: ReadonlySet<string>,
): Promise<Taken | null> {
  const status = await readStatus(git);
  const records = status.records.filter(({ path }) => paths?.has(path) !== false);
  return await takeSnapshotOf(git, { ...status, records }, title);
}

/** Takes a snapshot of what a status told; null when there is nothing to keep. `keeping` is where its objects go. */
export async function takeSnapshotOf(
  git: Runner,
  status: StatusView,
  title: Title,
  keeping: Runner = git,
): Promise<Taken | null> {
  const { head } = status;
  if (head === null) {
    throw new AmofError(
      "git_failed",
      `Cannot put the changes of "${git.name}" away: it has no commit`,
      {
        hint: "Commit something there",
        details: { repo: git.name },
      },
    );
  }
  const odd = status.records.find(({ path, repository }) => !repository && isOddName(path));
  if (odd !== undefined) throw refuse(git.name, odd.path, "has a name that is not UTF-8");
  const plans = await planPaths(git, status, head);
  if (plans.length === 0) return null;
  const paths: ChangedPath[] = [];
  async function* contents(): AsyncGenerator<Content> {
    for (const { record, loose, ...rest } of plans) {
      // Git reported no file here; reading the path again could follow a link.
      const found = record.work === null && !loose
        ? null
        : await readPath(git.system, git.directory, record.path, status.head ?? "");
      if (found === "other") throw refuse(git.name, record.path, "is neither a file nor a link");
      const file = found === "directory" ? null : found;
      paths.push({
        path: record.path,
        head: rest.head,
        index: rest.index,
        work: file === null ? null : { mode: modeOf(record, file), oid: file.oid },
        permissions: file?.permissions ?? null,
      });
      if (file !== null) yield { path: record.path, bytes: file.bytes };
    }
  }
  const output = await keeping.must(
    ["fast-import", "--quiet", "--done"],
    {
      access: "internal",
      patient: true,
      stdin: snapshotStream(title, head, contents(), () => paths),
    },
    `keep the changes of "${git.name}"`,
  );
  return { commit: sha(output.trim()), view: { head, exact: true, paths: byPath(paths) } };
}
