/**
 * Fits a snapshot to a commit: as it is where the commit is the one it was taken on, else merged with what changed
 * since, file by file.
 */

import type { ProcessResult } from "../../base/system/mod.ts";
import { blobName, fileOf, readPath } from "../work_tree/disk.ts";
import { differences } from "../work_tree/status.ts";
import type { PathEnd, Work } from "../work_tree/walk.ts";
import type { Stored } from "./stream.ts";
import type { Staging } from "../work_tree/staging.ts";
import {
  type ChangedPath,
  type Entry,
  type IndexEntry,
  isPlain,
  sameEntry,
  sameIndex,
} from "../work_tree/view.ts";

/** One path as in the snapshot, by the exact bytes that its file has on the disk. */
export interface Side extends PathEnd {
  readonly path: string;
}

/** A snapshot that fits a commit. */
export interface Fitted {
  readonly head: string;
  readonly sides: readonly Side[];
  /** Whether git itself wrote the files, which leaves them half written where it is cut off. */
  readonly torn?: boolean;
}

/** A snapshot that fits, or the paths at which it does not. */
type Fit = Fitted | { readonly conflicts: readonly string[] };

/** The files of a snapshot by their exact bytes. Two processes, or four, for a stash that git made. */
async function keptFiles(
  { view, commit, untracked }: Stored,
  staging: Staging,
): Promise<Map<string, Work>> {
  const found = new Map<string, Work>();
  const present = view.paths.filter(({ work }) => work !== null);
  if (view.exact) {
    for (const { path, work, permissions } of present) {
      if (work !== null) found.set(path, { ...work, exact: true, permissions });
    }
    return found;
  }
  const { git } = staging;
  const loose = new Set(
    untracked === null ? [] : present.filter(({ index }) => index === null).map(({ path }) => path),
  );
  const groups = [
    { from: commit, paths: present.filter(({ path }) => !loose.has(path)) },
    { from: untracked ?? "", paths: present.filter(({ path }) => loose.has(path)) },
  ];
  for (const { from, paths } of groups) {
    if (paths.length === 0) continue;
    const directory = await staging.checkOut(from, paths.map(({ path }) => path));
    for (const { path, work } of paths) {
      const file = fileOf(await readPath(git.system, directory, path, view.head));
      if (file === null || work === null) continue;
      found.set(path, {
        mode: work.mode,
        oid: file.oid,
        exact: true,
        permissions: null,
        file: `${directory}/${path}`,
      });
    }
  }
  return found;
}

/** Merges three texts; null where they do not go together. One process. */
async function merged(
  staging: Staging,
  ours: Uint8Array,
  base: Uint8Array,
  theirs: Uint8Array,
): Promise<Uint8Array | null> {
  const { git } = staging;
  const files = [];
  for (const bytes of [ours, base, theirs]) files.push(await staging.file(bytes, 0o600));
  const result: ProcessResult = await git.run(["merge-file", "--stdout", "--quiet", ...files], {
    access: "internal",
    binary: true,
  });
  return result.exitCode === 0 && !result.truncated ? result.bytes ?? null : null;
}

async function objectBytes(staging: Staging, ...names: string[]): Promise<Uint8Array[]> {
  const found = new Map<string, Uint8Array>();
  await staging.objects([...new Set(names)], (name, bytes) => {
    found.set(name, bytes);
    return Promise.resolve();
  });
  return names.map((name) => found.get(name) ?? new Uint8Array());
}

function isFile(entry: Entry | null): entry is Entry {
  return entry !== null && entry.mode.startsWith("100");
}

/** What the index gets, given what the commit changed; undefined where that does not go together. */
async function fitIndex(
  staging: Staging,
  { path, head, index }: ChangedPath,
  now: Entry | null,
): Promise<IndexEntry | undefined> {
  if (sameIndex(index, head) || sameIndex(index, now)) return now;
  if (index === "intent_to_add") return now === null ? index : now;
  if (!isPlain(index) || !isFile(index) || !isFile(head) || !isFile(now)) return undefined;
  const [ours, base, theirs] = await objectBytes(staging, now.oid, head.oid, index.oid);
  if (ours === undefined || base === undefined || theirs === undefined) return undefined;
  const bytes = await merged(staging, ours, base, theirs);
  if (bytes === null) return undefined;
  const { git } = staging;
  const name = await git.must(
    ["hash-object", "-w", "--stdin"],
    { access: "internal", stdin: bytes },
    `merge ${path} of "${git.name}"`,
  );
  return { mode: index.mode === head.mode ? now.mode : index.mode, oid: name.trim() };
}

/** The bytes a file has where git has checked it out. */
async function checkedOut(staging: Staging, commit: string, path: string, like: string) {
  const directory = await staging.checkOut(commit, [path]);
  return fileOf(await readPath(staging.git.system, directory, path, like));
}

/** What the working copy gets, given what the commit changed; undefined where that does not go together. */
async function fitWork(
  staging: Staging,
  stored: Stored,
  { path, head }: ChangedPath,
  { kept, now, commit }: {
    readonly kept: Work | null;
    readonly now: Entry | null;
    readonly commit: string;
  },
): Promise<Work | null | undefined> {
  const like = stored.view.head;
  const ours = now === null ? null : await checkedOut(staging, commit, path, like);
  const asNow = ours === null ? null : {
    mode: ours.mode,
    oid: ours.oid,
    exact: true,
    permissions: null,
    file: await staging.file(ours.bytes, ours.permissions),
  };
  if (kept === null || ours === null || asNow === null) {
    const gone = kept === null && (ours === null || head === null);
    const untouched = head !== null && kept !== null && ours === null && kept.oid === head.oid;
    return gone || untouched ? asNow : undefined;
  }
  if (kept.oid === ours.oid && kept.mode === ours.mode) {
    return kept;
  }
  const base = head === null ? null : await checkedOut(staging, stored.view.head, path, like);
  if (base !== null && kept.oid === base.oid && kept.mode === base.mode) return asNow;
  if (base === null || !isFile(kept) || !isFile(ours) || !isFile(base)) return undefined;
  let theirs: Uint8Array | undefined;
  if (!kept.file) [theirs] = await objectBytes(staging, kept.oid);
  else theirs = await staging.git.system.files.readBytes(kept.file) ?? undefined;
  const bytes = theirs === undefined ? null : await merged(staging, ours.bytes, base.bytes, theirs);
  if (bytes === null) return undefined;
  return {
    mode: kept.mode === base.mode ? ours.mode : kept.mode,
    oid: blobName(bytes, like),
    exact: true,
    permissions: kept.permissions,
    file: await staging.file(bytes, kept.permissions),
  };
}

/** Fits a snapshot to a commit. One process where the commit is another; more for files that both changed. */
export async function fit(stored: Stored, commit: string, staging: Staging): Promise<Fit> {
  const { git } = staging;
  const { view } = stored;
  const files = await keptFiles(stored, staging);
  const moved = new Map(
    view.head === commit
      ? []
      : (await differences(git, view.head, commit)).map((entry) => [entry.path, entry]),
  );
  const sides: Side[] = [];
  const conflicts: string[] = [];
  for (const entry of view.paths) {
    const kept = files.get(entry.path) ?? null;
    const change = moved.get(entry.path);
    if (change === undefined || sameEntry(change.to, entry.head)) {
      sides.push({ path: entry.path, head: entry.head, index: entry.index, work: kept });
      continue;
    }
    const index = await fitIndex(staging, entry, change.to);
    const work = await fitWork(staging, stored, entry, { kept, now: change.to, commit });
    if (index === undefined || work === undefined) conflicts.push(entry.path);
    else sides.push({ path: entry.path, head: change.to, index, work });
  }
  return conflicts.length > 0 ? { conflicts } : { head: commit, sides };
}
