/**
 * What is left of the stand-in of a clone when amof is killed while it makes it (SEAL-3).
 *
 * @module
 */

import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { castShadow, Git, type GitGuard } from "../../../src/git/mod.ts";
import { realSystem } from "../../../src/system/real/mod.ts";
import type { System } from "../../../src/system/mod.ts";
import { World } from "../../support/world.ts";

/** A system that ends at a write: behind an empty file, or before the file has its name. */
function ending(system: System, at: number, how: "empty" | "whole"): System {
  let writes = 0;
  const files = Object.create(system.files) as System["files"];
  Object.defineProperties(files, {
    create: {
      value: async (...[path, content, options]: Parameters<System["files"]["create"]>) => {
        const last = ++writes === at;
        await system.files.create(path, last && how === "empty" ? "" : content, options);
        if (last) throw new Error("killed");
      },
    },
  });
  return { ...system, files };
}

for (const how of ["empty", "whole"] as const) {
  Deno.test(`a stand-in that was cut off behind an ${how === "empty" ? how : "unnamed"} file has no broken refs`, async () => {
    await using world = await World.make();
    await world.makeInstalled({ repos: ["api"] });
    const [clone, shadow] = [world.clone("api"), join(world.directory, "shadow")];
    await world.git(clone, "remote", "set-head", "origin", "main");
    const system = realSystem();
    const git = new Git(system);
    const keys = await git.at(world.directory).configFile(join(clone, ".git", "config"));
    const given = { clone, shadow, keys: keys ?? new Map() };
    await castShadow(system, given);
    const guard: GitGuard = {
      before: () => Promise.resolve({ shadow }),
      suspects: () => Promise.resolve(null),
    };
    const seen = () => git.guarded(guard).at(clone).borrowed.trouble();
    const written = await Array.fromAsync({ length: 64 }, (_, at) => at + 1);
    let ended = 0;
    for (const at of written) {
      try {
        await castShadow(ending(system, at, how), given);
        break;
      } catch (error) {
        assertEquals(String(error), "Error: killed");
      }
      ended++;
      assertEquals(await seen(), null, `write ${at}`);
    }
    assertEquals(ended > 6, true, String(ended));
  });
}

Deno.test("a broken ref that an earlier amof left in a stand-in goes when it is made again", async () => {
  await using world = await World.make();
  await world.makeInstalled({ repos: ["api"] });
  const [clone, shadow] = [world.clone("api"), join(world.directory, "shadow")];
  const system = realSystem();
  const keys = await new Git(system).at(world.directory).configFile(join(clone, ".git", "config"));
  const given = { clone, shadow, keys: keys ?? new Map() };
  await castShadow(system, given);
  const left = join(shadow, "refs", "remotes", "origin", "HEAD.1.new");
  await Deno.mkdir(join(left, ".."), { recursive: true });
  await Deno.writeTextFile(left, "");
  await castShadow(system, given);
  await assertRejects(() => Deno.lstat(left), Deno.errors.NotFound);
});
