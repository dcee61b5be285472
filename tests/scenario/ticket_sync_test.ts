/**
 * `amof sync` in tickets whose clones borrow from mirrors.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { mirrorDirectory } from "../../src/workspace/mirrors/place.ts";
import { pick, rows } from "../support/answers.ts";
import { borrowTicket, commitUpstream, settingOf } from "../support/mirrors.ts";
import { recordOf, writeRecord } from "../support/ticket_workspace.ts";
import { World } from "../support/world.ts";

/** Two tickets: P-1 works on `api` and reads `docs`, P-2 only reads `api`. */
function twoTickets(): Promise<World> {
  return World.like("two tickets that borrow", async (world) => {
    await world.makeInstalled({ repos: ["api", "docs"] });
    await borrowTicket(world, "P-1", { context: ["docs"] });
    await borrowTicket(world, "P-2", { repos: [], context: ["api"] });
  });
}

const clone = (world: World, ticket: string, repo = "api") =>
  join(world.control, "worktrees", `demo@${ticket}`, "repos", repo);

/** What became of each repository, in few words. */
async function synced(
  world: World,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<unknown[]> {
  const ran = await world.amof(["sync", ...args, "--json"], { env });
  return rows(ran.json(), "result", "repos").map(({ name, result, commits, mirror, reason }) =>
    [name, result, commits, mirror, reason].filter((each) => each !== null).join(" ")
  );
}

Deno.test({
  name: "amof sync in two tickets asks a remote once, and moves base branches as ever",
  ignore: Deno.build.os === "windows", // a wrapped git
  async fn() {
    await using world = await twoTickets();
    const commit = await commitUpstream(world);
    await world.git(join(world.remotes, "api.git"), "tag", "v1", "main");
    const log = join(world.directory, "transfers");
    const env = await world.wrapGit(
      `case " $* " in *" fetch "*" origin "*) echo "$PWD" >> '${log}' ;; esac`,
    );
    assertEquals(await synced(world, ["-t", "P-1", "--fresh", "0"], env), [
      "api updated 1 fetched",
      "docs up_to_date 0 fetched",
    ]);
    assertEquals(await synced(world, ["-t", "P-2"], env), ["api updated 1 fresh"]);
    assertStringIncludes(
      (await world.amof(["sync", "-t", "P-2"], { env })).stdout,
      "1 remote was not asked again within 60 s. Ask now: amof sync --ticket P-2 --fresh 0",
    );
    const transfers = (await Deno.readTextFile(log)).trim().split("\n");
    assertEquals(transfers.length, 2, transfers.join(" "));
    assert(transfers.every((directory) => directory.endsWith(".git")), transfers.join(" "));
    // Work stays where it is; the branch below it moves, and so does what is only read.
    const [work, context] = [clone(world, "P-1"), clone(world, "P-2")];
    assertEquals(await world.git(work, "rev-parse", "main", "origin/main"), `${commit}\n${commit}`);
    assertEquals(await world.git(work, "rev-parse", "--abbrev-ref", "HEAD"), "feature/P-1");
    assertEquals(await world.git(work, "tag"), "v1");
    assertEquals(await world.git(context, "rev-parse", "HEAD"), commit);
    assertEquals(await world.git(work, "count-objects"), "0 objects, 0 kilobytes");
    // The base workspace has its own way.
    assertEquals(await synced(world, ["--repo", "api"], env), ["api updated 1"]);
  },
});

Deno.test("amof sync in two tickets at once asks a remote once", async () => {
  await using world = await twoTickets();
  const commit = await commitUpstream(world);
  const mirror = mirrorDirectory(settingOf(world).ctx.layout, world.url("api")) ?? "";
  await Deno.writeTextFile(join(mirror, "amof-fetched"), "1000\n");
  const ran = await Promise.all(
    ["P-1", "P-2"].map((ticket) =>
      world.amof(["-t", ticket, "sync", "--repo", "api", "--json"], { apart: true })
    ),
  );
  assertEquals(ran.map(({ code }) => code), [0, 0], ran.map(({ stderr }) => stderr).join(""));
  assertEquals(
    ran.map((each) => pick(each.json(), "result", "repos", 0, "mirror")).sort(),
    ["fetched", "fresh"],
  );
  for (const ticket of ["P-1", "P-2"]) {
    assertEquals(await world.git(clone(world, ticket), "rev-parse", "main"), commit);
  }
});

Deno.test("amof sync in a ticket follows the base branch the ticket began at", async () => {
  await using world = await World.like("a ticket on another base", async (world) => {
    await world.makeInstalled({ repos: ["api"] });
    await commitUpstream(world, "develop", "first");
    await borrowTicket(world, "P-3", { repos: [], context: ["api"], base: "develop" });
  });
  const commit = await commitUpstream(world, "develop", "second");
  assertEquals(await synced(world, ["-t", "P-3", "--fresh", "0"]), ["api updated 1 fetched"]);
  assertEquals(await world.git(clone(world, "P-3"), "rev-parse", "HEAD"), commit);
});

Deno.test("a force-push and a deleted branch upstream lose nothing of a ticket", async () => {
  await using world = await twoTickets();
  const dropped = await commitUpstream(world, "main", "dropped");
  assertEquals(await synced(world, ["-t", "P-2", "--fresh", "0"]), ["api updated 1 fetched"]);
  const seed = join(world.directory, "seed", "api");
  await world.git(seed, "reset", "--quiet", "--hard", "HEAD~1");
  await commitUpstream(world, "main", "instead");
  assertEquals(await synced(world, ["-t", "P-2", "--fresh", "0"]), [
    "api skipped 0 fetched diverged",
  ]);
  await world.git(clone(world, "P-2"), "fsck", "--full");
  await world.git(join(world.remotes, "api.git"), "update-ref", "-d", "refs/heads/main");
  assertEquals(await synced(world, ["-t", "P-2", "--fresh", "0"]), [
    "api skipped 0 fetched no_upstream",
  ]);
  assertEquals(await world.git(clone(world, "P-2"), "rev-parse", "HEAD"), dropped);
  await world.git(clone(world, "P-2"), "rev-list", "--objects", "--quiet", "HEAD");
});

Deno.test("amof sync in a ticket makes a mirror again, believes no record, and clones nothing", async () => {
  await using world = await twoTickets();
  const directory = join(world.control, "worktrees", "demo@P-2");
  const mirror = mirrorDirectory(settingOf(world).ctx.layout, world.url("api")) ?? "";
  await Deno.remove(mirror, { recursive: true });
  const record = await recordOf(directory);
  const api = { ...(record["repos"] as Record<string, object>)["api"], mirror: "/etc" };
  await writeRecord(directory, { ...record, repos: { api } });
  assertEquals(await synced(world, ["-t", "P-2"]), ["api up_to_date 0 fetched"]);
  await world.git(mirror, "fsck", "--full");
  await world.git(clone(world, "P-2"), "fsck", "--full");
  // What stands alone is fetched from its remote itself.
  await writeRecord(directory, { ...record, repos: { api: { ...api, mirror: null } } });
  assertEquals(await synced(world, ["-t", "P-2"]), ["api up_to_date 0"]);
  await Deno.remove(clone(world, "P-2"), { recursive: true });
  const ran = await world.amof(["-t", "P-2", "sync"]);
  assertEquals(ran.code, 0, ran.stderr);
  assertStringIncludes(ran.stdout, "repos/api is not there");
  assertEquals(await world.exists(clone(world, "P-2")), false);
});

Deno.test("amof sync in a ticket asks the remote where a fresh mirror knows less than what was pushed", async () => {
  await using world = await twoTickets();
  const work = clone(world, "P-1");
  const pushed = async (args: readonly string[]) => {
    await world.git(work, "commit", "--quiet", ...args);
    await world.git(work, "push", "--quiet", "--force", "--set-upstream", "origin", "HEAD");
    assertEquals(await synced(world, ["-t", "P-1", "--repo", "api"]), ["api up_to_date 0 fetched"]);
    const status = await world.git(work, "status", "--porcelain=v2", "--branch");
    assertStringIncludes(status, "# branch.ab +0 -0");
    assertEquals(await synced(world, ["-t", "P-1", "--repo", "api"]), ["api up_to_date 0 fresh"]);
  };
  assertEquals((await synced(world, ["-t", "P-1", "--repo", "api"])).length, 1);
  await pushed(["--allow-empty", "-m", "New branch"]);
  await pushed(["--allow-empty", "-m", "One more"]);
  await pushed(["--allow-empty", "--amend", "-m", "Another"]);
});

Deno.test("amof sync in a ticket with a workspace of its own brings its branch to its own remote branch", async () => {
  await using world = await twoTickets();
  const work = clone(world, "P-1");
  await world.git(work, "commit", "--quiet", "--allow-empty", "-m", "Mine");
  await world.git(work, "push", "--quiet", "--set-upstream", "origin", "feature/P-1");
  const other = join(world.directory, "colleague");
  const from = ["--branch", "feature/P-1", world.url("api"), other];
  await world.git(world.directory, "clone", "--quiet", ...from);
  await world.git(other, "commit", "--quiet", "--allow-empty", "-m", "Theirs");
  await world.git(other, "push", "--quiet");
  const ran = await world.amof(["sync", "-t", "P-1", "--fresh", "0", "--repo", "api"]);
  assertStringIncludes(ran.stdout, "feature/P-1 moved forward by 1 commit");
  assertEquals(
    await world.git(work, "rev-parse", "HEAD"),
    await world.git(other, "rev-parse", "HEAD"),
  );
});
