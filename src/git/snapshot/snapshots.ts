/**
 * Snapshots of uncommitted work: index, working copy and untracked files of a repository as commits in the form of git's
 * own stashes, made before anything is touched, and brought back file by file. Reached as `git.at(directory).part(Snapshots)`.
 *
 * `capture.ts` keeps them, `stream.ts` reads them back, `fit.ts` merges them with what was committed since.
 */

import { RepositoryPart } from "../call/part.ts";
import { type Taken, takeSnapshot } from "./capture.ts";
import { fit, type Fitted, type Side } from "./fit.ts";
import { readRemarks, readSnapshot, type Stored, type Title } from "./stream.ts";
import { Staging } from "../work_tree/staging.ts";
import { AmofError } from "../../base/error.ts";
import { blobName, fileOf, readPath, written } from "../work_tree/disk.ts";
import { differences, readStatus, type StatusRecord } from "../work_tree/status.ts";
import { type IndexEntry, isPlain, sameEntry, sameIndex, type View } from "../work_tree/view.ts";
import {
  committed,
  type Crossing,
  isAmong,
  lookAtPaths,
  type Route,
  walk,
} from "../work_tree/walk.ts";

/** The end of a snapshot that index and working copy are brought to. */
type End = "head" | "kept";

/** What the index has for a path, by what `git status` says of it. */
function indexOf(
  { from, to }: Crossing,
  record: StatusRecord | undefined,
  nothing: string,
): IndexEntry {
  if (record === undefined) return to.head;
  const { index } = record;
  // Git reports a path added with `--intent-to-add` whose file is missing like an empty file that was deleted.
  const announced = to.head === null && record.work === null && isPlain(index) &&
    index.oid === nothing && [from.index, to.index].includes("intent_to_add");
  return announced ? "intent_to_add" : index;
}

/** The way to an end of a snapshot as things stand. Throws `repo_changed` where another commit is checked out. One process. */
async function routeOf(
  staging: Staging,
  { head, sides, torn = false }: Fitted,
  to: End,
): Promise<Route> {
  const { git } = staging;
  const status = await readStatus(git);
  if (status.head !== head) {
    throw new AmofError(
      "repo_changed",
      `Cannot work on "${git.name}": its commit changed meanwhile`,
      { details: { repo: git.name, expected: head, found: status.head } },
    );
  }
  const records = new Map<string, StatusRecord>();
  for (const record of status.records) {
    // Git reports a path twice if it was removed from the index and its file still exists.
    if (!record.untracked || !records.has(record.path)) records.set(record.path, record);
  }
  const nothing = blobName(new Uint8Array(), head);
  return {
    from: head,
    to: head,
    crossings: sides.map(({ path, ...kept }) => {
      const clean = committed(kept.head);
      return to === "head" ? { path, from: kept, to: clean } : { path, from: clean, to: kept };
    }),
    told: {
      index: (crossing) => indexOf(crossing, records.get(crossing.path), nothing),
      has: (path) => records.has(path),
    },
    contents: (names, each) => staging.objects(names, each),
    torn,
  };
}

/**
 * Brings index and working copy to an end of a snapshot that fits the commit. Answers the paths that are at neither
 * end, or in the way; nothing was touched then, unless `others` says to bring all but these.
 *
 * Looks once more, to make sure that it came out as it should have. What somebody has written since to work that came
 * back is their next change to it.
 */
async function bring(
  staging: Staging,
  fitted: Fitted,
  to: End,
  others = false,
): Promise<string[]> {
  const found = await walk(staging, await routeOf(staging, fitted, to), { others });
  if (found.length > 0 && !others) return found;
  const sides = fitted.sides.filter(({ path }) => !isAmong(found, path));
  const { standing } = await lookAtPaths(staging, await routeOf(staging, { ...fitted, sides }, to));
  const wrong = standing.find(({ crossing, index, there }) =>
    to === "head" && !there || !sameIndex(index, crossing.to.index)
  );
  if (wrong !== undefined) throw written(staging.git, wrong.crossing.path);
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
    const file = to === null ? null : fileOf(await readPath(git.system, directory, name, commit));
    sides.push({
      path: name,
      head: from,
      index: to,
      work: file === null ? null : {
        mode: file.mode,
        oid: file.oid,
        exact: true,
        permissions: null,
        file: `${directory}/${name}`,
      },
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
