/**
 * Checkpoints of repositories: how they stand, taken without touching anything, and brought back where nothing but this
 * program has changed anything since. Reached as `git.at(directory).part(Checkpoints)`.
 *
 * `checkpoint/take.ts` takes them, `crossings.ts` compares two and brings files and index from one to the other, `names.ts`
 * branches, tags and stashes; contents of files are in an object store outside of the repository.
 */

import { join } from "@std/path";
import { AmofError } from "../../base/error.ts";
import { few } from "../../base/text/words.ts";
import type { Crossing } from "../work_tree/walk.ts";
import { bringWork, crossings } from "./crossings.ts";
import {
  bringNames,
  bringStashes,
  type Checkpoint,
  differingRefs,
  ObjectStore,
  sameCheckout,
  sameStashes,
  stashesBetween,
} from "./names.ts";
import { type Bounds, type Keeping, takeCheckpoint, takeNames } from "./take.ts";
import { RepositoryPart } from "../call/part.ts";

/** Two checkpoints, and what else is needed to get from one to the other. */
interface Journey {
  readonly from: Checkpoint;
  readonly to: Checkpoint;
  readonly bounds: Bounds;
  /** The directory of the object store with the contents of both. */
  readonly objects: string;
}

/** Names whose place is neither where one checkpoint has them nor where the other does. */
function movedNames(from: Checkpoint, to: Checkpoint, now: Checkpoint): string[] {
  return differingRefs(from, to).filter((name) =>
    now.refs[name] !== from.refs[name] && now.refs[name] !== to.refs[name]
  );
}

/** Checkpoints of one repository. */
export class Checkpoints extends RepositoryPart {
  /** The objects in a directory outside of the repository, and what it is known to hold. */
  store(directory: string, known: Set<string> = new Set()): Keeping {
    return { objects: new ObjectStore(this.git, directory), known };
  }

  /** Takes a checkpoint; see {@linkcode takeCheckpoint}. One process where nothing is uncommitted. */
  take(bounds: Bounds, keeping: Keeping | null = null): Promise<Checkpoint> {
    return takeCheckpoint(this.git, bounds, keeping);
  }

  /** Takes a checkpoint without uncommitted work; see {@linkcode takeNames}. */
  names(): Promise<Checkpoint> {
    return takeNames(this.git);
  }

  /** The paths that are not the same in two checkpoints. At most one process. */
  crossings(from: Checkpoint, to: Checkpoint): Promise<readonly Crossing[]> {
    return crossings(this.git, from, to);
  }

  /** Which of some commits are not there any more, as those that a clone kept which was deleted. At most one process. */
  async missing(commits: readonly string[]): Promise<string[]> {
    if (commits.length === 0) return [];
    const output = await this.git.must(
      ["cat-file", "--batch-check=%(objectname)"],
      { access: "read", stdin: commits.map((commit) => `${commit}\n`).join("") },
      `look for commits of "${this.git.name}"`,
    );
    return output.split("\n").flatMap((line) => {
      const [commit = "", state] = line.split(" ");
      return state === "missing" ? [commit] : [];
    });
  }

  /**
   * Brings the repository from one checkpoint to the other. Each part of it must be as one of both has it, else
   * `repo_changed` is thrown, and nothing was touched. Harmless to repeat. About a dozen processes.
   */
  async bring({ from, to, bounds, objects }: Journey): Promise<void> {
    const git = this.git;
    const now = await this.take(bounds);
    const changed = [
      ...movedNames(from, to, now),
      ...[from.head, to.head].includes(now.head) &&
          [null, from.branch, to.branch].includes(now.branch)
        ? []
        : ["HEAD"],
      ...stashesBetween(from, to, now) ? [] : ["refs/stash"],
    ];
    if (changed.length > 0) throw this.#stale(changed);
    const crossing = sameCheckout(from, to) ? [] : await crossings(git, from, to);
    const kept = this.store(objects).objects;
    const strangers = await bringWork(git, kept, { from, to, now, crossings: crossing });
    if (strangers.length > 0) throw this.#stale(strangers);
    await bringNames(git, { from, to, now });
    await bringStashes(git, from, to);
    await this.#check(from, to, { bounds, crossing });
  }

  /**
   * Writes objects with all that leads to them, but for what leads to others, as a pack into a directory outside of the
   * repository, where it is called `pack-HASH`; nothing where that is nothing. One process.
   */
  async pack(
    directory: string,
    { objects, without }: {
      readonly objects: readonly string[];
      readonly without: readonly string[];
    },
  ): Promise<void> {
    await this.git.must(
      ["pack-objects", "--revs", "--non-empty", "--quiet", join(directory, "pack")],
      {
        access: "read",
        patient: true,
        stdin: [...objects, ...without.map((one) => `^${one}`)].map((line) => `${line}\n`).join(""),
      },
      `keep the commits of "${this.git.name}"`,
    );
  }

  /** Keeps commits from being forgotten, under `refs/amof/keep/` and a name of their own. One process. */
  async pin(name: string, commits: readonly string[]): Promise<void> {
    if (commits.length === 0) return;
    await this.git.must(
      ["update-ref", "--stdin"],
      {
        access: "internal",
        stdin: commits.map((commit, at) => `update refs/amof/keep/${name}/${at} ${commit}\n`)
          .join(""),
      },
      `keep commits of "${this.git.name}"`,
    );
  }

  /** Lets go of what refs keep. One process where there are any. */
  async unpin(refs: readonly string[]): Promise<void> {
    if (refs.length === 0) return;
    await this.git.must(
      ["update-ref", "--stdin"],
      { access: "internal", stdin: refs.map((ref) => `delete ${ref}\n`).join("") },
      `let go of commits of "${this.git.name}"`,
    );
  }

  /** Makes sure that it came out as it should have. Paths that neither checkpoint knows are other people's. */
  async #check(
    from: Checkpoint,
    to: Checkpoint,
    { bounds, crossing }: { readonly bounds: Bounds; readonly crossing: readonly Crossing[] },
  ): Promise<void> {
    const all = await this.take(bounds);
    const known = new Set([...from.paths, ...to.paths, ...crossing].map(({ path }) => path));
    const now = { ...all, paths: all.paths.filter(({ path }) => known.has(path)) };
    const whole = (sameCheckout(from, to) || sameCheckout(now, to)) &&
      (sameStashes(from, to) || sameStashes(now, to)) &&
      differingRefs(from, to).every((name) => now.refs[name] === to.refs[name]);
    if (whole) return;
    throw new AmofError(
      "repo_changed",
      `Cannot put "${this.git.name}" in order: something else writes there`,
      { hint: "End what else writes there", details: { repo: this.git.name } },
    );
  }

  #stale(changed: readonly string[]): AmofError {
    const { name: repo } = this.git;
    return new AmofError(
      "repo_changed",
      `Cannot put "${repo}" in order: ${few(changed, 5)} changed since`,
      { details: { repo, changed } },
    );
  }
}
