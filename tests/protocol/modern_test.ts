/**
 * The gate for clients without a session (MCP-19): the form goes out with the answer, and the repeated call brings what
 * the person said, in whichever process it arrives.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ahead } from "../support/ahead.ts";
import { pick } from "../support/answers.ts";
import type { Message } from "../support/mcp_client.ts";
import { FORMS, metaOf } from "../support/modern_call.ts";
import { READING_MS } from "../support/mcp_session.ts";
import { ServerOf } from "../support/server.ts";
import { World } from "../support/world.ts";
import { commit } from "./_confirmation.ts";
import { codeOf, ModernClient, PUSH, revision, YES } from "./_modern.ts";
import { alter, lastAudit, query, runCount } from "./_support.ts";

Deno.test("a push is asked with its answer, and the repeated call carries it out, in another process too", async () => {
  await using world = await ahead();
  let requestState = "";
  {
    await using first = new ModernClient(world);
    const asked = await first.made("amof_push_ecosystem", PUSH);
    const question = pick(asked, "result", "inputRequests", "confirm");
    assertEquals(pick(question, "method"), "elicitation/create");
    assertEquals(pick(question, "params", "mode"), "form");
    assertMatch(
      String(pick(question, "params", "message")),
      /^⚠️ Push demo\?\n⚠️ .*\nWould push 1 repo\./,
    );
    assertEquals(pick(question, "params", "requestedSchema", "required"), ["confirm"]);
    requestState = String(pick(asked, "result", "requestState"));
    assertEquals([lastAudit(world)["decision"], lastAudit(world)["way"]], [
      "requested",
      "elicitation",
    ]);
    assertEquals(runCount(world), 1, "only the install ran");
  }
  await using second = new ModernClient(world);
  const done = await second.made("amof_push_ecosystem", PUSH, {
    requestState,
    inputResponses: YES,
  });
  assertEquals(codeOf(done), "ok", JSON.stringify(done));
  assertEquals([lastAudit(world)["decision"], lastAudit(world)["way"]], [
    "accepted",
    "elicitation",
  ]);
  assertEquals(runCount(world), 2);
  // Hosts send again what they did not hear the answer of.
  const again = await second.made("amof_push_ecosystem", PUSH, {
    requestState,
    inputResponses: YES,
  });
  assertEquals(codeOf(again), "confirmation_invalid");
  const led = pick(again, "result", "structuredContent", "details", "led_to");
  assertEquals(led, query(world, "SELECT run_id FROM runs WHERE action = 'push'")[0]?.["run_id"]);
  assertEquals(runCount(world), 2);
});

Deno.test("two clients that race for one state: one push", async () => {
  await using world = await ahead();
  await using one = new ModernClient(world);
  await using other = new ModernClient(world);
  const more = { requestState: await one.state(), inputResponses: YES };
  const codes = await Promise.all(
    [one, other].map(async (client) =>
      codeOf(await client.made("amof_push_ecosystem", PUSH, more))
    ),
  );
  assertEquals(codes.toSorted(), ["confirmation_invalid", "ok"]);
  assertEquals(runCount(world), 2);
});

Deno.test("a state is good for the call, the arguments and the place that it was made for, and for nothing else", async () => {
  await using world = await ahead();
  await using client = new ModernClient(world);
  const state = await client.state();
  const last = state.at(-1) === "A" ? "B" : "A";
  const token = String(
    pick(
      await client.made("amof_push_ecosystem", PUSH, {}, {}),
      "result",
      "structuredContent",
      "confirmation",
      "token",
    ),
  );
  const forged: readonly (readonly [what: string, tool: string, args: Message, state: string])[] = [
    ["changed by a character", "amof_push_ecosystem", PUSH, state.slice(0, -1) + last],
    ["cut", "amof_push_ecosystem", PUSH, state.slice(0, -1)],
    ["long", "amof_push_ecosystem", PUSH, state + "A".repeat(100_000)],
    ["of another tool", "amof_sync_ecosystem", PUSH, state],
    ["of other arguments", "amof_push_ecosystem", { ...PUSH, repos: ["api"] }, state],
    ["of no mode", "amof_push_ecosystem", { ecosystem: "demo" }, state],
    ["a token", "amof_push_ecosystem", PUSH, token],
    ["empty", "amof_push_ecosystem", PUSH, ""],
  ];
  for (const [what, tool, args, requestState] of forged) {
    const answer = await client.made(tool, args, { requestState, inputResponses: YES });
    assertEquals(codeOf(answer), -32602, what);
    assertEquals(lastAudit(world)["decision"], "confirmation_invalid", what);
  }
  // Nor is it a token: whoever reads it in a log cannot confirm by it.
  for (const args of [{ token: state }, { token: state.split(".")[1] }]) {
    const answer = await client.made("amof_confirm", { ...args, mode: "execute" }, {}, {});
    assertEquals(pick(answer, "result", "isError"), true);
  }
  assertEquals(runCount(world), 1);
  // None of that has settled anything.
  const more = { requestState: state, inputResponses: YES };
  assertEquals(codeOf(await client.made("amof_push_ecosystem", PUSH, more)), "ok");
});

const RETRIES: readonly (readonly [what: string, responses: Message, code: unknown])[] = [
  ["declined", { confirm: { action: "decline" } }, "confirmation_declined"],
  ["cancelled", { confirm: { action: "cancel" } }, "confirmation_cancelled"],
  [
    "no consent",
    { confirm: { action: "accept", content: { confirm: false } } },
    "confirmation_declined",
  ],
  [
    "a text",
    { confirm: { action: "accept", content: { confirm: "true" } } },
    "confirmation_declined",
  ],
  ["no content", { confirm: { action: "accept" } }, "confirmation_declined"],
  ["an action nobody knows", { confirm: { action: "maybe" } }, "confirmation_failed"],
  ["another question", { other: { action: "decline" } }, "input_required"],
  ["nothing", {}, "input_required"],
  ["no object", { confirm: 5 }, -32602],
];

Deno.test("what a repeated call brings: only a yes is one", async () => {
  await using world = await ahead();
  await using client = new ModernClient(world);
  for (const [what, inputResponses, code] of RETRIES) {
    const requestState = await client.state();
    // A person has read it.
    await new Promise((resolve) => setTimeout(resolve, READING_MS));
    const answer = await client.made("amof_push_ecosystem", PUSH, { requestState, inputResponses });
    assertEquals(codeOf(answer), code, what);
    if (code === "input_required") {
      assertEquals(pick(answer, "result", "requestState"), requestState, what);
    }
  }
  // Answers to what nobody asked are asked about.
  const bare = await client.made("amof_push_ecosystem", PUSH, { inputResponses: YES });
  assertEquals(codeOf(bare), "input_required");
  assertEquals(runCount(world), 1);
});

Deno.test("things that changed between the rounds are asked about again, with what changed", async () => {
  await using world = await ahead();
  await using client = new ModernClient(world);
  const requestState = await client.state();
  await commit(world, "more.txt");
  const again = await client.made("amof_push_ecosystem", PUSH, {
    requestState,
    inputResponses: YES,
  });
  const question = pick(again, "result", "inputRequests", "confirm_2", "params", "message");
  assertStringIncludes(String(question), "Things changed since you were asked:\n- ");
  const done = await client.made("amof_push_ecosystem", PUSH, {
    requestState: pick(again, "result", "requestState"),
    inputResponses: { confirm_2: YES.confirm },
  });
  assertEquals(codeOf(done), "ok", JSON.stringify(done));
});

Deno.test("without forms there is the token, whose owner is the user and not the process", async () => {
  await using world = await ahead();
  let token: unknown;
  {
    await using first = new ModernClient(world, ["--elicitation", "off"]);
    const refused = await first.made("amof_push_ecosystem", PUSH);
    assertEquals(codeOf(refused), "confirmation_required");
    token = pick(refused, "result", "structuredContent", "confirmation", "token");
    // Consenting alone is not enough: nothing says which request is meant.
    const bare = await first.made("amof_push_ecosystem", { ...PUSH, confirm: true });
    assertEquals(codeOf(bare), "confirmation_required");
  }
  await using second = new ModernClient(world, [], {});
  const done = await second.made("amof_confirm", { token, mode: "execute" });
  assertEquals(codeOf(done), "ok", JSON.stringify(done));
  assertEquals(lastAudit(world)["way"], "token");
});

Deno.test("the mode comes before the consent, and a state outlives a call that lacks it", async () => {
  await using world = await ahead();
  await using able = new ModernClient(world);
  const more = { requestState: await able.state(), inputResponses: YES };
  await using capped = new ModernClient(world, ["--max-mode", "plan"]);
  assertEquals(codeOf(await capped.made("amof_push_ecosystem", PUSH, more)), "mode_insufficient");
  await using reading = new ModernClient(world, ["--read-only"]);
  assertEquals(codeOf(await reading.made("amof_push_ecosystem", PUSH, more)), "tool_not_available");
  assertEquals(codeOf(await able.made("amof_push_ecosystem", PUSH, more)), "ok");
});

Deno.test("nothing is kept between calls: lists, places and modes are those of the start", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  await using client = new ModernClient(world);
  const list = () => client.request("tools/list", { _meta: metaOf({}) });
  const before = JSON.stringify(pick(await list(), "result", "tools"));
  assert(before.length < 24_000, `${before.length} bytes`);
  for (const name of ["amof_set_mode", "amof_switch_ecosystem", "amof_scope_back"]) {
    assert(!before.includes(`"${name}"`), name);
    const answer = await client.made(name, { mode: "execute", ecosystem: "demo" });
    assertEquals(codeOf(answer), "tool_not_available", name);
  }
  // The only ecosystem is meant, and what comes next names it.
  const described = await client.made("amof_describe_ecosystem", {});
  assertEquals(codeOf(described), "ok");
  const actions = pick(described, "result", "structuredContent", "suggested_actions") as Message[];
  for (const { args, scope } of actions) {
    if (scope === "ecosystem") assertEquals(pick(args, "ecosystem"), "demo");
  }
  const scope = await client.made("amof_scope_info", {});
  assertEquals(pick(scope, "result", "structuredContent", "ecosystem"), null);
  assertEquals(pick(scope, "result", "structuredContent", "_context", "session_id"), null);
  assertEquals(JSON.stringify(pick(await list(), "result", "tools")), before);
  // A session beside it stands where it stands.
  await client.initialize({ version: "2025-11-25" });
  await client.call("amof_switch_ecosystem", { ecosystem: "demo" });
  await client.call("amof_set_mode", { mode: "execute" });
  const still = await client.made("amof_scope_info", {});
  assertEquals(pick(still, "result", "structuredContent", "mode"), "ask");
  // Nothing was asked of the client, and no key of ours left the database.
  assert(client.lines.every((line) => !("method" in Object(JSON.parse(line)))));
  assertEquals(query(world, "SELECT count(*) AS n FROM confirmations")[0]?.["n"], 0);
});

Deno.test("over HTTP each request stands alone, too, and is asked and carried out in the same way", async () => {
  await using world = await ahead();
  await using server = await ServerOf.start(world);
  const post = async (args: Message, more: Message = {}, headers: Record<string, string> = {}) => {
    const response = await fetch(`http://127.0.0.1:${server.port}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${server.token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "amof_push_ecosystem",
        ...headers,
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          name: "amof_push_ecosystem",
          arguments: args,
          ...more,
          _meta: metaOf(FORMS),
        },
      }),
    });
    const text = await response.text();
    const answer = text.startsWith("{") ? text : /data: (.*)\n\n$/.exec(text)?.[1] ?? "";
    revision?.line(answer);
    return { status: response.status, answer: JSON.parse(answer) as Message };
  };
  const asked = await post(PUSH);
  assertEquals([asked.status, codeOf(asked.answer)], [200, "input_required"]);
  const more = {
    requestState: pick(asked.answer, "result", "requestState"),
    inputResponses: YES,
  };
  const wrong = await post(PUSH, more, { "mcp-name": "amof_sync_ecosystem" });
  assertEquals([wrong.status, codeOf(wrong.answer)], [400, -32020]);
  // Who holds the token of the server is another than who starts servers of their own.
  await using local = new ModernClient(world);
  assertEquals(codeOf(await local.made("amof_push_ecosystem", PUSH, more)), -32602);
  assertEquals(codeOf((await post(PUSH, more)).answer), "ok");
  assertEquals(codeOf((await post(PUSH, more)).answer), "confirmation_invalid");
  assertEquals(runCount(world), 2);
});

Deno.test("an answer that no person can have given is nobody's, and leaves a request for a person", async () => {
  await using world = await ahead();
  await using client = new ModernClient(world);
  for (const action of ["decline", "cancel"]) {
    const requestState = await client.state();
    const inputResponses = { confirm: { action } };
    const answer = await client.made("amof_push_ecosystem", PUSH, { requestState, inputResponses });
    assertEquals(codeOf(answer), "confirmation_required", action);
    const data = pick(answer, "result", "structuredContent");
    assertMatch(String(pick(data, "confirmation", "approval", "command")), /^amof approve /);
    const { decision, way } = lastAudit(world);
    assertEquals([decision, way], ["requested", "human"], action);
  }
});

Deno.test("where only a person counts the client is sent to the page in which they decide", async () => {
  await using world = await ahead();
  await using _server = await ServerOf.start(world);
  const capabilities = { elicitation: { form: {}, url: {} } };
  await using client = new ModernClient(world, ["--confirm", "human"], capabilities);
  const asked = async () => {
    const answer = await client.made("amof_push_ecosystem", PUSH);
    assertEquals(codeOf(answer), "input_required", JSON.stringify(answer));
    return answer;
  };
  const first = await asked();
  const question = pick(first, "result", "inputRequests", "page_1");
  assertEquals(pick(question, "params", "mode"), "url");
  assertMatch(
    String(pick(question, "params", "url")),
    /^http:\/\/localhost:\d+\/approvals\/[0-9a-f]+$/,
  );
  const requestState = pick(first, "result", "requestState");
  const retried = (action: string) =>
    client.made("amof_push_ecosystem", PUSH, {
      requestState,
      inputResponses: { page_1: { action } },
    });
  // Whoever did not open it is told in words where it waits.
  const unopened = await retried("cancel");
  assertEquals(codeOf(unopened), "approval_pending");
  assertEquals(runCount(world), 1);
  const [row] = query(world, "SELECT id FROM approvals");
  alter(
    world,
    "UPDATE approvals SET decision = 'approved', decided_by = 'test' WHERE id = ?",
    String(row?.["id"]),
  );
  assertEquals(codeOf(await retried("accept")), "ok");
  assertEquals([lastAudit(world)["decision"], lastAudit(world)["way"]], ["accepted", "human"]);
  assertEquals(codeOf(await retried("accept")), "confirmation_invalid");
  assertEquals(runCount(world), 2);
});
