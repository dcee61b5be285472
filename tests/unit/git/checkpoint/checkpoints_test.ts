// Checkpoints of repositories at their edges: what is not kept is said and never touched, what others changed meanwhile
// stays, and what git has forgotten since is still there.

import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { AmofError } from "../../../../src/base/error.ts";
import { Git } from "../../../../src/git/mod.ts";
import { type Bounds, type Checkpoint, Checkpoints } from "../../../../src/git/checkpoint/mod.ts";
import { World } from "../../../support/world.ts";
import { hermetic } from "../../_support.ts";

const BOUNDS: Bounds = {
  fileBytes: 1_000,
  allBytes: 2_500,
  untracked: true,
  isExcluded: (path) => path.endsWith(".env"),
};

async function repository(world: World, files: Readonly<Record<string, string>>): Promise<string> {
  const repo = join(world.directory, "it");
  await Deno.mkdir(repo);
  await world.git(repo, "init", "-q", "--initial-branch=main");
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(join(repo, name), text);
  }
  await world.git(repo, "add", ".");
  await world.git(repo, "commit", "-q", "-m", "Begin");
  return repo;
}

Deno.test("what is not kept of a repository is said, and stays as it is on the way back", async () => {
  await using world = await World.make();
  const repo = await repository(world, { a: "alpha\n" });
  const checkpoints = new Git(hermetic(world)).at(repo, "it").part(Checkpoints);
  const objects = join(world.directory, "objects");
  await Deno.writeTextFile(join(repo, ".env"), "TOKEN=1\n");
  await Deno.writeTextFile(join(repo, "large"), "x".repeat(1_001));
  for (const name of ["m", "n", "o"]) await Deno.writeTextFile(join(repo, name), name.repeat(900));
  await world.git(world.directory, "init", "-q", join(repo, "nested"));
  await Deno.writeTextFile(join(repo, "nested", "theirs"), "theirs\n");
  const keeping = checkpoints.store(objects);
  const from = await checkpoints.take(BOUNDS, keeping);
  assertEquals(from.aside, [
    { path: ".env", bytes: 8, why: "excluded", index: null },
    { path: "large", bytes: 1_001, why: "too_large", index: null },
    { path: "nested/", bytes: 0, why: "repository" },
    { path: "o", bytes: 900, why: "too_large", index: null },
  ]);
  assertEquals(from.paths.map(({ path }) => path), ["m", "n"]);
  assertEquals(((await Deno.stat(objects)).mode ?? 0) & 0o777, 0o700);

  await Deno.writeTextFile(join(repo, ".env"), "TOKEN=2\n");
  await Deno.writeTextFile(join(repo, "m"), "mmm\n");
  await Deno.remove(join(repo, "n"));
  const to = await checkpoints.take(BOUNDS, keeping);
  await checkpoints.bring({ from: to, to: from, bounds: BOUNDS, objects });
  assertEquals(await Deno.readTextFile(join(repo, "m")), "m".repeat(900));
  assertEquals(await Deno.readTextFile(join(repo, "n")), "n".repeat(900));
  assertEquals(await Deno.readTextFile(join(repo, ".env")), "TOKEN=2\n");
  assertEquals(await Deno.readTextFile(join(repo, "nested", "theirs")), "theirs\n");
});

Deno.test("what was committed and had not been kept leaves the index, and its file stays, there and back", async () => {
  await using world = await World.make();
  const repo = await repository(world, { a: "alpha\n" });
  const checkpoints = new Git(hermetic(world)).at(repo, "it").part(Checkpoints);
  const objects = join(world.directory, "objects");
  await Deno.writeTextFile(join(repo, "a"), "beta\n");
  await Deno.writeTextFile(join(repo, "large"), "x".repeat(1_001));
  // Only programs that give the system bytes can make such a name.
  const make = await world.command("sh", ["-c", `printf 'odd\\n' > "$(printf 'na\\357ve')"`], {
    cwd: repo,
  });
  assertEquals(make.code, 0, make.stderr);
  const state = async () => {
    const status = await world.git(repo, "status", "--porcelain");
    return [status, await world.git(repo, "ls-files", "--stage")];
  };
  const keeping = checkpoints.store(objects);
  const before = [await checkpoints.take(BOUNDS, keeping), await state()] as const;
  await world.git(repo, "add", "--all");
  await world.git(repo, "commit", "--quiet", "-m", "All of it");
  const after = [await checkpoints.take(BOUNDS, keeping), await state()] as const;
  const read = () => world.command("sh", ["-c", "cat large na*ve"], { cwd: repo });
  for (const [[from], [to, known]] of [[after, before], [before, after]] as const) {
    await checkpoints.bring({ from, to, bounds: BOUNDS, objects });
    assertEquals(await state(), known);
    assertEquals((await read()).stdout, `${"x".repeat(1_001)}odd\n`);
  }
});

Deno.test("a checkpoint is not brought back over what changed since, and nothing is touched then", async () => {
  await using world = await World.make();
  const repo = await repository(world, { a: "alpha\n", b: "beta\n" });
  const checkpoints = new Git(hermetic(world)).at(repo, "it").part(Checkpoints);
  const objects = join(world.directory, "objects");
  const keeping = checkpoints.store(objects);
  const from = await checkpoints.take(BOUNDS, keeping);
  await Deno.writeTextFile(join(repo, "a"), "changed\n");
  await Deno.writeTextFile(join(repo, "b"), "changed\n");
  await world.git(repo, "branch", "side");
  const to = await checkpoints.take(BOUNDS, keeping);
  const bring = async (changed: readonly string[]) => {
    const error = await assertRejects(
      () => checkpoints.bring({ from: to, to: from, bounds: BOUNDS, objects }),
      AmofError,
    );
    assertEquals([error.code, error.details["changed"]], ["repo_changed", changed]);
  };

  await Deno.writeTextFile(join(repo, "b"), "mine\n");
  await bring(["b"]);
  assertEquals(await Deno.readTextFile(join(repo, "a")), "changed\n");
  assertEquals(await Deno.readTextFile(join(repo, "b")), "mine\n");

  await Deno.remove(join(repo, "b"));
  await Deno.mkdir(join(repo, "b"));
  await Deno.writeTextFile(join(repo, "b", "mine"), "mine\n");
  await bring(["b"]);
  assertEquals(await Deno.readTextFile(join(repo, "b", "mine")), "mine\n");

  await Deno.remove(join(repo, "b"), { recursive: true });
  await Deno.writeTextFile(join(repo, "b"), "changed\n");
  await world.git(repo, "add", "b");
  await bring(["b"]);
  await world.git(repo, "reset", "-q");
  await world.git(repo, "commit", "-q", "--allow-empty", "-m", "Mine");
  await bring(["HEAD"]);
  await world.git(repo, "reset", "-q", "--soft", "HEAD~1");
  const tree = (await world.git(repo, "rev-parse", "HEAD^{tree}")).trim();
  const mine = (await world.git(repo, "commit-tree", "-m", "Mine", tree)).trim();
  await world.git(repo, "update-ref", "refs/heads/side", mine);
  await bring(["refs/heads/side"]);
  assertEquals((await world.git(repo, "rev-parse", "side")).trim(), mine);
  assertEquals(await Deno.readTextFile(join(repo, "a")), "changed\n");
});

Deno.test("what was staged comes back also where git has forgotten it, and files as their filters make them", async () => {
  await using world = await World.make();
  const repo = await repository(world, {
    ".gitattributes": "*.txt text eol=crlf\n",
    "a.txt": "one\ntwo\n",
    b: "beta\n",
  });
  await world.git(repo, "config", "safe.bareRepository", "explicit");
  await Deno.remove(join(repo, "a.txt"));
  await world.git(repo, "checkout", "-q", "--", "a.txt");
  assertEquals(await Deno.readTextFile(join(repo, "a.txt")), "one\r\ntwo\r\n");
  const clone = new Git(hermetic(world)).at(repo, "it");
  const checkpoints = clone.part(Checkpoints);
  const objects = join(world.directory, "objects");
  const keeping = checkpoints.store(objects);
  await Deno.writeTextFile(join(repo, "b"), "staged\n");
  await world.git(repo, "add", "b");
  await Deno.writeTextFile(join(repo, "b"), "beta\n");
  const from = await checkpoints.take(BOUNDS, keeping);

  await Deno.writeTextFile(join(repo, "a.txt"), "three\n");
  await world.git(repo, "commit", "-q", "-a", "-m", "More");
  await world.git(repo, "gc", "-q", "--prune=now");
  const to = await checkpoints.take(BOUNDS, keeping);
  assertEquals(to.paths, []);
  await checkpoints.pin("some", [from.head ?? ""]);
  await world.git(repo, "reflog", "expire", "--expire=now", "--all");
  await world.git(repo, "gc", "-q", "--prune=now");
  await checkpoints.bring({ from: to, to: from, bounds: BOUNDS, objects });
  assertEquals(await Deno.readTextFile(join(repo, "a.txt")), "one\r\ntwo\r\n");
  assertEquals(await world.git(repo, "show", ":b"), "staged");
  assertEquals(await world.git(repo, "status", "--porcelain"), "MM b");
  const kept = await clone.refs.under(["refs/amof/keep/some/"]);
  await checkpoints.unpin([...kept.keys()]);
  assertEquals(await world.git(repo, "for-each-ref", "refs/amof"), "");
});

Deno.test("a commit that somebody makes without a branch, right before HEAD goes to one, stays checked out", async () => {
  await using world = await World.make();
  const repo = await repository(world, { a: "alpha\n" });
  const system = hermetic(world);
  const objects = join(world.directory, "objects");
  const checkpoints = new Git(system).at(repo, "it").part(Checkpoints);
  const keeping = checkpoints.store(objects);
  const to = await checkpoints.take(BOUNDS, keeping);
  await world.git(repo, "switch", "-q", "--detach");
  const from = await checkpoints.take(BOUNDS, keeping);
  let theirs = "";
  const run: typeof system.processes.run = async (request) => {
    if (request.args.includes("symbolic-ref") && theirs === "") {
      await world.git(repo, "commit", "-q", "--allow-empty", "-m", "Theirs");
      theirs = await world.git(repo, "rev-parse", "HEAD");
    }
    return await system.processes.run(request);
  };
  const watched = new Git({ ...system, processes: { ...system.processes, run } }).at(repo, "it");
  const error = await assertRejects(
    () => watched.part(Checkpoints).bring({ from, to, bounds: BOUNDS, objects }),
    AmofError,
  );
  assertEquals([error.code, error.details["changed"]], ["repo_changed", ["HEAD"]]);
  assertEquals(await world.git(repo, "rev-parse", "HEAD"), theirs);
});

Deno.test("a repository without a commit has a checkpoint, too", async () => {
  await using world = await World.make();
  for (const format of ["sha1", "sha256"]) {
    const repo = join(world.directory, format);
    await Deno.mkdir(repo);
    await world.git(repo, "init", "-q", "--initial-branch=main", `--object-format=${format}`);
    const checkpoints = new Git(hermetic(world)).at(repo, "it").part(Checkpoints);
    const objects = join(world.directory, `objects-${format}`);
    const keeping = checkpoints.store(objects);
    await Deno.writeTextFile(join(repo, "a"), "alpha\n");
    const from: Checkpoint = await checkpoints.take(BOUNDS, keeping);
    assertEquals([from.head, from.branch, from.refs], [null, "main", {}]);
    await world.git(repo, "add", "a");
    await world.git(repo, "commit", "-q", "-m", "First");
    await Deno.writeTextFile(join(repo, "b"), "beta\n");
    const to = await checkpoints.take(BOUNDS, keeping);
    await checkpoints.bring({ from: to, to: from, bounds: BOUNDS, objects });
    assertEquals(await world.git(repo, "status", "--porcelain"), "?? a");
    await checkpoints.bring({ from, to, bounds: BOUNDS, objects });
    assertEquals(await world.git(repo, "status", "--porcelain"), "?? b");
    assert((await world.git(repo, "log", "--format=%s")).startsWith("First"));
  }
});

Deno.test("Checkpoints.missing() tells which commits are not there", async () => {
  await using world = await World.make();
  const repo = await repository(world, { a: "alpha\n" });
  const head = await world.git(repo, "rev-parse", "HEAD");
  const checkpoints = new Git(hermetic(world)).at(repo, "it").part(Checkpoints);
  const gone = "1".repeat(head.length);
  assertEquals(await checkpoints.missing([head, gone]), [gone]);
});

for (const flag of ["--assume-unchanged", "--skip-worktree"]) {
  Deno.test(`a file that git was told to overlook with ${flag} is not written over`, async () => {
    await using world = await World.make();
    const repo = await repository(world, { a: "one\n" });
    const checkpoints = new Git(hermetic(world)).at(repo, "it").part(Checkpoints);
    const objects = join(world.directory, "objects");
    const to = await checkpoints.take(BOUNDS, checkpoints.store(objects));
    await Deno.writeTextFile(join(repo, "a"), "two\n");
    await world.git(repo, "commit", "-q", "-a", "-m", "Two");
    const from = await checkpoints.take(BOUNDS, checkpoints.store(objects));
    await world.git(repo, "update-index", flag, "a");
    await Deno.writeTextFile(join(repo, "a"), "mine\n");
    const error = await assertRejects(
      () => checkpoints.bring({ from, to, bounds: BOUNDS, objects }),
      AmofError,
    );
    assertEquals([error.code, error.details["changed"]], ["repo_changed", ["a"]]);
    assertEquals(await Deno.readTextFile(join(repo, "a")), "mine\n");
  });
}

Deno.test("what is staged of a file that is too large to be kept stays", async () => {
  await using world = await World.make();
  const large = (letter: string) => letter.repeat(BOUNDS.fileBytes + 1);
  const repo = await repository(world, { a: large("1") });
  const checkpoints = new Git(hermetic(world)).at(repo, "it").part(Checkpoints);
  const objects = join(world.directory, "objects");
  const to = await checkpoints.take(BOUNDS, checkpoints.store(objects));
  await Deno.writeTextFile(join(repo, "a"), large("2"));
  await world.git(repo, "commit", "-q", "-a", "-m", "Two");
  const from = await checkpoints.take(BOUNDS, checkpoints.store(objects));
  await Deno.writeTextFile(join(repo, "a"), large("3"));
  await world.git(repo, "add", "a");
  await Deno.writeTextFile(join(repo, "a"), large("2"));
  const error = await assertRejects(
    () => checkpoints.bring({ from, to, bounds: BOUNDS, objects }),
    AmofError,
  );
  assertEquals([error.code, error.details["changed"]], ["repo_changed", ["a"]]);
  assertEquals(await world.git(repo, "show", ":a"), large("3"));
});

Deno.test("a repository inside of another makes no room for a file", async () => {
  await using world = await World.make();
  const repo = await repository(world, { a: "alpha\n", inner: "a file\n" });
  const checkpoints = new Git(hermetic(world)).at(repo, "it").part(Checkpoints);
  const objects = join(world.directory, "objects");
  const to = await checkpoints.take(BOUNDS, checkpoints.store(objects));
  await Deno.remove(join(repo, "inner"));
  await world.git(repo, "init", "-q", "inner");
  await Deno.writeTextFile(join(repo, "inner", "theirs"), "theirs\n");
  await world.git(join(repo, "inner"), "add", ".");
  await world.git(join(repo, "inner"), "commit", "-q", "-m", "Theirs");
  await world.git(repo, "add", "inner");
  await world.git(repo, "commit", "-q", "-m", "A repository");
  const from = await checkpoints.take(BOUNDS, checkpoints.store(objects));
  const refused = async () => {
    const error = await assertRejects(
      () => checkpoints.bring({ from, to, bounds: BOUNDS, objects }),
      AmofError,
    );
    assertEquals([error.code, error.details["changed"]], ["repo_changed", ["inner"]]);
  };
  await refused();
  assertEquals(await Deno.readTextFile(join(repo, "inner", "theirs")), "theirs\n");
  // Where it is not checked out, nothing is in the way.
  await Deno.remove(join(repo, "inner"), { recursive: true });
  await Deno.mkdir(join(repo, "inner"));
  await refused();
  assertEquals(await world.git(repo, "status", "--porcelain"), "");
});
