/**
 * Confirmation over MCP: a preview and a token first, then the call, once.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ahead } from "../support/ahead.ts";
import { pick, rows } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { codeIn, confirm, connected, NOBODY, PUSH, request, succeeded } from "./_confirmation.ts";
import { lastAudit, query, requestIn, runCount } from "./_support.ts";

Deno.test("phase 1 changes nothing and answers with a preview and a token", async () => {
  await using world = await ahead();
  await using client = await connected(world);
  const before = await world.fingerprint();
  const runs = runCount(world);
  const answer = await client.call("amof_push_ecosystem", PUSH);
  assertEquals(codeIn(answer), "confirmation_required");
  assertEquals(answer.data["http"], 403);
  assertEquals(answer.data["repos_affected"], ["api"]);
  const asked = requestIn(answer);
  assertMatch(asked.token, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assertEquals([asked["type"], asked["tool"], asked["typed_value_required"]], [
    "simple",
    "amof_push_ecosystem",
    false,
  ]);
  assertEquals(rows(asked, "preview", "repos").map((repo) => repo["name"]), ["api"]);
  const lifetime = Date.parse(String(asked["expires_at"])) -
    Date.parse(String(pick(answer.data, "_context", "timestamp")));
  assert(Math.abs(lifetime - 5 * 60 * 1000) < 5_000, `${lifetime} ms`);
  // Hosts that show only the text must be able to go on.
  for (const part of [asked.token, "api", "⚠", "Expires:", "amof_confirm("]) {
    assertStringIncludes(answer.text, part);
  }
  assertEquals(
    rows(answer.data, "suggested_actions").slice(0, 2).map((
      action,
    ) => [action["tool"], pick(action, "args", "token")]),
    [["amof_confirm", asked.token], ["amof_cancel_confirm", asked.token]],
  );
  assertEquals(await world.fingerprint(), before);
  assertEquals(runCount(world), runs);
  assertEquals([lastAudit(world)["decision"], lastAudit(world)["outcome"]], [
    "unsupported",
    "confirmation_required",
  ]);
  assertEquals(
    query(world, "SELECT * FROM confirmations WHERE token_hash LIKE ?", `%${asked.token}%`),
    [],
    "only a hash is stored",
  );
});

Deno.test("a good token runs the call once, and is spent before the start", async () => {
  await using world = await ahead();
  await using client = await connected(world);
  const token = await request(client);
  const runs = runCount(world);
  const started = await confirm(client, token);
  assertEquals(started.data["action"], "push");
  assertEquals(
    codeIn(await confirm(client, token)),
    "confirmation_invalid",
    "it is spent while the run works",
  );
  await succeeded(client, started);
  assertEquals(codeIn(await confirm(client, token)), "confirmation_invalid");
  assertEquals(
    codeIn(
      await client.call("amof_push_ecosystem", {
        ...PUSH,
        confirm: true,
        confirmation_token: NOBODY,
      }),
    ),
    undefined,
    "there is nothing left to push",
  );
  assertEquals(runCount(world), runs + 1);
  const [audit] = query(
    world,
    "SELECT * FROM audit WHERE run_id = ?",
    String(started.data["run_id"]),
  );
  assertEquals([audit?.["decision"], audit?.["way"], audit?.["tool"], audit?.["outcome"]], [
    "accepted",
    "token",
    "amof_push_ecosystem",
    "ok",
  ]);
  const [run] = query(
    world,
    "SELECT confirmation, requested_by FROM runs WHERE run_id = ?",
    String(started.data["run_id"]),
  );
  assertEquals([pick(JSON.parse(String(run?.["confirmation"])), "way"), run?.["requested_by"]], [
    "token",
    "test/1.0.0",
  ]);
});

Deno.test("what somebody agreed to and succeeded is marked, by whatever way; nothing else is", async () => {
  await using world = await ahead();
  await using client = await McpClient.executing(world, "all");
  const rename = (name: string, to: string, more: object = {}) =>
    client.call("amof_rename_repo", { name, to, ...more });
  const asked = await rename("api", "first");
  const { token } = requestIn(asked);
  const answers = [
    asked,
    await confirm(client, token),
    await rename("first", "second"),
    await rename("first", "second", { confirm: true }),
    await rename("first", "third", { confirm: true }),
    await confirm(client, token),
  ];
  assertEquals(answers.map(({ text }) => text.includes("✅")), [
    false,
    true,
    false,
    true,
    false,
    false,
  ]);
  // A run that has begun may fail yet.
  const started = await confirm(client, await request(client));
  assertEquals(String(started.data["summary"]).startsWith("Started push"), true, started.text);
});

Deno.test("a token spent many times at once starts one run", async () => {
  await using world = await ahead();
  await using client = await connected(world);
  const token = await request(client);
  const runs = runCount(world);
  const answers = await Promise.all(
    Array.from(
      { length: 8 },
      (_, turn) =>
        turn % 2 === 0 ? confirm(client, token) : client.call("amof_push_ecosystem", {
          ...PUSH,
          confirm: true,
          confirmation_token: token,
        }),
    ),
  );
  const started = answers.filter((answer) => !answer.isError);
  assertEquals(started.length, 1);
  assertEquals(
    answers.filter((answer) => answer.isError).map(codeIn),
    Array(7).fill("confirmation_invalid"),
  );
  for (const answer of started) await succeeded(client, answer);
  assertEquals(runCount(world), runs + 1);
});

Deno.test("the same call with confirm=true and the token executes, in any order and with defaults spelt out", async () => {
  await using world = await ahead();
  await using client = await connected(world);
  const token = await request(client, { repos: ["api"], ecosystem: "demo" });
  await succeeded(
    client,
    await client.call("amof_push_ecosystem", {
      confirmation_token: token,
      confirm: true,
      allow_base: false,
      commit: false,
      ecosystem: "demo",
      repos: ["api"],
    }),
  );
});

Deno.test("two tokens for one call each work once at most", async () => {
  await using world = await ahead();
  await using client = await connected(world);
  const runs = runCount(world);
  const first = await request(client);
  const second = await request(client);
  assert(first !== second);
  await succeeded(client, await confirm(client, second));
  const late = await confirm(client, first);
  assert(late.data["run_id"] === undefined, "what was confirmed twice is done once");
  assertEquals(runCount(world), runs + 1);
  for (const token of [first, second]) {
    assertEquals((await confirm(client, token)).data["run_id"], undefined);
  }
  assertEquals(runCount(world), runs + 1);
});
