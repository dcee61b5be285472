// Another program's git holds the index of a clone, as editors and people in another terminal do for a moment.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, until } from "../support/answers.ts";
import { World } from "../support/world.ts";

const ignore = Deno.build.os === "windows"; // git is wrapped in a shell script

/** How often git was asked to switch in a clone, told by a wrapper whose environment this is. */
async function switches(world: World) {
  const calls = join(world.directory, "calls.txt");
  await Deno.writeTextFile(calls, "");
  const env = await world.wrapGit(
    `case "$PWD $* " in */api*" switch "*) echo switch >> '${calls}';; esac`,
  );
  return { env, count: async () => (await Deno.readTextFile(calls)).split("\n").length - 1 };
}

Deno.test({
  name:
    "a change waits for another git that holds the index of a clone, and goes on when it is free",
  ignore,
  async fn() {
    await using world = await World.installed({ repos: ["api", "web"] });
    const lock = join(world.clone("api"), ".git", "index.lock");
    await Deno.writeTextFile(lock, "");
    const { env, count } = await switches(world);
    const child = world.start(["ticket", "start", "T-1", "--json"], { env });
    await until("git has met the lock twice", async () => await count() > 1);
    await Deno.remove(lock);
    const { code, stdout } = await child.output();
    assertEquals(code, 0, new TextDecoder().decode(stdout));
    for (const repo of ["api", "web"]) {
      const branch = await world.git(world.clone(repo), "branch", "--show-current");
      assertEquals(branch.trim(), "feature/T-1");
    }
  },
});

Deno.test({
  name: "a lock that a dead git has left is waited for by nobody, and named; nothing is changed",
  ignore,
  async fn() {
    await using world = await World.installed({ repos: ["api", "web"] });
    const lock = join(world.clone("api"), ".git", "index.lock");
    await Deno.writeTextFile(lock, "");
    await Deno.utime(lock, new Date("2025-01-01"), new Date("2025-01-01"));
    const { env, count } = await switches(world);
    const ran = await world.amof(["ticket", "start", "T-1", "--json"], { env });
    assertEquals(ran.code, 1, ran.stdout);
    assertEquals(pick(ran.json(), "details", "kind"), "lock");
    assertStringIncludes(String(pick(ran.json(), "message")), "index.lock");
    assertEquals(await count(), 1);
    assert(await world.exists(lock));
    for (const repo of ["api", "web"]) {
      const branch = await world.git(world.clone(repo), "branch", "--show-current");
      assertEquals(branch.trim(), "main");
    }
  },
});

Deno.test({
  name: "a commit whose hook complains of a held index is tried once",
  ignore,
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    const clone = world.clone("api");
    await world.commitOnFeature("api");
    const ran = join(world.directory, "hook.txt");
    await world.hook(
      join(clone, ".git"),
      "pre-commit",
      `echo ran >> '${ran}'\necho "fatal: Unable to create '$PWD/.git/index.lock': File exists." >&2\nexit 128`,
    );
    await Deno.writeTextFile(join(clone, "new.txt"), "new\n");
    const done = await world.amof(["commit", "-m", "New", "--yes", "--json"]);
    assert(done.code !== 0, done.stdout);
    assertEquals(await Deno.readTextFile(ran), "ran\n", done.stdout);
  },
});
