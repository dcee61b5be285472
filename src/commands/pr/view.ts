/**
 * Pull requests of a ticket as tables show them.
 *
 * @module
 */

import { type Part } from "../../base/text/parts.ts";
import { table } from "../../base/text/table.ts";
import { few } from "../../base/text/words.ts";
import type { ChangeRow } from "./rows.ts";
import type { Blocker } from "./verdict.ts";

const WORDS: Readonly<Record<string, string>> = {
  draft: "draft",
  queued: "in the queue",
  conflict: "conflict",
  checks: "checks failed",
  checks_pending: "checks running",
  changes_requested: "changes requested",
  review: "review missing",
  protected: "rules of the forge",
  not_pushed: "commits not pushed",
};

/** A blocker in words: "needs lib". */
export function blockerWords(blocker: Blocker): string {
  return blocker.startsWith("depends_on:")
    ? `needs ${blocker.slice("depends_on:".length)}`
    : WORDS[blocker] ?? blocker;
}

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
