/**
 * A snapshot as the stream that `git fast-import` reads: objects are made, and no ref is left behind.
 *
 * The commits have the shape of git's own stashes: the working copy on top, whose parents are the commit it is based
 * on, the index, and the untracked files. What that shape cannot say stands in the message.
 */

import { byPath, type ChangedPath, isPlain, isUnmerged, sameEntry, sameIndex } from "./view.ts";

/** What the shape of a stash cannot hold. */
export interface Remarks {
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
export function usualPermissions(mode: string): number {
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
