// Covers the sentence that sums up a status: it names everything that there is to look at, however much that is.

import { assertEquals } from "@std/assert";
import { renderStatus } from "../../../../src/commands/status/view.ts";
import { Table } from "../../../../src/base/text/table.ts";
import { statusRowOf } from "../../../support/status_rows.ts";

const WORDS = { time: () => "just now", clock: () => "12:00", watched: true };

const WORKSPACE = {
  ecosystem: "demo",
  workspace_branch: "workspace/demo",
  worktree: "worktrees/demo",
  active_ticket: null,
  ticket_count: 0,
};

function summaryOf(states: Readonly<Record<string, number>>): string {
  const rows = Object.entries(states).flatMap(([status, times]) =>
    Array.from(
      { length: times },
      (_, index) => statusRowOf({ name: `svc-${index}`, status }),
    )
  );
  return renderStatus({ workspace: WORKSPACE, repos: rows }, {}, WORDS).summary;
}

Deno.test("the summary of a status loses nothing where there is much to tell", () => {
  assertEquals(summaryOf({ OK: 2 }), "Checked 2 repos: all OK.");
  assertEquals(
    summaryOf({ OK: 1, MISSING: 1, "CONFLICT+DIRTY": 1, BEHIND: 1 }),
    "Checked 4 repos: 1 to look at, 1 in conflict, 1 dirty, 1 behind.",
  );
  const everything = { DETACHED: 1, "CONFLICT+DIRTY": 1, "UNPUSHED+DIVERGED": 1, BEHIND: 1 };
  assertEquals(
    summaryOf({ OK: 194, ...everything }),
    "Checked 198 repos: 2 to look at, 1 dirty, 1 unpushed, 1 diverged, 1 behind.",
  );
  const much = summaryOf({
    DETACHED: 100,
    "CONFLICT+DIRTY": 100,
    "UNPUSHED+DIVERGED": 100,
    BEHIND: 100,
  });
  assertEquals(
    much,
    "Checked 400: 200 to look at, 100 dirty, 100 unpushed, 100 diverged, 100 behind.",
  );
  assertEquals(much.length <= 80, true);
});

Deno.test("what the active ticket waits for is told before the rest, of which some may be left out", () => {
  const needs = (fix: string) => [{ problem: "is in the middle of something", fix }];
  const other = Array.from(
    { length: 12 },
    (_, index) => statusRowOf({ name: `svc-${index}`, needs: needs(`fix ${index}`) }),
  );
  const mine = { name: "mine", needs: needs("fix mine"), expected_branch: "feature/T-1" };
  const isShown = (active_ticket: string | null, more: object = {}) => {
    const workspace = { ...WORKSPACE, active_ticket, ticket_count: 1 };
    const data = { workspace, repos: [...other, statusRowOf(mine)], ...more };
    return [renderStatus(data, {}, WORDS).details].flat().join("\n").includes("fix: fix mine");
  };
  assertEquals([isShown("T-1"), isShown(null)], [true, false]);
  // A fix would come between a run and what it works on.
  const running = { run_id: "0123456789", action: "push", created_at: "2026-01-01T00:00:00Z" };
  assertEquals(isShown("T-1", { running }), false);
});

Deno.test("of a ticket in few of many repositories each is shown, however well it is", () => {
  const workspace = { ...WORKSPACE, active_ticket: "T-1", ticket_count: 1 };
  const folded = (ofTicket: number) => {
    const repos = Array.from({ length: 30 }, (_, index) =>
      statusRowOf({
        name: `svc-${index}`,
        status: "OK",
        expected_branch: index < ofTicket ? "feature/T-1" : "main",
        base_branch: "main",
      }));
    const shown = [renderStatus({ workspace, repos }, {}, WORDS).details].flat()
      .find((part) => part instanceof Table);
    return shown?.fold?.rows.size;
  };
  assertEquals([folded(0), folded(6), folded(10), folded(11)], [30, 24, 20, 30]);
});

Deno.test("the list of tickets is named where it says more of what needs attention", () => {
  const beside = (problem: string) => ({
    ticket_id: "T-1",
    workspace: "worktrees/demo@T-1",
    repos: 1,
    phase: "started",
    problem,
  });
  const cases: readonly (readonly [problems: readonly string[], first: string])[] = [
    [["a merge is not finished in web: amof status --ticket T-1"], "1 needs attention"],
    [["it was deleted"], "1 needs attention: amof ticket list"],
    [["x: amof status --ticket T-1", "it was deleted"], "2 need attention: amof ticket list"],
  ];
  for (const [problems, first] of cases) {
    const tickets = problems.map(beside);
    const data = {
      workspace: WORKSPACE,
      repos: [statusRowOf({ name: "api", status: "OK" })],
      tickets,
      tickets_apart: { count: tickets.length, attention: tickets.length },
    };
    const { details } = renderStatus(data, {}, WORDS);
    const line = JSON.stringify(details).match(/[12] needs? attention[^"\\]*/)?.[0];
    assertEquals(line, first);
  }
});

Deno.test("the summary of a status is not all OK above a warning that asks for something", () => {
  const told = (warnings: readonly string[]) =>
    renderStatus(
      { workspace: WORKSPACE, repos: [statusRowOf({ name: "web" })], warnings },
      {},
      WORDS,
    ).summary;
  const stray = "1 clone that the manifest does not name\n    fix: name it in the manifest again";
  assertEquals(told([stray]), "Checked 1 repo: OK, with 1 warning.");
  assertEquals(told([stray, stray]), "Checked 1 repo: OK, with 2 warnings.");
  assertEquals(told(["nothing can be done about it"]), "Checked 1 repo: all OK.");
});

Deno.test("the summary of a status counts what is at rest at the lock, and no sync is offered for that", () => {
  const pinned = { status: "PINNED", behind: 1, pinned: true } as const;
  const rows = [statusRowOf({ name: "web" }), statusRowOf(pinned)];
  const told = (repos: typeof rows) => renderStatus({ workspace: WORKSPACE, repos }, {}, WORDS);
  assertEquals(told(rows).summary, "Checked 2 repos: all OK, 1 at the lock.");
  const news = statusRowOf({ status: "OK", remote: "changed", pinned: true });
  assertEquals(told([news]).summary, "Checked 1 repo: all OK, 1 at the lock.");
  assertEquals(JSON.stringify(told([news, ...rows]).details).includes("amof sync"), false);
  const dirty = statusRowOf({ ...pinned, status: "DIRTY+PINNED", dirty: true });
  assertEquals(told([dirty]).summary, "Checked 1 repo: 1 dirty, 1 at the lock.");
});
