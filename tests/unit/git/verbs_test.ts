// Covers isReadOnlyGit(), against every call that the Git class makes.

// @ts-types="@types/std/assert.d.ts"
import { assert, assertEquals } from "@std/assert";
import { Git, isReadOnlyGit } from "../../../src/git/mod.ts";
import { Releases } from "../../../src/git/releases.ts";
import type { ProcessRequest, System } from "../../../src/system/mod.ts";
import { memoryWorld } from "../../../src/system/memory.ts";

/** A world that answers every program with success and remembers what was asked for. */
function recorder(): { system: System; requests: ProcessRequest[] } {
  const { system } = memoryWorld({ files: { "/repo/.git/HEAD": "ref: refs/heads/main\n" } });
  const requests: ProcessRequest[] = [];
  return {
    requests,
    system: {
      ...system,
      processes: {
        ...system.processes,
        run(request) {
          requests.push(request);
          return Promise.resolve({
            command: request.command,
            args: request.args,
            exitCode: 0,
            signal: null,
            timedOut: false,
            cancelled: false,
            startError: null,
            stdout: "",
            stderr: "",
            truncated: false,
            durationMs: 0,
          });
        },
      },
    },
  };
}

const nothing = () => {};
const ID = "0".repeat(40);

const CALLS: { readonly [M in keyof Git]?: (git: Git) => Promise<unknown> } = {
  status: (git) => git.status("/repo", "api"),
  unpushedCount: (git) => git.unpushedCount("/repo", "api"),
  localOnlyCount: (git) => git.localOnlyCount("/repo", "api"),
  localOnlyCommits: (git) => git.localOnlyCommits("/repo", "api", ID, 10),
  tagOnlyCount: (git) => git.tagOnlyCount("/repo", "api"),
  ownCount: (git) => git.ownCount("/repo", "topic", true),
  countUncovered: (git) => git.countUncovered("/repo", [ID], [ID], "api"),
  localBranches: (git) => git.localBranches("/repo", "api"),
  stashes: (git) => git.stashes("/repo", "api"),
  ignoredPaths: (git) => git.ignoredPaths("/repo", "api"),
  remoteRefs: (git) => git.remoteRefs("/repo", "origin", "api"),
  countBetween: (git) => git.countBetween("/repo", "a", "b"),
  countBeyond: (git) => git.countBeyond("/repo", "a", ["b"], "api"),
  resolveRef: (git) => git.resolveRef("/repo", "HEAD"),
  activity: (git) => git.activity("/repo"),
  hasIndex: (git) => git.hasIndex("/repo"),
  gitDirectory: (git) => git.gitDirectory("/repo"),
  commonDirectory: (git) => git.commonDirectory("/repo"),
  worktrees: (git) => git.worktrees("/repo"),
  addWorktree: async (git) => {
    await git.addWorktree("/repo", "/repo/w", "topic", ID);
    await git.addWorktree("/repo", "/repo/w", "topic", null);
  },
  removeWorktree: (git) => git.removeWorktree("/repo", "/repo/w"),
  untrackedPaths: (git) => git.untrackedPaths("/repo"),
  ownPaths: (git) => git.ownPaths("/repo/provisioners"),
  pruneWorktrees: (git) => git.pruneWorktrees("/repo"),
  deleteRef: (git) => git.deleteRef("/repo", "refs/heads/x", ID),
  clone: (git) => git.clone("/", "file:///x", "x", "main", "api", nothing),
  currentBranch: (git) => git.currentBranch("/repo"),
  topLevel: (git) => git.topLevel("/repo"),
  remoteUrl: (git) => git.remoteUrl("/repo", "origin"),
  remoteCommit: (git) => git.remoteCommit("/repo", "https://host/x.git", "main", "x"),
  cloneWithoutFiles: (git) =>
    git.cloneWithoutFiles("/repo", "https://host/x.git", "/other", null, "x"),
  checkOut: (git) => git.checkOut("/repo", "a".repeat(40), "x"),
  fileAt: (git) => git.fileAt("/repo", "a".repeat(40), "file"),
  fetch: (git) => git.fetch("/repo", "api", nothing),
  refs: (git) => git.refs("/repo", ["refs/heads"], "api"),
  isAncestor: (git) => git.isAncestor("/repo", ID, ID),
  fastForward: (git) => git.fastForward("/repo", ID, "api"),
  moveRef: (git) => git.moveRef("/repo", "refs/heads/x", ID, ID),
  pushUrl: (git) => git.pushUrl("/repo", "origin"),
  remoteBranches: (git) => git.remoteBranches("/repo", "origin", "api"),
  commitAll: (git) => git.commitAll("/repo", "message", "api", nothing),
  push: (git) => git.push("/repo", "origin", ID, "main", nothing),
  setUpstream: (git) => git.setUpstream("/repo", "main", "origin/main", "api"),
  isIgnored: (git) => git.isIgnored("/repo", "x"),
  commitPaths: (git) => git.commitPaths("/repo", ["x"], "message"),
  init: (git) => git.init("/repo", true),
  setConfig: (git) => git.setConfig("/repo", "user.name", "x"),
  addRemote: (git) => git.addRemote("/repo", "origin", "file:///x"),
  createBranch: (git) => git.createBranch("/repo", "topic", "api"),
  switchTo: (git) => git.switchTo("/repo", "topic", "api"),
  createRef: (git) => git.createRef("/repo", "refs/heads/x", ID),
  findStash: (git) => git.findStash("/repo", "message"),
  stashSave: (git) => git.stashSave("/repo", "message", "api"),
  stashPop: (git) => git.stashPop("/repo", "stash@{0}", "api"),
  deleteRemoteBranch: (git) => git.deleteRemoteBranch("/repo", "origin", "x", ID, "api"),
  version: (git) => git.version("/repo"),
};

const RELEASE_CALLS: {
  readonly [M in keyof Git["releases"]]?: (releases: Git["releases"]) => Promise<unknown>;
} = {
  tags: (releases) => releases.tags("/repo", "api"),
  countSince: (releases) => releases.countSince("/repo", "v1.0.0", "^x", "api"),
  subjectsSince: (releases) => releases.subjectsSince("/repo", null, "^x", 5, "api"),
  author: (releases) => releases.author("/repo"),
  tracked: (releases) => releases.tracked("/repo", ["x"], "api"),
  remoteRefs: (releases) => releases.remoteRefs("/repo", "origin", "api"),
  commitFacts: (releases) => releases.commitFacts("/repo", "HEAD"),
  commitFiles: (releases) => releases.commitFiles("/repo", ["x"], "message", "api", nothing),
  unstage: (releases) => releases.unstage("/repo", ["x"], "api"),
  tag: (releases) => releases.tag("/repo", "v1.0.0", ID, "message", "api"),
  push: (releases) => releases.push("/repo", "origin", ID, "main", "v1.0.0", nothing),
};

const RELEASE_WRITING: readonly string[] = ["commitFiles", "unstage", "tag", "push"];

const WRITING: readonly string[] = [
  "addWorktree",
  "removeWorktree",
  "pruneWorktrees",
  "deleteRef",
  "clone",
  "fetch",
  "fastForward",
  "moveRef",
  "commitAll",
  "cloneWithoutFiles",
  "checkOut",
  "push",
  "setUpstream",
  "commitPaths",
  "init",
  "setConfig",
  "addRemote",
  "createBranch",
  "switchTo",
  "createRef",
  "stashSave",
  "stashPop",
  "deleteRemoteBranch",
];

/** Every call by name, whether it belongs to `Git` itself or to its release part. */
const ALL_CALLS: readonly (readonly [string, boolean, (git: Git) => Promise<unknown>])[] = [
  ...Object.entries(CALLS).map(([method, call]) =>
    [method, WRITING.includes(method), call] as const
  ),
  ...Object.entries(RELEASE_CALLS).map(([method, call]) =>
    [
      `releases.${method}`,
      RELEASE_WRITING.includes(method),
      (git: Git) => call(git.releases),
    ] as const
  ),
];

/** Whether a call was made with access "read": only those tell git to take no locks. */
const asRead = (request: ProcessRequest) => request.env?.["GIT_OPTIONAL_LOCKS"] === "0";

Deno.test("isReadOnlyGit() is checked with every method of Git", () => {
  const methods = Object.getOwnPropertyNames(Git.prototype).filter((name) =>
    name !== "constructor"
  );
  assertEquals(
    Object.keys(CALLS).sort(),
    methods.sort(),
    "A method of Git is not in the table CALLS of this file, or gone",
  );
  const releases = Object.getOwnPropertyNames(Releases.prototype).filter((name) =>
    name !== "constructor"
  );
  assertEquals(Object.keys(RELEASE_CALLS).sort(), releases.sort());
});

for (const [method, writes, call] of ALL_CALLS) {
  Deno.test(`isReadOnlyGit() ${writes ? "refuses what changes something in" : "passes all of"} Git.${method}()`, async () => {
    const { system, requests } = recorder();
    await call(new Git(system));
    for (const request of requests) {
      assertEquals(isReadOnlyGit(request), asRead(request), request.args.join(" "));
    }
    assertEquals(requests.some((request) => !asRead(request)), writes);
  });
}

Deno.test("Git hands every program its arguments without a shell, and never more than one request at a time", async () => {
  for (const [, , call] of ALL_CALLS) {
    const { system, requests } = recorder();
    await call(new Git(system));
    for (const request of requests) assertEquals(request.command, "git");
    assert(requests.length <= 3);
  }
});

const REFUSED: readonly (readonly [string, readonly string[]])[] = [
  ["another program", []],
  ["git without a verb", []],
  ["a writing verb", ["push", "origin"]],
  ["an alias set on the line", ["-c", "alias.x=!touch /tmp/x", "x"]],
  ["an option of git itself in front of the verb", ["--git-dir=/x", "status"]],
  ["a change of directory in front of the verb", ["-C", "/x", "status"]],
  ["output into a file", ["diff", "--output=/tmp/x"]],
  ["output into a file, in two words", ["log", "--output", "/tmp/x"]],
  ["a configuration that is set", ["config", "--local", "user.name", "x"]],
  ["a remote that is added", ["remote", "add", "x", "y"]],
  ["a stash that is made", ["stash"]],
  ["a worktree that is added", ["worktree", "add", "x"]],
  ["a verb that only begins like a reading one", ["status-x"]],
];

for (const [what, args] of REFUSED) {
  Deno.test(`isReadOnlyGit() refuses ${what}`, () => {
    const command = what === "another program" ? "cat" : "git";
    assertEquals(isReadOnlyGit({ command, args }), false);
  });
}

Deno.test("isReadOnlyGit() passes a reading verb behind settings", () => {
  assert(isReadOnlyGit({ command: "git", args: ["-c", "a=b", "-c", "c=d", "status", "-z"] }));
});

Deno.test("isReadOnlyGit() passes the reading forms of verbs that can write", () => {
  for (
    const args of [["config", "--get", "x"], ["remote", "get-url", "x"], ["stash", "list"], [
      "worktree",
      "list",
    ]]
  ) {
    assert(isReadOnlyGit({ command: "git", args }), args.join(" "));
  }
});
