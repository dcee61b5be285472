/**
 * Pull requests of a ticket as tables show them.
 *
 * @module
 */

import { type Part } from "../../base/text/parts.ts";
import { table } from "../../base/text/table.ts";
import { few } from "../../base/text/words.ts";
import type { ChangeRow } from "./rows.ts";
import { blockerWords } from "./blocker_words.ts";

function checksWords({ state, failed, total }: ChangeRow["checks"]): string {
  return state === "none"
    ? "-"
    : state === "failure"
    ? `failed: ${few(failed, 1)}`
    : state === "pending"
    ? "running"
    : `passed (${total})`;
}

function reviewWords({ state, approvals, stale }: ChangeRow["review"]): string {
  const old = stale > 0 ? `, ${stale} of older commits` : "";
  return state === "approved"
    ? `approved (${approvals}${old})`
    : state === "changes_requested"
    ? "changes requested"
    : state === "required"
    ? `missing${old}`
    : "-";
}

/** The pull requests in the order to land, and their pages below. */
export function changeTable(rows: readonly ChangeRow[]): readonly Part[] {
  return [
    table(
      ["#", "repo", "pr", "state", "checks", "review", "blocked by"],
      rows.map((row, at) => [
        at + 1,
        row.name,
        `#${row.number}`,
        row.state === "open" && row.draft ? "draft" : row.state,
        row.state === "open" ? checksWords(row.checks) : "",
        row.state === "open" ? reviewWords(row.review) : "",
        row.blocked_by.map(blockerWords).join(", "),
      ]),
    ),
    "",
    ...rows.map(({ name, url }) => `${name}  ${url}`),
  ];
}
