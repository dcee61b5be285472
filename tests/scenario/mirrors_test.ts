/**
 * Mirrors: clones of one address share a transfer, and nothing else.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { World } from "../support/world.ts";

const LOG = "calls.log";

/** Two ecosystems with the same repository, the calls of git written down. */
async function twice(): Promise<{ world: World; env: Record<string, string> }> {
  const world = await World.like("two ecosystems with mirrors", async (world) => {
    await world.makeControl();
    await world.addRemote("api");
  });
  for (const name of ["demo", "shop"]) {
    await world.write(
      `control/ecosystems/${name}/ecosystem.yaml`,
      `name: ${name}\nmirrors: true\nrepos:\n  - {name: api, url: "${
        world.url("api")
      }", branch: main}\n`,
    );
  }
  const env = await world.wrapGit(`echo "$*" >> '${join(world.directory, LOG)}'`);
  return { world, env };
}

function mirrors(world: World): string {
  return join(world.env["AMOF_HOME"] ?? "", "share", "mirrors");
}

/** The mirrors that are there. */
async function mirrorsIn(directory: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(directory));
  const found = entries.filter(({ isDirectory }) => isDirectory).map(({ name }) =>
    name.endsWith(".git") && !name.startsWith(".")
      ? Promise.resolve([join(directory, name)])
      : mirrorsIn(join(directory, name))
  );
  return (await Promise.all(found)).flat();
}

Deno.test({
  name: "amof install shares a mirror between workspaces, and no clone needs it afterwards",
  ignore: Deno.build.os === "windows", // git is wrapped by a shell script
  async fn() {
    const { world, env } = await twice();
    await using _ = world;
    for (const name of ["demo", "shop"]) {
      const ran = await world.amof(["-e", name, "install", "--yes"], { env });
      assertEquals(ran.code, 0, ran.stderr);
    }
    const [mirror = "", ...others] = await mirrorsIn(mirrors(world));
    assertEquals(others, []);
    const calls = await Deno.readTextFile(join(world.directory, LOG));
    assertEquals(
      calls.split("\n").filter((line) => /\bclone\b.*--bare\b/.test(line)).length,
      1,
    );
    assertEquals(
      calls.split("\n").filter((line) => line.includes(`--reference-if-able ${mirror}`))
        .length,
      2,
    );
    await Deno.remove(mirrors(world), { recursive: true });
    for (const name of ["demo", "shop"]) {
      const clone = world.clone("api", name);
      assertEquals(await world.exists(join(clone, ".git/objects/info/alternates")), false);
      await world.git(clone, "fsck", "--full");
    }
  },
});

Deno.test({
  name: "amof install makes a damaged mirror anew, and clones without one that it cannot make",
  ignore: Deno.build.os === "windows", // as above
  async fn() {
    const { world } = await twice();
    await using _ = world;
    assertEquals((await world.amof(["-e", "demo", "install", "--yes"])).code, 0);
    const [mirror = ""] = await mirrorsIn(mirrors(world));
    await Deno.remove(join(mirror, "objects"), { recursive: true });
    const again = await world.amof(["-e", "shop", "install", "--yes"]);
    assertEquals(again.code, 0, again.stderr);
    await world.git(mirror, "fsck", "--full");

    await Deno.remove(world.clone("api", "shop"), { recursive: true });
    await Deno.remove(mirrors(world), { recursive: true });
    await Deno.writeTextFile(mirrors(world), "in the way\n");
    const without = await world.amof(["-e", "shop", "sync", "--verbose"]);
    assertEquals(without.code, 0, without.stderr);
    assertStringIncludes(without.stderr, "api: cloned without a mirror");
    assert(await world.exists(join(world.clone("api", "shop"), "README.md")));
  },
});
