/**
 * Requests and what becomes of them: unknown ones, cancelled ones, progress, many at once.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import { pick, until } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { World } from "../support/world.ts";
import {
  askedPush,
  callSlowly,
  codeOf,
  faultOf,
  gone,
  holdGit,
  installed,
  lastAudit,
} from "./_support.ts";
import { connected } from "./_wire.ts";

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
      "subscriptions/listen",
      "__proto__",
      "constructor",
      "toString",
    ]
  ) {
    const answer = await client.request(method);
    assertEquals([codeOf(answer), faultOf(answer)], [-32601, "Method not found"], method);
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
  const status = await holdGit(world, "status");
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
  const question = await askedPush(client);
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

Deno.test("lists, numbers and booleans in texts are taken, and the answer says so", async () => {
  await using world = await installed();
  await using client = await connected(world);
  const listed = await client.call("amof_get_ecosystem_status", {
    ecosystem: "demo",
    repos: '["api"]',
    fetch: "",
  });
  assertEquals(listed.isError, false, listed.text);
  assertEquals((listed.data["argument_notes"] as string[]).length, 2);
  assertMatch(listed.text, /Argument repos: JSON in a text was read as a list/);
  const bare = await client.call("amof_scope_info", { random_string: "x" });
  assertEquals([bare.isError, (bare.data["argument_notes"] as string[]).length], [false, 1]);
  const refused = await client.call("amof_list_runs", { limit: "many", status: "" });
  assertEquals([refused.isError, refused.data["error"]], [true, "invalid_arguments"]);
  const usual = await client.call("amof_list_runs", { limit: 5 });
  assertEquals(usual.data["argument_notes"], undefined);
});
