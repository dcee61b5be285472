// The server core in one process, with features made for the purpose: what the engine behind it gets wrong,
// and what only shows when a feature misbehaves.

import { assertEquals } from "@std/assert";
import { resourceNotFound } from "../../../../src/doors/mcp/features.ts";
import { PAGE_SIZE } from "../../../../src/doors/mcp/pages.ts";
import type { CallToolResult } from "../../../../src/doors/mcp/sdk.ts";
import { Client, DONE, features, type Message } from "./_client.ts";

for (const id of [0, "", 7, "seven"]) {
  Deno.test(`a call with the id ${JSON.stringify(id)} can be cancelled and is not answered`, async () => {
    const aborted = Promise.withResolvers<void>();
    const client = await new Client(features((exchange) =>
      new Promise((resolve) => {
        exchange.signal.addEventListener("abort", () => {
          aborted.resolve();
          resolve(DONE);
        });
      })
    )).hello();
    client.send({ id, method: "tools/call", params: { name: "wait" } });
    client.send({ method: "notifications/cancelled", params: { requestId: id } });
    await aborted.promise;
    assertEquals((await client.request("after", "ping"))["result"], {});
    // The id is free again, which it is not while a request is open.
    assertEquals((await client.request(id, "ping"))["result"], {});
    await client.end();
    assertEquals(client.messages.filter((message) => message["id"] === id).length, 1);
    assertEquals(client.errors, "");
  });
}

Deno.test("ids that differ only in type are different calls", async () => {
  const waiting: (() => void)[] = [];
  const client = await new Client(features((exchange) =>
    new Promise((resolve) => {
      waiting.push(() => resolve(DONE));
      exchange.signal.addEventListener("abort", () => resolve(DONE));
    })
  )).hello();
  client.send({ id: 1, method: "tools/call", params: { name: "wait" } });
  client.send({ id: "1", method: "tools/call", params: { name: "wait" } });
  client.send({ method: "notifications/cancelled", params: { requestId: "1" } });
  await client.request("after", "ping");
  for (const finish of waiting) finish();
  await client.wait((message) => message["id"] === 1);
  await client.end();
  assertEquals(client.messages.filter((message) => message["id"] === "1"), []);
});

Deno.test("cancelling what is not open is passed over, and initialize cannot be cancelled", async () => {
  const client = new Client(features(() => Promise.resolve(DONE)));
  client.send({
    id: "hello",
    method: "initialize",
    params: {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "test", version: "1" },
    },
  });
  client.send({ method: "notifications/cancelled", params: { requestId: "hello" } });
  client.send({ method: "notifications/cancelled", params: { requestId: 99 } });
  client.send({ method: "notifications/cancelled", params: {} });
  await client.wait((message) => message["id"] === "hello" && "result" in message);
  await client.end();
  assertEquals(client.errors, "");
});

Deno.test("progress that does not rise is not sent, and none comes after the answer", async () => {
  let late = () => {};
  const client = await new Client(features((exchange) => {
    for (const done of [1, 1, 0, 3, 2, 3, 4]) exchange.progress(done, 4, `step ${done}`);
    late = () => exchange.progress(5, 5, "late");
    return Promise.resolve(DONE);
  })).hello();
  await client.request(1, "tools/call", { name: "work", _meta: { progressToken: "t" } });
  late();
  await client.request(2, "tools/call", { name: "work" });
  await client.end();
  const told = client.told("notifications/progress");
  assertEquals(told.map((params) => params["progress"]), [1, 3, 4]);
  assertEquals(new Set(told.map((params) => params["progressToken"])), new Set(["t"]));
});

Deno.test("log messages come from the level that was set; before that only what is wrong", async () => {
  const client = await new Client(features((exchange) => {
    for (const level of ["debug", "info", "warning", "error", "emergency"] as const) {
      exchange.log(level, level);
    }
    return Promise.resolve(DONE);
  })).hello();
  const heard = async (id: number) => {
    const before = client.told("notifications/message").length;
    await client.request(id, "tools/call", { name: "talk" });
    return client.told("notifications/message").slice(before).map((params) => params["level"]);
  };
  assertEquals(await heard(1), ["warning", "error", "emergency"]);
  await client.request(2, "logging/setLevel", { level: "debug" });
  assertEquals(await heard(3), ["debug", "info", "warning", "error", "emergency"]);
  await client.request(4, "logging/setLevel", { level: "critical" });
  assertEquals(await heard(5), ["emergency"]);
  const wrong = await client.request(6, "logging/setLevel", { level: "loud" });
  assertEquals((wrong["error"] as Message)["code"], -32602);
  assertEquals(await heard(7), ["emergency"]);
  await client.end();
});

Deno.test("an answer that comes with the end of input counts, and nothing is said about it twice", async () => {
  const client = await new Client(features(async (exchange) => {
    const answer = await exchange.elicit?.({
      message: "?",
      requestedSchema: { type: "object", properties: {}, required: [] },
    }, { timeout: 60_000, signal: exchange.signal });
    const text = JSON.stringify(answer);
    return { content: [{ type: "text", text }] };
  })).hello({ elicitation: {} });
  client.send({ id: "call", method: "tools/call", params: { name: "ask" } });
  const question = await client.wait((message) => message["method"] === "elicitation/create");
  client.send({ id: question["id"], result: { action: "accept", content: {} } });
  await client.end();
  const answer = client.messages.find((message) => message["id"] === "call");
  const text = '{"action":"accept","content":{}}';
  assertEquals((answer?.["result"] as CallToolResult).content, [{ type: "text", text }]);
  assertEquals(client.errors, "");
});

Deno.test("a question that nobody can answer any more is settled, whether asked before or after the end of input", async () => {
  const ended = Promise.withResolvers<void>();
  const client: Client = await new Client(features(async (exchange) => {
    // The second call asks only when the input has ended.
    if (client.told("elicitation/create").length > 0) await ended.promise;
    const outcome = await exchange.elicit?.({
      message: "?",
      requestedSchema: { type: "object", properties: {}, required: [] },
    }, { timeout: 60_000, signal: exchange.signal });
    return { content: [{ type: "text", text: JSON.stringify(outcome) }] };
  })).hello({ elicitation: {} });
  client.send({ id: "before", method: "tools/call", params: { name: "ask" } });
  await client.wait((message) => message["method"] === "elicitation/create");
  client.send({ id: "behind", method: "tools/call", params: { name: "ask" } });
  const end = client.end();
  await client.wait((message) => message["id"] === "before");
  ended.resolve();
  await end;
  for (const id of ["before", "behind"]) {
    const answer = client.messages.find((message) => message["id"] === id);
    const text = '{"failed":"gone"}';
    assertEquals((answer?.["result"] as CallToolResult).content, [{ type: "text", text }], id);
  }
  assertEquals(client.errors, "");
});

Deno.test("long lists come in pages, and a cursor of nobody is refused", async () => {
  const uris = Array.from({ length: PAGE_SIZE * 2 + 3 }, (_, index) => `test://${index}`);
  const client = await new Client(features(() => Promise.resolve(DONE), {
    resources: {
      list: () => Promise.resolve(uris.map((uri) => ({ uri, name: uri }))),
      templates: () => [],
      read: (uri) => Promise.reject(resourceNotFound(uri, "There is none")),
    },
  })).hello();
  const seen: string[] = [];
  let cursor: unknown;
  for (let id = 0; id === 0 || cursor !== undefined; id++) {
    const answer = await client.request(
      id,
      "resources/list",
      cursor === undefined ? {} : { cursor },
    );
    const result = answer["result"] as { resources: { uri: string }[]; nextCursor?: string };
    seen.push(...result.resources.map((resource) => resource.uri));
    // Items that disappear between two pages neither hide nor repeat others.
    if (id === 0) uris.splice(3, 1);
    cursor = result.nextCursor;
  }
  assertEquals([...new Set(seen)].length, seen.length);
  assertEquals(seen.length, PAGE_SIZE * 2 + 3);
  for (const method of ["resources/list", "resources/templates/list", "tools/list"]) {
    const refused = await client.request(`bad ${method}`, method, { cursor: "nonsense" });
    assertEquals((refused["error"] as Message)["code"], -32602, method);
  }
  const absent = await client.request("read", "resources/read", { uri: "test://none" });
  assertEquals(absent["error"], {
    code: -32002,
    message: "There is none",
    data: { uri: "test://none" },
  });
  await client.end();
});

Deno.test("what is not offered is neither advertised nor served", async () => {
  const client = new Client(features(() => Promise.resolve(DONE)));
  const hello = await client.request("hello", "initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  });
  assertEquals((hello["result"] as Message)["capabilities"], { tools: {}, logging: {} });
  for (
    const [method, params] of [
      ["resources/list", {}],
      ["prompts/list", {}],
      ["completion/complete", {
        ref: { type: "ref/prompt", name: "x" },
        argument: { name: "a", value: "" },
      }],
    ] as const
  ) {
    const refused = await client.request(method, method, params);
    assertEquals((refused["error"] as Message)["code"], -32601, method);
  }
  await client.end();
});
