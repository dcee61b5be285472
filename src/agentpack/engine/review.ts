/**
 * A plan as a reviewer reads it who cannot be shown all of it: what can lose something first, the rest by kind and
 * directory (PACK-47).
 *
 * @module
 */

import { posix } from "../io.ts";
import { compareBytes, firstDifference } from "../bytes.ts";
import type { Change } from "./plan.ts";

/**
 * What a change does to a reviewer's files, gravest first: it deletes one, overwrites one that is not managed, an
 * edit, or a link, writes what nobody sees, updates, creates.
 */
export const REVIEW_KINDS = [
  "delete",
  "adopt",
  "edited",
  "link",
  "hidden",
  "update",
  "create",
] as const;

/** A kind of {@linkcode REVIEW_KINDS}. */
export type ReviewKind = typeof REVIEW_KINDS[number];

/** How many changes there are of each kind; kinds without any are left out. */
export type ReviewCounts = Partial<Readonly<Record<ReviewKind, number>>>;

/** Changes below one directory. */
export interface ReviewedDirectory extends ReviewCounts {
  readonly target: string;
  /** With `/`. */
  readonly directory: string;
}

/** The gravest kind that a change is of. */
export function reviewKind(change: Change): ReviewKind {
  if (change.op === "delete") return "delete";
  if (change.update_kind === "adopt_update") return "adopt";
  if (change.locally_modified) return "edited";
  if (change.is_symlink) return "link";
  return change.hidden_characters ? "hidden" : change.op;
}

/** The changes with the gravest first, those of one kind in the order of the plan. */
export function byGravity(changes: readonly Change[]): Change[] {
  return REVIEW_KINDS.flatMap((kind) => changes.filter((change) => reviewKind(change) === kind));
}

/** Counts changes by kind. */
export function reviewCounts(changes: readonly Change[]): ReviewCounts {
  const counts: Partial<Record<ReviewKind, number>> = {};
  for (const kind of REVIEW_KINDS) {
    const found = changes.filter((change) => reviewKind(change) === kind).length;
    if (found > 0) counts[kind] = found;
  }
  return counts;
}

function parent(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf("/")));
}

function depth(path: string): number {
  return path.split("/").length;
}

/**
 * Counts changes by target and directory. Where these are more than `most`, the deepest ones are counted with what
 * lies above them, so that every change is in one of them.
 */
export function byDirectory(changes: readonly Change[], most: number): ReviewedDirectory[] {
  const groups = new Map<string, { target: string; directory: string; changes: Change[] }>();
  const put = (target: string, directory: string, more: readonly Change[]) => {
    const key = `${target}\0${directory}`;
    const group = groups.get(key) ?? { target, directory, changes: [] };
    group.changes.push(...more);
    groups.set(key, group);
  };
  for (const change of changes) put(change.target, parent(posix(change.path)), [change]);
  while (groups.size > most) {
    const deepest = Math.max(...groups.values().map(({ directory }) => depth(directory)));
    const lifted = [...groups].filter(([, group]) => depth(group.directory) === deepest);
    if (lifted.every(([, { directory }]) => directory === "/")) break;
    for (const [key] of lifted) groups.delete(key);
    for (const [, group] of lifted) put(group.target, parent(group.directory), group.changes);
  }
  return [...groups.values()].map((group) => ({
    target: group.target,
    directory: group.directory,
    ...reviewCounts(group.changes),
  })).sort((a, b) =>
    firstDifference(compareBytes(a.target, b.target), compareBytes(a.directory, b.directory))
  );
}
