// Covers isReadOnlyGit(), against every call that the Git class makes.

import { processResult } from "../../../support/process_result.ts";
import { sha } from "../../../../src/base/ids.ts";
import { assert, assertEquals } from "@std/assert";
import { Git, isReadOnlyGit, Trace } from "../../../../src/git/mod.ts";
import * as checkpoint from "../../../../src/git/checkpoint/mod.ts";
import * as read from "../../../../src/git/read/mod.ts";
import * as snapshot from "../../../../src/git/snapshot/mod.ts";
import * as write from "../../../../src/git/write/mod.ts";
import type { ProcessRequest, System } from "../../../../src/base/system/mod.ts";
import { memoryWorld } from "../../../support/memory.ts";

/** What git says to some verbs, so that whoever asks goes on. */
const SAID: Readonly<Record<string, string>> = {
  "--porcelain=v2": `# branch.oid ${"1".repeat(40)}\0? new\0`,
  commit: `tree ${"1".repeat(40)}\nparent ${"1".repeat(40)}\nparent ${"1".repeat(40)}\n\nx\n`,
  "HEAD^{commit}": "1".repeat(40),
  "fast-import": "1".repeat(40),
  HEAD: "1".repeat(40),
  "--missing=print": `?${"1".repeat(40)}\n`,
  "hash-object": "1".repeat(40),
  "write-tree": "1".repeat(40),
  [`${"0".repeat(40)}~2`]: "1".repeat(40),
  "merge-tree": `1\0${"1".repeat(40)}\0\0\0`,
};

/** A world that answers every program with success and remembers what was asked for. */
function recorder(
  files: Readonly<Record<string, string>> = {},
): { system: System; requests: ProcessRequest[] } {
  const { system } = memoryWorld({
    files: {
      "/repo/.git/HEAD": "ref: refs/heads/main\n",
      "/repo/.jj/repo/store/type": "git",
      "/alone/.git/HEAD": "ref: refs/heads/main\n",
      "/alone/.git/config": `[remote "origin"]
\tfetch = +refs/heads/main:refs/remotes/origin/main
\tfetch = +refs/heads/x*:refs/remotes/origin/x*
`,
      "/borrower/.git/HEAD": "ref: refs/heads/main\n",
      "/borrower/.git/objects/info/alternates": "/copy.git/objects\n",
      ...files,
    },
  });
  const requests: ProcessRequest[] = [];
  return {
    requests,
    system: {
      ...system,
      files: Object.assign(system.files, {
        scratch: <T>(_: unknown, work: (directory: string) => Promise<T>) => work("/scratch"),
      }),
      processes: {
        ...system.processes,
        run(request) {
          requests.push(request);
          const said = request.args.map((arg) => SAID[arg]).find((text) => text !== undefined);
          return Promise.resolve(processResult(request, {
            stdout: said ?? "",
            bytes: new TextEncoder().encode(said ?? ""),
          }));
        },
      },
    },
  };
}

const nothing = () => {};
const ID = "0".repeat(40);

/** How a repository stands of which git says what is in {@linkcode SAID}. */
const PICTURE: checkpoint.Checkpoint = {
  head: "1".repeat(40),
  branch: null,
  inProgress: null,
  refs: {},
  stashes: [],
  paths: [],
  aside: [],
};
/** What a commit of a bundle says. */
const WORDS = {
  parent: sha("1".repeat(40)),
  author: { name: "A", email: "a@example.com", at: 0 },
  message: "message",
};
const BOUNDS: checkpoint.Bounds = {
  fileBytes: 1,
  allBytes: 1,
  untracked: true,
  isExcluded: () => false,
};

const CALLS: Readonly<Record<string, (git: Git) => Promise<unknown>>> = {
  at: (git) => Promise.resolve(git.at("/repo")),
  keeping: (git) => git.keeping(() => git.at("/repo").branches.current()),
  status: (git) => git.at("/repo", "api").status(),
  bare: (git) => Promise.resolve(git.bare("/copy.git")),
  "mirrors.make": (git) =>
    git.at("/", "api").part(write.Mirrors).make({ url: "file:///api.git", directory: "/copy.git" }),
  "mirrors.takeFrom": (git) => git.bare("/copy.git", "api").part(write.Mirrors).takeFrom("/repo"),
  "mirrors.fetch": (git) => git.bare("/copy.git", "api").part(write.Mirrors).fetch(nothing),
  "borrowed.trouble": (git) => git.at("/repo", "api").borrowed.trouble(),
  "borrowed.missing": (git) => git.at("/repo", "api").borrowed.missing(),
  "borrowed.end": async (git) => {
    const api = git.at("/borrower", "api");
    await api.borrowed.end();
  },
  "mirrors.packRefs": (git) => git.bare("/copy.git", "api").part(write.Mirrors).packRefs(),
  "mirrors.pack": (git) => git.bare("/copy.git", "api").part(write.Mirrors).pack(),
  "mirrors.completeFiles": (git) =>
    git.bare("/copy.git", "api").part(write.Mirrors).completeFiles("main"),
  "mirrors.isWhole": (git) => git.bare("/copy.git", "api").part(write.Mirrors).isWhole(),
  "clones.borrow": async (git) => {
    const clone = { mirror: "/copy.git", directory: "/new", url: "file:///x", branch: "topic" };
    const clones = git.at("/", "api").part(write.Clones);
    await clones.borrow({ ...clone, base: "main", start: sha(ID), track: false });
    await clones.borrow({ ...clone, base: null, start: null, track: true });
  },
  overheard: (git) => git.overheard("/talk").at("/repo", "api").status(),
  guarded: (git) => {
    const guard = {
      before: () => Promise.resolve(null),
      suspects: () => Promise.resolve(null),
      holds: () => Promise.resolve(false),
    };
    return git.guarded(guard).at("/repo", "api").status();
  },
  verdicts: (git) => Promise.resolve(git.verdicts),
  traced: (git) => git.traced(new Trace(recorder().system)).at("/repo", "api").status(),
  remembering: (git) => git.remembering(undefined).at("/repo", "api").status(),
  configFile: (git) => git.at("/repo", "api").configFile("/repo/.git/config"),
  lastLook: (git) => git.at("/repo", "api").lastLook("some"),
  keepLook: (git) =>
    git.at("/repo", "api").keepLook(new Trace(recorder().system), {
      kind: "some",
      key: "",
      found: {},
    }),
  suspects: (git) => git.at("/repo", "api").suspects(),
  "files.ignoredMatching": (git) =>
    git.at("/repo", "api").files.ignoredMatching({ from: null, patterns: [".env"] }),
  "files.unknown": (git) => git.at("/repo", "api").files.unknown(),
  "refs.peek": (git) => git.at("/repo", "api").refs.peek(["refs/heads/main"]),
  "refs.under": (git) => git.at("/repo", "api").refs.under(["refs/heads/"]),
  "refs.peekUnder": (git) => git.at("/repo", "api").refs.peekUnder("feature", { remote: true }),
  "refs.peekBranches": (git) => git.at("/repo", "api").refs.peekBranches(["main"]),
  "branches.endsInWork": (git) => git.at("/repo", "api").branches.endsInWork("main", ID),
  "branches.leftAt": (git) => git.at("/repo", "api").branches.leftAt("old"),
  "branches.renamedFrom": (git) => git.at("/repo", "api").branches.renamedFrom("old", ["main"]),
  "branches.endsInRelease": (git) => git.at("/repo", "api").branches.endsInRelease("main", ID),
  "branches.lacking": (git) => git.at("/repo", "api").branches.lacking("main"),
  "branches.tracking": (git) => git.at("/repo", "api").branches.tracking(),
  "branches.defaultThere": (git) => git.at("/repo", "api").branches.defaultThere(),
  "branches.followDefault": (git) => git.at("/repo", "api").branches.followDefault("trunk"),
  "branches.following": (git) => git.at("/repo", "api").branches.following(),
  "remotes.takeFrom": (git) => git.at("/repo", "api").remotes.takeFrom("/new", [sha(ID)]),
  "history.last": (git) => git.at("/repo", "api").history.last(),
  "history.ownCountThere": (git) => git.at("/repo").history.ownCountThere("topic"),
  "history.unpushedOf": (git) => git.at("/repo", "api").history.unpushedOf([ID]),
  "history.isOnFirstParents": (git) => git.at("/repo", "api").history.isOnFirstParents(ID, ID),
  "branches.mergedInto": (git) => git.at("/repo", "api").branches.mergedInto(ID),
  "history.meeting": (git) => git.at("/repo", "api").history.meeting("HEAD", "@{upstream}"),
  "refs.replaced": (git) => git.at("/repo", "api").refs.replaced("refs/remotes/origin/main"),
  "refs.madeOn": (git) => git.at("/repo", "api").refs.madeOn("x", "refs/remotes/origin/main"),
  "remoteRefs.lastFetched": (git) => git.at("/repo", "api").remoteRefs.lastFetched(),
  "history.isShallowHere": (git) => git.at("/repo", "api").history.isShallowHere(),
  "history.meet": (git) => git.at("/repo", "api").history.meet("HEAD", "@{upstream}"),
  "history.unpushedCount": (git) => git.at("/repo", "api").history.unpushedCount(),
  "history.localOnlyCount": (git) => git.at("/repo", "api").history.localOnlyCount(),
  "history.localOnlyCommits": (git) =>
    git.at("/repo", "api").history.localOnlyCommits({ head: ID, most: 10 }),
  "everything.refs": (git) => git.at("/repo", "api").part(read.Everything).refs(),
  "everything.onlyIn": (git) =>
    git.at("/repo", "api").part(read.Everything).onlyIn({
      refs: [{ name: "refs/notes/x", object: ID }],
      known: [ID],
      most: 5,
    }),
  "everything.onlyInReflog": (git) =>
    git.at("/repo", "api").part(read.Everything).onlyInReflog([ID]),
  hasJj: (git) => git.at("/repo").hasJj(),
  "everything.onlyInJj": (git) => git.at("/repo", "api").part(read.Everything).onlyInJj([ID], 10),
  "everything.index": (git) => git.at("/repo", "api").part(read.Everything).index(),
  "everything.hash": (git) => git.at("/repo", "api").part(read.Everything).hash(["x"]),
  "remoteRefs.all": (git) => git.at("/repo", "api").remoteRefs.all("origin"),
  "history.ownCount": (git) => git.at("/repo").history.ownCount("topic", true),
  "history.countUncovered": (git) => git.at("/repo", "api").history.countUncovered([ID], [ID]),
  "branches.list": (git) => git.at("/repo", "api").branches.list(),
  "stashes.list": (git) => git.at("/repo", "api").stashes.list(),
  "files.ignored": (git) => git.at("/repo", "api").files.ignored(),
  "remoteRefs.branchesAndTags": (git) =>
    git.at("/repo", "api").remoteRefs.branchesAndTags("origin"),
  "history.countBetween": (git) => git.at("/repo").history.countBetween("a", "b"),
  "history.apart": (git) => git.at("/repo").history.apart("a", "b"),
  "history.countBeyond": (git) => git.at("/repo", "api").history.countBeyond("a", ["b"]),
  "refs.resolve": (git) => git.at("/repo").refs.resolve("HEAD"),
  activity: (git) => git.at("/repo").activity(),
  hasIndex: (git) => git.at("/repo").hasIndex(),
  inTurn: (git) => git.at("/repo").inTurn(() => Promise.resolve()),
  mendFastForward: (git) => git.at("/repo").mendFastForward("refs/remotes/origin/main"),
  gitDirectory: (git) => git.at("/repo").gitDirectory(),
  leftLock: (git) => git.at("/repo").leftLock(),
  removeStaleLocks: (git) => git.at("/repo").removeStaleLocks({ from: 0, to: 0 }),
  commonDirectory: (git) => git.at("/repo").commonDirectory(),
  "history.uncovered": (git) => git.at("/repo", "api").history.uncovered(["a"], ["b"], 5),
  "branchOverview.compared": (git) =>
    git.at("/repo", "api").part(read.BranchOverview).compared("main", { remote: true }),
  "differences.find": (git) =>
    git.at("/repo", "api").differences.find({
      of: { files: "HEAD" },
      patches: { prefix: "api/" },
      paths: [],
    }),
  "search.find": (git) =>
    git.at("/repo", "api").part(read.Search).find({
      pattern: "x",
      syntax: "basic",
      ignoreCase: false,
      word: false,
      filesOnly: false,
      untracked: false,
      paths: [],
    }),
  "commitLog.newest": (git) =>
    git.at("/repo", "api").part(read.CommitLog).newest({
      from: "head",
      most: 1,
      merges: true,
      paths: [],
    }),
  "integrated.find": (git) => git.at("/repo", "api").integrated.find("a", "b"),
  "integrated.until": (git) =>
    git.at("/repo", "api").integrated.until("a", "b", { likely: [], guess: true }),
  "refs.deleteUnused": (git) => git.at("/repo").refs.deleteUnused("refs/heads/x", ID),
  "worktrees.uses": (git) => git.at("/repo").worktrees.uses(),
  "worktrees.usedElsewhere": (git) => git.at("/repo").worktrees.usedElsewhere("x"),
  "worktrees.has": (git) => git.at("/repo").worktrees.has("/repo/w"),
  "worktrees.requireUsable": (git) => git.at("/repo").worktrees.requireUsable(),
  "worktrees.linked": (git) => git.at("/repo").worktrees.linked(),
  "worktrees.add": async (git) => {
    await git.at("/repo").worktrees.add({ path: "/repo/w", branch: "topic", from: ID });
    await git.at("/repo").worktrees.add({ path: "/repo/w", branch: "topic", from: null });
  },
  "worktrees.forget": (git) => git.at("/repo").worktrees.forget("/repo/w"),
  "worktrees.isBeingMade": (git) => git.at("/repo").worktrees.isBeingMade("/repo/w"),
  "worktrees.movedFrom": (git) => git.at("/repo").worktrees.movedFrom("/repo/w"),
  "worktrees.isForeign": (git) => git.at("/repo").worktrees.isForeign("/repo/w"),
  "worktrees.relink": (git) => git.at("/repo").worktrees.relink("/repo/w"),
  "worktrees.remove": (git) => git.at("/repo").worktrees.remove("/repo/w"),
  "files.temporary": (git) => git.at("/repo").files.temporary(),
  "files.untracked": (git) => git.at("/repo").files.untracked(),
  "files.differing": (git) => git.at("/repo", "api").files.differing(ID, ID),
  "files.areOfStash": (git) => git.at("/repo", "api").files.areOfStash([]),
  "files.own": (git) => git.at("/repo/provisioners").files.own(),
  "refs.delete": (git) => git.at("/repo").refs.delete("refs/heads/x", ID),
  "clones.make": (git) =>
    git.at("/", "api").part(write.Clones).make({
      url: "file:///x",
      directory: "x",
      branch: "main",
      onLine: nothing,
    }),
  "branches.current": (git) => git.at("/repo").branches.current(),
  topLevel: (git) => git.at("/repo").topLevel(),
  "remotes.url": (git) => git.at("/repo").remotes.url("origin"),
  "remotes.meaning": (git) => git.at("/repo").remotes.meaning("gh:api"),
  "remotes.address": (git) => git.at("/repo").remotes.address("origin"),
  "remoteRefs.commitOf": (git) =>
    git.at("/repo").remoteRefs.commitOf("https://host/x.git", "main", "x"),
  "clones.makeWithoutFiles": (git) =>
    git.at("/repo").part(write.Clones).makeWithoutFiles({
      url: "https://host/x.git",
      directory: "/other",
      only: null,
      what: "x",
    }),
  "commits.checkOut": (git) => git.at("/repo").commits.checkOut("a".repeat(40), "x"),
  "commits.unknown": (git) => git.at("/repo", "api").commits.unknown(),
  "commits.fileAt": (git) => git.at("/repo").commits.fileAt("a".repeat(40), "file"),
  "remotes.fetch": (git) => git.at("/repo", "api").remotes.fetch(null, nothing),
  "remotes.fetchOther": (git) => git.at("/repo", "api").remotes.fetchOther("upstream", nothing),
  "branches.elsewhere": (git) => git.at("/repo", "api").branches.elsewhere(["main"]),
  "refs.since": (git) => git.at("/repo", "api").refs.since("main", sha(ID)),
  "refs.rewrittenFrom": (git) => git.at("/repo", "api").refs.rewrittenFrom("main", sha(ID)),
  "refs.base": (git) => git.at("/repo", "api").refs.base("main"),
  "remotes.fetchFromMirror": (git) => git.at("/repo", "api").remotes.fetchFromMirror("/copy.git"),
  "refs.list": (git) => git.at("/repo", "api").refs.list(["refs/heads"]),
  "history.isAncestor": (git) => git.at("/repo").history.isAncestor(ID, ID),
  "branches.fastForward": (git) => git.at("/repo", "api").branches.fastForward(ID),
  "refs.move": (git) =>
    git.at("/repo").refs.move("refs/heads/x", { to: sha(ID), expected: sha(ID) }),
  "remotes.fetchCommit": (git) =>
    git.at("/repo", "api").remotes.fetchCommit(sha(ID), { alone: true, onLine: nothing }),
  "branches.putAt": (git) => git.at("/repo", "api").branches.putAt("x", sha(ID), null),
  "remoteRefs.introduce": (git) => git.at("/repo", "api").remoteRefs.introduce("file:///x", "v1"),
  "remotes.rememberedBranch": (git) => git.at("/repo", "api").remotes.rememberedBranch(),
  "remotes.names": (git) => git.at("/repo", "api").remotes.names(),
  "remotes.pushUrl": (git) => git.at("/repo").remotes.pushUrl("origin"),
  "remotes.pushRemote": (git) => git.at("/repo").remotes.pushRemote("main"),
  "remoteRefs.branches": (git) => git.at("/repo", "api").remoteRefs.branches("origin"),
  "commits.all": (git) => git.at("/repo", "api").commits.all("message", nothing),
  "commits.changes": (git) =>
    git.at("/repo", "api").commits.changes(
      [{ path: "x", code: ".M", conflicted: false, raw: "" }],
      "message",
      { head: ID, onLine: nothing, check: () => Promise.resolve() },
    ),
  "joining.merge": (git) =>
    git.at("/repo", "api").part(write.Joining).merge("refs/heads/x", "message"),
  "joining.mergeApart": (git) =>
    git.at("/repo", "api").part(write.Joining).mergeApart({
      into: ID,
      other: ID,
      message: "message",
    }),
  "joining.joint": (git) =>
    git.at("/repo", "api").part(write.Joining).joint({ landed: ID, base: ID, message: "message" }),
  "joining.jointBase": (git) => git.at("/repo", "api").part(write.Joining).jointBase(ID),
  "joining.changedSince": (git) => git.at("/repo", "api").part(write.Joining).changedSince("merge"),
  "joining.lostByAbort": (git) => git.at("/repo", "api").part(write.Joining).lostByAbort(ID, ID),
  "joining.withMarks": (git) => git.at("/repo", "api").part(write.Joining).withMarks(["x"]),
  "joining.rebase": (git) =>
    git.at("/repo", "api").part(write.Joining).rebase("refs/heads/x", null),
  "joining.goOn": (git) => git.at("/repo", "api").part(write.Joining).goOn("merge"),
  "joining.emptyRebase": (git) => git.at("/repo", "api").part(write.Joining).emptyRebase(),
  "joining.abort": (git) => git.at("/repo", "api").part(write.Joining).abort("merge"),
  "joining.forgetMerge": (git) => git.at("/repo", "api").part(write.Joining).forgetMerge(),
  "joining.programInList": (git) => git.at("/repo", "api").part(write.Joining).programInList(),
  "joining.middle": (git) => git.at("/repo", "api").part(write.Joining).middle(),
  "joining.mendMerge": (git) =>
    git.at("/repo", "api").part(write.Joining).mendMerge("refs/heads/x", false),
  "commits.recoverIndex": (git) => git.at("/repo", "api").commits.recoverIndex(),
  "sending.commits": (git) =>
    git.at("/repo", "api").sending.commits(
      { head: ID, without: { remote: "origin" } },
      5,
    ),
  "sending.hasChanged": (git) =>
    git.at("/repo", "api").sending.hasChanged("x", { side: ID, other: ID }),
  "sending.touched": (git) =>
    git.at("/repo", "api").sending.touched(
      { head: ID, without: { ref: ID } },
      () => true,
    ),
  until: (git) => Promise.resolve(git.until()),
  "clones.makeEmpty": (git) =>
    git.at("/").part(write.Clones).makeEmpty({ url: "file:///x", directory: "x", branch: "main" }),
  "remoteRefs.tipOf": (git) => git.at("/repo", "api").remoteRefs.tipOf("topic"),
  "remotes.fetchBranch": (git) => git.at("/repo", "api").remotes.fetchBranch("topic", nothing),
  "remotes.push": (git) =>
    git.at("/repo").remotes.push({ commit: sha(ID), branch: "main", onLine: nothing }),
  "branches.setUpstream": (git) =>
    git.at("/repo", "api").branches.setUpstream("main", "origin/main"),
  "files.gitlinks": (git) => git.at("/repo").files.gitlinks(),
  "files.isIgnored": (git) => git.at("/repo").files.isIgnored("x"),
  "commits.unstage": (git) => git.at("/repo").commits.unstage(["x"]),
  "commits.paths": (git) => git.at("/repo").commits.paths(["x"], "message"),
  init: (git) => git.at("/repo").init(true),
  configured: (git) => git.at("/repo").configured("core.editor"),
  setConfig: (git) => git.at("/repo").setConfig("user.name", "x"),
  "remotes.configured": (git) => git.at("/repo").remotes.configured("origin"),
  "remotes.allConfigured": (git) => git.at("/repo").remotes.allConfigured(),
  "remotes.track": (git) => git.at("/repo").remotes.track("x"),
  "remotes.untrack": (git) => git.at("/alone").remotes.untrack("x"),
  "remotes.set": (git) => git.at("/repo").remotes.set("origin", "file:///x"),
  "remotes.pull": async (git) => {
    await git.at("/repo").remotes.pull({ branch: "main" });
    await git.at("/repo").remotes.pull({ branch: "main", rebase: true });
  },
  "remotes.add": (git) => git.at("/repo").remotes.add("origin", "file:///x"),
  "branches.create": (git) => git.at("/repo", "api").branches.create("topic"),
  "branches.switchTo": (git) => git.at("/repo", "api").branches.switchTo("topic"),
  "refs.create": (git) => git.at("/repo").refs.create("refs/heads/x", ID),
  "stashes.find": (git) => git.at("/repo", "repo").stashes.find("message"),
  "stashes.store": (git) => git.at("/repo", "api").stashes.store(sha(ID), "On main: x"),
  "stashes.drop": (git) => git.at("/repo", "api").stashes.drop(sha(ID)),
  "stashes.retitle": (git) => git.at("/repo", "api").stashes.retitle(sha(ID), "On main: x"),
  "clones.addSubmodules": (git) => git.at("/repo", "api").part(write.Clones).addSubmodules(),
  "clones.settleSubmodule": (git) =>
    git.at("/repo", "api").part(write.Clones).settleSubmodule("lib", ID),
  "mirrors.fetchLarge": (git) => git.at("/repo", "api").part(write.Mirrors).fetchLarge("main"),
  "mirrors.largeFiles": (git) => git.at("/repo", "api").part(write.Mirrors).largeFiles(ID),
  "mirrors.largeProblem": (git) => git.at("/repo", "api").part(write.Mirrors).largeProblem(),
  "bundles.author": (git) => git.at("/repo", "api").part(write.Bundles).author(),
  "bundles.besides": (git) => git.at("/repo", "api").part(write.Bundles).besides(sha(ID)),
  "bundles.chain": (git) => git.at("/repo", "api").part(write.Bundles).chain(sha(ID), sha(ID), 1),
  "bundles.packSince": (git) =>
    git.at("/repo", "api").part(write.Bundles).packSince(sha(ID), sha(ID), 1),
  "bundles.changes": (git) => git.at("/repo", "api").part(write.Bundles).changes(sha(ID), sha(ID)),
  "bundles.commit": (git) => git.at("/repo", "api").part(write.Bundles).commit(sha(ID), WORDS),
  "bundles.objects": (git) => git.at("/repo", "api").part(write.Bundles).objects(),
  "bundles.pack": (git) =>
    git.at("/repo", "api").part(write.Bundles).pack({ tree: sha(ID), changes: [], objects: [ID] }, {
      commit: sha(ID),
      parent: sha(ID),
      most: 1,
    }),
  "bundles.patch": (git) => git.at("/repo", "api").part(write.Bundles).patch(sha(ID), sha(ID)),
  "bundles.send": (git) =>
    git.at("/repo", "api").part(write.Bundles).send({
      commit: sha(ID),
      branch: "x",
      expected: null,
    }),
  "bundles.stage": (git) => git.at("/repo", "api").part(write.Bundles).stage(sha(ID), "/index"),
  "bundles.take": (git) => git.at("/repo", "api").part(write.Bundles).take(new Uint8Array(1), true),
  "bundles.text": (git) => git.at("/repo", "api").part(write.Bundles).text(sha(ID)),
  "remoteRefs.branch": (git) => git.at("/repo", "api").remoteRefs.branch("https://x/y", "main"),
  "checkpoints.store": (git) =>
    Promise.resolve(git.at("/repo").part(checkpoint.Checkpoints).store("/objects")),
  "checkpoints.take": (git) => git.at("/repo", "api").part(checkpoint.Checkpoints).take(BOUNDS),
  "checkpoints.names": (git) => git.at("/repo", "api").part(checkpoint.Checkpoints).names(),
  "checkpoints.crossings": (git) =>
    git.at("/repo", "api").part(checkpoint.Checkpoints).crossings(PICTURE, {
      ...PICTURE,
      head: ID,
    }),
  "checkpoints.missing": (git) => git.at("/repo", "api").part(checkpoint.Checkpoints).missing([ID]),
  "checkpoints.bring": (git) =>
    git.at("/repo", "api").part(checkpoint.Checkpoints).bring({
      from: PICTURE,
      to: PICTURE,
      bounds: BOUNDS,
      objects: "/objects",
    }),
  "checkpoints.pack": (git) =>
    git.at("/repo", "api").part(checkpoint.Checkpoints).pack("/packs", {
      objects: [ID],
      without: [],
    }),
  "checkpoints.pin": (git) => git.at("/repo", "api").part(checkpoint.Checkpoints).pin("x", [ID]),
  "checkpoints.unpin": (git) => git.at("/repo", "api").part(checkpoint.Checkpoints).unpin(["x"]),
  "snapshots.take": (git) =>
    git.at("/repo", "api").part(snapshot.Snapshots).take({
      id: "x",
      branch: null,
      name: "x",
      at: 0,
    }),
  "merging.standing": (git) =>
    git.at("/repo", "api").part(write.Merging).standing("/scratch", {
      id: "x",
      branch: null,
      name: "x",
      at: 0,
    }),
  "merging.conflicts": (git) =>
    git.at("/repo", "api").part(write.Merging).conflicts([[sha(ID), sha(ID)]], {
      scratch: "/scratch",
      like: sha(ID),
    }),
  "snapshots.read": (git) => git.at("/repo", "api").part(snapshot.Snapshots).read(ID),
  "snapshots.holds": (git) =>
    git.at("/repo", "api").part(snapshot.Snapshots).holds(ID, {
      ...{ head: ID, exact: true, paths: [] },
    }),
  "snapshots.conflicts": (git) => git.at("/repo", "api").part(snapshot.Snapshots).conflicts(ID, ID),
  "snapshots.contested": (git) => git.at("/repo", "api").part(snapshot.Snapshots).contested(ID, ID),
  "snapshots.apply": (git) => git.at("/repo", "api").part(snapshot.Snapshots).apply(ID, "head"),
  "snapshots.settleCheckout": (git) =>
    git.at("/repo", "api").part(snapshot.Snapshots).settleCheckout(ID),
  "remotes.deleteBranch": (git) =>
    git.at("/repo", "api").remotes.deleteBranch({ branch: "x", commit: sha(ID) }),
  "reverting.parents": (git) => git.at("/repo", "api").part(write.Reverting).parents(sha(ID)),
  "reverting.ancestor": (git) => git.at("/repo", "api").part(write.Reverting).ancestor(sha(ID), 2),
  "reverting.takeBack": (git) =>
    git.at("/repo", "api").part(write.Reverting).takeBack({
      base: sha(ID),
      after: sha(ID),
      before: sha(ID),
      author: { name: "A", email: "a@example.com", at: 0 },
      message: "Revert",
    }),
  credential: (git) => git.credential("https://host/shop/api.git"),
  version: (git) => git.version("/repo"),
  "releases.tags": (git) => git.at("/repo", "api").part(write.Releases).tags(),
  "releases.tagsIn": (git) => git.at("/repo", "api").part(write.Releases).tagsIn("HEAD"),
  "releases.linesWith": (git) =>
    git.at("/repo", "api").part(write.Releases).linesWith("HEAD", "Release of"),
  "releases.countSince": (git) =>
    git.at("/repo", "api").part(write.Releases).countSince("v1.0.0", "^x"),
  "releases.subjectsSince": (git) =>
    git.at("/repo", "api").part(write.Releases).subjectsSince({
      from: null,
      except: "^x",
      limit: 5,
    }),
  "releases.author": (git) => git.at("/repo").part(write.Releases).author(),
  "releases.tracked": (git) => git.at("/repo", "api").part(write.Releases).tracked(["x"]),
  "releases.commitFacts": (git) => git.at("/repo").part(write.Releases).commitFacts("HEAD"),
  "releases.filesBetween": (git) =>
    git.at("/repo", "api").part(write.Releases).filesBetween("v1", "v2"),
  "releases.commitFiles": (git) =>
    git.at("/repo", "api").part(write.Releases).commitFiles(["x"], "message", nothing),
  "releases.unstage": (git) => git.at("/repo", "api").part(write.Releases).unstage(["x"]),
  "releases.tag": (git) =>
    git.at("/repo", "api").part(write.Releases).tag({
      name: "v1.0.0",
      commit: sha(ID),
      message: "message",
    }),
  "releases.push": (git) =>
    git.at("/repo").part(write.Releases).push({
      commit: sha(ID),
      branch: "main",
      tags: ["v1.0.0", "v0.9.0"],
      onLine: nothing,
    }),
};

const WRITING: readonly string[] = [
  "worktrees.add",
  "worktrees.remove",
  "refs.delete",
  "refs.deleteUnused",
  "mirrors.make",
  "mirrors.takeFrom",
  "mirrors.fetch",
  "mirrors.completeFiles",
  "remotes.fetchFromMirror",
  "borrowed.end",
  "mirrors.packRefs",
  "mirrors.pack",
  "clones.borrow",
  "clones.make",
  "remotes.fetch",
  "remotes.fetchOther",
  "clones.makeEmpty",
  "remotes.fetchBranch",
  "branches.fastForward",
  "branches.followDefault",
  "refs.move",
  "commits.all",
  "commits.changes",
  "joining.merge",
  "joining.mergeApart",
  "joining.joint",
  "joining.rebase",
  "joining.goOn",
  "joining.abort",
  "joining.forgetMerge",
  "joining.mendMerge",
  "clones.makeWithoutFiles",
  "remotes.takeFrom",
  "commits.checkOut",
  "remotes.push",
  "branches.setUpstream",
  "commits.paths",
  "commits.unstage",
  "init",
  "setConfig",
  "remotes.add",
  "remotes.set",
  "remotes.track",
  "remotes.untrack",
  "remotes.pull",
  "branches.create",
  "branches.switchTo",
  "branches.putAt",
  "remotes.fetchCommit",
  "refs.create",
  "stashes.store",
  "stashes.retitle",
  "snapshots.take",
  "checkpoints.pin",
  "checkpoints.unpin",
  "clones.addSubmodules",
  "clones.settleSubmodule",
  "mirrors.fetchLarge",
  "mirrors.largeFiles",
  "bundles.commit",
  "bundles.pack",
  "bundles.packSince",
  "bundles.send",
  "bundles.stage",
  "bundles.take",
  "reverting.takeBack",
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
  const repo = git.at("/repo");
  const own = Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(repo)));
  const parts = own.filter(([, { get }]) => get !== undefined).flatMap(([part, { get }]) =>
    methodsOf(get?.call(repo)).map((method) => `${part}.${method}`)
  );
  const brought = Object.entries({ ...checkpoint, ...read, ...snapshot, ...write })
    .filter(([, one]) => typeof one === "function" && /^class\b/.test(String(one)))
    .flatMap(([name, one]) =>
      Object.getOwnPropertyNames((one as { readonly prototype: object }).prototype)
        .filter((method) => method !== "constructor")
        .map((method) => `${name.charAt(0).toLowerCase()}${name.slice(1)}.${method}`)
    );
  const direct = own.filter(([, { get }]) => get === undefined)
    .map(([name]) => name).filter((name) => !["constructor", "part"].includes(name));
  assertEquals(
    Object.keys(CALLS).sort(),
    [...methodsOf(git), ...direct, ...parts, ...brought].sort(),
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
  for (const format of ["reftable", "files:///elsewhere", "reftable://elsewhere"]) {
    const config = `[extensions]\n\trefstorage = ${format}\n`;
    const { system, requests } = recorder({ "/repo/.git/config": config });
    assertEquals(await new Git(system).at("/repo").branches.current(), null);
    const [request] = requests;
    assertEquals(request?.args.slice(-2), ["branch", "--show-current"]);
    assert(request !== undefined && isReadOnlyGit(request) && asRead(request));
  }
});

Deno.test("Git.branches.current() asks nobody where refs are files", async () => {
  for (const config of ["", "[extensions]\n\trefStorage = files\n", "# refstorage = reftable\n"]) {
    const { system, requests } = recorder({ "/repo/.git/config": config });
    assertEquals(await new Git(system).at("/repo").branches.current(), "main");
    assertEquals(requests, []);
  }
});

const REFUSED: readonly (readonly [string, readonly string[]])[] = [
  ["another program", []],
  ["git without a verb", []],
  ["a writing verb", ["push", "origin"]],
  ["a merge whose objects would come into the repository", [
    "merge-tree",
    "--write-tree",
    "a",
    "b",
  ]],
  ["a checkout into the working copy", ["checkout", "main", "--", "file"]],
  ["an alias set on the line", ["-c", "alias.x=!touch /tmp/x", "x"]],
  ["an option of git itself in front of the verb", ["--git-dir=/x", "status"]],
  ["a change of directory in front of the verb", ["-C", "/x", "status"]],
  ["output into a file", ["diff", "--output=/tmp/x"]],
  ["output into a file, in two words", ["log", "--output", "/tmp/x"]],
  ["a configuration that is set", ["config", "--local", "user.name", "x"]],
  ["a remote that is added", ["remote", "add", "x", "y"]],
  ["a stash that is made", ["stash"]],
  ["a stash that is dropped", ["stash", "drop"]],
  ["a worktree that is added", ["worktree", "add", "x"]],
  ["a verb that only begins like a reading one", ["status-x"]],
  ["a pack into its own directory", ["pack-objects", "--revs", "pack"]],
  ["a pack for its caller", ["pack-objects", "--revs", "--stdout"]],
  ["a check that writes what it finds", ["fsck", "--lost-found"]],
];

for (const [what, args] of REFUSED) {
  Deno.test(`isReadOnlyGit() refuses ${what}`, () => {
    const command = what === "another program" ? "cat" : "git";
    assertEquals(isReadOnlyGit({ command, args }), false);
  });
}

Deno.test("isReadOnlyGit() tells a pack into another directory from one into that where git runs", () => {
  const packs = (place: string) =>
    isReadOnlyGit({ command: "git", args: ["pack-objects", "--revs", place], cwd: "/repo" });
  assert(packs("/kept/pack"));
  assert(!packs("/repo/.git/objects/pack/pack"));
});

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
