/** Brings branches, tags, the checked-out branch and the list of stashes from one checkpoint to another. */

import { join } from "@std/path";
import { AmofError } from "../../base/error.ts";
import { sha, shortSha } from "../../base/ids.ts";
import type { Runner } from "../call/runner.ts";
import { Stashes } from "../write/stashes.ts";
import type { InProgress } from "../call/activity.ts";
import { type ChangedPath, type IndexEntry, sameEntry, sameIndex } from "../work_tree/view.ts";
import type { System } from "../../base/system/mod.ts";
import { readObjects } from "../work_tree/staging.ts";

// The store of objects borrows nothing: whatever is collected or deleted where the files came from, they are here.
// No setting of anybody has an effect on it, and no ref and no commit is in it.

/** Bytes that are to be kept, with the name git gives them. */
export interface Kept {
  readonly oid: string;
  readonly bytes: Uint8Array;
}

const encoder = new TextEncoder();

function configOf(algorithm: "sha1" | "sha256"): string {
  const sha256 = algorithm === "sha256";
  return [
    "[core]",
    `\trepositoryformatversion = ${sha256 ? 1 : 0}`,
    "\tbare = true",
    "\tcompression = 1",
    "[gc]",
    "\tauto = 0",
    "[fastimport]",
    "\tunpackLimit = 1",
    ...(sha256 ? ["[extensions]", "\tobjectFormat = sha256"] : []),
    "",
  ].join("\n");
}

/** Contents that were put aside for one repository. */
export class ObjectStore {
  readonly #git: Runner;
  readonly #system: System;
  readonly #directory: string;

  /** The objects in a directory; `git` works in the repository whose files it keeps. */
  constructor(git: Runner, directory: string) {
    this.#system = git.system;
    this.#directory = directory;
    this.#git = git.apart({
      directory,
      work: directory,
      index: join(directory, "index"),
      objects: join(directory, "objects"),
      others: [],
      shallow: join(directory, "shallow"),
    });
  }

  /** Makes the object store where there is none yet, for objects named like `like`. No process. */
  async #make(like: string): Promise<void> {
    const { files } = this.#system;
    if (await files.lstat(join(this.#directory, "HEAD")) !== null) return;
    for (const name of ["objects", "refs"]) {
      await files.makeDirectory(join(this.#directory, name), { mode: 0o700 });
    }
    const options = { mode: 0o600, flush: false } as const;
    const config = configOf(like.length === 64 ? "sha256" : "sha1");
    await files.create(join(this.#directory, "config"), config, options);
    await files.create(join(this.#directory, "HEAD"), "ref: refs/heads/none\n", options);
  }

  /**
   * Keeps contents; `like` is any object of the repository. One process, none where nothing comes. `what` is what is
   * being done, for the error of a failure.
   */
  async add(contents: AsyncIterable<Kept>, like: string, what: string): Promise<void> {
    const source = contents[Symbol.asyncIterator]();
    let next = await source.next();
    if (next.done === true) return;
    await this.#make(like);
    async function* stream(): AsyncGenerator<Uint8Array> {
      yield encoder.encode("feature done\n");
      for (; next.done !== true; next = await source.next()) {
        const { bytes } = next.value;
        yield encoder.encode(`blob\ndata ${bytes.length}\n`);
        yield bytes;
        yield encoder.encode("\n");
      }
      yield encoder.encode("done\n");
    }
    await this.#git.must(
      ["fast-import", "--quiet", "--done"],
      { access: "internal", patient: true, stdin: stream() },
      what,
    );
  }

  /** Reads contents back, each once. One process, and one for each portion. */
  read(
    names: readonly string[],
    each: (oid: string, bytes: Uint8Array) => Promise<void>,
  ): Promise<void> {
    return readObjects(this.#git, names, each);
  }
}

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
interface StashOf {
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

const REASON = "amof undo";

/** How many stashes at the end of two lists are the same. */
function common(a: readonly StashOf[], b: readonly StashOf[]): number {
  let count = 0;
  while (
    count < Math.min(a.length, b.length) &&
    a[a.length - 1 - count]?.commit === b[b.length - 1 - count]?.commit
  ) count++;
  return count;
}

/** Whether the list of stashes is one that can be on the way from one checkpoint to the other. */
export function stashesBetween(from: Checkpoint, to: Checkpoint, now: Checkpoint): boolean {
  if (sameStashes(from, to)) return true;
  const kept = common(from.stashes, to.stashes);
  return [from, to].some(({ stashes }) =>
    now.stashes.length >= kept && now.stashes.length <= stashes.length &&
    common(now.stashes, stashes) === now.stashes.length
  );
}

/** Brings the list of stashes to where a checkpoint has it. A few processes for each entry that is not the same. */
export async function bringStashes(git: Runner, from: Checkpoint, to: Checkpoint): Promise<void> {
  if (sameStashes(from, to)) return;
  const stashes = new Stashes(git);
  const now = await stashes.list();
  const kept = common(now, to.stashes);
  for (const { commit } of now.slice(0, now.length - kept)) await stashes.drop(commit);
  for (const { commit, subject } of to.stashes.slice(0, to.stashes.length - kept).toReversed()) {
    await stashes.store(sha(commit), subject);
  }
}

/** The lines of a transaction that bring refs from where they are to where a checkpoint has them, if they are still there. */
function linesOf(names: readonly string[], now: Checkpoint, to: Checkpoint): string[] {
  return names.map((name) => {
    const [old, wanted] = [now.refs[name], to.refs[name]];
    return wanted === undefined
      ? `delete ${name} ${old}`
      : old === undefined
      ? `create ${name} ${wanted}`
      : `update ${name} ${wanted} ${old}`;
  });
}

/**
 * Throws `repo_changed` where HEAD was at another commit when it was put on a branch, which no ref has then: somebody has
 * committed without a branch just before. HEAD is there again then.
 */
async function requireUnmoved(git: Runner, commit: string): Promise<void> {
  const { stdout } = await git.run(
    ["rev-parse", "--verify", "--quiet", "HEAD@{1}"],
    { access: "read" },
  );
  const left = stdout.trim();
  if (left === "" || left === commit) return;
  await git.must(
    ["update-ref", "-m", REASON, "--no-deref", "HEAD", left],
    { access: "internal" },
    `go back to ${shortSha(left)} in "${git.name}"`,
  );
  throw new AmofError(
    "repo_changed",
    `Cannot put "${git.name}" in order: HEAD changed since`,
    { details: { repo: git.name, changed: ["HEAD"] } },
  );
}

/**
 * Brings refs and what is checked out from one checkpoint to the other. At any moment the commit of one of both is
 * checked out. HEAD leaves a branch only for another one, or for the commit that the checkpoint has checked out. So
 * what somebody commits meanwhile is on a branch, and stops this. Harmless to repeat. At most four processes.
 */
export async function bringNames(
  git: Runner,
  { from, to, now }: {
    readonly from: Checkpoint;
    readonly to: Checkpoint;
    readonly now: Checkpoint;
  },
): Promise<void> {
  const transact = async (lines: readonly string[]) => {
    if (lines.length === 0) return;
    await git.must(
      ["update-ref", "-m", REASON, "--stdin"],
      { access: "internal", stdin: [...lines, ""].join("\n") },
      `restore the branches of "${git.name}"`,
    );
  };
  const changing = differingRefs(from, to).filter((name) => now.refs[name] !== to.refs[name]);
  const detach = ["option no-deref", `update HEAD ${to.head} ${now.head ?? ""}`.trimEnd()];
  if (now.branch === to.branch) {
    // A branch that is checked out takes HEAD with it.
    const moves = now.branch === null && now.head !== to.head;
    return await transact([...linesOf(changing, now, to), ...(moves ? detach : [])]);
  }
  const left = now.branch === null ? "HEAD" : `refs/heads/${now.branch}`;
  const unmoved = now.head === null ? [] : [
    ...(left === "HEAD" ? ["option no-deref"] : []),
    `verify ${left} ${now.head}`,
  ];
  await transact([...linesOf(changing.filter((name) => name !== left), now, to), ...unmoved]);
  if (to.branch === null) await transact(detach);
  else {
    await git.must(
      ["symbolic-ref", "-m", REASON, "HEAD", `refs/heads/${to.branch}`],
      { access: "internal" },
      `restore the branches of "${git.name}"`,
    );
    if (left === "HEAD" && now.head !== null) await requireUnmoved(git, now.head);
  }
  await transact(linesOf(changing.filter((name) => name === left), now, to));
}
