// What snapshots keep: a content that a file had for many snapshots is on the disk once.

import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { join } from "@std/path";
import { copyName, deployedPath } from "../../../../../src/apps/agentpack/engine/snapshot.ts";
import { homeOf } from "../../../../../src/apps/agentpack/identity.ts";
import { pruneSnapshots, rollback } from "../../../../support/pack_calls.ts";
import { deploy, setUp, snapshot } from "../../../../support/pack_fixture.ts";
import { PackWorld } from "../../../../support/pack_world.ts";

const inodeOf = async (path: string) => (await Deno.stat(path)).ino;

/** Where a snapshot keeps a file that codex got. */
function copyOf(world: PackWorld, id: string, path: string): string {
  return deployedPath(homeOf(world.system.env), id, "codex", path);
}

Deno.test("snapshots share the copies of what did not change, and each can go alone", async () => {
  await using world = await PackWorld.make();
  await setUp(world);
  const skill = join(world.project, ".codex/skills/tidy/SKILL.md");
  const prompt = join(world.home, ".codex/prompts/changelog.md");
  const first = await snapshot(world);
  await world.write("m/changelog.md", "Second.\n");
  const second = await snapshot(world);
  assertEquals(
    await inodeOf(copyOf(world, first, skill)),
    await inodeOf(copyOf(world, second, skill)),
  );
  // What was replaced is what the deploy before kept.
  const backups = join(world.root, "state/snapshots", second, "backup/codex");
  const backup = await inodeOf(join(backups, copyName(prompt)));
  assertEquals(backup, await inodeOf(copyOf(world, first, prompt)));
  assertNotEquals(backup, await inodeOf(copyOf(world, second, prompt)));
  // What is deployed is nobody's copy: editing it must not change what is kept.
  assertNotEquals(await inodeOf(skill), await inodeOf(copyOf(world, second, skill)));

  const { data } = await pruneSnapshots(world.pack(), {}, { keep: "1" });
  assertEquals(data.removed, [first]);
  await world.write("m/tidy/SKILL.md", "---\nname: tidy\ndescription: Third.\n---\n");
  await deploy(world);
  await rollback(world.pack(), {}, { to: second });
  assertEquals(await world.read(skill), "---\nname: tidy\ndescription: Sort imports.\n---\nText\n");
  assertEquals(await world.read(prompt), "Second.\n");
});

Deno.test("a copy that is not any more what it was is not used again", async () => {
  await using world = await PackWorld.make();
  await setUp(world);
  const skill = join(world.project, ".codex/skills/tidy/SKILL.md");
  const first = await snapshot(world);
  await Deno.writeTextFile(copyOf(world, first, skill), "damaged\n");
  await world.write("m/changelog.md", "Second.\n");
  const second = await snapshot(world);
  assertEquals(await world.read(copyOf(world, second, skill)), await world.read(skill));
  assertEquals(await world.read(copyOf(world, first, skill)), "damaged\n");
});

Deno.test("without other names for files every copy is a file of its own", async () => {
  await using world = await PackWorld.make();
  await setUp(world);
  const { files } = world.system;
  Object.assign(world, {
    system: { ...world.system, files: { ...files, link: () => Promise.resolve(false) } },
  });
  const first = await snapshot(world);
  await world.write("m/changelog.md", "Second.\n");
  const second = await snapshot(world);
  const skill = join(world.project, ".codex/skills/tidy/SKILL.md");
  assert(
    await inodeOf(copyOf(world, first, skill)) !== await inodeOf(copyOf(world, second, skill)),
  );
  assertEquals(await world.read(copyOf(world, second, skill)), await world.read(skill));
});
