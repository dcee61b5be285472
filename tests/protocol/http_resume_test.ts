// Covers streams of MCP over HTTP that clients come back for (MCP-13): one that brings nothing more ends at once.

import { assert, assertEquals, assertRejects } from "@std/assert";
// The SDK's export map hides the types of its `.js` paths from Deno; the comments point at them.
// @ts-types="npm:@modelcontextprotocol/sdk@1.32.2/client"
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
// @ts-types="npm:@modelcontextprotocol/sdk@1.32.2/client/streamableHttp"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "npm:@modelcontextprotocol/sdk@1.32.2/shared/transport";
import { until } from "../support/answers.ts";
import { ServerOf } from "../support/server.ts";
import { World } from "../support/world.ts";
import { BOTH, events, HttpClient, resumed } from "./_http.ts";

/** Calls that fail, after each of which the official client comes back for a stream that is over. */
const CALLS = 50;
/** Connections that a client may keep for its next requests. */
const KEPT = 6;

async function descriptorsOf(server: ServerOf): Promise<number> {
  return (await Array.fromAsync(Deno.readDir(`/proc/${server.pid}/fd`))).length;
}

Deno.test({
  name: "the official client leaves no stream open behind calls that fail",
  ignore: Deno.build.os !== "linux", // it counts descriptors
  async fn() {
    await using world = await World.withEcosystem({ repos: [] });
    await using server = await ServerOf.start(world);
    const resumes: number[] = [];
    const transport = new StreamableHTTPClientTransport(
      new URL(`http://127.0.0.1:${server.port}/mcp`),
      {
        requestInit: { headers: { authorization: `Bearer ${server.token}` } },
        reconnectionOptions: {
          initialReconnectionDelay: 1,
          maxReconnectionDelay: 1,
          reconnectionDelayGrowFactor: 1,
          maxRetries: 1,
        },
        fetch: async (url, init) => {
          const response = await fetch(url, init);
          if (new Headers(init?.headers).has("last-event-id")) resumes.push(response.status);
          return response;
        },
      },
    );
    const client = new Client({ name: "test", version: "1" });
    // The SDK's own types contradict each other where members may be undefined.
    await client.connect(transport as Transport);
    try {
      await client.ping();
      const before = await descriptorsOf(server);
      for (let call = 0; call < CALLS; call++) {
        await assertRejects(() => client.callTool({ name: "amof_none_such", arguments: {} }));
      }
      await until("the client comes back", () => resumes.length >= CALLS);
      await until("no stream stays", async () => await descriptorsOf(server) <= before + KEPT);
      assertEquals(new Set(resumes), new Set([204]));
      await client.ping();
    } finally {
      await client.close();
    }
  },
});

Deno.test("a stream whose request was cancelled ends at once when a client comes back for it", async () => {
  await using world = await World.installed({ repos: [] });
  await using server = await ServerOf.start(world);
  const client = new HttpClient(server);
  await client.initialize({ elicitation: {} });
  const asked = await server.beginning(
    "/mcp",
    { accept: BOTH, "content-type": "application/json", "mcp-session-id": client.session },
    "elicitation/create",
    {
      jsonrpc: "2.0",
      id: "discard",
      method: "tools/call",
      params: { name: "amof_discard_ecosystem", arguments: { ecosystem: "demo", mode: "execute" } },
    },
  );
  const [question] = events(asked);
  const { status } = await client.post({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: "discard" },
  });
  assertEquals(status, 202);
  // What the server sends of the cancellation still belongs to the stream.
  const rest = await resumed(client, question?.id);
  assert([200, 204].includes(rest.status), rest.body);
  assert(await world.exists("control/worktrees/demo"));
});
