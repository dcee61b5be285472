// Covers how refusals of several repositories are told as one.

import { assertEquals, assertThrows } from "@std/assert";
import { AmofError } from "../../../src/base/error.ts";
import { type Refusal, refuseAll } from "../../../src/workspace/refusal.ts";

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
