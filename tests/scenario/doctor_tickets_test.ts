/**
 * `amof doctor` and the workspaces of tickets: records, clones, and what was left of making and removing them.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { ownClone, ownDirectory } from "../support/own_ticket.ts";
import { makeTicket } from "../support/ticket_workspace.ts";
import { World } from "../support/world.ts";

/** The checks about tickets. */
async function checks(world: World, ...flags: string[]): Promise<Record<string, unknown>[]> {
  const ran = await world.amof(["doctor", ...flags, "--json"]);
  return rows(ran.json(), "checks").filter(({ name }) => String(name).includes("ticket"));
}

Deno.test("amof doctor finds tickets without a usable record or without their clones", async () => {
  await using world = await World.installed({ repos: ["api"] });
  assertEquals(await checks(world), []);
  for (const id of ["T-1", "T-2", "T-3"]) await makeTicket(world, id);
  assertEquals((await checks(world)).map(({ detail }) => detail), [
    "3 tickets with a workspace, their clones there",
  ]);
  await Deno.writeTextFile(join(ownDirectory(world, "T-1"), ".amof", "ticket.json"), "{");
  await Deno.remove(ownClone(world, "T-2", "api"), { recursive: true });
  const found = await checks(world);
  assertEquals(found.map(({ name, level }) => `${name}: ${level}`), [
    "tickets: ok",
    "ticket T-1: problem",
    "ticket T-2: problem",
  ]);
  assertStringIncludes(String(found[1]?.["detail"]), "it is not valid JSON");
  assertStringIncludes(String(found[2]?.["detail"]), "not cloned: api");
  const [right, wrong] = [ownDirectory(world, "T-3"), ownDirectory(world, "OTHER")];
  await Deno.rename(right, wrong);
  const renamed = (await checks(world)).find(({ name }) => name === "ticket OTHER");
  assertStringIncludes(String(renamed?.["detail"]), "it is that of ticket T-3");
  assertEquals(renamed?.["fix"], `Give it its name back: mv ${wrong} ${right}`);
  await Deno.mkdir(right);
  const both = (await checks(world)).find(({ name }) => name === "ticket OTHER");
  assertStringIncludes(String(both?.["fix"]), "Put the record back, or save what is in");
});

Deno.test("amof doctor --repair deletes what is left of tickets, and nothing that is still a whole one", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await makeTicket(world, "T-1");
  const beside = (name: string) => join(world.control, "worktrees", name);
  await Deno.mkdir(join(beside(".demo@T-2.amof-new-01234567"), "repos"), { recursive: true });
  await Deno.mkdir(join(beside(".demo@T-3.amof-removed-01234567"), "repos"), { recursive: true });
  // As when the database was lost between the renaming and the deletion.
  await Deno.rename(ownDirectory(world, "T-1"), beside(".demo@T-1.amof-removed-89abcdef"));
  // Nobody's but the user's.
  await Deno.mkdir(beside(".demo@T-4.amof-removed-mine"));
  const found = await checks(world);
  assertEquals(found.map(({ name }) => name), ["removed tickets", "ticket T-1"]);
  assertStringIncludes(String(found[0]?.["detail"]), ".demo@T-2.amof-new-01234567");
  const ran = await world.amof(["doctor", "--repair", "--json"]);
  assertEquals([ran.code, pick(ran.json(), "error")], [3, "check_failed"], ran.stdout);
  assert(!await world.exists(beside(".demo@T-2.amof-new-01234567")));
  assert(!await world.exists(beside(".demo@T-3.amof-removed-01234567")));
  assert(await world.exists(beside(".demo@T-4.amof-removed-mine")));
  const [left] = await checks(world);
  assertStringIncludes(String(left?.["detail"]), "set aside and never removed");
  const [, from = "", to = ""] = /mv (\S+) (\S+)$/.exec(String(left?.["fix"])) ?? [];
  await Deno.rename(from, to);
  assertEquals((await checks(world)).map(({ level }) => level), ["ok"]);
});
