/**
 * Confirmation by a form that the client shows to its person (MCP-5).
 *
 * The form in which a name must be typed is in `spin_test.ts`.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ahead } from "../support/ahead.ts";
import { exists, pick, rows, until } from "../support/answers.ts";
import { McpClient, type Message, type ToolAnswer } from "../support/mcp_client.ts";
import type { World } from "../support/world.ts";
import { lastAudit, query, requestIn, runCount } from "./_support.ts";

const PUSH = { ecosystem: "demo", mode: "execute" };

async function connected(world: World, elicitation: unknown = {}): Promise<McpClient> {
  const client = new McpClient(world);
  await client.initialize({ capabilities: { elicitation } });
  return client;
}

/** Calls for a push, hands the question to `reply`, and answers what the tool then said. */
async function pushed(
  client: McpClient,
  reply: (question: Message) => Promise<void>,
): Promise<ToolAnswer> {
  const call = client.call("amof_push_ecosystem", PUSH);
  await reply(await client.asked("elicitation/create"));
  return await call;
}

function elicited(client: McpClient): number {
  return client.lines.filter((line) => line.includes("elicitation/create")).length;
}

Deno.test("a mutation asks with one required switch and says what will happen", async () => {
  await using world = await ahead();
  await using client = await connected(world);
  const call = client.call("amof_push_ecosystem", PUSH);
  const question = await client.asked("elicitation/create");
  const schema = pick(question, "params", "requestedSchema");
  assertEquals([pick(schema, "type"), pick(schema, "required")], ["object", ["confirm"]]);
  assertEquals(Object.keys(pick(schema, "properties") ?? {}), ["confirm"]);
  const field = pick(schema, "properties", "confirm");
  assertEquals(pick(field, "type"), "boolean");
  assert(String(pick(field, "title")).length > 0 && String(pick(field, "description")).length > 0);
  assert(pick(field, "default") !== true, "consent is never filled in");
  const message = String(pick(question, "params", "message"));
  const [first = "", details = "", last = ""] = message.split("\n\n");
  // Some hosts show three lines.
  const [heading, irreversible = "", summary] = first.split("\n");
  assertEquals(heading, "⚠️ Push demo?");
  assertMatch(irreversible, /^⚠️ .*a revert leaves them in the history/);
  assertEquals(summary, "Would push 1 repo.");
  assertMatch(details, /^api {2}feature\/T-1 → origin {2}\(1 commit ahead, new branch\)/);
  assertEquals(last, "Proceed with push?");
  // Others can be served while a person thinks.
  assertEquals(
    (await client.call("amof_scope_info")).data["pending_confirmations"],
    [],
    "a question makes no token",
  );
  await client.respond(question, { action: "decline" });
  await call;
});

Deno.test("accept with confirm=true runs the call", async () => {
  await using world = await ahead();
  await using client = await connected(world);
  const answer = await pushed(
    client,
    (question) => client.respond(question, { action: "accept", content: { confirm: true } }),
  );
  assert(!answer.isError, answer.text);
  const runId = String(answer.data["run_id"]);
  assertEquals((await client.finished(runId))["status"], "success");
  assertEquals(elicited(client), 1);
  const [audit] = query(world, "SELECT * FROM audit WHERE run_id = ?", runId);
  assertEquals([audit?.["decision"], audit?.["way"], audit?.["client"]], [
    "accepted",
    "elicitation",
    "test/1.0.0",
  ]);
});

/** What a client may answer that is no consent, and how it is recorded. */
const REFUSALS:
  readonly (readonly [string, (client: McpClient, question: Message) => Promise<void>, string])[] =
    [
      [
        "accept with confirm=false",
        (client, question) =>
          client.respond(question, { action: "accept", content: { confirm: false } }),
        "declined",
      ],
      [
        "accept without content",
        (client, question) => client.respond(question, { action: "accept" }),
        "declined",
      ],
      [
        "accept with empty content",
        (client, question) => client.respond(question, { action: "accept", content: {} }),
        "declined",
      ],
      [
        "accept with a text",
        (client, question) =>
          client.respond(question, { action: "accept", content: { confirm: "true" } }),
        "declined",
      ],
      [
        "accept with a number",
        (client, question) =>
          client.respond(question, { action: "accept", content: { confirm: 1 } }),
        "declined",
      ],
      [
        "accept with another member",
        (client, question) =>
          client.respond(question, { action: "accept", content: { yes: true } }),
        "declined",
      ],
      [
        "decline",
        (client, question) => client.respond(question, { action: "decline" }),
        "declined",
      ],
      [
        "decline with consent inside",
        (client, question) =>
          client.respond(question, { action: "decline", content: { confirm: true } }),
        "declined",
      ],
      ["cancel", (client, question) => client.respond(question, { action: "cancel" }), "cancelled"],
      [
        "an unknown action",
        (client, question) =>
          client.respond(question, { action: "agree", content: { confirm: true } }),
        "ask_failed",
      ],
      ["an empty result", (client, question) => client.respond(question, {}), "ask_failed"],
      [
        "a result that is no object",
        (client, question) => client.send({ jsonrpc: "2.0", id: question["id"], result: true }),
        "ask_failed",
      ],
      [
        "an error",
        (client, question) => client.refuse(question, -32603, "the window broke"),
        "ask_failed",
      ],
      [
        "an error that is no object",
        (client, question) => client.send({ jsonrpc: "2.0", id: question["id"], error: "no" }),
        "ask_failed",
      ],
      [
        "an error that says timeout",
        (client, question) => client.refuse(question, -32001, "nobody came"),
        "timed_out",
      ],
    ];

/** Four outcomes are four codes, and say so. */
const CODES: Readonly<Record<string, string>> = {
  declined: "confirmation_declined",
  cancelled: "confirmation_cancelled",
  timed_out: "confirmation_timed_out",
  ask_failed: "confirmation_failed",
};
const SAID: Readonly<Record<string, RegExp>> = {
  declined: /^❌ Push of demo declined by user; nothing was changed$/,
  cancelled: /^❌ Push of demo cancelled by user; nothing was changed$/,
  timed_out: /^❌ Push of demo not confirmed in time; nothing was changed$/,
  ask_failed: /^❌ Push of demo not confirmed: the client could not ask; nothing was changed$/,
};

Deno.test("every answer but a consent changes nothing and is recorded", async () => {
  await using world = await ahead();
  await using client = await connected(world);
  const before = await world.fingerprint();
  const runs = runCount(world);
  for (const [what, reply, decision] of REFUSALS) {
    const answer = await pushed(client, (question) => reply(client, question));
    assertEquals([answer.isError, answer.data["error"]], [true, CODES[decision]], what);
    assertMatch(String(answer.data["message"]), SAID[decision] ?? /never/, what);
    assertEquals([pick(answer.data, "details", "decision"), pick(answer.data, "details", "way")], [
      decision,
      "elicitation",
    ], what);
    assertEquals(answer.data["confirmation"], undefined, `${what}: a refusal hands out no token`);
    const audit = lastAudit(world);
    assertEquals([audit["decision"], audit["way"], audit["outcome"], audit["run_id"]], [
      decision,
      "elicitation",
      CODES[decision],
      null,
    ], what);
  }
  assertEquals(runCount(world), runs);
  assertEquals(await world.fingerprint(), before);
  assertEquals(elicited(client), REFUSALS.length);
});

Deno.test("accepted, declined, cancelled, timed out and unsupported are five different records", async () => {
  await using world = await ahead();
  await using client = await connected(world);
  const replies: ((question: Message) => Promise<void>)[] = [
    (question) => client.respond(question, { action: "decline" }),
    (question) => client.respond(question, { action: "cancel" }),
    (question) => client.refuse(question, -32001, "nobody came"),
    (question) => client.refuse(question, -32601, "Method not found"),
    (question) => client.respond(question, { action: "accept", content: { confirm: true } }),
  ];
  const decisions: unknown[] = [];
  let last: ToolAnswer | null = null;
  for (const reply of replies) {
    last = await pushed(client, reply);
    decisions.push(lastAudit(world)["decision"]);
  }
  assertEquals(decisions, ["declined", "cancelled", "timed_out", "unsupported", "accepted"]);
  await client.finished(String(last?.data["run_id"]));
});

for (const code of [-32601, -32602]) {
  Deno.test(`a client that cannot show forms after all gets a token: it answers with ${code}`, async () => {
    await using world = await ahead();
    await using client = await connected(world);
    const answer = await pushed(client, (question) => client.refuse(question, code, "No forms"));
    assertEquals(answer.data["error"], "confirmation_required");
    const { token } = requestIn(answer);
    // It is not asked again.
    const started = await client.call("amof_confirm", { token, mode: "execute" });
    assert(!started.isError, started.text);
    assertEquals((await client.finished(String(started.data["run_id"])))["status"], "success");
  });
}

Deno.test("which clients are asked: those that declare forms from 2025-06-18 on, and no others", async () => {
  await using world = await ahead();
  const cases: readonly (readonly [Record<string, unknown>, string, boolean])[] = [
    [{ elicitation: {} }, "2025-06-18", true],
    [{ elicitation: { form: {} } }, "2025-11-25", true],
    [{ elicitation: {} }, "2025-11-25", true],
    [{ elicitation: { url: {} } }, "2025-11-25", false],
    [{ elicitation: { form: {}, url: {} } }, "2025-06-18", true],
    [{ elicitation: { url: {} } }, "2025-06-18", false],
    [{ sampling: {}, roots: {} }, "2025-06-18", false],
    [{ elicitation: {} }, "2025-03-26", false],
  ];
  for (const [capabilities, version, asked] of cases) {
    await using client = new McpClient(world);
    await client.initialize({ capabilities, version });
    const call = client.request("tools/call", { name: "amof_push_ecosystem", arguments: PUSH });
    if (asked) {
      const question = await client.asked("elicitation/create");
      // Clients of the revision before know of one kind of form only.
      const mode = version === "2025-11-25" ? "form" : undefined;
      assertEquals(pick(question, "params", "mode"), mode);
      // No client counts up to it: some take any answer to a number for that of their own call.
      assertMatch(String(question["id"]), /^amof-\d+$/);
      await client.respond(question, { action: "decline" });
    }
    const text = String(pick(await call, "result", "content", 0, "text"));
    assertEquals(text.includes("amof_confirm("), !asked, JSON.stringify([capabilities, version]));
    assertEquals(elicited(client), asked ? 1 : 0);
  }
});

Deno.test("what needs no confirmation, or is only previewed, asks nobody", async () => {
  await using world = await ahead();
  await using client = await connected(world);
  for (const args of [{ mode: "ask" }, { mode: "plan" }, { mode: "execute", dry_run: true }]) {
    await client.call("amof_push_ecosystem", { ...PUSH, ...args });
  }
  const created = await client.call("amof_create_ecosystem", { name: "fresh", mode: "execute" });
  assert(!created.isError && await exists(`${world.control}/ecosystems/fresh`));
  assertEquals(elicited(client), 0);
});

Deno.test("confirm=true does not answer the question for the person", async () => {
  await using world = await ahead();
  await using client = await connected(world);
  const call = client.call("amof_push_ecosystem", { ...PUSH, confirm: true });
  await client.respond(await client.asked("elicitation/create"), { action: "decline" });
  assertEquals((await call).data["error"], "confirmation_declined");
});

Deno.test("a clone that changes while the question is open makes the consent stale", async () => {
  await using world = await ahead();
  await using client = await connected(world);
  const runs = runCount(world);
  const answer = await pushed(client, async (question) => {
    const clone = world.clone("api");
    await Deno.writeTextFile(`${clone}/later.txt`, "more\n");
    await world.git(clone, "add", ".");
    await world.git(clone, "commit", "--quiet", "-m", "Add more");
    await client.respond(question, { action: "accept", content: { confirm: true } });
  });
  assertEquals([answer.isError, answer.data["error"]], [true, "confirmation_stale"]);
  assertStringIncludes(
    JSON.stringify(pick(answer.data, "details", "changed")),
    '{"path":"repos[api].ahead","before":1,"after":2}',
  );
  assertEquals(runCount(world), runs);
  assertEquals(lastAudit(world)["decision"], "confirmation_stale");
  assertEquals(
    rows(answer.data["confirmation"], "preview", "repos")[0]?.["ahead"],
    2,
    "a fresh request comes along",
  );
});

/** Makes a request whose preview the person behind the client has not seen; answers its token. */
async function unseen(world: World, client: McpClient, tool: string): Promise<string> {
  const call = client.call(tool, PUSH);
  const question = await client.asked("elicitation/create");
  await Deno.writeTextFile(`${world.clone("api")}/${crypto.randomUUID()}`, "more\n");
  await world.git(world.clone("api"), "add", ".");
  await world.git(world.clone("api"), "commit", "--quiet", "-m", "Add more");
  const name = tool === "amof_discard_ecosystem" ? { name: "demo" } : { confirm: true };
  await client.respond(question, { action: "accept", content: name });
  const answer = await call;
  assertEquals(answer.data["error"], "confirmation_stale");
  return requestIn(answer).token;
}

/** How a client may answer, what then comes of the call, and whether the token is still good. */
const ANSWERS: readonly (readonly [unknown, string, boolean])[] = [
  [{ action: "decline" }, "confirmation_declined", false],
  [{ action: "cancel" }, "confirmation_cancelled", false],
  [{ action: "accept", content: { confirm: false } }, "confirmation_declined", false],
  [{ action: "perhaps" }, "confirmation_failed", true],
];

for (const [reply, code, alive] of ANSWERS) {
  Deno.test(`a token asks the person where there are forms: ${JSON.stringify(reply)}`, async () => {
    await using world = await ahead();
    await using client = await connected(world);
    const token = await unseen(world, client, "amof_push_ecosystem");
    const runs = runCount(world);
    const calls = [
      ["amof_confirm", { token, mode: "execute" }],
      ["amof_push_ecosystem", { ...PUSH, confirm: true, confirmation_token: token }],
    ] as const;
    const [name, args] = calls[alive ? 1 : 0] ?? calls[0];
    const call = client.call(name, args);
    const question = await client.asked("elicitation/create");
    assertMatch(String(pick(question, "params", "message")), /2 commits ahead[^]*Add more/);
    await client.respond(question, reply);
    const answer = await call;
    assertEquals([answer.isError, answer.data["error"]], [true, code], answer.text);
    assertEquals(lastAudit(world)["way"], "elicitation");
    assertEquals(runCount(world), runs);
    const again = client.call("amof_confirm", { token, mode: "execute" });
    if (alive) {
      await client.respond(await client.asked("elicitation/create"), {
        action: "accept",
        content: { confirm: true },
      });
      const started = await again;
      assert(!started.isError, started.text);
      assertEquals(lastAudit(world)["way"], "elicitation");
      await client.finished(String(started.data["run_id"]));
    } else {
      assertEquals((await again).data["error"], "confirmation_invalid");
    }
    const asked = alive ? 3 : 2;
    assertEquals(elicited(client), asked, "a token that is void asks nobody");
  });
}

Deno.test("a token whose name must be typed asks the person for it, whatever name comes with it", async () => {
  await using world = await ahead();
  await using client = await connected(world);
  const token = await unseen(world, client, "amof_discard_ecosystem");
  const confirmed = async (name: string) => {
    const call = client.call("amof_confirm", { token, typed_value: "demo", mode: "execute" });
    const question = await client.asked("elicitation/create");
    assertEquals(pick(question, "params", "requestedSchema", "required"), ["name"]);
    await client.respond(question, { action: "accept", content: { name } });
    return await call;
  };
  const wrong = await confirmed("dmo");
  assertEquals([wrong.data["error"], pick(wrong.data, "details", "tries_left")], [
    "type_to_confirm_failed",
    2,
  ]);
  assert(await world.exists("control/worktrees/demo"));
  const right = await confirmed("demo");
  assert(!right.isError, right.text);
  assertEquals((await client.finished(String(right.data["run_id"])))["status"], "success");
  assert(!await world.exists("control/worktrees/demo"));
});

Deno.test("what changes while a token's form is open makes that consent stale, too", async () => {
  await using world = await ahead();
  await using client = await connected(world);
  const token = await unseen(world, client, "amof_push_ecosystem");
  const call = client.call("amof_confirm", { token, mode: "execute" });
  const question = await client.asked("elicitation/create");
  await Deno.writeTextFile(`${world.clone("api")}/dirt`, "dirt\n");
  await client.respond(question, { action: "accept", content: { confirm: true } });
  const answer = await call;
  assert(answer.isError, answer.text);
  assertEquals(answer.data["error"], "confirmation_stale");
});

Deno.test("two questions at once are told apart", async () => {
  await using world = await ahead();
  await world.addEcosystem("shop", { repos: ["till"] });
  await using client = await connected(world);
  const push = client.call("amof_push_ecosystem", PUSH);
  const install = client.call("amof_install_ecosystem", { ecosystem: "shop", mode: "execute" });
  const questions = [
    await client.asked("elicitation/create"),
    await client.asked("elicitation/create"),
  ];
  assert(questions[0]?.["id"] !== questions[1]?.["id"]);
  for (const question of questions) {
    const isPush = String(pick(question, "params", "message")).startsWith("⚠️ Push");
    await client.respond(
      question,
      isPush ? { action: "decline" } : { action: "accept", content: { confirm: true } },
    );
  }
  assertEquals((await push).data["error"], "confirmation_declined");
  assertEquals(
    (await client.finished(String((await install).data["run_id"])))["status"],
    "success",
  );
  await until("the workspace exists", () => exists(world.clone("till", "shop")));
});

Deno.test("a no that no person can have given ends no request: somebody has to approve it", async () => {
  await using world = await ahead();
  for (const action of ["decline", "cancel"]) {
    await using client = await connected(world);
    const call = client.call("amof_push_ecosystem", PUSH);
    await client.respondAtOnce(await client.asked("elicitation/create"), { action });
    const answer = await call;
    assertEquals(answer.data["error"], "confirmation_required", action);
    assertMatch(answer.text, /the client said no to the form before anybody could have read it/);
    assertMatch(answer.text, /amof approve [0-9a-f]+/);
    assertMatch(answer.text, /amof mcp serve --confirm human/);
    const { token } = requestIn(answer);
    const polled = await client.call("amof_confirm", { token, mode: "execute" });
    assertEquals(polled.data["error"], "approval_pending");
  }
});

Deno.test("a server that was started with --confirm token asks by no form", async () => {
  await using world = await ahead();
  await using client = new McpClient(world, ["--mode", "execute", "--confirm", "token"]);
  await client.initialize({ capabilities: { elicitation: {} } });
  const answer = await client.call("amof_push_ecosystem", PUSH);
  assertEquals(answer.data["error"], "confirmation_required");
  assertEquals(
    (await client.call("amof_confirm", { token: requestIn(answer).token })).isError,
    false,
  );
});
