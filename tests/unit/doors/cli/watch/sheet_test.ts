// Covers the sheet of `status --watch`: what is folded there says the key that shows it.

import { assertEquals } from "@std/assert";
import { FIRST_VIEW } from "../../../../../src/doors/cli/watch/view.ts";
import { sheetOf } from "../../../../../src/doors/cli/watch/watch.ts";
import { status } from "../../../../../src/commands/status/status.ts";
import { statusRowOf } from "../../../../support/status_rows.ts";

const SAY = { time: () => "just now", clock: () => "12:00", watched: true };

Deno.test("sheetOf() names the key for what is folded, and not a flag", () => {
  const workspace = {
    ecosystem: "demo",
    workspace_branch: "workspace/demo",
    worktree: "worktrees/demo",
    active_ticket: null,
    ticket_count: 0,
  };
  const repos = Array.from({ length: 14 }, (_, at) => statusRowOf({ name: `svc-${at}` }));
  const linesOf = (scope: typeof FIRST_VIEW.scope) =>
    sheetOf(status, { envelope: { workspace, repos }, input: {}, say: SAY }, {
      view: { ...FIRST_VIEW, scope },
      columns: 80,
      note: "",
    }).lines.map(({ text }) => text);
  assertEquals(linesOf("usual").at(-1), "14 OK · a all");
  assertEquals(linesOf("all").filter((line) => line.startsWith("svc-")).length, 14);
});
