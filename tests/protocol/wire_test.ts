/**
 * Whatever bytes a client sends: every request gets one answer, nothing else is written, the server lives on.
 *
 * @module
 */

import {
  assert,
  assertEquals,
  assertMatch,
  assertNotMatch,
  assertStringIncludes,
} from "@std/assert";
import { pick, until } from "../support/answers.ts";
import { lineProblem, McpClient, type Message } from "../support/mcp_client.ts";
import { World } from "../support/world.ts";
import {
  callSlowly,
  codeOf,
  descendants,
  faultOf,
  gone,
  holdStatus,
  installed,
  lastAudit,
} from "./_support.ts";

const PING = '{"jsonrpc":"2.0","id":"p","method":"ping"}';

async function connected(world: World, version = "2025-06-18"): Promise<McpClient> {
  const client = new McpClient(world);
  await client.initialize({ version });
  return client;
}

/** A batch of answers as a map from id to answer. */
async function batchOf(client: McpClient): Promise<Map<unknown, Message>> {
  const batch = await client.wait((message) => Array.isArray(message)) as unknown as Message[];
  return new Map(batch.map((answer) => [answer["id"], answer]));
}

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

Deno.test("a line that is no UTF-8 is refused and changes into nothing else", async () => {
  await using world = await World.make();
  await using client = await connected(world);
  const encoder = new TextEncoder();
  const line = encoder.encode(
    '{"jsonrpc":"2.0","id":"u","method":"tools/call","params":{"name":"amof_?"}}\n',
  );
  line[line.indexOf(63)] = 0xff;
  await client.bytes(line);
  assertEquals(codeOf(await client.answer(null)), -32700);
  await client.request("ping");
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

Deno.test("parameters of the wrong form are refused in one line, never with silence", async () => {
  await using world = await World.make();
  await using client = await connected(world);
  const wrong: [string, unknown][] = [
    ["ping", { _meta: "text" }],
    ["nonsense", { _meta: 5 }],
    ["tools/list", { cursor: 5 }],
    ["tools/list", { _meta: { progressToken: {} } }],
    ["tools/call", { name: "amof_scope_info", _meta: { progressToken: 1.5 } }],
    ["tools/call", { name: "amof_scope_info", _meta: [] }],
  ];
  for (const [method, params] of wrong) {
    const refused = await client.request(method, params);
    assertEquals(codeOf(refused), -32602, `${method} ${JSON.stringify(params)}`);
    assertNotMatch(faultOf(refused), /\n/);
  }
});

Deno.test("members the protocol does not know are passed over", async () => {
  await using world = await World.make();
  await using client = await connected(world);
  for (const extra of ['"extra":true', '"result":{}', '"error":{"code":1,"message":""}']) {
    await client.raw(`{"jsonrpc":"2.0","id":"e","method":"ping",${extra}}\n`);
    assertEquals(pick(await client.answer("e"), "result"), {}, extra);
  }
  assert(
    Array.isArray(
      pick(
        await client.request("tools/list", { later: 1, _meta: { "a/b": 1 } }),
        "result",
        "tools",
      ),
    ),
  );
  const call = await client.request("tools/call", { name: "amof_scope_info", task: { ttl: 1000 } });
  assert(pick(call, "result", "content") !== undefined, "a task is a thing of later revisions");
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
  const status = await holdStatus(world);
  await using client = new McpClient(world, [], status.env);
  await client.initialize();
  await callSlowly(client, status);
  await client.send({ jsonrpc: "2.0", id: "slow", method: "ping" });
  assertEquals(codeOf(await client.answer("slow")), -32600);
  await client.end();
});

Deno.test("a notification is never answered, whatever is wrong with it", async () => {
  await using world = await World.make();
  await using client = await connected(world);
  for (
    const line of [
      '{"jsonrpc":"2.0","method":"ping"}',
      '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"nonsense"}}',
      '{"jsonrpc":"2.0","method":"tools/call"}',
      '{"jsonrpc":"2.0","method":"nonsense","params":[]}',
      '{"jsonrpc":"2.0","method":"notifications/cancelled"}',
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"unknown"}}',
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}',
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    ]
  ) await client.raw(`${line}\n`);
  await client.request("ping");
  assertEquals(client.lines.length, 2);
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

Deno.test("arguments of any depth and width get an answer", async () => {
  await using world = await World.withEcosystem();
  await using client = await connected(world);
  const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
  const wide = JSON.stringify(Array.from({ length: 50_000 }, (_, index) => `r${index}`));
  for (const value of [deep, wide, `{"__proto__":${deep}}`]) {
    for (
      const name of ["amof_push_ecosystem", "amof_get_ecosystem_status", "amof_create_ecosystem"]
    ) {
      await client.raw(
        `{"jsonrpc":"2.0","id":"d","method":"tools/call","params":{"name":"${name}","arguments":{"ecosystem":"demo","mode":"plan","repos":${value}}}}\n`,
      );
      assertEquals(pick(await client.answer("d"), "result", "isError"), true, name);
    }
  }
  assertEquals(pick(await client.request("ping"), "result"), {});
});

Deno.test("an unknown method is answered with -32601", async () => {
  await using world = await World.make();
  await using client = await connected(world);
  for (
    const method of [
      "nonsense",
      "tools/nonsense",
      "server/discover",
      "__proto__",
      "constructor",
      "toString",
    ]
  ) {
    assertEquals(codeOf(await client.request(method)), -32601, method);
  }
});

Deno.test("tools/call of an unknown tool is answered with -32602 and the nearest name", async () => {
  await using world = await World.make();
  await using client = await connected(world);
  const near = await client.request("tools/call", { name: "amof_push_ecosytem", arguments: {} });
  assertEquals(codeOf(near), -32602);
  assertEquals(
    faultOf(near),
    "Unknown tool: amof_push_ecosytem; did you mean amof_push_ecosystem?",
  );
  for (
    const name of [
      "",
      "nonsense",
      "__proto__",
      "constructor",
      "a\nb\u001b[31m",
      "x".repeat(100_000),
    ]
  ) {
    const refused = await client.request("tools/call", { name });
    assertEquals(codeOf(refused), -32602);
    assertMatch(faultOf(refused), /^Unknown tool: [^\p{Cc}]{0,200}$/u);
  }
});

Deno.test("tools/call without a usable name or arguments is answered with -32602 in one line", async () => {
  await using world = await World.make();
  await using client = await connected(world);
  for (
    const params of [undefined, {}, { name: null }, { name: 5 }, { name: ["amof_scope_info"] }, {
      arguments: {},
    }]
  ) {
    const refused = await client.request("tools/call", params);
    assertEquals(codeOf(refused), -32602, JSON.stringify(params));
    assertMatch(faultOf(refused), /^[^\n]*"name"[^\n]*$/);
  }
  for (const args of [[], "text", 5, true]) {
    const refused = await client.request("tools/call", {
      name: "amof_scope_info",
      arguments: args,
    });
    assertEquals(codeOf(refused), -32602, JSON.stringify(args));
    assertMatch(faultOf(refused), /^[^\n]*"arguments"[^\n]*$/);
  }
  for (const args of [null, undefined]) {
    const served = await client.request("tools/call", { name: "amof_scope_info", arguments: args });
    assert(pick(served, "result", "content") !== undefined);
  }
});

Deno.test("a cancelled call is never answered, and its programs end", async () => {
  await using world = await installed();
  const status = await holdStatus(world);
  await using client = new McpClient(world, [], status.env);
  await client.initialize();
  const children = await callSlowly(client, status);
  await client.notify("notifications/cancelled", { requestId: "slow", reason: "enough" });
  await gone(children);
  await client.request("ping");
  assertEquals(client.lines.filter((line) => line.includes("slow")), []);
  await status.release();
  assert(
    !(await client.call("amof_get_ecosystem_status", { ecosystem: "demo" })).isError,
    "the server works on",
  );
});

Deno.test("a call that is cancelled while a person is asked changes nothing and is recorded", async () => {
  await using world = await installed();
  await world.commitOnFeature("api");
  const before = await world.fingerprint();
  await using client = new McpClient(world);
  await client.initialize({ capabilities: { elicitation: {} } });
  await client.send({
    jsonrpc: "2.0",
    id: "push",
    method: "tools/call",
    params: { name: "amof_push_ecosystem", arguments: { ecosystem: "demo", mode: "execute" } },
  });
  const question = await client.asked("elicitation/create");
  await client.notify("notifications/cancelled", { requestId: "push" });
  await until("the cancellation is recorded", () => lastAudit(world)["decision"] === "cancelled");
  // A late consent must not revive it.
  await client.respond(question, { action: "accept", content: { confirm: true } });
  await client.request("ping");
  assertEquals(
    client.lines.filter((line) => line.includes('"push"') && line.includes("result")),
    [],
  );
  assertEquals(await world.fingerprint(), before);
});

Deno.test("progress is reported only with a token, rises, and stops with the answer", async () => {
  await using world = await World.withEcosystem();
  await using client = await connected(world);
  const create = (name: string, meta?: unknown) =>
    client.request("tools/call", {
      name: "amof_create_ecosystem",
      arguments: { name, mode: "execute" },
      ...(meta === undefined ? {} : { _meta: meta }),
    });
  await create("quiet");
  assertEquals(client.lines.length, 2);
  for (const [name, progressToken] of [["one", "text"], ["two", 0]] as const) {
    const before = client.lines.length;
    const answer = await create(name, { progressToken });
    const told = client.lines.slice(before).map((line) => JSON.parse(line));
    assertEquals(told.at(-1), answer, "nothing comes after the answer");
    const steps = told.slice(0, -1);
    assert(steps.length > 0);
    assertEquals(
      steps.filter((step) =>
        step.method !== "notifications/progress" || step.params.progressToken !== progressToken
      ),
      [],
    );
    const values = steps.map((step) => step.params.progress);
    assertEquals(values, [...new Set(values)].sort((a, b) => a - b));
    assertEquals(values.at(-1), steps.at(-1)?.params.total);
  }
});

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
  const status = await holdStatus(world);
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

Deno.test("200 calls at once, and 500 in ten lanes, are all answered without an error", async () => {
  await using world = await World.withEcosystem();
  await using client = await connected(world);
  const names = [
    "amof_scope_info",
    "amof_list_ecosystems",
    "amof_describe_ecosystem",
    "amof_get_active_runs",
  ];
  const call = (index: number) =>
    client.call(names[index % names.length] ?? "", index % 4 === 2 ? { ecosystem: "demo" } : {});
  const answers = await Promise.all(Array.from({ length: 200 }, (_, index) => call(index)));
  assertEquals(answers.filter((answer) => answer.isError), []);
  let next = 0;
  let errors = 0;
  const lane = async () => {
    while (next < 500) errors += (await call(next++)).isError ? 1 : 0;
  };
  await Promise.all(Array.from({ length: 10 }, lane));
  assertEquals(errors, 0);
});
