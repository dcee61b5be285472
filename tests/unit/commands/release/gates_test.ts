// Covers judge(): every gate of RELEASE-4 at every stage.

import { AmofError } from "../../../../src/base/error.ts";
import { sha } from "../../../../src/base/ids.ts";
import { assertEquals } from "@std/assert";
import { fileProblem } from "../../../../src/workspace/manifest/shape.ts";
import type { Judged } from "../../../../src/commands/release/gates.ts";
import { judge, usualNext } from "../../../../src/commands/release/judge.ts";
import {
  parseVersion,
  type Stage,
  STAGES,
  tagOf,
  type Version,
} from "../../../../src/commands/release/ladder.ts";
import type { ReleaseState, VersionFile } from "../../../../src/commands/release/state.ts";

function version(text: string): Version {
  const parsed = parseVersion(text);
  if (parsed === null) throw new Error(`${text} is no version`);
  return parsed;
}

function file(path: string, text: string | null): VersionFile {
  return { path, text, problem: null, spec: { path, pattern: null }, version: text };
}

const HEAD = sha("a".repeat(40));
const tag = (name: string) => ({ name, object: HEAD, commit: HEAD, subject: "", date: "" });

const GONE = new AmofError("remote_unreachable", "gone");

/** A repository in which nothing stands in the way. */
const GOOD: ReleaseState = {
  name: "shop",
  directory: "/shop",
  branch: "main",
  head: HEAD,
  behind: 0,
  changes: [],
  inProgress: null,
  tags: [tag("v1.0.0")],
  current: { ...tag("v1.0.0"), tag: "v1.0.0", version: version("1.0.0") },
  beyond: null,
  commits: 3,
  cut: false,
  subjects: [],
  author: "Tester",
  config: {
    versionFiles: null,
    changelog: "CHANGELOG.md",
    readme: "README.md",
    branches: ["main", "master", "release/*"],
    problems: [],
  },
  versionFiles: [file("VERSION", "1.0.0")],
  changelog: file("CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n\n- New\n"),
  readme: file("README.md", null),
  untracked: [],
  recordProblem: null,
  remote: {
    url: "https://host/shop.git",
    refs: new Map([["refs/heads/main", HEAD], ["refs/tags/v1.0.0", HEAD]]),
    error: null,
  },
  remoteAhead: false,
  guard: { isEmpty: true, glob: () => null },
  touched: [],
};

function judged(
  standing: Partial<ReleaseState>,
  stage: Stage,
  other: Partial<Judged> = {},
): Judged {
  const whole = { ...GOOD, ...standing };
  return {
    standing: whole,
    next: whole.current === null ? null : usualNext(whole.current.version, stage),
    stage,
    push: true,
    strict: false,
    mayBeEmpty: false,
    baseline: false,
    expectedBranch: null,
    ...other,
  };
}

/** How a gate judges: `-` when it has nothing to say. */
function level(given: Judged, gate: string): string {
  const { passed, warnings, errors } = judge(given);
  if (errors.some((finding) => finding.gate === gate)) return "error";
  if (warnings.some((finding) => finding.gate === gate)) return "warning";
  return passed.some((finding) => finding.gate === gate) ? "ok" : "-";
}

/** What is wrong, the gate that says so, and how it judges at alpha, beta, rc and stable. */
const TABLE: readonly (readonly [
  what: string,
  standing: Partial<ReleaseState>,
  gate: string,
  levels: readonly [string, string, string, string],
])[] = [
  ["changes", { changes: ["x"] }, "clean", ["warning", "error", "error", "error"]],
  ["a topic branch", { branch: "topic" }, "branch", ["ok", "ok", "ok", "warning"]],
  ["a release branch", { branch: "release/1.x" }, "branch", ["ok", "ok", "ok", "ok"]],
  ["a branch that only begins like one", { branch: "mainly" }, "branch", [
    "ok",
    "ok",
    "ok",
    "warning",
  ]],
  ["no branch", { branch: null }, "branch", ["error", "error", "error", "error"]],
  [
    "version files that disagree",
    { versionFiles: [file("VERSION", "1.0.0"), file("package.json", "0.9.0")] },
    "version_files",
    ["warning", "warning", "warning", "warning"],
  ],
  [
    "version files that differ from the tag",
    { versionFiles: [file("VERSION", "0.9.0")] },
    "version_drift",
    ["warning", "warning", "warning", "warning"],
  ],
  [
    "a version file that cannot be read",
    { versionFiles: [{ ...file("VERSION", null), problem: "is not a file" }] },
    "version_files",
    ["error", "error", "error", "error"],
  ],
  ["no changelog", { changelog: file("CHANGELOG.md", null) }, "changelog", [
    "warning",
    "warning",
    "warning",
    "error",
  ]],
  ["nothing to tell", { changelog: file("CHANGELOG.md", "# C\n") }, "changelog_entry", [
    "-",
    "-",
    "-",
    "error",
  ]],
  ["a merge", { inProgress: "merge" }, "in_progress", ["error", "error", "error", "error"]],
  ["commits of the upstream", { behind: 2 }, "behind", ["error", "error", "error", "error"]],
  ["unknown commits of the remote", { remoteAhead: true }, "behind", [
    "error",
    "error",
    "error",
    "error",
  ]],
  ["nobody", { author: null }, "author", ["error", "error", "error", "error"]],
  ["no new commits", { commits: 0 }, "commits", ["warning", "warning", "warning", "warning"]],
  ["no remote", { remote: { url: null, refs: null, error: null } }, "remote", [
    "error",
    "error",
    "error",
    "error",
  ]],
  ["a dead remote", { remote: { url: "x", refs: null, error: GONE } }, "remote", [
    "error",
    "error",
    "error",
    "error",
  ]],
  [
    "a version that was never pushed",
    { remote: { url: "x", refs: new Map(), error: null } },
    "pushed",
    ["warning", "warning", "warning", "warning"],
  ],
  [
    "a higher version on the remote",
    { remote: { url: "x", refs: new Map([["refs/tags/v2.0.0", HEAD]]), error: null } },
    "remote_tag",
    ["error", "error", "error", "error"],
  ],
  ["changes in a version file", { changes: ["VERSION"] }, "release_files", [
    "error",
    "error",
    "error",
    "error",
  ]],
  ["an untracked changelog", { untracked: ["CHANGELOG.md"] }, "release_files", [
    "error",
    "error",
    "error",
    "error",
  ]],
  ["records elsewhere", { recordProblem: "releases is a link" }, "records", [
    "error",
    "error",
    "error",
    "error",
  ]],
  [
    "broken settings",
    {
      config: {
        ...GOOD.config,
        problems: [{ ...fileProblem("is 5", "Mend it"), path: "release" }],
      },
    },
    "config",
    ["error", "error", "error", "error"],
  ],
];

for (const [what, standing, gate, levels] of TABLE) {
  Deno.test(`judge() of ${what}: ${gate} is ${[...new Set(levels)].join(" or ")}`, () => {
    assertEquals(STAGES.map((stage) => level(judged(standing, stage), gate)), [...levels]);
    // Strictness leaves no warnings.
    for (const [index, stage] of STAGES.entries()) {
      const strict = level(judged(standing, stage, { strict: true }), gate);
      assertEquals(strict, levels[index] === "warning" ? "error" : levels[index]);
    }
  });
}

Deno.test("judge() lets a good repository through at every stage, strictly", () => {
  for (const stage of STAGES) {
    assertEquals(judge(judged({}, stage, { strict: true })).errors, []);
  }
});

Deno.test("judge() finds everything at once", () => {
  const bad = Object.assign({}, ...TABLE.slice(9, 14).map(([, standing]) => standing));
  const { ok, errors } = judge(judged({ ...bad, changes: ["x"], branch: null }, "stable"));
  assertEquals(ok, false);
  assertEquals(errors.map((finding) => finding.gate), [
    "in_progress",
    "clean",
    "branch",
    "behind",
    "author",
    "changelog_entry",
  ]);
});

Deno.test("judge() asks nothing of the remote where nothing is pushed", () => {
  const dead = { remote: { url: "x", refs: null, error: GONE } };
  assertEquals(judge(judged(dead, "stable", { push: false })).errors, []);
});

Deno.test("judge() says of a remote that was not asked why, and what helps", () => {
  const told = (error: AmofError) =>
    judge(judged({ remote: { url: "x", refs: null, error } }, "alpha")).errors
      .map(({ message, fix }) => [message, fix]);
  const hint = "Look: amof repo trust shop";
  const details = { reason: "a hook changed" };
  assertEquals(told(new AmofError("clone_untrusted", "Cannot work in shop", { hint, details })), [
    ["The remote cannot be asked: a hook changed", hint],
  ]);
  const keep = "Keep the release here: the same command with --no-push";
  assertEquals(told(new AmofError("auth_failed", "no key", { hint: "Sign in" })), [
    ["The remote cannot be reached: no key", `Sign in\n${keep}`],
  ]);
});

Deno.test("judge() finds a tag that is taken, here and there", () => {
  const next = tagOf(usualNext(version("1.0.0"), "alpha") ?? version("0.0.0"));
  const here = judged({ tags: [tag("v1.0.0"), tag(next)] }, "alpha");
  assertEquals(level(here, "tag_free"), "error");
  const refs = new Map([["refs/tags/v1.0.0", HEAD], [`refs/tags/${next}`, HEAD]]);
  const there = judged({ remote: { url: "x", refs, error: null } }, "alpha");
  assertEquals(level(there, "remote_tag"), "error");
});

Deno.test("judge() wants a train's repository clean and on its branch at every stage", () => {
  for (const stage of STAGES) {
    const other = { expectedBranch: "trunk" };
    assertEquals(level(judged({ changes: ["x"] }, stage, other), "clean"), "error");
    assertEquals(level(judged({}, stage, other), "branch"), "error");
    assertEquals(level(judged({ branch: "trunk" }, stage, other), "branch"), "ok");
  }
});

Deno.test("judge() says where the ladder has no such stage", () => {
  const current = { ...tag("v1.0.0-rc.1"), tag: "v1.0.0-rc.1", version: version("1.0.0-rc.1") };
  assertEquals(level(judged({ current }, "alpha"), "ladder"), "error");
  assertEquals(level(judged({ current }, "stable"), "ladder"), "-");
});

Deno.test("judge() tells the command that helps, to be pasted anywhere", () => {
  const remote = { url: "x", refs: new Map([["refs/tags/v2.0.0", HEAD]]), error: null };
  const cases: readonly (readonly [Partial<ReleaseState>, gate: string, ...fixes: string[]])[] = [
    [{ branch: "x" }, "branch", "Switch to it's: git -C /shop switch 'it'\\''s'"],
    [{ branch: null }, "branch", "Switch to it's: git -C /shop switch 'it'\\''s'"],
    [
      { changes: ["x"] },
      "clean",
      "See what to commit: git -C /shop status",
      "Put it away: git -C /shop stash push --include-untracked",
    ],
    [
      { changes: ["ecosystems/demo/lock.json", "ecosystems/demo/ecosystem.yaml"] },
      "clean",
      "Add it: git -C /shop add -- ecosystems/demo/lock.json ecosystems/demo/ecosystem.yaml",
      "Commit it: git -C /shop commit -m 'Change ecosystems' -- ecosystems/demo/lock.json ecosystems/demo/ecosystem.yaml",
    ],
    [
      { changes: ["ecosystems/demo/lock.json", "x"] },
      "clean",
      "See what to commit: git -C /shop status",
      "Put it away: git -C /shop stash push --include-untracked",
    ],
    [
      { inProgress: "merge" },
      "in_progress",
      "See how it is finished or aborted: git -C /shop status",
    ],
    [{ untracked: ["VERSION"] }, "release_files", "Add, then commit: git -C /shop add -- VERSION"],
    [
      { behind: 1 },
      "behind",
      "Integrate them: git -C /shop pull --rebase=merges --autostash origin main",
    ],
    [{ remote }, "remote_tag", "Get its tags: git -C /shop fetch --tags"],
    [
      { remote: null },
      "remote",
      "Add it: git -C /shop remote add origin URL",
      "Keep the release here: the same command with --no-push",
    ],
  ];
  for (const [state, gate, ...fixes] of cases) {
    const { errors } = judge(judged(state, "stable", { expectedBranch: "it's" }));
    assertEquals(errors.find((finding) => finding.gate === gate)?.fix, fixes.join("\n"), gate);
  }
});

for (
  const [current, push, fix] of [
    ["1.0.0-alpha.1", true, "Go on to beta: amof release promote beta"],
    ["1.0.0-beta.2", false, "Go on to rc: amof release promote rc --no-push"],
    ["1.0.0-rc.1", true, "Go on to stable: amof release promote"],
    ["1.0.0", true, null],
  ] as const
) {
  Deno.test(`after ${current} without new commits judge() advises ${fix ?? "nothing"}`, () => {
    const of = { ...tag(`v${current}`), tag: `v${current}`, version: version(current) };
    const { stage } = of.version;
    const { warnings } = judge(judged({ commits: 0, current: of }, stage, { push }));
    assertEquals(warnings.find(({ gate }) => gate === "commits")?.fix, fix);
  });
}
