// Kills inside the git calls of what is done with workspaces of tickets, in their boxes too, and of undo: a sample, and
// with AMOF_TEST_THOROUGHLY every call of every one that may change something, in ways that take turns.
// `deno task chaos --all` strikes each call in each of the ways.

import { assertEquals } from "@std/assert";
import { TICKET_VICTIMS } from "../chaos/commands_tickets.ts";
import { UNDO_VICTIMS } from "../chaos/commands_undo.ts";
import { killAtEachChange, killCommand } from "../chaos/kills.ts";
import { Random } from "../chaos/random.ts";
import { findingLines, Report } from "../chaos/report.ts";
import { THOROUGHLY } from "../support/sample.ts";

/** What the sample is of. */
const SAMPLE = ["commit in a box", "ticket move into a workspace", "undo of ticket switch"];

for (const victim of [...TICKET_VICTIMS, ...UNDO_VICTIMS]) {
  Deno.test({
    name: `amof ${victim.name} killed inside its git calls loses and blocks nothing`,
    ignore: Deno.build.os === "windows" || !THOROUGHLY && !SAMPLE.includes(victim.name), // kills by signal
    async fn() {
      const report = new Report(victim.name);
      if (THOROUGHLY) await killAtEachChange(victim, new Random(7), report);
      else await killCommand(victim, new Random(7), 1, report);
      assertEquals(report.findings.flatMap(findingLines), []);
    },
  });
}
