// Covers how the branches of a ticket that ended over many repositories are told.

import { assertEquals } from "@std/assert";
import { endTable } from "../../../../src/commands/ticket/end/answer.ts";

Deno.test("of many branches that went it is counted how, whatever commits they were squashed into", () => {
  const rows = Array.from({ length: 12 }, (_, index) => ({
    name: `r${index}`,
    branch: "feature/T-1",
    kept: false,
    why: index < 5 ? `squashed into main as ${String(index).repeat(7)}` : "merged into main",
  }));
  const table = endTable([...rows, { name: "last", branch: "b", kept: true, why: "dirty" }], false);
  assertEquals(table.fold?.says, "5 deleted, squashed into main, 7 deleted, merged into main");
  assertEquals(table.fold?.rows.has(12), false);
  assertEquals(endTable(rows, true).fold, null);
});
