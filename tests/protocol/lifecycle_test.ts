/**
 * How a connection begins and ends: versions, what may come before `initialize`, and every way to go.
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
import { McpClient } from "../support/mcp_client.ts";
import { World } from "../support/world.ts";
import {
  askedPush,
  callSlowly,
  codeOf,
  descendants,
  faultOf,
  gone,
  holdGit,
  holdPush,
  installed,
  lastAudit,
  processes,
  query,
  startPush,
  workerOf,
} from "./_support.ts";

const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: "first",
  method: "initialize",
  params: {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  },
});

function request(id: string, method: string, params?: unknown): string {
  return JSON.stringify({
    jsonrpc: "2.0",
    id,
    method,
    ...(params === undefined ? {} : { params }),
  });
}

Deno.test("initialize answers a known revision with itself and every other one with the newest", async () => {
  await using world = await World.make();
  const expected: Record<string, string> = {
    "2025-06-18": "2025-06-18",
    "2025-03-26": "2025-03-26",
    "2024-11-05": "2025-11-25",
    "2025-11-25": "2025-11-25",
    "2026-07-28": "2025-11-25",
    "1999-01-01": "2025-11-25",
    "nonsense": "2025-11-25",
    "": "2025-11-25",
  };
  for (const [asked, answered] of Object.entries(expected)) {
    await using client = new McpClient(world);
    const answer = await client.initialize({ version: asked });
    assertEquals(pick(answer, "result", "protocolVersion"), answered, `asked for "${asked}"`);
  }
});

Deno.test("initialize without a revision, or with what is none, is answered with the newest that is spoken", async () => {
  await using world = await World.make();
  const client = { capabilities: {}, clientInfo: { name: "a", version: "1" } };
  // The server of agentpack's tools keeps to the revisions of its specification.
  for (
    const [flags, newest] of [[[], "2025-11-25"], [
      ["--toolsets", "agentpack"],
      "2025-06-18",
    ]] as const
  ) {
    for (const version of [{}, ...[3, null, {}, []].map((each) => ({ protocolVersion: each }))]) {
      await using server = new McpClient(world, flags);
      const answer = await server.request("initialize", { ...client, ...version });
      assertEquals(
        pick(answer, "result", "protocolVersion"),
        newest,
        JSON.stringify([flags, version]),
      );
    }
  }
});

Deno.test("initialize names the server and only the capabilities it has", async () => {
  await using world = await World.make();
  await using client = new McpClient(world);
  const answer = await client.initialize();
  assertEquals(pick(answer, "result", "capabilities"), {
    completions: {},
    logging: {},
    prompts: {},
    resources: {},
    tools: {},
  });
  assertEquals(pick(answer, "result", "serverInfo", "name"), "amof");
  assertMatch(String(pick(answer, "result", "serverInfo", "version")), /^\d+\.\d+\.\d+/);
  for (
    const method of ["resources/list", "resources/templates/list", "prompts/list", "tools/list"]
  ) {
    assertEquals(codeOf(await client.request(method)), undefined, method);
  }
  for (
    const method of [
      "resources/subscribe",
      "resources/unsubscribe",
      "roots/list",
      "sampling/createMessage",
      "subscriptions/listen",
      "tasks/list",
      "tasks/get",
    ]
  ) {
    assertEquals(
      codeOf(await client.request(method, { uri: "amof://ecosystems" })),
      -32601,
      method,
    );
  }
});

Deno.test("initialize with wrong parameters is refused in one line and can be repeated", async () => {
  await using world = await World.make();
  await using client = new McpClient(world);
  const version = "2025-06-18";
  for (
    const params of [
      undefined,
      {},
      { protocolVersion: version, capabilities: {} },
      { protocolVersion: version, capabilities: 3, clientInfo: { name: "a", version: "1" } },
    ]
  ) {
    const refused = await client.request("initialize", params);
    assertEquals(codeOf(refused), -32602);
    assertNotMatch(faultOf(refused), /\n/);
  }
  assertEquals(pick(await client.initialize(), "result", "protocolVersion"), "2025-06-18");
});

Deno.test("before initialize only ping is served, and unknown methods are refused at once", async () => {
  await using world = await World.make();
  await using client = new McpClient(world);
  assertEquals(pick(await client.request("ping"), "result"), {});
  for (
    const method of [
      "tools/list",
      "tools/call",
      "resources/list",
      "prompts/get",
      "logging/setLevel",
      "completion/complete",
    ]
  ) {
    const refused = await client.request(method, { name: "amof_scope_info" });
    assertEquals(codeOf(refused), -32600, method);
    assertStringIncludes(faultOf(refused), "initialize");
  }
  for (const method of ["subscriptions/listen", "tasks/list", "nonsense", ""]) {
    assertEquals(codeOf(await client.request(method, { _meta: {} })), -32601, method);
  }
  await client.notify("notifications/cancelled", { requestId: 1 });
  await client.notify("nonsense/note");
  await client.initialize();
  assert(Array.isArray(pick(await client.request("tools/list"), "result", "tools")));
});

Deno.test("initialize a second time is refused and leaves the session as it is", async () => {
  await using world = await World.make();
  await using client = new McpClient(world);
  await client.initialize();
  const params = {
    protocolVersion: "2025-03-26",
    capabilities: {},
    clientInfo: { name: "b", version: "1" },
  };
  assertEquals(codeOf(await client.request("initialize", params)), -32600);
  const info = await client.request("tools/call", { name: "amof_scope_info" });
  assert(pick(info, "result", "structuredContent") !== undefined, "the first revision still holds");
});

Deno.test("requests sent right behind initialize are served in their order", async () => {
  await using world = await World.make();
  await using client = new McpClient(world);
  const second = INITIALIZE.replace("first", "second");
  const initialized = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });
  await client.raw(
    [INITIALIZE, second, initialized, request("list", "tools/list"), request("p", "ping"), ""].join(
      "\n",
    ),
  );
  assertEquals(codeOf(await client.answer("second")), -32600);
  assert(Array.isArray(pick(await client.answer("list"), "result", "tools")));
  await client.answer("p");
  assertEquals(
    pick(JSON.parse(client.lines[0] ?? ""), "id"),
    "first",
    "initialize is answered first",
  );
});

Deno.test("a request that came before the end of input is answered, with a newline or without", async () => {
  await using world = await World.withEcosystem();
  const lines = [
    INITIALIZE,
    request("list", "tools/list"),
    request("call", "tools/call", { name: "amof_list_ecosystems" }),
  ];
  for (const end of ["\n", ""]) {
    await using client = new McpClient(world);
    await client.raw(lines.join("\n") + end);
    assertEquals(await client.end(), { code: 0, stderr: "" });
    const answers = client.lines.map((line) => JSON.parse(line));
    assertEquals(answers.map((answer) => answer["id"]).sort(), ["call", "first", "list"]);
    const call = answers.find((answer) => answer["id"] === "call");
    assertEquals(pick(call, "result", "structuredContent", "ecosystems", 0, "name"), "demo");
  }
});

Deno.test("the end of input ends an idle server with 0 and nothing on standard error", async () => {
  await using world = await World.make();
  for (const initialize of [false, true]) {
    await using client = new McpClient(world);
    if (initialize) await client.initialize();
    else await client.request("ping");
    assertEquals(await client.end(), { code: 0, stderr: "" });
  }
});

Deno.test("the server starts without a control repository and says so per call", async () => {
  await using world = await World.make();
  await using client = new McpClient(world);
  await client.initialize();
  const answer = await client.call("amof_list_ecosystems");
  assert(answer.isError);
  assertEquals(answer.data["error"], "root_not_found");
  assertEquals((await client.end()).code, 0);
});

Deno.test("a server on a git repository that is no control repository says how one is begun there", async () => {
  await using world = await World.make();
  await world.git(world.directory, "init", "--quiet", "plain");
  await using client = new McpClient(world, ["--root", `${world.directory}/plain`]);
  await client.initialize();
  const answer = await client.call("amof_list_runs");
  assertEquals(answer.data["error"], "root_not_found");
  assertStringIncludes(
    String(answer.data["hint"]),
    'Begin one there: amof_create_ecosystem(name="NAME")',
  );
  assertEquals(answer.data["suggested_actions"], []);
});

Deno.test("the end of input ends a server with a call in flight, and the programs of that call", async () => {
  await using world = await installed();
  const status = await holdGit(world, "status");
  await using client = new McpClient(world, [], status.env);
  await client.initialize();
  const children = await callSlowly(client, status);
  assertEquals((await client.end()).code, 0);
  await gone(children);
});

Deno.test("SIGTERM ends a server with a call in flight, and the programs of that call", async () => {
  await using world = await installed();
  const status = await holdGit(world, "status");
  await using client = new McpClient(world, [], status.env);
  await client.initialize();
  const children = await callSlowly(client, status);
  client.child.kill("SIGTERM");
  assertEquals(await client.exit(), 0);
  await gone(children);
});

Deno.test("the end of input while a person is asked changes nothing and is recorded as cancelled", async () => {
  await using world = await installed();
  await world.commitOnFeature("api");
  const before = await world.fingerprint();
  await using client = new McpClient(world);
  await askedPush(client);
  assertEquals((await client.end()).code, 0);
  assertEquals(await world.fingerprint(), before);
  assertEquals(lastAudit(world)["decision"], "cancelled");
});

Deno.test("the end of input leaves the worker of a run, and nothing else", async () => {
  await using world = await installed();
  await world.commitOnFeature("api");
  const push = await holdPush(world, "api");
  await using client = new McpClient(world);
  await client.initialize();
  const runId = await startPush(client);
  await push.reached();
  const worker = await workerOf(world, runId);
  const children = await descendants(client.child.pid);
  assertEquals(
    children.some((child) => child.pid === worker),
    Deno.build.os !== "linux",
    "the worker has no parent that a host could look for",
  );
  // Programs of the worker may stand in groups of their own.
  const ofWorker = [worker, ...(await descendants(worker)).map((child) => child.pid)];
  assertEquals((await client.end()).code, 0);
  const others = children.map((child) => child.pid).filter((pid) => !ofWorker.includes(pid));
  await gone(others);
  assert((await processes()).some((process) => process.pid === worker), "the worker lives on");
  await push.release();
  await until(
    "the run ends",
    () =>
      query(world, "SELECT 1 FROM runs WHERE run_id = ? AND status = 'success'", runId).length ===
        1,
  );
  assertEquals(
    await world.git(world.clone("api"), "rev-parse", "origin/feature/T-1"),
    await world.git(world.clone("api"), "rev-parse", "HEAD"),
  );
  await gone([worker]);
});

Deno.test("SIGTERM and SIGINT end an idle server with 0", async () => {
  await using world = await World.make();
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    await using client = new McpClient(world);
    await client.initialize();
    client.child.kill(signal);
    assertEquals(await client.exit(), 0, signal);
  }
});

Deno.test("a reader that vanishes ends the server with 0 at the next answer", async () => {
  await using world = await World.make();
  await using client = new McpClient(world);
  await client.initialize();
  await client.vanish();
  // Its input stays open; the first answer may still fit into the pipe of a reader that is just going.
  for (let turn = 0; turn < 20; turn++) {
    const open = await client.raw(`${request("p", "ping")}\n`).then(
      () => true,
      () => false,
    );
    if (!open) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assertEquals(await client.exit(), 0);
});
