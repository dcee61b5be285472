/**
 * Tickets with workspaces of their own, as a model meets them.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { pick, rows } from "../support/answers.ts";
import { join } from "@std/path";
import { McpClient } from "../support/mcp_client.ts";
import { Typist } from "../support/terminal.ts";
import { makeTicket } from "../support/ticket_workspace.ts";
import { World } from "../support/world.ts";
import { requestIn } from "./_support.ts";

Deno.test("amof_ticket_start makes a workspace of its own, a worker where mirrors come first, and amof_ticket_switch goes there", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await using client = new McpClient(world, ["--mode", "execute", "--ecosystem", "demo"]);
  await client.initialize();
  const first = await client.call("amof_ticket_start", { ticket_id: "T-1", workspace: true });
  assert(!first.isError, first.text);
  assertEquals(first.data["status"], "queued");
  const ended = await client.finished(String(first.data["run_id"]));
  assertEquals(ended["status"], "success", JSON.stringify(ended));

  const second = await client.call("amof_ticket_start", {
    ticket_id: "T-2",
    workspace: true,
    repos: ["api"],
    context: "none",
  });
  assert(!second.isError, second.text);
  assertEquals(second.data["workspace"], "worktrees/demo@T-2");
  assertEquals(pick(second.data, "env", "AMOF_PORT_BASE"), "20020");

  const base = await client.call("amof_get_ecosystem_status", {});
  assertEquals(rows(base.data, "tickets").map(({ ticket_id }) => ticket_id), ["T-1", "T-2"]);
  assertStringIncludes(base.text, "Ticket T-2 · worktrees/demo@T-2 · 1 repo · started");

  const gone = await client.call("amof_ticket_switch", { ticket_id: "T-2" });
  assert(!gone.isError, gone.text);
  assertEquals(pick(gone.data, "_context", "breadcrumb"), "global > demo > T-2");
  const there = await client.call("amof_get_ecosystem_status", {});
  assertEquals(pick(there.data, "workspace", "ticket"), "T-2");
  assertEquals(rows(there.data, "repos").map(({ name, role }) => [name, role]), [["api", "work"]]);

  await client.call("amof_ticket_switch", { ticket_id: "main" });
  const back = await client.call("amof_get_ecosystem_status", {});
  assertEquals(pick(back.data, "workspace", "ticket"), undefined);

  // The run that ended a ticket leads back to what is left, and not into the workspace that is gone.
  const asked = await client.call("amof_ticket_end", { ticket_id: "T-2" });
  const over = await client.call("amof_confirm", { token: requestIn(asked).token });
  assert(!over.isError, over.text);
  const run = await client.call("amof_get_run_status", { run_id: over.data["run_id"] });
  const [home] = rows(run.data, "suggested_actions").filter(({ id }) => id === "back_to_ecosystem");
  const left = await client.call(
    String(home?.["tool"]),
    pick(home, "args") as Record<string, unknown>,
  );
  assert(!left.isError, left.text);
});

Deno.test("the argument ticket of a server that is bound to none goes before the place of the session", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await makeTicket(world, "T-1", { repos: ["api"] });
  await makeTicket(world, "T-2", { repos: ["web"] });
  await using client = new McpClient(world, ["--mode", "execute", "--ecosystem", "demo"]);
  await client.initialize();
  const seen = async (args: Record<string, unknown>) => {
    const { data } = await client.call("amof_get_ecosystem_status", args);
    return data["error"] ?? [
      pick(data, "workspace", "ticket") ?? null,
      rows(data, "repos").map(({ name }) => name),
    ];
  };
  assertEquals(await seen({}), [null, ["api", "web"]]);
  assertEquals(await seen({ ticket: "T-1" }), ["T-1", ["api"]]);
  // It is about one call: the session stays where it is.
  assertEquals(await seen({}), [null, ["api", "web"]]);
  await client.call("amof_ticket_switch", { ticket_id: "T-2" });
  assertEquals(await seen({}), ["T-2", ["web"]]);
  assertEquals(await seen({ ticket: "T-1" }), ["T-1", ["api"]]);
  assertEquals(await seen({ ticket: "main" }), [null, ["api", "web"]]);
  assertEquals(await seen({ ticket: "T-9" }), "ticket_not_found");
});

Deno.test({
  name: "--confirm human in a ticket: what a person approves is done there, and nowhere else",
  ignore: Deno.build.os === "windows", // terminals
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    const clone = join(await makeTicket(world, "T-1"), "repos", "api");
    await Deno.writeTextFile(join(clone, "work.txt"), "work\n");
    await world.git(clone, "add", ".");
    await world.git(clone, "commit", "--quiet", "-m", "Work");
    const commit = await world.git(clone, "rev-parse", "HEAD");
    const before = await world.contents(world.workspace());
    const flags = ["--mode", "execute", "--ecosystem", "demo", "--confirm", "human"];
    await using client = new McpClient(world, flags);
    await client.initialize();
    const asked = await client.call("amof_push_ecosystem", { ticket: "T-1" });
    const { token, approval } = requestIn(asked);
    const early = await client.call("amof_confirm", { token });
    assertEquals(early.data["error"], "approval_pending", early.text);
    const typist = await Typist.start(world, ["approve", String(pick(approval, "id"))]);
    await typist.sees("? [y/N] ");
    await typist.types("y\n");
    await typist.ends();
    const run = await client.call("amof_confirm", { token });
    const ended = await client.finished(String(run.data["run_id"]));
    assertEquals(ended["status"], "success", JSON.stringify(ended));
    const remote = join(world.remotes, "api.git");
    assertEquals(await world.git(remote, "rev-parse", "feature/T-1"), commit);
    assertEquals(await world.contents(world.workspace()), before);
  },
});
