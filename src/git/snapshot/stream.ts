/**
 * A snapshot as the stream that `git fast-import` reads: objects are made, and no ref is left behind.
 *
 * The commits have the shape of git's own stashes: the working copy on top, whose parents are the commit it is based
 * on, the index, and the untracked files. What that shape cannot say stands in the message.
 */

import {
  byPath,
  type ChangedPath,
  type Entry,
  type IndexEntry,
  isPlain,
  isUnmerged,
  sameEntry,
  sameIndex,
  type View,
} from "../work_tree/view.ts";
import { AmofError } from "../../base/error.ts";
import type { Runner } from "../call/runner.ts";
import { type Difference, differences } from "../work_tree/status.ts";

/** What the shape of a stash cannot hold. */
interface Remarks {
  /** Tells the snapshot from all others. */
  readonly id: string;
  readonly intent_to_add: readonly string[];
  /** Paths that were not merged, each stage as `[stage, mode, object]`. */
  readonly stages: Readonly<Record<string, readonly (readonly [number, string, string])[]>>;
  /** Permission bits, octal, of files that are not plainly 644 or 755. */
  readonly permissions: Readonly<Record<string, string>>;
}

/** What a snapshot is called and where it belongs. */
export interface Title {
  readonly id: string;
  readonly branch: string | null;
  /** As `git stash list` shows it. */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** A file whose content goes into the snapshot. */
export interface Content {
  readonly path: string;
  readonly bytes: Uint8Array;
}

const encoder = new TextEncoder();
const MARKER = "amof-snapshot: ";
/** The mark of the first file; those below are the commits. */
const FIRST_FILE = 10;

/** The permission bits that git gives a file of this mode. */
function usualPermissions(mode: string): number {
  return mode === "100755" ? 0o755 : 0o644;
}

/** The line under which `git stash list` shows a snapshot. */
export function subjectOf({ branch, name }: Pick<Title, "branch" | "name">): string {
  return `On ${branch ?? "(no branch)"}: ${name}`;
}

/** What a snapshot's own message says, or null for a stash that git made. */
export function readRemarks(message: string): Remarks | null {
  const line = message.split("\n").find((text) => text.startsWith(MARKER));
  if (line === undefined) return null;
  return JSON.parse(line.slice(MARKER.length)) as Remarks;
}

function remarksOf(id: string, paths: readonly ChangedPath[]): Remarks {
  return {
    id,
    intent_to_add: paths.filter((entry) => entry.index === "intent_to_add").map(({ path }) => path),
    stages: Object.fromEntries(
      paths.flatMap(({ path, index }) =>
        isUnmerged(index)
          ? [[path, index.map(({ stage, mode, oid }) => [stage, mode, oid] as const)]]
          : []
      ),
    ),
    permissions: Object.fromEntries(
      paths.flatMap(({ path, work, permissions }) =>
        work === null || permissions === null || permissions === usualPermissions(work.mode)
          ? []
          : [[path, permissions.toString(8)]]
      ),
    ),
  };
}

function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}

function commit(ref: string, mark: number, at: number, message: string): string {
  const text = `${message}\n`;
  return `commit ${ref}\nmark :${mark}\ncommitter amof <amof@localhost> ${
    Math.floor(at / 1000)
  } +0000\ndata ${encoder.encode(text).length}\n${text}`;
}

/** The file that a stage of a path that was not merged is kept as. */
function stageFile(path: string, stage: number): string {
  return `${stage}/${path}`;
}

/**
 * The stream for a view. `contents` gives the bytes of every path that is on the disk, once each; the stream asks
 * for `paths` when all were given.
 */
export async function* snapshotStream(
  title: Title,
  head: string,
  contents: AsyncIterable<Content>,
  paths: () => readonly ChangedPath[],
): AsyncGenerator<Uint8Array> {
  const marks = new Map<string, number>();
  yield encoder.encode("feature done\n");
  for await (const { path, bytes } of contents) {
    const mark = FIRST_FILE + marks.size;
    marks.set(path, mark);
    yield encoder.encode(`blob\nmark :${mark}\ndata ${bytes.length}\n`);
    yield bytes;
    yield encoder.encode("\n");
  }
  yield encoder.encode(commits(title, head, byPath(paths()), marks));
}

/** Paths by what the commits of a snapshot say of them. */
interface Sorted {
  /** Paths whose index differs from the head. */
  readonly staged: readonly ChangedPath[];
  /** Every stage of unmerged paths. */
  readonly stages: readonly (Extract<ChangedPath["index"], readonly unknown[]>[number] & {
    readonly path: string;
  })[];
  readonly untracked: readonly ChangedPath[];
  /** Paths whose work differs from the head. */
  readonly tracked: readonly ChangedPath[];
}

function sorted(paths: readonly ChangedPath[]): Sorted {
  return {
    stages: paths.flatMap(({ path, index }) =>
      isUnmerged(index) ? index.map((stage) => ({ path, ...stage })) : []
    ),
    staged: paths.filter(({ head: from, index }) =>
      index === "intent_to_add" ? from !== null : !isUnmerged(index) && !sameIndex(from, index)
    ),
    untracked: paths.filter((entry) => entry.index === null && entry.work !== null),
    tracked: paths.filter((entry) =>
      entry.index === null ? entry.head !== null : !sameEntry(entry.head, entry.work)
    ),
  };
}

/** The index as a commit on the head, with the stages of unmerged files as a parent of its own. */
function indexCommits(title: Title, head: string, { staged, stages }: Sorted): string[] {
  const where = title.branch ?? "no branch";
  return [
    ...(stages.length === 0 ? [] : [
      commit(making(title, "stages"), 4, title.at, `unmerged files on ${where}`),
      ...stages.map(({ path, stage, mode, oid }) =>
        `M ${mode} ${oid} ${quoted(stageFile(path, stage))}\n`
      ),
      "\n",
    ]),
    commit(making(title, "index"), 1, title.at, `index on ${where}`),
    `from ${head}\n`,
    stages.length === 0 ? "" : "merge :4\n",
    ...staged.filter(({ index }) => !isPlain(index)).map(drop),
    ...staged.map(({ path, index }) =>
      isPlain(index) ? `M ${index.mode} ${index.oid} ${quoted(path)}\n` : ""
    ),
    "\n",
  ];
}

/** The temporary ref of one commit of a snapshot. */
function making({ id }: Title, name: string): string {
  return `refs/amof/making/${id}/${name}`;
}

function drop({ path }: ChangedPath): string {
  return `D ${quoted(path)}\n`;
}

function commits(
  title: Title,
  head: string,
  paths: readonly ChangedPath[],
  marks: ReadonlyMap<string, number>,
): string {
  const put = ({ path, work }: ChangedPath) =>
    work === null ? "" : `M ${work.mode} :${marks.get(path)} ${quoted(path)}\n`;
  const where = title.branch ?? "no branch";
  const remarks = JSON.stringify(remarksOf(title.id, paths));
  const found = sorted(paths);
  const { stages, untracked, tracked } = found;
  const used = [
    "index",
    "work",
    ...(stages.length > 0 ? ["stages"] : []),
    ...(untracked.length > 0 ? ["untracked"] : []),
  ];
  return [
    ...indexCommits(title, head, found),
    ...(untracked.length === 0 ? [] : [
      commit(making(title, "untracked"), 2, title.at, `untracked files on ${where}`),
      ...untracked.map(put),
      "\n",
    ]),
    commit(
      making(title, "work"),
      3,
      title.at,
      `${
        subjectOf(title)
      }\n\nUncommitted work. It comes back with: git stash pop --index\n\n${MARKER}${remarks}`,
    ),
    `from ${head}\nmerge :1\n`,
    untracked.length === 0 ? "" : "merge :2\n",
    ...tracked.filter(({ index, work }) => index === null || work === null).map(drop),
    ...tracked.filter(({ index }) => index !== null).map(put),
    "\nget-mark :3\n",
    // Removing the temporary refs leaves the objects; the stash refers to them.
    ...used.map((name) => `reset ${making(title, name)}\nfrom ${"0".repeat(head.length)}\n\n`),
    "done\n",
  ].join("");
}

// Reads a snapshot, or a stash that git made, back into a view.
//
// Three git processes, a fourth where there are untracked files.

/** A snapshot that was read. */
export interface Stored {
  readonly commit: string;
  readonly view: View;
  /** The commit with the untracked files, or null. */
  readonly untracked: string | null;
  /** What tells the snapshot from others; null for a stash that git made. */
  readonly id: string | null;
}

async function filesOf(
  git: Runner,
  commit: string,
): Promise<Map<string, Entry>> {
  const output = await git.read(
    ["ls-tree", "-r", "-z", "--full-tree", commit],
    `read the kept files of "${git.name}"`,
  );
  return new Map(
    output.split("\0").filter((line) => line !== "").map((line) => {
      const [mode = "", , oid = ""] = line.slice(0, line.indexOf("\t")).split(" ");
      return [line.slice(line.indexOf("\t") + 1), { mode, oid }] as const;
    }),
  );
}

/** Puts what the trees say and what the message says together. */
function joined(
  index: readonly Difference[],
  work: readonly Difference[],
  untracked: ReadonlyMap<string, Entry>,
  remarks: Remarks | null,
): ChangedPath[] {
  const staged = new Map(index.map((entry) => [entry.path, entry]));
  const changed = new Map(work.map((entry) => [entry.path, entry]));
  const stages = new Map(Object.entries(remarks?.stages ?? {}));
  const permissions = new Map(Object.entries(remarks?.permissions ?? {}));
  const announced = new Set(remarks?.intent_to_add);
  const names = new Set([
    ...staged.keys(),
    ...changed.keys(),
    ...untracked.keys(),
    ...stages.keys(),
    ...announced,
  ]);
  return byPath([...names].map((path): ChangedPath => {
    const head = staged.get(path)?.from ?? changed.get(path)?.from ?? null;
    const unmerged = stages.get(path)?.map(([stage, mode, oid]) => ({
      stage: stage as 1 | 2 | 3,
      mode,
      oid,
    }));
    const inIndex: IndexEntry = unmerged ??
      (announced.has(path)
        ? "intent_to_add"
        : staged.has(path)
        ? staged.get(path)?.to ?? null
        : head);
    const onTop = changed.has(path) ? changed.get(path)?.to ?? null : head;
    const file = untracked.get(path) ?? (remarks !== null && inIndex === null ? null : onTop);
    const said = permissions.get(path);
    const bits = remarks === null || file === null || file.mode === "120000"
      ? null
      : said === undefined
      ? usualPermissions(file.mode)
      : Number.parseInt(said, 8);
    return { path, head, index: inIndex, work: file, permissions: bits };
  })).filter(({ head, index: inIndex, work: file }) =>
    [head, inIndex, file].every((entry) =>
      entry === null || typeof entry !== "object" || !("mode" in entry) || entry.mode !== "160000"
    )
  );
}

/** Reads a snapshot by its commit. */
export async function readSnapshot(
  git: Runner,
  commit: string,
): Promise<Stored> {
  const text = await git.read(
    ["cat-file", "commit", commit],
    `read the kept changes of "${git.name}"`,
  );
  const end = text.indexOf("\n\n");
  const parents = [...text.slice(0, end).matchAll(/^parent ([0-9a-f]+)$/gm)]
    .map((match) => match[1] ?? "");
  const [head, index, untracked] = parents;
  if (head === undefined || index === undefined) {
    throw new AmofError(
      "git_failed",
      `Cannot read the kept changes of "${git.name}": ${commit} is not a stash`,
      {
        hint: "See what is there: git stash list",
        details: { repo: git.name },
      },
    );
  }
  const remarks = readRemarks(text.slice(end + 2));
  return {
    commit,
    view: {
      head,
      exact: remarks !== null,
      paths: joined(
        await differences(git, head, index),
        await differences(git, head, commit),
        untracked === undefined ? new Map() : await filesOf(git, untracked),
        remarks,
      ),
    },
    untracked: untracked ?? null,
    id: remarks?.id ?? null,
  };
}
