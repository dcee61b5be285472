/**
 * Snapshots of uncommitted work: index, working copy and untracked files of a repository as commits in the form of git's
 * own stashes, made before anything is touched, and brought back file by file. Reached as `git.at(directory).part(Snapshots)`.
 *
 * `snapshot/view.ts` says what is kept; `capture.ts` keeps it, `read.ts` reads it back, `fit.ts` merges it with what
 * was committed since, `bring.ts` puts index and working copy in order.
 */

import type { Runner } from "../call/runner.ts";
import { bring, type End } from "./bring.ts";
import { type Taken, takeSnapshot } from "./capture.ts";
import { checkoutOf, fit } from "./fit.ts";
import { readSnapshot, type Stored } from "./read.ts";
import { Staging } from "./staging.ts";
import { readRemarks, type Title } from "./stream.ts";

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

/** Snapshots of uncommitted work. */
export class Snapshots {
  readonly #git: Runner;

  constructor(git: Runner) {
    this.#git = git;
  }

  /**
   * Takes a snapshot without touching anything; null when nothing is uncommitted. Nothing names it yet. Two processes,
   * rarely three.
   */
  take(title: Title): Promise<Taken | null> {
    return takeSnapshot(this.#git, title);
  }

  /** Reads a snapshot, or a stash that git made. At most four processes. */
  read(commit: string): Promise<Stored> {
    return readSnapshot(this.#git, commit);
  }

  /** The paths at which a snapshot and a commit do not go together. At most four processes where they do. */
  async conflicts(
    snapshot: string,
    commit: string,
  ): Promise<readonly string[]> {
    const stored = await this.read(snapshot);
    await using staging = await Staging.open(this.#git);
    const fitted = await fit(stored, commit, staging);
    return "conflicts" in fitted ? fitted.conflicts : [];
  }

  /**
   * Brings the work of a snapshot into index and working copy (`kept`), or takes it out of them (`head`). With `others`
   * strangers are left, and all other paths brought. Harmless to repeat. A dozen processes.
   */
  async apply(snapshot: string, to: End, others = false): Promise<Hindrance> {
    const stored = await this.read(snapshot);
    const head = await this.#head();
    await using staging = await Staging.open(this.#git);
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
    await using staging = await Staging.open(this.#git);
    return await bring(staging, await checkoutOf(head, other, staging), "head");
  }

  async #head(): Promise<string> {
    const head = await this.#git.must(
      ["rev-parse", "--verify", "HEAD^{commit}"],
      { access: "read" },
      `read the commit of "${this.#git.name}"`,
    );
    return head.trim();
  }
}
