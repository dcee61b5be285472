/**
 * What is left of the stand-in of a clone when amof is killed while it makes it (SEAL-3).
 *
 * @module
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { Git, type GitGuard } from "../../../src/git/mod.ts";
import { AmofError } from "../../../src/base/error.ts";
import { writeSanitized } from "../../../src/git/changing.ts";
import { realSystem } from "../../../src/base/system/real/mod.ts";
import type { System } from "../../../src/base/system/mod.ts";
import { World } from "../../support/world.ts";

/** A system that ends at a write, behind the file that was made for it and is still empty. */
function ending(system: System, at: number): System {
  let writes = 0;
  const files = Object.create(system.files) as System["files"];
  Object.defineProperties(files, {
    create: {
      value: async (...[path, content, options]: Parameters<System["files"]["create"]>) => {
        const last = ++writes === at;
        await system.files.create(path, last ? "" : content, options);
        if (last) throw new Error("killed");
      },
    },
  });
  return { ...system, files };
}

/** What the stand-in of an installed clone is made with. */
async function standIn(
  world: World,
  system: System,
): Promise<Parameters<typeof writeSanitized>[1]> {
  await world.makeInstalled({ repos: ["api"] });
  const clone = world.clone("api");
  await world.git(clone, "remote", "set-head", "origin", "main");
  const keys = await new Git(system).at(world.directory).configFile(join(clone, ".git", "config"));
  return { clone, sanitized: join(world.directory, "sanitized"), keys: keys ?? new Map() };
}

Deno.test("a stand-in that was cut off at any of its files has no broken refs", async () => {
  await using world = await World.make();
  const system = realSystem();
  const given = await standIn(world, system);
  await writeSanitized(system, given);
  const guard: GitGuard = {
    before: () => Promise.resolve({ sanitized: given.sanitized }),
    suspects: () => Promise.resolve(null),
    holds: () => Promise.resolve(false),
  };
  const { borrowed } = new Git(system).guarded(guard).at(given.clone);
  let writes = 0;
  while (await isCutOff(ending(system, writes + 1), given)) {
    writes++;
    assertEquals(await borrowed.trouble(), null, `write ${writes}`);
  }
  assert(writes > 6, String(writes));
});

/** Makes a stand-in; answers whether its system ended before that was done. */
async function isCutOff(
  system: System,
  given: Parameters<typeof writeSanitized>[1],
): Promise<boolean> {
  try {
    await writeSanitized(system, given);
    return false;
  } catch (error) {
    assertEquals(String(error), "Error: killed");
    return true;
  }
}

Deno.test("a broken ref that an earlier amof left in a stand-in goes when it is made again", async () => {
  await using world = await World.make();
  const system = realSystem();
  const given = await standIn(world, system);
  await writeSanitized(system, given);
  const left = join(given.sanitized, "refs", "remotes", "origin", "HEAD.1.new");
  await Deno.mkdir(join(left, ".."), { recursive: true });
  await Deno.writeTextFile(left, "");
  await writeSanitized(system, given);
  await assertRejects(() => Deno.lstat(left), Deno.errors.NotFound);
});

/** The refs of a git directory, byte by byte, as git lists them. */
async function listed(gitDirectory: string): Promise<string> {
  const { stdout } = await new Deno.Command("git", {
    args: ["--git-dir", gitDirectory, "for-each-ref", "--format=%(objectname) %(refname)"],
  }).output();
  return new TextDecoder("latin1").decode(stdout);
}

Deno.test({
  name: "a stand-in has the refs whose names are no UTF-8, or cannot be made",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using world = await World.make();
    const system = realSystem();
    const given = await standIn(world, system);
    const directory = join(given.clone, ".git");
    const tip = (await world.git(given.clone, "rev-parse", "HEAD")).trim();
    await Deno.remove(join(directory, "packed-refs")).catch(() => {});
    const names = ["caf\xe9", "caf\xea", "\xc3\xa9", "\xef\xbf\xad", "\xf0\x9f\x9a\xa2"];
    const script = names.map((name) => {
      const bytes = Array.from(name, (each) => `\\${each.charCodeAt(0).toString(8)}`).join("");
      return `git update-ref "$(printf 'refs/heads/${bytes}')" ${tip}`;
    });
    const made = await world.command("sh", ["-c", `cd '${given.clone}' && ${script.join(" && ")}`]);
    assertEquals(made.code, 0, made.stderr);
    await assertRejects(() => writeSanitized(system, given), AmofError, "no UTF-8");
    await world.git(given.clone, "pack-refs", "--all");
    await writeSanitized(system, given);
    const refs = await listed(given.sanitized);
    assertEquals(refs, await listed(directory));
    assert(refs.includes("refs/heads/caf\xe9\n") && refs.includes("refs/heads/caf\xea\n"));
  },
});
