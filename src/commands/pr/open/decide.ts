/** What becomes of a repository when the pull requests of its ticket are opened: decided by values alone (CHANGE-4). */

import type { PullRequest } from "../../../forge/mod.ts";
import type { SkipFact } from "../../outgoing/skip.ts";

/** What is known of a repository. */
export interface Found {
  /** Whether its remote is at a forge. */
  readonly forge: boolean;
  readonly base: string;
  /** The commit that its branch is at, or will be pushed at; null where it has none. */
  readonly head: string | null;
  /** How many commits it has beyond its base branch. */
  readonly commits: number;
  /** The pull request from its branch to its base, if there is or was one. */
  readonly change: Pick<PullRequest, "state" | "number" | "head"> | null;
  /** Whether something has to be pushed first. */
  readonly pushes: boolean;
  /** Why the push leaves it out; null where it does not. */
  readonly skip: SkipFact | null;
}

type Decision =
  | { readonly deed: "create" | "link" | "push" }
  | { readonly deed: "none"; readonly reason: string }
  | { readonly deed: "held"; readonly skip: SkipFact };

/** Decides about one repository. */
export function decideOpen(found: Found): Decision {
  const { forge, base, head, commits, change, pushes, skip } = found;
  if (change?.state === "merged" && !pushes && (head === null || head === change.head.sha)) {
    return { deed: "none", reason: `merged as #${change.number}` };
  }
  const isEmpty = head === null || commits === 0;
  // What is not committed yet is no part of a pull request.
  if (skip?.blocked === true && !(isEmpty && change === null && skip.reason === "dirty")) {
    return { deed: "held", skip };
  }
  if (change?.state === "open") return { deed: "link" };
  if (isEmpty) {
    const more = skip?.blocked === true ? `, ${skip.detail}` : "";
    return { deed: "none", reason: `no commits beyond ${base}${more}` };
  }
  if (forge) return { deed: "create" };
  return pushes
    ? { deed: "push" }
    : { deed: "none", reason: "pushed, and its remote is at no forge that is spoken to" };
}
