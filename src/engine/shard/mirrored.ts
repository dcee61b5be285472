/**
 * Clones that take what they can from a mirror on the node, which shards and runs share (ENGINE-12).
 *
 * @module
 */

import { AmofError } from "../../base/error.ts";
import { Git } from "../../git/mod.ts";
import type { System } from "../../base/system/mod.ts";
import type { PlanItem } from "../plan/plan.ts";

/** What stands in the directory of a node's mirrors, for whoever finds it. */
const README = `# Mirrors of remotes, made by amof

Shards of amof that run on this node clone from here. It is a cache: while no shard runs, everything
here may be removed, and is made again when it is needed.
`;

/** Where and how a clone is made. */
interface MirroredClone {
  readonly system: System;
  /** The directory of the node's mirrors, absolute. */
  readonly mirrors: string;
  /** The directory git is started from, absolute. */
  readonly scratch: string;
  /** The clone, absolute; must not exist yet. */
  readonly directory: string;
  readonly signal: AbortSignal;
  readonly log: (text: string) => void;
}

/** A mirror's clone could not be made because of the mirror. */
function isDamage(error: unknown): error is AmofError {
  return error instanceof AmofError && error.code === "git_failed";
}

/**
 * Makes a clone that borrows from the mirror of its address, which is made or brought up to date first; one that is
 * damaged is made anew. False where there can be no mirror: the clone is to be made by itself then.
 */
export async function cloneFromMirror(
  making: MirroredClone,
  { repo, url, branch, clone = "full" }: PlanItem,
): Promise<boolean> {
  const { system, mirrors, scratch, directory, signal, log } = making;
  // Loaded where it is needed: most shards have no mirrors.
  const { atMirror, freshMirror } = await import("../../workspace/mirrors/mod.ts");
  const git = new Git(system, signal);
  const tools = {
    system,
    git,
    layout: { config: mirrors, data: mirrors, cache: mirrors, state: mirrors, database: "" },
    report: {
      log: (level: string, text: string) => level === "warn" ? log(text) : undefined,
      progress: () => {},
    },
    signal,
    // There is no database there, and no clone outlives its shard.
    store: () => Promise.resolve({ borrowers: { of: () => [] } }),
    readme: README,
  };
  const mirrored = { name: repo, url, branch, clone };
  for (let isFirst = true;; isFirst = false) {
    const mirror = await freshMirror(tools, mirrored, { fresh: 0, repair: true });
    if (mirror === null) return false;
    const { directory: place } = mirror;
    try {
      await git.at(scratch, repo).clones.borrow({
        mirror: place,
        directory,
        url,
        base: null,
        branch,
        blobless: clone === "blobless",
        start: null,
        track: true,
      });
      return true;
    } catch (error) {
      // A branch that the remote has not is no damage.
      const has = await git.bare(place, repo).refs.resolve(`refs/heads/${branch}`);
      if (!isFirst || !isDamage(error) || has === null) throw error;
      log(`${repo}: its mirror on this node is damaged and made anew`);
      await system.files.removeTree(directory);
      await atMirror(tools, { place, name: repo }, () => system.files.removeTree(place));
    }
  }
}
