/**
 * What is kept about work in tickets is found again by ticket: runs and the audit log.
 *
 * @module
 */

import { assertEquals, assertMatch } from "@std/assert";
import { pick, rows } from "../support/answers.ts";
import { commitIn, ownClone } from "../support/own_ticket.ts";
import { makeTicket } from "../support/ticket_workspace.ts";
import { World } from "../support/world.ts";

/** A push in a ticket and one in the base workspace, and a ticket that was started with a workspace of its own. */
function withRecords(): Promise<World> {
  return World.like("records of tickets", async (world) => {
    await world.makeInstalled({ repos: ["api", "web"] });
    await makeTicket(world, "PROJ-1");
    await commitIn(ownClone(world, "PROJ-1", "api"), world);
    for (
      const args of [
        ["push", "-t", "PROJ-1", "--yes"],
        ["sync"],
        ["ticket", "start", "PROJ-2", "--workspace", "--repo", "web"],
      ]
    ) assertEquals((await world.amof(["-e", "demo", ...args])).code, 0, args.join(" "));
  });
}

Deno.test("runs list finds the runs of one ticket, or those of none", async () => {
  await using world = await withRecords();
  const runs = async (...words: string[]) => {
    const { code, json } = await world.amof(["-e", "demo", "runs", "list", "--json", ...words]);
    assertEquals(code, 0);
    return rows(json(), "runs").map(({ action, ticket }) => [action, ticket]);
  };
  assertEquals(await runs("--ticket", "PROJ-1"), [["push", "PROJ-1"]]);
  assertEquals(await runs("-t", "PROJ-2"), [["ticket_start", "PROJ-2"]]);
  assertEquals(
    (await runs("-t", "main")).filter(([, ticket]) => ticket !== null),
    [],
  );
  assertEquals((await runs("-t", "main")).some(([action]) => action === "sync"), true);
  assertEquals(await runs("-t", "PROJ-9"), []);
  assertEquals((await runs()).length, (await runs("-t", "main")).length + 2);
});

Deno.test("audit finds what was asked for in one ticket, and what made it", async () => {
  await using world = await withRecords();
  const tools = async (...words: string[]) => {
    const ran = await world.amof(["-e", "demo", "audit", "--json", ...words]);
    assertEquals(ran.code, 0);
    return rows(ran.json(), "entries").map(({ tool }) => tool);
  };
  assertEquals(await tools("--ticket", "PROJ-1"), ["amof_push_ecosystem"]);
  assertEquals(await tools("-t", "PROJ-2"), ["amof_ticket_start"]);
  assertEquals(await tools("-t", "PROJ-2", "--tool", "push"), []);
  const base = await tools("-t", "main");
  assertEquals(base.includes("amof_sync_ecosystem"), true);
  assertEquals(base.length + 2, (await tools()).length);
  const shown = await world.amof(["-e", "demo", "audit", "-t", "PROJ-1"]);
  assertMatch(shown.stdout, /push_ecosystem +demo > PROJ-1 /);
  const checked = await world.amof(["audit", "verify", "--json"]);
  assertEquals([checked.code, pick(checked.json(), "error")], [0, undefined], checked.stdout);
});
