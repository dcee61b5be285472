/**
 * `amof ticket …`, from outside.
 *
 * @module
 */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { IN_TABLES, World } from "../support/world.ts";

/** Wrapped programs are shell scripts. */
const POSIX = Deno.build.os !== "windows";

function branch(world: World, repo: string): Promise<string> {
  return world.git(world.clone(repo), "branch", "--show-current");
}

/** Every ref and the head of a clone. */
async function refs(world: World, repo: string): Promise<string> {
  const all = await world.git(
    world.clone(repo),
    "for-each-ref",
    "--format=%(refname) %(objectname)",
  );
  return `${await branch(world, repo)}\n${all}`;
}

/** A commit that no branch of a clone has. */
async function commitOf(world: World, repo: string): Promise<string> {
  return await world.git(world.clone(repo), "commit-tree", "-m", "Loose", "HEAD^{tree}");
}

async function moveRemote(world: World, repo: string, name: string): Promise<string> {
  const other = join(world.directory, `other-${repo}-${name.replaceAll("/", "-")}`);
  await world.git(world.directory, "clone", "--quiet", world.url(repo), other);
  await world.git(other, "switch", "--quiet", "-C", name);
  await Deno.writeTextFile(join(other, `${name.replaceAll("/", "-")}.txt`), "theirs\n");
  await world.git(other, "add", ".");
  await world.git(other, "commit", "--quiet", "-m", `Theirs on ${name}`);
  await world.git(other, "push", "--quiet", "origin", name);
  return await world.git(other, "rev-parse", "HEAD");
}

Deno.test("amof ticket start begins at the remote's base branch or at the one that is named", async () => {
  await using world = await World.installed();
  const develop = await moveRemote(world, "web", "develop");
  await world.amof(["sync"]);
  const ran = await world.amof(["ticket", "start", "PROJ-2", "--base", "web=develop", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(await world.git(world.clone("web"), "rev-parse", "HEAD"), develop);
  const state = await world.state();
  assertEquals(pick(state, "tickets", "PROJ-2", "repo_selections", 1, "source_branch"), "develop");
});

Deno.test("amof ticket start reuses a local branch and follows a remote one", async () => {
  await using world = await World.installed();
  await world.git(world.clone("api"), "branch", "feature/PROJ-3", "main");
  const theirs = await moveRemote(world, "web", "feature/PROJ-3");
  await world.amof(["sync"]);
  const ran = await world.amof(["ticket", "start", "PROJ-3", "--json"]);
  assertEquals(pick(ran.json(), "repos", 0, "action"), "reuse", ran.stdout);
  assertEquals(pick(ran.json(), "repos", 1, "action"), "track");
  assertEquals(await world.git(world.clone("web"), "rev-parse", "HEAD"), theirs);
  assertEquals(
    await world.git(world.clone("web"), "rev-parse", "--abbrev-ref", "@{upstream}"),
    "origin/feature/PROJ-3",
  );
});

Deno.test("amof ticket start finds what was pushed to the remotes since the last fetch", async () => {
  await using world = await World.installed({ repos: ["api", "web", "new", "gone"] });
  const old = await moveRemote(world, "web", "feature/PROJ-3");
  await moveRemote(world, "gone", "feature/PROJ-3");
  await world.amof(["sync"]);
  const api = await moveRemote(world, "api", "feature/PROJ-3");
  const other = join(world.directory, "other-web-feature-PROJ-3");
  await world.git(other, "commit", "--quiet", "--allow-empty", "-m", "More");
  await world.git(other, "push", "--quiet", "origin", "feature/PROJ-3");
  const web = await world.git(other, "rev-parse", "HEAD");
  await world.git(join(world.remotes, "gone.git"), "branch", "-D", "feature/PROJ-3");
  const plan = await world.amof(["ticket", "start", "PROJ-3", "--dry-run", "--json"]);
  assertEquals(plan.code, 0, plan.stdout);
  assertEquals(await world.git(world.clone("web"), "rev-parse", "origin/feature/PROJ-3"), old);
  const ran = await world.amof(["ticket", "start", "PROJ-3", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(rows(ran.json(), "repos").map((repo) => repo["action"]), [
    "track",
    "track",
    "create",
    "create",
  ]);
  const where = "feature/PROJ-3 is at the remotes of api and web only, and new in new and gone";
  assertStringIncludes(
    plan.stdout,
    `${where}; to start only there: amof ticket start PROJ-3 --repo api,web`,
  );
  const leave = "ticket end PROJ-3 --repo new,gone --cleanup-local";
  assertEquals(pick(ran.json(), "notes"), [`${where}; to leave those: amof ${leave}`]);
  for (const [repo, commit] of [["api", api], ["web", web]] as const) {
    assertEquals(await world.git(world.clone(repo), "rev-parse", "HEAD"), commit);
    assertEquals(
      await world.git(world.clone(repo), "rev-parse", "--abbrev-ref", "@{upstream}"),
      "origin/feature/PROJ-3",
    );
  }
  for (const repo of ["new", "gone"]) {
    const clone = world.clone(repo);
    assertEquals(
      await world.git(clone, "rev-parse", "HEAD"),
      await world.git(clone, "rev-parse", "main"),
    );
  }
  assertEquals((await world.amof([...leave.split(" "), "--yes"])).code, 0);
  assertEquals([await branch(world, "web"), await branch(world, "new")], [
    "feature/PROJ-3",
    "main",
  ]);
  // Who names them has been told nothing new.
  await world.amof(["ticket", "end", "PROJ-3", "--cleanup-local", "--yes", "--force"]);
  const named = await world.amof(["ticket", "start", "PROJ-3", "--repo", "api,new", "--dry-run"]);
  assertEquals(named.stdout.includes("only there"), false, named.stdout);
});

Deno.test("amof ticket start works without a remote that does not answer, and says so", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await moveRemote(world, "api", "feature/PROJ-3");
  await Deno.rename(join(world.remotes, "web.git"), join(world.remotes, "away.git"));
  const plan = await world.amof(["ticket", "start", "PROJ-3", "--dry-run"]);
  assertMatch(plan.stdout, /web: its remote could not be asked whether it has feature\/PROJ-3/);
  const ran = await world.amof(["ticket", "start", "PROJ-3"]);
  assertEquals(ran.code, 0, ran.stderr);
  assertMatch(ran.stdout, /api +feature\/PROJ-3 +branch of the remote/);
  assertMatch(ran.stdout, /web +feature\/PROJ-3 +new branch/);
  assertMatch(ran.stdout, /⚠ web: its remote could not be asked .*one pushed there since/);
});

Deno.test("amof ticket start --offline knows only what was fetched", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await moveRemote(world, "api", "feature/PROJ-3");
  const ran = await world.amof(["ticket", "start", "PROJ-3", "--offline", "--json"]);
  assertEquals(pick(ran.json(), "repos", 0, "action"), "create", ran.stdout);
  assertEquals(pick(ran.json(), "notes"), []);
});

Deno.test("amof ticket start and switch write over no ignored file, and leave all repositories", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const other = join(world.directory, "other");
  await world.git(world.directory, "clone", "--quiet", world.url("web"), other);
  await world.git(other, "switch", "--quiet", "-c", "feature/PROJ-3");
  await Deno.writeTextFile(join(other, ".env"), "theirs\n");
  await world.git(other, "add", ".");
  await world.git(other, "commit", "--quiet", "-m", "Theirs");
  await world.git(other, "push", "--quiet", "origin", "feature/PROJ-3");
  await world.write("control/worktrees/demo/repos/web/.git/info/exclude", ".env\n");
  const mine = join(world.clone("web"), ".env");
  const refuse = async (...args: string[]) => {
    const before = [await branch(world, "api"), await branch(world, "web")];
    await Deno.writeTextFile(mine, "mine\n");
    const ran = await world.amof([...args, "--json"]);
    assertEquals(ran.code, 1, ran.stdout);
    assertStringIncludes(
      String(pick(ran.json(), "message")),
      "files that git does not track are in the way: .env",
    );
    assertEquals(await Deno.readTextFile(mine), "mine\n");
    assertEquals([await branch(world, "api"), await branch(world, "web")], before);
    await Deno.remove(mine);
  };
  await refuse("ticket", "start", "PROJ-3");
  await world.amof(["ticket", "start", "PROJ-3"]);
  await world.amof(["ticket", "switch", "main"]);
  await refuse("ticket", "switch", "PROJ-3");
  assertEquals((await world.amof(["ticket", "switch", "PROJ-3"])).code, 0);
  assertEquals(await Deno.readTextFile(mine), "theirs\n");
});

Deno.test("amof ticket start refuses as a whole when one repository is dirty", async () => {
  await using world = await World.installed();
  await Deno.writeTextFile(join(world.clone("web"), "mine.txt"), "mine\n");
  const before = [await refs(world, "api"), await refs(world, "web")];
  const ran = await world.amof(["ticket", "start", "PROJ-4", "--json"]);
  assertEquals(ran.code, 1);
  assertEquals(pick(ran.json(), "error"), "repo_dirty");
  assertEquals([await refs(world, "api"), await refs(world, "web")], before);
  assertEquals((await world.state())["active_ticket"], null);
});

for (const id of ["../escape", "-x", "main", "a..b", "a b", "x.lock", "", "é"]) {
  Deno.test(`amof ticket start refuses the id "${id}" and makes nothing`, async () => {
    await using world = await World.installed({ repos: ["api"] });
    const before = await world.fingerprint();
    const ran = await world.amof(["ticket", "start", "--json", "--", id]);
    assertEquals(ran.code, 2, ran.stdout);
    assertEquals(pick(ran.json(), "error"), "invalid_arguments");
    const why = id === "main"
      ? "it stands for the base branches"
      : ["a..b", "x.lock"].includes(id)
      ? `git takes no branch "feature/${id}"`
      : "that is not an id";
    assertStringIncludes(String(pick(ran.json(), "message")), `as a ticket: ${why}`);
    assertEquals(await world.changesSince(before), []);
  });
}

Deno.test("amof ticket start of a known ticket points to switch, and of the active one to the status", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.amof(["ticket", "start", "PROJ-1"]);
  const again = async () => {
    const ran = await world.amof(["ticket", "start", "PROJ-1", "--json"]);
    assertEquals([ran.code, pick(ran.json(), "error")], [1, "ticket_exists"]);
    return [pick(ran.json(), "hint"), pick(ran.json(), "suggested_actions", 0, "tool")];
  };
  assertEquals(await again(), [
    "It is the active one: amof status",
    "amof_get_ecosystem_status",
  ]);
  await world.amof(["ticket", "start", "PROJ-2"]);
  assertEquals(await again(), ["Go to it: amof ticket switch PROJ-1", "amof_ticket_switch"]);
});

Deno.test("amof ticket start of a known ticket takes what it lacks into it, as it was named", async () => {
  await using world = await World.installed({ repos: ["api", "docs", "web"] });
  await world.amof(["ticket", "start", "PROJ-1", "--repo=api"]);
  const take = "Take into it what it lacks: amof ticket add PROJ-1 --repo docs,web";
  const again = async () =>
    pick(
      (await world.amof(["ticket", "start", "PROJ-1", "--repo=web,docs,api", "--json"])).json(),
      "hint",
    );
  assertEquals(await again(), take);
  await world.amof(["ticket", "switch", "main"]);
  assertEquals(await again(), `Go to it: amof ticket switch PROJ-1\n${take}`);
});

Deno.test("amof ticket start and end together change no ref", async () => {
  await using world = await World.installed();
  const before = [await refs(world, "api"), await refs(world, "web"), await refs(world, "docs")];
  await world.amof(["ticket", "start", "PROJ-1"]);
  const ran = await world.amof(["ticket", "end", "PROJ-1", "--cleanup-local", "--yes", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(
    [await refs(world, "api"), await refs(world, "web"), await refs(world, "docs")],
    before,
  );
  assertEquals(pick(await world.state(), "tickets"), {});
});

Deno.test("amof ticket switch main goes to the base branches, and to the active ticket changes nothing", async () => {
  await using world = await World.installed();
  await world.amof(["ticket", "start", "A"]);
  const again = await world.amof(["ticket", "switch", "A", "--json"]);
  assertEquals([again.code, pick(again.json(), "repos")], [0, []]);
  const ran = await world.amof(["ticket", "switch", "main", "--json"]);
  assertEquals([ran.code, pick(ran.json(), "active_ticket")], [0, null]);
  assertEquals(await branch(world, "api"), "main");
  const unknown = await world.amof(["ticket", "switch", "AA", "--json"]);
  assertEquals([unknown.code, pick(unknown.json(), "error")], [2, "ticket_not_found"]);
  assertMatch(String(pick(unknown.json(), "message")), /did you mean "A"/);
});

Deno.test("amof ticket switch refuses as a whole when a branch is gone", async () => {
  await using world = await World.installed();
  await world.amof(["ticket", "start", "A"]);
  await world.amof(["ticket", "switch", "main"]);
  await world.git(world.clone("web"), "branch", "-D", "feature/A");
  const ran = await world.amof(["ticket", "switch", "A", "--json"]);
  assertEquals(ran.code, 1);
  assertEquals([await branch(world, "api"), await branch(world, "web")], ["main", "main"]);
});

Deno.test("amof ticket end keeps the branches, and refuses to delete work that is nowhere else", async () => {
  await using world = await World.installed();
  await world.amof(["ticket", "start", "A"]);
  await Deno.writeTextFile(join(world.clone("api"), "work.txt"), "work\n");
  await world.git(world.clone("api"), "add", ".");
  await world.git(world.clone("api"), "commit", "--quiet", "-m", "Work");
  const before = await refs(world, "api");
  for (const flag of ["--cleanup-local", "--cleanup"]) {
    const refused = await world.amof(["ticket", "end", "A", flag, "--yes", "--json"]);
    assertEquals([refused.code, pick(refused.json(), "error")], [1, "would_lose_work"]);
    assertEquals(await refs(world, "api"), before);
  }
  await world.git(world.clone("web"), "switch", "--quiet", "main");
  await world.git(world.clone("web"), "branch", "-m", "feature/A", "mine");
  const renamed = await world.amof(["ticket", "end", "A", "--dry-run"]);
  assertStringIncludes(renamed.stdout, "Find feature/A of web renamed to mine, which stays");
  await world.git(world.clone("web"), "branch", "-D", "mine");
  const plan = await world.amof(["ticket", "end", "A", "--dry-run"]);
  assertStringIncludes(plan.stdout, "Find feature/A of web gone before");
  const ended = await world.amof(["ticket", "end", "A", "--json"]);
  assertEquals(rows(ended.json(), "repos").map(({ name, kept, why }) => [name, kept, why]), [
    ["api", true, null],
    ["web", false, "gone before"],
  ]);
  assertEquals(await branch(world, "api"), "main");
  assertStringIncludes(await refs(world, "api"), "refs/heads/feature/A");
  // One that is left in no repository is no ticket any more.
  await world.git(world.clone("api"), "branch", "-D", "feature/A");
  const left = await world.amof(["ticket", "list", "--ended"]);
  assertEquals(left.stdout.includes("web"), false, left.stdout);
});

Deno.test("amof ticket end --cleanup needs a confirmation and deletes merged branches on both sides", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.amof(["ticket", "start", "A"]);
  await Deno.writeTextFile(join(world.clone("api"), "work.txt"), "work\n");
  await world.amof(["push", "--commit", "--yes", "--quiet"]);
  const bare = join(world.remotes, "api.git");
  await world.git(bare, "update-ref", "refs/heads/main", "refs/heads/feature/A");
  await world.amof(["sync"]);
  const unconfirmed = await world.amof(["ticket", "end", "A", "--cleanup", "--json"]);
  assertEquals([unconfirmed.code, pick(unconfirmed.json(), "error")], [4, "confirmation_required"]);
  const ran = await world.amof(["ticket", "end", "A", "--cleanup", "--yes", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(await world.git(bare, "for-each-ref", "--format=%(refname)"), "refs/heads/main");
  assertEquals(await world.git(world.clone("api"), "branch", "--list", "feature/*"), "");
});

Deno.test("amof ticket list names tickets whose branches came with the clones or were made by hand, with what takes them up", async () => {
  await using world = await World.installed({ repos: ["api", "web", "docs"] });
  for (const repo of ["api", "web"]) {
    await moveRemote(world, repo, "feature/A-1");
    await world.git(world.clone(repo), "fetch", "--quiet");
  }
  await world.git(world.clone("api"), "branch", "feature/new", "origin/main");
  const listed = async () => {
    const { stdout } = await world.amof(["ticket", "list"]);
    return stdout.split("\n").filter((line) => line.startsWith("Take up"));
  };
  const way = "amof ticket start A-1 --repo api,web";
  assertEquals(await listed(), [`Take up A-1, as api and web have feature/A-1: ${way}`]);
  // What a base branch has is nothing to go on with.
  const api = join(world.remotes, "api.git");
  await world.git(api, "update-ref", "refs/heads/main", "feature/A-1");
  await world.git(world.clone("api"), "fetch", "--quiet");
  assertEquals((await world.amof(["ticket", "list", "--json"])).json()["untaken"], [
    { ticket_id: "A-1", repos: { web: "feature/A-1" } },
  ]);
  assertEquals((await world.amof(["ticket", "start", "A-1", "--repo", "web"])).code, 0);
  assertEquals(await listed(), []);
  // Beside tickets only what is here is told, wherever git keeps it.
  const docs = world.clone("docs");
  await world.git(
    docs,
    "update-ref",
    "refs/remotes/origin/feature/B-2",
    await commitOf(world, "docs"),
  );
  await world.git(docs, "switch", "--quiet", "-c", "feature/X-9");
  await world.git(docs, "commit", "--quiet", "--allow-empty", "-m", "Mine");
  await world.git(docs, "pack-refs", "--all");
  const x9 = ["Take up X-9, as docs has feature/X-9: amof ticket start X-9 --repo docs"];
  assertEquals(await listed(), x9);
  // One that has ended is no news.
  assertEquals((await world.amof(["ticket", "start", "X-9", "--repo", "docs"])).code, 0);
  assertEquals((await world.amof(["ticket", "end", "X-9"])).code, 0);
  assertEquals(await listed(), []);
});

Deno.test("amof ticket list shows branches, the active ticket and its state", async () => {
  await using world = await World.installed();
  const none = await world.amof(["ticket", "list", "--json"]);
  assertEquals(pick(none.json(), "tickets"), []);
  await world.amof(["ticket", "start", "A"]);
  await Deno.writeTextFile(join(world.clone("api"), "mine.txt"), "mine\n");
  const ran = await world.amof(["ticket", "list", "--json"]);
  assertEquals(pick(ran.json(), "active_ticket"), "A");
  assertEquals(pick(ran.json(), "tickets", 0, "repos"), { api: "feature/A", web: "feature/A" });
  assertEquals(pick(ran.json(), "tickets", 0, "states"), { api: "dirty", web: "ok" });
});

Deno.test({
  name:
    "amof ticket start takes three git processes per repository, one less with --offline, sync with nothing new two",
  ignore: !POSIX, // git is wrapped in a shell script
  async fn() {
    const repos = Array.from({ length: 30 }, (_, index) => `repo${String(index).padStart(2, "0")}`);
    await using world = await World.installed({ repos });
    const log = join(world.directory, "calls");
    const env = await world.wrapGit(`echo "$*" >> '${log}'`);
    const calls = async (args: string[]): Promise<string[]> => {
      await Deno.writeTextFile(log, "");
      const ran = await world.amof(args, { env });
      assertEquals(ran.code, 0, ran.stdout + ran.stderr);
      return (await Deno.readTextFile(log)).trim().split("\n");
    };
    // Besides those per repository git is asked where the worktrees are: by each look at the workspace.
    const started = await calls(["ticket", "start", "T-1"]);
    assertEquals(
      started.filter((line) => !line.includes("worktree list")).length,
      // Git alone reads tables: the refs before and after, and which branch is checked out.
      (IN_TABLES ? 10 : 3) * repos.length,
    );
    assertEquals(started.filter((line) => line.includes("ls-remote")).length, repos.length);
    const offline = await calls([
      "ticket",
      "start",
      "T-2",
      "--offline",
      "--repos",
      "repo00,repo01",
    ]);
    assertEquals(offline.filter((line) => line.includes("ls-remote")), []);
    // What is known here is refused before any remote is asked.
    await Deno.writeTextFile(join(world.clone("repo00"), "README.md"), "changed\n");
    await Deno.writeTextFile(log, "");
    const refused = await world.amof(["ticket", "start", "T-3"], { env });
    assertStringIncludes(refused.stderr, '"repo00" has 1 uncommitted file');
    assertEquals((await Deno.readTextFile(log)).includes("ls-remote"), false);
    await world.git(world.clone("repo00"), "checkout", "--quiet", "README.md");
    const synced = await calls(["sync"]);
    // The base branches of the two that are on another one stand in files.
    assertEquals(
      synced.filter((line) => !line.includes("worktree list")).length,
      IN_TABLES ? 10 * repos.length + 2 : 2 * repos.length - 2,
    );
  },
});

Deno.test("amof ticket start takes repositories of the ticket that is left back to their base branches", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  assertEquals((await world.amof(["ticket", "start", "T-1"])).code, 0);
  await Deno.writeTextFile(join(world.clone("web"), "mine.txt"), "mine\n");
  // What cannot go stays where it is, since only others were asked for.
  assertEquals((await world.amof(["ticket", "start", "T-2", "--repos", "api"])).code, 0);
  assertEquals(await world.git(world.clone("web"), "branch", "--show-current"), "feature/T-1");
  assertEquals((await world.amof(["ticket", "switch", "T-1"])).code, 0);
  const started = await world.amof(["ticket", "start", "T-3", "--repos", "api", "--stash"]);
  assertEquals(started.code, 0, started.stderr);
  assertEquals(await world.git(world.clone("web"), "branch", "--show-current"), "main");
  assertEquals((await world.amof(["status", "--check"])).code, 0);
  assertEquals((await world.amof(["ticket", "switch", "T-1"])).code, 0);
  assertEquals(await Deno.readTextFile(join(world.clone("web"), "mine.txt")), "mine\n");
});

Deno.test("a ticket whose branch would be below another one says so before it begins, here and at the remote", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const clone = world.clone("api");
  await world.git(clone, "branch", "feature");
  const here = await world.amof(["ticket", "start", "T-1", "--dry-run", "--json"]);
  assertEquals(here.code, 1, here.stdout);
  assertStringIncludes(
    String(here.json()["message"]),
    '"api" cannot have feature/T-1: it has a branch feature, and git keeps none below another',
  );
  const rename = `git -C ${clone} branch -m feature feature-old`;
  assertStringIncludes(String(here.json()["hint"]), rename);
  await world.git(...rename.slice("git -C ".length).split(" ") as [string, ...string[]]);
  await world.git(clone, "branch", "feature/T-1/sub");
  const under = await world.amof(["ticket", "start", "T-1", "--dry-run", "--json"]);
  const away = `-C ${clone} branch -m feature/T-1/sub feature-T-1-sub`;
  assertStringIncludes(String(under.json()["hint"]), `git ${away}`);
  await world.git(clone, ...away.split(" "));
  const remote = join(world.remotes, "api.git");
  await world.git(remote, "branch", "feature", "main");
  await world.amof(["sync", "--quiet"]);
  const there = await world.amof(["ticket", "start", "T-1", "--json"]);
  assertEquals(there.code, 1, there.stdout);
  assertStringIncludes(String(there.json()["message"]), "its remote has a branch feature");
  await world.git(remote, "branch", "-m", "feature", "old");
  assertEquals((await world.amof(["sync", "--repo", "api"])).code, 0);
  assertEquals((await world.amof(["ticket", "start", "T-1"])).code, 0);
});
