// Covers what clients of MCP over HTTP may do without harm (MCP-13): hold connections, read nothing, go away.

import { assert, assertEquals } from "@std/assert";
import { pick } from "../support/answers.ts";
import { requestText, RudeClients } from "../support/rude_clients.ts";
import { ServerOf } from "../support/server.ts";
import { World } from "../support/world.ts";
import { BOTH, events, HttpClient } from "./_http.ts";

Deno.test("clients of MCP over HTTP that hold connections, read nothing or go away do no harm", async (t) => {
  await using world = await World.installed({ repos: ["api"] });
  await using server = await ServerOf.start(world);
  const client = new HttpClient(server);
  await client.initialize();
  const isAlive = async () => {
    assertEquals((await client.request("ping"))["result"], {});
    const { status } = await server.ask("/api/v1/health", { token: null });
    assertEquals(status, 200);
    const other = new HttpClient(server);
    await other.initialize();
    assertEquals((await other.post("", { method: "DELETE" })).status, 200);
  };
  const headers = {
    accept: BOTH,
    "content-type": "application/json",
    "mcp-session-id": client.session,
  };
  const list = (id: number) =>
    requestText(server, {
      method: "POST",
      path: "/mcp",
      headers,
      body: JSON.stringify({ jsonrpc: "2.0", id: `list ${id}`, method: "tools/list" }),
    });

  await t.step("500 connections that say nothing, or half a request", async () => {
    using idle = new RudeClients();
    const whole = list(0);
    await idle.open(server, 500, (n) => ["", whole.slice(0, 40), whole.slice(0, -5)][n % 3] ?? "");
    await isAlive();
  });
  await isAlive();

  await t.step("readers of streams that take nothing of them", async () => {
    using slow = new RudeClients();
    // 5 connections, each with 100 answers of 24 kB that nobody takes.
    await slow.open(
      server,
      5,
      (n) => Array.from({ length: 100 }, (_, at) => list(1000 * n + at)).join(""),
    );
    for (let turn = 0; turn < 5; turn++) await isAlive();
  });
  await isAlive();

  await t.step("streams that wait for what the server says, and are never read", async () => {
    using waiting = new RudeClients();
    const sessions = await Promise.all(Array.from({ length: 20 }, async () => {
      const one = new HttpClient(server);
      await one.initialize();
      return one;
    }));
    await waiting.open(server, sessions.length, (n) =>
      requestText(server, {
        method: "GET",
        path: "/mcp",
        headers: { accept: BOTH, "mcp-session-id": sessions[n]?.session ?? "" },
      }));
    await isAlive();
  });

  await t.step(
    "a client that goes away in the middle finds its answer when it comes back",
    async () => {
      const seen = events(
        await server.beginning("/mcp", headers, "notifications/progress", {
          jsonrpc: "2.0",
          id: "gone",
          method: "tools/call",
          params: {
            name: "amof_get_ecosystem_status",
            arguments: { ecosystem: "demo" },
            _meta: { progressToken: "p" },
          },
        }),
      );
      assert(seen.length > 0);
      await isAlive();
      const again = await server.beginning("/mcp", {
        accept: BOTH,
        "mcp-session-id": client.session,
        "last-event-id": seen[0]?.id ?? "",
      }, `"id":"gone"`);
      const answer = events(again).at(-1)?.message;
      assertEquals(pick(answer, "result", "structuredContent", "_context", "ecosystem"), "demo");
    },
  );

  await t.step("clients that go away again and again, in the middle of a request", async () => {
    for (let turn = 0; turn < 10; turn++) {
      using gone = new RudeClients();
      const whole = list(turn);
      await gone.open(server, 20, (n) => n % 2 === 0 ? whole : whole.slice(0, -10));
    }
    await isAlive();
  });
});
