// Covers what an update says it did where something went wrong.

import { assertEquals } from "@std/assert";
import { partlyWords } from "../../../../src/commands/ticket/update/update.ts";

type Row = Parameters<typeof partlyWords>[1][number];

/** So many rows of each kind; those that are held back, conflict or fail have a code. */
function rowsOf(counts: Readonly<Record<string, number>>): Row[] {
  return Object.entries(counts).flatMap(([what, many]) =>
    Array.from({ length: many }, () => {
      const isBad = ["held", "conflict", "failed"].includes(what);
      return {
        result: what === "held" || what === "landed" ? "skipped" : what,
        code: isBad ? "git_failed" : null,
      } as Row;
    })
  );
}

Deno.test("an update counts as updated only where something came in", () => {
  const cases = [
    [{ updated: 1, up_to_date: 19, held: 10 }, "Updated 1 of 30 repos of T-1, 19 up to date;"],
    [{ updated: 1, conflict: 1 }, "Updated 1 of 2 repos of T-1;"],
    [{ up_to_date: 1, held: 1 }, "Found 1 of 2 repos of T-1 up to date;"],
    [{ landed: 1, held: 2 }, "Updated nothing of T-1;"],
    [{ landed: 1, up_to_date: 1, failed: 1 }, "Found 1 of 3 repos of T-1 up to date;"],
    [{ taken_back: 1, failed: 1 }, "Went back in 1 of 2 repos of T-1;"],
    [{ given_back: 2, failed: 1 }, "Gave the changes back in 2 of 3 repos of T-1;"],
    [{ updated: 1, given_back: 1, conflict: 1 }, "Updated 2 of 3 repos of T-1;"],
    [{ held: 1 }, "Cannot update T-1;"],
  ] as const;
  for (const [counts, words] of cases) assertEquals(partlyWords("T-1", rowsOf(counts)), words);
});
