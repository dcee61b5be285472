/** What a snapshot of uncommitted work is made of. */

/** A file, link or submodule as git keeps it: its mode, such as `100644`, and its object. */
export interface Entry {
  readonly mode: string;
  readonly oid: string;
}

/** One side of a path that was not merged: 1 the common one, 2 ours, 3 theirs. */
export interface MergeStage extends Entry {
  readonly stage: 1 | 2 | 3;
}

/** What the index holds for a path; null for nothing. */
export type IndexEntry = Entry | "intent_to_add" | readonly MergeStage[] | null;

/** A path that differs between commit, index and working copy. */
export interface ChangedPath {
  readonly path: string;
  /** In the commit the work is based on. */
  readonly head: Entry | null;
  readonly index: IndexEntry;
  /**
   * On the disk. Where the view is exact its object has the very bytes of the file, else what git's filters made
   * of them.
   */
  readonly work: Entry | null;
  /** The permission bits of the file, where they are known. */
  readonly permissions: number | null;
}

/** Uncommitted work of one repository. */
export interface View {
  /** The commit it is based on. */
  readonly head: string;
  readonly exact: boolean;
  /** Sorted by path. Without submodules and nested repositories, whose work is their own. */
  readonly paths: readonly ChangedPath[];
}

/** The mode of an entry that stands for another repository. */
export const GITLINK = "160000";

/** Whether an index entry is a plain one. */
export function isPlain(entry: IndexEntry): entry is Entry {
  return entry !== null && typeof entry === "object" && "oid" in entry;
}

/** Whether an index entry is that of a path that was not merged. */
export function isUnmerged(entry: IndexEntry): entry is readonly MergeStage[] {
  return Array.isArray(entry);
}

/** Objects that only the index has: git may forget them as soon as the index does. */
export function stagedObjects(paths: readonly Pick<ChangedPath, "head" | "index">[]): string[] {
  const found = paths.flatMap(({ index, head }) =>
    isPlain(index) ? index.oid === head?.oid ? [] : [index] : isUnmerged(index) ? [...index] : []
  );
  return [...new Set(found.filter(({ mode }) => mode !== GITLINK).map(({ oid }) => oid))];
}

/** Whether two entries are the same in kind and content. */
export function sameEntry(a: Entry | null, b: Entry | null): boolean {
  return a === null || b === null ? a === b : a.oid === b.oid && a.mode === b.mode;
}

/** Whether the index would hold the same. */
export function sameIndex(a: IndexEntry, b: IndexEntry): boolean {
  if (isPlain(a) && isPlain(b)) return sameEntry(a, b);
  if (!isUnmerged(a) || !isUnmerged(b)) return a === b;
  const text = (stages: readonly MergeStage[]) =>
    stages.map(({ stage, mode, oid }) => `${stage} ${mode} ${oid}`).sort().join();
  return text(a) === text(b);
}

/** Sorts by path, as every list of paths of a view is. */
export function byPath<T extends { readonly path: string }>(entries: Iterable<T>): T[] {
  return [...entries].sort((a, b) => a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
}
