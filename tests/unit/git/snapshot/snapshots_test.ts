// Covers Git.stashes and Git.snapshots beside the law in tests/property: git's own stashes, unmerged paths, filters, what
// is in the way, branches that moved on, names of objects of either kind.

import { sha } from "../../../../src/base/ids.ts";
import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { AmofError } from "../../../../src/base/error.ts";
import { Git } from "../../../../src/git/mod.ts";
import { snapshotId, Snapshots } from "../../../../src/git/snapshot/mod.ts";
import { IN_TABLES, World } from "../../../support/world.ts";
import { hermetic } from "../../_support.ts";

/** Wrapped programs and links are POSIX matters. */
const ignore = Deno.build.os === "windows";
/** What is torn out of files here cannot be torn out of tables. */
const APPLIED = { conflicts: [], strangers: [] };

function test(name: string, fn: (world: World) => Promise<void>): void {
  Deno.test({
    name,
    ignore,
    async fn() {
      await using world = await World.make();
      await fn(world);
    },
  });
}

/** A repository with one commit of three files; answers where it is. */
async function repository(world: World, ...init: string[]): Promise<string> {
  const path = join(world.directory, "repo");
  await Deno.mkdir(path);
  await world.git(path, "init", "--quiet", "--initial-branch=main", ...init);
  for (const name of ["a", "b", "gone"]) {
    await Deno.writeTextFile(join(path, name), `${name}\n1\n2\n3\n4\n5\n6\n7\n`);
  }
  await world.git(path, "add", ".");
  await world.git(path, "commit", "--quiet", "-m", "Begin");
  return path;
}

/** Changed, staged, new and deleted files. */
async function work(world: World, path: string): Promise<void> {
  await write(path, "a", "a\n1\n2\n3\n4\n5\n6\nseven\n");
  await write(path, "b", "b\n1\n2\n3\n4\n5\n6\nstaged\n");
  await world.git(path, "add", "b");
  await write(path, "b", "b\n1\n2\n3\n4\n5\n6\nstaged\nand more\n");
  await Deno.remove(join(path, "gone"));
  await write(path, "new dir/new", "new\n");
}

function write(path: string, name: string, text: string): Promise<void> {
  const at = name.lastIndexOf("/");
  if (at > 0) Deno.mkdirSync(join(path, name.slice(0, at)), { recursive: true });
  return Deno.writeTextFile(join(path, name), text);
}

function read(path: string, name: string): Promise<string | null> {
  return Deno.readTextFile(join(path, name)).catch(() => null);
}

async function picture(world: World, path: string): Promise<string[]> {
  const names = ["a", "b", "gone", "new dir/new"];
  return [
    await world.git(path, "status", "--porcelain", "-uall"),
    await world.git(path, "ls-files", "--stage"),
    ...await Promise.all(names.map(async (name) => await read(path, name) ?? "absent")),
  ];
}

function gitIn(world: World): Git {
  return new Git(hermetic(world));
}

const TITLE = { id: "0123abcd", branch: "main", name: "amof:T-1", at: 1_700_000_000_000 };

/** Keeps everything as a stash, as tickets do; answers its commit. */
async function keep(git: Git, path: string): Promise<string> {
  const taken = await git.at(path, "api").part(Snapshots).take(TITLE);
  if (taken === null) throw new Error("nothing to keep");
  await git.at(path, "api").stashes.store(taken.commit, "On main: amof:T-1");
  return taken.commit;
}

for (const init of [[], ["--object-format=sha256"]]) {
  test(`a snapshot is a stash that git lists, shows and brings back (${init.join("") || "sha1"})`, async (world) => {
    const path = await repository(world, ...init);
    await work(world, path);
    const before = await picture(world, path);
    const git = gitIn(world);
    const commit = await keep(git, path);
    assertEquals(await world.git(path, "stash", "list", "--format=%gs"), "On main: amof:T-1");
    const found = await git.at(path, "api").stashes.find("amof:T-1");
    assertEquals([found?.commit, found?.number], [commit, 0]);
    assertEquals(snapshotId(found?.message ?? ""), TITLE.id);
    assertEquals(await git.at(path, "api").part(Snapshots).apply(commit, "head"), APPLIED);
    assertEquals(await world.git(path, "status", "--porcelain"), "");
    await world.git(path, "gc", "--quiet", "--prune=now");
    await world.git(path, "stash", "pop", "--quiet", "--index");
    assertEquals(await picture(world, path), before);
  });
}

test("a stash that git made comes back like a snapshot", async (world) => {
  const path = await repository(world);
  await work(world, path);
  const before = await picture(world, path);
  const git = gitIn(world);
  await world.git(path, "stash", "push", "--quiet", "-u", "-m", "amof:T-1");
  const stash = await git.at(path, "api").stashes.find("amof:T-1");
  assertEquals(
    await git.at(path, "api").part(Snapshots).apply(stash?.commit ?? "", "kept"),
    APPLIED,
  );
  assertEquals(await picture(world, path), before);
  assertEquals(
    await git.at(path, "api").part(Snapshots).apply(stash?.commit ?? "", "head"),
    APPLIED,
  );
  assertEquals(await world.git(path, "status", "--porcelain"), "");
});

test("snapshots know line endings and filters, and keep the very bytes", async (world) => {
  const path = await repository(world);
  await write(path, ".gitattributes", "*.txt text eol=crlf\n*.up filter=up\n");
  await write(path, "lines.txt", "one\r\ntwo\r\n");
  await world.git(path, "config", "filter.up.clean", "tr A-Z a-z");
  await world.git(path, "config", "filter.up.smudge", "tr a-z A-Z");
  await write(path, "loud.up", "LOUD\n");
  await world.git(path, "add", ".");
  await world.git(path, "commit", "--quiet", "-m", "Attributes");
  await write(path, "lines.txt", "one\r\nTWO\r\nthree\n");
  await write(path, "loud.up", "Mixed\n");
  const git = gitIn(world);
  const commit = await keep(git, path);
  assertEquals(await git.at(path, "api").part(Snapshots).apply(commit, "head"), APPLIED);
  assertEquals(await read(path, "lines.txt"), "one\r\ntwo\r\n");
  assertEquals(await read(path, "loud.up"), "LOUD\n");
  assertEquals(await world.git(path, "status", "--porcelain"), "");
  assertEquals(await git.at(path, "api").part(Snapshots).apply(commit, "kept"), APPLIED);
  assertEquals(await read(path, "lines.txt"), "one\r\nTWO\r\nthree\n");
  assertEquals(await read(path, "loud.up"), "Mixed\n");
});

test("snapshots hold paths that were not merged", async (world) => {
  const path = await repository(world);
  await world.git(path, "switch", "--quiet", "-c", "other");
  await write(path, "a", "theirs\n");
  await world.git(path, "commit", "--quiet", "-am", "Theirs");
  await world.git(path, "switch", "--quiet", "main");
  await write(path, "a", "ours\n");
  await world.git(path, "commit", "--quiet", "-am", "Ours");
  await world.command("git", ["merge", "--quiet", "other"], { cwd: path });
  const before = await picture(world, path);
  const git = gitIn(world);
  const taken = await git.at(path, "api").part(Snapshots).take(TITLE);
  const commit = taken?.commit ?? "";
  assertEquals((await git.at(path, "api").part(Snapshots).read(commit)).view, taken?.view);
  assertEquals(await git.at(path, "api").part(Snapshots).apply(commit, "head"), APPLIED);
  assertEquals(await read(path, "a"), "ours\n");
  assertEquals(await git.at(path, "api").part(Snapshots).apply(commit, "kept"), APPLIED);
  assertEquals(await picture(world, path), before);
});

/** A world in which somebody writes to a file just before it is renamed, written over or removed for the first time. */
function writing(world: World, file: string): Git {
  const system = hermetic(world);
  const { files } = system;
  let written = false;
  const before = (...paths: readonly string[]) => {
    if (written || !paths.includes(file)) return;
    written = true;
    Deno.writeTextFileSync(file, "mine\n", { append: true });
  };
  const rename: typeof files.rename = (from, to) => (before(from, to), files.rename(from, to));
  const remove: typeof files.remove = (path) => (before(path), files.remove(path));
  const link: typeof files.link = (from, to) => (before(to), files.link(from, to));
  return new Git({ ...system, files: { ...files, rename, remove, link } });
}

for (const name of ["a", "gone", "new dir/new"]) {
  test(`what somebody writes to ${name} in the last moment is not removed`, async (world) => {
    const path = await repository(world);
    await work(world, path);
    const commit = await keep(gitIn(world), path);
    const snapshots = writing(world, join(path, name)).at(path, "api").part(Snapshots);
    await assertRejects(
      () => snapshots.apply(commit, "head"),
      AmofError,
      "changes while it is written",
    );
    assertEquals((await read(path, name))?.endsWith("mine\n"), true);
  });
}

test("a snapshot overwrites nothing that it does not know, and touches nothing then", async (world) => {
  const path = await repository(world);
  await work(world, path);
  const git = gitIn(world);
  const commit = await keep(git, path);
  await write(path, "a", "somebody else's\n");
  const before = await picture(world, path);
  assertEquals(await git.at(path, "api").part(Snapshots).apply(commit, "head"), {
    conflicts: [],
    strangers: ["a"],
  });
  assertEquals(await picture(world, path), before);
  await world.git(path, "reset", "--quiet", "--hard");
  await Deno.remove(join(path, "new dir"), { recursive: true });
  await write(path, ".git/info/exclude", "new*\n");
  // Ignored, and in the way of a file that comes back, once as a file and once as its directory.
  for (const stranger of ["new dir/new", "new dir"]) {
    await Deno.remove(join(path, "new dir"), { recursive: true }).catch(() => {});
    await write(path, stranger, "ignored\n");
    assertEquals(await git.at(path, "api").part(Snapshots).apply(commit, "kept"), {
      conflicts: [],
      strangers: [stranger],
    });
    assertEquals(await read(path, stranger), "ignored\n");
    assertEquals(await world.git(path, "status", "--porcelain"), "");
  }
});

test("a snapshot never writes or reads through a link", async (world) => {
  const path = await repository(world);
  await write(path, "dir/f", "mine\n");
  await world.git(path, "add", ".");
  await world.git(path, "commit", "--quiet", "-m", "Directory");
  await write(path, "dir/f", "changed\n");
  const git = gitIn(world);
  const commit = await keep(git, path);
  const outside = join(world.directory, "outside");
  await write(world.directory, "outside/f", "mine\n");
  await Deno.remove(join(path, "dir"), { recursive: true });
  await Deno.symlink(outside, join(path, "dir"));
  const { strangers } = await git.at(path, "api").part(Snapshots).apply(commit, "kept");
  assertEquals(strangers.length > 0, true);
  assertEquals(await read(outside, "f"), "mine\n");
});

test("a snapshot is merged with what was committed since, and taken out again", async (world) => {
  const path = await repository(world);
  await work(world, path);
  const git = gitIn(world);
  const commit = await keep(git, path);
  await git.at(path, "api").part(Snapshots).apply(commit, "head");
  await write(path, "a", "A\n1\n2\n3\n4\n5\n6\n7\n");
  await write(path, "b", "B\n1\n2\n3\n4\n5\n6\n7\n");
  await write(path, "more", "more\n");
  await world.git(path, "add", ".");
  await world.git(path, "commit", "--quiet", "-m", "On");
  for (let round = 0; round < 2; round++) {
    assertEquals(await git.at(path, "api").part(Snapshots).apply(commit, "kept"), APPLIED);
    assertEquals(await read(path, "a"), "A\n1\n2\n3\n4\n5\n6\nseven\n");
    assertEquals(await read(path, "b"), "B\n1\n2\n3\n4\n5\n6\nstaged\nand more\n");
    assertEquals(
      await world.git(path, "show", ":b"),
      "B\n1\n2\n3\n4\n5\n6\nstaged",
    );
    assertEquals(await read(path, "gone"), null);
    assertEquals(await git.at(path, "api").part(Snapshots).apply(commit, "head"), APPLIED);
    assertEquals(await world.git(path, "status", "--porcelain"), "");
  }
});

test("a snapshot that does not go together with what was committed since says where", async (world) => {
  const path = await repository(world);
  await work(world, path);
  const git = gitIn(world);
  const commit = await keep(git, path);
  await git.at(path, "api").part(Snapshots).apply(commit, "head");
  await write(path, "a", "a\n1\n2\n3\n4\n5\n6\n8\n");
  await write(path, "gone", "not gone\n");
  await write(path, "new dir/new", "another\n");
  await world.git(path, "add", ".");
  await world.git(path, "commit", "--quiet", "-m", "On");
  const conflicts = ["a", "gone", "new dir/new"];
  assertEquals(await git.at(path, "api").part(Snapshots).apply(commit, "kept"), {
    conflicts,
    strangers: [],
  });
  const head = await world.git(path, "rev-parse", "HEAD");
  const snapshots = git.at(path, "api").part(Snapshots);
  assertEquals(await snapshots.conflicts(commit, head), conflicts);
  assertEquals(await snapshots.contested(commit, head), conflicts);
  assertEquals(await snapshots.contested(commit, `${head}~1`), []);
  assertEquals(await world.git(path, "status", "--porcelain"), "");
});

test("a commit made while a snapshot is brought back is told as a change by somebody else", async (world) => {
  const path = await repository(world);
  await work(world, path);
  const system = hermetic(world);
  const commit = await keep(new Git(system), path);
  // Somebody commits right before the working copy is looked at.
  const run: typeof system.processes.run = async (request) => {
    if (request.args.includes("status")) {
      await world.git(path, "commit", "--quiet", "--allow-empty", "-m", "Elsewhere");
    }
    return await system.processes.run(request);
  };
  const watched = new Git({ ...system, processes: { ...system.processes, run } });
  const [, ...before] = await picture(world, path);
  const error = await assertRejects(
    () => watched.at(path, "api").part(Snapshots).apply(commit, "head"),
    AmofError,
  );
  assertEquals([error.code, error.hint], [
    "repo_changed",
    "Repeat when nothing else works there",
  ]);
  const [, ...after] = await picture(world, path);
  assertEquals(after, before);
});

for (
  const [what, end, meddle] of [
    ["writes to a file that was put away", "head", (_, path) => write(path, "a", "mine\n")],
    ["stages a file that came back", "kept", (world, path) => world.git(path, "add", "a")],
  ] as readonly (readonly [
    string,
    "head" | "kept",
    (world: World, path: string) => Promise<unknown>,
  ])[]
) {
  test(`it is told when somebody ${what} before it was looked at again`, async (world) => {
    const path = await repository(world);
    await work(world, path);
    const system = hermetic(world);
    const git = new Git(system);
    const commit = await keep(git, path);
    if (end === "kept") await git.at(path, "api").part(Snapshots).apply(commit, "head");
    let looks = 0;
    const run: typeof system.processes.run = async (request) => {
      if (request.args.includes("status") && ++looks === 2) await meddle(world, path);
      return await system.processes.run(request);
    };
    const watched = new Git({ ...system, processes: { ...system.processes, run } });
    const error = await assertRejects(
      () => watched.at(path, "api").part(Snapshots).apply(commit, end),
      AmofError,
    );
    assertEquals([error.code, error.details["path"], looks], ["would_lose_work", "a", 2]);
  });
}

test("submodules and nested repositories stay as they are", async (world) => {
  const path = await repository(world);
  await Deno.mkdir(join(path, "nested"));
  await world.git(join(path, "nested"), "init", "--quiet");
  await write(path, "nested/file", "mine\n");
  const git = gitIn(world);
  assertEquals(await git.at(path, "api").part(Snapshots).take(TITLE), null);
  await write(path, "a", "changed\n");
  const commit = await keep(git, path);
  assertEquals(await git.at(path, "api").part(Snapshots).apply(commit, "head"), APPLIED);
  assertEquals(await read(path, "nested/file"), "mine\n");
});

test("what git cannot keep is refused before anything is touched", async (world) => {
  const path = await repository(world);
  await Deno.remove(join(path, "a"));
  await world.command("mkfifo", [join(path, "a")]);
  const git = gitIn(world);
  const error = await assertRejects(
    () => git.at(path, "api").part(Snapshots).take(TITLE),
    AmofError,
  );
  assertEquals(error.code, "would_lose_work");
  assertEquals(await world.git(path, "for-each-ref", "refs/amof", "refs/stash"), "");
});

test("Git.stashes.drop() drops the one that is meant, whatever its number is by then", async (world) => {
  const path = await repository(world);
  const git = gitIn(world);
  await write(path, "a", "kept\n");
  const commit = await keep(git, path);
  await world.git(path, "reset", "--quiet", "--hard");
  // Somebody puts something away in the moment before git drops.
  const env = await world.wrapGit(
    `case " $* " in *" stash drop "*) [ -e '${world.directory}/once' ] || {
       touch '${world.directory}/once'; echo theirs > b; '/usr/bin/env' git stash push --quiet -m theirs; };; esac`,
  );
  const racing = new Git(hermetic(world, env));
  await racing.at(path, "api").stashes.drop(sha(commit));
  assertEquals(await world.git(path, "stash", "list", "--format=%gs"), "On main: theirs");
});

test("Git.stashes.drop() completes what a killed git has half done", async (world) => {
  if (IN_TABLES) return;
  const path = await repository(world);
  const git = gitIn(world);
  await write(path, "a", "kept\n");
  const commit = await keep(git, path);
  await Deno.writeTextFile(join(path, ".git/logs/refs/stash"), "");
  await git.at(path, "api").stashes.drop(sha(commit));
  assertEquals(await world.git(path, "for-each-ref", "refs/stash"), "");
});

test("a file whose name is not UTF-8 is not put away, and stays", async (world) => {
  const path = await repository(world);
  const made = await world.command("sh", ["-c", "echo odd > \"$(printf 'o\\377')\""], {
    cwd: path,
  });
  // Some file systems have no such names.
  if (made.code !== 0) return;
  const snapshots = new Git(hermetic(world)).at(path, "repo").part(Snapshots);
  const error = await assertRejects(
    () => snapshots.take({ id: "0".repeat(16), branch: "main", name: "kept", at: 0 }),
    AmofError,
  );
  assertEquals(error.code, "would_lose_work");
});
