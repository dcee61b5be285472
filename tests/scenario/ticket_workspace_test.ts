/**
 * `amof ticket start --workspace` and what reads the workspace of a ticket, from outside.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { DatabaseSync } from "node:sqlite";
import { pick, rows, until } from "../support/answers.ts";
import { callsOfGit } from "../support/calls_of_git.ts";
import { IN_TABLES, World } from "../support/world.ts";

/** Wrapped programs are shell scripts. */
const POSIX = Deno.build.os !== "windows";

function ticket(world: World, id: string): string {
  return join(world.control, "worktrees", `demo@${id}`);
}

function clone(world: World, id: string, repo: string): string {
  return join(ticket(world, id), "repos", repo);
}

async function names(directory: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(directory))).map(({ name }) => name).sort();
}

/** What the machine remembers of tickets: their ports, and what borrows from mirrors. */
function held(
  world: World,
): { readonly ports: unknown[]; readonly borrowers: number; readonly seals: number } {
  using database = new DatabaseSync(join(world.env["AMOF_HOME"] ?? "", "state", "amof.db"));
  const count = (table: string, where: string) =>
    Number(database.prepare(`SELECT COUNT(*) AS n FROM ${table} ${where}`).get()?.["n"]);
  const ports = database.prepare("SELECT base, directory FROM ticket_ports ORDER BY base").all();
  return {
    ports: ports.map((row) => ({ ...row })),
    borrowers: count("borrowers", ""),
    seals: count("seals", "WHERE directory LIKE '%demo@%'"),
  };
}

/** A branch of a remote with a commit of somebody else; answers that. */
async function pushed(world: World, repo: string, name: string): Promise<string> {
  const seed = join(world.directory, "seed", repo);
  await world.git(seed, "switch", "--quiet", "-C", name, "main");
  await Deno.writeTextFile(join(seed, "theirs.txt"), "theirs\n");
  await world.git(seed, "add", ".");
  await world.git(seed, "commit", "--quiet", "-m", "Theirs");
  await world.git(seed, "push", "--quiet", join(world.remotes, `${repo}.git`), name);
  return await world.git(seed, "rev-parse", "HEAD");
}

Deno.test("amof ticket start --workspace makes clones of its own, and the base workspace stays as it is", async () => {
  await using world = await World.installed();
  const base = world.workspace();
  const before = [await world.contents(base), await world.git(world.control, "worktree", "list")];
  const plan = await world.amof(["ticket", "start", "T-1", "--workspace", "--dry-run"]);
  assertStringIncludes(plan.stdout, "Make worktrees/demo@T-1, beside the base workspace");
  assertStringIncludes(plan.stdout, "Clone docs to be read, on main");
  assertEquals(await names(join(world.control, "worktrees")), ["demo"]);

  const ran = await world.amof(["ticket", "start", "T-1", "--workspace", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  const answer = ran.json();
  assertEquals(pick(answer, "workspace"), "worktrees/demo@T-1");
  assertEquals(pick(answer, "active_ticket"), null);
  assertEquals(
    rows(answer, "repos").map(({ name, branch, action, mirror }) => [name, branch, action, mirror]),
    [["api", "feature/T-1", "create", "made"], ["web", "feature/T-1", "create", "made"]],
  );
  assertEquals(rows(answer, "context").map(({ name, branch }) => [name, branch]), [[
    "docs",
    "main",
  ]]);
  assertEquals(
    [await world.contents(base), await world.git(world.control, "worktree", "list")],
    before,
  );
  assertEquals(await world.git(world.control, "status", "--porcelain"), "");
  assertEquals(await names(join(world.control, "worktrees")), ["demo", "demo@T-1"]);
  assertEquals(await names(ticket(world, "T-1")), [
    ".amof",
    "amof.demo.T-1.code-workspace",
    "repos",
  ]);

  const api = clone(world, "T-1", "api");
  assertEquals(
    await world.git(api, "status", "--short", "--branch"),
    "## feature/T-1",
  );
  assertEquals(await world.git(api, "remote", "get-url", "origin"), world.url("api"));
  const alternates = await Deno.readTextFile(join(api, ".git", "objects", "info", "alternates"));
  assertStringIncludes(alternates, join(world.env["AMOF_HOME"] ?? "", "share", "mirrors"));
  assertEquals(
    await world.git(clone(world, "T-1", "docs"), "status", "--short", "--branch"),
    "## main...origin/main",
  );
  const record = JSON.parse(
    await Deno.readTextFile(join(ticket(world, "T-1"), ".amof", "ticket.json")),
  ) as Record<string, unknown>;
  assertEquals(pick(record, "repos", "api", "start"), await world.git(api, "rev-parse", "HEAD"));
  assertEquals(pick(record, "repos", "docs", "role"), "context");
  assertEquals(held(world), {
    ports: [{ base: 20_000, directory: ticket(world, "T-1") }],
    borrowers: 3,
    seals: 3,
  });

  // The ticket is a place to work in like any other.
  await Deno.writeTextFile(join(api, "mine.txt"), "mine\n");
  await world.git(api, "add", ".");
  await world.git(api, "commit", "--quiet", "-m", "Mine");
  await world.git(api, "push", "--quiet", "origin", "feature/T-1");
  assertEquals(await world.git(api, "fsck", "--connectivity-only"), "");
});

Deno.test("amof ticket list, path, env and switch know the workspace of a ticket", async () => {
  await using world = await World.installed();
  const directory = ticket(world, "T-1");
  await world.amof(["ticket", "start", "T-1", "--workspace"]);
  const { ran, calls } = await callsOfGit(world, ["ticket", "list", "--json"]);
  const [listed] = rows(ran.json(), "tickets");
  assertEquals([listed?.["ticket_id"], listed?.["workspace"], listed?.["states"]], [
    "T-1",
    "worktrees/demo@T-1",
    { api: "there", web: "there" },
  ]);
  // Files of git say it; where refs are in tables git has to.
  const asked = IN_TABLES ? ["branch", "for-each-ref"] : [];
  assertEquals(
    calls.filter((call) => call.directory.startsWith(directory) && !asked.includes(call.verb)),
    [],
  );

  await Deno.writeTextFile(join(clone(world, "T-1", "api"), "new.txt"), "new\n");
  await world.git(clone(world, "T-1", "web"), "switch", "--quiet", "-c", "other");
  const looked = rows(
    (await world.amof(["ticket", "list", "--state", "--json"])).json(),
    "tickets",
  );
  assertEquals(looked[0]?.["states"], { api: "dirty", web: "elsewhere" });

  assertEquals((await world.amof(["ticket", "path", "T-1"])).stdout, `${directory}\n`);
  const env = await world.amof(["ticket", "env", "T-1", "--json=env"]);
  assertEquals(env.json(), {
    env: {
      AMOF_ECOSYSTEM: "demo",
      AMOF_PORT_BASE: "20000",
      AMOF_PORT_COUNT: "20",
      AMOF_ROOT: world.control,
      AMOF_SLUG: "demo__t_1",
      AMOF_TICKET: "T-1",
      AMOF_TICKET_DIR: directory,
    },
  });
  const file = await Deno.readTextFile(join(directory, ".amof", "env"));
  const dotenv = await world.amof(["ticket", "env", "T-1", "--shell", "dotenv"]);
  assertEquals(dotenv.stdout, file);

  const line = `echo "$AMOF_TICKET $AMOF_PORT_BASE $AMOF_SLUG"`;
  const told = await world.amof(
    ["exec", "-t", "T-1", "--repo", "api", "--yes", "--shell", line],
  );
  assertStringIncludes(told.stdout, "T-1 20000 demo__t_1");

  const before = await world.contents(world.workspace());
  const gone = await world.amof(["ticket", "switch", "T-1"]);
  assertEquals(gone.code, 0, gone.stderr);
  assertStringIncludes(gone.stdout, `${directory}\nGo there: cd "$(amof ticket path T-1)"`);
  assertEquals(await world.contents(world.workspace()), before);

  const wrong = await world.amof(["ticket", "path", "T-2"]);
  assertEquals(wrong.code, 2);
  assertMatch(wrong.stderr, /Cannot find ticket "T-2"; did you mean "T-1"\?/);
  const nameless = await world.amof(["ticket", "env", "T-2"]);
  assertMatch(
    nameless.stderr,
    /Cannot find the workspace of ticket "T-2" in "demo"; did you mean "T-1"\?/,
  );
});

Deno.test("a ticket needs no base workspace to be started, listed and ended", async () => {
  await using world = await World.withEcosystem();
  const none = await world.amof(["ticket", "list", "--json"]);
  assertEquals(none.json()["error"], "workspace_not_installed");
  const started = await world.amof(["ticket", "start", "T-1", "--workspace", "--json"]);
  assertEquals(started.code, 0, started.stdout);
  const list = await world.amof(["ticket", "list", "--json"]);
  assertEquals(rows(list.json(), "tickets").map((row) => row["ticket_id"]), ["T-1"]);
  const ended = await world.amof(["ticket", "end", "T-1", "--yes", "--json"]);
  assertEquals(ended.code, 0, ended.stdout);
});

Deno.test("amof ticket start refuses an id that is taken in either way, and what lies in the way", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.amof(["ticket", "start", "T-1", "--workspace"]);
  await world.amof(["ticket", "start", "T-2"]);
  await Deno.mkdir(ticket(world, "T-3"));
  for (const [id, code] of [["T-1", "ticket_exists"], ["T-2", "ticket_exists"]] as const) {
    for (const way of ["--workspace", "--in-place"]) {
      const ran = await world.amof(["ticket", "start", id, way, "--json"]);
      assertEquals([pick(ran.json(), "error"), ran.code], [code, 1], `${id} ${way}`);
    }
  }
  const blocked = await world.amof(["ticket", "start", "T-3", "--workspace"]);
  assertMatch(blocked.stderr, /Cannot start "T-3": something that is no ticket is at /);
  const both = await world.amof(["ticket", "start", "T-4", "--workspace", "--in-place"]);
  assertEquals(both.code, 2);
  assertMatch(both.stderr, /both in a workspace of its own and in the base workspace/);
  assertEquals(held(world).ports.length, 1);
});

Deno.test("amof ticket start --workspace follows a branch of the remote, begins elsewhere, and chooses what is read", async () => {
  await using world = await World.installed();
  const theirs = await pushed(world, "api", "feature/T-1");
  const develop = await pushed(world, "web", "develop");
  const args = ["ticket", "start", "T-1", "--workspace", "--base", "web=develop", "--json"];
  const ran = await world.amof(args);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(
    rows(ran.json(), "repos").map(({ name, action, start }) => [name, action, start]),
    [["api", "track", theirs], ["web", "create", develop]],
  );
  const api = clone(world, "T-1", "api");
  assertEquals(
    await world.git(api, "status", "--short", "--branch"),
    "## feature/T-1...origin/feature/T-1",
  );

  const some = await world.amof(
    ["ticket", "start", "T-2", "--workspace", "--repo", "api", "--context", "all", "--json"],
  );
  assertEquals(rows(some.json(), "context").map(({ name }) => name), ["web", "docs"]);
  const none = await world.amof(
    ["ticket", "start", "T-3", "--workspace", "--repo", "api", "--context", "none", "--json"],
  );
  assertEquals(
    [rows(none.json(), "context"), rows(none.json(), "skipped")],
    [[], [{ name: "web", reason: "not selected" }, { name: "docs", reason: "read-only" }]],
  );
  const nowhere = await world.amof(
    ["ticket", "start", "T-4", "--workspace", "--base", "web=nowhere"],
  );
  assertMatch(nowhere.stderr, /Cannot start T-4: "web" has no branch nowhere to begin at/);
  assertEquals(await world.exists(ticket(world, "T-4")), false);
});

Deno.test("amof ticket start --workspace leaves commits that only the base workspace has where they are", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.commitOnFeature("api", "feature/T-1");
  const ran = await world.amof(["ticket", "start", "T-1", "--workspace"]);
  assertEquals(ran.code, 1);
  assertMatch(
    ran.stderr,
    /"api" has commits on feature\/T-1 in the base workspace that its remote does not have/,
  );
  assertMatch(ran.stderr, /amof ticket start T-1 --in-place/);
  // Once they are on the remote, the ticket goes on from there.
  await world.git(world.clone("api"), "push", "--quiet", "origin", "feature/T-1");
  const again = await world.amof(["ticket", "start", "T-1", "--workspace"]);
  assertEquals(again.code, 0, again.stderr);
  assertMatch(again.stdout, /api +feature\/T-1 +branch of the remote/);
});

Deno.test("workspace.per_ticket makes tickets workspaces of their own unless --in-place says otherwise", async () => {
  await using world = await World.installed({
    repos: ["api"],
    extra: "workspace:\n  per_ticket: true\n",
  });
  const own = await world.amof(["ticket", "start", "T-1"]);
  assertMatch(own.stdout, /in worktrees\/demo@T-1/);
  const here = await world.amof(["ticket", "start", "T-2", "--in-place"]);
  assertEquals(here.stdout.includes("worktrees/"), false);
  assertEquals(await world.git(world.clone("api"), "branch", "--show-current"), "feature/T-2");
});

Deno.test("amof ticket start --workspace copies the ignored files that are asked for, and nothing else", async () => {
  await using world = await World.installed({
    repos: ["api", "web"],
    extra: "",
  });
  const seed = join(world.directory, "seed", "api");
  await Deno.writeTextFile(join(seed, ".gitignore"), ".env\n.env.*\ncache/\nconf/\n");
  await Deno.writeTextFile(
    join(seed, ".worktreeinclude"),
    ".env*\n!.env.old\ncache/\nconf/\nprivate/\n",
  );
  await world.git(seed, "add", ".");
  await world.git(seed, "commit", "--quiet", "-m", "Ignore");
  await world.git(seed, "push", "--quiet", join(world.remotes, "api.git"), "main");
  await world.amof(["sync"]);
  // The remote's branch has a link where the base workspace has a directory, and a file where it has another.
  const outside = join(world.directory, "outside");
  await Deno.mkdir(outside);
  await world.git(seed, "switch", "--quiet", "-c", "feature/T-1");
  await Deno.symlink(outside, join(seed, "conf"));
  await Deno.writeTextFile(join(seed, ".env.theirs"), "theirs\n");
  await world.git(seed, "add", "--force", "conf", ".env.theirs");
  await world.git(seed, "commit", "--quiet", "-m", "Trap");
  await world.git(seed, "push", "--quiet", join(world.remotes, "api.git"), "feature/T-1");

  const base = world.clone("api");
  const files: Record<string, string> = {
    ".env": "SECRET=1\n",
    ".env.old": "OLD=1\n",
    ".env.theirs": "ours\n",
    ".env local*": "LOCAL=1\n",
    "private/key": "KEY=1\n",
    "cache/deep/er.bin": "cached\n",
    "conf/secret": "conf\n",
  };
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(join(base, path, ".."), { recursive: true });
    await Deno.writeTextFile(join(base, path), text);
  }
  await Deno.writeTextFile(join(base, ".git", "info", "exclude"), "private/\n.env local*\n");
  await Deno.chmod(join(base, ".env"), 0o600);
  await Deno.symlink("deep/er.bin", join(base, "cache", "inside"));
  await Deno.symlink(join(world.directory, "control"), join(base, "cache", "away"));
  await Deno.symlink("../../../..", join(base, "cache", "up"));
  const preview = await world.amof(["ticket", "start", "T-1", "--workspace", "--dry-run"]);
  assertStringIncludes(preview.stdout, ".env (9 bytes)");
  assertStringIncludes(preview.stdout, "Leave api: cache/away is a link that leads out");
  assertEquals(preview.stdout.includes("SECRET"), false);

  const ran = await world.amof(["ticket", "start", "T-1", "--workspace", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  const api = clone(world, "T-1", "api");
  const read = (path: string) => Deno.readTextFile(join(api, path)).catch(() => null);
  assertEquals(
    [await read(".env"), await read(".env.old"), await read(".env.theirs")],
    ["SECRET=1\n", null, "theirs\n"],
  );
  assertEquals([await read("cache/deep/er.bin"), await read("cache/inside")], [
    "cached\n",
    "cached\n",
  ]);
  assertEquals(await names(join(api, "cache")), ["deep", "inside"]);
  assertEquals(await names(outside), []);
  // What only the clone of the base workspace is told to ignore is ignored in that of the ticket, too.
  assertEquals([await read("private/key"), await read(".env local*")], ["KEY=1\n", "LOCAL=1\n"]);
  assertEquals(await world.git(api, "status", "--porcelain"), "");
  const [copy, original] = [
    await Deno.stat(join(api, ".env")),
    await Deno.stat(join(base, ".env")),
  ];
  assert(copy.ino !== original.ino);
  assertEquals((copy.mode ?? 0) & 0o777, 0o600);

  await world.amof(["ticket", "start", "T-2", "--workspace", "--no-carry"]);
  assertEquals(await world.exists(join(clone(world, "T-2", "api"), ".env")), false);
});

Deno.test({
  name:
    "amof ticket start --workspace takes three git processes per repository, and one for a mirror that is worked with, and looks at those of the base",
  ignore: !POSIX,
  async fn() {
    await using world = await World.installed();
    await world.amof(["ticket", "start", "T-1", "--workspace"]);
    const { ran, calls } = await callsOfGit(world, ["ticket", "start", "T-2", "--workspace"]);
    assertEquals(ran.code, 0, ran.stderr);
    const verbs = calls.map(({ verb }) => verb);
    const times = (verb: string) => verbs.filter((each) => each === verb).length;
    assertEquals(
      [times("fetch"), times("clone"), times("remote"), times("switch")],
      [2, 3, 3, 3],
      verbs.join(" "),
    );
    assertEquals(verbs.length, IN_TABLES ? 22 : 15, verbs.join(" "));
  },
});

Deno.test("amof ticket start --workspace --standalone borrows from nobody", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const ran = await world.amof(["ticket", "start", "T-1", "--workspace", "--standalone"]);
  assertEquals(ran.code, 0, ran.stderr);
  await Deno.remove(join(world.env["AMOF_HOME"] ?? "", "share", "mirrors"), { recursive: true });
  await world.git(clone(world, "T-1", "api"), "fsck", "--full", "--strict");
  assertEquals(held(world).borrowers, 0);
});

Deno.test("amof ticket start --workspace with a remote that is gone leaves nothing but mirrors", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await Deno.rename(join(world.remotes, "web.git"), join(world.remotes, "away.git"));
  const failed = await world.amof(["ticket", "start", "T-1", "--workspace", "--json"]);
  assertEquals(failed.code, 1, failed.stdout);
  // A mirror that is only made is no place to look from.
  assertMatch(String(failed.json()["hint"]), /A new address belongs in the manifest$/);
  assertEquals(await names(join(world.control, "worktrees")), ["demo"]);
  assertEquals(held(world), { ports: [], borrowers: 0, seals: 0 });
  const offline = await world.amof(["ticket", "start", "T-1", "--workspace", "--offline"]);
  assertEquals(offline.code, 0, offline.stderr);
  await Deno.rename(join(world.remotes, "away.git"), join(world.remotes, "web.git"));
  assertEquals((await world.amof(["ticket", "start", "T-2", "--workspace"])).code, 0);
});

Deno.test("two starts of one ticket at once make it once, and whole", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const start = () => world.amof(["ticket", "start", "T-1", "--workspace"], { apart: true });
  const ran = await Promise.all([start(), start()]);
  assertEquals(ran.filter(({ code }) => code === 0).length, 1, ran.map((one) => one.stderr).join());
  assertEquals(await names(join(world.control, "worktrees")), ["demo", "demo@T-1"]);
  assertEquals(held(world).ports.length, 1);
  for (const repo of ["api", "web"]) {
    assertEquals(await world.git(clone(world, "T-1", repo), "status", "--porcelain"), "");
  }
});

Deno.test("two starts of different tickets at once make both, each with ports of its own", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const start = (id: string) => world.amof(["ticket", "start", id, "--workspace"], { apart: true });
  const ran = await Promise.all([start("T-1"), start("T-2")]);
  assertEquals(ran.map(({ code }) => code), [0, 0], ran.map((one) => one.stderr).join());
  assertEquals(await names(join(world.control, "worktrees")), ["demo", "demo@T-1", "demo@T-2"]);
  const { ports, borrowers } = held(world);
  assertEquals(
    (ports as { base: number; directory: string }[]).map(({ base }) => base),
    [20_000, 20_020],
  );
  assertEquals(borrowers, 4);
  for (const id of ["T-1", "T-2"]) {
    for (const repo of ["api", "web"]) {
      const own = clone(world, id, repo);
      assertEquals(await world.git(own, "status", "--short", "--branch"), `## feature/${id}`);
      await world.git(own, "fsck", "--connectivity-only");
    }
  }
});

Deno.test({
  name: "Ctrl-C in amof ticket start --workspace leaves nothing but mirrors",
  ignore: !POSIX,
  async fn() {
    await using world = await World.installed({ repos: ["api", "web"] });
    const reached = join(world.directory, "reached");
    // The branch of `web` is never switched to, so that the clones are being made.
    const env = await world.wrapGit(
      `case "$PWD  $* " in */web" "*" switch "*) touch '${reached}'; exec sleep 300 ;; esac`,
    );
    const running = world.start(["ticket", "start", "T-1", "--workspace"], { env });
    await until("the clones are being made", () => world.exists(reached));
    running.kill("SIGINT");
    assertEquals((await running.output()).code, 130);
    assertEquals(await names(join(world.control, "worktrees")), ["demo"]);
    assertEquals(held(world), { ports: [], borrowers: 0, seals: 0 });
    const again = await world.amof(["ticket", "start", "T-1", "--workspace"]);
    assertEquals(again.code, 0, again.stderr);
  },
});

Deno.test("amof ticket start --workspace with a remote that dies in the middle leaves nothing but mirrors", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const commit = await pushed(world, "web", "main");
  const remote = join(world.remotes, "web.git");
  const blob = await world.git(remote, "rev-parse", `${commit}:theirs.txt`);
  const object = join(remote, "objects", blob.slice(0, 2), blob.slice(2));
  // It tells what it has, begins to send that, and cannot go on.
  await Deno.rename(object, join(world.directory, "object"));
  const failed = await world.amof(["ticket", "start", "T-1", "--workspace", "--json"]);
  assertEquals(failed.code, 1, failed.stdout);
  assertStringIncludes(String(failed.json()["message"]), '"web" cannot be fetched');
  assertEquals(await names(join(world.control, "worktrees")), ["demo"]);
  assertEquals(held(world), { ports: [], borrowers: 0, seals: 0 });
  await Deno.rename(join(world.directory, "object"), object);
  const started = await world.amof(["ticket", "start", "T-1", "--workspace"]);
  assertEquals(started.code, 0, started.stderr);
  assertEquals(await world.git(clone(world, "T-1", "web"), "rev-parse", "HEAD"), commit);
});
