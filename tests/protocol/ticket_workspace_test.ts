/**
 * Tickets with workspaces of their own, as a model meets them.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { pick, rows } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { World } from "../support/world.ts";

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
});
