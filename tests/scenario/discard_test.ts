/**
 * `amof discard` from outside: it says what is lost, and leaves no ruins.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { World } from "../support/world.ts";

/** A workspace with one of every kind of work that is only there. */
async function atWork(): Promise<World> {
  const world = await World.installed({ repos: ["api", "web"] });
  await world.commitOnFeature("api");
  await world.git(world.clone("api"), "switch", "--quiet", "main");
  await Deno.writeTextFile(join(world.clone("web"), "README.md"), "put away\n");
  await world.git(world.clone("web"), "stash", "push", "--quiet", "-m", "For later");
  await Deno.writeTextFile(join(world.clone("web"), "new.txt"), "new\n");
  await Deno.writeTextFile(join(world.clone("web"), ".gitignore"), "*.log\n");
  await Deno.writeTextFile(join(world.clone("web"), "debug.log"), "log\n");
  await world.git(world.workspace(), "commit", "--quiet", "--allow-empty", "-m", "Notes");
  return world;
}

Deno.test("amof discard lists per repository exactly what would be lost, and suggests archive", async () => {
  await using world = await atWork();
  const ran = await world.amof(["discard", "--dry-run", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  const losses = rows(ran.json(), "preview", "losses");
  assertEquals(losses.map(({ repo, kind, count }) => [repo, kind, count]), [
    ["(control repository)", "commits", 1],
    ["api", "commits", 1],
    ["web", "uncommitted", 2],
    ["web", "stash", 1],
    ["web", "ignored", 1],
  ]);
  assertStringIncludes(String(pick(losses[1], "items", 0)), "Work in api");
  assertEquals(pick(losses[2], "items"), [".gitignore", "new.txt"]);
  assertEquals(pick(losses[3], "items"), ["On main: For later"]);
  assertEquals(pick(ran.json(), "preview", "branches"), [
    "control repository: workspace/demo",
    "api: feature/T-1",
    "api: main",
    "web: main",
  ]);
  assertEquals(pick(ran.json(), "preview", "directories"), [
    "worktrees/demo",
    "worktrees/demo/repos/api",
    "worktrees/demo/repos/web",
  ]);
  const asked = await world.amof(["discard", "--mode", "ask", "--json"]);
  assertStringIncludes(
    String(pick(asked.json(), "explanation", "alternatives", 0)),
    "amof archive",
  );
});

Deno.test("amof discard goes only by the typed name: --yes, a wrong name and no terminal change nothing", async () => {
  await using world = await atWork();
  const before = await world.fingerprint();
  for (
    const flags of [[], ["--yes"], ["--confirm-name", "Demo"], [
      "--no-input",
    ]]
  ) {
    const ran = await world.amof(["discard", ...flags, "--json"]);
    assertEquals(ran.code, 4, flags.join(" "));
    assert(!ran.stdout.includes("--confirm-name demo"), "a ready-made answer");
  }
  assertEquals(await world.changesSince(before), []);
});

Deno.test("amof discard leaves no ruins: no worktree, no branch, no file, and nothing pushed", async () => {
  await using world = await atWork();
  const remote = join(world.remotes, "api.git");
  const refs = await world.git(remote, "for-each-ref");
  const ran = await world.amof(["discard", "--confirm-name", "demo", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals((await world.git(world.control, "worktree", "list")).split("\n").length, 1);
  assertEquals(await world.git(world.control, "branch", "--list", "workspace/*"), "");
  assertEquals(await world.git(world.control, "status", "--porcelain"), "");
  assertEquals(await Array.fromAsync(Deno.readDir(join(world.control, "worktrees"))), []);
  assertEquals(await world.git(remote, "for-each-ref"), refs);
  const again = await world.amof(["discard", "--confirm-name", "demo", "--json"]);
  assertEquals(pick(again.json(), "error"), "workspace_not_installed");
  await world.install();
});

Deno.test("amof discard is refused when work was added since the preview", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const asked = await world.amof(["discard", "--json"]);
  const token = String(pick(asked.json(), "confirmation", "token"));
  await Deno.writeTextFile(join(world.clone("api"), "late.txt"), "late\n");
  const ran = await world.amof(["confirm", token, "--confirm-name", "demo", "--json"]);
  assertEquals(ran.code, 4, ran.stdout);
  assertEquals(pick(ran.json(), "error"), "confirmation_stale");
  assertEquals(await Deno.readTextFile(join(world.clone("api"), "late.txt")), "late\n");
});

Deno.test({
  name: "amof discard puts a clone back that got work after the last look",
  ignore: Deno.build.os === "windows", // shell script
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    const clone = world.clone("api");
    const looks = join(world.directory, "looks");
    // The clone is looked at for the preview, for what was agreed to, and for the removal.
    const env = await world.wrapGit(`case "$PWD $*" in '${clone}'*" status "*)
  echo look >> '${looks}'
  [ "$(wc -l < '${looks}')" -ne 3 ] || echo mine > '${clone}/mine' ;;
esac`);
    const ran = await world.amof(["discard", "--confirm-name", "demo"], { env });
    assertEquals((await Deno.readTextFile(looks)).split("\n").length - 1 > 2, true, ran.stderr);
    assertEquals(await Deno.readTextFile(join(clone, "mine")), "mine\n", ran.stderr);
    assert(ran.code !== 0);
  },
});

Deno.test("amof discard forgets a workspace whose directory was deleted by hand", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await Deno.remove(world.workspace(), { recursive: true });
  const ran = await world.amof(["discard", "--confirm-name", "demo", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(await world.git(world.control, "branch", "--list", "workspace/*"), "");
  assertEquals((await world.git(world.control, "worktree", "list")).split("\n").length, 1);
  await world.install();
});

Deno.test("amof discard removes a clone that cannot be read, and says so before", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await Deno.writeTextFile(join(world.clone("api"), ".git", "HEAD"), "rubbish\n");
  const planned = await world.amof(["discard", "--dry-run", "--json"]);
  assertEquals(rows(planned.json(), "preview", "losses").map(({ repo, kind }) => [repo, kind]), [
    ["api", "unreadable"],
  ]);
  const ran = await world.amof(["discard", "--confirm-name", "demo", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(await world.exists(world.workspace()), false);
});

Deno.test({
  name:
    "amof discard tells of directories whose names are no UTF-8, in clones and among those of a ticket",
  // Other systems have no such names.
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    assertEquals((await world.amof(["ticket", "start", "T-1", "--workspace", "--yes"])).code, 0);
    const ticket = `${world.workspace()}@T-1`;
    const script = `echo build/ >> .git/info/exclude
      d="build/$(printf 'caf\\351')" && mkdir -p "$d" && git init --quiet "$d/inner"
      d="${ticket}/$(printf 'caf\\351')" && mkdir "$d" && echo mine > "$d/notes"`;
    const made = await world.command("sh", ["-ec", script], { cwd: world.clone("api") });
    assertEquals(made.code, 0, made.stderr);
    const planned = await world.amof(["discard", "--tickets", "--dry-run", "--json"]);
    const losses = rows(planned.json(), "preview", "losses").map(({ repo, kind, items }) =>
      `${repo}: ${kind} ${items}`
    );
    assert(losses.includes("api: unreadable build/caf\uFFFD (its name is no UTF-8)"), `${losses}`);
    assert(losses.some((line) => /^T-1.*caf/.test(line)), `${losses}`);
  },
});

Deno.test({
  name: "amof discard follows no link out of the workspace",
  ignore: Deno.build.os === "windows", // symbolic links
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    await world.write("treasure/gold.txt", "gold\n");
    await Deno.symlink(join(world.directory, "treasure"), join(world.clone("api"), "link"));
    await Deno.symlink(join(world.directory, "treasure"), join(world.workspace(), "context"));
    const ran = await world.amof(["discard", "--confirm-name", "demo", "--json"]);
    assertEquals(ran.code, 0, ran.stdout);
    assertEquals(await Deno.readTextFile(join(world.directory, "treasure/gold.txt")), "gold\n");
    await world.install();
    await Deno.rename(world.clone("api"), join(world.directory, "moved"));
    await Deno.symlink(join(world.directory, "moved"), world.clone("api"));
    const led = await world.amof(["discard", "--confirm-name", "demo", "--json"]);
    assertEquals(led.code, 2, led.stdout);
    assert(await world.exists(join(world.directory, "moved", ".git")));
  },
});

Deno.test("amof doctor tells of files that a removal could not delete, and --repair deletes them", async () => {
  await using world = await World.installed({ repos: [] });
  assertEquals((await world.amof(["discard", "--confirm-name", "demo"])).code, 0);
  await world.write("control/worktrees/.demo.amof-removed-0123abcd/x.txt", "x\n");
  await world.write("control/worktrees/.demo.amof-removed-mine/x.txt", "x\n");
  const told = await world.amof(["doctor", "--json"]);
  assertEquals(told.code, 3);
  assertStringIncludes(told.stdout, ".demo.amof-removed-0123abcd");
  assert(!told.stdout.includes("removed-mine"));
  assertEquals((await world.amof(["doctor", "--repair"])).code, 0);
  assertEquals(await world.exists("control/worktrees/.demo.amof-removed-0123abcd"), false);
  assertEquals(await world.exists("control/worktrees/.demo.amof-removed-mine"), true);
});

Deno.test("a preview keeps the subject of a commit that reads like a line of ours", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.addEcosystem("other", { repos: [] });
  const words = ["commit", "--quiet", "--allow-empty", "-m", "Repeat with: amof sync"];
  await world.git(world.clone("api"), ...words);
  const { stdout } = await world.amof(["-e", "demo", "discard", "--dry-run"]);
  assertMatch(stdout, /^Lose api: 1 unpushed commit: [0-9a-f]{7} Repeat with: amof sync$/m);
});

Deno.test("what a discard forgets, and what a new ticket leaves, is told", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  assertEquals((await world.amof(["ticket", "start", "T-1"])).code, 0);
  await world.write("control/worktrees/demo/repos/web/wip.txt", "wip\n");
  const ran = await world.amof(["ticket", "start", "T-2", "--repo", "api", "--stash"]);
  assertMatch(ran.stdout, /^web went back to main, its changes are stashed\.$/m);
  const { stdout } = await world.amof(["discard", "--dry-run"]);
  assertMatch(stdout, /^Forget ticket T-1\nForget ticket T-2$/m);
  await world.write("control/worktrees/demo/.amof/state.json", "{");
  assertEquals((await world.amof(["discard", "--dry-run"])).code, 0);
});
