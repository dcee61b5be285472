// Covers how the branches of a ticket that ended over many repositories are told.

import { assertEquals } from "@std/assert";
import type { Sha } from "../../../../src/base/ids.ts";
import { Brief } from "../../../../src/base/text/table.ts";
import {
  type CleanupFact,
  deletedThere,
  foldedCleanup,
} from "../../../../src/commands/ticket/cleanup.ts";
import { endTable } from "../../../../src/commands/ticket/end/answer.ts";

Deno.test("of many branches that went it is counted how, whatever commits they were squashed into", () => {
  const rows = Array.from({ length: 12 }, (_, index) => ({
    name: `r${index}`,
    branch: "feature/T-1",
    kept: false,
    why: index < 5 ? `in main as one commit, ${String(index).repeat(7)}` : "merged into main",
  }));
  const table = endTable([...rows, { name: "last", branch: "b", kept: true, why: "dirty" }], false);
  assertEquals(table.fold?.says, "5 deleted (in main as one commit), 7 deleted (merged into main)");
  assertEquals(table.fold?.rows.has(12), false);
  assertEquals(endTable(rows, true).fold, null);
});

/** A branch of one of many repositories, squashed as a commit that no other has. */
function squashed(index: number): CleanupFact {
  return {
    name: `r${index}`,
    branch: "feature/T-1",
    local: "1".repeat(40) as Sha,
    remote: index % 2 === 0 ? null : "2".repeat(40) as Sha,
    stays_remote: false,
    unmerged: 0,
    kept_as: "squashed",
    in_branch: "main",
    as_commit: String(index).padStart(40, "a") as Sha,
  };
}

Deno.test("before many branches go they are told in a line, whatever commits they were squashed into", () => {
  const facts = Array.from({ length: 40 }, (_, index) => squashed(index));
  const [told, ...more] = foldedCleanup(facts, {});
  assertEquals(more, []);
  assertEquals(told instanceof Brief ? told.brief.split("\n") : told, [
    "Delete feature/T-1 of 20 repositories, in main as one commit: r0, r2, r4 and 17 more",
    "Delete feature/T-1 of 20 repositories here and on the remote, in main as one commit: r1, r3, r5 and 17 more",
  ]);
  assertEquals(foldedCleanup(facts, { all: true }).length, 40);
  assertEquals(
    foldedCleanup(facts.slice(0, 1), {}),
    [`Delete feature/T-1 of r0, in main as one commit, aaaaaaa`],
  );
});

Deno.test("what stays deleted on many remotes is told by branch, with the names of repositories", () => {
  const facts = Array.from({ length: 40 }, (_, index) => squashed(index));
  assertEquals(deletedThere(facts), "feature/T-1 on the remotes of r1, r3, r5 and 17 more");
  assertEquals(deletedThere(facts.slice(0, 2)), "feature/T-1 on the remote of r1");
  assertEquals(
    deletedThere([squashed(1), { ...squashed(3), branch: "fix/T-1" }]),
    "feature/T-1 on the remote of r1 and fix/T-1 on the remote of r3",
  );
  assertEquals(deletedThere(facts.slice(0, 1)), null);
});
