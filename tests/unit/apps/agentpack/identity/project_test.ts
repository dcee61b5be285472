// The project of a directory is the repository around it, however deep the directory lies.

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { detectProject } from "../../../../../src/apps/agentpack/identity.ts";
import { PackWorld } from "../../../../support/pack_world.ts";

Deno.test("detectProject() finds the repository around a directory, with its origin", async () => {
  await using world = await PackWorld.inMemory();
  const deep = join(world.project, "src", "deep");
  await world.files.makeDirectory(deep);
  const project = await detectProject(world.packIn(world.project));
  assertEquals([project.root, project.noProject], [world.project, null]);
  assertEquals(project.origin, "https://github.com/example/example.git");
  assertEquals(await detectProject(world.packIn(deep)), project);
  assertEquals(await detectProject(world.packIn(world.home), deep), project);
});

Deno.test("detectProject() takes a directory without a repository as it is", async () => {
  await using world = await PackWorld.inMemory();
  const bare = join(world.directory, "bare");
  await world.files.makeDirectory(bare);
  const project = await detectProject(world.packIn(bare));
  assertEquals([project.root, project.origin, project.noProject], [bare, null, null]);
});
