// What would be gone with a workspace: every kind of work is told, and only what is nobody's work lets it go.

import { assertEquals } from "@std/assert";
import { sha } from "../../../../src/base/ids.ts";
import {
  ignoredWarning,
  isMinor,
  type Loss,
  lossesOf,
  lossLines,
} from "../../../../src/commands/removal/losses.ts";
import type { RepoStock } from "../../../../src/workspace/removal/repo_stock.ts";
import type { Stock } from "../../../../src/workspace/removal/stock.ts";

const COMMIT = "abc1234".padEnd(40, "0");

/** A clone in which there is nothing to lose. */
const EMPTY: RepoStock = {
  ...{ name: "api", path: "repos/api", readonly: false, known: true, branch: "main", head: COMMIT },
  ...{
    branches: [],
    uncommitted: [],
    conflicted: false,
    unpushed: [],
    stashes: [],
    refs: [],
    refOnly: [],
  },
  ...{
    jjOnly: [],
    left: [],
    reflogOnly: 0,
    lfsObjects: 0,
    hidden: [],
    ignored: [],
    nested: [],
    unseen: [],
  },
  ...{ submodules: [], inProgress: null, problem: null, digest: "" },
};

const NOTHING: Stock = { repos: [], control: null, stray: [], obstacles: [], adopted: {} };

function ref(
  name: string,
  more: Partial<RepoStock["refs"][number]> = {},
): RepoStock["refs"][number] {
  return { name, object: COMMIT, annotated: false, leadsTo: "commit", upstream: null, ...more };
}

const commit = { commit: COMMIT, subject: "Fix" };
const many = Array.from({ length: 22 }, (_, index) => `f${index}`);

for (
  const [what, stock, kinds, told] of [
    ["nothing", {}, [], []],
    ["uncommitted files", { uncommitted: ["a"] }, ["uncommitted"], [
      "api: 1 uncommitted file: a",
    ]],
    ["more files than are named", { uncommitted: many }, ["uncommitted"], [
      `api: 22 uncommitted files: ${many.slice(0, 20).join(", ")}, and 2 more`,
    ]],
    ["commits", { unpushed: [commit] }, ["commits"], ["api: 1 unpushed commit: abc1234 Fix"]],
    ["stashes", { stashes: [commit, commit] }, ["stash"], ["api: 2 stashes: Fix, Fix"]],
    [
      "commits that a tag holds",
      { refs: [ref("refs/tags/v1")], refOnly: [{ ...commit, ref: "refs/tags/v1" }] },
      ["tagged"],
      ["api: 1 commit that only tags hold: abc1234 Fix (v1)"],
    ],
    [
      "commits that another ref holds",
      { refs: [ref("refs/notes/x")], refOnly: [{ ...commit, ref: "refs/notes/x" }] },
      ["refs"],
      ["api: 1 piece of work that only other refs hold: abc1234 Fix (refs/notes/x)"],
    ],
    ["a ref to no commit", { refs: [ref("refs/x/blob", { leadsTo: "blob" })] }, ["refs"], [
      "api: 1 piece of work that only other refs hold: refs/x/blob (a blob)",
    ]],
    ["an annotated tag", { refs: [ref("refs/tags/v1", { annotated: true })] }, [], [
      "api: 1 annotated tag that its remote may not have: v1",
    ]],
    ["files that git overlooks", { hidden: ["h"] }, ["hidden"], [
      "api: 1 changed file that git was told to overlook: h",
    ]],
    ["a rebase", { inProgress: "rebase" }, ["in_progress"], [
      "api: 1 operation in progress: rebase",
    ]],
    ["work in submodules", { submodules: ["sub: 1 commit"] }, ["submodule"], [
      "api: 1 piece of work in submodules: sub: 1 commit",
    ]],
    ["a repository inside", { nested: ["in/"], ignored: ["in/"] }, ["repository"], [
      "api: 1 repository that the manifest does not name: in/",
    ]],
    ["a clone that cannot be read", { problem: "no HEAD", unseen: ["dark"] }, ["unreadable"], [
      "api: 2 places that cannot be read: no HEAD, dark",
    ]],
    ["a clone of nobody", { known: false }, ["repository"], [
      "api: 1 repository that the manifest does not name: repos/api",
    ]],
    ["ignored files", { ignored: ["node_modules/"] }, [], [
      "api: 1 ignored file or directory: node_modules/",
    ]],
    ["work of jj", { jjOnly: [{ commit: sha("a".repeat(40)), subject: "One" }] }, ["jj"], [
      "api: 1 commit that only jj has: aaaaaaa One",
    ]],
    ["what was amended", { reflogOnly: 1 }, [], [
      "api: 1 commit that was amended, rebased or reset away",
    ]],
    ["objects of git-lfs", { lfsObjects: 2 }, [], [
      "api: 2 objects of git-lfs that its remote may not have",
    ]],
  ] as readonly (readonly [
    string,
    Partial<RepoStock>,
    readonly Loss["kind"][],
    readonly string[],
  ])[]
) {
  Deno.test(`lossesOf() tells ${what}, in a clone and in the control repository`, () => {
    const repo = { ...EMPTY, ...stock };
    const losses = lossesOf({ ...NOTHING, repos: [repo] });
    assertEquals(lossLines(losses), [...told]);
    assertEquals(losses.filter((loss) => !isMinor(loss)).map(({ kind }) => kind), [...kinds]);
    // Nobody lists the control repository in a manifest.
    if (repo.known) assertEquals(lossesOf({ ...NOTHING, control: repo }), losses);
  });
}

Deno.test("lossesOf() tells files among the clones", () => {
  const losses = lossesOf({ ...NOTHING, stray: ["notes.md"] });
  assertEquals(losses.map(({ kind, items }) => [kind, items]), [["files", ["notes.md"]]]);
  assertEquals(losses.some(isMinor), false);
});

Deno.test("ignoredWarning() warns of ignored files alone", () => {
  const ignored = (repo: string): Loss => ({ repo, kind: "ignored", count: 1, items: [".env"] });
  const first = "Ignored files cannot be brought back: api: 1 ignored file or directory: .env";
  for (
    const [losses, expected] of [
      [[], null],
      [[{ ...ignored("api"), kind: "reflog" }], null],
      [[ignored("api")], first],
      [[ignored("api"), ignored("web"), ignored("docs")], `${first}, and 2 more`],
    ] as const
  ) {
    assertEquals(ignoredWarning(losses), expected);
  }
});
