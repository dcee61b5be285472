// An undo that was killed half-way, in repositories that a person has gone on with before the repair.

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { Wrapper } from "../chaos/strike.ts";
import { Copy } from "../chaos/template.ts";
import { World } from "../support/world.ts";

/** The calls of git that change a repository. */
const CHANGES = /update-ref|update-index|symbolic-ref|read-tree|checkout|reset/;

/** Goes on in a clone: with a file that git does not know, with a commit, or in the very file that the undo moves. */
async function goOn(world: World, repo: string, how: "file" | "commit" | "edit"): Promise<void> {
  const clone = world.clone(repo);
  const name = how === "edit" ? "a.txt" : "mine.txt";
  await Deno.writeTextFile(join(clone, name), "mine\n");
  if (how !== "commit") return;
  await world.git(clone, "add", name);
  await world.git(clone, "commit", "--quiet", "-m", "Mine", "--", name);
}

Deno.test("an undo that was killed half-way blocks nothing, whatever a person has done since", async (test) => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await world.amof(["ticket", "start", "T-1"]);
  for (const repo of ["api", "web"]) {
    await Deno.writeTextFile(join(world.clone(repo), "a.txt"), "a\n");
  }
  assertEquals((await world.amof(["commit", "-m", "A", "--yes"])).code, 0);
  const copy = await Copy.of(world);
  const wrapper = await Wrapper.make(world, copy.beside);
  await world.amof(["undo", "--yes"], { env: await wrapper.armed(0, "before", 0) });
  const calls = await wrapper.calls();
  const changing = calls.flatMap((call, at) => CHANGES.test(call) ? [at + 1] : []);
  const middle = changing[Math.floor(changing.length / 2)] ?? 0;
  for (const at of new Set([changing[0] ?? 0, middle, changing.at(-1) ?? 0])) {
    for (const how of ["file", "commit", "edit"] as const) {
      await test.step(`killed behind call ${at} of git, then: ${how}`, async () => {
        await copy.restore();
        await world.amof(["undo", "--yes"], { env: await wrapper.armed(at, "after", 0) });
        for (const repo of ["api", "web"]) await goOn(world, repo, how);
        const repaired = await world.amof(["doctor", "--repair"]);
        assert([0, 3].includes(repaired.code), repaired.stderr + repaired.stdout);
        for (const repo of ["api", "web"]) {
          const clone = world.clone(repo);
          const name = how === "edit" ? "a.txt" : "mine.txt";
          assertEquals(await Deno.readTextFile(join(clone, name)), "mine\n");
          if (how === "commit") {
            assertEquals((await world.git(clone, "log", "-1", "--format=%s")).trim(), "Mine");
          }
        }
        const next = await world.amof(["ticket", "start", "T-2", "--stash", "--yes"]);
        assert(!/state_corrupt|interrupted/.test(next.stdout + next.stderr), next.stderr);
      });
    }
  }
});
