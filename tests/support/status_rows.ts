/**
 * Rows of `amof status`.
 *
 * @module
 */

import type { StatusRow } from "../../src/commands/status/row.ts";

/** A row with every field: a clone of `api` with nothing to say, except for what is told. */
export function statusRowOf(fields: Partial<StatusRow>): StatusRow {
  return {
    name: "api",
    branch: "main",
    commit: "c52d820",
    mode: "RW",
    status: "OK",
    dirty: false,
    unpushed: false,
    upstream: "origin/main",
    ahead: 0,
    behind: 0,
    changed_files: 0,
    conflicts: 0,
    stashes: 0,
    detached: false,
    in_progress: null,
    fetched_at: null,
    expected_branch: "main",
    base_branch: "main",
    path: `repos/${fields.name ?? "api"}`,
    last_push: null,
    error: null,
    ...fields,
  };
}
