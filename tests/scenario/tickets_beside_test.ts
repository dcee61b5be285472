/**
 * What commands on a whole ecosystem do about tickets that have workspaces of their own beside its workspace.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { pick, rows } from "../support/answers.ts";
import { join } from "@std/path";
import { commitIn, ownClone, ownDirectory } from "../support/own_ticket.ts";
import { makeTicket } from "../support/ticket_workspace.ts";
import { World } from "../support/world.ts";

/** Two tickets beside an installed workspace. */
function beside(): Promise<World> {
  return World.like("two tickets beside", async (world) => {
    await world.makeInstalled({ repos: ["api"] });
    await makeTicket(world, "T-1");
    await makeTicket(world, "T-2");
  });
}

Deno.test("amof archive refuses while tickets have workspaces of their own, and names the way", async () => {
  await using world = await beside();
  const before = await world.fingerprint();
  const ran = await world.amof(["archive", "--yes", "--json"]);
  assertEquals([ran.code, pick(ran.json(), "error")], [1, "workspace_in_use"], ran.stdout);
  assertStringIncludes(
    ran.stdout,
    "Cannot archive demo: ticket T-1 has a workspace of its own, and so has 1 more",
  );
  assertStringIncludes(ran.stdout, "amof archive --yes --tickets");
  assertStringIncludes(ran.stdout, "amof ticket end T-1");
  assertEquals(pick(ran.json(), "details", "tickets"), ["T-1", "T-2"]);
  assertEquals(await world.changesSince(before), []);
});

Deno.test("amof discard leaves the workspaces of tickets, and says so before", async () => {
  await using world = await beside();
  const plan = await world.amof(["discard", "--dry-run", "--json"]);
  assertEquals(pick(plan.json(), "preview", "tickets"), [
    "worktrees/demo@T-1",
    "worktrees/demo@T-2",
  ]);
  const before = await world.fingerprint();
  const ran = await world.amof(["discard", "--confirm-name", "demo", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  assert(!await world.exists(world.workspace()));
  const touched = await world.changesSince(before);
  assertEquals(touched.filter((path) => path.includes("demo@")), []);
  // A ticket needs no base workspace to end.
  const end = await world.amof(["ticket", "end", "T-1", "--yes", "--json"]);
  assertEquals(end.code, 0, end.stdout);
  assert(!await world.exists(ownDirectory(world, "T-1")));
});

Deno.test("commits that a ticket took along into a workspace of its own are not lost with the base workspace", async () => {
  await using world = await World.installed({ repos: ["api"] });
  assertEquals((await world.amof(["ticket", "start", "T-1"])).code, 0);
  await commitIn(world.clone("api"), world);
  const moved = ["ticket", "move", "T-1", "--workspace", "--yes"];
  assertEquals((await world.amof(moved)).code, 0);
  const listed = (await world.amof(["operations", "--json"])).json();
  const install = rows(listed, "operations").find(({ action }) => action === "install");
  const lost = async (): Promise<boolean[]> => {
    const ways = [["discard"], ["undo", String(install?.["run_id"])]];
    const plans = await Promise.all(ways.map((words) => world.amof([...words, "--dry-run"])));
    return plans.map(({ stdout }) => {
      assertStringIncludes(stdout, "Delete worktrees/demo");
      return stdout.includes("Lose api: 1 commit that was amended, rebased or reset away");
    });
  };
  assertEquals(await lost(), [false, false]);
  // What came on top of it there changes nothing; without a branch there it is lost.
  await commitIn(ownClone(world, "T-1", "api"), world, "more.txt");
  assertEquals(await lost(), [false, false]);
  await world.git(ownClone(world, "T-1", "api"), "reset", "--quiet", "--hard", "HEAD~2");
  assertEquals(await lost(), [true, true]);
});

Deno.test("amof discard --tickets takes the workspaces of tickets along, each with its losses, all or none", async () => {
  await using world = await beside();
  await commitIn(ownClone(world, "T-1", "api"), world);
  await Deno.writeTextFile(join(ownDirectory(world, "T-2"), "notes.md"), "notes\n");
  const plan = await world.amof(["discard", "--tickets", "--dry-run", "--json"]);
  assertEquals(plan.code, 0, plan.stdout);
  assertEquals(
    rows(plan.json(), "preview", "losses").map(({ repo, kind }) => `${repo} ${kind}`),
    ["T-1/api commits", "T-2/(workspace) files"],
  );
  const inside = await world.amof(["discard", "--tickets", "--confirm-name", "demo", "--json"], {
    cwd: ownClone(world, "T-2", "api"),
  });
  assertEquals(pick(inside.json(), "error"), "workspace_in_use", inside.stdout);
  // What is written into one ticket meanwhile keeps them all.
  const late = join(ownClone(world, "T-2", "api"), "late.txt");
  const env = await world.wrapGit(
    `case "$PWD" in */.demo@T-1.amof-removed-*) echo late > '${late}';; esac`,
  );
  const kept = await world.amof(["discard", "--tickets", "--confirm-name", "demo", "--json"], {
    env,
  });
  assertEquals(kept.code, 1, kept.stdout);
  assert(await world.exists(late), "what was written late is gone");
  assert(await world.exists(ownClone(world, "T-1", "api")), "a ticket is gone");
  const ran = await world.amof(["discard", "--tickets", "--confirm-name", "demo", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  const left = await Array.fromAsync(Deno.readDir(join(world.control, "worktrees")));
  assertEquals(left.map(({ name }) => name), []);
});

Deno.test("ecosystem list and describe name the tickets that have workspaces of their own", async () => {
  await using world = await beside();
  const listed = await world.amof(["ecosystem", "list", "--json"]);
  assertEquals(rows(listed.json(), "ecosystems")[0]?.["ticket_workspaces"], ["T-1", "T-2"]);
  const described = await world.amof(["ecosystem", "describe"]);
  assertStringIncludes(described.stdout, "worktrees/demo@T-1 and worktrees/demo@T-2");
});
