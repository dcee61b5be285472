// Covers worlds that are copied: each is as the first was, and nobody else has it at the same time.

import { assert, assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { World } from "../support/world.ts";

for (const how of ["like", "common"] as const) {
  Deno.test(`World.${how}() makes a world once, and gives it to one test at a time as it was`, async () => {
    let built = 0;
    const kind = `${how} ${crypto.randomUUID()}`;
    const make = () =>
      World[how](kind, async (world) => {
        built++;
        await world.write("file.txt", "as it was\n");
      });
    const places: string[] = [];
    for (let turn = 0; turn < 3; turn++) {
      await using world = await make();
      places.push(world.directory);
      assertEquals(await Deno.readTextFile(join(world.directory, "file.txt")), "as it was\n");
      await world.write("file.txt", "changed\n");
      await world.write("more.txt", "more\n");
      await using other = await make();
      assertNotEquals(other.directory, world.directory);
      assertEquals(await Deno.readTextFile(join(other.directory, "file.txt")), "as it was\n");
      assert(!await other.exists("more.txt"));
    }
    // Where processes cannot be seen, nobody knows that nothing is at work in a world any more.
    if (Deno.build.os !== "linux") return;
    assertEquals(built, 2);
    assertEquals(new Set(places).size <= 2, true);
  });
}

Deno.test("World.like() refuses a kind that is built in two ways", async () => {
  const kind = crypto.randomUUID();
  await using _first = await World.like(kind, (world) => world.write("file.txt", "one\n"));
  await assertRejects(
    () => World.like(kind, (world) => world.write("file.txt", "two\n")),
    Error,
    `Two ways to build a world "${kind}"`,
  );
});

Deno.test("what is made once for all worlds has the author of the world that asks for it", async () => {
  for (const name of ["Tester", "Ada"]) {
    await using world = await World.make();
    world.env["GIT_AUTHOR_NAME"] = name;
    await world.makeControl();
    await world.addRemote("api");
    for (const place of [world.control, join(world.remotes, "api.git")]) {
      assertEquals(await world.git(place, "log", "--format=%an"), name);
    }
  }
});

Deno.test({
  name: "git finds in a copied world what it found in the first, and has nothing to read anew",
  ignore: Deno.build.os !== "linux", // worlds are not copied elsewhere
  async fn() {
    const kind = crypto.randomUUID();
    const make = () =>
      World.like(kind, async (world) => {
        await world.makeControl();
        await world.write("control/same.txt", "same\n");
        await world.write("control/changed.txt", "here\n");
        await world.write("control/gone.txt", "gone\n");
        await world.write("control/empty.txt", "");
        await Deno.symlink("same.txt", join(world.control, "link"));
        await world.git(world.control, "add", ".");
        await world.git(world.control, "commit", "--quiet", "-m", "Files");
        await Deno.remove(join(world.control, "gone.txt"));
        await world.write("control/staged.txt", "staged\n");
        await world.git(world.control, "add", "--intent-to-add", "staged.txt");
        // As long as before, and in the same second.
        await world.write("control/changed.txt", "away\n");
      });
    const looks: (readonly string[])[] = [];
    for (let turn = 0; turn < 3; turn++) {
      await using world = await make();
      const git = (...args: string[]) => world.git(world.control, ...args);
      // Before anything else refreshes the index.
      const stale = turn === 0 ? "" : await git("diff-files", "--name-only");
      await git("fsck", "--no-progress");
      looks.push([await git("status", "--porcelain"), await git("ls-files", "--stage")]);
      if (turn > 0) assertEquals(stale.split("\n"), ["changed.txt", "gone.txt", "staged.txt"]);
    }
    assertEquals(looks[0]?.[0], " M changed.txt\n D gone.txt\n A staged.txt");
    assertEquals(looks[1], looks[0]);
    assertEquals(looks[2], looks[0]);
  },
});
