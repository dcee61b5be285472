// Covers parseStatus() on what the installed git really prints, in real repositories.

import { sha } from "../../../../src/base/ids.ts";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { parseStatus, type PorcelainStatus } from "../../../../src/git/read/status_v2.ts";
import { World } from "../../../support/world.ts";
import { clone, commit, repository } from "../_support.ts";

async function status(world: World, path: string, ...more: string[]): Promise<PorcelainStatus> {
  const ran = await world.command(
    "git",
    ["status", "--porcelain=v2", "--branch", "--show-stash", "-z", ...more],
    { cwd: path },
  );
  assertEquals(ran.code, 0, ran.stderr);
  return parseStatus(ran.stdout);
}

const codes = (found: PorcelainStatus) => found.changes.map(({ path, code }) => `${code} ${path}`);

Deno.test("parseStatus() reads a clean repository without an upstream", async () => {
  await using world = await World.make();
  const path = await repository(world);
  const found = await status(world, path);
  assertEquals(found, {
    head: sha(await world.git(path, "rev-parse", "HEAD")),
    branch: "main",
    upstream: null,
    ahead: null,
    behind: null,
    stashes: 0,
    changes: [],
    submodules: [],
  });
});

Deno.test("parseStatus() reads a repository without commits", async () => {
  await using world = await World.make();
  const path = join(world.directory, "empty");
  await Deno.mkdir(path);
  await world.git(path, "init", "--quiet", "--initial-branch=trunk");
  const found = await status(world, path);
  assertEquals([found.head, found.branch, found.ahead], [null, "trunk", null]);
});

Deno.test("parseStatus() reads a detached head", async () => {
  await using world = await World.make();
  const path = await repository(world);
  await world.git(path, "switch", "--quiet", "--detach");
  const found = await status(world, path);
  assertEquals(found.branch, null);
  assertEquals(found.head, await world.git(path, "rev-parse", "HEAD"));
});

Deno.test("parseStatus() reads how far a branch is ahead and behind", async () => {
  await using world = await World.make();
  const other = await clone(world, "other");
  const path = await clone(world);
  await commit(world, other, "theirs.txt", "x");
  await world.git(other, "push", "--quiet");
  await commit(world, path, "ours-1.txt", "x");
  await commit(world, path, "ours-2.txt", "x");
  await world.git(path, "fetch", "--quiet");
  const found = await status(world, path);
  assertEquals([found.upstream, found.ahead, found.behind], ["origin/main", 2, 1]);
});

Deno.test("parseStatus() reads zeros for a branch level with its upstream", async () => {
  await using world = await World.make();
  const found = await status(world, await clone(world));
  assertEquals([found.upstream, found.ahead, found.behind], ["origin/main", 0, 0]);
});

Deno.test("parseStatus() names a gone upstream and gives no distance to it", async () => {
  await using world = await World.make();
  const path = await clone(world);
  await world.git(path, "update-ref", "-d", "refs/remotes/origin/main");
  const found = await status(world, path);
  assertEquals([found.upstream, found.ahead, found.behind], ["origin/main", null, null]);
});

Deno.test("parseStatus() reads branch names with slashes and letters of any script", async () => {
  await using world = await World.make();
  const path = await repository(world);
  await world.git(path, "switch", "--quiet", "-c", "feature/Grüße-你好/x");
  assertEquals((await status(world, path)).branch, "feature/Grüße-你好/x");
});

Deno.test("parseStatus() counts stashes", async () => {
  await using world = await World.make();
  const path = await repository(world);
  for (const text of ["two\n", "three\n"]) {
    await Deno.writeTextFile(join(path, "file.txt"), text);
    await world.git(path, "stash", "push", "--quiet");
  }
  assertEquals((await status(world, path)).stashes, 2);
});

Deno.test("parseStatus() tells staged, unstaged, deleted and untracked files apart", async () => {
  await using world = await World.make();
  const path = await repository(world);
  await commit(world, path, "gone.txt", "x");
  await Deno.writeTextFile(join(path, "file.txt"), "changed\n");
  await Deno.remove(join(path, "gone.txt"));
  await Deno.writeTextFile(join(path, "added.txt"), "x");
  await world.git(path, "add", "added.txt");
  await Deno.writeTextFile(join(path, "new.txt"), "x");
  assertEquals(codes(await status(world, path)), [
    "A. added.txt",
    ".M file.txt",
    ".D gone.txt",
    "?? new.txt",
  ]);
});

Deno.test("parseStatus() shows a file that is both staged and changed once", async () => {
  await using world = await World.make();
  const path = await repository(world);
  await Deno.writeTextFile(join(path, "file.txt"), "staged\n");
  await world.git(path, "add", "file.txt");
  await Deno.writeTextFile(join(path, "file.txt"), "changed again\n");
  assertEquals(codes(await status(world, path)), ["MM file.txt"]);
});

Deno.test("parseStatus() reads names with blanks, newlines, quotes and other scripts", async () => {
  await using world = await World.make();
  const path = await repository(world);
  const names = [
    " lead",
    'a "quoted" name',
    "line\nbreak\n1 .M fake",
    "two  blanks ",
    "ünï 你好",
    "# branch.head evil",
  ];
  for (const name of names) await Deno.writeTextFile(join(path, name), "x");
  await Deno.writeTextFile(join(path, "file.txt"), "changed\n");
  const found = await status(world, path);
  assertEquals(found.branch, "main");
  assertEquals(
    found.changes.filter(({ code }) => code === "??").map((change) => change.path).sort(),
    names.sort(),
  );
  assertEquals(found.changes.length, names.length + 1);
});

Deno.test("parseStatus() reads a renamed file as one change under its new name", async () => {
  await using world = await World.make();
  const path = await repository(world);
  const before = "1 old name\nwith break";
  await commit(world, path, before, "enough text to be recognised as the same file\n".repeat(5));
  await world.git(path, "mv", before, "new name\n? and more");
  await Deno.writeTextFile(join(path, "zz.txt"), "x");
  assertEquals(codes(await status(world, path)), ["R. new name\n? and more", "?? zz.txt"]);
});

Deno.test("parseStatus() marks conflicts", async () => {
  await using world = await World.make();
  const path = await repository(world);
  await world.git(path, "switch", "--quiet", "-c", "side");
  await commit(world, path, "file.txt", "side\n");
  await world.git(path, "switch", "--quiet", "main");
  await commit(world, path, "file.txt", "main\n");
  assertEquals((await world.command("git", ["merge", "side"], { cwd: path })).code, 1);
  const [change] = (await status(world, path)).changes;
  assertEquals([change?.path, change?.code, change?.conflicted], ["file.txt", "UU", true]);
});

Deno.test("parseStatus() leaves out .amof/ and nothing else that begins so", async () => {
  await using world = await World.make();
  const path = await repository(world);
  await Deno.mkdir(join(path, ".amof"));
  await Deno.mkdir(join(path, "sub", ".amof"), { recursive: true });
  await Deno.writeTextFile(join(path, ".amof", "state.json"), "{}");
  await Deno.writeTextFile(join(path, "sub", ".amof", "state.json"), "{}");
  await Deno.writeTextFile(join(path, ".amofrc"), "x");
  const expected = ["?? .amofrc", "?? sub/.amof/state.json"];
  assertEquals(codes(await status(world, path, "--untracked-files=all")), expected);
  assertEquals(codes(await status(world, path)), ["?? .amofrc", "?? sub/"]);
});

Deno.test("parseStatus() leaves out .amof when it is tracked and changed", async () => {
  await using world = await World.make();
  const path = await repository(world);
  await Deno.mkdir(join(path, ".amof"));
  await commit(world, path, ".amof/state.json", "{}");
  await Deno.writeTextFile(join(path, ".amof", "state.json"), "{ }");
  const plain = await world.git(path, "status", "--porcelain");
  assertMatch(plain, /\.amof\/state\.json/);
  assertEquals(codes(await status(world, path)), []);
});

Deno.test("parseStatus() keeps the line as git printed it, which tells contents apart", async () => {
  await using world = await World.make();
  const path = await repository(world);
  const raw = async (text: string) => {
    await Deno.writeTextFile(join(path, "file.txt"), text);
    await world.git(path, "add", "file.txt");
    return (await status(world, path)).changes[0]?.raw ?? "";
  };
  const [first, second] = [await raw("two\n"), await raw("three\n")];
  assertMatch(
    first,
    /^1 M\. N\.\.\. 100644 100644 100644 [0-9a-f]{40,64} [0-9a-f]{40,64} file\.txt$/,
  );
  assert(first !== second);
});

Deno.test("parseStatus() passes over headers and records of unknown kind", () => {
  const found = parseStatus(
    "# branch.oid (initial)\0# future.header x\0# branch.head main\0! ignored\0x what\0? new\0",
  );
  assertEquals([found.branch, codes(found)], ["main", ["?? new"]]);
});

Deno.test("parseStatus() of nothing is an empty state", () => {
  assertEquals(parseStatus(""), {
    head: null,
    branch: null,
    upstream: null,
    ahead: null,
    behind: null,
    stashes: 0,
    changes: [],
    submodules: [],
  });
});

Deno.test("parseStatus() takes what has changed inside of a submodule alone for no change of the repository", () => {
  const [old, next] = ["1".repeat(40), "2".repeat(40)];
  const record = (code: string, sub: string, path: string) =>
    `1 ${code} ${sub} 160000 160000 160000 ${old} ${code[0] === "." ? old : next} ${path}\0`;
  const found = parseStatus([
    record(".M", "S..U", "built"),
    record(".M", "S.M.", "edited"),
    record(".M", "SC..", "moved"),
    record(".M", "SC.U", "moved too"),
    record("M.", "S...", "staged"),
    record("MM", "S..U", "staged and built"),
    record(".D", "S...", "deleted"),
  ].join(""));
  assertEquals(codes(found), [
    ".M moved",
    ".M moved too",
    "M. staged",
    "MM staged and built",
    ".D deleted",
  ]);
  assertEquals(
    found.submodules.map(({ path, wanted, moved, modified }) => [path, wanted, moved, modified]),
    [
      ["built", old, false, false],
      ["edited", old, false, true],
      ["moved", old, true, false],
      ["moved too", old, true, false],
      ["staged", null, true, false],
      ["staged and built", null, true, false],
      ["deleted", old, false, false],
    ],
  );
});
