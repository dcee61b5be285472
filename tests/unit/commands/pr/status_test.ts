// The screen of `amof pr status` over many pull requests: what blocks is told, alike rows once.

import { assertEquals } from "@std/assert";
import { type ChangeSetData, prStatus } from "../../../../src/commands/pr/status.ts";
import { layOutParts } from "../../../../src/doors/cli/layout.ts";

type Row = ChangeSetData["repos"][number];

function row(at: number, rest: Partial<Row> = {}): Row {
  return {
    name: `svc-${at}`,
    forge: "github",
    number: at,
    url: `https://example.com/svc-${at}/pull/${at}`,
    state: "open",
    draft: false,
    title: "Change",
    base: "main",
    head: "0".repeat(40),
    merge_sha: null,
    mergeable: true,
    checks: { state: "success", total: 2, failed: [] },
    review: { state: "required", approvals: 0, stale: 0 },
    blocked_by: ["review"],
    taken_back: null,
    taken_back_unread: null,
    ...rest,
  };
}

const READY: Partial<Row> = {
  review: { state: "approved", approvals: 1, stale: 0 },
  blocked_by: [],
};

/** The lines of the screen. */
function shown(rows: readonly Row[], all = false): string[] {
  const data: ChangeSetData = {
    change_set: {
      ticket_id: "T-1",
      state: "open",
      order: rows.map(({ name }) => name),
      ready: false,
      queue: false,
      known: true,
    },
    repos: rows,
    without: [],
  };
  const input = { check: false, ...(all ? { all } : {}) };
  const said = prStatus.render({ ...data }, input as never, undefined as never);
  return layOutParts([said.details ?? []].flat(), 80).split("\n").map((line) => line.trimEnd());
}

const many = (count: number, from: number, rest: Partial<Row> = {}) =>
  Array.from({ length: count }, (_, at) => row(at + from, rest));

Deno.test("pr status tells twenty pull requests that are alike in one row, and their pages in one line", () => {
  assertEquals(shown(many(20, 1)), [
    "#     REPO               PR     STATE  CHECKS      REVIEW   BLOCKED BY",
    "1–20  svc-1 and 19 more  #1–20  open   passed (2)  missing  review missing",
    "--all shows each",
    "",
    "20 pages · --all",
  ]);
});

Deno.test("pr status names of many pull requests those that block, and counts the rest", () => {
  const rows = [
    ...many(12, 1, { ...READY, state: "merged" }),
    ...many(6, 13, READY),
    row(19, { draft: true, blocked_by: ["draft"] }),
  ];
  const lines = shown(rows);
  assertEquals(lines.slice(1, 3).map((line) => line.replaceAll(/ +/g, " ")), [
    "19 svc-19 #19 draft passed (2) missing draft",
    "6 ready, 12 merged · --all",
  ]);
  assertEquals(shown(rows, true).length, 19 * 2 + 3);
  assertEquals(shown(rows.slice(0, 12)).length, 12 * 2 + 2);
});
