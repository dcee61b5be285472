/** What has to be done at which paths on the way from one checkpoint of a repository to another. */

import type { Runner } from "../call/runner.ts";
import { differences } from "../snapshot/read.ts";
import { type ChangedPath, type Entry, type IndexEntry, sameIndex } from "../snapshot/view.ts";
import type { Aside, Checkpoint } from "./checkpoint.ts";

/** What is on the disk at a path: these very bytes, or what git makes of a file of the commit. */
export interface Work extends Entry {
  readonly exact: boolean;
  readonly permissions: number | null;
}

/** A path as one of both checkpoints has it. */
export interface PathState {
  /** In the commit. */
  readonly head: Entry | null;
  readonly index: IndexEntry;
  readonly work: Work | null;
}

/** A path that is not the same in both. */
export interface Crossing {
  readonly path: string;
  readonly from: PathState;
  readonly to: PathState;
  /** Whether its file stays as it is: one checkpoint did not keep it, and the other has it as it was committed. */
  readonly stays: boolean;
}

/** The tree of a repository without a commit, by the length of its object names. */
const EMPTY_TREES: Readonly<Record<number, string>> = {
  40: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  64: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
};

/** The mode of an entry that stands for another repository. */
export const GITLINK = "160000";

function stateOf(entry: ChangedPath | undefined, tree: Entry | null): PathState {
  if (entry === undefined) {
    const work = tree === null ? null : { ...tree, exact: false, permissions: null };
    return { head: tree, index: tree, work };
  }
  const work = entry.work === null
    ? null
    : { ...entry.work, exact: true, permissions: entry.permissions };
  return { head: tree, index: entry.index, work };
}

/** The same file, which a checkpoint did not keep, with what its index has of it. */
function withIndex(state: PathState, { index = null }: Aside): PathState {
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
