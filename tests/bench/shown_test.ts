// Covers how figures are shown, and that the README shows those of the file.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { merged, type Speed, speedOf, speedPlot, speedTable, withSpeed } from "./shown.ts";
import { readSpeed } from "./write.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

const ROWS = [
  { what: "amof status, 30 repos", floor: 100, figure: 140.04, unit: "ms", budget: "≤ 1.5 ×" },
  { what: "a | b <c>", floor: 10, figure: 91.2345, unit: "ms", budget: "≤ 2 ×" },
  { what: "longest ping", floor: 2, figure: 50, unit: "ms", budget: "≤ 100 ms" },
  { what: "tools/list", floor: NaN, figure: 23_456, unit: "bytes", budget: "≤ 24,000" },
];
const SPEED: Speed = speedOf(ROWS, { machine: "2 × Test", date: "2026-01-02", version: "0.1.0" });

Deno.test("README and picture show the figures of speed.json (deno task bench --write)", async () => {
  const speed = await readSpeed(ROOT);
  const readme = await Deno.readTextFile(join(ROOT, "README.md"));
  assertEquals(readme, withSpeed(readme, speed));
  if (speed === null) return;
  const plot = await Deno.readTextFile(join(ROOT, ".github/pictures/speed.svg"));
  assertEquals(plot, speedPlot(speed));
});

Deno.test("figures become a table with floor, ratio and budget", () => {
  const table = speedTable(SPEED);
  assertStringIncludes(table, "| amof status, 30 repos | 100 | 140 ms | 1.40 × | ≤ 1.5 × |");
  assertStringIncludes(table, "| a \\| b <c> | 10 | 91 ms | 9.12 × | ≤ 2 × |");
  assertStringIncludes(table, "| longest ping | 2.0 | 50 ms |  | ≤ 100 ms |");
  assertStringIncludes(table, "| tools/list |  | 23,460 bytes |  | ≤ 24,000 |");
  assertStringIncludes(table, "2 × Test, 2026-01-02");
});

Deno.test("figures become a plot in which what is over its budget is told apart", () => {
  const plot = speedPlot(SPEED);
  // Two bars, and what the colour of one means.
  assertEquals(plot.match(/<rect /g)?.length, 3);
  assertEquals(plot.match(/class="over"/g)?.length, 2);
  assertStringIncludes(plot, "a | b &#60;c&#62;");
  assertStringIncludes(plot, "prefers-color-scheme:dark");
  assert(!plot.includes("tools/list") && !plot.includes("longest ping"));
});

Deno.test("the README keeps what stands around its figures", () => {
  const readme =
    "before\n<!-- speed: made by deno task bench -->\n\n<!-- end of speed -->\nafter\n";
  const written = withSpeed(readme, SPEED);
  assert(written.startsWith("before\n") && written.endsWith("\nafter\n"));
  assertEquals(withSpeed(written, null), readme);
});

Deno.test("a part that is measured again replaces its own figures, on the same machine", () => {
  const again: Speed = {
    ...SPEED,
    date: "2026-01-03",
    rows: [{ what: "tools/list", floor: null, figure: 1, unit: "bytes", budget: "" }, {
      what: "new",
      floor: 1,
      figure: 1,
      unit: "ms",
      budget: "",
    }],
  };
  const both = merged(SPEED, again);
  assertEquals(both.rows.map(({ what, figure }) => `${what} ${figure}`), [
    "amof status, 30 repos 140",
    "a | b <c> 91.23",
    "longest ping 50",
    "tools/list 1",
    "new 1",
  ]);
  assertEquals(both.date, "2026-01-03");
  assertEquals(merged({ ...SPEED, machine: "another" }, again), again);
  assertEquals(merged(null, again), again);
});

Deno.test("what stands below a row is measured again with it, and with no other that has the same below it", () => {
  const row = (what: string, figure: number) => ({
    what,
    floor: 1,
    figure,
    unit: "ms",
    budget: "",
  });
  const of = (rows: Speed["rows"]): Speed => ({ ...SPEED, rows });
  const told = ({ rows }: Speed) => rows.map(({ what, figure }) => `${what} ${figure}`);
  const earlier = of([row("a", 1), row("· other", 2), row("b", 3), row("· other", 4), row("c", 5)]);
  const whole = of([row("a", 6), row("· other", 7), row("b", 8), row("· other", 9)]);
  assertEquals(told(merged(earlier, whole)), ["a 6", "· other 7", "b 8", "· other 9", "c 5"]);
  const part = of([row("b", 6), row("d", 7), row("· other", 8)]);
  assertEquals(told(merged(earlier, part)), ["a 1", "· other 2", "b 6", "c 5", "d 7", "· other 8"]);
});
