/**
 * `amof status`, from outside.
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
import { Hold } from "./hold.ts";
import { statusRowOf } from "../support/status_rows.ts";
import { IN_TABLES, type Ran, World } from "../support/world.ts";

/** Shell scripts and links are POSIX matters. */
const POSIX = Deno.build.os !== "windows";

function status(world: World, ...args: string[]): Promise<Ran> {
  return world.amof(["status", "--json", ...args]);
}

/** The row of one repository. */
async function row(
  world: World,
  repo: string,
  ...args: string[]
): Promise<Record<string, unknown>> {
  const ran = await status(world, ...args);
  return rows(ran.json(), "repos").find((entry) => entry["name"] === repo) ?? {};
}

/** The status of every repository, in the order of the answer. */
async function statuses(world: World, ...args: string[]): Promise<Record<string, unknown>> {
  const ran = await status(world, ...args);
  return Object.fromEntries(
    rows(ran.json(), "repos").map((entry) => [entry["name"], entry["status"]]),
  );
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

/** Commits a file in a working copy. */
async function commit(world: World, at: string, file: string, text = "text\n"): Promise<void> {
  await Deno.writeTextFile(join(at, file), text);
  await world.git(at, "add", file);
  await world.git(at, "commit", "--quiet", "-m", `Write ${file}`);
}

Deno.test("amof status answers every field of every repository", async () => {
  await using world = await World.installed();
  const ran = await status(world);
  assertEquals(ran.code, 0);
  assertEquals(pick(ran.json(), "workspace"), {
    ecosystem: "demo",
    workspace_branch: "workspace/demo",
    worktree: "worktrees/demo",
    active_ticket: null,
    ticket_count: 0,
  });
  const expected = async (name: string, mode: "RW" | "RO") => {
    const commit = (await world.git(world.clone(name), "rev-parse", "HEAD")).slice(0, 7);
    return statusRowOf({ name, mode, commit });
  };
  assertEquals(pick(ran.json(), "repos"), [
    await expected("api", "RW"),
    await expected("web", "RW"),
    await expected("docs", "RO"),
  ]);
});

Deno.test("amof status joins its tokens in a fixed order", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.commitOnFeature("api", "topic/x");
  assertEquals(await statuses(world), { api: "WRONG_BRANCH+UNPUSHED" });
  await Deno.writeTextFile(join(world.clone("api"), "more.txt"), "more\n");
  assertEquals(await statuses(world), { api: "WRONG_BRANCH+DIRTY+UNPUSHED" });
  await world.git(world.clone("api"), "switch", "--quiet", "main");
  // What is only on another branch is only here all the same.
  assertEquals(await statuses(world), { api: "DIRTY+UNPUSHED" });
});

Deno.test("amof status accepts any feature branch of a writable repository without a ticket", async () => {
  await using world = await World.installed();
  for (const repo of ["api", "docs"]) {
    await world.git(world.clone(repo), "switch", "--quiet", "-c", "feature/free");
  }
  await world.git(world.clone("web"), "switch", "--quiet", "-c", "featured");
  // A read-only repository belongs on its base branch, whatever the branch is called.
  assertEquals(await statuses(world), { api: "OK", web: "WRONG_BRANCH", docs: "WRONG_BRANCH" });
});

Deno.test("amof status expects the branch of the active ticket in the clone itself", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await activate(world, "T-1", { api: "feature/T-1", web: "release/odd" });
  assertEquals(await statuses(world), { api: "WRONG_BRANCH", web: "WRONG_BRANCH" });
  await world.git(world.clone("api"), "switch", "--quiet", "-c", "feature/T-1");
  await world.git(world.clone("web"), "switch", "--quiet", "-c", "release/odd");
  assertEquals(await statuses(world), { api: "OK", web: "OK" });
  await world.git(world.clone("api"), "switch", "--quiet", "-c", "feature/T-2");
  assertEquals(await statuses(world), { api: "WRONG_BRANCH", web: "OK" });
  const ran = await status(world);
  assertObjectMatch(ran.json(), { workspace: { active_ticket: "T-1", ticket_count: 1 } });
});

Deno.test("amof status expects the base branch of a repository outside the active ticket", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await activate(world, "T-1", { api: "feature/T-1" });
  await world.git(world.clone("api"), "switch", "--quiet", "-c", "feature/T-1");
  assertEquals(await statuses(world), { api: "OK", web: "OK" });
  await world.git(world.clone("web"), "switch", "--quiet", "-c", "feature/T-1");
  assertEquals(await statuses(world), { api: "OK", web: "WRONG_BRANCH" });
});

Deno.test("amof status keeps a read-only repository on its base branch whatever the ticket says", async () => {
  await using world = await World.installed();
  await activate(world, "T-1", { docs: "feature/T-1" });
  assertEquals((await statuses(world))["docs"], "OK");
});

Deno.test("amof status honours the manifest's prefix of feature branches", async () => {
  await using world = await World.withEcosystem({
    repos: ["api"],
    extra: "workspace: {repo_branch_prefix: topic/}\n",
  });
  await world.install();
  await world.git(world.clone("api"), "switch", "--quiet", "-c", "topic/x");
  assertEquals(await statuses(world), { api: "OK" });
  await world.git(world.clone("api"), "switch", "--quiet", "-c", "feature/x");
  assertEquals(await statuses(world), { api: "WRONG_BRANCH" });
});

Deno.test("amof status says HEAD of a detached repository and marks it", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.git(world.clone("api"), "switch", "--quiet", "--detach");
  assertObjectMatch(await row(world, "api"), {
    branch: "HEAD",
    detached: true,
    status: "DETACHED",
    upstream: null,
  });
  // No ticket begins there, which the list says rather than offer one.
  const list = (await world.amof(["ticket", "list", "--json"])).json();
  assertEquals(pick(list, "held"), ["api"]);
  assertEquals(pick(list, "suggested_actions", 0, "id"), "get_ecosystem_status");
});

Deno.test("amof status knows where commits of a detached head are on a branch, at its end or below it", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  const problem = async () => pick((await status(world)).json(), "repos", 0, "needs", 0, "problem");
  await world.git(clone, "switch", "--quiet", "-c", "feature/x");
  await commit(world, clone, "one.txt", "1\n");
  await world.git(clone, "switch", "--quiet", "--detach");
  assertEquals(await problem(), "no branch is checked out");
  await world.git(clone, "switch", "--quiet", "feature/x");
  await commit(world, clone, "two.txt", "2\n");
  await world.git(clone, "switch", "--quiet", "--detach", "HEAD~1");
  assertEquals(await problem(), "no branch is checked out");
  await commit(world, clone, "three.txt", "3\n");
  assertEquals(await problem(), "2 commits on no branch");
});

Deno.test("amof status shows a repository without commits", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await Deno.remove(world.clone("api"), { recursive: true });
  await Deno.mkdir(world.clone("api"));
  await world.git(world.clone("api"), "init", "--quiet", "--initial-branch=main");
  assertEquals(await statuses(world), { api: "NO_REMOTE", web: "OK" });
  await world.git(world.clone("api"), "remote", "add", "origin", world.url("api"));
  assertObjectMatch(await row(world, "api"), {
    branch: "main",
    commit: "-",
    status: "OK",
    unpushed: false,
    ahead: null,
  });
  assertEquals(await statuses(world), { api: "OK", web: "OK" });
});

Deno.test("amof status names the operation that is in progress, and --check fails on it", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  for (const repo of ["api", "web"]) {
    const clone = world.clone(repo);
    await world.git(clone, "switch", "--quiet", "-c", "feature/other");
    await commit(world, clone, "same.txt", "theirs\n");
    await world.git(clone, "switch", "--quiet", "-c", "feature/mine", "main");
    await commit(world, clone, "same.txt", "mine\n");
  }
  await world.command("git", ["merge", "feature/other"], { cwd: world.clone("api") });
  await world.command("git", ["rebase", "feature/other"], { cwd: world.clone("web") });
  const ran = await status(world);
  assertObjectMatch(rows(ran.json(), "repos")[0] ?? {}, {
    in_progress: "merge",
    dirty: true,
    conflicts: 1,
    status: "CONFLICT+DIRTY+UNPUSHED",
    branch: "feature/mine",
  });
  assertObjectMatch(rows(ran.json(), "repos")[1] ?? {}, {
    in_progress: "rebase",
    detached: true,
    status: "DETACHED+CONFLICT+DIRTY+UNPUSHED",
  });
  const human = await world.amof(["status"]);
  assertMatch(human.stdout, /^api .* CONFLICT\+DIRTY\+UNPUSHED \(merge\) +↑1 ±1 1 conflict$/m);
  assertMatch(human.stdout, /: 1 to look at, 2 in conflict, 2 dirty, 2 unpushed\./);
  assertEquals((await status(world, "--check")).code, 3);
});

Deno.test("amof status --check fails on a merge whose conflicts are all resolved", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  await world.git(clone, "switch", "--quiet", "-c", "feature/x");
  await world.git(clone, "push", "--quiet", "-u", "origin", "feature/x");
  await world.git(clone, "switch", "--quiet", "-c", "feature/side");
  await commit(world, clone, "side.txt");
  await world.git(clone, "switch", "--quiet", "feature/x");
  await world.git(clone, "merge", "--quiet", "--no-ff", "--no-commit", "feature/side");
  await world.git(clone, "rm", "--quiet", "--cached", "side.txt");
  await Deno.remove(join(clone, "side.txt"));
  assertObjectMatch(await row(world, "api"), {
    status: "IN_PROGRESS+UNPUSHED",
    in_progress: "merge",
  });
  const checked = await status(world, "--check");
  assertEquals(checked.code, 3);
});

Deno.test("amof status counts stashes without calling them dirty", async () => {
  await using world = await World.installed({ repos: ["api"] });
  for (const text of ["one\n", "two\n"]) {
    await Deno.writeTextFile(join(world.clone("api"), "README.md"), text);
    await world.git(world.clone("api"), "stash");
  }
  assertObjectMatch(await row(world, "api"), { stashes: 2, dirty: false, status: "OK" });
  const human = await world.amof(["status"]);
  assertMatch(human.stdout, /^api .* OK +2 stashed$/m);
});

Deno.test("amof status counts commits ahead of and behind the upstream", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  const seed = join(world.directory, "seed", "api");
  for (const file of ["a.txt", "b.txt", "c.txt"]) await commit(world, seed, file);
  await world.git(seed, "push", "--quiet", join(world.remotes, "api.git"), "main");
  for (const file of ["x.txt", "y.txt"]) await commit(world, clone, file);
  assertObjectMatch(await row(world, "api"), { ahead: 2, behind: 0, status: "UNPUSHED" });
  await world.git(clone, "fetch", "--quiet");
  assertObjectMatch(await row(world, "api"), { ahead: 2, behind: 3, unpushed: true });
  const human = await world.amof(["status"]);
  assertMatch(human.stdout, /^api .* UNPUSHED\+DIVERGED +↑2 ↓3$/m);
  // When the clone was asked for news last is told, too.
  assertMatch(human.stdout, /^Workspace .* · oldest fetch just now$/m);
  assertEquals((await status(world, "--check")).code, 3);
  await world.git(clone, "reset", "--quiet", "--hard", "origin/main~2");
  assertObjectMatch(await row(world, "api"), { ahead: 0, behind: 2, status: "BEHIND" });
  // News of the remote is no fault of the repository.
  assertEquals((await status(world, "--check")).code, 0);
  // A fetch that fails brings none.
  await Deno.rename(join(world.remotes, "api.git"), join(world.remotes, "away.git"));
  assertEquals((await world.amof(["sync"])).code, 1);
  assert(!(await world.amof(["status"])).stdout.includes("oldest fetch"));
});

Deno.test("amof status says whose last fetch brought nothing, and the line that it names mends it", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  assertEquals((await world.amof(["sync"])).code, 0);
  const [there, away] = [join(world.remotes, "api.git"), join(world.remotes, "away.git")];
  await Deno.rename(there, away);
  assertEquals((await world.amof(["sync"])).code, 5);
  // A second look goes by what the first one found.
  for (const _ of ["first", "second"]) {
    const { stdout } = await world.amof(["status"]);
    assertMatch(stdout, /^Checked 2 repos: 1 to fetch again\.$/m);
    assertMatch(stdout, / · oldest known fetch just now$/m);
    assertMatch(stdout, /^⚠ api: the last fetch failed.*\n +fix: amof sync --repo api$/m);
  }
  assertObjectMatch(await row(world, "api"), { status: "OK", fetched_nothing: true });
  assertEquals("fetched_nothing" in await row(world, "web"), false);
  // A remote that is asked answers for itself.
  assertStringIncludes((await world.amof(["status", "--fetch"])).stdout, "all OK, 1 unreachable.");
  await Deno.rename(away, there);
  assertStringIncludes((await world.amof(["status", "--fetch"])).stdout, ": all OK.");
  assertEquals((await world.amof(["sync", "--repo", "api"])).code, 0);
  assertStringIncludes((await world.amof(["status"])).stdout, "Checked 2 repos: all OK.");
});

Deno.test("amof status says nothing of a fetch of a remote that has no branch", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  await world.git(join(world.remotes, "api.git"), "update-ref", "-d", "refs/heads/main");
  await world.git(clone, "fetch", "--quiet", "--prune");
  assertEquals((await Deno.stat(join(clone, ".git", "FETCH_HEAD"))).size, 0);
  const { stdout } = await world.amof(["status"]);
  assertEquals(/fetch/.test(stdout.replaceAll("amof sync", "")), false, stdout);
});

Deno.test("amof status believes the remote-tracking branches, not only pushes it made itself", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await world.commitOnFeature("api");
  assertEquals(await statuses(world), { api: "UNPUSHED", web: "OK" });
  // Without an upstream, and under another name: the commit is on the remote.
  await world.git(world.clone("api"), "push", "--quiet", "origin", "HEAD:refs/heads/elsewhere");
  assertObjectMatch(await row(world, "api"), { status: "OK", upstream: null, unpushed: false });
  await world.patchState({
    repos: [{
      name: "web",
      last_push: {
        branch: "main",
        commit: "0000000",
        commit_full: "0".repeat(40),
        pushed_at: "2026-03-02T14:30:00.000Z",
      },
    }],
  });
  const web = await row(world, "web");
  assertEquals(web["status"], "OK");
  assertEquals(pick(web, "last_push", "commit"), "0000000");
});

Deno.test("amof status counts changed files and passes over .amof", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const api = world.clone("api");
  await Deno.writeTextFile(join(api, "README.md"), "changed\n");
  await Deno.mkdir(join(api, "new"));
  await Deno.writeTextFile(join(api, "new", "a.txt"), "a\n");
  await Deno.mkdir(join(world.clone("web"), ".amof"));
  await Deno.writeTextFile(join(world.clone("web"), ".amof", "profile.md"), "ours\n");
  assertObjectMatch(await row(world, "api"), { dirty: true, changed_files: 2, status: "DIRTY" });
  assertObjectMatch(await row(world, "web"), { dirty: false, changed_files: 0, status: "OK" });
});

Deno.test("amof status says MISSING of a repository whose directory is gone or empty", async () => {
  await using world = await World.installed();
  await Deno.remove(world.clone("api"), { recursive: true });
  await Deno.remove(world.clone("web"), { recursive: true });
  await Deno.mkdir(world.clone("web"));
  const ran = await status(world);
  assertEquals(ran.code, 0);
  assertEquals(await statuses(world), { api: "MISSING", web: "MISSING", docs: "OK" });
  assertObjectMatch(rows(ran.json(), "repos")[0] ?? {}, {
    branch: "-",
    commit: "-",
    dirty: false,
    unpushed: false,
  });
  assertMatch((await world.amof(["status"])).stdout, /^api +— +— +RW +MISSING +—$/m);
});

Deno.test("amof status says ERROR of a directory that is no repository and still shows the others", async () => {
  await using world = await World.installed();
  await Deno.remove(join(world.clone("api"), ".git"), { recursive: true });
  await Deno.writeTextFile(join(world.clone("web"), ".git", "HEAD"), "garbage\n");
  const ran = await status(world);
  assertEquals(ran.code, 0);
  assertEquals(await statuses(world), { api: "ERROR", web: "ERROR", docs: "OK" });
  assertEquals(pick(ran.json(), "repos", 0, "error", "code"), "git_failed");
  const human = await world.amof(["status"]);
  assertStringIncludes(human.stdout, '✗ api: Cannot read "api"');
  assertMatch(human.stdout, /^docs +main/m);
});

Deno.test({
  name: "amof status never follows a link out of the workspace",
  ignore: !POSIX, // links need a privilege there
  async fn() {
    await using world = await World.installed({ repos: ["api", "web"] });
    await Deno.remove(world.clone("api"), { recursive: true });
    await Deno.symlink(join(world.directory, "seed", "api"), world.clone("api"));
    const ran = await status(world);
    assertEquals(await statuses(world), { api: "ERROR", web: "OK" });
    assertEquals(pick(ran.json(), "repos", 0, "error", "code"), "manifest_invalid");
    assertEquals(pick(ran.json(), "repos", 0, "commit"), "-");
  },
});

Deno.test("amof status --repo shows only the named repositories, in manifest order", async () => {
  await using world = await World.installed();
  const ran = await status(world, "--repo", "docs", "--repo", "api");
  assertEquals(rows(ran.json(), "repos").map((entry) => entry["name"]), ["api", "docs"]);
  assertMatch(String(ran.json()["summary"]), /^Checked 2 selected repos: /);
  const sync = rows(ran.json(), "suggested_actions").find(({ id }) => id === "sync_ecosystem");
  assertEquals(pick(sync, "args", "repos"), ["docs", "api"]);
});

Deno.test("amof status --repo refuses a name that is none and lists the others", async () => {
  await using world = await World.installed();
  const ran = await status(world, "--repo", "api", "--repo", "apii");
  assertEquals(ran.code, 2);
  assertEquals(pick(ran.json(), "error"), "repo_not_found");
  assertEquals(pick(ran.json(), "details", "available"), ["api", "web", "docs"]);
  assertMatch(String(pick(ran.json(), "message")), /"apii" .*did you mean "api"\?/);
});

Deno.test("amof status leaves disabled repositories out", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const file = join(world.control, "ecosystems", "demo", "ecosystem.yaml");
  await Deno.writeTextFile(file, `${await Deno.readTextFile(file)}    enabled: false\n`);
  assertEquals(await statuses(world), { api: "OK" });
  const named = await status(world, "--repo", "web");
  assertEquals([named.code, pick(named.json(), "error")], [2, "repo_not_found"]);
  assertStringIncludes(String(pick(named.json(), "message")), "disables it");
});

Deno.test("amof status --check exits 0 when all is well, else 3 with the whole answer", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  assertEquals((await status(world, "--check")).code, 0);
  await Deno.writeTextFile(join(world.clone("web"), "new.txt"), "new\n");
  assertEquals((await status(world)).code, 0);
  const ran = await status(world, "--check");
  assertEquals(ran.code, 3);
  assertEquals(pick(ran.json(), "error"), "check_failed");
  assertEquals(pick(ran.json(), "details", "repos"), ["web"]);
  assertEquals(rows(ran.json(), "repos").length, 2);
  const human = await world.amof(["status", "--check"]);
  assertEquals(human.code, 3);
  assertMatch(human.stdout, /^web .*DIRTY/m);
  assertStringIncludes(human.stderr, "error: ");
});

Deno.test("amof status --fetch asks the remotes and writes nothing", async () => {
  await using world = await World.installed({ repos: ["api", "web", "gone", "dead", "free"] });
  const seed = join(world.directory, "seed", "web");
  await commit(world, seed, "news.txt");
  await world.git(seed, "push", "--quiet", join(world.remotes, "web.git"), "main");
  const gone = world.clone("gone");
  await world.git(gone, "switch", "--quiet", "-c", "feature/x");
  await world.git(gone, "push", "--quiet", "-u", "origin", "feature/x");
  await world.git(join(world.remotes, "gone.git"), "update-ref", "-d", "refs/heads/feature/x");
  await Deno.rename(join(world.remotes, "dead.git"), join(world.remotes, "dead.away"));
  await world.git(world.clone("free"), "switch", "--quiet", "-c", "feature/free");
  const before = await world.fingerprint();
  const ran = await status(world, "--fetch");
  assertEquals(ran.code, 0);
  assertEquals(
    Object.fromEntries(rows(ran.json(), "repos").map((entry) => [entry["name"], entry["remote"]])),
    { api: "current", web: "changed", gone: "no_branch", dead: "unreachable", free: "current" },
  );
  // Why it could not be asked is on the screen, too.
  const why = /does not appear to be a git repository/;
  assertMatch(String(pick(ran.json(), "repos", 3, "remote_error")), why);
  const human = (await world.amof(["status", "--fetch"])).stdout;
  assertMatch(human, /✗ dead: remote unreachable: .*git/);
  assertMatch(human, /^Checked 5 repos: 2 with news at their remotes, 1 unreachable\.$/m);
  assertMatch(human, /⚠ web: the remote has .* not fetched\n {4}fix: amof sync --repo web$/m);
  assertMatch(human, /⚠ gone: the remote has the branch no more\n {4}fix: amof sync --repo gone$/m);
  assertEquals(await world.changesSince(before), []);
  // What a sync has brought is no news any more.
  await world.amof(["sync"]);
  const synced = (await world.amof(["status", "--fetch"])).stdout;
  assertNotMatch(synced, /not fetched|the branch no more/);
});

Deno.test("amof status changes nothing, not even git's index", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const file = join(world.clone("api"), "README.md");
  // The same content at another time: a plain git status would note that in the index.
  await Deno.utime(file, 1, 1);
  await Deno.writeTextFile(join(world.clone("api"), "new.txt"), "new\n");
  const before = await world.fingerprint();
  await status(world);
  assertEquals(await world.changesSince(before), []);
});

Deno.test("amof status works while another git holds the index", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await Deno.writeTextFile(join(world.clone("api"), ".git", "index.lock"), "");
  assertEquals(await statuses(world), { api: "OK" });
});

Deno.test({
  name: "amof status starts one git process per repository and no other, two without an upstream",
  ignore: !POSIX, // git is wrapped in a shell script
  async fn() {
    await using world = await World.installed({ repos: ["a", "b", "c", "d", "e"] });
    const calls = join(world.directory, "calls.txt");
    const env = await world.wrapGit(`echo "$*" >> '${calls}'`);
    const count = async (...flags: string[]) => {
      await Deno.writeTextFile(calls, "");
      const ran = await world.amof(["status", "--json", ...flags], { env });
      assertEquals(ran.code, 0);
      return (await Deno.readTextFile(calls)).trim().split("\n").length;
    };
    // Git alone reads tables: what refs say is one more for each, and two say which branch the workspace has.
    let more = IN_TABLES ? 7 : 0;
    assertEquals(await count(), 5 + more);
    await world.commitOnFeature("c");
    // And one where the base branch is that is checked out no more.
    if (IN_TABLES) more++;
    assertEquals(await count(), 6 + more);
    // A branch that is where one of the remote is needs no look, one that is nowhere else does.
    await world.git(world.clone("d"), "branch", "--quiet", "--no-track", "feature/d");
    assertEquals(await count(), 6 + more);
    await world.commitOnFeature("d", "feature/d2");
    await world.git(world.clone("d"), "switch", "--quiet", "main");
    assertEquals(await count(), 7 + more);
    await world.git(world.clone("c"), "branch", "--quiet", "--no-track", "feature/c2");
    // The look at what is checked out tells of the others, too.
    assertEquals(await count(), 7 + more);
    assertEquals(await count("--long"), 12 + more);
  },
});

Deno.test("amof status keeps 30 repositories in manifest order, however many work at once", async () => {
  await using world = await World.withEcosystem({ repos: ["only"] });
  const names = Array.from({ length: 30 }, (_, index) => `r${(index * 7) % 30}`);
  const lines = names.map((name) =>
    `  - {name: ${name}, url: "${world.url("only")}", branch: main}`
  );
  await world.write(
    "control/ecosystems/demo/ecosystem.yaml",
    `name: demo\nrepos:\n${lines.join("\n")}\n`,
  );
  await world.install();
  for (const jobs of ["1", "32"]) {
    const ran = await status(world, "--jobs", jobs);
    assertEquals(rows(ran.json(), "repos").map((entry) => entry["name"]), names);
  }
});

Deno.test("amof status cleans a hostile branch name for readers", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.git(world.clone("api"), "switch", "--quiet", "-c", "feature/\u202egnp\u200b.exe");
  const ran = await world.amof(["status"]);
  assertMatch(ran.stdout, /^api +feature\/gnp\.exe +/m);
  assertNotMatch(ran.stdout + ran.stderr, /[\u202e\u200b]/);
});

Deno.test("amof status refuses a state file of an older version and points to --repair", async () => {
  await using world = await World.installed({ repos: ["api"] });
  for (
    const [members, why] of [
      [{ version: 2 }, /older version/],
      [{ version: 4 }, /newer amof/],
      [{ version: 3, active_ticket: "T-9" }, /active ticket is unknown/],
      [{ version: 3, active_ticket: null, tickets: [] }, /tickets are damaged/],
    ] as const
  ) {
    await world.patchState({ ...members });
    const ran = await status(world);
    assertEquals(ran.code, 1);
    assertEquals(pick(ran.json(), "error"), "state_corrupt");
    assertMatch(String(pick(ran.json(), "message")), why);
  }
});

Deno.test("amof status works without a state file", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await Deno.remove(world.stateFile());
  assertEquals(await statuses(world), { api: "OK" });
});

Deno.test({
  name: "amof status tells of a branch whose name is no UTF-8",
  // Other systems have no such names.
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using world = await World.installed({ repos: ["api", "web"] });
    const line = (name: string) =>
      `git commit-tree -p HEAD -m Odd HEAD^{tree} | xargs git branch "$(printf '${name}')"`;
    const run = async (repo: string, script: string) => {
      const ran = await world.command("sh", ["-c", script], { cwd: world.clone(repo) });
      assertEquals(ran.code, 0, ran.stderr);
    };
    await run("api", line("caf\\351"));
    // The name of the directory is none, too.
    await run("web", line("caf\\351/x"));
    assertEquals(await statuses(world), { api: "UNPUSHED", web: "UNPUSHED" });
    for (const repo of ["api", "web"]) await run(repo, "git pack-refs --all");
    assertEquals(await statuses(world), { api: "UNPUSHED", web: "UNPUSHED" }, "packed");
  },
});

Deno.test("amof status tells other branches that no remote has, and with --long last commits", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const clone = world.clone("api");
  // Nothing but what the remote has.
  await world.git(clone, "branch", "--no-track", "feature/idle");
  await world.git(clone, "switch", "--quiet", "-c", "feature/half");
  await commit(world, clone, "a.txt");
  await world.git(clone, "push", "--quiet", "--set-upstream", "origin", "feature/half");
  await commit(world, clone, "b.txt");
  await world.git(clone, "switch", "--quiet", "--no-track", "-c", "feature/spike", "main");
  await commit(world, clone, "c.txt");
  await world.git(clone, "switch", "--quiet", "main");
  await world.git(world.clone("web"), "switch", "--quiet", "--detach");
  const ran = await world.amof(["status", "--long", "--json"]);
  const [api, web] = rows(ran.json(), "repos");
  assertEquals(pick(api, "other_unpushed"), [
    { branch: "feature/half", ahead: 1 },
    { branch: "feature/spike", ahead: 1 },
  ]);
  assertEquals(pick(api, "status"), "UNPUSHED");
  assertEquals(pick(web, "other_unpushed"), undefined);
  for (const repo of [api, web]) {
    assertEquals(pick(repo, "last_commit", "committed_at"), "2026-01-02T03:04:05.000Z");
  }
  const human = await world.amof(["status", "--long"]);
  assertMatch(human.stdout, /FETCHED +AGE +LAST COMMIT$/m);
  assertMatch(
    human.stdout,
    /^⚠ api: not pushed, and not checked out: feature\/half \(↑1\) and feature\/spike \(↑1\)\n {4}fix: git -C .*api push --set-upstream origin feature\/half\n {9}git -C .*api push --set-upstream origin feature\/spike$/m,
  );
});

Deno.test({
  name: "amof status names the run that is at work",
  ignore: !POSIX, // a hook in shell holds it
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    await world.commitOnFeature("api");
    assertEquals(pick((await status(world)).json(), "running"), undefined);
    await using hold = await Hold.on(world, "api");
    const id = await hold.push();
    assertEquals(pick((await status(world)).json(), "running", "run_id"), id);
    const human = await world.amof(["status"]);
    assertMatch(human.stdout, new RegExp(`^Running: push \\(run ${id.slice(0, 8)}\\), since`, "m"));
  },
});

Deno.test("amof status --fetch tells of a base branch that has moved below a ticket, and finds not all OK", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  assertEquals((await world.amof(["ticket", "start", "T-1"])).code, 0);
  for (const repo of ["api", "web"]) {
    await world.git(world.clone(repo), "commit", "--quiet", "--allow-empty", "-m", "Mine");
  }
  assertEquals((await world.amof(["push", "--yes", "--quiet"])).code, 0);
  assertStringIncludes((await world.amof(["status", "--fetch"])).stdout, "2 repos: all OK.");
  const other = join(world.directory, "colleague");
  await world.git(world.directory, "clone", "--quiet", world.url("api"), other);
  await world.git(other, "commit", "--quiet", "--allow-empty", "-m", "Theirs");
  await world.git(other, "push", "--quiet", "origin", "main");
  const { stdout } = await world.amof(["status", "--fetch"]);
  assertStringIncludes(stdout, "2 repos: 1 with news at its remote.");
  assertStringIncludes(stdout, "fix: amof sync --repo api\n");
  assertEquals((await world.amof(["sync", "--repo", "api"])).code, 0);
  const after = await world.amof(["status", "--fetch"]);
  assertStringIncludes(after.stdout, "2 repos: all OK.");
});
