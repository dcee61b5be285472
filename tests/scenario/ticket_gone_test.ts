// A ticket whose own workspace somebody deleted with `rm -rf`: every command that tells of tickets says so, with what is
// still on remotes and the way on, through both doors; `ticket end` and `doctor --repair` let go of what it held.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { callsOfGit } from "../support/calls_of_git.ts";
import { McpClient } from "../support/mcp_client.ts";
import { commitIn, ownClone, ownDirectory } from "../support/own_ticket.ts";
import { World } from "../support/world.ts";

async function must(world: World, ...args: string[]): Promise<Record<string, unknown>> {
  const ran = await world.amof([...args, "--json"]);
  assertEquals(ran.code, 0, `${args.join(" ")}: ${ran.stdout}${ran.stderr}`);
  return ran.json();
}

/** Two tickets, the first one with a commit of `api` pushed and one of `web` not, whose workspace was deleted. */
async function deleted(): Promise<{ world: World; pushed: string }> {
  const world = await World.installed({ repos: ["api", "web"] });
  await must(world, "ticket", "start", "T-1", "--workspace");
  await must(world, "ticket", "start", "T-2", "--workspace", "--repo", "api");
  await commitIn(ownClone(world, "T-1", "api"), world);
  await must(world, "push", "--ticket", "T-1", "--yes");
  await commitIn(ownClone(world, "T-1", "web"), world);
  const pushed = await world.git(ownClone(world, "T-1", "api"), "rev-parse", "HEAD");
  await Deno.remove(ownDirectory(world, "T-1"), { recursive: true });
  return { world, pushed };
}

/** The check of doctor about a ticket. */
async function checked(world: World, id: string, ...flags: string[]): Promise<unknown> {
  const ran = await world.amof(["doctor", ...flags, "--json"]);
  return rows(ran.json(), "checks").find(({ name }) => name === `ticket ${id}`);
}

Deno.test("list, status and doctor tell of a ticket that was deleted by hand, with what is left and the way on", async () => {
  const { world, pushed } = await deleted();
  await using _world = world;
  const remains = `remotes had feature/T-1 of api at ${
    pushed.slice(0, 8)
  } when last fetched or pushed; nothing pushed is known of web`;
  const listed = await must(world, "ticket", "list");
  const gone = rows(listed, "tickets").find((row) => row["ticket_id"] === "T-1");
  assertEquals(
    [gone?.["phase"], gone?.["states"], gone?.["gone"]],
    ["gone", { api: "remote", web: "gone" }, remains],
  );
  const shown = await world.amof(["ticket", "list"]);
  assertStringIncludes(
    shown.stdout,
    `⚠ worktrees/demo@T-1 was deleted, and what was only there with it: ${remains}`,
  );
  assertStringIncludes(shown.stdout, "\n  Let go of it: amof ticket end T-1");
  const status = await must(world, "status");
  assertEquals(pick(status, "tickets_apart"), { count: 2, attention: 1 });
  const told = await world.amof(["status"]);
  assertStringIncludes(
    told.stdout,
    "⚠ 2 tickets in workspaces of their own, 1 needs attention: amof ticket list",
  );
  assertStringIncludes(told.stdout, "⚠ Ticket T-1 · worktrees/demo@T-1 · it was deleted");
  const check = await checked(world, "T-1");
  assertEquals(pick(check, "level"), "problem");
  assertStringIncludes(String(pick(check, "detail")), remains);
  assertStringIncludes(String(pick(check, "detail")), "it still holds ports 20000 to 20019");
  assertStringIncludes(
    String(pick(check, "fix")),
    "amof ticket start T-1 --workspace --repo api,web\nLet go of it: amof ticket end T-1",
  );

  await using client = new McpClient(world, ["--ecosystem", "demo"]);
  await client.initialize();
  const told2 = await client.call("amof_ticket_list", {});
  assertStringIncludes(told2.text, "worktrees/demo@T-1 was deleted");
  assertStringIncludes(told2.text, 'amof_ticket_end(ticket_id="T-1", ecosystem="demo")');
  const state = await client.call("amof_get_ecosystem_status", {});
  assertStringIncludes(state.text, "2 tickets in workspaces of their own, 1 needs attention");
});

Deno.test("ticket end lets go of a ticket that was deleted by hand, and nothing else does it unasked", async () => {
  const { world } = await deleted();
  await using _world = world;
  const refused = await world.amof(["ticket", "end", "T-1", "--cleanup", "--yes", "--json"]);
  assertEquals(pick(refused.json(), "error"), "invalid_arguments", refused.stdout);
  const plan = await must(world, "ticket", "end", "T-1", "--dry-run");
  assertStringIncludes(JSON.stringify(pick(plan, "effects")), "Free ports 20000 to 20019");
  assert(await checked(world, "T-1") !== undefined);
  const ended = await must(world, "ticket", "end", "T-1");
  assertEquals(pick(ended, "gone"), "worktrees/demo@T-1");
  assertEquals(await checked(world, "T-1"), undefined);
  const again = await world.amof(["ticket", "end", "T-1", "--json"]);
  assertEquals(pick(again.json(), "error"), "ticket_not_found");
  const next = await must(world, "ticket", "start", "T-3", "--workspace", "--repo", "api");
  assertEquals(pick(next, "env", "AMOF_PORT_BASE"), "20000", JSON.stringify(next));
});

Deno.test("every command that is given such a ticket says that it was deleted, with the ways on, in its own words", async () => {
  const { world, pushed } = await deleted();
  await using _world = world;
  const told =
    `Cannot find the workspace of ticket "T-1": worktrees/demo@T-1 was deleted; remotes had feature/T-1 of api at ${
      pushed.slice(0, 8)
    } when last fetched or pushed; nothing pushed is known of web`;
  const ways =
    "Make it again out of what is pushed: amof ticket start T-1 --workspace --repo api,web\nLet go of it: amof ticket end T-1";
  for (
    const words of [
      ["ticket", "path", "T-1"],
      ["ticket", "switch", "T-1"],
      ["ticket", "env", "T-1"],
      ["ticket", "add", "T-1", "--repo", "docs"],
      ["ticket", "detach", "T-1"],
      ["ticket", "conflicts", "T-1", "T-2"],
      ["--ticket", "T-1", "status"],
      ["--ticket", "T-1", "push", "--yes"],
    ]
  ) {
    const refused = await world.amof([...words, "--json"]);
    const answer = refused.json();
    assertEquals(
      [pick(answer, "error"), pick(answer, "message"), pick(answer, "hint")],
      ["ticket_not_found", told, ways],
      words.join(" "),
    );
  }
  const inside = await world.amof(["status", "--json"], { env: { AMOF_TICKET: "T-1" } });
  assertEquals(
    [pick(inside.json(), "message"), pick(inside.json(), "hint")],
    [`${told} (from AMOF_TICKET)`, `Unset AMOF_TICKET; ${ways}`],
  );
  // One that nobody knows is told as ever.
  const unknown = await world.amof(["ticket", "path", "T-9", "--json"]);
  assertStringIncludes(String(pick(unknown.json(), "message")), 'Cannot find ticket "T-9"');

  await using client = new McpClient(world, ["--ecosystem", "demo"]);
  await client.initialize();
  const state = await client.call("amof_get_ecosystem_status", { ticket: "T-1" });
  assert(state.isError, state.text);
  assertStringIncludes(state.text, told);
  assertStringIncludes(state.text, 'amof_ticket_end(ticket_id="T-1", ecosystem="demo")');
});

Deno.test("doctor --repair lets go of it, too; it can be started again with what is pushed, and be put back", async () => {
  const { world, pushed } = await deleted();
  await using _world = world;
  const aside = join(world.directory, "aside");
  await Deno.rename(ownDirectory(world, "T-2"), aside);
  assert(await checked(world, "T-2") !== undefined);
  await Deno.rename(aside, ownDirectory(world, "T-2"));
  assertEquals(await checked(world, "T-2"), undefined);
  // One that was only given another name is told as that, and is not gone.
  await Deno.rename(ownDirectory(world, "T-2"), ownDirectory(world, "T-5"));
  assertEquals(await checked(world, "T-2"), undefined);
  await Deno.rename(ownDirectory(world, "T-5"), ownDirectory(world, "T-2"));

  await must(world, "ticket", "start", "T-1", "--workspace", "--repo", "api,web");
  assertEquals(await world.git(ownClone(world, "T-1", "api"), "rev-parse", "HEAD"), pushed);
  assertEquals(await checked(world, "T-1"), undefined);
  await Deno.remove(ownDirectory(world, "T-1"), { recursive: true });
  const mended = await world.amof(["doctor", "--repair", "--json"]);
  assertEquals(mended.code, 0, mended.stdout);
  assertEquals(await checked(world, "T-1"), undefined);
  const listed = await must(world, "ticket", "list");
  assertEquals(rows(listed, "tickets").map((row) => row["ticket_id"]), ["T-2"]);
  const mirrors = rows(await must(world, "mirror", "list"), "mirrors");
  assertEquals(
    mirrors.flatMap(({ borrowers }) => borrowers as { ticket: string }[])
      .filter(({ ticket }) => ticket === "T-1"),
    [],
  );
});

Deno.test("a ticket that an archive has put away is not gone", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await must(world, "ticket", "start", "T-1", "--workspace");
  await must(world, "archive", "--tickets", "--yes", "--confirm-name", "demo");
  assertEquals(await checked(world, "T-1"), undefined);
  const refused = (await world.amof(["--ticket", "T-1", "status", "--json"])).json();
  assertEquals(
    [pick(refused, "message"), pick(refused, "hint")],
    [
      'Cannot find the workspace of ticket "T-1": it was put away with an archive',
      "Bring it back: amof archive restore --tickets",
    ],
  );
});

Deno.test("status asks git nothing more for tickets, however many there are", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const without = await callsOfGit(world, ["status"]);
  for (const id of ["T-1", "T-2", "T-3"]) {
    await must(world, "ticket", "start", id, "--workspace");
  }
  await Deno.remove(ownDirectory(world, "T-3"), { recursive: true });
  await Deno.remove(ownClone(world, "T-2", "api"), { recursive: true });
  const status = await must(world, "status");
  assertEquals(pick(status, "tickets_apart"), { count: 3, attention: 2 });
  assertEquals((await callsOfGit(world, ["status"])).calls.length, without.calls.length);
});
