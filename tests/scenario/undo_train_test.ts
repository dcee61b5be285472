/**
 * Undo of a release train that was not pushed, from outside: commits, tags and files of every repository go back; what
 * is pushed stays.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { trainWorld } from "../support/release_world.ts";
import { World } from "../support/world.ts";

const BUMP = ["release", "train", "bump", "minor", "--alpha"];

async function must(world: World, ...args: string[]): Promise<Record<string, unknown>> {
  const ran = await world.amof([...args, "--json"]);
  assertEquals(ran.code, 0, `${args.join(" ")}: ${ran.stdout}${ran.stderr}`);
  return ran.json();
}

/** What git and the disk say of a clone. */
async function seen(world: World, repo: string): Promise<string> {
  const clone = world.clone(repo);
  return [
    await world.git(clone, "for-each-ref", "refs/heads", "refs/tags"),
    await world.git(clone, "status", "--porcelain", "--branch"),
    await Deno.readTextFile(join(clone, "VERSION")),
  ].join("\n");
}

Deno.test("undo of a release train that was not pushed takes commits and tags back, and a second one makes them again", async () => {
  await using world = await trainWorld(["api", "web", "lib"], ["lib"]);
  const all =
    async () => [await seen(world, "api"), await seen(world, "web"), await seen(world, "lib")];
  const before = await all();
  const plan = await must(world, ...BUMP, "--no-push", "--dry-run");
  assertEquals(pick(plan, "undo"), {
    brings_back: "what is checked out, branches and tags in api and web",
    cannot: "the train's record in the control repository",
  });
  await must(world, ...BUMP, "--no-push", "--yes");
  const released = await all();
  assertStringIncludes(released[0] ?? "", "v1.1.0-alpha.1");
  const preview = JSON.stringify(await must(world, "undo", "--dry-run"));
  assertStringIncludes(preview, "puts back VERSION");
  await must(world, "undo", "--yes");
  assertEquals(await all(), before);
  await must(world, "undo", "--yes");
  assertEquals(await all(), released);
  await must(world, "undo", "--yes");
  assertEquals(await all(), before);
  const again = await must(world, ...BUMP, "--no-push", "--yes");
  assertStringIncludes(JSON.stringify(again), "v1.1.0-alpha.1");
});

Deno.test("a release train that is pushed is not undone, nor one that was pushed since", async () => {
  await using world = await trainWorld(["api", "web"]);
  const plan = await must(world, ...BUMP, "--dry-run");
  assertEquals(pick(plan, "undo"), { brings_back: null, cannot: "what is pushed" });
  await must(world, ...BUMP, "--no-push", "--yes");
  await world.git(world.clone("web"), "push", "--quiet", "origin", "main", "v1.1.0-alpha.1");
  const before = await world.fingerprint();
  const ran = await world.amof(["undo", "--yes", "--json"]);
  assertEquals(pick(ran.json(), "error"), "undo_impossible", ran.stdout);
  assertStringIncludes(ran.stdout, '"name":"web"');
  assertStringIncludes(ran.stdout, "was pushed");
  assertEquals(await world.changesSince(before), []);
  // Work that is none of the train's business stays.
  await Deno.writeTextFile(join(world.clone("api"), "mine.txt"), "mine\n");
  await must(world, "undo", "--repo", "!web", "--yes");
  assertEquals(await Deno.readTextFile(join(world.clone("api"), "mine.txt")), "mine\n");
  assert(!(await world.git(world.clone("api"), "tag")).includes("alpha"));
  const [newest] = rows(await must(world, "operations"), "operations");
  assertEquals(newest?.["action"], "undo");
});
