/**
 * Batches: 2025-03-26 has them, 2025-06-18 does not.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { pick, until } from "../support/answers.ts";
import { McpClient, type Message } from "../support/mcp_client.ts";
import { World } from "../support/world.ts";
import { codeOf, descendants, holdGit, installed } from "./_support.ts";
import { connected, PING } from "./_wire.ts";

/** A batch of answers as a map from id to answer. */
async function batchOf(client: McpClient): Promise<Map<unknown, Message>> {
  const batch = await client.wait((message) => Array.isArray(message)) as unknown as Message[];
  return new Map(batch.map((answer) => [answer["id"], answer]));
}

Deno.test("2025-06-18 has no batches: each is refused with one answer", async () => {
  await using world = await World.make();
  await using client = await connected(world);
  for (
    const batch of [
      `[${PING}]`,
      "[]",
      "[1]",
      '[{"jsonrpc":"2.0","method":"notifications/initialized"}]',
    ]
  ) {
    await client.raw(`${batch}\n`);
    assertEquals(codeOf(await client.answer(null)), -32600, batch);
  }
  await client.request("ping");
  assertEquals(client.lines.length, 6);
});

Deno.test("2025-03-26 has batches: one array answers every request in it", async () => {
  await using world = await World.make();
  await using client = await connected(world, "2025-03-26");
  await client.send([
    { jsonrpc: "2.0", id: 1, method: "ping" },
    { jsonrpc: "2.0", id: "1", method: "tools/list" },
    { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "unknown" } },
    { jsonrpc: "2.0", id: "call", method: "tools/call", params: { name: "amof_scope_info" } },
    { jsonrpc: "2.0", id: "none", method: "nonsense" },
    {
      jsonrpc: "2.0",
      id: "again",
      method: "initialize",
      params: {
        protocolVersion: "2025-03-26",
        capabilities: {},
        clientInfo: { name: "a", version: "1" },
      },
    },
    { jsonrpc: "2.0", id: "bad", method: "tools/call" },
  ]);
  const answers = await batchOf(client);
  assertEquals(answers.size, 6);
  assertEquals(pick(answers.get(1), "result"), {});
  assert(Array.isArray(pick(answers.get("1"), "result", "tools")));
  assert(Array.isArray(pick(answers.get("call"), "result", "content")));
  assertEquals(codeOf(answers.get("none") ?? {}), -32601);
  assertEquals(codeOf(answers.get("again") ?? {}), -32600);
  assertEquals(codeOf(answers.get("bad") ?? {}), -32602);
  assertEquals(client.lines.length, 2, "one line for the batch");
});

Deno.test("2025-03-26: a batch of notifications gets no answer, an empty one and rubbish do", async () => {
  await using world = await World.make();
  await using client = await connected(world, "2025-03-26");
  await client.send([{ jsonrpc: "2.0", method: "notifications/initialized" }, {
    jsonrpc: "2.0",
    method: "nonsense",
  }]);
  await client.request("ping");
  assertEquals(client.lines.length, 2);
  await client.raw("[]\n");
  assertEquals(codeOf(await client.answer(null)), -32600);
  await client.raw("[1,2]\n");
  const rubbish = await client.wait((message) => Array.isArray(message)) as unknown as Message[];
  assertEquals(rubbish.map((answer) => [answer["id"], codeOf(answer)]), [[null, -32600], [
    null,
    -32600,
  ]]);
});

Deno.test("2025-03-26: ids that are used twice in a batch are refused the second time", async () => {
  await using world = await World.make();
  await using client = await connected(world, "2025-03-26");
  await client.send([{ jsonrpc: "2.0", id: "a", method: "ping" }, {
    jsonrpc: "2.0",
    id: "a",
    method: "ping",
  }]);
  const batch = await client.wait((message) => Array.isArray(message)) as unknown as Message[];
  assertEquals(batch.map((answer) => codeOf(answer)).sort(), [-32600, undefined]);
});

Deno.test("2025-03-26: a huge batch is refused as a whole", async () => {
  await using world = await World.make();
  await using client = await connected(world, "2025-03-26");
  const pings = (count: number) =>
    Array.from({ length: count }, (_, id) => ({ jsonrpc: "2.0", id, method: "ping" }));
  await client.send(pings(100));
  assertEquals((await batchOf(client)).size, 100);
  for (const count of [101, 20_000]) {
    await client.send(pings(count));
    assertEquals(codeOf(await client.answer(null)), -32600);
  }
  assertEquals(client.lines.length, 4);
});

Deno.test("2025-03-26: what is cancelled in a batch is left out of its answer", async () => {
  await using world = await installed();
  const status = await holdGit(world, "status");
  await using client = new McpClient(world, [], status.env);
  await client.initialize({ version: "2025-03-26" });
  const call = {
    jsonrpc: "2.0",
    id: "slow",
    method: "tools/call",
    params: { name: "amof_get_ecosystem_status", arguments: { ecosystem: "demo" } },
  };
  const cancel = {
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: "slow" },
  };
  await client.send([call, { jsonrpc: "2.0", id: "p", method: "ping" }, cancel]);
  assertEquals([...(await batchOf(client)).keys()], ["p"]);
  // All of it cancelled: no answer at all.
  await client.send([call, cancel]);
  // Cancelled from outside while the rest waits for it.
  await client.send([call, { jsonrpc: "2.0", id: "q", method: "ping" }]);
  await until(
    "the call works",
    async () =>
      (await descendants(client.child.pid)).some((child) => child.command.includes("sleep 60")),
  );
  await client.send(cancel);
  assertEquals([...(await batchOf(client)).keys()], ["q"]);
  await client.request("ping");
  assertEquals(client.lines.length, 4);
});
