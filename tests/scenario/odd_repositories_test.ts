/**
 * Tickets of repositories that are not like others: only some directories are wanted, git-lfs keeps files apart, or there
 * are other repositories inside.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join, resolve } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { commitIn, ownClone, ownDirectory } from "../support/own_ticket.ts";
import { IN_TABLES, World } from "../support/world.ts";

/** Whether the machine has git-lfs. */
async function hasLfs(): Promise<boolean> {
  try {
    const { success } = await new Deno.Command("git", { args: ["lfs", "version"] }).output();
    return success;
  } catch {
    return false;
  }
}

/** A manifest of some repositories, each with more lines of its own. */
async function manifest(world: World, repos: Readonly<Record<string, string>>): Promise<void> {
  const rows = Object.entries(repos).map(([name, more]) =>
    `  - {name: ${name}, url: "${world.url(name)}", branch: main${more}}`
  );
  await world.write(
    "control/ecosystems/demo/ecosystem.yaml",
    ["name: demo", "repos:", ...rows, ""].join("\n"),
  );
}

/** Commits in the seed of a remote, and sends it there. */
async function upstream(
  world: World,
  name: string,
  work: (seed: string) => Promise<void>,
): Promise<void> {
  const seed = join(world.directory, "seed", name);
  await work(seed);
  await world.git(seed, "add", "--all");
  await world.git(seed, "commit", "--quiet", "-m", "More");
  // As an address, because git-lfs takes no path for a remote.
  await world.git(seed, "push", "--quiet", `file://${join(world.remotes, `${name}.git`)}`, "main");
}

/** Settings of the user in a file, which git reads besides none. */
async function userSettings(world: World, text: string): Promise<Record<string, string>> {
  const file = join(world.directory, "user.gitconfig");
  await Deno.writeTextFile(file, text);
  world.env["GIT_CONFIG_GLOBAL"] = file;
  return world.env;
}

async function done(world: World, ...args: string[]): Promise<string> {
  const ran = await world.amof(args);
  assertEquals(ran.code, 0, ran.stdout + ran.stderr);
  return ran.stdout;
}

/** The files of a working copy, sorted. */
async function filesIn(world: World, clone: string): Promise<string> {
  const listed = await world.command("sh", [
    "-c",
    'cd "$1" && find . -name .git -prune -o -type f -print | sort',
    "sh",
    clone,
  ]);
  return listed.stdout.trim().replaceAll("./", "").replaceAll("\n", " ");
}

/** An ecosystem with `app`, whose files lie in directories. */
function parted(): Promise<World> {
  return World.like("files in directories", async (world) => {
    await world.makeControl();
    await world.addRemote("app");
    await upstream(world, "app", async (seed) => {
      for (const directory of ["src/a", "src/b", "docs"]) {
        await Deno.mkdir(join(seed, directory), { recursive: true });
        await Deno.writeTextFile(join(seed, directory, "file.txt"), `${directory}\n`);
      }
    });
    await manifest(world, { app: ', sparse: ["src/a"]' });
    await done(world, "install", "--yes");
  });
}

Deno.test("clones have the directories that the manifest names, in the base workspace and in tickets", async () => {
  await using world = await parted();
  const wanted = "README.md src/a/file.txt";
  assertEquals(await filesIn(world, world.clone("app")), wanted);
  await done(world, "ticket", "start", "T-1", "--workspace");
  const clone = ownClone(world, "T-1", "app");
  assertEquals(await filesIn(world, clone), wanted);
  assertEquals(await world.git(clone, "status", "--porcelain"), "");
  await done(world, "ticket", "start", "T-2", "--workspace", "--standalone");
  assertEquals(await filesIn(world, ownClone(world, "T-2", "app")), wanted);

  // What comes from elsewhere stays out of sight, and nothing of it is taken for deleted.
  await upstream(world, "app", async (seed) => {
    await Deno.writeTextFile(join(seed, "docs", "file.txt"), "changed\n");
    await Deno.writeTextFile(join(seed, "src", "a", "file.txt"), "changed\n");
  });
  await commitIn(clone, world);
  await done(world, "-t", "T-1", "sync", "--fresh", "0");
  await done(world, "-t", "T-1", "ticket", "update");
  assertEquals(await filesIn(world, clone), `${wanted} work.txt`);
  assertEquals(await world.git(clone, "show", "HEAD:docs/file.txt"), "changed");
  await done(world, "-t", "T-1", "push", "--yes");
  await done(world, "ticket", "end", "T-1", "--yes");
  assert(!await world.exists(ownDirectory(world, "T-1")));
});

for (
  const [kind, patterns] of [
    ["directories", ["--cone", "src/b"]],
    ["patterns", ["--no-cone", "/src/a/", "!/docs/", "*.md"]],
  ] as const
) {
  Deno.test(`undo gives a clone back that has some ${kind} only, and a second one does it again`, async () => {
    await using world = await parted();
    const clone = world.clone("app");
    await world.git(clone, "sparse-checkout", "set", ...patterns);
    // A file that came into sight stays in sight, with what the commit has.
    const look = async () => [
      await world.git(clone, "ls-files", "--stage"),
      await world.git(clone, "status", "--porcelain=v2", "--untracked-files=all"),
      await world.git(clone, "rev-parse", "HEAD"),
      (await filesIn(world, clone)).replace("docs/file.txt ", ""),
    ];
    const before = await look();
    const line = [
      "echo more >> README.md; git commit -qam Readme",
      "mkdir -p docs src/b; echo out > docs/file.txt; echo new > docs/new.txt; echo in > src/b/new.txt",
      "git add --sparse docs/new.txt; echo last >> README.md",
    ].join("; ");
    await done(world, "exec", "--yes", "--", "sh", "-c", line);
    const after = await look();
    assert(String(after) !== String(before));
    await done(world, "undo", "--yes");
    assertEquals(await look(), before);
    await done(world, "undo", "--yes");
    assertEquals(await look(), after);
  });
}

Deno.test("a ticket moves with work outside of the directories that its new clone has", async () => {
  await using world = await parted();
  const clone = world.clone("app");
  await world.git(clone, "sparse-checkout", "disable");
  await done(world, "ticket", "start", "T-1");
  await Deno.writeTextFile(join(clone, "docs", "file.txt"), "mine\n");
  await Deno.writeTextFile(join(clone, "src", "a", "file.txt"), "mine, too\n");
  await done(world, "ticket", "move", "T-1", "--workspace", "--yes");
  const own = ownClone(world, "T-1", "app");
  assertEquals(await filesIn(world, own), "README.md docs/file.txt src/a/file.txt");
  assertEquals(await Deno.readTextFile(join(own, "docs", "file.txt")), "mine\n");
  await done(world, "ticket", "move", "T-1", "--in-place", "--yes");
  await done(world, "ticket", "switch", "T-1");
  assertEquals(await Deno.readTextFile(join(clone, "docs", "file.txt")), "mine\n");
  assertEquals(await Deno.readTextFile(join(clone, "src", "a", "file.txt")), "mine, too\n");
});

Deno.test("a manifest names directories inside of the repository and nothing else", async () => {
  await using world = await World.withEcosystem();
  for (const word of ["../out", "/src", "-x", ".git/hooks", "a/../b", "src/*", "!src", "a\\nb"]) {
    await manifest(world, { api: `, sparse: ["${word}"]` });
    const ran = await world.amof(["manifest", "validate"]);
    assert(ran.code !== 0, word);
    assertStringIncludes(ran.stdout + ran.stderr, "must be a directory inside the repository");
  }
  await manifest(world, { api: ", sparse: [src/a.b, docs-2]" });
  await done(world, "manifest", "validate");
});

const LFS = '[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\tsmudge = git-lfs smudge -- %f\n' +
  "\tprocess = git-lfs filter-process\n\trequired = true\n";

/** An ecosystem with `art`, a file of which git-lfs keeps apart. */
async function withLarge(): Promise<World> {
  const world = await World.withEcosystem({ repos: ["art"] });
  await userSettings(world, LFS);
  await upstream(world, "art", async (seed) => {
    await Deno.writeTextFile(
      join(seed, ".gitattributes"),
      "*.bin filter=lfs diff=lfs merge=lfs -text\n",
    );
    await Deno.writeTextFile(join(seed, "big.bin"), "large\n".repeat(1000));
    await world.git(seed, "remote", "add", "up", `file://${join(world.remotes, "art.git")}`);
    await world.git(seed, "add", "--all");
    await world.git(seed, "commit", "--quiet", "-m", "Large");
    await world.git(seed, "lfs", "push", "up", "main");
    await Deno.writeTextFile(join(seed, "small.txt"), "small\n");
  });
  await world.write(
    "control/ecosystems/demo/ecosystem.yaml",
    `name: demo\nrepos:\n  - {name: art, url: "file://${
      join(world.remotes, "art.git")
    }", branch: main, lfs: true}\n`,
  );
  return world;
}

Deno.test({
  name: "what git-lfs keeps apart is fetched once, and each ticket has a copy of its own",
  ignore: !await hasLfs(),
  async fn() {
    await using world = await withLarge();
    const large = "large\n".repeat(1000);
    await done(world, "ticket", "start", "T-1", "--workspace");
    const first = ownClone(world, "T-1", "art");
    assertEquals(await Deno.readTextFile(join(first, "big.bin")), large);
    // From now on the remote gives nothing away: the next ticket has to take it from the mirror.
    await Deno.rename(join(world.remotes, "art.git", "lfs"), join(world.directory, "lfs-away"));
    await done(world, "ticket", "start", "T-2", "--workspace");
    const second = ownClone(world, "T-2", "art");
    assertEquals(await Deno.readTextFile(join(second, "big.bin")), large);
    assertEquals(await world.git(second, "status", "--porcelain"), "");
    // A name in two places would let a program in the ticket change the mirror, and no box is made around it.
    const kept = await world.command("find", [
      join(second, ".git", "lfs"),
      "-type",
      "f",
      "-links",
      "+1",
    ]);
    assertEquals(kept.stdout, "");
    const mirrors = await world.amof(["mirror", "list", "--json"]);
    assertEquals(pick(mirrors.json(), "mirrors", 0, "state"), "whole", mirrors.stdout);
    const doctor = await world.amof(["doctor"]);
    assert(!doctor.stdout.includes("its configuration"), doctor.stdout);

    // Undo brings the file itself back, not the few words that git has of it.
    await done(world, "-t", "T-2", "exec", "--yes", "--", "sh", "-c", "echo other > big.bin");
    await done(world, "-t", "T-2", "undo", "--yes");
    assertEquals(await Deno.readTextFile(join(second, "big.bin")), large);
    assertEquals(await world.git(second, "status", "--porcelain"), "");
  },
});

Deno.test({
  name:
    "without git-lfs, or where git is not told to use it, no ticket is made of words in its files' place",
  ignore: !await hasLfs() || Deno.build.os === "windows",
  async fn() {
    await using world = await withLarge();
    await userSettings(world, "");
    const ran = await world.amof(["ticket", "start", "T-1", "--workspace", "--json"]);
    assertEquals([ran.code, pick(ran.json(), "error")], [1, "git_failed"], ran.stdout);
    assertStringIncludes(String(pick(ran.json(), "message")), "which git is not told to use");
    assertStringIncludes(String(pick(ran.json(), "hint")), "git lfs install");
    assert(!await world.exists(ownDirectory(world, "T-1")));
    assert(!await world.exists(join(world.directory, "state", "share", "mirrors")));
  },
});

/** An ecosystem with `app`, in which `lib` is a submodule; git may clone it from this disk. */
async function withSubmodule(more = ""): Promise<World> {
  const world = await World.withEcosystem({ repos: ["app", "lib"] });
  await userSettings(world, '[protocol "file"]\n\tallow = always\n');
  await upstream(world, "app", async (seed) => {
    await world.git(seed, "submodule", "--quiet", "add", world.url("lib"), "vendor/lib");
  });
  await manifest(world, { app: more });
  await done(world, "install", "--yes");
  return world;
}

Deno.test("clones of tickets get their submodules where the manifest says so, and none of their hooks runs", async () => {
  await using world = await withSubmodule(", submodules: true");
  const templates = join(world.directory, "templates", "hooks");
  await Deno.mkdir(templates, { recursive: true });
  const marker = join(world.directory, "ran");
  await Deno.writeTextFile(join(templates, "post-checkout"), `#!/bin/sh\ntouch ${marker}\n`);
  await Deno.chmod(join(templates, "post-checkout"), 0o755);
  await userSettings(
    world,
    `[protocol "file"]\n\tallow = always\n[init]\n\ttemplateDir = ${join(templates, "..")}\n`,
  );
  await done(world, "ticket", "start", "T-1", "--workspace");
  const clone = ownClone(world, "T-1", "app");
  assertEquals(await Deno.readTextFile(join(clone, "vendor/lib/README.md")), "# lib\n");
  assertEquals(await world.git(clone, "status", "--porcelain"), "");
  assert(!await world.exists(marker), "a hook ran");
  await done(world, "-t", "T-1", "status", "--check");

  // Work in it is work of the ticket.
  await Deno.writeTextFile(join(clone, "vendor/lib/README.md"), "mine\n");
  const ended = await world.amof(["ticket", "end", "T-1", "--yes", "--json"]);
  assertEquals(ended.code, 1, ended.stdout);
  assertStringIncludes(ended.stdout, "vendor/lib");
  await world.git(join(clone, "vendor/lib"), "checkout", "--quiet", ".");
  await done(world, "ticket", "end", "T-1", "--yes");
});

Deno.test("a submodule that cannot be had leaves nothing of a ticket", async () => {
  await using world = await withSubmodule(", submodules: true");
  await Deno.rename(join(world.remotes, "lib.git"), join(world.remotes, "gone.git"));
  const ran = await world.amof(["ticket", "start", "T-1", "--workspace", "--json"]);
  assertEquals(ran.code, 1, ran.stdout);
  assertStringIncludes(String(pick(ran.json(), "message")), 'submodules of "app"');
  const entries = await Array.fromAsync(Deno.readDir(join(world.control, "worktrees")));
  assertEquals(entries.map(({ name }) => name), ["demo"]);
});

Deno.test("work in a submodule is not said to be put away, moved or undone, and stays as it is", async () => {
  await using world = await withSubmodule();
  const clone = world.clone("app");
  const inside = join(clone, "vendor", "lib");
  await world.git(clone, "submodule", "--quiet", "update", "--init");
  await done(world, "ticket", "start", "T-1");
  const refusals = async () => {
    const before = await world.fingerprint();
    for (
      const args of [
        ["ticket", "switch", "main", "--stash"],
        ["ticket", "start", "T-2", "--stash"],
        ["ticket", "move", "T-1", "--workspace", "--yes"],
      ]
    ) {
      const ran = await world.amof([...args, "--json"]);
      assertEquals([ran.code, pick(ran.json(), "error")], [1, "repo_dirty"], ran.stdout);
      assertMatch(String(pick(ran.json(), "message")), /work in submodules.*vendor\/lib/);
    }
    assertEquals(await world.changesSince(before), []);
  };
  // Changed files, a commit that is not committed above, and one that is announced there.
  await Deno.writeTextFile(join(inside, "README.md"), "mine\n");
  await refusals();
  await world.git(inside, "commit", "--quiet", "--all", "-m", "Mine");
  await refusals();
  await world.git(clone, "add", "vendor/lib");
  await refusals();
  await world.git(clone, "reset", "--quiet");
  await world.git(inside, "checkout", "--quiet", "HEAD~");

  // An update does not have to touch it.
  await upstream(world, "app", (seed) => Deno.writeTextFile(join(seed, "new.txt"), "new\n"));
  await Deno.writeTextFile(join(inside, "README.md"), "mine\n");
  await done(world, "ticket", "update", "--stash");
  assertEquals(await Deno.readTextFile(join(clone, "new.txt")), "new\n");
  assertEquals(await Deno.readTextFile(join(inside, "README.md")), "mine\n");

  // Undo brings back what is around it, says that it stays, and refuses where the one has moved with the other.
  await done(
    world,
    ...["exec", "--yes", "--", "sh", "-c", "echo x > README.md; echo y > vendor/lib/y"],
  );
  const undone = await world.amof(["undo", "--yes", "--json"]);
  assertEquals(undone.code, 0, undone.stdout);
  assertEquals(pick(undone.json(), "stays"), [
    "app: vendor/lib is a repository of its own",
  ]);
  assertEquals(await Deno.readTextFile(join(inside, "y")), "y\n");
  const line = "git -C vendor/lib commit -qam Mine; git add vendor/lib; git commit -qm Both";
  await done(world, "exec", "--yes", "--", "sh", "-c", line);
  const refused = await world.amof(["undo", "--yes", "--json"]);
  assertEquals(pick(refused.json(), "error"), "undo_impossible", refused.stdout);
  assertStringIncludes(String(pick(refused.json(), "message")), "vendor/lib is a repository");
});

Deno.test("a lock takes its submodules along, and what is left of one that went is put away where git keeps it", async () => {
  await using world = await withSubmodule(", submodules: true");
  const clone = world.clone("app");
  const inside = join(clone, "vendor", "lib");
  const was = await world.git(inside, "rev-parse", "HEAD");
  await done(world, "lock");
  await upstream(world, "lib", (seed) => Deno.writeTextFile(join(seed, "new.txt"), "new\n"));
  await upstream(world, "app", async (seed) => {
    await world.git(seed, "submodule", "--quiet", "update", "--init", "--remote");
  });
  await done(world, "sync");
  assert(await world.git(inside, "rev-parse", "HEAD") !== was);
  await done(world, "install", "--locked", "--yes");
  assertEquals(await world.git(inside, "rev-parse", "HEAD"), was);
  assertEquals(await world.git(clone, "status", "--porcelain"), "");

  await upstream(
    world,
    "app",
    async (seed) => void await world.git(seed, "rm", "--quiet", "vendor/lib"),
  );
  await Deno.writeTextFile(join(inside, "mine.txt"), "mine\n");
  await world.git(clone, "pull", "--quiet", "--ff-only");
  const [row] = rows((await world.amof(["status", "--json"])).json(), "repos");
  for (const line of String(pick(row, "needs", 0, "fix")).split("\n")) {
    const ran = await world.command("sh", ["-c", line]);
    assertEquals(ran.code, 0, ran.stderr);
  }
  assertEquals(await world.git(clone, "status", "--porcelain"), "");
  const kept = join(clone, ".git", "modules", "vendor", "lib");
  const stash = [
    "--git-dir",
    kept,
    "--work-tree",
    clone,
    "show",
    "--format=",
    "stash@{0}^3",
    "--name-only",
  ];
  assertEquals(await world.git(world.directory, ...stash), "mine.txt");
});

Deno.test("a ticket with another commit of a submodule checked out does not go home without it", async () => {
  await using world = await withSubmodule(", submodules: true");
  await upstream(world, "lib", (seed) => Deno.writeTextFile(join(seed, "new.txt"), "new\n"));
  await done(world, "ticket", "start", "T-1", "--workspace");
  const inside = join(ownClone(world, "T-1", "app"), "vendor", "lib");
  await world.git(inside, "pull", "--quiet", "origin", "main");
  const home = ["ticket", "move", "T-1", "--in-place", "--yes", "--json"];
  const ran = await world.amof(home);
  assertEquals([ran.code, pick(ran.json(), "error")], [1, "repo_dirty"], ran.stdout);
  assertStringIncludes(String(pick(ran.json(), "message")), "work in submodules");
  await world.git(inside, "checkout", "--quiet", "HEAD~");
  assertEquals((await world.amof(home)).code, 0);
});

Deno.test("what is built in a submodule is nothing to commit, and one that a pull left behind is brought along", async () => {
  await using world = await World.make();
  await world.write("home/.gitconfig", '[protocol "file"]\n\tallow = always\n');
  world.env["GIT_CONFIG_GLOBAL"] = join(world.directory, "home/.gitconfig");
  await world.makeControl();
  await world.addRemote("lib");
  await world.addRemote("api");
  const theirs = join(world.directory, "theirs");
  await world.git(world.directory, "clone", "--quiet", world.url("api"), theirs);
  await world.git(theirs, "submodule", "--quiet", "add", world.url("lib"), "lib");
  await world.git(theirs, "commit", "--quiet", "-m", "Has a submodule");
  await world.git(theirs, "push", "--quiet", "origin", "main");
  await world.addEcosystem("demo", { repos: ["api"], extra: "    submodules: true\n" });
  await world.install();
  const api = world.clone("api");
  await world.amof(["ticket", "start", "T-1"]);
  await Deno.writeTextFile(join(api, "lib/built.o"), "built");
  const idle = await world.amof(["commit", "-m", "x", "--yes"]);
  assertEquals(idle.code, 0, idle.stderr);
  await Deno.writeTextFile(join(api, "mine.txt"), "mine");
  const planned = await world.amof(["commit", "-m", "x", "--dry-run"]);
  assertStringIncludes(planned.stdout, "1 file to commit");
  // The submodule moves on where it comes from, and what the repository names with it.
  const lib = join(theirs, "lib");
  await world.git(lib, "commit", "--quiet", "--allow-empty", "-m", "Next");
  await world.git(lib, "push", "--quiet", "origin", "HEAD:main");
  await world.git(theirs, "commit", "--quiet", "--all", "-m", "Take the next one");
  await world.git(theirs, "push", "--quiet", "origin", "main");
  await world.git(api, "pull", "--quiet", "origin", "main");
  const shown = await world.amof(["status"]);
  assertMatch(shown.stdout, /^api .*DIRTY\+SUBMODULE/m);
  const committed = await world.amof(["commit", "-m", "x", "--yes"]);
  assertEquals(committed.code, 0, committed.stderr);
  assertEquals(await world.git(api, "show", "--name-only", "--format=", "HEAD"), "mine.txt");
  const synced = await world.amof(["sync"]);
  assertStringIncludes(synced.stdout, "1 submodule brought along");
  assertEquals((await world.amof(["status"])).stdout.includes("SUBMODULE"), false);
  assertEquals(await Deno.readTextFile(join(api, "lib/built.o")), "built");
});

Deno.test("a filter that ends a checkout half-way leaves no files behind that would be taken for somebody's work", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  const git = (...args: string[]) => world.git(clone, ...args);
  const write = (path: string, text: string) => Deno.writeTextFile(join(clone, path), text);
  await git("switch", "--quiet", "--create", "feature/x");
  await write(".gitattributes", "*.bin filter=gone\n");
  await write("README.md", "changed\n");
  await write("a.bin", "x\n");
  await git("add", ".");
  await git("commit", "--quiet", "-m", "One");
  await git("push", "--quiet", "origin", "feature/x:main", "feature/x");
  await git("switch", "--quiet", "main");
  const filter = (smudge: string) =>
    userSettings(
      world,
      `[filter "gone"]\n\tsmudge = ${smudge}\n\trequired = true\n\tclean = cat\n`,
    );
  await filter("no-such-program");
  const failed = await world.amof(["sync"]);
  assertEquals(failed.code, 1, failed.stdout);
  assertEquals(await git("status", "--porcelain"), "");
  await filter("cat");
  const ran = await world.amof(["sync"]);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(await git("status", "--porcelain"), "");
});

Deno.test("a ticket switch that a missing filter stops is undone as a whole", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const filter = (program: string) =>
    userSettings(
      world,
      `[filter "big"]\n\tsmudge = ${program}\n\tclean = ${program}\n\trequired = true\n`,
    );
  await filter("cat");
  await done(world, "ticket", "start", "T-1");
  const clone = world.clone("web");
  await Deno.writeTextFile(join(clone, ".gitattributes"), "*.bin filter=big\n");
  await Deno.writeTextFile(join(clone, "a.bin"), "large\n");
  await world.git(clone, "add", ".");
  await world.git(clone, "commit", "--quiet", "-m", "Large");
  await done(world, "ticket", "start", "T-2");
  await Deno.writeTextFile(join(world.clone("api"), "README.md"), "mine\n");
  await filter("no-such-program");
  const ran = await world.amof(["ticket", "switch", "T-1", "--stash"]);
  assertEquals(ran.code, 1, ran.stdout);
  assertStringIncludes(ran.stderr, "no-such-program is not installed");
  const status = (await world.amof(["status", "--json"])).json();
  assertEquals(rows(status, "repos").map(({ branch, status }) => [branch, status]), [
    ["feature/T-2", "DIRTY"],
    ["feature/T-2", "UNPUSHED"],
  ]);
  const said = (await world.amof(["status"])).stdout;
  assertEquals(said.includes("interrupted"), false, said);
  await filter("cat");
  await done(world, "ticket", "switch", "T-1", "--stash");
});

Deno.test({
  name: "a clone whose HEAD is a link is on the branch that it leads to",
  // Tables have no such link.
  ignore: Deno.build.os === "windows" || IN_TABLES,
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    const head = join(world.clone("api"), ".git", "HEAD");
    const link = async (branch: string) => {
      await Deno.remove(head);
      await Deno.symlink(`refs/heads/${branch}`, head);
    };
    await link("main");
    assertEquals((await world.amof(["sync"])).code, 0);
    assertEquals((await world.amof(["ticket", "start", "T-1"])).code, 0);
    await link("feature/T-1");
    const listed = (await world.amof(["ticket", "list"])).stdout;
    assertEquals(listed.includes("on no branch"), false, listed);
    await Deno.writeTextFile(join(world.clone("api"), "mine.txt"), "mine\n");
    const committed = await world.amof(["commit", "-m", "Mine", "--yes"]);
    assertEquals(committed.code, 0, committed.stderr);
    const undone = await world.amof(["undo", "--yes"]);
    assertEquals(undone.code, 0, undone.stderr);
    await Deno.remove(join(world.clone("api"), "mine.txt"));
    const ended = await world.amof(["ticket", "end", "T-1", "--cleanup-local", "--yes"]);
    assertEquals(ended.code, 0, ended.stderr);
    await link("main");
    await upstream(world, "api", (seed) => Deno.writeTextFile(join(seed, "new.txt"), "new\n"));
    const synced = await world.amof(["sync"]);
    assertEquals(synced.code, 0, synced.stdout);
    assertEquals(await world.exists(join(world.clone("api"), "new.txt")), true);
  },
});

/** A ticket whose branch has another commit of the submodule than the base branch, pushed, and the two commits. */
async function withMovedSubmodule(world: World) {
  const app = world.clone("app");
  const inside = join(app, "vendor", "lib");
  const base = (await world.git(inside, "rev-parse", "HEAD")).trim();
  await upstream(world, "lib", (seed) => Deno.writeTextFile(join(seed, "new.txt"), "new\n"));
  await done(world, "ticket", "start", "T-1");
  await world.git(inside, "fetch", "--quiet");
  await world.git(inside, "switch", "--quiet", "--detach", "origin/main");
  await done(world, "commit", "-m", "Take the next one", "--yes");
  await done(world, "push", "--yes");
  const next = (await world.git(inside, "rev-parse", "HEAD")).trim();
  const at = async () => (await world.git(inside, "rev-parse", "HEAD")).trim();
  return { app, inside, base, next, at };
}

Deno.test("submodules that nobody has moved come along with a change of branches, and back with its undo", async () => {
  await using world = await withSubmodule(", submodules: true");
  const { app, inside, base, next, at } = await withMovedSubmodule(world);
  // All of it is here: no remote is asked.
  await Deno.rename(join(world.remotes, "lib.git"), join(world.remotes, "away.git"));
  for (
    const [args, expected] of [
      ["ticket switch main", base],
      ["undo --yes", next],
      ["ticket switch main", base],
      ["ticket switch T-1", next],
      ["ticket start T-2", base],
      ["ticket switch T-1", next],
      ["ticket end T-1", base],
    ] as const
  ) {
    await done(world, ...args.split(" "));
    assertEquals([await at(), await world.git(app, "status", "--porcelain")], [expected, ""], args);
  }

  // What somebody moves is theirs: it goes along with --carry, and nothing else takes it along.
  await world.git(inside, "switch", "--quiet", "--detach", next);
  assertMatch((await world.amof(["status"])).stdout, /^app .* DIRTY /m);
  const refused = await world.amof(["ticket", "switch", "T-2", "--stash", "--json"]);
  assertEquals(pick(refused.json(), "error"), "repo_dirty", refused.stdout);
  await done(world, "ticket", "start", "T-3", "--carry");
  assertEquals(await at(), next);
  assertMatch((await world.amof(["status"])).stdout, /^app .* DIRTY /m);
});

Deno.test("a submodule that the base branch has moved comes along with an update and a sync, and back with their undo", async () => {
  await using world = await withSubmodule(", submodules: true");
  const app = world.clone("app");
  const inside = join(app, "vendor", "lib");
  const at = async () => (await world.git(inside, "rev-parse", "HEAD")).trim();
  const base = await at();
  await done(world, "ticket", "start", "T-1");
  await world.git(app, "commit", "--quiet", "--allow-empty", "-m", "Work");
  await upstream(world, "lib", (seed) => Deno.writeTextFile(join(seed, "new.txt"), "new\n"));
  await upstream(world, "app", async (seed) => {
    await world.git(seed, "submodule", "--quiet", "update", "--init", "--remote");
    await Deno.writeTextFile(join(seed, "same.txt"), "theirs\n");
  });
  const clean = async (expected: boolean, what: string) => {
    const isOld = await at() === base;
    assertEquals([isOld, await world.git(app, "status", "--porcelain")], [expected, ""], what);
  };
  assertStringIncludes(await done(world, "ticket", "update"), "1 submodule brought along");
  await clean(false, "update");
  await done(world, "undo", "--yes");
  await clean(true, "undo of the update");
  // It is here by now, so that no remote is asked.
  await done(world, "ticket", "update", "--offline");
  await clean(false, "update without a remote");
  await done(world, "undo", "--yes");

  await Deno.writeTextFile(join(app, "same.txt"), "mine\n");
  await done(world, "commit", "-m", "Mine", "--yes");
  assertEquals((await world.amof(["ticket", "update"])).code, 1);
  await world.git(app, "checkout", "--ours", "--quiet", "same.txt");
  await world.git(app, "add", "same.txt");
  assertStringIncludes(
    await done(world, "ticket", "update", "--continue"),
    "the merge is complete; 1 submodule brought along",
  );
  await clean(false, "go on");
  await done(world, "ticket", "switch", "main");
  await clean(true, "switch");
  await done(world, "sync");
  await clean(false, "sync");
  await done(world, "undo", "--yes");
  await clean(true, "undo of the sync");
});

Deno.test("a ticket that somebody else has begun brings along what its submodules are at", async () => {
  await using world = await withSubmodule(", submodules: true");
  await upstream(world, "lib", (seed) => Deno.writeTextFile(join(seed, "new.txt"), "new\n"));
  const host = join(world.directory, "host");
  await world.git(
    world.directory,
    "clone",
    "--quiet",
    "--recurse-submodules",
    world.url("app"),
    host,
  );
  await world.git(join(host, "vendor", "lib"), "switch", "--quiet", "--detach", "origin/main");
  await world.git(host, "switch", "--quiet", "--create", "feature/T-1");
  await world.git(host, "commit", "--quiet", "--all", "-m", "Take the next one");
  await world.git(host, "push", "--quiet", "origin", "feature/T-1");
  await done(world, "ticket", "start", "T-1");
  const app = world.clone("app");
  assertEquals(await Deno.readTextFile(join(app, "vendor", "lib", "new.txt")), "new\n");
  assertEquals(await world.git(app, "status", "--porcelain"), "");
  // Where they cannot be had the ticket begins all the same, and the status says what is left.
  await done(world, "ticket", "end", "T-1", "--cleanup-local", "--force", "--yes");
  await world.git(app, "submodule", "--quiet", "deinit", "--force", "--all");
  await Deno.remove(join(app, ".git", "modules"), { recursive: true });
  await Deno.rename(join(world.remotes, "lib.git"), join(world.remotes, "away.git"));
  await done(world, "ticket", "start", "T-1");
  assertMatch((await world.amof(["status"])).stdout, /^app .* SUBMODULE /m);
});

Deno.test("a submodule that a change of branches has left is told as that, and is nothing to commit", async () => {
  await using world = await withSubmodule(", submodules: true");
  const { app, inside, base, next, at } = await withMovedSubmodule(world);
  const log = join(app, ".git", "HEAD");
  const later = async () => await Deno.utime(log, new Date(), new Date(Date.now() + 5_000));
  const left = async () => {
    const shown = (await world.amof(["status"])).stdout;
    assertMatch(shown, /^app .*SUBMODULE/m);
    assertEquals(/DIRTY|--commit/.test(shown), false, shown);
    assertMatch(
      shown,
      new RegExp(`git -C ${app} submodule update --init --recursive -- vendor/lib`),
    );
    const pushed = await world.amof(["push", "--commit", "--allow-base", "-m", "x", "--yes"]);
    assertStringIncludes(pushed.stdout, "up to date");
    assertEquals((await world.git(app, "rev-parse", "main:vendor/lib")).trim(), base);
  };
  await world.git(app, "switch", "--quiet", "main");
  await later();
  await left();
  // With changes of its own no sync takes it along.
  await Deno.writeTextFile(join(inside, "README.md"), "mine\n");
  await left();
  await done(world, "sync");
  assertEquals(await at(), next);
  await world.git(inside, "checkout", "--quiet", ".");
  // Nor is another ticket begun with it.
  await done(world, "ticket", "start", "T-2");
  assertEquals([await at(), await world.git(app, "status", "--porcelain")], [base, ""]);
  // A file in the way leaves it where it was, also one that git ignores.
  const exclude = (await world.git(inside, "rev-parse", "--git-path", "info/exclude")).trim();
  await Deno.writeTextFile(resolve(inside, exclude), "new.txt\n");
  await Deno.writeTextFile(join(inside, "new.txt"), "mine\n");
  await done(world, "ticket", "switch", "T-1");
  await later();
  assertEquals([await at(), await Deno.readTextFile(join(inside, "new.txt"))], [base, "mine\n"]);
  assertMatch((await world.amof(["status"])).stdout, /^app .* SUBMODULE /m);
});
