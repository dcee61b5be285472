// Covers MCP over HTTP (MCP-13): sessions, streams, forms, what is taken up again, and what is refused.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { pick, rows } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { ServerOf } from "../support/server.ts";
import { World } from "../support/world.ts";
import { BOTH, events, HttpClient, resumed } from "./_http.ts";

Deno.test("MCP over HTTP says what it says over standard input and output", async (t) => {
  await using world = await World.installed({ repos: ["api"] });
  await using server = await ServerOf.start(world);
  const client = new HttpClient(server);

  await t.step("handshake, tools, resources and answers are the same", async () => {
    await using other = new McpClient(world);
    const told = await other.initialize();
    const { result } = await client.initialize();
    assertEquals(result, pick(told, "result"));
    for (
      const method of ["tools/list", "prompts/list", "resources/list", "resources/templates/list"]
    ) {
      const [here, there] = [await client.request(method), await other.request(method)];
      assertEquals(here["result"], there["result"], method);
    }
    const call = { name: "amof_get_ecosystem_status", arguments: { ecosystem: "demo" } };
    const [here, there] = [
      await client.request("tools/call", call),
      await other.request("tools/call", call),
    ];
    assertEquals(
      pick(here, "result", "structuredContent", "repos"),
      pick(there, "result", "structuredContent", "repos"),
    );
    assertEquals(
      (await client.request("no/such"))["error"],
      (await other.request("no/such"))["error"],
    );
  });

  await t.step("sessions are apart", async () => {
    const other = new HttpClient(server);
    await other.initialize();
    const mode = async (who: HttpClient, name: string, args = {}) =>
      pick(
        await who.request("tools/call", { name, arguments: args }),
        "result",
        "structuredContent",
        "_context",
        "mode",
      );
    await mode(other, "amof_set_mode", { mode: "execute" });
    assertEquals(await mode(other, "amof_scope_info"), "execute");
    assertEquals(await mode(client, "amof_scope_info"), "ask");
    const { status } = await other.post("", { method: "DELETE" });
    assertEquals(status, 200);
    assertEquals((await other.post({ jsonrpc: "2.0", id: 1, method: "ping" })).status, 404);
    assertEquals((await client.request("ping"))["result"], {});
  });

  await t.step("a message that is not known begins no stream", async () => {
    assertEquals((await resumed(client, "made-up_1")).status, 400);
  });

  await t.step("a change needs consent, by a token as ever", async () => {
    const answer = await client.request("tools/call", {
      name: "amof_create_journal",
      arguments: { ecosystem: "demo", title: "Note" },
    });
    assertEquals(pick(answer, "result", "structuredContent", "error"), "mode_insufficient");
    const asked = await client.request("tools/call", {
      name: "amof_discard_ecosystem",
      arguments: { ecosystem: "demo", mode: "execute" },
    });
    assertEquals(pick(asked, "result", "structuredContent", "error"), "confirmation_required");
    assert(await world.exists("control/worktrees/demo"));
  });

  await t.step(
    "a stream that broke is taken up again behind its last event, with nothing else in it",
    async () => {
      const { body } = await client.post({
        jsonrpc: "2.0",
        id: "sync",
        method: "tools/call",
        params: {
          name: "amof_get_ecosystem_status",
          arguments: { ecosystem: "demo" },
          _meta: { progressToken: "p" },
        },
      });
      const seen = events(body);
      const answer = seen.at(-1);
      assert(seen.length > 1, "it tells how far it is");
      assertEquals(answer?.message["id"], "sync");
      const again = await resumed(client, seen[0]?.id);
      assertEquals(again.status, 200);
      assertEquals(events(again.body).map(({ id }) => id), seen.slice(1).map(({ id }) => id));
      const nothing = await resumed(client, answer?.id);
      assertEquals([nothing.status, nothing.body], [204, ""]);
    },
  );
});

Deno.test("MCP over HTTP shows forms on the stream of the call they belong to", async () => {
  await using world = await World.installed({ repos: [] });
  await using server = await ServerOf.start(world);
  const client = new HttpClient(server);
  await client.initialize({ elicitation: {} });
  const pending = server.beginning(
    "/mcp",
    {
      accept: BOTH,
      "content-type": "application/json",
      "mcp-session-id": client.session,
    },
    "elicitation/create",
    {
      jsonrpc: "2.0",
      id: 7,
      method: "tools/call",
      params: { name: "amof_discard_ecosystem", arguments: { ecosystem: "demo", mode: "execute" } },
    },
  );
  const [question] = events(await pending);
  assertEquals(question?.message["method"], "elicitation/create");
  assertStringIncludes(JSON.stringify(question?.message), "demo");
  const { status } = await client.post({
    jsonrpc: "2.0",
    id: question?.message["id"],
    result: { action: "decline" },
  });
  assertEquals(status, 202);
  assert(await world.exists("control/worktrees/demo"));
});

Deno.test("MCP over HTTP refuses what is no request of a session, and goes on", async (t) => {
  await using world = await World.withEcosystem({ repos: [] });
  await using server = await ServerOf.start(world);
  const client = new HttpClient(server);
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };

  await t.step("before and without a session", async () => {
    assertEquals((await client.post(ping)).status, 400);
    assertEquals((await client.post(ping, { headers: { "mcp-session-id": "x" } })).status, 404);
    assertEquals((await client.post("", { method: "PUT" })).status, 405);
    assertEquals((await client.post("{no json")).status, 400);
    assertEquals((await client.post(ping, { token: null })).status, 401);
    assertEquals((await client.post(ping, { origin: "https://attacker.example" })).status, 403);
    assertEquals((await client.post(ping, { host: "attacker.example" })).status, 403);
  });
  await client.initialize();

  await t.step("in a session", async () => {
    for (
      const [message, headers, status] of [
        ["[]", {}, 400],
        [[ping], {}, 400],
        [{ jsonrpc: "1.0", id: 1, method: "ping" }, {}, 400],
        ["null", {}, 400],
        [ping, { accept: "application/json" }, 406],
        [ping, { "content-type": "text/plain" }, 415],
        [ping, { "mcp-protocol-version": "1999-01-01" }, 400],
      ] as const
    ) {
      const answer = await client.post(message, { headers });
      assertEquals(answer.status, status, `${JSON.stringify(message)} ${JSON.stringify(headers)}`);
    }
  });

  await t.step("10 MiB at once", async () => {
    const text = " ".repeat(10 * 1024 * 1024);
    const answer = await client.post(text).catch(() => null);
    // The connection may break while the rest is still being sent.
    if (answer !== null) assertEquals(answer.status, 413);
  });

  assertEquals((await client.request("ping"))["result"], {});
  assertEquals(rows(await client.request("tools/list"), "result", "tools").length, 40);
});
