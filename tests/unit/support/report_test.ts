// What a run of tests shows: counts, failures in full, and an end that cannot be taken for success.

import { assertEquals } from "@std/assert";
import { Report } from "../../runner/report.ts";

const PASSED = "./bin/tests-1/00_unit_test.ts => adds ... ok (1ms)";
const STEP = "./bin/tests-1/00_unit_test.ts => adds ... a step ... ok (1ms)";
const FAILED = "./bin/tests-1/00_unit_test.ts => subtracts ... FAILED (2ms)";
const ERRORS = [
  " ERRORS ",
  "",
  "subtracts => ./tests/unit/x_test.ts:3:6",
  "error: AssertionError: Values are not equal.",
  "-   1",
  "+   2",
  "",
  " FAILURES ",
  "",
  "subtracts => ./tests/unit/x_test.ts:3:6",
  "",
  "FAILED | 1 passed | 1 failed (3ms)",
];

function ended(lines: readonly string[], code: number, stderr = "", verbose = false) {
  const report = new Report({ verbose });
  const shown = lines.flatMap((line) => report.take(line));
  const { lines: last, success } = report.end(code, stderr, 61_000);
  return { shown, last: last.at(-1), all: [...shown, ...last].join("\n"), success };
}

Deno.test("a run that passes shows no test, and its steps are not counted", () => {
  const { shown, last, success } = ended([
    PASSED,
    STEP,
    "",
    "ok | 1 passed (1 step) | 0 failed (3ms)",
  ], 0);
  assertEquals([shown, last, success], [[], "1 passed, 0 failed", true]);
});

Deno.test("--verbose has a line per test and step", () => {
  const { shown } = ended([PASSED, STEP, "ok | 1 passed (1 step) | 0 failed (3ms)"], 0, "", true);
  assertEquals(shown, [PASSED, STEP]);
});

Deno.test("a failure is named when it happens, and told in full at the end", () => {
  const { shown, last, success } = ended([PASSED, FAILED, "", ...ERRORS], 1);
  assertEquals(shown[0], "FAILED  subtracts");
  assertEquals(shown.filter((line) => /^[-+] {3}\d$/.test(line)).length, 2);
  assertEquals([last, success], ["1 passed, 1 failed", false]);
});

for (
  const [what, lines, code, stderr, last] of [
    ["breaks off", [PASSED], 0, "", "1 passed, 1 failed"],
    ["is ended from outside", [PASSED], 137, "Killed", "1 passed, 1 failed"],
    ["cannot load a module", [], 1, "error: Module not found", "0 passed, 1 failed"],
    [
      "fails although no test did",
      [PASSED, "ok | 1 passed | 0 failed (3ms)"],
      1,
      "leak",
      "1 passed, 1 failed",
    ],
    ["has no test", ["ok | 0 passed | 0 failed (0ms)"], 0, "", "0 passed, 0 failed"],
  ] as const
) {
  Deno.test(`a run that ${what} is no success, and says what the runner said`, () => {
    const run = ended(lines, code, stderr);
    assertEquals([run.last, run.success], [last, false]);
    assertEquals(run.all.includes(stderr), true);
  });
}

Deno.test("what is printed beside the tests is shown where the run breaks off", () => {
  assertEquals(ended(["a word of a test", PASSED], 1).all.includes("a word of a test"), true);
  const whole = ended(["a word of a test", PASSED, "ok | 1 passed | 0 failed (3ms)"], 0);
  assertEquals(whole.all.includes("a word of a test"), false);
});

Deno.test("the counting line fits the width", () => {
  const report = new Report();
  report.take(PASSED);
  report.take(FAILED);
  assertEquals(report.count(65_000), "1:05  1 passed, 1 failed");
  assertEquals(report.count(65_000, 12), "1:05  1 pass");
});
