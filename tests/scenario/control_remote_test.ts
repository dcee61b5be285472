/**
 * A control repository that two people share by a remote: what one of them has changed in the manifest, the other is
 * told.
 *
 * @module
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { World } from "../support/world.ts";

/** An installed ecosystem whose control repository follows `origin`, and a colleague's clone of that. */
async function shared(): Promise<{ world: World; colleague: string }> {
  const world = await World.installed({ repos: ["api"] });
  const remote = join(world.remotes, "control.git");
  await world.git(world.directory, "init", "--quiet", "--bare", "--initial-branch=main", remote);
  await world.git(world.control, "remote", "add", "origin", remote);
  await world.git(world.control, "push", "--quiet", "--set-upstream", "origin", "main");
  const colleague = join(world.directory, "colleague");
  await world.git(world.directory, "clone", "--quiet", remote, colleague);
  return { world, colleague };
}

/** A commit of a file. */
async function commit(world: World, clone: string, file: string): Promise<void> {
  await Deno.writeTextFile(join(clone, file), "news\n");
  await world.git(clone, "add", file);
  await world.git(clone, "commit", "--quiet", "--message", `Add ${file}`);
}

/** What status warns of. */
async function warned(world: World): Promise<unknown> {
  return (await world.amof(["status", "--json"])).json()["warnings"];
}

/** What a sync warns of. */
async function syncWarned(world: World, ...args: string[]): Promise<unknown> {
  const ran = await world.amof(["sync", "--json", ...args]);
  assertEquals(ran.code, 0, ran.stdout);
  return pick(ran.json(), "result", "warnings");
}

/** The command at the end of a warning, carried out. */
async function mend(world: World, warnings: unknown): Promise<void> {
  const [warning] = warnings as string[];
  const command = /: (git -C .+)$/.exec(warning ?? "")?.[1] ?? "false";
  const ran = await world.command("sh", ["-c", command]);
  assertEquals(ran.code, 0, ran.stderr);
}

Deno.test("a sync says what the control repository lacks and the manifest stays, status says it from then on, and the command takes it in", async () => {
  const { world, colleague } = await shared();
  await using _world = world;
  assertEquals(await syncWarned(world), undefined);
  await commit(world, colleague, "NEWS.md");
  await world.git(colleague, "push", "--quiet");
  assertEquals(await warned(world), undefined);
  assertEquals(await syncWarned(world, "--repo", "api"), undefined);
  const synced = await world.amof(["sync"]);
  assertStringIncludes(
    synced.stdout,
    "⚠ The control repository is 1 commit behind origin/main",
  );
  const warnings = await warned(world);
  // One repository of all says it, too, of what is known by then.
  assertEquals(await syncWarned(world, "--repo", "api"), warnings);
  await mend(world, warnings);
  assertEquals(await world.exists(join(world.control, "NEWS.md")), true);
  assertEquals(await warned(world), undefined);
});

Deno.test("commits of the control repository that its remote lacks are told, and behind those of others the way goes over them", async () => {
  const { world, colleague } = await shared();
  await using _world = world;
  await commit(world, world.control, "mine.md");
  const mine = await warned(world);
  assertStringIncludes(String(mine), "has 1 commit that origin/main does not have");
  await commit(world, colleague, "theirs.md");
  await world.git(colleague, "push", "--quiet");
  await world.amof(["sync"]);
  const both = await warned(world);
  assertStringIncludes(String(both), "is 1 commit ahead of and 1 commit behind origin/main");
  await mend(world, both);
  await mend(world, await warned(world));
  assertEquals(await warned(world), undefined);
  const doctor = rows((await world.amof(["doctor", "--json"])).json(), "checks");
  assertEquals(doctor.filter(({ level }) => level === "warning"), []);
});

Deno.test("a remote of the control repository that is not there stops no sync", async () => {
  const { world } = await shared();
  await using _world = world;
  await Deno.remove(join(world.remotes, "control.git"), { recursive: true });
  const [warning] = await syncWarned(world) as string[];
  assertStringIncludes(warning ?? "", "The control repository could not be fetched");
});
