// What undo does after runs that were killed, undos among them: what nobody saw the end of is named and left alone, what
// was taken back counts as nothing, and no order of kills, undos and other runs loses anything.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick } from "../support/answers.ts";
import { ownClone } from "../support/own_ticket.ts";
import { World } from "../support/world.ts";
import { killedOn, must } from "./broken.ts";

const ignore = Deno.build.os === "windows"; // kills by signal
const REPOS = ["api", "web"];

/** A ticket on which both repositories have a new file. */
async function changed(): Promise<World> {
  const world = await World.installed({ repos: REPOS });
  await must(world, "ticket", "start", "T-1");
  for (const repo of REPOS) await Deno.writeTextFile(join(world.clone(repo), "a.txt"), "a\n");
  return world;
}

/** The subjects of what is checked out. */
function subjects(world: World): Promise<string[]> {
  return Promise.all(
    REPOS.map((repo) => world.git(world.clone(repo), "log", "-1", "--format=%s")),
  );
}

/** How an undo was refused: its code and message. */
async function refused(world: World, ...words: string[]): Promise<readonly [unknown, string]> {
  const answer = (await world.amof(["undo", ...words, "--yes", "--json"])).json();
  return [pick(answer, "error"), String(pick(answer, "message"))];
}

Deno.test({
  name:
    "a commit that was killed between repositories stays, is named, and the one that goes on is undone",
  ignore,
  async fn() {
    await using world = await changed();
    await killedOn(world, ["commit", "-m", "A", "--yes", "--jobs", "1"], {
      words: "commit --file",
      phase: "after",
      where: "worker",
    });
    await must(world, "doctor", "--repair");
    const half = await subjects(world);
    assert(half.includes("A") && !half.every((subject) => subject === "A"), half.join());
    const [code, message] = await refused(world);
    assertEquals(code, "undo_impossible", message);
    assertStringIncludes(message, "nobody saw how it ended");
    assertEquals(await subjects(world), half);
    await must(world, "commit", "-m", "A", "--yes");
    assertEquals(await subjects(world), ["A", "A"]);
    await must(world, "undo", "--yes");
    assertEquals(await subjects(world), half);
    for (const repo of REPOS) {
      assertEquals(await Deno.readTextFile(join(world.clone(repo), "a.txt")), "a\n");
    }
  },
});

Deno.test({
  name: "an undo that was killed is done by the next one, and done again by the one after that",
  ignore,
  async fn() {
    await using world = await changed();
    await must(world, "commit", "-m", "A", "--yes");
    const before = await subjects(world);
    await killedOn(world, ["undo", "--yes"], { words: "update-ref", phase: "after" });
    await must(world, "undo", "--yes");
    assert(!(await subjects(world)).includes("A"));
    await must(world, "undo", "--yes");
    assertEquals(await subjects(world), before);
  },
});

Deno.test({
  name: "after a killed undo another run is undone first, and the older one by its name",
  ignore,
  async fn() {
    await using world = await changed();
    const commit = await world.amof(["commit", "-m", "A", "--yes", "--json"]);
    const run = String(pick(commit.json(), "run_id"));
    await killedOn(world, ["undo", "--yes"], { words: "update-ref", phase: "after" });
    await must(world, "exec", "--repo", "web", "--shell", "echo b > b.txt");
    assertEquals(await subjects(world), ["A", "A"]);
    // The file that came since is in the way of nothing but that repository.
    const [stale] = await refused(world, run);
    assertEquals(stale, "undo_stale");
    await must(world, "undo", "--yes");
    assert(!await world.exists(join(world.clone("web"), "b.txt")));
    await must(world, "undo", run, "--yes");
    assert(!(await subjects(world)).includes("A"));
    // The newest is an undo that can be taken back.
    await must(world, "undo", "--yes");
    assertEquals(await subjects(world), ["A", "A"]);
  },
});

Deno.test("undo in the workspace of a ticket survives an archive, and refuses where a move made other clones", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await must(world, "ticket", "start", "T-1", "--workspace");
  const clone = ownClone(world, "T-1", "api");
  const ran = await world.amof([
    ...["-t", "T-1", "exec", "--json", "--shell"],
    "git commit -q --allow-empty -m Old; echo c > c.txt",
  ]);
  assertEquals(ran.code, 0, ran.stderr);
  await must(world, "archive", "--tickets", "--yes", "--confirm-name", "demo");
  await must(world, "archive", "restore", "--tickets", "--yes");
  await must(world, "undo", "--ticket", "T-1", "--yes");
  assert(!await world.exists(join(clone, "c.txt")));
  await must(world, "undo", "--ticket", "T-1", "--yes");
  const amended = await world.amof([
    ...["-t", "T-1", "exec", "--json", "--shell"],
    "git commit -q --amend --allow-empty -m New",
  ]);
  const run = String(pick(amended.json(), "run_id"));
  await must(world, "ticket", "move", "T-1", "--in-place", "--yes");
  await must(world, "ticket", "move", "T-1", "--workspace", "--yes");
  const head = await world.git(clone, "rev-parse", "HEAD");
  const status = await world.git(clone, "status", "--porcelain");
  // The commit that was dropped went with the clone that kept it.
  const [code, message] = await refused(world, run, "--ticket", "T-1");
  assert(code === "undo_impossible" || code === "undo_stale", `${code}: ${message}`);
  assertEquals(await world.git(clone, "rev-parse", "HEAD"), head);
  assertEquals(await world.git(clone, "status", "--porcelain"), status);
});
