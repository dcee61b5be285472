// Covers the changelog section, the README status line, and the versions in files.

import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import {
  changedLines,
  hasEntry,
  withSection,
  withStatus,
} from "../../../../src/commands/release/documents.ts";
import { parseVersion, type Version } from "../../../../src/commands/release/ladder.ts";
import {
  findVersion,
  replaceVersion,
  VersionFileProblem,
} from "../../../../src/commands/release/version_file.ts";

function version(text: string): Version {
  const parsed = parseVersion(text);
  if (parsed === null) throw new Error(`${text} is no version`);
  return parsed;
}

/** A changelog, the version, the subjects, and the changelog with its section. */
const SECTIONS: readonly (readonly [
  what: string,
  before: string,
  version: string,
  subjects: readonly string[],
  after: string,
])[] = [
  [
    "moves what is unreleased",
    "# Changelog\n\n## [Unreleased]\n\n- New\n\n## [1.0.0] - 2026-01-01\n\n- Old\n",
    "1.1.0",
    ["a"],
    "# Changelog\n\n## [Unreleased]\n\n## [1.1.0] - 2026-03-02\n\n- New\n\n## [1.0.0] - 2026-01-01\n\n- Old\n",
  ],
  [
    "writes the subjects where nothing is unreleased, above the newest version",
    "# Changelog\n\n## [Unreleased]\n\n## [1.0.0]\n\n- Old\n",
    "1.0.1-alpha.1",
    ["feat: a <b>", "fix: [c] *d*"],
    "# Changelog\n\n## [Unreleased]\n\n## [1.0.1-alpha.1] - 2026-03-02\n\n- feat: a \\<b\\>\n- fix: \\[c\\] \\*d\\*\n\n## [1.0.0]\n\n- Old\n",
  ],
  [
    "goes below the introduction of an empty changelog",
    "# Changelog\n\nAll of it.\n",
    "0.1.0",
    ["a"],
    "# Changelog\n\nAll of it.\n\n## [0.1.0] - 2026-03-02\n\n- a\n",
  ],
  ["begins an empty file", "", "0.1.0", ["a"], "## [0.1.0] - 2026-03-02\n\n- a\n"],
  [
    "dates a section that is there",
    "# Changelog\n\n## [1.1.0]\n\n- Written before\n",
    "1.1.0",
    ["a"],
    "# Changelog\n\n## [1.1.0] - 2026-03-02\n\n- Written before\n",
  ],
  [
    "points from a stable version to its pre-releases",
    "# Changelog\n\n## [1.1.0-rc.1]\n\n- New\n",
    "1.1.0",
    ["a"],
    "# Changelog\n\n## [1.1.0] - 2026-03-02\n\n- Changes are listed with the pre-releases of this version below.\n\n## [1.1.0-rc.1]\n\n- New\n",
  ],
  [
    "says so when nothing changed",
    "# Changelog\n",
    "1.1.0-beta.1",
    [],
    "# Changelog\n\n## [1.1.0-beta.1] - 2026-03-02\n\n- No changes since the release before.\n",
  ],
  [
    "keeps the ends of lines",
    "# Changelog\r\n\r\n## [1.0.0]\r\n",
    "1.0.1",
    ["a"],
    "# Changelog\r\n\r\n## [1.0.1] - 2026-03-02\r\n\r\n- a\r\n\r\n## [1.0.0]\r\n",
  ],
  [
    "takes no heading in a code block for one",
    "# Changelog\n\n```\n## [9.9.9]\n```\n\n## [1.0.0]\n",
    "1.0.1",
    ["a"],
    "# Changelog\n\n```\n## [9.9.9]\n```\n\n## [1.0.1] - 2026-03-02\n\n- a\n\n## [1.0.0]\n",
  ],
];

for (const [what, before, next, subjects, after] of SECTIONS) {
  Deno.test(`withSection() ${what}`, () => {
    assertEquals(withSection(before, version(next), "2026-03-02", subjects), after);
    // Made again it changes nothing.
    assertEquals(withSection(after, version(next), "2026-03-02", subjects), after);
  });
}

const ENTRIES: readonly (readonly [string, string, boolean])[] = [
  ["## [Unreleased]\n\n- New\n", "1.0.0", true],
  ["## Unreleased\n\nNew\n", "1.0.0", true],
  ["## [Unreleased]\n\n### Added\n\n## [0.9.0]\n- x\n", "1.0.0", false],
  ["## [1.0.0] - 2026-01-01\n- New\n", "1.0.0", true],
  ["## v1.0.0\n- New\n", "1.0.0", true],
  ["## [1.0.0-beta.2]\n- New\n", "1.0.0", true],
  ["## [1.0.1]\n- New\n", "1.0.0", false],
  ["", "1.0.0", false],
  ["## [Unreleased]\n\n[Unreleased]: https://host/compare\n", "1.0.0", false],
];

for (const [text, next, wanted] of ENTRIES) {
  Deno.test(`hasEntry() ${wanted ? "finds" : "misses"} ${next} in ${JSON.stringify(text)}`, () => {
    assertEquals(hasEntry(text, version(next)), wanted);
  });
}

Deno.test("withStatus() changes the version of the status line and nothing else", () => {
  const next = version("1.2.0-rc.1");
  assertEquals(
    withStatus("v1.0.0\n**Current status:** v1.1.0-beta.2, soon v2.0.0.\n", next),
    "v1.0.0\n**Current status:** v1.2.0-rc.1, soon v2.0.0.\n",
  );
  assertEquals(withStatus("**Current status:** stable\n", next), "**Current status:** stable\n");
});

Deno.test("changedLines() shows what differs and no more", () => {
  assertEquals(changedLines("a\nb\nc\n", "a\nB\nc\n"), ["- b", "+ B"]);
  assertEquals(changedLines("a\nb\n", "a\nx\nb\n"), ["+ x"]);
  assertEquals(changedLines("a\n", "a\n"), []);
});

/** A file, its pattern, its text, and the version in it; or what is wrong. */
const FILES: readonly (readonly [string, string | null, string, string | { problem: string }])[] = [
  ["package.json", null, '{"name":"version","version":"1.0.0"}', "1.0.0"],
  ["package.json", null, '{"x":{"version":"2"},"version":"1.0.0"}', "1.0.0"],
  ["package.json", null, '{"name":"x"}', { problem: 'has no "version"' }],
  ["package.json", null, '{"version":1}', { problem: 'has no "version"' }],
  ["package.json", null, "not json", { problem: 'has no "version"' }],
  ["deno.json", null, '// c\n{ /* "version": "9" */ "version": "1.0.0", }', "1.0.0"],
  ["a/pyproject.toml", null, '[project]\nversion = "1.0.0"\n[tool.x]\nversion = "2"\n', "1.0.0"],
  ["pyproject.toml", null, "[tool.poetry]\nversion = '1.0.0'\n", "1.0.0"],
  ["pyproject.toml", null, '[project]\ndynamic = ["version"]\n', { problem: "has no version in" }],
  [
    "pyproject.toml",
    null,
    '[a]\nx = """\n[project]\nversion = "9"\n"""\n[project]\nversion = "1.0.0"\n',
    { problem: "cannot be edited safely" },
  ],
  ["pyproject.toml", null, '[project]\nversion = "1.0.0"\nx = \n', { problem: "cannot be read" }],
  ["Cargo.toml", null, '[dependencies.x]\nversion = "2"\n[package]\nversion = "1.0.0"\n', "1.0.0"],
  ["Cargo.toml", null, '[workspace.package]\nversion = "1.0.0"\n', "1.0.0"],
  ["VERSION", null, " 1.0.0\n", "1.0.0"],
  ["VERSION", null, "one two\n", { problem: "should hold one version, not 2 words" }],
  ["VERSION", null, "", { problem: "should hold one version, not 0 words" }],
  ["x.py", '^__version__ = "([^"]+)"$', 'a\n__version__ = "1.0.0"\nb\n', "1.0.0"],
  ["x.py", "v(", "v1", { problem: "has a bad pattern" }],
  ["x.py", "v.*", "v1", { problem: "exactly one group, not 0" }],
  ["x.py", "v(.)(.)", "v12", { problem: "exactly one group, not 2" }],
  ["x.py", "v(.)", "x", { problem: "does not match" }],
  ["x.py", "v(.)", "v1 v2", { problem: "more than once" }],
  // A backtracking engine would take forever on this pattern.
  ["x.py", "((?:a+)+)b", "a".repeat(50_000), { problem: "does not match" }],
];

for (const [path, pattern, text, wanted] of FILES) {
  const shown = `${path} ${JSON.stringify(text.slice(0, 60))}`;
  Deno.test(`replaceVersion() ${typeof wanted === "string" ? "edits" : "refuses"} ${shown}`, async () => {
    const spec = { path, pattern };
    if (typeof wanted !== "string") {
      const error = await assertRejects(
        () => replaceVersion(spec, text, "2.0.0-rc.1"),
        VersionFileProblem,
      );
      assertStringIncludes(error.message, wanted.problem);
      return;
    }
    assertEquals((await findVersion(spec, text)).version, wanted);
    const after = await replaceVersion(spec, text, "2.0.0-rc.1");
    assertEquals(after, text.replace(wanted, "2.0.0-rc.1"));
  });
}
