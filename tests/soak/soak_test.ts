// A few seconds of the soak; `deno task soak` is the whole of it.

import { assert, assertEquals } from "@std/assert";
import { findingLines, Report } from "../chaos/report.ts";
import { growth, rise } from "./growth.ts";
import { soak } from "./soak.ts";

Deno.test({
  name:
    "hosts, programs and people over all doors, with faults in between, leave all as it must be",
  ignore: Deno.build.os !== "linux", // it looks at processes
  async fn() {
    const report = new Report("soak");
    const plan = { seed: 7, until: Infinity, shiftMs: 1_500, shifts: 2 };
    await soak({ ...plan, places: ["fragile"] }, report);
    assertEquals(report.findings.flatMap(findingLines), []);
    assertEquals(report.of("shifts with faults"), 1);
    assertEquals(report.of("shifts without faults"), 1);
    for (
      const door of [
        "command line",
        "terminal",
        "pages",
        "HTTP API",
        "MCP over stdio",
        "MCP over HTTP",
      ]
    ) {
      assert(report.of(`calls: ${door}`) > 0, `nobody called: ${door}`);
    }
  },
});

Deno.test("what rises for as long as it is measured is found, and what only goes up and down is not", () => {
  const allowed = { share: 0.1, plus: 5 };
  const leaks = Array.from({ length: 30 }, (_, at) => 100 + at * 2);
  assertEquals(Math.round(rise(leaks)), 58);
  assert(growth(leaks, allowed) !== null);
  assertEquals(growth(leaks.map((value, at) => at < 10 ? value : 120 + at % 3 * 4), allowed), null);
  assertEquals(growth(leaks.slice(0, 6), allowed), null);
});
