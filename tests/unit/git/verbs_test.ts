// Covers isReadOnlyGit(), against every call that the Git class makes.

import { assert, assertEquals } from "@std/assert";
import { Git, isReadOnlyGit } from "../../../src/git/mod.ts";
import type { ProcessRequest, System } from "../../../src/system/mod.ts";
import { memoryWorld } from "../../support/memory.ts";

/** What git says to some verbs, so that whoever asks goes on. */
const SAID: Readonly<Record<string, string>> = {
  "--porcelain=v2": `# branch.oid ${"1".repeat(40)}\0? new\0`,
  commit: `tree ${"1".repeat(40)}\nparent ${"1".repeat(40)}\nparent ${"1".repeat(40)}\n\nx\n`,
  "HEAD^{commit}": "1".repeat(40),
};

/** A world that answers every program with success and remembers what was asked for. */
function recorder(head = "refs/heads/main"): { system: System; requests: ProcessRequest[] } {
  const { system } = memoryWorld({ files: { "/repo/.git/HEAD": `ref: ${head}\n` } });
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
            stdout: request.args.map((arg) => SAID[arg]).find((said) => said !== undefined) ?? "",
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

const CALLS: Readonly<Record<string, (git: Git) => Promise<unknown>>> = {
  status: (git) => git.status("/repo", "api"),
  "history.unpushedCount": (git) => git.history.unpushedCount("/repo", "api"),
  "history.localOnlyCount": (git) => git.history.localOnlyCount("/repo", "api"),
  "history.localOnlyCommits": (git) => git.history.localOnlyCommits("/repo", "api", ID, 10),
  "everything.refs": (git) => git.everything.refs("/repo", "api"),
  "everything.onlyIn": (git) => git.everything.onlyIn("/repo", ["refs/notes/x"], [ID], 5, "api"),
  "everything.onlyInReflog": (git) => git.everything.onlyInReflog("/repo", [ID], "api"),
  "everything.index": (git) => git.everything.index("/repo", "api"),
  "everything.hash": (git) => git.everything.hash("/repo", ["x"], "api"),
  "remotes.everyRef": (git) => git.remotes.everyRef("/repo", "origin", "api"),
  "history.ownCount": (git) => git.history.ownCount("/repo", "topic", true),
  "history.countUncovered": (git) => git.history.countUncovered("/repo", [ID], [ID], "api"),
  "branches.list": (git) => git.branches.list("/repo", "api"),
  "stashes.list": (git) => git.stashes.list("/repo", "api"),
  ignoredPaths: (git) => git.ignoredPaths("/repo", "api"),
  "remotes.refs": (git) => git.remotes.refs("/repo", "origin", "api"),
  "history.countBetween": (git) => git.history.countBetween("/repo", "a", "b"),
  "history.countBeyond": (git) => git.history.countBeyond("/repo", "a", ["b"], "api"),
  "refs.resolve": (git) => git.refs.resolve("/repo", "HEAD"),
  activity: (git) => git.activity("/repo"),
  hasIndex: (git) => git.hasIndex("/repo"),
  inTurn: (git) => git.inTurn("/repo", () => Promise.resolve()),
  mendFastForward: (git) => git.mendFastForward("/repo", "refs/remotes/origin/main"),
  gitDirectory: (git) => git.gitDirectory("/repo"),
  removeStaleLocks: (git) => git.removeStaleLocks("/repo", { from: 0, to: 0 }),
  commonDirectory: (git) => git.commonDirectory("/repo"),
  "history.uncovered": (git) => git.history.uncovered("/repo", ["a"], ["b"], 5, "api"),
  "landed.find": (git) => git.landed.find("/repo", "a", "b", "api"),
  "refs.deleteUnused": (git) => git.refs.deleteUnused("/repo", "refs/heads/x", ID),
  "worktrees.uses": (git) => git.worktrees.uses("/repo"),
  "worktrees.usedElsewhere": (git) => git.worktrees.usedElsewhere("/repo", "x"),
  "worktrees.list": (git) => git.worktrees.list("/repo"),
  "worktrees.add": async (git) => {
    await git.worktrees.add("/repo", "/repo/w", "topic", ID);
    await git.worktrees.add("/repo", "/repo/w", "topic", null);
  },
  "worktrees.forget": (git) => git.worktrees.forget("/repo", "/repo/w"),
  "worktrees.isBeingMade": (git) => git.worktrees.isBeingMade("/repo", "/repo/w"),
  "worktrees.remove": (git) => git.worktrees.remove("/repo", "/repo/w"),
  temporaryFiles: (git) => git.temporaryFiles("/repo"),
  untrackedPaths: (git) => git.untrackedPaths("/repo"),
  ownPaths: (git) => git.ownPaths("/repo/provisioners"),
  "refs.delete": (git) => git.refs.delete("/repo", "refs/heads/x", ID),
  "remotes.clone": (git) => git.remotes.clone("/", "file:///x", "x", "main", "api", nothing),
  "branches.current": (git) => git.branches.current("/repo"),
  topLevel: (git) => git.topLevel("/repo"),
  "remotes.url": (git) => git.remotes.url("/repo", "origin"),
  "remotes.commitOf": (git) => git.remotes.commitOf("/repo", "https://host/x.git", "main", "x"),
  "remotes.cloneWithoutFiles": (git) =>
    git.remotes.cloneWithoutFiles("/repo", "https://host/x.git", "/other", null, "x"),
  "commits.checkOut": (git) => git.commits.checkOut("/repo", "a".repeat(40), "x"),
  "commits.fileAt": (git) => git.commits.fileAt("/repo", "a".repeat(40), "file"),
  "remotes.fetch": (git) => git.remotes.fetch("/repo", "api", nothing),
  "refs.list": (git) => git.refs.list("/repo", ["refs/heads"], "api"),
  "history.isAncestor": (git) => git.history.isAncestor("/repo", ID, ID),
  "branches.fastForward": (git) => git.branches.fastForward("/repo", ID, "api"),
  "refs.move": (git) => git.refs.move("/repo", "refs/heads/x", ID, ID),
  "remotes.pushUrl": (git) => git.remotes.pushUrl("/repo", "origin"),
  "remotes.branches": (git) => git.remotes.branches("/repo", "origin", "api"),
  "commits.all": (git) => git.commits.all("/repo", "message", "api", nothing),
  "commits.changes": (git) =>
    git.commits.changes(
      "/repo",
      [{ path: "x", code: ".M", conflicted: false, raw: "" }],
      "message",
      "api",
      nothing,
    ),
  "sending.commits": (git) =>
    git.sending.commits("/repo", { head: ID, without: { remote: "origin" } }, 5, "api"),
  "sending.hasChanged": (git) => git.sending.hasChanged("/repo", "x", ID, ID, "api"),
  "sending.touched": (git) =>
    git.sending.touched("/repo", { head: ID, without: { ref: ID } }, () => true, "api"),
  until: (git) => Promise.resolve(git.until()),
  "remotes.emptyClone": (git) => git.remotes.emptyClone("/", "file:///x", "x", "main"),
  "remotes.tipOf": (git) => git.remotes.tipOf("/repo", "topic", "api"),
  "remotes.fetchBranch": (git) => git.remotes.fetchBranch("/repo", "topic", "api", nothing),
  "remotes.push": (git) => git.remotes.push("/repo", "origin", ID, "main", nothing),
  "branches.setUpstream": (git) => git.branches.setUpstream("/repo", "main", "origin/main", "api"),
  isIgnored: (git) => git.isIgnored("/repo", "x"),
  "commits.unstage": (git) => git.commits.unstage("/repo", ["x"]),
  "commits.paths": (git) => git.commits.paths("/repo", ["x"], "message"),
  init: (git) => git.init("/repo", true),
  configured: (git) => git.configured("/repo", "core.editor"),
  setConfig: (git) => git.setConfig("/repo", "user.name", "x"),
  "remotes.set": (git) => git.remotes.set("/repo", "origin", "file:///x"),
  "remotes.pull": async (git) => {
    await git.remotes.pull("/repo", "origin", "main", false);
    await git.remotes.pull("/repo", "origin", "main", true);
  },
  "remotes.add": (git) => git.remotes.add("/repo", "origin", "file:///x"),
  "branches.create": (git) => git.branches.create("/repo", "topic", "api"),
  "branches.switchTo": (git) => git.branches.switchTo("/repo", "topic", "api"),
  "refs.create": (git) => git.refs.create("/repo", "refs/heads/x", ID),
  "stashes.find": (git) => git.stashes.find("/repo", "message", "repo"),
  "stashes.store": (git) => git.stashes.store("/repo", ID, "On main: x", "api"),
  "stashes.drop": (git) => git.stashes.drop("/repo", ID, "api"),
  "snapshots.take": (git) =>
    git.snapshots.take("/repo", "api", { id: "x", branch: null, name: "x", at: 0 }),
  "snapshots.read": (git) => git.snapshots.read("/repo", "api", ID),
  "snapshots.conflicts": (git) => git.snapshots.conflicts("/repo", "api", ID, ID),
  "snapshots.apply": (git) => git.snapshots.apply("/repo", "api", ID, "head"),
  "snapshots.settleCheckout": (git) => git.snapshots.settleCheckout("/repo", "api", ID),
  "remotes.deleteBranch": (git) => git.remotes.deleteBranch("/repo", "origin", "x", ID, "api"),
  version: (git) => git.version("/repo"),
  "releases.tags": (git) => git.releases.tags("/repo", "api"),
  "releases.countSince": (git) => git.releases.countSince("/repo", "v1.0.0", "^x", "api"),
  "releases.subjectsSince": (git) => git.releases.subjectsSince("/repo", null, "^x", 5, "api"),
  "releases.author": (git) => git.releases.author("/repo"),
  "releases.tracked": (git) => git.releases.tracked("/repo", ["x"], "api"),
  "releases.commitFacts": (git) => git.releases.commitFacts("/repo", "HEAD"),
  "releases.commitFiles": (git) =>
    git.releases.commitFiles("/repo", ["x"], "message", "api", nothing),
  "releases.unstage": (git) => git.releases.unstage("/repo", ["x"], "api"),
  "releases.tag": (git) => git.releases.tag("/repo", "v1.0.0", ID, "message", "api"),
  "releases.push": (git) => git.releases.push("/repo", "origin", ID, "main", "v1.0.0", nothing),
};

const WRITING: readonly string[] = [
  "worktrees.add",
  "worktrees.remove",
  "refs.delete",
  "refs.deleteUnused",
  "remotes.clone",
  "remotes.fetch",
  "remotes.emptyClone",
  "remotes.fetchBranch",
  "branches.fastForward",
  "refs.move",
  "commits.all",
  "commits.changes",
  "remotes.cloneWithoutFiles",
  "commits.checkOut",
  "remotes.push",
  "branches.setUpstream",
  "commits.paths",
  "commits.unstage",
  "init",
  "setConfig",
  "remotes.add",
  "remotes.set",
  "remotes.pull",
  "branches.create",
  "branches.switchTo",
  "refs.create",
  "stashes.store",
  "snapshots.take",
  "remotes.deleteBranch",
  "releases.commitFiles",
  "releases.unstage",
  "releases.tag",
  "releases.push",
];

/** Whether a call was made with access "read": only those tell git to take no locks. */
const asRead = (request: ProcessRequest) => request.env?.["GIT_OPTIONAL_LOCKS"] === "0";

/** The methods of an object of a class. */
function methodsOf(object: object): string[] {
  return Object.getOwnPropertyNames(Object.getPrototypeOf(object))
    .filter((name) => name !== "constructor");
}

Deno.test("isReadOnlyGit() is checked with every method of Git and its parts", () => {
  const git = new Git(recorder().system);
  const parts = Object.entries(git).flatMap(([part, object]) =>
    methodsOf(object as object).map((method) => `${part}.${method}`)
  );
  assertEquals(
    Object.keys(CALLS).sort(),
    [...methodsOf(git), ...parts].sort(),
    "A method of Git is not in the table CALLS of this file, or gone",
  );
});

for (const [method, call] of Object.entries(CALLS)) {
  const writes = WRITING.includes(method);
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
  for (const call of Object.values(CALLS)) {
    const { system, requests } = recorder();
    await call(new Git(system));
    for (const request of requests) assertEquals(request.command, "git");
    assert(requests.length <= 8);
  }
});

Deno.test("Git.branches.current() asks git where refs are kept in another format than files", async () => {
  const { system, requests } = recorder("refs/heads/.invalid");
  assertEquals(await new Git(system).branches.current("/repo"), null);
  const [request] = requests;
  assertEquals(request?.args.slice(-2), ["branch", "--show-current"]);
  assert(request !== undefined && isReadOnlyGit(request) && asRead(request));
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
