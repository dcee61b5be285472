/**
 * `amof ticket detach`: clones that borrow become independent.
 *
 * @module
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { mirrorsDirectory } from "../../src/workspace/mirrors/place.ts";
import { pick } from "../support/answers.ts";
import { borrowTicket, commitUpstream, settingOf } from "../support/mirrors.ts";
import { recordOf } from "../support/ticket_workspace.ts";
import { World } from "../support/world.ts";

const place = (world: World) => join(world.control, "worktrees", "demo@P-1");

/** A ticket with a clone that has a stash and a commit, and began at a commit that its remote has dropped. */
function withTicket(): Promise<World> {
  return World.like("a ticket to detach", async (world) => {
    await world.makeInstalled({ repos: ["api", "docs"] });
    await commitUpstream(world, "main", "dropped");
    const clone = join(await borrowTicket(world, "P-1", { context: ["docs"] }), "repos", "api");
    await Deno.writeTextFile(join(clone, "README.md"), "stashed\n");
    await world.git(clone, "stash", "push", "--quiet");
    await Deno.writeTextFile(join(clone, "mine.txt"), "mine\n");
    await world.git(clone, "add", "mine.txt");
    await world.git(clone, "commit", "--quiet", "-m", "Mine");
    await Deno.writeTextFile(join(clone, "staged.txt"), "staged\n");
    await world.git(clone, "add", "staged.txt");
  });
}

Deno.test("amof ticket detach makes a ticket independent, with all that it has", async () => {
  await using world = await withTicket();
  const clone = join(place(world), "repos", "api");
  const picture = async () => [
    await world.git(clone, "for-each-ref"),
    await world.git(clone, "stash", "list"),
    await world.git(clone, "status", "--porcelain", "--branch"),
    await world.git(clone, "diff", "--cached"),
  ];
  const before = await picture();
  const ran = await world.amof(["ticket", "detach", "P-1"]);
  assertEquals(ran.code, 0, ran.stderr);
  assertStringIncludes(ran.stdout, "2 clones of P-1 need no mirror any more.");
  const list = await world.amof(["mirror", "list", "--json"]);
  assertEquals(pick(list.json(), "mirrors", 0, "borrowers"), []);
  await Deno.remove(mirrorsDirectory(settingOf(world).ctx.layout), { recursive: true });
  assertEquals(await picture(), before);
  await world.git(clone, "fsck", "--full");
  await world.git(clone, "stash", "show", "-p");
  assertEquals(pick(await recordOf(place(world)), "repos", "api", "mirror"), null);
  const again = await world.amof(["ticket", "detach", "P-1"]);
  assertStringIncludes(again.stdout, "No clone of P-1 borrows.");
  const wrong = await world.amof(["ticket", "detach", "P-2"]);
  assertEquals(wrong.code, 2);
  assertStringIncludes(wrong.stderr, "Cannot find the workspace of ticket");
});

Deno.test("amof ticket detach leaves a clone as it is where something is missing, and goes on where it was cut off", async () => {
  await using world = await withTicket();
  const clone = join(place(world), "repos", "api");
  const info = join(clone, ".git", "objects", "info");
  const alternates = await Deno.readTextFile(join(info, "alternates"));
  // As after a kill between the two last steps.
  await Deno.rename(join(info, "alternates"), join(info, "alternates.amof-ended"));
  const ran = await world.amof(["ticket", "detach", "P-1"]);
  assertEquals(ran.code, 0, ran.stderr);
  await world.git(clone, "fsck", "--full");
  const left = (await Array.fromAsync(Deno.readDir(info))).map(({ name }) => name);
  assertEquals(left.filter((name) => name.startsWith("alternates")), []);

  const docs = join(place(world), "repos", "docs", ".git", "objects", "info", "alternates");
  await Deno.writeTextFile(docs, alternates);
  await Deno.remove(join(place(world), "repos", "docs", ".git", "objects", "pack"), {
    recursive: true,
  });
  const failed = await world.amof(["ticket", "detach", "P-1"]);
  assertEquals(failed.code, 1);
  assertEquals(await Deno.readTextFile(docs), alternates);
});
