// Covers which branches of a remote a clone can follow, what it lacks for the others, and which remote a base branch is at.

import { assertEquals } from "@std/assert";
import { configKeys } from "../../../../src/git/files/config_text.ts";
import { elsewhereIn, followsAnew, refspecToFollow } from "../../../../src/git/read/tracking.ts";

const ALL = "+refs/heads/*:refs/remotes/origin/*";
const MAIN = "+refs/heads/main:refs/remotes/origin/main";
const OWN = "+refs/heads/feature/T-1*:refs/remotes/origin/feature/T-1*";

for (
  const [what, refspecs, wanted] of [
    ["every branch", [ALL], null],
    ["one branch", [MAIN], OWN],
    ["one branch that is it", ["+refs/heads/feature/T-1:refs/remotes/origin/feature/T-1"], null],
    ["one branch by its older name", ["refs/heads/main:refs/remotes/origin/main"], OWN],
    ["some branches", [MAIN, "+refs/heads/feature/*:refs/remotes/origin/feature/*"], null],
    ["what was added for it", [MAIN, OWN], null],
    ["what was added for another", [MAIN, OWN.replaceAll("T-1", "T-2")], OWN],
    ["every branch, elsewhere", ["+refs/heads/*:refs/remotes/other/*"], OWN],
    ["every branch, as its own", ["+refs/heads/*:refs/heads/*"], OWN],
    ["only tags", ["+refs/tags/*:refs/tags/*"], OWN],
    ["every branch but this one", [ALL, "^refs/heads/feature/*"], null],
    ["nothing", [], ALL],
  ] as const
) {
  Deno.test(`a remote that fetches ${what} lacks ${wanted ?? "nothing"} to follow a branch`, () => {
    assertEquals(refspecToFollow(refspecs, "origin", "feature/T-1"), wanted);
  });
}

/** What a branch follows before it is pushed to the one of its name at origin, and whether it follows that one afterwards. */
const UPSTREAMS: readonly (readonly [
  branch: string,
  upstream: string | null,
  isBase: boolean,
  isOther: boolean,
])[] = [
  ["main", null, true, true],
  ["main", "origin/main", false, false],
  ["main", "upstream/main", false, false],
  ["main", "upstream/trunk", false, true],
  ["main", "origin/trunk", true, true],
  ["main", "origin/upstream/main", true, true],
  ["main", "trunk", true, true],
  ["feature/T-1", "origin/main", true, true],
  ["feature/T-1", "upstream/main", false, true],
  ["feature/T-1", "upstream/feature/T-1", false, false],
  ["feature/T-1", "upstream/other/feature/T-1", false, false],
  ["feature/T-1", "origin/feature/T-1", false, false],
  ["feature/T-1", "origins/main", false, true],
];

/** What is said of the answers for a base branch and for another. */
function says([isBase, isOther]: readonly [boolean, boolean]): string {
  return isBase === isOther ? isBase ? "origin" : "nothing else" : "origin unless it is a base";
}

for (const [branch, upstream, ...wanted] of UPSTREAMS) {
  Deno.test(`a push makes ${branch}, which follows ${upstream ?? "nothing"}, follow ${says(wanted)}`, () => {
    const to = (isBase: boolean) => followsAnew(upstream, { remote: "origin", branch, isBase });
    assertEquals([to(true), to(false)], wanted);
  });
}

const FOLLOWS = '[branch "main"]\n\tremote = upstream\n\tmerge = refs/heads/main\n';
const UPSTREAM =
  '[remote "upstream"]\n\turl = https://host/api.git\n\tfetch = +refs/heads/*:refs/remotes/upstream/*\n';

/** What a clone says of its branch `main`, and the remote and branch that this one is at; null for `origin`. */
const CLONES: readonly (readonly [what: string, text: string, at: string | null])[] = [
  ["says nothing", "", null],
  ["follows origin", `${UPSTREAM}${FOLLOWS.replace("upstream", "origin")}`, null],
  ["follows another remote", UPSTREAM + FOLLOWS, "upstream main"],
  [
    "follows a branch of another name there",
    UPSTREAM + FOLLOWS.replace("heads/main", "heads/trunk"),
    "upstream trunk",
  ],
  [
    "follows one of the few branches that are fetched from there",
    UPSTREAM.replaceAll("*", "main") + FOLLOWS,
    "upstream main",
  ],
  [
    "was moved to another remote later",
    UPSTREAM + FOLLOWS.replace("\tremote", "\tremote = origin\n\tremote"),
    "upstream main",
  ],
  [
    "has another remote that only another branch follows",
    UPSTREAM + FOLLOWS.replace("main", "x"),
    null,
  ],
  ["follows a remote that is not there", FOLLOWS, null],
  ["follows an address", FOLLOWS.replace("upstream", "https://host/api.git"), null],
  ["follows a branch of its own", UPSTREAM + FOLLOWS.replace("upstream", "."), null],
  ["follows two branches", `${UPSTREAM}${FOLLOWS}\tmerge = refs/heads/x\n`, null],
  ["follows a tag", UPSTREAM + FOLLOWS.replace("refs/heads", "refs/tags"), null],
  ["follows a branch that is not fetched", UPSTREAM.replaceAll("*", "x") + FOLLOWS, null],
  [
    "follows a branch that is kept out",
    `${UPSTREAM}\tfetch = ^refs/heads/main\n${FOLLOWS}`,
    null,
  ],
  [
    "follows a branch that is fetched as one of origin",
    UPSTREAM.replace("remotes/upstream", "remotes/origin") + FOLLOWS,
    null,
  ],
  ["follows what would be a flag", (UPSTREAM + FOLLOWS).replaceAll("upstream", "-u"), null],
  [
    "follows a remote whose branches would seem to be origin's",
    (UPSTREAM + FOLLOWS).replaceAll("upstream", "origin/x"),
    null,
  ],
];

for (const [what, text, at] of CLONES) {
  Deno.test(`the base branch of a clone that ${what} is at ${at ?? "origin"}`, () => {
    const found = elsewhereIn(configKeys(text) ?? new Map(), "main");
    assertEquals(found === null ? null : `${found.remote} ${found.branch}`, at);
  });
}
