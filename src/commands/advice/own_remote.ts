/** The branch that is checked out and its own remote branch, whose commits are those of colleagues who work on it. */

import type { Repository } from "../../git/mod.ts";
import { count } from "../../base/text/words.ts";
import { partingWords, pullThere, putAway } from "./clone.ts";
import {
  conflictingPaths,
  otherAddress,
  type Rewritten,
  rewrittenOf,
} from "../../workspace/clones/mod.ts";

/** What the own remote branch has that is not here, and whether it can be brought in. */
interface OwnNews {
  /** How many commits can be brought in by a fast-forward; 0 where they stay out. */
  readonly commits: number;
  /** Why they stay out; null where they are brought in. */
  readonly reason: "dirty" | "diverged" | "rewritten" | "elsewhere" | null;
  /** How the branch stands to it, as a part of a sentence. */
  readonly note: string;
  /** What brings the branch to it, or it to the branch; null where nothing is to be done. */
  readonly fix: string | null;
}

/** Decides what becomes of commits that a branch lacks of its own remote branch: only a fast-forward, never over changes. */
export function ownNews(
  { directory, branch, head, ahead, behind, files, isFree = true, rewritten = null, barred = [] }: {
    readonly directory: string;
    readonly branch: string;
    readonly head: string;
    readonly ahead: number;
    readonly behind: number;
    /** Files that are changed here. */
    readonly files: number;
    /** Whether it may move: it is where it should be, and follows no other branch. */
    readonly isFree?: boolean;
    /** What it was, where the remote has what was rewritten here; `cut` where the history here ends before they meet. */
    readonly rewritten?: Rewritten | "cut" | null;
    /** New files that are in the way of what comes in. */
    readonly barred?: readonly string[];
  },
): OwnNews {
  const aside = barred.length === 0 ? "" : `${putAway(directory, barred)}\n`;
  if (ahead > 0) {
    const apart = `${ahead} ahead and ${behind} behind its remote branch`;
    if (rewritten === null) {
      return {
        commits: 0,
        reason: "diverged",
        note: apart,
        fix: `${aside}${pullThere(directory, { branch })}`,
      };
    }
    const words = { directory, branch, head, upstream: `origin/${branch}` };
    const { note, fix } = partingWords(rewritten, words);
    // Of a history that is cut off nobody knows by how much they are apart.
    return rewritten === "cut"
      ? { commits: 0, reason: "diverged", note, fix }
      : { commits: 0, reason: "rewritten", note: `${apart}: ${note}`, fix };
  }
  const note = `${count(behind, "commit")} behind its remote branch`;
  if (isFree && files === 0) return { commits: behind, reason: null, note, fix: null };
  return {
    commits: 0,
    reason: files > 0 ? "dirty" : "elsewhere",
    note: files === 0 ? note : `${note}, ${count(files, "file")} not committed`,
    fix: `${aside}${pullThere(directory, { branch }, "--ff-only")}`,
  };
}

/**
 * What the own remote branch of the checked-out branch has that is not here, as last fetched; null for nothing. No process
 * where both are the same, else two, and at most three more.
 */
export async function ownNewsOf(
  repository: Repository,
  { directory, branch, url, isBase, isExpected }: {
    readonly directory: string;
    readonly branch: string;
    /** The address that the manifest has. */
    readonly url: string;
    readonly isBase: boolean;
    readonly isExpected: boolean;
  },
): Promise<OwnNews & { readonly tip: string } | null> {
  const [here, there] = [`refs/heads/${branch}`, `refs/remotes/origin/${branch}`];
  const refs = await repository.refs.peek([here, there]);
  const [head, tip] = [refs.get(here), refs.get(there)];
  if (head === undefined || tip === undefined || head === tip) return null;
  const apart = await repository.history.apart(head, tip);
  if (apart === null || apart.other === 0) return null;
  const { one: ahead, other: behind } = apart;
  const upstream = `origin/${branch}`;
  const names = { branch, upstream, isBase };
  const status = await repository.status();
  const files = status.changes.length;
  const fresh = status.changes.filter(({ code }) => code === "??");
  const barred = fresh.length === 0
    ? []
    : conflictingPaths(fresh, await repository.files.differing(head, tip));
  const found = { directory, branch, head, ahead, behind, files, barred };
  if (ahead > 0) {
    const { history } = repository;
    const isCut = await history.isShallowHere() && !await history.meet(head, tip);
    const rewritten = isCut ? "cut" : await rewrittenOf(repository, names);
    return { tip, ...ownNews({ ...found, rewritten }) };
  }
  const isFree = isExpected && (status.upstream === null || status.upstream === upstream) &&
    // What is at another address may be the history of something else.
    await otherAddress(repository, url) === null;
  return { tip, ...ownNews({ ...found, isFree }) };
}
