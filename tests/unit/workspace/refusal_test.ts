// Covers how refusals of several repositories are told as one.

import { assertEquals, assertThrows } from "@std/assert";
import { AmofError } from "../../../src/base/error.ts";
import { type Refusal, refuseAll } from "../../../src/workspace/refusal.ts";
import { unfinishedText } from "../../../src/commands/advice/clone.ts";

const dirty = (repo: string): Refusal => ({
  repo,
  code: "repo_dirty",
  problem: "has 1 uncommitted file",
  fix: `commit them: amof commit -m TEXT --repo ${repo}\nbegin another ticket with them: amof it`,
});

Deno.test("what helps several repositories alike is said once, with the names of all", () => {
  const other: Refusal = { ...dirty("lib"), fix: "go to a branch there" };
  const error = assertThrows(
    () => refuseAll("end T-1", [dirty("api"), other, dirty("web")]),
    AmofError,
  );
  assertEquals(error.hint.split("\n"), [
    "Commit them: amof commit -m TEXT --repo api,web",
    "Begin another ticket with them: amof it",
    "Go to a branch there",
  ]);
});

Deno.test("unfinishedText() tells how far work was that goes step by step, and nothing of what was only watched over", () => {
  const said = (steps_begun: number, steps: number) =>
    unfinishedText({ run_id: "1", action: "push", steps_begun, steps });
  assertEquals([said(2, 3), said(0, 1), said(12, 12)], [
    "push was interrupted after 2 of 3 steps",
    "push was interrupted after 0 of 1 step",
    "push was interrupted",
  ]);
});
