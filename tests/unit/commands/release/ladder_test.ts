// Covers the version ladder: every row of RELEASE-3, and how tags are read and ordered (RELEASE-1, RELEASE-2).

import { assertEquals, assertThrows } from "@std/assert";
import { AmofError } from "../../../../src/base/error.ts";
import {
  currentTag,
  ladderTags,
  nextVersion,
  parseVersion,
  type Part,
  possibleSteps,
  type PreStage,
  type Step,
  tagOf,
  usualStage,
  type Version,
  words,
} from "../../../../src/commands/release/ladder.ts";

function version(text: string): Version {
  const parsed = parseVersion(text);
  if (parsed === null) throw new Error(`${text} is no version`);
  return parsed;
}

/** "patch", "minor alpha", "promote rc". */
function step(text: string): Step {
  const [word = "", stage] = text.split(" ");
  return word === "promote"
    ? { kind: "promote", target: (stage ?? "stable") as "beta" | "rc" | "stable" }
    : { kind: "bump", part: word as Part, stage: (stage ?? null) as PreStage | null };
}

/** The current tag, the step, and the next tag; null where the ladder has no such step. */
const TABLE: readonly (readonly [string, string, string | null])[] = [
  // A patch without a stage.
  ["v1.0.2", "patch", "v1.0.3"],
  ["v0.0.0", "patch", "v0.0.1"],
  ["v1.0.9", "patch", "v1.0.10"],
  ["v1.0.3-alpha.1", "patch", null],
  ["v1.0.3-beta.4", "patch", null],
  ["v1.0.3-rc.2", "patch", null],
  ["v2.0.0-rc.1", "patch", null],
  // A minor or major version without a stage.
  ["v1.2.3", "minor", "v1.3.0"],
  ["v1.9.9", "minor", "v1.10.0"],
  ["v1.2.3", "major", "v2.0.0"],
  ["v0.9.1", "major", "v1.0.0"],
  ["v1.0.3-rc.1", "minor", "v1.1.0"],
  ["v1.0.3-rc.1", "major", "v2.0.0"],
  ["v1.1.0-alpha.1", "minor", "v1.2.0"],
  ["v2.0.0-beta.1", "major", "v3.0.0"],
  // With a stage, from a stable version.
  ["v1.0.2", "patch alpha", "v1.0.3-alpha.1"],
  ["v1.0.2", "patch beta", "v1.0.3-beta.1"],
  ["v1.0.2", "patch rc", "v1.0.3-rc.1"],
  ["v1.0.2", "minor alpha", "v1.1.0-alpha.1"],
  ["v1.0.2", "minor beta", "v1.1.0-beta.1"],
  ["v1.0.2", "minor rc", "v1.1.0-rc.1"],
  ["v1.0.2", "major alpha", "v2.0.0-alpha.1"],
  ["v1.0.2", "major beta", "v2.0.0-beta.1"],
  ["v1.0.2", "major rc", "v2.0.0-rc.1"],
  // A patch at the stage the current version has.
  ["v1.0.3-alpha.1", "patch alpha", "v1.0.3-alpha.2"],
  ["v1.0.3-beta.9", "patch beta", "v1.0.3-beta.10"],
  ["v1.0.3-rc.1", "patch rc", "v1.0.3-rc.2"],
  ["v1.1.0-alpha.1", "patch alpha", "v1.1.0-alpha.2"],
  ["v2.0.0-rc.3", "patch rc", "v2.0.0-rc.4"],
  ["v1.0.3-alpha", "patch alpha", "v1.0.3-alpha.2"],
  ["v1.0.3-alpha.0", "patch alpha", "v1.0.3-alpha.1"],
  // A patch at a later stage.
  ["v1.0.3-alpha.2", "patch beta", "v1.0.3-beta.1"],
  ["v1.0.3-alpha.2", "patch rc", "v1.0.3-rc.1"],
  ["v1.0.3-beta.7", "patch rc", "v1.0.3-rc.1"],
  ["v2.0.0-alpha.1", "patch beta", "v2.0.0-beta.1"],
  // Never back to an earlier stage.
  ["v1.0.3-beta.1", "patch alpha", null],
  ["v1.0.3-rc.1", "patch alpha", null],
  ["v1.0.3-rc.1", "patch beta", null],
  // A minor or major version at a stage, from a pre-release of such a version.
  ["v1.1.0-alpha.1", "minor alpha", "v1.1.0-alpha.2"],
  ["v1.1.0-alpha.1", "minor beta", "v1.1.0-beta.1"],
  ["v1.1.0-beta.1", "minor rc", "v1.1.0-rc.1"],
  ["v1.1.0-beta.1", "minor alpha", null],
  ["v2.0.0-alpha.3", "major alpha", "v2.0.0-alpha.4"],
  ["v2.0.0-alpha.3", "major rc", "v2.0.0-rc.1"],
  ["v2.0.0-rc.1", "major beta", null],
  // …and from one of another kind, which is raised like any other version.
  ["v1.0.3-alpha.1", "minor alpha", "v1.1.0-alpha.1"],
  ["v1.0.3-rc.1", "minor alpha", "v1.1.0-alpha.1"],
  ["v1.1.0-rc.1", "major alpha", "v2.0.0-alpha.1"],
  ["v2.0.0-alpha.1", "minor alpha", "v2.1.0-alpha.1"],
  ["v0.1.0-alpha.1", "major alpha", "v1.0.0-alpha.1"],
  ["v0.0.0-alpha.1", "minor alpha", "v0.1.0-alpha.1"],
  // Promotion to stable.
  ["v1.0.3-alpha.1", "promote", "v1.0.3"],
  ["v1.0.3-beta.2", "promote", "v1.0.3"],
  ["v1.0.3-rc.9", "promote", "v1.0.3"],
  ["v2.0.0-rc.1", "promote stable", "v2.0.0"],
  ["v1.0.3", "promote", null],
  // Promotion to a stage.
  ["v1.0.3-alpha.4", "promote beta", "v1.0.3-beta.1"],
  ["v1.0.3-alpha.4", "promote rc", "v1.0.3-rc.1"],
  ["v1.0.3-beta.4", "promote rc", "v1.0.3-rc.1"],
  ["v1.0.3-beta.4", "promote beta", "v1.0.3-beta.5"],
  ["v1.0.3-rc.1", "promote rc", "v1.0.3-rc.2"],
  ["v1.0.3-rc.1", "promote beta", null],
  ["v1.0.3", "promote beta", null],
  ["v1.0.3", "promote rc", null],
  // Where numbers stop being exact.
  ["v1.0.9007199254740991", "patch", null],
  ["v1.0.3-rc.9007199254740991", "patch rc", null],
  ["v1.0.9007199254740991", "minor", "v1.1.0"],
];

for (const [current, wanted, next] of TABLE) {
  Deno.test(`nextVersion() ${next === null ? "refuses" : `answers ${next} for`} ${wanted} from ${current}`, () => {
    if (next !== null) {
      assertEquals(tagOf(nextVersion(version(current), step(wanted))), next);
      return;
    }
    const error = assertThrows(() => nextVersion(version(current), step(wanted)), AmofError);
    assertEquals(error.code, "invalid_transition");
  });
}

Deno.test("nextVersion() points from a patch of a pre-release to its promotion", () => {
  const error = assertThrows(() => nextVersion(version("v1.0.3-rc.1"), step("patch")), AmofError);
  assertEquals(error.hint, "Make it stable: amof release promote");
});

Deno.test("currentTag() orders by semver precedence: a stable version stands above its release candidate", () => {
  assertEquals(currentTag(["v1.0.3-rc.1", "v1.0.3", "v1.0.2"])?.tag, "v1.0.3");
});

Deno.test("currentTag() orders numbers as numbers and stages as stages", () => {
  const tags = ["v1.0.3-alpha.10", "v1.0.3-alpha.9", "v1.0.3-beta.1", "v1.0.10-alpha.1", "v1.0.9"];
  assertEquals(ladderTags(tags).map(({ tag }) => tag), [
    "v1.0.10-alpha.1",
    "v1.0.9",
    "v1.0.3-beta.1",
    "v1.0.3-alpha.10",
    "v1.0.3-alpha.9",
  ]);
});

Deno.test("currentTag() takes tags without a v, and prefers the spelling with one", () => {
  assertEquals(currentTag(["1.2.3", "v1.0.0"])?.tag, "1.2.3");
  assertEquals(currentTag(["1.2.3", "v1.2.3"])?.tag, "v1.2.3");
});

Deno.test("currentTag() leaves out what is not on the ladder", () => {
  for (
    const tag of [
      "v2.0.0-nightly.3",
      "v2.0.0-rc.1.2",
      "v2.0.0+build",
      "v2.0.0-RC.1",
      "v2.0",
      "v02.0.0",
      "v2.0.0-rc.01",
      "vv2.0.0",
      "release-2.0.0",
      "v9007199254740993.0.0",
      "v2.0.0-rc.9007199254740993",
      " v2.0.0",
      "v2.0.0\n",
      "latest",
      "",
    ]
  ) assertEquals(currentTag([tag, "v1.0.0"])?.tag, "v1.0.0", JSON.stringify(tag));
  assertEquals(currentTag(["latest"]), null);
});

const POSSIBLE: readonly (readonly [string, readonly string[]])[] = [
  ["v1.0.2", [
    "bump patch (alpha)",
    "bump patch",
    "bump minor (alpha)",
    "bump minor",
    "bump major (alpha)",
    "bump major",
  ]],
  ["v1.0.3-alpha.1", [
    "promote to beta",
    "promote to rc",
    "promote to stable",
    "bump patch (alpha)",
  ]],
  ["v1.0.3-rc.1", ["promote to stable", "bump patch (rc)"]],
];

for (const [current, wanted] of POSSIBLE) {
  Deno.test(`possibleSteps() offers what ${current} can become`, () => {
    const steps = possibleSteps(version(current));
    assertEquals(steps.map(words), [...wanted]);
    for (const possible of steps) nextVersion(version(current), possible);
  });
}

Deno.test("usualStage() goes one stage on, and stays stable", () => {
  assertEquals(
    ["v1.0.0-alpha.1", "v1.0.0-beta.1", "v1.0.0-rc.1", "v1.0.0"].map((tag) =>
      usualStage(version(tag))
    ),
    ["beta", "rc", "stable", "stable"],
  );
});
