// Which test files make up a run, and what a change makes thorough.

import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { filesOf, isOfBinary, type Run, takersOf, testFiles } from "../../runner/files.ts";
import { THOROUGH_OF, thoroughAfter } from "../../runner/rooms.ts";

const ROOT = fromFileUrl(new URL("../../../", import.meta.url));
const FILES = testFiles(ROOT);
const TAKERS = takersOf(ROOT);

function paths(run: Run, half = false): string[] {
  return filesOf(run, FILES, { half, takers: TAKERS }).map(({ path }) => path).toSorted();
}

Deno.test("the quick and the long run together are all, and share nothing", () => {
  assertEquals([...paths("quick"), ...paths("long")].toSorted(), paths("all"));
});

Deno.test("with halves each scenario and protocol test runs once, against source or binary", () => {
  const source = paths("long", true);
  const binary = paths("binary", true);
  assertEquals([...source, ...binary].toSorted(), paths("long"));
  const share = binary.length / (paths("binary").length);
  assert(share > 0.4 && share < 0.6, `${share}`);
});

Deno.test("the thorough run is what takes a sample, by itself or by what it imports", () => {
  const thorough = paths("thorough");
  assert(thorough.length > 20);
  for (const path of ["tests/faults/daily_test.ts", "tests/scenario/modes_test.ts"]) {
    assert(thorough.includes(path), path);
  }
  assert(!thorough.includes("tests/scenario/status_test.ts"));
});

Deno.test("the name of a file alone decides whose half it is in", () => {
  assertEquals(isOfBinary({ path: "tests/unit/x_test.ts" }), false);
  for (const file of FILES) assertEquals(isOfBinary(file), isOfBinary({ path: file.path }));
});

Deno.test("with halves no test is left to a run that has to leave it out", () => {
  const of = (condition: RegExp) =>
    FILES.filter(({ path }) => condition.test(Deno.readTextFileSync(join(ROOT, path))))
      .map((file) => [file.path, isOfBinary(file)]);
  const [binary, source] = ["===", "!=="].map((sign) =>
    of(new RegExp(`ignore: Deno\\.env\\.get\\("AMOF_BIN"\\) ${sign} undefined`))
  );
  assertEquals(binary, [["tests/scenario/help_test.ts", true]]);
  assertEquals(source, [
    ["tests/scenario/frames_test.ts", false],
    ["tests/scenario/wings_test.ts", false],
  ]);
});

Deno.test("what is thorough after a change takes a sample otherwise, and each room is one", () => {
  for (const [room, files] of Object.entries(THOROUGH_OF)) {
    assert(Deno.statSync(join(ROOT, "src", room)).isDirectory, room);
    for (const file of files) assert(TAKERS.has(file), `${room}: ${file}`);
  }
});

for (
  const [what, changed, thorough] of [
    ["nothing of the program", ["README.md", "tests/unit/x_test.ts"], []],
    [
      "a room",
      ["src/commands/undo/undo.ts"],
      [...THOROUGH_OF["commands"] ?? [], ...THOROUGH_OF["commands/undo"] ?? []],
    ],
    ["a test that takes a sample", ["tests/faults/daily_test.ts"], ["tests/faults/daily_test.ts"]],
    [
      "more rooms than fit",
      ["src/commands/undo/a.ts", "src/git/a.ts", "src/runs/a.ts", "src/engine/a.ts"],
      [],
    ],
  ] as const
) {
  Deno.test(`what is thorough after a change of ${what}`, () => {
    assertEquals(thoroughAfter(changed, TAKERS), [...thorough].toSorted());
  });
}
