/**
 * Snapshots of uncommitted work: index, working copy and untracked files of a repository as commits in the form of git's
 * own stashes, made before anything is touched, and brought back file by file. Reached as `git.at(directory).part(Snapshots)`.
 *
 * `snapshot/view.ts` says what is kept; `capture.ts` keeps it, `read.ts` reads it back, `fit.ts` merges it with what
 * was committed since.
 */

import { join } from "@std/path";
import { RepositoryPart } from "../call/part.ts";
import { readStatus, type StatusRecord, type Taken, takeSnapshot } from "./capture.ts";
import { fit, type Fitted, type Side } from "./fit.ts";
import { differences, readRemarks, readSnapshot, type Stored, type Title } from "./stream.ts";
import { Staging } from "./staging.ts";
import { AmofError } from "../../base/error.ts";
import {
  blobName,
  type Found,
  type Move,
  moveFiles,
  obstructingPaths,
  type OnDisk,
  readPath,
  written,
} from "./disk.ts";
import { type IndexEntry, isPlain, sameEntry, sameIndex, type View } from "./view.ts";
import { writeIndex } from "./write_index.ts";

// Every path is looked at before the first one is touched, and must be as at either end. So a step that was cut off
// can be repeated and taken back, and what others wrote meanwhile is never overwritten. Files are moved into place
// whole. At most seven git processes.

/** The end of a snapshot that index and working copy are brought to. */
type End = "head" | "kept";

/** Whether a file is what git leaves when it is cut off while it writes another one: nothing, or the beginning. */
async function isTorn(
  staging: Staging,
  file: OnDisk | null,
  whole: Side["work"],
): Promise<boolean> {
  if (file === null) return true;
  if (whole === null || whole.file === null) return false;
  const bytes = await staging.git.system.files.readBytes(whole.file);
  return bytes !== null && file.bytes.length <= bytes.length &&
    file.bytes.every((byte, at) => byte === bytes[at]);
}

interface PathState {
  readonly side: Side;
  readonly index: IndexEntry;
  readonly found: Found;
  readonly file: OnDisk | null;
  /** Whether the file is as at the end it is brought to. */
  readonly there: boolean;
}

/** What the index has for a path, by what `git status` says of it. */
function indexOf(side: Side, record: StatusRecord | undefined, nothing: string): IndexEntry {
  if (record === undefined) return side.head;
  const { index } = record;
  // Git reports a path added with `--intent-to-add` whose file is missing like an empty file that was deleted.
  const announced = side.head === null && record.work === null && isPlain(index) &&
    index.oid === nothing && side.index === "intent_to_add";
  return announced ? "intent_to_add" : index;
}

/** Looks at all paths; answers how they stand, and those that are at neither end. */
async function lookAtAll(
  staging: Staging,
  { head, sides, torn }: Fitted,
  to: End,
): Promise<{ standing: PathState[]; strangers: string[] }> {
  const { git } = staging;
  const { directory: path, name: repo } = git;
  const status = await readStatus(git);
  if (status.head !== head) {
    throw new AmofError("repo_changed", `Cannot work on "${repo}": its commit changed meanwhile`, {
      details: { repo, expected: head, found: status.head },
    });
  }
  const records = new Map<string, StatusRecord>();
  for (const record of status.records) {
    // Git reports a path twice if it was removed from the index and its file still exists.
    if (!record.untracked || !records.has(record.path)) records.set(record.path, record);
  }
  const nothing = blobName(new Uint8Array(), head);
  let committed: string | null = null;
  const standing: PathState[] = [];
  const strangers: string[] = [];
  for (const side of sides) {
    const record = records.get(side.path);
    const index = indexOf(side, record, nothing);
    const found = await readPath(git.system, path, side.path, head);
    const file = found === null || typeof found === "string" ? null : found;
    const kept = side.work === null ? file === null : file?.oid === side.work.oid;
    // Where git misses no file that is not there, a sparse checkout leaves it out.
    let asHead = side.head === null || file === null
      ? file === null && (side.head === null || found === null && record === undefined)
      : file.oid === side.head.oid;
    if (!asHead && side.head !== null && file !== null && (!kept || record === undefined)) {
      // Filters and line endings may make another file of it; git's silence is no proof where it was told to overlook it.
      committed ??= await staging.checkOut(
        head,
        sides.filter((other) => other.head !== null).map((other) => other.path),
      );
      const out = await readPath(git.system, committed, side.path, head);
      asHead = out !== null && typeof out !== "string" && out.oid === file.oid;
    }
    const ours = asHead || kept || torn === true && await isTorn(staging, file, side.work);
    const known = ours && found !== "other" &&
      (sameIndex(index, side.head) || sameIndex(index, side.index));
    if (!known) strangers.push(side.path);
    const there = to === "head"
      ? asHead && (file === null || record === undefined || file.mode === side.head?.mode)
      : kept && (file === null || file.mode === side.work?.mode &&
          [null, file.permissions].includes(side.work.permissions));
    standing.push({ side, index, found, file, there });
  }
  return { standing, strangers };
}

/** Makes the files that are to be written, whole, in the staging place; answers where each is. */
async function prepared(
  staging: Staging,
  head: string,
  entries: readonly PathState[],
  to: End,
): Promise<Map<string, string>> {
  const places = new Map<string, string>();
  if (to === "head") {
    const paths = entries.filter(({ side }) => side.head !== null).map(({ side }) => side.path);
    const directory = await staging.checkOut(head, paths);
    for (const name of paths) places.set(name, join(directory, name));
    return places;
  }
  const wanted = new Map<string, Side[]>();
  for (const { side } of entries) {
    const { work } = side;
    if (work === null) continue;
    if (work.file !== null) places.set(side.path, work.file);
    else wanted.set(work.oid, [...wanted.get(work.oid) ?? [], side]);
  }
  await staging.objects([...wanted.keys()], async (name, bytes) => {
    for (const { path, work } of wanted.get(name) ?? []) {
      const place = work?.mode === "120000"
        ? await staging.link(new TextDecoder().decode(bytes))
        : await staging.file(
          bytes,
          work?.permissions ?? (work?.mode === "100755" ? 0o755 : null),
        );
      places.set(path, place);
    }
  });
  return places;
}

/** Whether there is a file at an end. */
function isWanted({ side }: Pick<PathState, "side">, to: End): boolean {
  return (to === "head" ? side.head : side.work) !== null;
}

/** What is to become of the files of paths at an end. */
function movesOf(standing: readonly PathState[], to: End): Move[] {
  return standing.map(({ side, found, file, there }) => ({
    path: side.path,
    found,
    file,
    wanted: isWanted({ side }, to),
    there,
  }));
}

async function bringFiles(
  staging: Staging,
  head: string,
  standing: readonly PathState[],
  to: End,
): Promise<void> {
  const writing = standing.filter((entry) => isWanted(entry, to) && !entry.there);
  const places = await prepared(staging, head, writing, to);
  await moveFiles(staging, movesOf(standing, to), places);
}

/** Brings the index of all paths to an end, and lets git look anew at files that were written. At most two processes. */
async function moveIndex(
  staging: Staging,
  head: string,
  standing: readonly PathState[],
  to: End,
): Promise<void> {
  const target = ({ side }: PathState) => to === "head" ? side.head : side.index;
  const changing = standing.filter((entry) =>
    !sameIndex(entry.index, target(entry)) ||
    !entry.there && isWanted(entry, to) && isPlain(target(entry))
  );
  await writeIndex(
    staging.git,
    head,
    changing.map((entry) => ({ path: entry.side.path, entry: target(entry) })),
  );
}

/**
 * Makes sure that it came out as it should have. What somebody has written since to work that came back is their next
 * change to it. One process.
 */
async function check(staging: Staging, fitted: Fitted, to: End): Promise<void> {
  const { standing } = await lookAtAll(staging, fitted, to);
  const wrong = standing.find(({ side, index, there }) =>
    to === "head" && !there || !sameIndex(index, to === "head" ? side.head : side.index)
  );
  if (wrong !== undefined) throw written(staging.git, wrong.side.path);
}

/**
 * Brings index and working copy to an end of a snapshot that fits the commit. Answers the paths that are at neither
 * end, or in the way; nothing was touched then, unless `others` says to bring all but these.
 */
async function bring(
  staging: Staging,
  fitted: Fitted,
  to: End,
  others = false,
): Promise<string[]> {
  const { standing, strangers } = await lookAtAll(staging, fitted, to);
  const found = [
    ...new Set([...strangers, ...await obstructingPaths(staging.git, movesOf(standing, to))]),
  ].sort();
  if (found.length > 0 && !others) return found;
  const isLeft = (path: string) => found.some((one) => one === path || path.startsWith(`${one}/`));
  const moved = standing.filter(({ side }) => !isLeft(side.path));
  await bringFiles(staging, fitted.head, moved, to);
  await moveIndex(staging, fitted.head, moved, to);
  await check(staging, { ...fitted, sides: moved.map(({ side }) => side) }, to);
  return found;
}

/** What tells a snapshot from others, out of the message of its commit; null for a stash that git made. */
export function snapshotId(message: string): string | null {
  return readRemarks(message)?.id ?? null;
}

/** Why a snapshot was not applied, or not everywhere. Empty lists when it was. */
export interface Hindrance {
  /** Paths that the commit changed, too, in another way. */
  readonly conflicts: readonly string[];
  /** Paths that hold something else, or that something else is in the way of. */
  readonly strangers: readonly string[];
}

/**
 * What a checkout of another commit changes, as if that were a snapshot: for one that was cut off. Three processes.
 */
async function checkoutOf(
  commit: string,
  other: string,
  staging: Staging,
): Promise<Fitted> {
  const { git } = staging;
  const changed = (await differences(git, commit, other)).filter(({ from, to }) =>
    from?.mode !== "160000" && to?.mode !== "160000"
  );
  const present: string[] = [];
  for (const { path, from, to } of changed) {
    // What git has not come to is not there, as in this commit: what its filter would make of it tells nothing.
    const isAhead = from === null &&
      await readPath(git.system, git.directory, path, commit) === null;
    if (to !== null && !isAhead) present.push(path);
  }
  const directory = await staging.checkOut(other, present);
  const sides: Side[] = [];
  for (const { path: name, from, to } of changed) {
    const out = to === null ? null : await readPath(git.system, directory, name, commit);
    const file = out === null || typeof out === "string" ? null : out;
    sides.push({
      path: name,
      head: from,
      index: to,
      work: file === null
        ? null
        : { mode: file.mode, oid: file.oid, permissions: null, file: `${directory}/${name}` },
    });
  }
  return { head: commit, sides, torn: true };
}

/** Snapshots of uncommitted work. */
export class Snapshots extends RepositoryPart {
  /**
   * Takes a snapshot without touching anything, of some paths alone where they are named; null when nothing is uncommitted.
   * Nothing names it yet. Two processes, rarely three.
   */
  take(title: Title, paths?: ReadonlySet<string>): Promise<Taken | null> {
    return takeSnapshot(this.git, title, paths);
  }

  /** Reads a snapshot, or a stash that git made. At most four processes. */
  read(commit: string): Promise<Stored> {
    return readSnapshot(this.git, commit);
  }

  /** Whether a snapshot has the same work, with the index as it is now or as it was. At most four processes. */
  async holds(snapshot: string, { head, paths }: View): Promise<boolean> {
    const { view: was } = await this.read(snapshot);
    return was.head === head && was.paths.length === paths.length &&
      paths.every(({ path, index, work }, at) => {
        const before = was.paths[at];
        return before?.path === path && sameEntry(before.work, work) &&
          // What is staged as it stands on the disk is there in any case.
          (sameIndex(before.index, index) || sameIndex(work, index));
      });
  }

  /** The paths at which a snapshot and a commit do not go together. At most four processes where they do. */
  async conflicts(
    snapshot: string,
    commit: string,
  ): Promise<readonly string[]> {
    const stored = await this.read(snapshot);
    await using staging = await Staging.open(this.git);
    const fitted = await fit(stored, commit, staging);
    return "conflicts" in fitted ? fitted.conflicts : [];
  }

  /**
   * The paths of a snapshot that a commit has otherwise than the one it was taken on: where there is none, they go
   * together, and else nobody knows without trying. Writes nothing. One process where that is the one, else at most six.
   */
  async contested(snapshot: string, commit: string): Promise<readonly string[]> {
    const taken = await this.git.read(
      ["rev-parse", "--verify", `${snapshot}^1`],
      `read the kept changes of "${this.git.name}"`,
    );
    if (taken.trim() === commit) return [];
    const { view } = await this.read(snapshot);
    const moved = new Map(
      (await differences(this.git, view.head, commit)).map(({ path, to }) => [path, to]),
    );
    return view.paths.filter(({ path, head }) => {
      const now = moved.get(path);
      return now !== undefined && !sameEntry(now, head);
    }).map(({ path }) => path);
  }

  /**
   * Brings the work of a snapshot into index and working copy (`kept`), or takes it out of them (`head`). With `others`
   * strangers are left, and all other paths brought. Harmless to repeat. A dozen processes.
   */
  async apply(snapshot: string, to: End, others = false): Promise<Hindrance> {
    const stored = await this.read(snapshot);
    const head = await this.#head();
    await using staging = await Staging.open(this.git);
    const fitted = await fit(stored, head, staging);
    if ("conflicts" in fitted) return { conflicts: fitted.conflicts, strangers: [] };
    return { conflicts: [], strangers: await bring(staging, fitted, to, others) };
  }

  /**
   * Puts index and working copy in order where a checkout of another commit was cut off: all is as in the commit that
   * is checked out. Answers the paths at which neither of both is; nothing was touched then. A dozen processes.
   */
  async settleCheckout(other: string): Promise<readonly string[]> {
    const head = await this.#head();
    if (head === other) return [];
    await using staging = await Staging.open(this.git);
    return await bring(staging, await checkoutOf(head, other, staging), "head");
  }

  async #head(): Promise<string> {
    const head = await this.git.read(
      ["rev-parse", "--verify", "HEAD^{commit}"],
      `read the commit of "${this.git.name}"`,
    );
    return head.trim();
  }
}
