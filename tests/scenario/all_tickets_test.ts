/**
 * Commands about every workspace of an ecosystem at once: the base workspace and those of its tickets (SCOPE-5).
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { commitIn, ownClone, ownDirectory } from "../support/own_ticket.ts";
import { McpClient } from "../support/mcp_client.ts";
import { makeTicket, writeRecord } from "../support/ticket_workspace.ts";
import { World } from "../support/world.ts";

/** A base workspace with three repositories, a ticket with one of them and one to read, and a ticket with two. */
function withTickets(): Promise<World> {
  return World.like("tickets beside a base workspace", async (world) => {
    await world.makeInstalled({ repos: ["api", "web", "docs"] });
    await makeTicket(world, "PROJ-1", { repos: ["api"], context: ["web"] });
    await makeTicket(world, "PROJ-2", { repos: ["api", "docs"] });
  });
}

const EVERYWHERE = [
  [null, "api"],
  [null, "web"],
  [null, "docs"],
  ["PROJ-1", "api"],
  ["PROJ-1", "web"],
  ["PROJ-2", "api"],
  ["PROJ-2", "docs"],
] as const;

/** Which repository of which workspace each row is about. */
function places(answer: Record<string, unknown>, member = "repos", name = "name"): unknown[] {
  return rows(answer, member).map((row) => [row["ticket"], row[name]]);
}

Deno.test("status shows every workspace, from wherever it is called", async () => {
  await using world = await withTickets();
  await Deno.writeTextFile(join(ownClone(world, "PROJ-1", "api"), "new.txt"), "new\n");
  const args = ["-e", "demo", "status", "--all-tickets", "--json"];
  const here = await world.amof(args);
  assertEquals(here.code, 0, here.stderr);
  assertEquals(places(here.json()), [...EVERYWHERE]);
  const bad = rows(here.json(), "repos").filter(({ status }) => status !== "OK");
  assertEquals(bad.map(({ ticket, name, status }) => [ticket, name, status]), [
    ["PROJ-1", "api", "DIRTY"],
  ]);
  assertEquals(rows(here.json(), "repos").map(({ role }) => role), [
    undefined,
    undefined,
    undefined,
    "work",
    "context",
    "work",
    "work",
  ]);
  for (
    const options of [{ cwd: ownClone(world, "PROJ-2", "api") }, { env: { AMOF_TICKET: "PROJ-1" } }]
  ) {
    assertEquals(places((await world.amof(args, options)).json()), [...EVERYWHERE]);
  }
  const shown = await world.amof(["-e", "demo", "status", "--all-tickets", "--all"]);
  assertMatch(shown.stdout, /^TICKET +REPO/m);
  assertMatch(shown.stdout, /^main +docs /m);
  assertMatch(shown.stdout, /^PROJ-1 +api +feature\/PROJ-1 /m);
  const check = await world.amof(["-e", "demo", "status", "--all-tickets", "--check"]);
  assertEquals(check.code, 3);
  assertStringIncludes(check.stderr, "PROJ-1/api");
});

Deno.test("what a status of every workspace offers is about the one that calls for it most", async () => {
  await using world = await withTickets();
  const offered = async () => {
    const status = await world.amof(["-e", "demo", "status", "--all-tickets", "--json"]);
    return rows(status.json(), "suggested_actions")
      .map(({ tool, args }) => [tool, pick(args, "ticket"), pick(args, "commit")]);
  };
  await Deno.writeTextFile(join(world.clone("web"), "new.txt"), "new\n");
  assertEquals((await offered()).slice(0, 2), [
    ["amof_ticket_start", undefined, undefined],
    ["amof_push_ecosystem", undefined, true],
  ]);
  // Commits that are only in a ticket are pushed there.
  await commitIn(ownClone(world, "PROJ-2", "api"), world);
  assertEquals((await offered())[0], ["amof_push_ecosystem", "PROJ-2", undefined]);
});

Deno.test("a selection holds inside of each workspace, and has to fit somewhere", async () => {
  await using world = await withTickets();
  const status = async (...words: string[]) =>
    await world.amof(["-e", "demo", "status", "--all-tickets", "--json", ...words]);
  assertEquals(places((await status("--repo", "api,docs")).json()), [
    [null, "api"],
    [null, "docs"],
    ["PROJ-1", "api"],
    ["PROJ-2", "api"],
    ["PROJ-2", "docs"],
  ]);
  await Deno.writeTextFile(join(ownClone(world, "PROJ-2", "docs"), "README.md"), "changed\n");
  assertEquals(places((await status("--only", "dirty")).json()), [["PROJ-2", "docs"]]);
  const here = await world.amof(["status", "--all-tickets", "--json", "--repo", "."], {
    cwd: ownClone(world, "PROJ-2", "docs"),
  });
  assertEquals(places(here.json()), [[null, "docs"], ["PROJ-2", "docs"]]);
  for (const wrong of ["wbe", "api,wbe", "!wbe"]) {
    const ran = await status("--repo", wrong);
    assertEquals([ran.code, pick(ran.json(), "error")], [2, "repo_not_found"], wrong);
  }
});

Deno.test("without a base workspace the tickets are shown, and one that cannot be read stops no other", async () => {
  await using world = await withTickets();
  const gone = await world.amof(["-e", "demo", "discard", "--confirm-name", "demo"]);
  assertEquals(gone.code, 0, gone.stderr);
  await writeRecord(ownDirectory(world, "PROJ-2"), { version: 1 });
  const status = await world.amof(["-e", "demo", "status", "--all-tickets", "--json"]);
  assertEquals(status.code, 0, status.stderr);
  assertEquals(places(status.json()), [["PROJ-1", "api"], ["PROJ-1", "web"]]);
  const log = await world.amof(["-e", "demo", "log", "--all-tickets", "--json"]);
  assertEquals([log.code, pick(log.json(), "error")], [5, "partial_failure"]);
  assertEquals(rows(log.json(), "unreadable").map(({ ticket_id }) => ticket_id), ["PROJ-2"]);
  assertEquals(
    new Set(places(log.json(), "commits", "repo").flat()),
    new Set(["PROJ-1", "api", "web"]),
  );
});

Deno.test("log, branches, grep and diff name the ticket of everything they show", async () => {
  await using world = await withTickets();
  const commit = await commitIn(ownClone(world, "PROJ-1", "api"), world);
  await Deno.writeTextFile(join(world.clone("api"), "README.md"), "needle of the base\n");
  await Deno.writeTextFile(join(ownClone(world, "PROJ-2", "docs"), "README.md"), "needle of two\n");
  const call = async (...words: string[]) =>
    await world.amof(["-e", "demo", ...words, "--all-tickets"]);
  const log = (await call("log", "--json")).json();
  assertEquals(
    rows(log, "commits").filter((row) => row["commit"] === commit).map((
      { ticket, repo },
    ) => [ticket, repo]),
    [["PROJ-1", "api"]],
  );
  assertEquals(log["repos_read"], 7);
  const branches = (await call("branches", "--json")).json();
  const own = rows(branches, "branches").find(({ name }) => name === "feature/PROJ-2");
  assertEquals(places(own ?? {}, "places", "repo"), [["PROJ-2", "api"], ["PROJ-2", "docs"]]);
  const grep = await call("grep", "needle", "--json");
  assertEquals(places(grep.json(), "hits", "repo"), [[null, "api"], ["PROJ-2", "docs"]]);
  const stat = await call("diff", "--stat");
  assertMatch(stat.stdout, /^main +api +README\.md /m);
  assertMatch(stat.stdout, /^PROJ-2 +docs +README\.md /m);
  // The patch of all workspaces is one that git takes at the control repository.
  const patch = await call("diff");
  await world.git(world.clone("api"), "checkout", "--quiet", "README.md");
  await world.git(ownClone(world, "PROJ-2", "docs"), "checkout", "--quiet", "README.md");
  await Deno.writeTextFile(join(world.directory, "all.patch"), patch.stdout);
  await world.git(world.control, "apply", "--unsafe-paths", join(world.directory, "all.patch"));
  assertEquals(
    await Deno.readTextFile(join(ownClone(world, "PROJ-2", "docs"), "README.md")),
    "needle of two\n",
  );
});

Deno.test("all tickets go with no single one, and with no watching", async () => {
  await using world = await withTickets();
  for (const command of [["status"], ["log"], ["diff"], ["grep", "x"], ["branches"]]) {
    const ran = await world.amof(["-e", "demo", ...command, "--all-tickets", "-t", "PROJ-1"]);
    assertEquals(ran.code, 2, command.join(" "));
    assertStringIncludes(ran.stderr, "Cannot use --all-tickets together with --ticket");
  }
  const watched = await world.amof(["-e", "demo", "status", "--all-tickets", "--watch"]);
  assertEquals(watched.code, 2);
  assert(watched.stderr.includes("--all-tickets"), watched.stderr);
});

Deno.test("over MCP it is the same member, listed where words are not paid for", async () => {
  await using world = await withTickets();
  await using client = new McpClient(world, ["--ecosystem", "demo", "--toolsets", "all"]);
  await client.initialize();
  const status = await client.call("amof_get_ecosystem_status", { all_tickets: true });
  assertEquals(places(status.data), [...EVERYWHERE]);
  const both = await client.call("amof_get_commits", { all_tickets: true, ticket: "PROJ-1" });
  assertEquals(both.data["error"], "invalid_arguments");
  const listed = rows(await client.request("tools/list", {}), "result", "tools");
  const members = (name: string) =>
    pick(listed.find((tool) => tool["name"] === name) ?? {}, "inputSchema", "properties") ?? {};
  assert(!Object.hasOwn(members("amof_get_ecosystem_status"), "all_tickets"));
  assert(Object.hasOwn(members("amof_get_commits"), "all_tickets"));
});
