// Covers requests of the modern revision in one process: what each method answers, as its schema says, and how they go
// on one pipe with those of a session.

import { assert, assertEquals } from "@std/assert";
import { invalidParams, resourceNotFound } from "../../../../src/doors/mcp/features.ts";
import { pick } from "../../../support/answers.ts";
import { Revision, WITHOUT_SCHEMAS } from "../../../protocol/_schemas.ts";
import { Client, DONE, features, type Message, META } from "./_client.ts";

const LOG_LEVEL = "io.modelcontextprotocol/logLevel";
const revision = WITHOUT_SCHEMAS ? null : await Revision.load("2026-07-28");

/** Checks every message that a client got; `kinds` are the results by the ids of their requests. */
function checkAll(client: Client, kinds: Readonly<Record<string, string>> = {}): void {
  for (const message of client.messages) {
    revision?.line(JSON.stringify(message));
    const kind = kinds[String(message["id"])];
    if (kind !== undefined) revision?.check(kind, message);
    if ("result" in message) assert(typeof pick(message, "result", "resultType") === "string");
  }
}

const OFFERED = features((exchange) => {
  exchange.log("warning", "a");
  exchange.log("info", "b");
  exchange.progress(1, 2, "half");
  return Promise.resolve(DONE);
}, {
  resources: {
    list: () => Promise.resolve([{ uri: "test://a", name: "a" }]),
    templates: () => [{ uriTemplate: "test://{b}", name: "b" }],
    read: (uri) =>
      uri === "test://a"
        ? Promise.resolve({ contents: [{ uri, text: "A" }] })
        : Promise.reject(resourceNotFound(uri, "There is none")),
  },
  prompts: {
    list: () => [{ name: "p" }],
    get: (name) =>
      name === "p"
        ? Promise.resolve({ messages: [] })
        : Promise.reject(invalidParams("There is none")),
  },
  completion: { complete: () => Promise.resolve({ values: ["x"], total: 1, hasMore: false }) },
});

const METHODS: readonly (readonly [
  method: string,
  params: Message,
  kind: string,
  ttlMs: number | undefined,
])[] = [
  ["server/discover", {}, "DiscoverResultResponse", 300_000],
  ["tools/list", {}, "ListToolsResultResponse", 300_000],
  ["tools/call", { name: "t" }, "CallToolResultResponse", undefined],
  ["resources/list", {}, "ListResourcesResultResponse", 0],
  ["resources/templates/list", {}, "ListResourceTemplatesResultResponse", 300_000],
  ["resources/read", { uri: "test://a" }, "ReadResourceResultResponse", 0],
  ["prompts/list", {}, "ListPromptsResultResponse", 300_000],
  ["prompts/get", { name: "p" }, "GetPromptResultResponse", undefined],
  [
    "completion/complete",
    { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } },
    "CompleteResultResponse",
    undefined,
  ],
  ["subscriptions/listen", { notifications: { toolsListChanged: true } }, "", undefined],
];

for (const [method, params, kind, ttlMs] of METHODS) {
  Deno.test(`the first line of a process may be ${method}`, async () => {
    const client = new Client(OFFERED);
    const answer = await client.modern("a", method, params);
    assertEquals(pick(answer, "result", "resultType"), "complete", JSON.stringify(answer));
    assertEquals(pick(answer, "result", "ttlMs"), ttlMs);
    assertEquals(pick(answer, "result", "cacheScope"), ttlMs === undefined ? undefined : "private");
    const info = pick(answer, "result", "_meta", "io.modelcontextprotocol/serverInfo");
    assertEquals(pick(info, "name"), "probe");
    checkAll(client, kind === "" ? {} : { a: kind });
    await client.end();
  });
}

const REFUSED: readonly (readonly [method: string, params: Message, code: number])[] = [
  ["initialize", { protocolVersion: "2026-07-28", capabilities: {}, clientInfo: {} }, -32601],
  ["ping", {}, -32601],
  ["logging/setLevel", { level: "debug" }, -32601],
  ["resources/subscribe", { uri: "test://a" }, -32601],
  ["tasks/list", {}, -32601],
  ["__proto__", {}, -32601],
  ["", {}, -32601],
  ["tools/call", {}, -32602],
  ["tools/call", { name: "t", arguments: [] }, -32602],
  ["tools/call", { name: "t", inputResponses: null }, -32602],
  ["tools/call", { name: "t", inputResponses: [] }, -32602],
  ["tools/call", { name: "t", inputResponses: { confirm: 5 } }, -32602],
  ["tools/call", { name: "t", requestState: 5 }, -32602],
  ["tools/list", { cursor: "x" }, -32602],
  ["tools/list", { cursor: 1 }, -32602],
  ["resources/read", { uri: "test://none" }, -32602],
  ["resources/read", {}, -32602],
  ["prompts/get", { name: "none" }, -32602],
  ["prompts/get", { name: "p", arguments: { a: 1 } }, -32602],
  ["completion/complete", { ref: { type: "x" }, argument: { name: "a", value: "" } }, -32602],
  ["subscriptions/listen", {}, -32602],
];

Deno.test("what cannot be answered is refused with the code of its kind", async () => {
  const client = new Client(OFFERED);
  for (const [at, [method, params, code]] of REFUSED.entries()) {
    const answer = await client.modern(at, method, params);
    assertEquals(pick(answer, "error", "code"), code, `${method} ${JSON.stringify(params)}`);
  }
  const missing = await client.modern("missing", "resources/read", { uri: "test://none" });
  assertEquals(pick(missing, "error", "data"), { uri: "test://none" });
  // A client of a session is told the same in its own code.
  await client.hello();
  const older = await client.request("older", "resources/read", { uri: "test://none" });
  assertEquals(pick(older, "error", "code"), -32002);
  assertEquals(pick(await client.request("bare", "server/discover"), "error", "code"), -32602);
  await client.end();
});

Deno.test("what features lack is neither advertised nor served", async () => {
  const client = new Client(features(() => Promise.resolve(DONE)));
  const answer = await client.modern(1, "server/discover");
  assertEquals(pick(answer, "result", "capabilities"), { tools: {}, logging: {} });
  assertEquals(pick(answer, "result", "supportedVersions"), ["2026-07-28"]);
  for (const method of ["resources/list", "prompts/list", "completion/complete"]) {
    assertEquals(pick(await client.modern(method, method), "error", "code"), -32601);
  }
  await client.end();
});

Deno.test("both kinds of request go on one pipe, whichever came first", async () => {
  const client = new Client(OFFERED);
  await client.modern(0, "server/discover");
  // A host that asks again, because the first answer was late or unheard.
  const hello = client.request("hello", "initialize", {
    protocolVersion: "2026-07-28",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  });
  const modern = client.modern("m", "tools/list");
  assertEquals(pick(await hello, "result", "protocolVersion"), "2025-11-25");
  assertEquals(pick(await modern, "result", "resultType"), "complete");
  assertEquals(pick(await client.request("s", "tools/list"), "result", "resultType"), undefined);
  assertEquals(pick(await client.modern("n", "tools/list"), "result", "resultType"), "complete");
  assertEquals(await client.request("p", "ping"), { jsonrpc: "2.0", id: "p", result: {} });
  const twice = await client.request("again", "initialize", {});
  assertEquals(pick(twice, "error", "code"), -32600);
  await client.end();
});

Deno.test("a request of the modern revision is part of no batch", async () => {
  const client = new Client(OFFERED);
  await client.request("hello", "initialize", {
    protocolVersion: "2025-03-26",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  });
  const element = { jsonrpc: "2.0", id: "e", method: "tools/list", params: { _meta: META } };
  client.raw(`${JSON.stringify([element, { jsonrpc: "2.0", id: "f", method: "ping" }])}\n`);
  const batch = await client.wait(Array.isArray) as unknown as Message[];
  assertEquals(pick(batch.find(({ id }) => id === "e"), "error", "code"), -32600);
  assertEquals(batch.find(({ id }) => id === "f")?.["result"], {});
  await client.end();
});

for (const id of [0, "", "0", Number.MAX_SAFE_INTEGER]) {
  Deno.test(`a modern call with the id ${JSON.stringify(id)} can be cancelled and is not answered`, async () => {
    const aborted = Promise.withResolvers<void>();
    const client = new Client(features((exchange) =>
      new Promise((resolve) => {
        exchange.signal.addEventListener("abort", () => {
          exchange.progress(1, 1, "late");
          exchange.log("error", "late");
          aborted.resolve();
          resolve(DONE);
        });
      })
    ));
    const _meta = { ...META, progressToken: 1, [LOG_LEVEL]: "debug" };
    client.send({ id, method: "tools/call", params: { name: "wait", _meta } });
    client.send({ id, method: "tools/list", params: {} });
    await client.wait((message) => pick(message, "error", "message") === "The id is in use");
    client.send({ id, method: "tools/list", params: { _meta: META } });
    client.send({
      method: "notifications/cancelled",
      params: { requestId: id, _meta: META },
    });
    await aborted.promise;
    await client.end();
    // Both lists were refused, and nothing else was said.
    assertEquals(client.messages.map((message) => pick(message, "error", "code")), [
      -32600,
      -32600,
    ]);
  });
}

Deno.test("log messages come from the level that the request names, and not without one", async () => {
  const client = new Client(OFFERED);
  const heard = async (id: string, meta: Message) => {
    const before = client.messages.length;
    await client.modern(id, "tools/call", { name: "t" }, meta);
    return client.messages.slice(before).map((message) =>
      pick(message, "params", "level") ?? pick(message, "params", "progressToken") ?? "answer"
    );
  };
  assertEquals(await heard("1", {}), ["answer"]);
  assertEquals(await heard("2", { [LOG_LEVEL]: "error" }), ["answer"]);
  assertEquals(await heard("3", { [LOG_LEVEL]: "debug" }), ["warning", "info", "answer"]);
  assertEquals(await heard("4", { progressToken: 0 }), [0, "answer"]);
  checkAll(client);
  await client.end();
});

Deno.test("a subscription is acknowledged first and over at once, under the id as it came", async () => {
  for (const id of ["7", 7]) {
    const client = new Client(OFFERED);
    const notifications = { toolsListChanged: true, resourceSubscriptions: ["test://a"] };
    await client.modern(id, "subscriptions/listen", { notifications });
    const [first, last] = client.messages;
    const key = "io.modelcontextprotocol/subscriptionId";
    assertEquals(first?.["method"], "notifications/subscriptions/acknowledged");
    assertEquals(pick(first, "params"), { notifications: {}, _meta: { [key]: id } });
    assertEquals(pick(last, "result", "_meta", key), id);
    checkAll(client);
    await client.end();
  }
});

Deno.test("an answer that asks is sent as it is, with what came back handed to the tool", async () => {
  const came: unknown[] = [];
  const client = new Client(features((exchange) => {
    came.push(exchange.returning);
    return Promise.resolve(
      exchange.returning?.requestState === "s" ? DONE : {
        resultType: "input_required" as const,
        inputRequests: {
          confirm: {
            method: "elicitation/create",
            params: {
              mode: "form",
              message: "?",
              requestedSchema: { type: "object", properties: {} },
            },
          },
        },
        requestState: "s",
      },
    );
  }));
  const asked = await client.modern("a", "tools/call", { name: "t" });
  assertEquals(pick(asked, "result", "resultType"), "input_required");
  assertEquals(pick(asked, "result", "ttlMs"), undefined);
  const inputResponses = { confirm: { action: "accept", content: {} } };
  const done = await client.modern("b", "tools/call", {
    name: "t",
    requestState: "s",
    inputResponses,
  });
  assertEquals(pick(done, "result", "resultType"), "complete");
  assertEquals(came, [
    { capabilities: {}, inputResponses: null, requestState: null },
    { capabilities: {}, inputResponses, requestState: "s" },
  ]);
  checkAll(client, { a: "CallToolResultResponse", b: "CallToolResultResponse" });
  await client.end();
});

Deno.test("a defect is told in words that say nothing of it, and to whoever runs the server", async () => {
  const client = new Client(features(() => Promise.reject(new Error("secret"))));
  const answer = await client.modern(1, "tools/call", { name: "t" });
  assertEquals(answer["error"], { code: -32603, message: "Internal error" });
  assert(client.errors.includes("secret"));
  await client.end();
});

Deno.test("a process that nobody asks anything ends and says nothing", async () => {
  const client = new Client(OFFERED);
  client.send({ method: "notifications/cancelled", params: { requestId: 1, _meta: META } });
  client.send({ method: "notifications/nonsense" });
  await client.end();
  assertEquals(client.messages, []);
});
