/**
 * `amof archive`, `archive list` and `archive restore` from outside: nothing goes that is not on a remote.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { type Ran, World } from "../support/world.ts";

const POSIX = Deno.build.os !== "windows";

async function must(world: World, ...args: string[]): Promise<Record<string, unknown>> {
  const ran = await world.amof([...args, "--json"]);
  assertEquals(ran.code, 0, `${args.join(" ")}: ${ran.stdout}${ran.stderr}`);
  return ran.json();
}

/** The remote's own branches with their commits. */
function remoteRefs(world: World, repo: string): Promise<string> {
  const format = "--format=%(refname:short) %(objectname)";
  return world.git(join(world.remotes, `${repo}.git`), "for-each-ref", format, "refs/heads");
}

async function isGone(world: World): Promise<boolean> {
  const left: string[] = [];
  for await (const entry of Deno.readDir(join(world.control, "worktrees"))) left.push(entry.name);
  return left.length === 0;
}

/** Refuses an archive and proves that nothing was touched. */
async function refused(world: World, ...args: string[]): Promise<Ran> {
  const before = await world.fingerprint();
  const ran = await world.amof(["archive", "--yes", "--json", ...args]);
  assertEquals(ran.code, 1, ran.stdout);
  assertEquals(await world.changesSince(before), []);
  assertStringIncludes(String(pick(ran.json(), "message")), "; nothing was");
  return ran;
}

Deno.test("amof archive pushes every feature branch, verifies it, and keeps a record outside the workspace", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const commit = await world.commitOnFeature("api");
  await world.git(world.clone("api"), "branch", "feature/other");
  await world.git(world.clone("web"), "switch", "--quiet", "-c", "feature/T-2");
  const done = await must(world, "archive", "-m", "Later", "--yes");
  const next = async (...words: string[]) =>
    rows(await must(world, ...words), "suggested_actions").map((action) => action["id"]);
  assertEquals(rows(done, "suggested_actions").map((action) => action["id"]), [
    "summarize_run",
    "get_run_logs",
  ]);
  assertEquals(await next("archive", "list"), ["restore_archive", "install_ecosystem"]);
  assertEquals(await next("manifest", "validate"), [
    "restore_archive",
    "install_ecosystem",
    "describe_ecosystem",
  ]);
  assertEquals(pick(done, "result", "repos", 0, "pushed"), ["feature/T-1", "feature/other"]);
  assert(await isGone(world));
  assertStringIncludes(await remoteRefs(world, "api"), `feature/T-1 ${commit}`);
  const file = String(pick(done, "result", "file"));
  assertMatch(file, /^ecosystems\/demo\/archives\/demo-\d{8}T\d{9}Z\.json$/);
  const record = JSON.parse(await Deno.readTextFile(join(world.control, file))) as unknown;
  assertEquals(pick(record, "message"), "Later");
  assertEquals(pick(record, "repos", 0, "commit"), commit);
  assertEquals(pick(record, "workspace_branch"), "workspace/demo");
  // The workspace branch stays, so that what was committed there stays.
  assertStringIncludes(await world.git(world.control, "branch"), "workspace/demo");
});

Deno.test("amof archive says of which branch it makes again what its remote had deleted, and restores it", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  for (const repo of ["api", "web"]) {
    await world.commitOnFeature(repo);
    const clone = world.clone(repo);
    await world.git(clone, "push", "--quiet", "-u", "origin", "feature/T-1");
    await world.git(clone, "switch", "--quiet", "main");
    if (repo === "api") {
      await world.git(clone, "merge", "--quiet", "--squash", "feature/T-1");
      await world.git(clone, "commit", "--quiet", "-m", "Squashed");
      await world.git(clone, "push", "--quiet", "origin", "main");
    }
    await world.git(clone, "push", "--quiet", "origin", "--delete", "feature/T-1");
  }
  const preview = await world.amof(["archive", "--dry-run"]);
  const pushes = preview.stdout.split("\n").filter((line) => line.includes("Push "));
  assertEquals(pushes.map((line) => line.trim()), [
    "Push api feature/T-1 (1 commit, merged and upstream gone: made again)",
    "Push web feature/T-1 (1 commit, upstream gone: made again)",
  ]);
  const commits = [];
  for (const repo of ["api", "web"]) {
    commits.push(await world.git(world.clone(repo), "rev-parse", "feature/T-1"));
  }
  await must(world, "archive", "--yes");
  await must(world, "archive", "restore", "--yes");
  for (const [at, repo] of ["api", "web"].entries()) {
    assertEquals(await world.git(world.clone(repo), "rev-parse", "feature/T-1"), commits[at]);
  }
});

Deno.test("amof archive deletes nothing when a remote is dead", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await world.commitOnFeature("api");
  await Deno.rename(join(world.remotes, "api.git"), join(world.remotes, "gone.git"));
  const ran = await refused(world);
  assertStringIncludes(String(pick(ran.json(), "message")), '"api" could not push feature/T-1');
});

Deno.test("amof archive asks the remote even where there is nothing to push", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await Deno.rename(join(world.remotes, "api.git"), join(world.remotes, "gone.git"));
  await refused(world);
});

Deno.test("amof archive believes the remote, not what was last fetched from it", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.commitOnFeature("api");
  await must(world, "push", "--yes");
  await world.git(join(world.remotes, "api.git"), "branch", "-D", "feature/T-1");
  const ran = await refused(world);
  assertEquals(pick(ran.json(), "error"), "would_lose_work");
  assertStringIncludes(String(pick(ran.json(), "message")), "1 commit that its remote does not");
  await must(world, "sync");
  await must(world, "archive", "--yes");
  assertStringIncludes(await remoteRefs(world, "api"), "feature/T-1");
});

Deno.test({
  name: "amof archive deletes nothing when the server rejects a push",
  ignore: !POSIX, // a hook
  async fn() {
    await using world = await World.installed({ repos: ["api", "web"] });
    await world.commitOnFeature("api");
    await world.commitOnFeature("web");
    await world.hook(join(world.remotes, "web.git"), "pre-receive", "echo no entry >&2; exit 1");
    const ran = await world.amof(["archive", "--yes", "--json"]);
    assertEquals(ran.code, 1);
    const repos = rows(ran.json(), "details", "repos");
    assertEquals(repos.map((row) => row["name"]), ["web"]);
    assertStringIncludes(String(repos[0]?.["problem"]), "pre-receive hook declined");
    assert(await world.exists(world.clone("api")));
    assert(await world.exists(world.clone("web")));
  },
});

Deno.test("amof archive refuses everything that is only here, all of it at once", async () => {
  await using world = await World.installed({ repos: ["api", "web", "docs", "lib"] });
  await Deno.writeTextFile(join(world.clone("api"), "new.txt"), "new\n");
  await Deno.writeTextFile(join(world.clone("web"), "README.md"), "changed\n");
  await world.git(world.clone("web"), "stash");
  await world.git(world.clone("docs"), "commit", "--quiet", "--allow-empty", "-m", "On main");
  await world.git(world.clone("lib"), "switch", "--quiet", "--detach");
  await world.git(world.clone("lib"), "commit", "--quiet", "--allow-empty", "-m", "On nothing");
  await Deno.writeTextFile(join(world.workspace(), "notes.txt"), "mine\n");
  await world.write("control/worktrees/demo/repos/loose.txt", "mine\n");
  const ran = await refused(world);
  const problems = rows(ran.json(), "details", "repos").map((row) =>
    `${String(row["name"])}: ${String(row["problem"])}`
  ).join("\n");
  for (
    const part of [
      "(workspace): has 1 uncommitted file: notes.txt",
      "(workspace): has 1 file among the clones: repos/loose.txt",
      "api: has 1 uncommitted file: new.txt",
      "web: has 1 stash: WIP on main",
      "docs: has 1 unpushed commit: on main",
      "lib: has 1 unpushed commit: on no branch",
    ]
  ) assertStringIncludes(problems, part);
});

Deno.test("amof archive refuses a clone that the manifest does not name, and one with a working copy elsewhere", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.git(
    world.directory,
    "clone",
    "--quiet",
    world.url("api"),
    join(world.workspace(), "repos", "mine"),
  );
  const ran = await refused(world);
  assertStringIncludes(String(pick(ran.json(), "message")), '"repos/mine" has 1 repository');
  await Deno.remove(join(world.workspace(), "repos", "mine"), { recursive: true });
  const elsewhere = join(world.directory, "elsewhere");
  await world.git(world.clone("api"), "worktree", "add", "--quiet", "-b", "x", elsewhere);
  for (const command of [["archive", "--yes"], ["discard", "--confirm-name", "demo"]]) {
    const held = await world.amof([...command, "--json"]);
    assertEquals(held.code, 1);
    assertStringIncludes(String(pick(held.json(), "message")), "another working copy at");
    const fix = `git -C ${world.clone("api")} worktree remove ${elsewhere}`;
    assertStringIncludes(String(pick(held.json(), "hint")), fix);
    assert(await world.exists(world.clone("api")));
  }
});

Deno.test("amof archive refuses while the workspace is locked, in the middle of a merge, or without state", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.git(world.control, "worktree", "lock", world.workspace());
  assertStringIncludes((await refused(world)).stdout, "locked against removal");
  await world.git(world.control, "worktree", "unlock", world.workspace());
  await Deno.writeTextFile(world.stateFile(), "{");
  const before = await world.fingerprint();
  const ran = await world.amof(["archive", "--yes", "--json"]);
  assertEquals(pick(ran.json(), "error"), "state_corrupt");
  assertEquals(await world.changesSince(before), []);
});

Deno.test("amof archive --discard-local must be typed, loses what it lists, and pushes the rest", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await world.commitOnFeature("api");
  await Deno.writeTextFile(join(world.clone("web"), "new.txt"), "new\n");
  const untyped = await world.amof(["archive", "--discard-local", "--yes", "--json"]);
  assertEquals(untyped.code, 4);
  assertEquals(pick(untyped.json(), "confirmation", "type"), "type");
  const wrong = ["archive", "--discard-local", "--confirm-name", "dem", "--json"];
  assertEquals((await world.amof(wrong)).code, 4);
  assert(await world.exists(world.clone("web")));
  const done = await must(world, "archive", "--discard-local", "--confirm-name", "demo");
  assertEquals(
    rows(done, "result", "losses").map((loss) => [loss["repo"], loss["kind"], loss["count"]]),
    [
      ["web", "uncommitted", 1],
    ],
  );
  assertStringIncludes(await remoteRefs(world, "api"), "feature/T-1");
  assert(await isGone(world));
});

Deno.test("amof archive keeps a branch in the record when only its namesake, alike in sixty characters, is lost", async () => {
  await using world = await World.installed({ repos: ["docs"], readonly: ["docs"] });
  const docs = world.clone("docs");
  const name = `topic/${"long-".repeat(14)}`;
  await world.git(docs, "branch", `${name}kept`);
  await world.git(docs, "switch", "--quiet", "-c", `${name}lost`);
  await world.git(docs, "commit", "--quiet", "--allow-empty", "-m", "Only here");
  await world.git(docs, "switch", "--quiet", "main");
  const done = await must(world, "archive", "--discard-local", "--confirm-name", "demo");
  const record = JSON.parse(
    await Deno.readTextFile(join(world.control, String(pick(done, "result", "file")))),
  );
  const kept = rows(record, "repos", 0, "branches").map((branch) => branch["name"]);
  assertEquals(kept, ["main", `${name}kept`]);
});

Deno.test("amof archive pushes commits that are checked out without their branch", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const commit = await world.commitOnFeature("api");
  // As jj leaves a clone, whose branches it moves without checking them out.
  await world.git(world.clone("api"), "switch", "--quiet", "--detach");
  const done = await must(world, "archive", "--yes");
  assertEquals(pick(done, "result", "repos", 0, "pushed"), ["feature/T-1"]);
  await must(world, "archive", "restore", "--yes");
  assertEquals(await world.git(world.clone("api"), "rev-parse", "feature/T-1"), commit);
});

Deno.test("amof archive --discard-local gives up a detached HEAD that is only here", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.git(world.clone("api"), "switch", "--quiet", "--detach");
  await world.git(world.clone("api"), "commit", "--quiet", "--allow-empty", "-m", "Only here");
  await refused(world);
  const done = await must(world, "archive", "--discard-local", "--confirm-name", "demo");
  assertEquals(rows(done, "result", "losses").map((loss) => [loss["kind"], loss["count"]]), [
    ["commits", 1],
  ]);
});

Deno.test("amof archive restore brings back branches, upstreams, tickets and what was checked out", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await must(world, "ticket", "start", "T-1");
  await must(world, "ticket", "start", "T-2", "--repos", "api");
  await world.git(world.clone("api"), "commit", "--quiet", "--allow-empty", "-m", "Two");
  await must(world, "push", "--yes");
  await world.git(world.clone("web"), "branch", "local-only", "main");
  const state = async () => {
    const { tickets, active_ticket } = await world.state();
    const format = "--format=%(refname) %(objectname) %(upstream) %(HEAD)";
    const refs = await Promise.all(
      ["api", "web"].map((repo) =>
        world.git(world.clone(repo), "for-each-ref", format, "refs/heads")
      ),
    );
    return { tickets, active_ticket, refs };
  };
  const before = await state();
  await must(world, "archive", "--yes", "--delete-workspace");
  assertEquals(await world.git(world.control, "branch", "--list", "workspace/*"), "");
  const gone = (await world.amof(["status", "--json"])).json();
  assertMatch(String(gone["hint"]), /archive restore\n.* install$/);
  assertEquals(pick(gone, "suggested_actions", 0, "id"), "restore_archive");
  const restored = await must(world, "archive", "restore", "--yes");
  assertEquals(pick(restored, "result", "active_ticket"), "T-2");
  assertEquals(pick(restored, "result", "tickets"), ["T-1", "T-2"]);
  assertEquals(await state(), before);
  await must(world, "status", "--check");
  await must(world, "ticket", "switch", "T-1");
});

Deno.test("amof archive and discard tell a commit that was left on no branch from what was amended", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  const git = (...args: string[]) => world.git(clone, ...args);
  await git("switch", "--quiet", "--detach");
  await git("commit", "--quiet", "--allow-empty", "-m", "Lone");
  await git("switch", "--quiet", "main");
  const refused = await world.amof(["archive", "--yes", "--json"]);
  assertEquals(pick(refused.json(), "error"), "would_lose_work", refused.stdout);
  const fix = /git -C \S+ (branch kept-[0-9a-f]{7} [0-9a-f]{7})$/.exec(
    String(pick(refused.json(), "hint")),
  )?.[1] ?? "";
  const losses = async () => {
    const planned = await world.amof(["discard", "--dry-run", "--json"]);
    return rows(planned.json(), "preview", "losses").map(({ kind, count }) => [kind, count]);
  };
  assertEquals(await losses(), [["left", 1]]);
  await git(...fix.split(" "));
  assertEquals(await losses(), [["commits", 1]]);
  await git("switch", "--quiet", fix.split(" ")[1] ?? "");
  await git("commit", "--quiet", "--allow-empty", "-m", "More");
  await git("commit", "--quiet", "--amend", "--allow-empty", "-m", "Amended");
  await git("switch", "--quiet", "main");
  assertEquals(await losses(), [["commits", 2], ["reflog", 1]]);
});

Deno.test("amof archive keeps one record per archive, and lists them newest first", async () => {
  await using world = await World.installed({ repos: [] });
  await must(world, "archive", "-m", "one", "--yes");
  await must(world, "archive", "restore", "--yes");
  await must(world, "discard", "--confirm-name", "demo");
  // Not the archive is why there is none, but it is still there.
  const none = (await world.amof(["status", "--json"])).json();
  assertMatch(String(none["message"]), /it is not installed$/);
  assertMatch(String(none["hint"]), /^Bring back what was archived: .*archive restore\n/);
  await must(world, "archive", "restore", "--yes");
  await must(world, "archive", "-m", "two", "--yes");
  await world.write("control/ecosystems/demo/archives/broken.json", "{");
  await world.write("control/ecosystems/demo/archives/README.md", "not a record\n");
  const list = await must(world, "archive", "list");
  assertEquals(rows(list, "archives").map((row) => row["message"]), ["two", "one", null]);
  assertMatch(String(pick(list, "archives", 2, "problem")), /not valid JSON/);
  const broken = await world.amof(["archive", "restore", "broken", "--yes", "--json"]);
  assertEquals(pick(broken.json(), "error"), "state_corrupt");
  const oldest = String(pick(list, "archives", 1, "name"));
  assertEquals(
    pick(await must(world, "archive", "restore", oldest, "--yes"), "result", "archive"),
    oldest,
  );
});

Deno.test("amof archive restore tells which branches a remote no longer has, and restores the rest", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await must(world, "ticket", "start", "T-1");
  await world.git(world.clone("api"), "commit", "--quiet", "--allow-empty", "-m", "Gone soon");
  await must(world, "archive", "--yes");
  const remote = join(world.remotes, "api.git");
  await world.git(remote, "branch", "-D", "feature/T-1");
  await world.git(remote, "reflog", "expire", "--expire=now", "--all");
  await world.git(remote, "gc", "--quiet", "--prune=now");
  const ran = await world.amof(["archive", "restore", "--yes", "--json"]);
  assertEquals(ran.code, 5, ran.stdout);
  assertEquals(pick(ran.json(), "result", "repos", 0, "lost"), ["feature/T-1"]);
  assertEquals(pick(ran.json(), "result", "repos", 1, "branch"), "feature/T-1");
});

Deno.test("amof archive restore reads a record as untrusted: names that are no branches, repositories that are gone", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const commit = await world.git(world.clone("api"), "rev-parse", "HEAD");
  await must(world, "archive", "--yes");
  await world.write(
    "control/ecosystems/demo/archives/z.json",
    JSON.stringify({
      ecosystem: "demo",
      archived_at: "2999-01-01T00:00:00Z",
      workspace_branch: "workspace/demo",
      message: "\u001b[31mred\u202e",
      tickets: ["T-1", 7],
      repos: [
        { name: "api", branch: "--upload-pack=x", commit, readonly: false },
        { name: "api", branch: "old", commit: "$(touch x)", readonly: false },
        { name: "../../escape", branch: "main", commit, readonly: false },
      ],
    }),
  );
  const listed = await world.amof(["archive", "list"]);
  for (const unsafe of ["\u001b", "\u202e"]) assert(!listed.stdout.includes(unsafe), listed.stdout);
  const preview = await must(world, "archive", "restore", "--dry-run");
  assertStringIncludes(JSON.stringify(preview), "Leave out what is damaged in the record: api");
  const ran = await world.amof(["archive", "restore", "--yes", "--json"]);
  assertEquals([ran.code, pick(ran.json(), "error")], [5, "partial_failure"], ran.stdout);
  const done = ran.json();
  assertEquals(pick(done, "result", "damaged"), [
    'api: a branch "--upload-pack=x" whose name git does not accept',
    "api: the branch old, whose commit cannot be read",
  ]);
  assertStringIncludes(
    String(pick(done, "message")),
    "the branch old, whose commit cannot be read",
  );
  assertEquals(pick(done, "result", "dropped"), ["../../escape"]);
  assertEquals(
    await world.git(world.clone("api"), "branch", "--format=%(refname)"),
    "refs/heads/main",
  );
  await must(world, "status", "--check");
});

Deno.test("amof archive restore tells what is damaged in a list of branches, and restores the others", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.git(world.clone("api"), "branch", "one", "main");
  const done = await must(world, "archive", "--yes");
  const file = join(world.control, String(pick(done, "result", "file")));
  const record = JSON.parse(await Deno.readTextFile(file));
  record.workspace_commit = "cut of";
  record.repos[0].branches.push({ name: "two", commit: "12345" }, "three", { commit: "x" });
  record.repos.push({ branches: [] });
  await Deno.writeTextFile(file, JSON.stringify(record));
  const ran = await world.amof(["archive", "restore", "--yes"]);
  assertEquals(ran.code, 5, ran.stderr);
  for (
    const what of [
      "1 repository without a name",
      "the commit of the workspace branch",
      "api: the branch two, whose commit cannot be read",
      "api: a branch entry that is not a record",
      "api: a branch whose name git does not accept",
    ]
  ) assertStringIncludes(ran.stdout, `⚠ Damaged in the record, left out: ${what}`);
  assertEquals(
    await world.git(world.clone("api"), "branch", "--format=%(refname:short)"),
    "main\none",
  );
});

Deno.test("amof archive restore leaves nothing behind where one repository cannot be cloned", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  assertEquals((await world.amof(["archive", "--yes", "--json"])).code, 0);
  const remote = join(world.remotes, "web.git");
  await Deno.rename(remote, `${remote}.away`);
  const before = await world.fingerprint();
  const ran = await world.amof(["archive", "restore", "--yes", "--json"]);
  assertEquals(ran.code, 1);
  assertMatch(String(pick(ran.json(), "message")), /^Cannot clone "web": /);
  assertEquals(await world.changesSince(before), []);
  await Deno.rename(`${remote}.away`, remote);
  assertEquals((await world.amof(["archive", "restore", "--yes", "--json"])).code, 0);
});

Deno.test("amof archive restore refuses where a workspace is, and names what it does not know", async () => {
  await using world = await World.installed({ repos: [] });
  const none = await world.amof(["archive", "restore", "--yes", "--json"]);
  assertEquals(pick(none.json(), "error"), "archive_not_found");
  assertEquals(none.code, 2);
  await must(world, "archive", "--yes");
  const unknown = await world.amof(["archive", "restore", "../x", "--yes", "--json"]);
  assertEquals(pick(unknown.json(), "error"), "archive_not_found");
  await must(world, "install", "--yes");
  const taken = await world.amof(["archive", "restore", "--yes", "--json"]);
  assertEquals(pick(taken.json(), "error"), "workspace_exists");
});

Deno.test("amof archive --cleanup-features refuses what is not merged, and deletes on the remote what is", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await must(world, "ticket", "start", "T-1");
  await world.git(world.clone("api"), "commit", "--quiet", "--allow-empty", "-m", "Work");
  await must(world, "push", "--yes");
  const ran = await refused(world, "--cleanup-features");
  assertStringIncludes(String(pick(ran.json(), "message")), "that main does not have");
  const remote = join(world.remotes, "api.git");
  await world.git(remote, "update-ref", "refs/heads/main", "refs/heads/feature/T-1");
  await must(world, "sync");
  await must(world, "archive", "--cleanup-features", "--yes");
  assertMatch(await remoteRefs(world, "api"), /^main [0-9a-f]{40,64}$/);
});

Deno.test("amof archive --delete-workspace refuses commits that only the workspace branch has", async () => {
  await using world = await World.installed({ repos: [] });
  await world.git(world.workspace(), "commit", "--quiet", "--allow-empty", "-m", "Notes");
  const ran = await refused(world, "--delete-workspace");
  assertStringIncludes(String(pick(ran.json(), "message")), "that no other branch has");
  await must(world, "archive", "--yes");
  assertStringIncludes(
    await world.git(world.control, "log", "--oneline", "workspace/demo"),
    "Notes",
  );
});

Deno.test("amof archive refuses work that only submodules hold, and discard lists it", async () => {
  await using world = await World.installed({ repos: ["api", "lib"] });
  const clone = world.clone("api");
  const allow = ["-c", "protocol.file.allow=always"];
  for (const path of ["libs/one", "two"]) {
    await world.git(clone, ...allow, "submodule", "--quiet", "add", world.url("lib"), path);
  }
  await world.git(clone, "commit", "--quiet", "-m", "Submodules");
  const one = join(clone, "libs", "one");
  await world.git(one, "commit", "--quiet", "--allow-empty", "-m", "Only here");
  await world.git(clone, "commit", "--quiet", "-am", "Newer one");
  await world.git(join(clone, "two"), "switch", "--quiet", "-c", "side");
  await Deno.writeTextFile(join(clone, "two", "README.md"), "put away\n");
  await world.git(join(clone, "two"), "stash", "push", "--quiet", "-m", "For later");
  // The repository of a submodule stays behind when its files are taken away.
  await world.git(clone, "submodule", "--quiet", "deinit", "two");
  await world.git(clone, "push", "--quiet", "origin", "main");
  await Deno.writeTextFile(join(one, "new.txt"), "new\n");
  await world.git(clone, "config", "submodule.libs/one.ignore", "all");
  const ran = await refused(world);
  const problems = rows(ran.json(), "details", "repos").map((row) => String(row["problem"]));
  assertEquals(problems.length, 1);
  assertMatch(
    problems[0] ?? "",
    /^has 3 pieces of work in submodules: libs\/one: new\.txt, libs\/one: [0-9a-f]{7} Only here, two: stash [0-9a-f]{7} On side: For later$/,
  );
  const push = /ush it from there: git (-C \S+libs\/one push origin \S+)$/m
    .exec(String(pick(ran.json(), "hint")))?.[1] ?? "";
  assertMatch(push, /[0-9a-f]{7}:refs\/heads\/kept-[0-9a-f]{7}$/);
  await world.git(clone, ...push.split(" "));
  const planned = await world.amof(["discard", "--dry-run", "--json"]);
  assertEquals(
    rows(planned.json(), "preview", "losses").map(({ repo, kind, count }) => [repo, kind, count]),
    [["api", "submodule", 2]],
  );
  await Deno.remove(join(one, "new.txt"));
  await world.git(join(clone, ".git", "modules", "two"), "update-ref", "-d", "refs/stash");
  await must(world, "sync");
  await must(world, "archive", "--yes");
});
