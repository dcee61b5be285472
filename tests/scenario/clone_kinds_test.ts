/**
 * Clones with less than the whole history, as the manifest asks for them.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { commitIn, ownClone } from "../support/own_ticket.ts";
import { World } from "../support/world.ts";

/** An ecosystem whose repositories are cloned in all three ways; each remote has three commits. */
async function world(): Promise<World> {
  const world = await World.like("three kinds of clones", async (world) => {
    await world.makeControl();
    for (const repo of ["whole", "lazy", "short"]) {
      await world.addRemote(repo);
      const seed = join(world.directory, "seed", repo);
      for (const text of ["two", "three"]) {
        await Deno.writeTextFile(join(seed, "README.md"), `${text}\n`);
        await world.git(seed, "commit", "--quiet", "--all", "-m", text);
      }
      const remote = join(world.remotes, `${repo}.git`);
      await world.git(seed, "push", "--quiet", remote, "main");
      await world.git(remote, "config", "uploadpack.allowFilter", "true");
    }
  });
  const repo = (name: string, clone: string) =>
    `  - {name: ${name}, url: "${world.url(name)}", branch: main${clone}}`;
  await world.write(
    "control/ecosystems/demo/ecosystem.yaml",
    [
      "name: demo",
      "clone: blobless",
      "repos:",
      repo("whole", ", clone: full"),
      repo("lazy", ""),
      repo("short", ', clone: "shallow:2"'),
      "",
    ].join("\n"),
  );
  return world;
}

Deno.test("amof install clones as much history as the manifest says", async () => {
  await using made = await world();
  const ran = await made.amof(["install", "--yes"]);
  assertEquals(ran.code, 0, ran.stderr);
  const count = (repo: string) => made.git(made.clone(repo), "rev-list", "--count", "HEAD");
  assertEquals(await Promise.all(["whole", "lazy", "short"].map(count)), ["3", "3", "2"]);
  const missing = (repo: string) =>
    made.git(made.clone(repo), "rev-list", "--objects", "--missing=print", "HEAD");
  assert(!(await missing("whole")).includes("?"));
  assert((await missing("lazy")).includes("?"));
  // What is not there comes when it is needed.
  assertEquals(await made.git(made.clone("lazy"), "show", "HEAD~2:README.md"), "# lazy");
  assertEquals((await made.amof(["status", "--check"])).code, 0);
  const again = await made.amof(["sync", "--json"]);
  assertEquals(rows(again.json(), "result", "repos").map((row) => row["result"]), [
    "up_to_date",
    "up_to_date",
    "up_to_date",
  ]);
});

Deno.test("amof install says when a server makes no blobless clones, and takes a full one", async () => {
  await using made = await world();
  await made.git(join(made.remotes, "lazy.git"), "config", "uploadpack.allowFilter", "false");
  const ran = await made.amof(["install", "--yes", "-v"]);
  assertEquals(ran.code, 0, ran.stderr);
  assertStringIncludes(ran.stderr, "lazy: its server makes no blobless clones");
});

Deno.test("amof status does not guess how far a shallow clone has diverged", async () => {
  await using made = await world();
  assertEquals((await made.amof(["install", "--yes"])).code, 0);
  const clone = made.clone("short");
  // Histories that do not meet in what is here: an own commit on the oldest, a remote that begins anew.
  const seed = join(made.directory, "seed", "short");
  await made.git(seed, "checkout", "--quiet", "--orphan", "other");
  await made.git(seed, "commit", "--quiet", "-m", "Anew");
  await made.git(seed, "push", "--quiet", "--force", join(made.remotes, "short.git"), "other:main");
  await made.git(clone, "fetch", "--quiet");
  await made.git(clone, "commit", "--quiet", "--allow-empty", "-m", "Own");
  const status = await made.amof(["status", "--json"]);
  const short = rows(status.json(), "repos").find((row) => row["name"] === "short");
  assertEquals(pick(short, "behind"), null);
});

/** A command that a screen suggests, run. */
async function paste(made: World, text: string): Promise<void> {
  const command = /git -C \S+ fetch --unshallow origin/.exec(text)?.[0] ?? "";
  const [program = "", ...words] = command.split(" ");
  const ran = await made.command(program, words);
  assertEquals(ran.code, 0, `${text}\n${ran.stderr}`);
}

/**
 * Two tickets of a clone whose history was cut off anew behind what its base branch has since, so that neither meets that:
 * one in the clone, which changed what nobody else did, and one in a workspace of its own.
 */
async function cutWorld(): Promise<World> {
  const made = await world();
  assertEquals((await made.amof(["install", "--yes"])).code, 0);
  assertEquals((await made.amof(["ticket", "start", "T-1", "--repo", "short"])).code, 0);
  const clone = made.clone("short");
  await made.git(clone, "fetch", "--quiet", "--depth", "1");
  await Deno.writeTextFile(join(clone, "mine.txt"), "mine\n");
  await made.git(clone, "add", ".");
  await made.git(clone, "commit", "--quiet", "-m", "Mine");
  const [seed, remote] = [join(made.directory, "seed", "short"), join(made.remotes, "short.git")];
  for (const text of ["four", "five", "six"]) {
    await Deno.writeTextFile(join(seed, "README.md"), `${text}\n`);
    await made.git(seed, "commit", "--quiet", "--all", "-m", text);
  }
  await made.git(seed, "push", "--quiet", remote, "main");
  await made.git(clone, "fetch", "--quiet", "--depth", "1");
  return made;
}

Deno.test("amof ticket conflicts makes no conflicts of a history that is cut off, and says how it gets the rest", async () => {
  await using made = await cutWorld();
  const ran = await made.amof(["ticket", "conflicts"]);
  assertEquals(ran.code, 0, ran.stderr);
  assertMatch(
    ran.stdout,
    /T-1 +base +unknown +0 +short: unknown, its history here ends before they meet/,
  );
  await paste(made, ran.stdout);
  const whole = await made.amof(["ticket", "conflicts"]);
  assertStringIncludes(whole.stdout, "Found no conflicts among 1 ticket");
  assert(!whole.stdout.includes("unknown"), whole.stdout);
});

Deno.test("amof ticket conflicts knows no more of the clones of two tickets that are cut off at different places", async () => {
  await using made = await cutWorld();
  assertEquals(
    (await made.amof(["ticket", "start", "T-2", "--repo", "short", "--workspace"])).code,
    0,
  );
  await commitIn(ownClone(made, "T-2", "short"), made);
  const seed = join(made.directory, "seed", "short");
  for (const text of ["seven", "eight", "nine"]) {
    await Deno.writeTextFile(join(seed, "README.md"), `${text}\n`);
    await made.git(seed, "commit", "--quiet", "--all", "-m", text);
  }
  await made.git(seed, "push", "--quiet", join(made.remotes, "short.git"), "main");
  assertEquals(
    (await made.amof(["ticket", "start", "T-3", "--repo", "short", "--workspace"])).code,
    0,
  );
  await commitIn(ownClone(made, "T-3", "short"), made);
  const states = async () =>
    rows((await made.amof(["ticket", "conflicts", "--json"])).json(), "pairs")
      .map(({ a, b, state }) => [a, b, state]);
  // What the clones of T-2 and T-3 have of their own is the same file.
  assertEquals((await states()).filter(([, , state]) => state === "conflict"), []);
  await made.git(made.clone("short"), "fetch", "--quiet", "--unshallow");
  assertEquals((await states()).filter(([, , state]) => state === "unknown"), []);
});

Deno.test("commits since a version are no exact number where the history is cut off before it", async () => {
  await using made = await World.installed({ repos: ["api"] });
  const [seed, remote] = [join(made.directory, "seed", "api"), join(made.remotes, "api.git")];
  await made.git(seed, "tag", "v1.0.0");
  for (const text of ["a", "b", "c", "d"]) {
    await made.git(seed, "commit", "--quiet", "--allow-empty", "-m", text);
  }
  await made.git(seed, "push", "--quiet", remote, "main", "v1.0.0");
  const clone = made.clone("api");
  await Deno.remove(clone, { recursive: true });
  await made.git(made.directory, "clone", "--quiet", "--depth=2", made.url("api"), clone);
  await made.git(clone, "fetch", "--quiet", "--depth=1", "origin", "tag", "v1.0.0");
  await made.git(clone, "fetch", "--quiet", "--depth=2", "origin", "main");
  const cells = async () => (await made.amof(["release", "train", "status"])).stdout;
  assertMatch(await cells(), /^api +v1\.0\.0 +2\+ /m);
  await made.git(clone, "fetch", "--quiet", "--unshallow");
  assertMatch(await cells(), /^api +v1\.0\.0 +4 /m);
});

Deno.test("what compares with a history that is cut off says so, counts nothing that a remote sent, and leads to the rest", async () => {
  await using made = await cutWorld();
  const status = rows((await made.amof(["status", "--json"])).json(), "repos")
    .find((row) => row["name"] === "short");
  assertEquals([status?.["status"], status?.["ahead"]], ["UNPUSHED", 1]);
  const synced = await made.amof(["sync"]);
  assertStringIncludes(
    synced.stdout,
    "short: its history here ends before main and origin/main meet",
  );
  const compared = await made.amof(["diff", "--base"]);
  assertStringIncludes(compared.stderr, "both have no commit in common, as far as the history");
  assertStringIncludes(compared.stderr, "fetch --unshallow origin");
  const ended = await made.amof(["ticket", "end", "T-1", "--cleanup"]);
  assertStringIncludes(ended.stdout + ended.stderr, "the history here ends before they meet");
  assertMatch(
    ended.stderr,
    /^(?:hint: )?Get all of its history first: git -C \S+ fetch --unshallow origin$/m,
  );
  assertEquals((await made.amof(["ticket", "switch", "main"])).code, 0);
  const base = await made.amof(["status"]);
  assertStringIncludes(
    base.stdout,
    "short: its history here ends before main and origin/main meet",
  );
  // What is tried is tried in clones that know where the tickets have left their base branches.
  const tried = await made.amof(["ticket", "try", "T-1", "--", "cat", "repos/short/README.md"]);
  assertEquals([tried.code, tried.stdout.split("\n")[0]], [0, "six"], tried.stderr);
  await paste(made, base.stdout);
  assertEquals((await made.amof(["sync"])).code, 0);
  assertEquals((await made.amof(["status", "--check"])).code, 3);
  assertEquals(await made.git(made.clone("short"), "show", "main:README.md"), "six");
});

Deno.test("amof manifest validate knows the kinds of clones", async () => {
  await using made = await world();
  const file = "control/ecosystems/demo/ecosystem.yaml";
  const text = await Deno.readTextFile(join(made.directory, file));
  await made.write(file, text.replace("shallow:2", "shallow:0"));
  const ran = await made.amof(["manifest", "validate", "--json"]);
  assertEquals(ran.code, 3);
  assertStringIncludes(ran.stdout, "blobless");
});

Deno.test("a ticket moves with clones that leave old contents out, and not with those that leave commits out", async () => {
  await using made = await world();
  assertEquals((await made.amof(["install", "--yes"])).code, 0);
  const start = ["ticket", "start", "T-1", "--repo", "whole,lazy"];
  assertEquals((await made.amof(start)).code, 0);
  const lazy = made.clone("lazy");
  // What comes back of old contents is the work of the ticket, too.
  await made.git(lazy, "revert", "--no-edit", "HEAD");
  const commit = await commitIn(lazy, made);
  await Deno.writeTextFile(join(lazy, "work.txt"), "not committed\n");
  const moved = await made.amof(["ticket", "move", "T-1", "--workspace", "--yes"]);
  assertEquals(moved.code, 0, moved.stderr);
  const own = ownClone(made, "T-1", "lazy");
  assertEquals(await made.git(own, "rev-parse", "HEAD"), commit);
  assertEquals(await Deno.readTextFile(join(own, "README.md")), "two\n");
  assertEquals(await Deno.readTextFile(join(own, "work.txt")), "not committed\n");
  assertEquals(await made.git(lazy, "branch", "--list", "feature/*"), "");
  await made.git(own, "fsck");
  const home = await made.amof(["ticket", "move", "T-1", "--in-place", "--yes"]);
  assertEquals(home.code, 0, home.stderr);
  assertEquals(await made.git(lazy, "rev-parse", "feature/T-1"), commit);
  const second = await made.amof(["ticket", "start", "T-2"]);
  assertEquals(second.code, 0, second.stderr);
  const short = await made.amof(["ticket", "move", "T-2", "--workspace", "--yes"]);
  assertEquals(short.code, 1, short.stdout);
  assertStringIncludes(short.stderr, '"short" has only the last commits of its history');
});

Deno.test("the clones of a ticket have as much history as the manifest says, and all files of the base branch", async () => {
  await using made = await world();
  assertEquals((await made.amof(["install", "--yes"])).code, 0);
  const started = await made.amof(["ticket", "start", "T-1", "--workspace", "--json"]);
  assertEquals(started.code, 0, started.stderr);
  assertEquals(
    rows(started.json(), "repos").map(({ name, mirror }) => [name, mirror]),
    [["whole", "made"], ["lazy", "made"], ["short", null]],
  );
  const clone = (repo: string) => ownClone(made, "T-1", repo);
  const inClone = (repo: string, ...args: string[]) => made.git(clone(repo), ...args);
  assertEquals(await inClone("short", "rev-list", "--count", "HEAD"), "2");
  assertMatch(
    await Deno.readTextFile(join(clone("lazy"), ".git/objects/info/alternates")),
    /lazy-[0-9a-f]{8}-blobless\.git\/objects\n$/,
  );
  const offline = join(made.remotes, "gone.git");
  const remote = join(made.remotes, "lazy.git");
  // What is checked out is there without the remote, also in the next ticket; older contents come when they are needed.
  await Deno.rename(remote, offline);
  assertEquals((await made.amof(["ticket", "start", "T-2", "--workspace", "--offline"])).code, 0);
  assertEquals(
    await Deno.readTextFile(join(ownClone(made, "T-2", "lazy"), "README.md")),
    "three\n",
  );
  await Deno.rename(offline, remote);
  assertEquals(await inClone("lazy", "show", "HEAD~2:README.md"), "# lazy");

  const seed = join(made.directory, "seed", "lazy");
  await Deno.writeTextFile(join(seed, "new.txt"), "new\n");
  await made.git(seed, "add", ".");
  await made.git(seed, "commit", "--quiet", "-m", "Add a file");
  await made.git(seed, "push", "--quiet", remote, "main");
  const synced = await made.amof(["-t", "T-1", "sync", "--fresh", "0", "--json"]);
  assertEquals(
    rows(synced.json(), "result", "repos").map(({ name, code, mirror }) => [name, code, mirror]),
    [["whole", null, "fetched"], ["lazy", null, "fetched"], ["short", null, null]],
  );
  await Deno.rename(remote, offline);
  assertEquals(await inClone("lazy", "show", "origin/main:new.txt"), "new");
  await Deno.rename(offline, remote);

  // It is worked in, packed, looked through and made independent like any other.
  await commitIn(clone("lazy"), made);
  await inClone("lazy", "gc", "--quiet");
  const pushed = await made.amof(["-t", "T-1", "push", "--yes"]);
  assertEquals(pushed.code, 0, pushed.stderr);
  const doctor = await made.amof(["doctor"]);
  assert(!doctor.stdout.includes("lazy"), doctor.stdout);
  assertEquals((await made.amof(["ticket", "detach", "T-1"])).code, 0);
  assert(!await made.exists(join(clone("lazy"), ".git/objects/info/alternates")));
  assertEquals(await inClone("lazy", "show", "origin/main:new.txt"), "new");
  assertEquals((await made.amof(["-t", "T-1", "status", "--check"])).code, 0);
});

for (const isThere of [false, true]) {
  Deno.test(`what a status says of branches in a clone of one branch ends it${isThere ? ", also where they were pushed" : ""}`, async () => {
    await using made = await World.installed({ repos: ["api"] });
    const api = made.clone("api");
    await Deno.remove(api, { recursive: true });
    await made.git(made.directory, "clone", "--quiet", "--depth=1", made.url("api"), api);
    for (const branch of ["kept-1", "kept-2"]) {
      await made.git(api, "switch", "--quiet", "--create", branch, "main");
      await commitIn(api, made, `${branch}.txt`);
      if (isThere) await made.git(api, "push", "--quiet", "--set-upstream", "origin", branch);
    }
    await made.git(api, "switch", "--quiet", "main");
    const status = async () => (await made.amof(["status"])).stdout;
    const said = await status();
    const commands = [...said.matchAll(/^ {4,}(?:fix: )?git -C \S+ (.+)$/gm)].map(([, line = ""]) =>
      line.replaceAll("'", "").split(" ")
    );
    assertEquals(commands.map(([first]) => first), ["config", "push", "config", "push"], said);
    for (const command of commands) await made.git(api, ...command);
    assertStringIncludes(await status(), "all OK");
    // A branch that is gone from the remote is no failure of a fetch.
    await made.git(api, "push", "--quiet", made.url("api"), ":kept-2");
    assertEquals((await made.amof(["sync"])).code, 0);
    await made.git(api, "branch", "--quiet", "-D", "kept-2");
    assertStringIncludes(await status(), "all OK");
  });
}

Deno.test("a clone of one branch starts, pushes, syncs and ends tickets like any other, and asks for nothing else", async () => {
  await using made = await World.like("a clone of one branch", async (world) => {
    await world.makeControl();
    await world.addEcosystem("demo", { repos: ["api"] });
    const code = join(world.directory, "code");
    await world.git(world.directory, "clone", "--quiet", world.url("api"), "theirs");
    const theirs = join(world.directory, "theirs");
    for (const branch of ["feature/OLD-1", "other"]) {
      await world.git(theirs, "switch", "--quiet", "--create", branch, "main");
      await world.git(theirs, "commit", "--quiet", "--allow-empty", "-m", branch);
      await world.git(theirs, "push", "--quiet", "origin", branch);
    }
    await Deno.mkdir(code);
    await world.git(code, "clone", "--quiet", "--depth=1", world.url("api"), "api");
  });
  const done = async (...args: string[]) => {
    const ran = await made.amof(args);
    assertEquals(ran.code, 0, ran.stderr);
    return ran.stdout;
  };
  const api = join(made.directory, "code/api");
  await done("install", "--adopt", "../code", "--yes");
  assertStringIncludes(await done("ticket", "start", "OLD-1"), "branch of the remote");
  await done("ticket", "start", "NEW-1");
  await commitIn(api, made, "new.txt");
  assertStringIncludes(await done("push", "--yes"), "(new branch)");
  assertStringIncludes(await done("push", "--yes"), "up to date");
  assertStringIncludes(await done("status"), "all OK");
  assertEquals(
    await made.git(api, "for-each-ref", "--format=%(refname)", "refs/remotes"),
    [
      "refs/remotes/origin/HEAD",
      "refs/remotes/origin/feature/NEW-1",
      "refs/remotes/origin/feature/OLD-1",
      "refs/remotes/origin/main",
    ].join("\n"),
  );
  const remote = join(made.remotes, "api.git");
  await made.git(remote, "update-ref", "refs/heads/main", "feature/NEW-1");
  await made.git(remote, "branch", "-D", "feature/OLD-1");
  await done("sync");
  await done("ticket", "end", "NEW-1", "--cleanup", "--yes");
  assertEquals(await made.git(remote, "branch", "--format=%(refname:short)"), "main\nother");
  await made.git(api, "fetch", "--quiet");
});
