/**
 * `amof push`, from outside.
 *
 * @module
 */

import {
  assert,
  assertEquals,
  assertMatch,
  assertNotMatch,
  assertObjectMatch,
  assertStringIncludes,
} from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { type Ran, World } from "../support/world.ts";

/** Hooks and wrapped programs are shell scripts. */
const POSIX = Deno.build.os !== "windows";

const UTC = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

function push(world: World, ...args: string[]): Promise<Ran> {
  return world.amof(["push", "--yes", "--json", ...args]);
}

/** The rows of a push: from the run's result, or from the answer when no run was needed. */
function results(ran: Ran): Record<string, unknown>[] {
  return rows(ran.json(), ...(pick(ran.json(), "result") ? ["result", "repos"] : ["repos"]));
}

/** Name, result and error code of every row. */
function outcome(ran: Ran): unknown[] {
  return results(ran).map((row) => [row["name"], row["result"], row["code"]]);
}

/** The refs of a repository's remote. */
function refs(world: World, repo: string): Promise<string> {
  return world.git(
    join(world.remotes, `${repo}.git`),
    "for-each-ref",
    "--format=%(refname) %(objectname)",
  );
}

/** The commit of a branch of a repository's remote, or null. */
async function remote(world: World, repo: string, branch: string): Promise<string | null> {
  const line = (await refs(world, repo)).split("\n").find((text) =>
    text.startsWith(`refs/heads/${branch} `)
  );
  return line?.split(" ")[1] ?? null;
}

/** Commits a file in a working copy; answers the commit. */
async function commit(world: World, at: string, file: string, text = "text\n"): Promise<string> {
  await Deno.writeTextFile(join(at, file), text);
  await world.git(at, "add", file);
  await world.git(at, "commit", "--quiet", "-m", `Write ${file}`);
  return await world.git(at, "rev-parse", "HEAD");
}

/** Moves a branch of a remote on, as a colleague would; answers the new commit. */
async function colleague(world: World, repo: string, branch: string): Promise<string> {
  const seed = join(world.directory, "seed", repo);
  const bare = join(world.remotes, `${repo}.git`);
  await world.git(seed, "fetch", "--quiet", bare, `refs/heads/${branch}`);
  await world.git(seed, "switch", "--quiet", "--detach", "FETCH_HEAD");
  const made = await commit(world, seed, "colleague.txt");
  await world.git(seed, "push", "--quiet", bare, `HEAD:refs/heads/${branch}`);
  return made;
}

/** Makes a ticket the active one, as `ticket start` would have. */
function activate(world: World, ticket: string, repos: Record<string, string>): Promise<void> {
  return world.patchState({
    active_ticket: ticket,
    tickets: {
      [ticket]: { created_at: "2026-03-02T14:30:00.000Z", ecosystem: "demo", repos },
    },
  });
}

Deno.test("amof push sends a new branch and makes it the upstream", async () => {
  await using world = await World.installed();
  const head = await world.commitOnFeature("api");
  const ran = await push(world);
  assertEquals(ran.code, 0);
  assertObjectMatch(ran.json(), { status: "success", exit_code: 0 });
  assertEquals(pick(ran.json(), "result", "outcome"), "success");
  assertEquals(results(ran), [
    {
      name: "api",
      branch: "feature/T-1",
      commits: 1,
      commit: head,
      fix: null,
      result: "pushed",
      detail: "origin/feature/T-1 (new branch)",
      code: null,
    },
    {
      name: "web",
      result: "skipped",
      branch: "main",
      commits: 0,
      commit: null,
      detail: "up to date",
      code: null,
      fix: null,
    },
    {
      name: "docs",
      result: "skipped",
      branch: "main",
      commits: 0,
      commit: null,
      detail: "read-only repositories are never pushed",
      code: null,
      fix: null,
    },
  ]);
  assertEquals(await remote(world, "api", "feature/T-1"), head);
  assertEquals(
    await world.git(world.clone("api"), "rev-parse", "--abbrev-ref", "@{upstream}"),
    "origin/feature/T-1",
  );
});

Deno.test("amof push neither commits nor pushes a dirty base branch", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await Deno.writeTextFile(join(world.clone("api"), "new.txt"), "mine\n");
  await Deno.writeTextFile(join(world.clone("api"), "README.md"), "mine\n");
  const before = await world.fingerprint();
  const ran = await push(world);
  assertEquals(ran.code, 1);
  assertEquals(outcome(ran), [["api", "skipped", "repo_dirty"]]);
  assertMatch(String(pick(ran.json(), "message")), /^Pushed nothing: "api" was held back/);
  assertEquals(await world.changesSince(before), []);
});

Deno.test("amof push --commit still refuses the base branch, and commits nothing there", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await Deno.writeTextFile(join(world.clone("api"), "new.txt"), "mine\n");
  const before = await world.fingerprint();
  const ran = await push(world, "--commit");
  assertEquals(ran.code, 1);
  assertEquals(outcome(ran), [["api", "skipped", "push_refused"]]);
  assertMatch(String(pick(ran.json(), "hint")), /--allow-base/);
  assertEquals(await world.changesSince(before), []);
});

Deno.test("amof push sends a base branch only with --allow-base", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const head = await commit(world, world.clone("api"), "a.txt");
  const before = await refs(world, "api");
  const refused = await push(world);
  assertEquals(refused.code, 1);
  assertEquals(outcome(refused), [["api", "skipped", "push_refused"]]);
  assertEquals(await refs(world, "api"), before);
  const allowed = await push(world, "--allow-base");
  assertEquals(allowed.code, 0);
  assertEquals(await remote(world, "api", "main"), head);
});

Deno.test("amof push --commit takes tracked, untracked and deleted files, and never .amof", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  await world.git(clone, "switch", "--quiet", "-c", "feature/T-7");
  await commit(world, clone, "doomed.txt");
  await commit(world, clone, "kept.txt");
  await Deno.remove(join(clone, "doomed.txt"));
  await Deno.writeTextFile(join(clone, "README.md"), "changed\n");
  await Deno.mkdir(join(clone, "deep", "er"), { recursive: true });
  await Deno.writeTextFile(join(clone, "deep", "er", "new file.txt"), "new\n");
  await Deno.mkdir(join(clone, ".amof"));
  await Deno.writeTextFile(join(clone, ".amof", "profile.md"), "ours\n");
  const ran = await push(world, "--commit");
  assertEquals(ran.code, 0);
  const committed = await world.git(clone, "show", "--format=%s", "--name-status", "HEAD");
  assertEquals(committed.split("\n"), [
    "T-7 Commit uncommitted changes",
    "",
    "M\tREADME.md",
    "A\tdeep/er/new file.txt",
    "D\tdoomed.txt",
  ]);
  assertEquals(await world.git(clone, "status", "--porcelain"), "?? .amof/");
  assertEquals(
    await remote(world, "api", "feature/T-7"),
    await world.git(clone, "rev-parse", "HEAD"),
  );
});

Deno.test("amof push --commit writes the message as it is given", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  await world.git(clone, "switch", "--quiet", "-c", "feature/T-7");
  await Deno.writeTextFile(join(clone, "new.txt"), "new\n");
  const message = "-- $(touch x) `id`\n\n# not a comment\n'quoted' \"text\"";
  const ran = await push(world, "--commit", `--message=${message}`);
  assertEquals(ran.code, 0);
  assertEquals(await world.git(clone, "log", "-1", "--format=%B"), message);
});

Deno.test("amof push --commit takes the ticket of the default message from the active ticket", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  await activate(world, "PROJ-9", { api: "topic" });
  await world.git(clone, "switch", "--quiet", "-c", "topic");
  await Deno.writeTextFile(join(clone, "new.txt"), "new\n");
  assertEquals((await push(world, "--commit")).code, 0);
  assertEquals(
    await world.git(clone, "log", "-1", "--format=%s"),
    "PROJ-9 Commit uncommitted changes",
  );
});

Deno.test("amof push holds back a ticket's repository that is on another branch", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await activate(world, "T-1", { api: "feature/T-1" });
  await world.commitOnFeature("api", "feature/T-2");
  const head = await world.commitOnFeature("web", "feature/T-2");
  const ran = await push(world);
  assertEquals(ran.code, 5);
  assertEquals(outcome(ran), [["api", "skipped", "push_refused"], ["web", "pushed", null]]);
  assertEquals(await remote(world, "api", "feature/T-2"), null);
  assertEquals(await remote(world, "web", "feature/T-2"), head);
});

Deno.test("amof push never forces: a diverged branch is held back", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.commitOnFeature("api");
  await push(world);
  const theirs = await colleague(world, "api", "feature/T-1");
  const mine = await commit(world, world.clone("api"), "mine.txt");
  await world.git(world.clone("api"), "fetch", "--quiet");
  const ran = await push(world);
  assertEquals(ran.code, 1);
  assertEquals(outcome(ran), [["api", "skipped", "repo_diverged"]]);
  assertEquals(await remote(world, "api", "feature/T-1"), theirs);
  assertEquals(await world.git(world.clone("api"), "rev-parse", "HEAD"), mine);
});

Deno.test("amof push never forces: a remote that moved on unseen keeps its commits", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.commitOnFeature("api");
  await push(world);
  const theirs = await colleague(world, "api", "feature/T-1");
  await commit(world, world.clone("api"), "mine.txt");
  const ran = await push(world);
  assertEquals(ran.code, 1);
  assertEquals(outcome(ran), [["api", "failed", "git_failed"]]);
  assertEquals(await remote(world, "api", "feature/T-1"), theirs);
});

Deno.test("amof push never forces: a rewritten branch is not sent over the old one", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const first = await world.commitOnFeature("api");
  await push(world);
  await world.git(world.clone("api"), "commit", "--quiet", "--amend", "-m", "Other words");
  const ran = await push(world);
  assertEquals(ran.code, 1);
  assertEquals(outcome(ran), [["api", "skipped", "repo_diverged"]]);
  assertEquals(await remote(world, "api", "feature/T-1"), first);
});

Deno.test({
  name: "amof push sends one branch only, whatever git is configured to push",
  ignore: !POSIX, // git is wrapped in a shell script
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    const clone = world.clone("api");
    await world.git(clone, "branch", "secret-plan");
    await commit(world, clone, "unpushed-on-main.txt");
    await world.git(clone, "branch", "--quiet", "private", "HEAD");
    await world.git(clone, "switch", "--quiet", "-c", "feature/T-1", "origin/main");
    const head = await commit(world, clone, "work.txt");
    await world.git(clone, "tag", "-a", "-m", "Mine", "v9");
    await world.git(clone, "config", "remote.origin.push", "+refs/heads/*:refs/heads/*");
    await world.git(clone, "config", "push.default", "matching");
    await world.git(clone, "config", "push.followTags", "true");
    const before = await refs(world, "api");
    const calls = join(world.directory, "calls.txt");
    const env = await world.wrapGit(`echo "$*" >> '${calls}'`);
    const ran = await world.amof(["push", "--yes"], { env });
    assertEquals(ran.code, 0);
    const added = (await refs(world, "api")).split("\n").filter((line) => !before.includes(line));
    assertEquals(added, [`refs/heads/feature/T-1 ${head}`]);
    const pushes = (await Deno.readTextFile(calls)).split("\n").filter((line) =>
      / push /.test(line)
    );
    assertEquals(pushes.length, 1);
    assertNotMatch(pushes[0] ?? "", / (?:--force\S*|-f|--mirror|--all|--tags) | \+/);
  },
});

Deno.test("amof push goes to the branch of the same name although the upstream is the base branch", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  const base = await remote(world, "api", "main");
  await world.git(clone, "switch", "--quiet", "-c", "feature/T-1", "--track", "origin/main");
  const head = await commit(world, clone, "work.txt");
  const ran = await push(world);
  assertEquals(ran.code, 0);
  assertEquals(await remote(world, "api", "main"), base);
  assertEquals(await remote(world, "api", "feature/T-1"), head);
  assertEquals(
    await world.git(clone, "rev-parse", "--abbrev-ref", "@{upstream}"),
    "origin/feature/T-1",
  );
});

Deno.test("amof push leaves alone what is not ahead", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await world.commitOnFeature("api");
  const before = await refs(world, "web");
  await push(world);
  assertEquals(await refs(world, "web"), before);
  const again = await world.amof(["push", "--json"]);
  // Nothing is ahead any more: that needs no consent.
  assertEquals(again.code, 0);
  assertEquals(outcome(again), [["api", "skipped", null], ["web", "skipped", null]]);
  assertEquals(pick(again.json(), "summary"), "Pushed nothing: every repo is up to date.");
});

Deno.test("amof push counts the commits it sends to a known branch", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.commitOnFeature("api");
  await push(world);
  for (const file of ["a.txt", "b.txt"]) await commit(world, world.clone("api"), file);
  const ran = await push(world);
  assertEquals(results(ran).map((row) => [row["commits"], row["detail"]]), [
    [2, "origin/feature/T-1"],
  ]);
});

Deno.test("amof push never sends a read-only repository", async () => {
  await using world = await World.installed();
  await commit(world, world.clone("docs"), "mine.txt");
  const before = await refs(world, "docs");
  for (const args of [[], ["--allow-base"], ["--repo", "docs", "--allow-base", "--commit"]]) {
    const ran = await push(world, ...args);
    assertEquals(ran.code, 0, args.join(" "));
    assert(results(ran).every((row) => row["result"] === "skipped"));
  }
  assertEquals(await refs(world, "docs"), before);
});

Deno.test("amof push --repo limits the push to the named repositories", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await world.commitOnFeature("api");
  const head = await world.commitOnFeature("web");
  const ran = await push(world, "--repo", "web");
  assertEquals(outcome(ran), [["web", "pushed", null]]);
  assertEquals(await remote(world, "api", "feature/T-1"), null);
  assertEquals(await remote(world, "web", "feature/T-1"), head);
});

Deno.test("amof push answers in manifest order, however the repositories fare", async () => {
  await using world = await World.installed({ repos: ["a", "b", "c", "d"] });
  await world.commitOnFeature("b");
  await world.commitOnFeature("d");
  await Deno.writeTextFile(join(world.clone("c"), "new.txt"), "new\n");
  const ran = await push(world);
  assertEquals(ran.code, 5);
  assertEquals(pick(ran.json(), "error"), "partial_failure");
  assertEquals(pick(ran.json(), "result", "outcome"), "partial");
  assertEquals(outcome(ran), [
    ["a", "skipped", null],
    ["b", "pushed", null],
    ["c", "skipped", "repo_dirty"],
    ["d", "pushed", null],
  ]);
  assertEquals(
    pick(ran.json(), "message"),
    'Pushed 2 of 3 repos; "c" was held back: 1 file not committed',
  );
});

Deno.test({
  name: "amof push goes on when the server refuses one repository, and says why",
  ignore: !POSIX, // a server hook is a shell script
  async fn() {
    await using world = await World.installed({ repos: ["api", "web"] });
    const mine = await world.commitOnFeature("api");
    const head = await world.commitOnFeature("web");
    const before = await refs(world, "api");
    await world.hook(
      join(world.remotes, "api.git"),
      "pre-receive",
      "echo no release on fridays >&2; exit 1",
    );
    const ran = await push(world);
    assertEquals(ran.code, 5);
    assertEquals(outcome(ran), [["api", "failed", "git_failed"], ["web", "pushed", null]]);
    assertMatch(String(results(ran)[0]?.["detail"]), /pre-receive hook declined/);
    const logs = await world.amof(["runs", "logs", String(pick(ran.json(), "run_id"))]);
    assertStringIncludes(logs.stdout, "no release on fridays");
    assertEquals(await refs(world, "api"), before);
    assertEquals(await world.git(world.clone("api"), "rev-parse", "HEAD"), mine);
    assertEquals(await remote(world, "web", "feature/T-1"), head);
  },
});

Deno.test("amof push holds back a commit whose submodule's commit is on no remote, and pushes no submodule", async () => {
  await using world = await World.installed({ repos: ["api", "lib"] });
  const clone = world.clone("api");
  await world.git(clone, "switch", "--quiet", "-c", "feature/T-1");
  const allow = ["-c", "protocol.file.allow=always"];
  await world.git(clone, ...allow, "submodule", "--quiet", "add", world.url("lib"), "libs/one");
  const one = join(clone, "libs", "one");
  await world.git(one, "commit", "--quiet", "--allow-empty", "-m", "Only here");
  await world.git(clone, "commit", "--quiet", "-am", "Newer one");
  // What a user may have set, and what would send more than was previewed.
  await world.git(clone, "config", "push.recurseSubmodules", "on-demand");
  const before = [await refs(world, "api"), await refs(world, "lib")];
  const ran = await push(world, "--repo", "api");
  assertEquals(ran.code, 1);
  assertEquals(outcome(ran), [["api", "failed", "push_refused"]]);
  assertEquals(
    results(ran)[0]?.["detail"],
    "commits of submodules are on none of their remotes: libs/one",
  );
  assertEquals([await refs(world, "api"), await refs(world, "lib")], before);
  await world.git(one, "push", "--quiet", "origin", "HEAD:refs/heads/side");
  assertEquals((await push(world, "--repo", "api")).code, 0);
  assertEquals(
    await remote(world, "api", "feature/T-1"),
    await world.git(clone, "rev-parse", "HEAD"),
  );
});

Deno.test("amof push remembers what was pushed and nothing else", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const head = await world.commitOnFeature("api");
  await world.commitOnFeature("web");
  await Deno.rename(join(world.remotes, "web.git"), join(world.remotes, "web.away"));
  await push(world);
  const state = await world.state();
  assertEquals(rows(state, "repos").map((row) => row["name"]), ["api"]);
  const { pushed_at, ...last } = pick(state, "repos", 0, "last_push") as Record<string, unknown>;
  assertEquals(last, { branch: "feature/T-1", commit: head.slice(0, 7), commit_full: head });
  assertMatch(String(pushed_at), UTC);
  const status = await world.amof(["status", "--json"]);
  assertEquals(pick(status.json(), "repos", 0, "last_push", "commit_full"), head);
});

Deno.test({
  name: "amof push replaces the state file in one step and keeps unknown keys",
  ignore: !POSIX, // hard links tell a replaced file from one that was written over
  async fn() {
    await using world = await World.installed({ repos: ["api", "web"] });
    await world.commitOnFeature("api");
    await world.patchState({
      future: { deep: [1, 2] },
      repos: [{ name: "api", note: "mine" }, { name: "other", note: "kept" }],
      tickets: { "T-1": { created_at: "x", ecosystem: "demo", repos: {}, plan: ["a"] } },
    });
    const before = await Deno.readTextFile(world.stateFile());
    const link = join(world.directory, "old-state.json");
    await Deno.link(world.stateFile(), link);
    assertEquals((await push(world)).code, 0);
    assertEquals(await Deno.readTextFile(link), before);
    const state = await world.state();
    assertEquals(state["future"], { deep: [1, 2] });
    assertEquals(pick(state, "tickets", "T-1", "plan"), ["a"]);
    assertEquals(rows(state, "repos").map((row) => [row["name"], row["note"]]), [
      ["api", "mine"],
      ["other", "kept"],
    ]);
    assertEquals(pick(state, "repos", 0, "last_push", "branch"), "feature/T-1");
    assertEquals(
      await Array.fromAsync(Deno.readDir(join(world.workspace(), ".amof")), (entry) => entry.name),
      ["state.json"],
    );
  },
});

Deno.test("amof push takes a branch named like an option for what it is", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  const base = await remote(world, "api", "main");
  // Git's own commands refuse to make such a branch; a ref can be written all the same.
  for (const branch of ["--delete", "--force", "-d"]) {
    const head = await world.git(clone, "commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", branch);
    await world.git(clone, "update-ref", `refs/heads/${branch}`, head);
    await world.git(clone, "symbolic-ref", "HEAD", `refs/heads/${branch}`);
    const ran = await push(world);
    assertEquals(ran.code, 0, branch);
    assertEquals(await remote(world, "api", branch), head);
    assertEquals(await remote(world, "api", "main"), base);
  }
});

Deno.test({
  name: "amof push runs the user's pre-push hook and obeys it",
  ignore: !POSIX, // a hook is a shell script
  async fn() {
    await using world = await World.installed({ repos: ["api", "web"] });
    const seen = join(world.directory, "seen.txt");
    const head = await world.commitOnFeature("api");
    await world.commitOnFeature("web");
    await world.hook(join(world.clone("api"), ".git"), "pre-push", `echo "$1" > '${seen}'`);
    await world.hook(
      join(world.clone("web"), ".git"),
      "pre-push",
      "echo tests are red >&2; exit 1",
    );
    const ran = await push(world);
    assertEquals(ran.code, 5);
    assertEquals(await Deno.readTextFile(seen), "origin\n");
    assertEquals(await remote(world, "api", "feature/T-1"), head);
    assertEquals(await remote(world, "web", "feature/T-1"), null);
    const logs = await world.amof(["runs", "logs", String(pick(ran.json(), "run_id"))]);
    assertStringIncludes(logs.stdout, "tests are red");
  },
});

Deno.test({
  name: "amof push --commit runs the user's commit hooks and loses nothing when one refuses",
  ignore: !POSIX, // a hook is a shell script
  async fn() {
    await using world = await World.installed({ repos: ["api", "web"] });
    const clone = world.clone("api");
    for (const repo of ["api", "web"]) {
      await world.git(world.clone(repo), "switch", "--quiet", "-c", "feature/T-1");
      await Deno.writeTextFile(join(world.clone(repo), "new.txt"), "mine\n");
    }
    await world.hook(join(clone, ".git"), "pre-commit", "echo lint failed >&2; exit 1");
    const head = await world.git(clone, "rev-parse", "HEAD");
    const ran = await push(world, "--commit");
    assertEquals(ran.code, 5);
    assertEquals(outcome(ran), [["api", "failed", "git_failed"], ["web", "pushed", null]]);
    assertEquals(await world.git(clone, "rev-parse", "HEAD"), head);
    assertEquals(await Deno.readTextFile(join(clone, "new.txt")), "mine\n");
  },
});

Deno.test("amof push holds back a detached repository with work of its own", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  for (const repo of ["api", "web"]) {
    await world.git(world.clone(repo), "switch", "--quiet", "--detach");
  }
  await commit(world, world.clone("api"), "work.txt");
  const before = await refs(world, "api");
  const ran = await push(world);
  assertEquals(ran.code, 1);
  assertEquals(outcome(ran), [["api", "skipped", "push_refused"], ["web", "skipped", null]]);
  assertEquals(await refs(world, "api"), before);
});

Deno.test("amof push --commit never commits conflicts or a merge in progress", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  await world.git(clone, "switch", "--quiet", "-c", "feature/theirs");
  await commit(world, clone, "same.txt", "theirs\n");
  await world.git(clone, "switch", "--quiet", "-c", "feature/mine", "main");
  const head = await commit(world, clone, "same.txt", "mine\n");
  await world.command("git", ["merge", "feature/theirs"], { cwd: clone });
  const ran = await push(world, "--commit");
  assertEquals(ran.code, 1);
  assertEquals(outcome(ran), [["api", "skipped", "repo_in_progress"]]);
  assertEquals(await world.git(clone, "rev-parse", "HEAD"), head);
  assertEquals(await remote(world, "api", "feature/mine"), null);
  // A stash that does not apply leaves conflicts without any operation in progress.
  await world.git(clone, "merge", "--abort");
  await Deno.writeTextFile(join(clone, "same.txt"), "stashed\n");
  await world.git(clone, "stash");
  await commit(world, clone, "same.txt", "committed\n");
  await world.command("git", ["stash", "pop"], { cwd: clone });
  const conflicted = await push(world, "--commit");
  assertEquals(outcome(conflicted), [["api", "skipped", "repo_in_progress"]]);
  assertEquals(await remote(world, "api", "feature/mine"), null);
});

Deno.test("amof push --commit does not conclude a merge that is in progress", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  await world.git(clone, "switch", "--quiet", "-c", "feature/theirs");
  await commit(world, clone, "theirs.txt");
  await world.git(clone, "switch", "--quiet", "-c", "feature/mine", "main");
  const head = await commit(world, clone, "mine.txt");
  await world.git(clone, "merge", "--quiet", "--no-commit", "feature/theirs");
  for (const args of [["--commit"], []]) {
    const ran = await push(world, ...args);
    assertEquals(ran.code, 1);
    assertEquals(outcome(ran), [["api", "skipped", "repo_in_progress"]]);
    assertMatch(String(results(ran)[0]?.["detail"]), /merge is in progress/);
  }
  assertEquals(await world.git(clone, "rev-parse", "HEAD"), head);
  assertEquals(await remote(world, "api", "feature/mine"), null);
});

Deno.test("amof push holds back a repository without a remote and one that cannot be read", async () => {
  await using world = await World.installed({ repos: ["api", "web", "good", "gone"] });
  for (const repo of ["api", "web", "good"]) await world.commitOnFeature(repo);
  await world.git(world.clone("api"), "remote", "remove", "origin");
  await Deno.writeTextFile(join(world.clone("web"), ".git", "HEAD"), "garbage\n");
  await Deno.remove(world.clone("gone"), { recursive: true });
  const ran = await push(world);
  assertEquals(ran.code, 5);
  assertEquals(outcome(ran), [
    ["api", "skipped", "push_refused"],
    ["web", "skipped", "git_failed"],
    ["good", "pushed", null],
    ["gone", "skipped", null],
  ]);
});

Deno.test("amof push holds back a repository with a broken ref and pushes the others", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await world.commitOnFeature("api");
  await world.git(world.clone("api"), "branch", "--quiet", "--set-upstream-to=origin/main");
  const head = await world.commitOnFeature("web");
  await Deno.writeTextFile(
    join(world.clone("api"), ".git", "refs", "remotes", "origin", "broken"),
    `${"0123456789".repeat(4)}\n`,
  );
  const ran = await push(world);
  assertEquals(ran.code, 5);
  assertEquals(outcome(ran), [["api", "skipped", "git_failed"], ["web", "pushed", null]]);
  assertEquals(await remote(world, "web", "feature/T-1"), head);
});

Deno.test("amof push says pushed of what was pushed although the upstream could not be set", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const head = await world.commitOnFeature("api");
  await Deno.writeTextFile(join(world.clone("api"), ".git", "config.lock"), "");
  const ran = await push(world);
  assertEquals(ran.code, 0);
  assertEquals(outcome(ran), [["api", "pushed", null]]);
  assertMatch(String(results(ran)[0]?.["detail"]), /upstream could not be set/);
  assertEquals(await remote(world, "api", "feature/T-1"), head);
  assertEquals(pick(await world.state(), "repos", 0, "last_push", "commit_full"), head);
});

Deno.test("amof push leaves the control repository alone", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.addRemote("control");
  await world.git(world.control, "remote", "add", "origin", world.url("control"));
  await world.write("control/worktrees/demo/README.md", "changed in the workspace\n");
  await world.write("control/README.md", "changed\n");
  const head = await world.git(world.workspace(), "rev-parse", "HEAD");
  await world.commitOnFeature("api");
  const before = await refs(world, "control");
  assertEquals((await push(world, "--commit")).code, 0);
  assertEquals(await refs(world, "control"), before);
  assertEquals(await world.git(world.workspace(), "rev-parse", "HEAD"), head);
  assertEquals(await world.git(world.workspace(), "status", "--porcelain"), " M README.md");
  assertEquals(await world.git(world.control, "status", "--porcelain"), " M README.md");
});

Deno.test("amof push --dry-run shows branch, remote and count of every repository", async () => {
  await using world = await World.installed();
  const head = await world.commitOnFeature("api");
  await world.git(world.clone("web"), "switch", "--quiet", "-c", "feature/T-2");
  await Deno.writeTextFile(join(world.clone("web"), "new.txt"), "new\n");
  const before = await world.fingerprint();
  const json = await world.amof(["push", "--dry-run", "--commit", "--json"]);
  assertEquals(json.code, 0);
  assertEquals(pick(json.json(), "repos_affected"), ["api", "web"]);
  assertObjectMatch(json.json(), {
    preview: {
      repos: [
        {
          name: "api",
          branch: "feature/T-1",
          remote: "origin",
          url: world.url("api"),
          ahead: 1,
          head,
          new_branch: true,
          commit_files: 0,
        },
        { name: "web", branch: "feature/T-2", ahead: 0, commit_files: 1 },
      ],
      skipped: [{ name: "docs", reason: "readonly", blocked: false }],
      message: "T-2 Commit uncommitted changes",
    },
  });
  const human = await world.amof(["push", "--dry-run", "--commit"]);
  assertStringIncludes(human.stdout, "[plan] Would push 2 repos.");
  assertStringIncludes(
    human.stdout,
    "api  feature/T-1 → origin  (1 commit ahead, new branch)",
  );
  assertStringIncludes(human.stdout, "Commit message: T-2 Commit uncommitted changes");
  assertEquals(await world.changesSince(before), []);
});

Deno.test("amof push never shows or stores a token of the remote URL", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.commitOnFeature("api");
  const secret = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
  await world.git(
    world.clone("api"),
    "remote",
    "set-url",
    "origin",
    // Nothing listens on the discard port, so that the push fails at once.
    `http://x-access-token:${secret}@127.0.0.1:9/api.git`,
  );
  const ran = await world.amof(["push", "--yes", "--verbose"]);
  assertEquals(ran.code, 1);
  assertStringIncludes(ran.stderr, "127.0.0.1");
  const runs = await world.amof(["runs", "list", "--json"]);
  const id = String(pick(runs.json(), "runs", 0, "run_id"));
  const answers = [
    ran,
    runs,
    await world.amof(["push", "--dry-run", "--json"]),
    await world.amof(["push", "--json"]),
    await world.amof(["runs", "status", id, "--json"]),
    await world.amof(["runs", "logs", id, "--json"]),
    await world.amof(["runs", "summary", id]),
  ];
  for (const { stdout, stderr } of answers) assertNotMatch(stdout + stderr, new RegExp(secret));
  // The database and its journal hold the same texts.
  const stored = await world.contents(world.env["AMOF_HOME"] ?? "");
  assertStringIncludes(stored, "127.0.0.1");
  assertNotMatch(stored, new RegExp(secret));
});

Deno.test({
  name: "amof push cleans what a hostile server says",
  ignore: !POSIX, // a server hook is a shell script
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    await world.commitOnFeature("api");
    await world.hook(
      join(world.remotes, "api.git"),
      "pre-receive",
      "printf 'bad \\033[31mcolour\\033]0;title\\007 \\342\\200\\256end\\n' >&2; exit 1",
    );
    const ran = await world.amof(["push", "--yes", "--verbose"]);
    assertEquals(ran.code, 1);
    assertStringIncludes(ran.stderr, "remote: bad colour end");
    // deno-lint-ignore no-control-regex -- control characters are what must not be there
    assertNotMatch(ran.stdout + ran.stderr, /[\u001b\u0007\u202e]/);
  },
});

Deno.test("amof push cleans a hostile branch name for readers and still pushes that branch", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const branch = "feature/\u202egnp";
  const head = await world.commitOnFeature("api", branch);
  const preview = await world.amof(["push", "--dry-run"]);
  assertStringIncludes(preview.stdout, "feature/gnp → origin");
  const ran = await world.amof(["push", "--yes"]);
  assertEquals(ran.code, 0);
  assertNotMatch(preview.stdout + ran.stdout + ran.stderr, /\u202e/);
  assertEquals(await remote(world, "api", branch), head);
});

Deno.test("amof push needs an installed workspace", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  const ran = await push(world);
  assertEquals(ran.code, 1);
  assertEquals(pick(ran.json(), "error"), "workspace_not_installed");
});

Deno.test("amof push --dry-run with nothing to push does not promise a push", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const even = await world.amof(["push", "--dry-run"]);
  assertEquals(even.code, 0);
  assertStringIncludes(even.stderr, "hint: There is nothing to carry out");
  assertEquals(even.stdout.includes("⚠"), false);
  await Deno.writeTextFile(join(world.clone("api"), "new.txt"), "new\n");
  const dirty = await world.amof(["push", "--dry-run"]);
  assertEquals(dirty.code, 0);
  assertStringIncludes(dirty.stderr, "As things stand it would fail: Pushed nothing");
  assertStringIncludes(dirty.stderr, "amof -e demo push --commit");
});

const NESTED: readonly (readonly [string, (world: World, inner: string) => Promise<unknown>])[] = [
  ["with commits", async (world, inner) => {
    await Deno.writeTextFile(join(inner, "work.txt"), "work\n");
    await world.git(inner, "add", ".");
    await world.git(inner, "commit", "--quiet", "-m", "Inner work");
  }],
  ["without commits", () => Promise.resolve()],
  ["that was staged", async (world, inner) => {
    await world.git(inner, "commit", "--quiet", "--allow-empty", "-m", "Inner work");
    await world.git(world.clone("api"), "add", "deep/inner");
  }],
];

for (const [what, fill] of NESTED) {
  Deno.test(`amof push --commit publishes no repository ${what} as the bare name of a commit`, async () => {
    await using world = await World.installed({ repos: ["api", "web"] });
    await world.commitOnFeature("api");
    await world.commitOnFeature("web");
    const inner = join(world.clone("api"), "deep", "inner");
    await Deno.mkdir(inner, { recursive: true });
    await world.git(inner, "init", "--quiet", "--initial-branch=main");
    await fill(world, inner);
    const head = await world.git(world.clone("api"), "rev-parse", "HEAD");
    const ran = await push(world, "--commit");
    assertEquals(ran.code, 5, ran.stdout);
    const [api, web] = rows(ran.json(), "result", "repos");
    assertEquals([api?.["result"], web?.["result"]], ["skipped", "pushed"]);
    assertStringIncludes(
      String(api?.["detail"]),
      "not submodules: deep/inner; a commit would only",
    );
    assertStringIncludes(String(api?.["fix"]), "git submodule add");
    assertEquals(await world.git(world.clone("api"), "rev-parse", "HEAD"), head);
    await world.git(
      world.clone("api"),
      "rm",
      "--quiet",
      "--cached",
      "--force",
      "--ignore-unmatch",
      "deep/inner",
    );
    await Deno.writeTextFile(join(world.clone("api"), ".gitignore"), "deep/\n");
    assertEquals((await push(world, "--commit")).code, 0);
    assertEquals((await world.git(world.clone("api"), "ls-files")).includes("deep"), false);
  });
}
