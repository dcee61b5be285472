/**
 * Command lines in the workspace of a ticket: which ticket a call means, and that it touches nothing else.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { makeTicket, recordOf, writeRecord } from "../support/ticket_workspace.ts";
import { type Ran, World } from "../support/world.ts";

const POSIX = Deno.build.os !== "windows";

/** Two ecosystems, and a ticket of the first with one repository to work on and one to read. */
function withTicket(): Promise<World> {
  return World.like("a ticket with a workspace", async (world) => {
    await world.makeInstalled({ repos: ["api", "web", "docs"] });
    await world.addEcosystem("shop", { repos: [] });
    await makeTicket(world, "PROJ-1", { repos: ["api"], context: ["web"] });
  });
}

function ticketOf(world: World, id = "PROJ-1"): string {
  return join(world.control, "worktrees", `demo@${id}`);
}

/** An answer without what differs from call to call. */
function answer(ran: Ran): Record<string, unknown> {
  const { _context: _, ...rest } = ran.json();
  return { code: ran.code, ...rest };
}

async function commitIn(world: World, clone: string): Promise<string> {
  await Deno.writeTextFile(join(clone, "work.txt"), "work\n");
  await world.git(clone, "add", ".");
  await world.git(clone, "commit", "--quiet", "-m", "Work");
  return await world.git(clone, "rev-parse", "HEAD");
}

Deno.test("a call means the ticket that is named, stood in, or in the environment", async () => {
  await using world = await withTicket();
  const ticket = ticketOf(world);
  const deep = join(ticket, "repos", "api", "src");
  await Deno.mkdir(deep);
  const named = await world.amof(["-e", "demo", "status", "-t", "PROJ-1", "--json"]);
  assertEquals(pick(named.json(), "workspace", "ticket"), "PROJ-1");
  assertEquals(
    rows(named.json(), "repos").map(({ name, branch, mode, status }) => [
      name,
      branch,
      mode,
      status,
    ]),
    [["api", "feature/PROJ-1", "RW", "OK"], ["web", "main", "RO", "OK"]],
  );
  assertEquals(
    pick(named.json(), "_context", "breadcrumb"),
    "global > demo > PROJ-1",
  );
  const expected = answer(named);
  for (
    const [args, options] of [
      [["-t", "PROJ-1", "-e", "demo", "status"], {}],
      [["status"], { cwd: ticket }],
      [["status"], { cwd: deep }],
      [["status", "-e", "demo"], { cwd: deep }],
      [["-e", "demo", "status"], { env: { AMOF_TICKET: "PROJ-1" } }],
      [["-e", "demo", "status"], { env: { AMOF_TICKET: "PROJ-1", AMOF_ECOSYSTEM: "demo" } }],
    ] as const
  ) {
    const ran = await world.amof([...args, "--json"], options);
    assertEquals(answer(ran), expected, JSON.stringify([args, options]));
  }
});

Deno.test("who stands in the base workspace is told that the environment names a ticket", async () => {
  await using world = await withTicket();
  const env = { AMOF_TICKET: "PROJ-1" };
  const told = /AMOF_TICKET is set to PROJ-1.*\n?.*unset AMOF_TICKET, or add --ticket main/;
  const said = async (args: string[], cwd: string) =>
    told.test((await world.amof(args, { cwd, env })).stderr);
  const base = world.clone("api");
  assertEquals(await said(["status", "--repo", "."], base), true);
  assertEquals(await said(["commit", "-m", "Here", "--yes"], base), true);
  assertEquals(await said(["status", "--ticket", "main"], base), false);
  assertEquals(await said(["status", "--ticket", "PROJ-1"], base), false);
  assertEquals(await said(["status"], world.control), false);
  assertEquals(await said(["status"], ticketOf(world)), false);
});

Deno.test("a call means the base workspace everywhere else", async () => {
  await using world = await withTicket();
  const ticket = ticketOf(world);
  const expected = answer(await world.amof(["-e", "demo", "status", "--json"]));
  assertEquals(rows(expected, "repos").length, 3);
  for (
    const [args, options] of [
      [["status", "--ticket", "main"], { cwd: ticket }],
      [["-e", "demo", "status"], { env: { AMOF_TICKET: "PROJ-1", AMOF_ECOSYSTEM: "shop" } }],
      [["-e", "demo", "status"], { env: { AMOF_TICKET: "main" } }],
      [["status"], { cwd: world.workspace() }],
    ] as const
  ) {
    const ran = await world.amof([...args, "--json"], options);
    assertEquals(answer(ran), expected, JSON.stringify([args, options]));
  }
  // What is not about the workspace of a ticket goes on from within one.
  const list = await world.amof(["ticket", "list", "--json"], { cwd: ticket });
  assertEquals(list.code, 0);
  assertEquals(rows(list.json(), "tickets").map((row) => row["ticket_id"]), ["PROJ-1"]);
});

Deno.test("a ticket that cannot be worked in is refused, with what there is", async () => {
  await using world = await withTicket();
  await world.amof(["-e", "demo", "ticket", "start", "HERE-1"]);
  const before = await world.fingerprint();
  const refused = async (args: readonly string[], env: Record<string, string> = {}) => {
    const ran = await world.amof(["-e", "demo", ...args, "--json"], { env });
    const { error, message, hint } = ran.json();
    return { code: ran.code, error, message, hint };
  };
  assertEquals(await refused(["status", "-t", "PROJ-2"]), {
    code: 2,
    error: "ticket_not_found",
    message: 'Cannot find the workspace of ticket "PROJ-2" in "demo"; did you mean "PROJ-1"?',
    hint: "Tickets with a workspace: PROJ-1",
  });
  assertEquals(await refused(["push", "--yes", "--ticket", "HERE-1"]), {
    code: 2,
    error: "ticket_not_found",
    message: 'Ticket "HERE-1" has no workspace of its own: it is worked on in the base workspace',
    hint:
      "Its branches are checked out there: amof push -e demo --yes\nGive it a workspace of its own: amof -e demo ticket move HERE-1 --workspace",
  });
  const unknown = await refused(["push", "--yes"], { AMOF_TICKET: "PROJ-2" });
  assertEquals([unknown.code, unknown.error], [2, "ticket_not_found"]);
  assertStringIncludes(String(unknown.message), "(from AMOF_TICKET)");
  for (const id of ["../x", "a/b", ".", "PROJ-1."]) {
    const ran = await refused(["status", `--ticket=${id}`]);
    assertEquals([ran.code, ran.error], [2, "invalid_arguments"], id);
  }
  const install = await refused(["install", "--yes", "-t", "PROJ-1"]);
  assertEquals([install.code, install.error], [2, "invalid_arguments"]);
  assertStringIncludes(String(install.hint), "leave the ticket out");
  const other = await refused(["status", "-t", "PROJ-1", "--repo", "docs"]);
  assertEquals(other.message, 'Cannot use repository "docs": ticket PROJ-1 does not have it');
  assertEquals(await world.changesSince(before), []);
  // The environment of a process that was started for a ticket in the base workspace means that.
  const here = await refused(["status"], { AMOF_TICKET: "HERE-1" });
  assertEquals(here.code, 0);
  await world.amof(["-e", "demo", "ticket", "switch", "main"]);
  assertEquals(
    (await refused(["push", "--yes", "--ticket", "HERE-1"])).hint,
    "Go to its branches there: amof -e demo ticket switch HERE-1\nThen leave out --ticket\nGive it a workspace of its own: amof -e demo ticket move HERE-1 --workspace",
  );
  // What wants a workspace leads to one, and none of it back to where the call came from.
  for (
    const args of [
      ["ticket", "env", "HERE-1"],
      ["ticket", "detach", "HERE-1", "--yes"],
      ["ticket", "start", "HERE-1", "--workspace", "--yes"],
    ]
  ) {
    const { code, hint } = await refused(args);
    assertEquals(code === 0, false, args.join(" "));
    assertStringIncludes(String(hint), "amof -e demo ticket move HERE-1 --workspace");
  }
  assertEquals((await refused(["ticket", "move", "HERE-1", "--workspace", "--yes"])).code, 0);
});

Deno.test("amof push in a ticket pushes its work alone, and is written down under it", async () => {
  await using world = await withTicket();
  const ticket = ticketOf(world);
  const api = join(ticket, "repos", "api");
  const commit = await commitIn(world, api);
  await commitIn(world, join(ticket, "repos", "web"));
  await world.commitOnFeature("docs");
  const before = await world.contents(world.workspace());
  const pushed = await world.amof(["push", "--yes", "--json"], { cwd: api });
  assertEquals(
    rows(pushed.json(), "result", "repos").map(({ name, result }) => [name, result]),
    [["api", "pushed"], ["web", "skipped"]],
  );
  assertEquals(pushed.json()["ticket"], "PROJ-1");
  const bare = join(world.remotes, "api.git");
  assertEquals(await world.git(bare, "rev-parse", "feature/PROJ-1"), commit);
  assertEquals(await world.contents(world.workspace()), before);
  const push = pick(await recordOf(ticket), "repos", "api", "last_push");
  assertEquals([pick(push, "branch"), pick(push, "commit_full")], ["feature/PROJ-1", commit]);
  const audit = await world.amof(["audit", "--tool", "push", "--json"]);
  assertEquals(rows(audit.json(), "entries").map(({ ticket }) => ticket), ["PROJ-1"]);
  const run = await world.amof(["runs", "list", "--json"]);
  assertEquals(rows(run.json(), "runs").map(({ ticket }) => ticket), ["PROJ-1", null]);
});

Deno.test("amof exec, log, diff, grep, branches, commit and path work in the ticket", async () => {
  await using world = await withTicket();
  const ticket = ticketOf(world);
  const api = join(ticket, "repos", "api");
  await Deno.writeTextFile(join(api, "README.md"), "# changed in the ticket\n");
  const lines = async (...args: string[]) => {
    const ran = await world.amof(["-e", "demo", "-t", "PROJ-1", ...args]);
    assertEquals(ran.code, 0, ran.stderr);
    return ran.stdout;
  };
  assertEquals((await lines("path")).trim(), ticket);
  assertEquals((await lines("path", "api")).trim(), api);
  assertStringIncludes(await lines("diff"), "changed in the ticket");
  assertStringIncludes(await lines("grep", "changed in"), "api");
  assertStringIncludes(await lines("branches"), "feature/PROJ-1");
  if (POSIX) {
    const ran = await lines("exec", "--shell", 'pwd; echo "$AMOF_WORKSPACE"');
    assertStringIncludes(ran, api);
    assertStringIncludes(ran, ticket);
    assertEquals(ran.includes(world.workspace() + "/repos"), false);
  }
  await lines("commit", "--message", "In the ticket", "--yes");
  assertEquals(await world.git(api, "log", "-1", "--format=%s"), "In the ticket");
  assertMatch(await lines("log"), /In the ticket/);
  // Of a ticket with a workspace, what its branches have stands there.
  assertMatch(await lines("log", "--ticket", "PROJ-1"), /In the ticket/);
  const outside = await world.amof(["-e", "demo", "log", "-t", "PROJ-1"]);
  assertMatch(outside.stdout, /In the ticket/);
});

Deno.test("a record that cannot be believed stops every call in its ticket", async () => {
  await using world = await withTicket();
  const ticket = ticketOf(world);
  const good = await recordOf(ticket);
  const said = async () => {
    const ran = await world.amof(["status", "--json"], { cwd: ticket });
    return [ran.code, ran.json()["error"], String(ran.json()["message"])] as const;
  };
  const { api } = good["repos"] as Record<string, Record<string, unknown>>;
  for (
    const [record, reason] of [
      [{ ...good, version: 2 }, "it was written by a newer amof"],
      [{ ...good, ticket_id: "PROJ-9" }, "it is that of ticket PROJ-9"],
      [{ ...good, ecosystem: "shop" }, 'it is that of another ecosystem, "shop"'],
      [
        { ...good, repos: { api: { ...api, path: "../demo/repos/api" } } },
        'the path of its repository "api" is damaged',
      ],
    ] as const
  ) {
    await writeRecord(ticket, record);
    const [code, error, message] = await said();
    assertEquals([code, error], [1, "state_corrupt"]);
    assertStringIncludes(message, reason);
  }
  await writeRecord(ticket, good);
  assertEquals((await said())[0], 0);
  if (!POSIX) return;
  // A link would make amof write into another ticket.
  const elsewhere = await makeTicket(world, "PROJ-2");
  await Deno.remove(join(ticket, ".amof"), { recursive: true });
  await Deno.symlink(join(elsewhere, ".amof"), join(ticket, ".amof"));
  const [code, error, message] = await said();
  assertEquals([code, error], [1, "state_corrupt"]);
  assertStringIncludes(message, "a link that leads out of the ticket");
  assert((await world.amof(["status"], { cwd: elsewhere })).code === 0);
});
