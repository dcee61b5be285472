/** What a checkpoint of a repository is made of: everything that a run may change here and that can be brought back. */

import type { InProgress } from "../call/activity.ts";
import { type ChangedPath, type IndexEntry, sameEntry, sameIndex } from "../snapshot/view.ts";

/** Why the content of a file is not kept. */
export type AsideReason =
  | "too_large"
  | "excluded"
  | "repository"
  | "name"
  | "special"
  | "untracked";

/** A file whose content is not kept: it is never overwritten and never deleted. */
export interface Aside {
  readonly path: string;
  readonly bytes: number;
  readonly why: AsideReason;
  /** What the index has of it; absent where that is not known. */
  readonly index?: IndexEntry;
}

/** An entry of the list of stashes. */
export interface StashOf {
  readonly commit: string;
  readonly subject: string;
}

/** A repository as it stood: plain JSON. The contents of its changed files are in an object store. */
export interface Checkpoint {
  /** The commit that is checked out; null where there is none yet. */
  readonly head: string | null;
  /** The branch that is checked out; null where the head is detached. */
  readonly branch: string | null;
  readonly inProgress: InProgress | null;
  /** Local branches and tags by their full names. */
  readonly refs: Readonly<Record<string, string>>;
  /** Newest first. */
  readonly stashes: readonly StashOf[];
  /** Paths that differ between commit, index and working copy, sorted; their work by exact bytes. */
  readonly paths: readonly ChangedPath[];
  readonly aside: readonly Aside[];
}

function samePath(a: ChangedPath, b: ChangedPath): boolean {
  return a.path === b.path && sameIndex(a.index, b.index) && sameEntry(a.work, b.work) &&
    a.permissions === b.permissions;
}

/** Paths at which two checkpoints of uncommitted work are not the same, whatever they are based on. */
export function differingWork(a: Checkpoint, b: Checkpoint): string[] {
  const found = new Set<string>();
  const others = new Map(b.paths.map((entry) => [entry.path, entry]));
  for (const entry of a.paths) {
    const other = others.get(entry.path);
    if (other === undefined || !samePath(entry, other)) found.add(entry.path);
    others.delete(entry.path);
  }
  return [...found, ...others.keys()].sort();
}

/** Names of refs that two checkpoints have at different places, or only one of them has. */
export function differingRefs(a: Checkpoint, b: Checkpoint): string[] {
  const names = new Set([...Object.keys(a.refs), ...Object.keys(b.refs)]);
  return [...names].filter((name) => a.refs[name] !== b.refs[name]).sort();
}

/** Whether two checkpoints have the same stashes in the same order. */
export function sameStashes(a: Checkpoint, b: Checkpoint): boolean {
  return a.stashes.length === b.stashes.length &&
    a.stashes.every(({ commit }, at) => commit === b.stashes[at]?.commit);
}

/** Whether two checkpoints show the same checkout: commit, branch, index, files, and nothing begun between them. */
export function sameCheckout(a: Checkpoint, b: Checkpoint): boolean {
  return a.head === b.head && a.branch === b.branch && a.inProgress === b.inProgress &&
    differingWork(a, b).length === 0;
}

/** Whether two checkpoints show the same, but for what is not kept anyway. */
export function sameCheckpoint(a: Checkpoint, b: Checkpoint): boolean {
  return sameCheckout(a, b) && differingRefs(a, b).length === 0 && sameStashes(a, b);
}
