/**
 * `amof install` where something is in its place: it refuses, and what was there stays.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick } from "../support/answers.ts";
import { World } from "../support/world.ts";
import { breakRemote, install, names, POSIX } from "./_install.ts";

Deno.test("every command tells that the control repository is no git repository", async () => {
  await using world = await World.withEcosystem();
  await Deno.remove(join(world.control, ".git"), { recursive: true });
  for (const words of ["install", "status", "sync", "push", "ticket list", "release status"]) {
    const ran = await world.amof(["--root", world.control, ...words.split(" "), "--json"]);
    assertMatch(
      String(pick(ran.json(), "message")),
      /control is not a git repository/,
      words,
    );
    assertStringIncludes(String(pick(ran.json(), "hint")), "git init", words);
  }
});

Deno.test("amof install before the first commit says how to make it", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  await world.git(world.control, "update-ref", "-d", "HEAD");
  const refused = await install(world);
  assertEquals(refused.code, 1);
  const lines = String(pick(refused.json(), "hint")).split("\n")
    .map((line) => line.split(": ").slice(1).join(": ")).join("\n");
  const made = await world.command("sh", ["-e", "-c", lines], { cwd: world.control });
  assertEquals(made.code, 0, `${lines}: ${made.stderr}`);
  assertEquals((await install(world)).code, 0);
});

Deno.test("amof install keeps what existed before when it fails", async () => {
  await using world = await World.withEcosystem();
  await world.git(world.control, "branch", "workspace/demo");
  await Deno.mkdir(world.workspace(), { recursive: true });
  await world.write("control/worktrees/mine/file.txt", "mine\n");
  await world.write("control/.git/info/exclude", "/mine\n");
  await breakRemote(world, "web");
  const before = await world.fingerprint();
  const ran = await install(world);
  assertEquals(ran.code, 1);
  assertEquals(await world.changesSince(before), []);
});

Deno.test("amof install refuses a directory with files in the place of the workspace", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  await world.write("control/worktrees/demo/notes.txt", "mine\n");
  const before = await world.fingerprint();
  const ran = await install(world);
  assertEquals(ran.code, 1);
  assertEquals(pick(ran.json(), "error"), "workspace_exists");
  assertEquals(await world.changesSince(before), []);
});

Deno.test("amof install refuses a file in the place of the workspace", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  await world.write("control/worktrees/demo", "mine\n");
  const before = await world.fingerprint();
  const ran = await install(world);
  assertEquals(ran.code, 1);
  assertEquals(pick(ran.json(), "error"), "workspace_exists");
  assertEquals(await world.changesSince(before), []);
});

Deno.test("amof install takes the branch back when the worktree cannot be made", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  await world.write("control/worktrees", "a file where a directory is needed\n");
  const before = await world.fingerprint();
  const ran = await install(world);
  assertEquals(ran.code, 1);
  // Git itself leaves an empty directory for its records of worktrees.
  assertEquals(await world.changesSince(before), [
    `+ ${join(world.control, ".git", "worktrees")}/`,
  ]);
});

Deno.test("amof install attaches an existing workspace branch", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  await world.git(world.control, "switch", "--quiet", "-c", "workspace/demo");
  await world.write("control/kept.txt", "kept\n");
  await world.git(world.control, "add", "kept.txt");
  await world.git(world.control, "commit", "--quiet", "-m", "Keep");
  const head = await world.git(world.control, "rev-parse", "HEAD");
  await world.git(world.control, "switch", "--quiet", "main");
  const ran = await install(world);
  assertEquals(ran.code, 0);
  assertEquals(pick(ran.json(), "result", "action"), "attach");
  assertEquals(await world.git(world.workspace(), "rev-parse", "HEAD"), head);
  assert(await world.exists(join(world.workspace(), "kept.txt")));
});

Deno.test({
  name: "amof install refuses to clone through a link that leads out of the workspace",
  ignore: !POSIX, // links need a privilege there
  async fn() {
    await using world = await World.withEcosystem({ repos: ["api"] });
    const outside = join(world.directory, "outside");
    await Deno.mkdir(outside);
    await Deno.symlink(outside, join(world.control, "repos"));
    await world.git(world.control, "add", "repos");
    await world.git(world.control, "commit", "--quiet", "-m", "Link");
    const before = await world.fingerprint();
    const ran = await install(world);
    assertEquals(ran.code, 2);
    assertEquals(pick(ran.json(), "error"), "manifest_invalid");
    assertEquals(await names(outside), []);
    assertEquals(await world.changesSince(before), []);
  },
});

Deno.test("nothing is written through a link that leads out of the control repository", async () => {
  await using world = await World.like("links out of a control repository", async (world) => {
    await world.makeControl();
    await world.addEcosystem("demo", { repos: ["api"] });
    await Deno.mkdir(join(world.directory, "outside"));
    await Deno.symlink("../outside", join(world.control, "worktrees"));
  });
  const outside = join(world.directory, "outside");
  const refused = await world.amof(["install", "--yes", "--json"]);
  assertEquals([refused.code, pick(refused.json(), "error")], [2, "manifest_invalid"]);
  assertStringIncludes(refused.stdout, "a link leads out of the control repository");
  await Deno.remove(join(world.control, "worktrees"));
  await world.install();
  const own = join(world.control, "ecosystems/demo");
  await Deno.symlink(outside, join(own, "journal"));
  await Deno.symlink(outside, join(own, "archives"));
  for (
    const call of [["journal", "add", "Hello", "--body", "x"], ["archive", "-m", "x", "--yes"]]
  ) {
    const ran = await world.amof([...call, "--json"]);
    assertEquals([ran.code, pick(ran.json(), "error")], [1, "file_failed"], ran.stdout);
  }
  assertEquals(await Array.fromAsync(Deno.readDir(outside)), []);
  const shown = await world.amof(["status", "--check"]);
  assertEquals(shown.code, 0, shown.stdout);
});
