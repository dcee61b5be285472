/** What `amof sync` says of one repository. */

import type { ErrorCode } from "../../base/error.ts";
import type { MirrorResult } from "../../workspace/clones/changing.ts";
import type { Repo } from "../../workspace/manifest/mod.ts";

/** Why a repository was left as it is. */
type SkipReason =
  | "dirty"
  | "diverged"
  | "detached"
  | "in_progress"
  | "no_upstream"
  /** In another working copy of the clone. */
  | "checked_out"
  /** In a ticket: its clone is gone. */
  | "missing";

/** What became of one repository. */
export interface SyncRow {
  readonly name: string;
  readonly result: "cloned" | "up_to_date" | "updated" | "skipped" | "failed";
  /** The branch that moved, or would have. */
  readonly branch: string;
  /** How many commits came. */
  readonly commits: number;
  readonly reason: SkipReason | null;
  readonly detail: string;
  readonly code: ErrorCode | null;
  /** What is to be done before another try can help; null where nothing is. */
  readonly fix: string | null;
  /** In a ticket what became of the mirror it borrows from; null where it was fetched from its remote itself. */
  readonly mirror: MirrorResult | null;
}

/** A row, where nothing else is said of the base branch. */
export function row(repo: Repo, fields: Partial<SyncRow> & Pick<SyncRow, "result">): SyncRow {
  return {
    name: repo.name,
    branch: repo.branch,
    commits: 0,
    reason: null,
    detail: "",
    code: null,
    fix: null,
    mirror: null,
    ...fields,
  };
}

/** The row of a repository that was left as it is. */
export function skipped(
  repo: Repo,
  reason: SkipReason,
  detail: string,
  branch: string = repo.branch,
): SyncRow {
  return row(repo, { result: "skipped", reason, detail, branch });
}

/** A repository in a workspace. */
export interface At {
  readonly repo: Repo;
  readonly workspace: string;
  readonly directory: string;
}
