/**
 * A plan as a reviewer reads it who cannot be shown all of it: what can lose something first, the rest by kind and
 * directory (PACK-47).
 */

import { atOnce, type Pieces } from "../../../base/async/pool.ts";
import { compareBytes, firstDifference } from "../content.ts";
import { posix } from "../io.ts";
import type { DriftItem } from "./differences.ts";
import type { Change } from "./plan.ts";

/**
 * What a change does to a reviewer's files, gravest first. `program` makes a tool run a program, `adopt`
 * overwrites a file that is not managed, `edited` an edit, `link` a link. `hidden` writes characters that
 * nobody sees.
 */
export const REVIEW_KINDS = [
  "program",
  "delete",
  "adopt",
  "edited",
  "link",
  "hidden",
  "update",
  "create",
] as const;

type ReviewKind = typeof REVIEW_KINDS[number];

/** How many items there are of each kind, gravest first; kinds without any are left out. */
type ReviewCounts<K extends string = ReviewKind> = Partial<Readonly<Record<K, number>>>;

/** Items below one directory. */
export type ReviewedDirectory<K extends string = ReviewKind> = ReviewCounts<K> & {
  readonly target: string;
  /** With `/`. */
  readonly directory: string;
};

/** The gravest kind that a change is of. */
export function reviewKind(
  change: Pick<Change, "op"> & Partial<Change>,
): ReviewKind {
  const runs = change.entries?.some(({ runs }) => runs !== undefined) ?? change.program;
  if (runs === true) return "program";
  if (change.op === "delete") return "delete";
  if (change.update_kind === "adopt_update") return "adopt";
  if (change.locally_modified) return "edited";
  if (change.is_symlink) return "link";
  return change.hidden_characters ? "hidden" : change.op;
}

/** What a list is reviewed by. */
interface Gravity<T, K extends string> {
  /** Gravest first. */
  readonly kinds: readonly K[];
  readonly kindOf: (item: T) => K;
}

/** How plans are reviewed. */
export const BY_CHANGE: Gravity<Change, ReviewKind> = { kinds: REVIEW_KINDS, kindOf: reviewKind };

/** How drift is reviewed: what holds somebody's edits, what is gone, what nobody deployed. */
export const BY_DRIFT: Gravity<DriftItem, DriftItem["kind"]> = {
  kinds: ["modified", "missing", "extra"],
  kindOf: ({ kind }) => kind,
};

interface Review<T, K extends string> {
  /** The gravest first, those of one kind in the order of the list. */
  readonly ordered: readonly T[];
  readonly counts: ReviewCounts<K>;
  /** Where everything but these items lies, by target and directory. */
  readonly without: (shown: readonly T[]) => ReviewedDirectory<K>[];
}

/** A directory with the numbers of its kinds. */
interface RepoCounter<K extends string> {
  readonly target: string;
  readonly directory: string;
  readonly counts: Map<K, number>;
}

function parent(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf("/")));
}

function keyOf(target: string, directory: string): string {
  return `${target}\0${directory}`;
}

/** The tally of a directory, made where there is none yet. */
function countsAt<K extends string>(
  tallies: Map<string, RepoCounter<K>>,
  target: string,
  directory: string,
): RepoCounter<K> {
  const key = keyOf(target, directory);
  const tally = tallies.get(key) ?? { target, directory, counts: new Map<K, number>() };
  tallies.set(key, tally);
  return tally;
}

function more<K extends string>({ counts }: RepoCounter<K>, kind: K, count: number): void {
  counts.set(kind, (counts.get(kind) ?? 0) + count);
}

/** Counts the deepest directories with what lies above them until there are at most `most`. */
function* lift<K extends string>(tallies: Map<string, RepoCounter<K>>, most: number): Pieces<void> {
  const levels = new Map<number, Set<RepoCounter<K>>>();
  const put = (tally: RepoCounter<K>) => {
    const at = tally.directory === "/" ? 1 : tally.directory.split("/").length;
    levels.set(at, (levels.get(at) ?? new Set()).add(tally));
  };
  for (const tally of tallies.values()) {
    put(tally);
    yield;
  }
  for (let deepest = Math.max(0, ...levels.keys()); tallies.size > most && deepest > 1; deepest--) {
    for (const { target, directory, counts } of levels.get(deepest) ?? []) {
      tallies.delete(keyOf(target, directory));
      const above = countsAt(tallies, target, parent(directory));
      for (const [kind, count] of counts) more(above, kind, count);
      put(above);
      yield;
    }
  }
}

/** The numbers of a map in the order of the kinds, without zeros. */
function countsOf<K extends string>(
  kinds: readonly K[],
  numbers: ReadonlyMap<K, number>,
): ReviewCounts<K> {
  const counts: Partial<Record<K, number>> = {};
  for (const kind of kinds) {
    const found = numbers.get(kind) ?? 0;
    if (found > 0) counts[kind] = found;
  }
  return counts;
}

/**
 * Orders a list by gravity, and counts it by kind, target and directory. Where the directories are more than `most`,
 * the deepest ones are counted with what lies above them, so that every item is in one of them.
 */
export function* review<
  T extends { readonly target: string; readonly path: string },
  K extends string,
>(
  items: readonly T[],
  { kinds, kindOf }: Gravity<T, K>,
  most: number,
): Pieces<Review<T, K>> {
  const byKind = new Map(kinds.map((kind): [K, T[]] => [kind, []]));
  const tallies = new Map<string, RepoCounter<K>>();
  for (const item of items) {
    const kind = kindOf(item);
    byKind.get(kind)?.push(item);
    more(countsAt(tallies, item.target, parent(posix(item.path))), kind, 1);
    yield;
  }
  yield* lift(tallies, most);
  const without = (shown: readonly T[]): ReviewedDirectory<K>[] => {
    const left = new Map(
      [...tallies].map(([key, tally]) => [key, { ...tally, counts: new Map(tally.counts) }]),
    );
    for (const item of shown) {
      let directory = parent(posix(item.path));
      while (!left.has(keyOf(item.target, directory)) && directory !== "/") {
        directory = parent(directory);
      }
      more(countsAt(left, item.target, directory), kindOf(item), -1);
    }
    return [...left.values()].map(({ target, directory, counts }) => ({
      target,
      directory,
      ...countsOf(kinds, counts),
    })).filter((one) => Object.keys(one).length > 2).sort((a, b) =>
      firstDifference(compareBytes(a.target, b.target), compareBytes(a.directory, b.directory))
    );
  };
  const numbers = new Map([...byKind].map(([kind, found]) => [kind, found.length]));
  return { ordered: [...byKind.values()].flat(), counts: countsOf(kinds, numbers), without };
}

/** The {@linkcode review} of a plan, at once. */
export function reviewPlan(
  changes: readonly Change[],
  most: number,
): Review<Change, ReviewKind> {
  return atOnce(review(changes, BY_CHANGE, most));
}
