/**
 * `amof ticket move`: a ticket goes into a workspace of its own and back, with everything that was never committed.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { commitIn, ownClone, ownDirectory } from "../support/own_ticket.ts";
import { recordOf } from "../support/ticket_workspace.ts";
import { World } from "../support/world.ts";

const OUT = ["ticket", "move", "T-1", "--workspace", "--yes", "--json"];
const HOME = ["ticket", "move", "T-1", "--in-place", "--yes", "--json"];

/** What nobody has committed in a clone: status, index, and the bytes and modes of the files. */
async function workIn(world: World, clone: string): Promise<unknown> {
  const status = await world.git(clone, "status", "--porcelain=v2", "--untracked-files=all");
  const files = [];
  for (const line of status.split("\n").filter((each) => each !== "")) {
    const path = line.startsWith("? ") ? line.slice(2) : line.split(" ").slice(8).join(" ");
    const info = await Deno.lstat(join(clone, path)).catch(() => null);
    const content = info === null
      ? null
      : info.isSymlink
      ? await Deno.readLink(join(clone, path))
      : [...await Deno.readFile(join(clone, path))].join();
    files.push([path, info === null ? null : (info.mode ?? 0) & 0o111, content]);
  }
  return { head: await world.git(clone, "rev-parse", "HEAD"), status, files };
}

/** An active ticket with a commit that is nowhere else, and uncommitted work of every kind in `api`. */
function atWork(): Promise<World> {
  return World.like("in-place ticket at work", async (world) => {
    await world.makeInstalled();
    const start = await world.amof(["ticket", "start", "T-1", "--quiet"]);
    assertEquals(start.code, 0, start.stderr);
    const api = world.clone("api");
    await commitIn(api, world);
    await Deno.writeTextFile(join(api, "README.md"), "# Staged\r\n");
    await world.git(api, "add", "README.md");
    await Deno.writeTextFile(join(api, "README.md"), "# Staged\r\nand not\n");
    await Deno.writeFile(join(api, "new.bin"), new Uint8Array([0, 255, 10, 13, 10]));
    await Deno.chmod(join(api, "new.bin"), 0o755);
    await Deno.writeTextFile(join(api, "announced.txt"), "soon\n");
    await world.git(api, "add", "--intent-to-add", "announced.txt");
    await Deno.remove(join(api, "work.txt"));
    await Deno.symlink("README.md", join(api, "link"));
  });
}

Deno.test("ticket move --workspace takes commits and uncommitted work along, byte for byte, and leaves the base clean", async () => {
  await using world = await atWork();
  const api = world.clone("api");
  const before = await workIn(world, api);
  const asked = await world.amof(["ticket", "move", "T-1", "--workspace", "--no-input", "--json"]);
  assertEquals(asked.code, 4, asked.stdout);
  const ran = await world.amof(OUT);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(rows(ran.json(), "repos").map(({ name, changes }) => [name, changes]), [
    ["api", "moved"],
    ["web", "none"],
  ]);
  assertEquals(pick(ran.json(), "active_ticket"), null);
  assertEquals(await workIn(world, ownClone(world, "T-1", "api")), before);
  const own = ownClone(world, "T-1", "api");
  assertEquals(await world.git(own, "stash", "list"), "");
  assertEquals(await world.git(own, "branch", "--show-current"), "feature/T-1");
  assertEquals(await world.git(own, "remote", "get-url", "origin"), world.url("api"));
  for (const repo of ["api", "web"]) {
    const clone = world.clone(repo);
    assertEquals(await world.git(clone, "branch", "--format=%(refname:short)"), "main");
    assertEquals(await world.git(clone, "status", "--porcelain"), "");
    assertEquals(await world.git(clone, "stash", "list"), "");
  }
  const state = await world.state();
  assertEquals([state["active_ticket"], state["tickets"]], [null, {}]);
  const record = await recordOf(ownDirectory(world, "T-1"));
  assertEquals(Object.keys(record["repos"] as object).sort(), ["api", "docs", "web"]);
});

Deno.test("ticket move --in-place brings it all back, and going to the ticket finds it as it was", async () => {
  await using world = await atWork();
  const api = world.clone("api");
  const before = await workIn(world, api);
  assertEquals((await world.amof(OUT)).code, 0);
  const own = ownClone(world, "T-1", "api");
  assertEquals(await workIn(world, own), before);
  const base = await workIn(world, api);
  const ran = await world.amof(HOME);
  assertEquals(ran.code, 0, ran.stdout);
  assert(!await world.exists(ownDirectory(world, "T-1")), "the workspace stayed");
  assertEquals(await workIn(world, api), base);
  assertStringIncludes(await world.git(api, "stash", "list"), "amof:T-1");
  const went = await world.amof(["ticket", "switch", "T-1", "--quiet"]);
  assertEquals(went.code, 0, went.stderr);
  assertEquals(await workIn(world, api), before);
  assertEquals(await world.git(api, "stash", "list"), "");
});

Deno.test("ticket move takes the work along that was put away, while another ticket goes on undisturbed", async () => {
  await using world = await atWork();
  const api = world.clone("api");
  const before = await workIn(world, api);
  const other = await world.amof(["ticket", "start", "T-2", "--stash", "--quiet"]);
  assertEquals(other.code, 0, other.stderr);
  await Deno.writeTextFile(join(api, "theirs.txt"), "theirs\n");
  const theirs = await workIn(world, api);
  const ran = await world.amof(OUT);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(pick(ran.json(), "active_ticket"), "T-2");
  assertEquals(await workIn(world, ownClone(world, "T-1", "api")), before);
  assertEquals(await workIn(world, api), theirs);
  assertEquals(await world.git(api, "stash", "list"), "");
  assertEquals(await world.git(api, "branch", "--list", "feature/T-1"), "");
});

Deno.test("ticket move keeps what does not fit, and the base's branch where the work has not arrived", async () => {
  await using world = await atWork();
  const api = world.clone("api");
  assertEquals((await world.amof(["ticket", "switch", "main", "--stash", "--quiet"])).code, 0);
  // Somebody has committed to the branch since, in a way that what is kept does not go together with.
  await world.git(api, "switch", "--quiet", "feature/T-1");
  await Deno.writeTextFile(join(api, "README.md"), "# Otherwise\n");
  await world.git(api, "commit", "--quiet", "-am", "Otherwise");
  const held = await world.amof(OUT);
  assertEquals([held.code, pick(held.json(), "error")], [1, "would_lose_work"], held.stdout);
  await world.git(api, "switch", "--quiet", "main");
  const ran = await world.amof(OUT);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(pick(rows(ran.json(), "repos")[0], "changes"), "kept");
  const own = ownClone(world, "T-1", "api");
  assertStringIncludes(await world.git(own, "stash", "list"), "amof:T-1");
  assertEquals(await world.git(own, "status", "--porcelain"), "");
});

Deno.test("ticket move says which way is missing, and what stands in the way", async () => {
  await using world = await atWork();
  for (const flags of [[], ["--workspace", "--in-place"]]) {
    const ran = await world.amof(["ticket", "move", "T-1", ...flags, "--yes", "--json"]);
    assertEquals([ran.code, pick(ran.json(), "error")], [2, "invalid_arguments"], ran.stdout);
  }
  const none = await world.amof(["ticket", "move", "T-9", "--workspace", "--yes", "--json"]);
  assertEquals(pick(none.json(), "error"), "ticket_not_found");
  const notOwn = await world.amof(HOME);
  assertEquals(pick(notOwn.json(), "error"), "ticket_not_found");
  const before = await world.fingerprint();
  await Deno.rename(join(world.remotes, "web.git"), join(world.remotes, "gone.git"));
  const gone = await world.amof(OUT);
  assertEquals(gone.code, 1, gone.stdout);
  const touched = (await world.changesSince(before)).filter((path) => path.includes("worktrees/"));
  assertEquals(touched, []);
});

Deno.test("ticket move --in-place asks for the ticket's id where ignored files would go", async () => {
  await using world = await atWork();
  assertEquals((await world.amof(OUT)).code, 0);
  const own = ownClone(world, "T-1", "api");
  await Deno.writeTextFile(join(own, ".git", "info", "exclude"), ".env\n");
  await Deno.writeTextFile(join(own, ".env"), "secret\n");
  const asked = await world.amof(HOME);
  assertEquals(
    [asked.code, pick(asked.json(), "error")],
    [4, "confirmation_required"],
    asked.stdout,
  );
  assertEquals(await Deno.readTextFile(join(own, ".env")), "secret\n");
  const shown = await world.amof(["ticket", "move", "T-1", "--in-place", "--yes"]);
  const said = `${shown.stdout}${shown.stderr}`.replaceAll(/\s+/g, " ");
  assertStringIncludes(
    said,
    "⚠ Ignored files cannot be brought back: api: 1 ignored file or directory: .env",
  );
  assertEquals((await world.amof([...HOME, "--confirm-name", "T-1"])).code, 0);
});

Deno.test("ticket move --in-place refuses what would not come back", async () => {
  await using world = await atWork();
  assertEquals((await world.amof(OUT)).code, 0);
  const own = ownClone(world, "T-1", "web");
  await world.git(own, "switch", "--quiet", "-c", "aside");
  await commitIn(own, world);
  await world.git(own, "switch", "--quiet", "feature/T-1");
  await Deno.writeTextFile(join(ownDirectory(world, "T-1"), "notes.md"), "notes\n");
  const before = await world.fingerprint();
  const ran = await world.amof(HOME);
  assertEquals(ran.code, 1, ran.stdout);
  assertEquals(
    rows(ran.json(), "details", "repos").map(({ name, problem }) => `${name} ${problem}`),
    ["(workspace) has 1 file among the clones: notes.md", "web has 1 unpushed commit: on aside"],
  );
  assertStringIncludes(
    String(pick(ran.json(), "hint")),
    `Push them: git -C ${own} push origin aside`,
  );
  assertEquals(await world.changesSince(before), []);
});

Deno.test("ticket move --in-place moves no branch and no stash that somebody made in the base workspace", async () => {
  await using world = await World.installed({ repos: ["api", "docs", "web"] });
  assertEquals((await world.amof(["ticket", "start", "T-1", "--workspace", "--quiet"])).code, 0);
  const [api, docs, web] = [world.clone("api"), world.clone("docs"), world.clone("web")];
  await world.git(api, "switch", "--quiet", "-c", "feature/T-1");
  await commitIn(api, world);
  await world.git(api, "switch", "--quiet", "main");
  await world.git(
    docs,
    "worktree",
    "add",
    "-q",
    "-b",
    "feature/T-1",
    join(world.directory, "docs"),
  );
  await Deno.writeTextFile(join(web, "README.md"), "# Mine\n");
  await world.git(web, "stash", "push", "--quiet", "-m", "amof:T-1");
  const before = await world.fingerprint();
  const ran = await world.amof(HOME);
  assertEquals(ran.code, 1, ran.stdout);
  const problems = rows(ran.json(), "details", "repos").map(({ name, problem }) =>
    `${name} ${problem}`
  );
  assertEquals(problems.length, 3, ran.stdout);
  assertStringIncludes(problems[0] ?? "", "api has commits on feature/T-1 in the base workspace");
  assertStringIncludes(problems[1] ?? "", "docs stands in the way: feature/T-1 is checked out");
  assertStringIncludes(problems[2] ?? "", "web has a stash amof:T-1 in the base workspace already");
  assertEquals(await world.changesSince(before), []);
});

Deno.test("ticket move --in-place asks the remotes whether they still have what the workspace leaves to them", async () => {
  await using world = await atWork();
  assertEquals((await world.amof(OUT)).code, 0);
  const own = ownClone(world, "T-1", "web");
  await world.git(own, "switch", "--quiet", "-c", "aside");
  await commitIn(own, world);
  await world.git(own, "push", "--quiet", "origin", "aside");
  await world.git(own, "switch", "--quiet", "feature/T-1");
  await world.git(join(world.remotes, "web.git"), "branch", "-D", "aside");
  const ran = await world.amof(HOME);
  assertEquals([ran.code, pick(ran.json(), "error")], [1, "would_lose_work"], ran.stdout);
  assertEquals(await world.git(own, "rev-list", "--count", "main..aside"), "1");
});

Deno.test("ticket move --in-place takes along what the workspace knows of its branches at the remotes", async () => {
  await using world = await World.installed({ repos: ["api", "docs", "web"] });
  // One clone of another branch alone, and one that goes by another remote.
  const [api, docs, web] = [world.clone("api"), world.clone("docs"), world.clone("web")];
  const only = "+refs/heads/main:refs/remotes/origin/main";
  await world.git(docs, "config", "remote.origin.fetch", only);
  await world.git(world.remotes, "clone", "--quiet", "--bare", "web.git", "fork.git");
  const start = await world.amof(["ticket", "start", "T-1", "--workspace"]);
  assertEquals(start.code, 0, start.stderr);
  for (const name of ["api", "docs", "web"]) await commitIn(ownClone(world, "T-1", name), world);
  assertEquals((await world.amof(["push", "--ticket", "T-1", "--yes"])).code, 0);
  await world.git(web, "remote", "set-url", "origin", world.url("fork"));
  const manifest = join(world.control, "ecosystems", "demo", "ecosystem.yaml");
  const text = await Deno.readTextFile(manifest);
  await Deno.writeTextFile(manifest, text.replace("web.git", "fork.git"));
  const ran = await world.amof(HOME);
  assertEquals(ran.code, 0, ran.stdout);
  const known = (clone: string, ref: string) =>
    world.git(clone, "for-each-ref", "--format=%(objectname) %(upstream)", ref);
  for (const clone of [api, docs]) {
    const head = (await world.git(clone, "rev-parse", "refs/heads/feature/T-1")).trim();
    const remote = "refs/remotes/origin/feature/T-1";
    assertEquals((await known(clone, "refs/heads/feature/T-1")).trim(), `${head} ${remote}`);
    assertEquals((await known(clone, remote)).trim(), head);
  }
  assertEquals(await known(web, "refs/remotes/origin/feature/T-1"), "");
  const status = await world.amof(["status", "--json"]);
  const flags = rows(status.json(), "repos").map((row) => [row["name"], row["unpushed"]]);
  assertEquals(flags, [["api", false], ["docs", false], ["web", true]]);
  const pushed = await world.amof(["push", "--dry-run", "--repo", "api,docs"]);
  assertStringIncludes(pushed.stdout, "Would push nothing");
  assertEquals(pushed.stdout.includes("not sent"), false, pushed.stdout);
});

Deno.test("ticket move tells what becomes of people's own stashes: they stay in the base, and come home under their names", async () => {
  await using world = await atWork();
  const api = world.clone("api");
  const put = async (clone: string, name: string) => {
    await Deno.writeTextFile(join(clone, "README.md"), `${name}\n`);
    await world.git(clone, "stash", "push", "--quiet", "-m", name, "README.md");
  };
  await put(world.clone("web"), "mine in the base");
  const planned = await world.amof([...OUT, "--dry-run"]);
  const own = "On feature/T-1: mine in the base";
  assertStringIncludes(
    JSON.stringify(pick(planned.json(), "effects")),
    `Leave in web of the base workspace what you have stashed there: \\"${own}\\"`,
  );
  const out = await world.amof(OUT);
  assertEquals(rows(out.json(), "repos").map(({ name, stashes }) => [name, stashes]), [
    ["api", []],
    ["web", [{ name: own, now: "stays" }]],
  ]);
  assertStringIncludes(await world.git(world.clone("web"), "stash", "list"), own);
  assertEquals(await world.git(ownClone(world, "T-1", "web"), "stash", "list"), "");

  await put(ownClone(world, "T-1", "web"), "first in the ticket");
  await put(ownClone(world, "T-1", "web"), "second in the ticket");
  const named = ["second", "first"].map((which) => `On feature/T-1: ${which} in the ticket`);
  const back = await world.amof(["ticket", "move", "T-1", "--in-place", "--dry-run"]);
  assertStringIncludes(
    back.stdout,
    `what was stashed there, under its names: "${named[0]}" and "${named[1]}"`,
  );
  const home = await world.amof(HOME.filter((word) => word !== "--json"));
  assertStringIncludes(
    home.stdout.replaceAll(/\s+/g, " "),
    `Stashed in web, and now in the base workspace: "${named[0]}" and "${named[1]}"`,
  );
  assertEquals(
    (await world.git(world.clone("web"), "stash", "list", "--format=%gs")).split("\n"),
    [...named, own],
  );
  assertStringIncludes(await world.git(api, "stash", "list"), "amof:T-1");
});
