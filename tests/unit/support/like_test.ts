// Worlds that are copies of one another.

import { assertEquals, assertNotEquals } from "@std/assert";
import { World } from "../../support/world.ts";

/** Only there is known who stands where. */
const ignore = Deno.build.os !== "linux";

function installed(): Promise<World> {
  return World.installed({ repos: ["api"] });
}

/** Everything about a world but git's notes of when it looked at which file. */
async function look(world: World): Promise<unknown> {
  const tree = (await world.fingerprint()).split("\n").filter((line) => !/\/index \w+$/.test(line));
  const status = (await world.amof(["status", "--json"])).json();
  return { directory: world.directory, tree, repos: status["repos"] };
}

Deno.test({
  name: "World.installed() the second time is what it was the first time",
  ignore,
  async fn() {
    let first: unknown;
    {
      await using world = await installed();
      first = await look(world);
      await world.commitOnFeature("api");
    }
    await using world = await installed();
    assertEquals(await look(world), first);
  },
});

Deno.test("World.installed() gives every world that lives a place of its own", async () => {
  await using one = await installed();
  await using two = await installed();
  assertNotEquals(one.directory, two.directory);
  assertEquals((await two.amof(["status"])).code, 0);
});

Deno.test({
  name: "World.installed() uses no place in which somebody still works",
  ignore,
  async fn() {
    const one = await installed();
    const child = new Deno.Command("sleep", { args: ["60"], cwd: one.control }).spawn();
    try {
      await one[Symbol.asyncDispose]();
      await using two = await installed();
      assertNotEquals(two.directory, one.directory);
    } finally {
      child.kill();
      await child.status;
    }
  },
});
