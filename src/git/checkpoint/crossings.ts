/** What is not the same in two checkpoints, and the way of index and working copy from one to the other. */

import type { Runner } from "../call/runner.ts";
import { EMPTY_TREES } from "../read/files.ts";
import { Staging } from "../work_tree/staging.ts";
import { differences } from "../work_tree/status.ts";
import { type ChangedPath, type Entry, sameIndex, stagedObjects } from "../work_tree/view.ts";
import {
  committed,
  type Crossing,
  type PathEnd,
  type Told,
  walk,
  type Work,
} from "../work_tree/walk.ts";
import type { Aside, Checkpoint, ObjectStore } from "./names.ts";

function stateOf(entry: ChangedPath | undefined, tree: Entry | null): PathEnd {
  if (entry === undefined) return committed(tree);
  const work = entry.work === null
    ? null
    : { ...entry.work, exact: true, permissions: entry.permissions };
  return { head: tree, index: entry.index, work };
}

/** The same file, which a checkpoint did not keep, with what its index has of it. */
function withIndex(state: PathEnd, { index = null }: Aside): PathEnd {
  return { ...state, index };
}

function sameWork(a: Work | null, b: Work | null): boolean {
  if (a === null || b === null) return a === b;
  return a.oid === b.oid && a.mode === b.mode && a.exact === b.exact &&
    (!a.exact || a.permissions === b.permissions);
}

/** The paths that are not the same in both checkpoints, sorted. At most one process. */
export async function crossings(
  git: Runner,
  from: Checkpoint,
  to: Checkpoint,
): Promise<Crossing[]> {
  const any = from.head ?? to.head;
  const empty = EMPTY_TREES[any?.length ?? 40] ?? "";
  const changed = from.head === to.head
    ? []
    : await differences(git, from.head ?? empty, to.head ?? empty);
  const trees = new Map(changed.map((entry) => [entry.path, entry]));
  const before = new Map(from.paths.map((entry) => [entry.path, entry]));
  const after = new Map(to.paths.map((entry) => [entry.path, entry]));
  const names = new Set([...trees.keys(), ...before.keys(), ...after.keys()]);
  const [left, right] = [from, to].map(({ aside }) =>
    new Map(aside.flatMap((one) => one.index === undefined ? [] : [[one.path, one]]))
  );
  return [...names].sort().flatMap((path): Crossing[] => {
    const tree = trees.get(path);
    const known = before.get(path)?.head ?? after.get(path)?.head ?? null;
    const crossing = {
      path,
      from: stateOf(before.get(path), tree === undefined ? known : tree.from),
      to: stateOf(after.get(path), tree === undefined ? known : tree.to),
    };
    const { from: a, to: b } = crossing;
    const [out, home] = [left?.get(path), right?.get(path)];
    if (home !== undefined && out === undefined && a.work !== null && !before.has(path)) {
      return [{ ...crossing, to: { ...withIndex(a, home), head: b.head }, stays: true }];
    }
    if (out !== undefined && home === undefined && b.work !== null && !after.has(path)) {
      return [{ ...crossing, from: { ...withIndex(b, out), head: a.head }, stays: true }];
    }
    return sameIndex(a.index, b.index) && sameWork(a.work, b.work)
      ? []
      : [{ ...crossing, stays: false }];
  });
}

/** What git says of paths, by a checkpoint of how they stand now. */
function toldBy(now: Checkpoint, from: Checkpoint): Told {
  const here = new Map(now.paths.map((entry) => [entry.path, entry]));
  const aside = new Map(now.aside.map((one) => [one.path, one]));
  return {
    index({ path, stays, ...ends }) {
      const left = stays ? aside.get(path) : undefined;
      if (left !== undefined) return left.index ?? null;
      const { index } = here.get(path) ?? {};
      return index === undefined ? (now.head === from.head ? ends.from : ends.to).head : index;
    },
    has: (path) => here.has(path),
    isAside: (path) => aside.has(path),
  };
}

/** Puts objects back that only the index had, where the repository has forgotten them. At most three processes. */
async function returnObjects(
  git: Runner,
  objects: ObjectStore,
  entries: readonly PathEnd[],
): Promise<void> {
  const names = stagedObjects(entries);
  if (names.length === 0) return;
  const what = `restore the index of "${git.name}"`;
  const said = await git.must(
    ["cat-file", "--batch-check=%(objectname) %(objecttype)"],
    { access: "read", stdin: names.map((name) => `${name}\n`).join("") },
    what,
  );
  const gone = said.split("\n").filter((line) => line.endsWith(" missing"))
    .map((line) => line.slice(0, line.indexOf(" ")));
  await objects.read(gone, async (_oid, bytes) => {
    await git.must(
      ["hash-object", "-w", "--no-filters", "--stdin"],
      { access: "internal", stdin: bytes.slice() },
      what,
    );
  });
}

/**
 * Brings index and working copy from one checkpoint to another. Answers the paths that are as neither has them, or in the
 * way; nothing was touched then. At most ten processes.
 */
export async function bringWork(
  git: Runner,
  objects: ObjectStore,
  { from, to, now, crossings }: {
    readonly from: Checkpoint;
    readonly to: Checkpoint;
    readonly now: Checkpoint;
    readonly crossings: readonly Crossing[];
  },
): Promise<string[]> {
  if (crossings.length === 0) return [];
  await using staging = await Staging.open(git);
  const strangers = await walk(
    staging,
    {
      from: from.head,
      to: to.head,
      crossings,
      told: toldBy(now, from),
      contents: (names, each) => objects.read(names, each),
    },
    { before: (entries) => returnObjects(git, objects, entries) },
  );
  // Git remembers what it has seen of files that are as the index has them, so that it need not read them again.
  if (strangers.length === 0) {
    await git.run(["update-index", "-q", "--refresh"], { access: "internal", patient: true });
  }
  return strangers;
}
