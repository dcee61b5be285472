/**
 * What is suggested after a status (NEXT-5, row 6).
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { suggest } from "../../../src/suggest/mod.ts";
import { first, repo, situation, status, testCases } from "./_support.ts";
import { AFTER_STATUS } from "./cases/after_status.ts";

testCases(AFTER_STATUS);

Deno.test("suggest() tells a push of dirty repositories to commit", () => {
  const action = first(status({}, repo({ status: "DIRTY", dirty: true })));
  assertEquals(action.label, "Commit & push");
  assertEquals(action.args, { ecosystem: "demo", commit: true });
  assertEquals(action.condition, "status.has_dirty");
});

Deno.test("suggest() offers a push of those that are not in the middle of something", () => {
  const action = first(
    status(
      {},
      repo({ status: "CONFLICT+DIRTY", dirty: true, in_progress: "merge", conflicts: 1 }),
      repo({ name: "web", status: "UNPUSHED", unpushed: true }),
    ),
  );
  assertEquals(action.tool, "amof_push_ecosystem");
  assertEquals(action.args, { ecosystem: "demo", repos: ["!api"] });
});

Deno.test("suggest() offers a switch that puts changes away, and no push of a wrong branch", () => {
  const wrong = { status: "WRONG_BRANCH+DIRTY+UNPUSHED", dirty: true, unpushed: true };
  const action = first(status({}, repo(wrong)));
  assertEquals(action.tool, "amof_ticket_switch");
  assertEquals(action.args, { ecosystem: "demo", ticket_id: "PROJ-1", stash: true });
  const both = suggest(
    situation(status({}, repo(wrong), repo({ name: "web", status: "UNPUSHED", unpushed: true }))),
  );
  const push = both.find(({ tool }) => tool === "amof_push_ecosystem");
  assertEquals(push?.args, { ecosystem: "demo", repos: ["!api"] });
});

Deno.test("suggest() offers work on the repositories that were looked at, and on no others", () => {
  const given = status(
    {},
    repo({ status: "UNPUSHED", unpushed: true }),
    repo({ name: "web", status: "WRONG_BRANCH+UNPUSHED", unpushed: true }),
  );
  const pushOf = (selection: Readonly<Record<string, readonly string[]>>) =>
    suggest(situation({ ...given, selection })).find(({ tool }) => tool === "amof_push_ecosystem")
      ?.args;
  assertEquals(pushOf({ tags: ["backend"] }), {
    ecosystem: "demo",
    tags: ["backend"],
    repos: ["!web"],
  });
  assertEquals(pushOf({ repos: ["a*", "web"] }), {
    ecosystem: "demo",
    repos: ["a*", "web", "!web"],
  });
  // What failed, say, means other repositories to a push.
  assertEquals(pushOf({ only: ["failed"] }), { ecosystem: "demo", repos: ["api"] });
  const quiet = suggest(situation({ ...status({}, repo({})), selection: { tags: ["backend"] } }));
  const sync = quiet.find(({ tool }) => tool === "amof_sync_ecosystem");
  assertEquals(sync?.args, { ecosystem: "demo", tags: ["backend"] });
});
