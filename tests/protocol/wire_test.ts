/**
 * Every malformed line gets the answer that the specification asks for, and the server lives on.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { pick } from "../support/answers.ts";
import { lineProblem, McpClient } from "../support/mcp_client.ts";
import { World } from "../support/world.ts";
import { callSlowly, codeOf, faultOf, holdGit, installed } from "./_support.ts";
import { connected, PING } from "./_wire.ts";

Deno.test("lineProblem() finds what is no JSON-RPC message", () => {
  for (
    const line of [
      "",
      "listening …",
      '"text"',
      "null",
      "[]",
      "{}",
      '{"id":1,"result":{}}',
      '{"jsonrpc":"2.0","id":1}',
      '{"jsonrpc":"2.0","id":null,"result":{}}',
      '{"jsonrpc":"2.0","id":1.5,"result":{}}',
      '{"jsonrpc":"2.0","id":1,"result":[]}',
      '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}',
      '{"jsonrpc":"2.0","id":1,"error":{"message":""}}',
      '{"jsonrpc":"2.0","id":1,"method":5}',
      '[{"jsonrpc":"2.0","id":1,"result":{}},1]',
    ]
  ) assert(lineProblem(line) !== null, line);
  for (
    const line of [
      '{"jsonrpc":"2.0","id":1,"result":{}}',
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}',
      '{"jsonrpc":"2.0","method":"notifications/message"}',
      '{"jsonrpc":"2.0","id":"a","method":"elicitation/create","params":{}}',
      '[{"jsonrpc":"2.0","id":1,"result":{}}]',
    ]
  ) assertEquals(lineProblem(line), null, line);
});

Deno.test("blank lines, carriage returns, byte order marks and pieces of lines are no obstacle", async () => {
  await using world = await World.make();
  await using client = await connected(world);
  await client.raw("\n\r\n   \n\t\n");
  await client.raw(`\ufeff${PING}\r\n`);
  await client.answer("p");
  await client.raw(`  ${PING}  \n`);
  await client.answer("p");
  for (const piece of [PING.slice(0, 5), PING.slice(5, 20), PING.slice(20), "\n"]) {
    await client.raw(piece);
  }
  await client.answer("p");
  await client.raw(
    `${PING.replace('"p"', "1")}\n${PING.replace('"p"', "2")}\n${PING.replace('"p"', "3")}\n`,
  );
  for (const id of [1, 2, 3]) await client.answer(id);
  assertEquals(client.lines.length, 1 + 3 + 3);
});

Deno.test("what is no JSON is answered with -32700 and no id, also at the end of input", async () => {
  await using world = await World.make();
  await using client = await connected(world);
  for (
    const line of [
      "{",
      '{"jsonrpc":"2.0","id":7,"method":',
      "nonsense",
      '{"a":1}{"b":2}',
      "\u0000",
      "'text'",
    ]
  ) {
    await client.raw(`${line}\n`);
    assertEquals(codeOf(await client.answer(null)), -32700, line);
  }
  await client.raw('{"jsonrpc":"2.0","id":8,"meth');
  const { code } = await client.end();
  assertEquals(code, 0);
  assertEquals(codeOf(await client.answer(null)), -32700);
});

Deno.test("JSON that is no request is answered with -32600", async () => {
  await using world = await World.make();
  await using client = await connected(world);
  for (
    const line of [
      '"text"',
      "5",
      "true",
      "null",
      "{}",
      '{"jsonrpc":"2.0"}',
      '{"id":null,"method":"ping"}',
      '{"jsonrpc":"2.0","id":null,"method":"ping"}',
      '{"jsonrpc":"2.0","id":{},"method":"ping"}',
      '{"jsonrpc":"2.0","id":true,"method":"ping"}',
      '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
      '{"jsonrpc":"2.0","id":1e400,"method":"ping"}',
      '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}',
    ]
  ) {
    await client.raw(`${line}\n`);
    assertEquals(codeOf(await client.answer(null)), -32600, line);
  }
  for (
    const line of [
      '{"id":"x","method":"ping"}',
      '{"jsonrpc":"1.0","id":"x","method":"ping"}',
      '{"jsonrpc":2.0,"id":"x","method":"ping"}',
      '{"jsonrpc":"2.0","id":"x"}',
      '{"jsonrpc":"2.0","id":"x","method":5}',
      '{"jsonrpc":"2.0","id":"x","method":null}',
    ]
  ) {
    await client.raw(`${line}\n`);
    assertEquals(codeOf(await client.answer("x")), -32600, line);
  }
  await client.request("ping");
});

Deno.test("parameters that are no object are refused, null counts as none", async () => {
  await using world = await World.make();
  await using client = await connected(world);
  for (const params of [[], [1], "text", 5, false]) {
    assertEquals(codeOf(await client.request("ping", params)), -32602, JSON.stringify(params));
  }
  assertEquals(pick(await client.request("ping", null), "result"), {});
  assertEquals(pick(await client.request("ping", {}), "result"), {});
});

Deno.test("ids come back as they were, texts as texts and numbers as numbers", async () => {
  await using world = await World.make();
  await using client = await connected(world);
  for (const id of ["a", "", "1", 1, 0, -5, 2 ** 53 - 1, "ü\u2028\u0000"]) {
    await client.send({ jsonrpc: "2.0", id, method: "ping" });
    assertEquals(await client.answer(id), { jsonrpc: "2.0", id, result: {} });
  }
});

Deno.test("an id that is in use is refused", async () => {
  await using world = await installed();
  const status = await holdGit(world, "status");
  await using client = new McpClient(world, [], status.env);
  await client.initialize();
  await callSlowly(client, status);
  await client.send({ jsonrpc: "2.0", id: "slow", method: "ping" });
  assertEquals(codeOf(await client.answer("slow")), -32600);
  await client.end();
});

Deno.test("an answer nobody waits for is passed over", async () => {
  await using world = await World.make();
  await using client = await connected(world);
  for (
    const line of [
      '{"jsonrpc":"2.0","id":99,"result":{}}',
      '{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"no"}}',
      '{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"no"}}',
      '{"jsonrpc":"2.0","id":98,"result":5}',
      '{"jsonrpc":"2.0","id":97,"error":"no"}',
    ]
  ) await client.raw(`${line}\n`);
  await client.request("ping");
  assertEquals(client.lines.length, 2);
});

Deno.test("a message of more than 10 MiB is refused and the server lives on", async () => {
  await using world = await World.make();
  await using client = await connected(world);
  const limit = 10 * 1024 * 1024;
  const message = (bytes: number) => {
    const empty = '{"jsonrpc":"2.0","id":"big","method":"ping","params":{"a":""}}';
    return empty.replace('""', `"${"x".repeat(bytes - empty.length)}"`);
  };
  await client.raw(`${message(limit)}\n`);
  assertEquals(pick(await client.answer("big"), "result"), {}, "exactly 10 MiB are fine");
  for (const size of [limit + 1, 3 * limit]) {
    await client.raw(`${message(size)}\n`);
    const refused = await client.answer(null);
    assertEquals(codeOf(refused), -32600);
    assertStringIncludes(faultOf(refused), String(limit));
  }
  assertEquals(pick(await client.request("ping"), "result"), {});
});
