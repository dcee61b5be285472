/**
 * The edges of what is asked with an answer (MCP-19): states that are too old, of another place or another key, worlds
 * that change each time, and clients that declare one thing with the call and another with its repetition.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { ahead } from "../support/ahead.ts";
import { pick, until } from "../support/answers.ts";
import type { Message } from "../support/mcp_client.ts";
import { FORMS } from "../support/modern_call.ts";
import { READING_MS } from "../support/mcp_session.ts";
import { commit } from "./_confirmation.ts";
import { codeOf, ModernClient, PUSH, YES } from "./_modern.ts";
import { alter, query, runCount } from "./_support.ts";

Deno.test("an answer that comes too late changes nothing, and the same call is asked anew", async () => {
  await using world = await ahead();
  await using client = new ModernClient(world);
  const requestState = await client.state();
  alter(
    world,
    "UPDATE confirmations SET created_at = created_at - 300001, expires_at = expires_at - 300001",
  );
  const more = { requestState, inputResponses: YES };
  assertEquals(
    codeOf(await client.made("amof_push_ecosystem", PUSH, more)),
    "confirmation_expired",
  );
  assertEquals(runCount(world), 1);
  const fresh = { requestState: await client.state(), inputResponses: YES };
  assertEquals(codeOf(await client.made("amof_push_ecosystem", PUSH, fresh)), "ok");
});

Deno.test("a state is sealed with the key of its installation, for its control repository", async () => {
  await using world = await ahead();
  await using other = await ahead();
  await using client = new ModernClient(world);
  const more = { requestState: await client.state(), inputResponses: YES };
  const refused = async (elsewhere: ModernClient) => {
    const answer = await elsewhere.made("amof_push_ecosystem", PUSH, more);
    assertEquals(codeOf(answer), -32602, JSON.stringify(answer));
  };
  await using abroad = new ModernClient(other);
  await refused(abroad);
  // The same installation, with another control repository.
  await using beside = new ModernClient(other, [], FORMS, {
    AMOF_HOME: world.env["AMOF_HOME"] ?? "",
  });
  await refused(beside);
  assertEquals(runCount(world), 1);
  // A key that was lost takes all its states with it.
  const [{ value } = {}] = query(world, "SELECT value FROM settings WHERE name = 'mcp_state_key'");
  alter(world, "DELETE FROM settings WHERE name = 'mcp_state_key'");
  await refused(client);
  alter(
    world,
    "UPDATE settings SET value = ? WHERE name = 'mcp_state_key'",
    String(value),
  );
  assertEquals(codeOf(await client.made("amof_push_ecosystem", PUSH, more)), "ok");
});

Deno.test("a world that changes each time is asked about three times, and then refused", async () => {
  await using world = await ahead();
  await using client = new ModernClient(world);
  let asked = await client.made("amof_push_ecosystem", PUSH);
  const questions: string[] = [];
  for (let round = 1; codeOf(asked) === "input_required"; round++) {
    const [question = ""] = Object.keys(pick(asked, "result", "inputRequests") as Message);
    questions.push(question);
    await commit(world, `more-${round}.txt`);
    asked = await client.made("amof_push_ecosystem", PUSH, {
      requestState: pick(asked, "result", "requestState"),
      inputResponses: { [question]: YES.confirm },
    });
  }
  assertEquals(questions, ["confirm", "confirm_2", "confirm_3"]);
  assertEquals(codeOf(asked), "confirmation_stale");
  assertEquals(runCount(world), 1);
});

/** What a client declares, and how it is asked: by a form, or not at all. */
const DECLARED: readonly (readonly [capabilities: Message, code: unknown])[] = [
  [{}, "confirmation_required"],
  [{ elicitation: {} }, "input_required"],
  [{ elicitation: { form: {} } }, "input_required"],
  [{ elicitation: { url: {} } }, "confirmation_required"],
  [{ elicitation: null }, "confirmation_required"],
  [{ sampling: {}, roots: {} }, "confirmation_required"],
];

Deno.test("only who declares forms with a call is asked by one", async () => {
  await using world = await ahead();
  await using client = new ModernClient(world);
  for (const [capabilities, code] of DECLARED) {
    const answer = await client.made("amof_push_ecosystem", PUSH, {}, capabilities);
    assertEquals(codeOf(answer), code, JSON.stringify(capabilities));
  }
  // What was declared with the first call is not what the repeated one declares.
  const more = { requestState: await client.state(), inputResponses: YES };
  const without = await client.made("amof_push_ecosystem", PUSH, more, {});
  assertEquals(codeOf(without), "confirmation_required");
  assertEquals(runCount(world), 1);
});

const DISCARD = { ecosystem: "demo", mode: "execute" };

const NAMES: readonly (readonly [what: string, content: Message, code: unknown])[] = [
  ["another case", { name: "Demo" }, "type_to_confirm_failed"],
  ["a part of it", { name: "dem" }, "type_to_confirm_failed"],
  ["nothing", { name: "" }, "confirmation_declined"],
  ["a number", { name: 1 }, "confirmation_declined"],
  ["consent in place of it", { confirm: true }, "confirmation_declined"],
  ["a name and more", { name: "demo, please" }, "type_to_confirm_failed"],
  ["the name", { name: "demo" }, "ok"],
];

Deno.test("a name that has to be typed is the whole name", async () => {
  await using world = await ahead();
  await using client = new ModernClient(world);
  for (const [what, content, code] of NAMES) {
    const asked = await client.made("amof_discard_ecosystem", DISCARD);
    assertEquals(codeOf(asked), "input_required", JSON.stringify(asked));
    await new Promise((resolve) => setTimeout(resolve, READING_MS));
    const answer = await client.made("amof_discard_ecosystem", DISCARD, {
      requestState: pick(asked, "result", "requestState"),
      inputResponses: { confirm: { action: "accept", content } },
    });
    assertEquals(codeOf(answer), code, `${what}: ${JSON.stringify(answer)}`);
  }
});

Deno.test("an answer that is sent again is told the run it led to, also when nothing is left to do", async () => {
  await using world = await ahead();
  await using client = new ModernClient(world);
  const more = { requestState: await client.state(), inputResponses: YES };
  const done = await client.made("amof_push_ecosystem", PUSH, more);
  const run = pick(done, "result", "structuredContent", "run_id");
  const statusOf = () =>
    query(world, "SELECT status FROM runs WHERE action = 'push'")[0]?.["status"];
  await until("the run ends", () => statusOf() === "success");
  const again = await client.made("amof_push_ecosystem", PUSH, more);
  assertEquals(codeOf(again), "confirmation_invalid");
  assertEquals(pick(again, "result", "structuredContent", "details", "led_to"), run);
  // Whoever has no answer to send finds that all is done.
  assertEquals(codeOf(await client.made("amof_push_ecosystem", PUSH)), "ok");
});
