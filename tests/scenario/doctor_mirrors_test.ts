/**
 * `amof doctor` and the mirrors that tickets borrow from.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { basename, join } from "@std/path";
import { mirrorDirectory } from "../../src/workspace/mirrors/place.ts";
import { pick, rows } from "../support/answers.ts";
import { borrowTicket, commitUpstream, settingOf } from "../support/mirrors.ts";
import { World } from "../support/world.ts";

const clone = (world: World) => join(world.control, "worktrees", "demo@P-1", "repos", "api");
const mirrorOf = (world: World) =>
  mirrorDirectory(settingOf(world).ctx.layout, world.url("api")) ?? "";

/** A ticket that borrows, and began at a commit that its remote has dropped since; answers that. */
async function withTicket(): Promise<{ readonly world: World; readonly dropped: string }> {
  const world = await World.like("a ticket that upstream left behind", async (world) => {
    await world.makeInstalled({ repos: ["api"] });
    await commitUpstream(world, "main", "dropped");
    await borrowTicket(world, "P-1");
    await world.git(join(world.directory, "seed", "api"), "reset", "--quiet", "--hard", "HEAD~1");
    await commitUpstream(world, "main", "instead");
  });
  return { world, dropped: await world.git(clone(world), "rev-parse", "HEAD") };
}

Deno.test("amof doctor --repair makes a lost mirror again, and names what is lost with it", async () => {
  const { world, dropped } = await withTicket();
  await using _ = world;
  const well = await world.amof(["doctor"]);
  assertEquals(well.code, 0, well.stdout);
  assertStringIncludes(well.stdout, "mirrors: 1 clone of tickets borrow from 1 mirror");

  await Deno.remove(mirrorOf(world), { recursive: true });
  const looked = await world.amof(["doctor"]);
  assertEquals(looked.code, 3);
  assertStringIncludes(looked.stdout, "mirror of api");
  assertStringIncludes(looked.stdout, "is gone; 1 clone of P-1 reads from it");
  // Whoever meets it elsewhere is led there, too.
  const status = await world.amof(["-t", "P-1", "status", "--json"]);
  const [row] = rows(status.json(), "repos");
  assertStringIncludes(
    String(pick(row, "error", "message")),
    `${basename(mirrorOf(world))} is gone`,
  );
  assertStringIncludes(String(pick(row, "error", "hint")), "doctor --repair");
  const repaired = await world.amof(["doctor", "--repair"]);
  // The remote no longer has the commit the ticket began at.
  assertEquals(repaired.code, 3);
  assertStringIncludes(repaired.stdout, dropped.slice(0, 12));
  await world.git(mirrorOf(world), "fsck", "--full");

  // Whoever still has it gives it back, and the ticket is as it was.
  const seed = join(world.directory, "seed", "api");
  await world.git(
    seed,
    "push",
    "--quiet",
    join(world.remotes, "api.git"),
    `${dropped}:refs/heads/back`,
  );
  const synced = await world.amof(["-t", "P-1", "sync", "--fresh", "0"]);
  assertEquals(synced.code, 0, synced.stderr);
  assertEquals((await world.amof(["doctor"])).code, 0);
  await world.git(clone(world), "fsck", "--full");
});

Deno.test("amof doctor --repair mends what was changed or damaged in a mirror, and tells of strange objects", async () => {
  const { world } = await withTicket();
  await using _ = world;
  const mirror = mirrorOf(world);
  await world.git(mirror, "config", "extensions.preciousObjects", "false");
  const changed = await world.amof(["doctor"]);
  assertEquals(changed.code, 3);
  assertStringIncludes(changed.stdout, "has another configuration than it was made with");
  const planned = await world.amof(["doctor", "--repair", "--dry-run"]);
  assertStringIncludes(planned.stdout, "Give the mirror of api its configuration again");
  const mended = await world.amof(["doctor", "--repair"]);
  assertEquals(mended.code, 0, mended.stdout);
  assertEquals(await world.git(mirror, "config", "extensions.preciousObjects"), "true");

  await Deno.remove(join(mirror, "HEAD"));
  assertStringIncludes((await world.amof(["doctor"])).stdout, "is damaged");
  await world.amof(["doctor", "--repair"]);
  await world.git(mirror, "fsck", "--full");
  // What was there is kept, as it may have what the remote has not.
  const prune = await world.amof(["mirror", "prune", "--yes"]);
  assertStringIncludes(prune.stdout, "There is nothing to prune.");
  const list = await world.amof(["mirror", "list"]);
  assertStringIncludes(list.stdout, "left");

  const alternates = join(clone(world), ".git/objects/info/alternates");
  await Deno.writeTextFile(alternates, `${await Deno.readTextFile(alternates)}/nowhere/objects\n`);
  const strange = await world.amof(["doctor"]);
  assertEquals(strange.code, 3);
  assert(strange.stdout.includes("it reads objects from /nowhere/objects, which is not there"));
});
