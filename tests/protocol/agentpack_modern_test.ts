/**
 * Changes of agentpack for clients without a session, where a person sees each before it is made: the form goes out with
 * the answer and comes back with the call again.
 *
 * @module
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick } from "../support/answers.ts";
import type { Message } from "../support/mcp_client.ts";
import { READING_MS } from "../support/mcp_session.ts";
import { modernCall } from "../support/modern_call.ts";
import { setUp } from "../support/pack_fixture.ts";
import { PackWorld } from "../support/pack_world.ts";
import { serve } from "./_agentpack.ts";

const YES = { action: "accept", content: { confirm: true } };

Deno.test("with --confirm human a client without a session shows each change first", async () => {
  await using world = await PackWorld.make();
  await setUp(world);
  const file = join(world.home, ".codex", "prompts", "changelog.md");
  await using client = serve(world, ["--confirm", "human"]);
  const shown = await modernCall(client, { name: "deploy", args: {} });
  const token = pick(shown, "result", "structuredContent", "data", "confirm_token");
  const apply = { name: "deploy_apply", args: { yes: true, confirm_token: token } };
  const asked = async () => {
    const answer = await modernCall(client, apply);
    assertEquals(pick(answer, "result", "resultType"), "input_required", JSON.stringify(answer));
    return answer;
  };
  const retried = (requestState: unknown, response: Message, call = apply) =>
    modernCall(client, call, { requestState, inputResponses: { confirm: response } });
  const first = await asked();
  const message = pick(first, "result", "inputRequests", "confirm", "params", "message");
  assertStringIncludes(String(message), "+Write a changelog entry.");
  const state = String(pick(first, "result", "requestState"));

  // Nothing else is agreed to by it.
  const forged = [
    await retried(`${state}A`, YES),
    await retried(state, YES, {
      ...apply,
      args: { ...apply.args, adopt: true } as typeof apply.args,
    }),
  ];
  for (const answer of forged) assertEquals(pick(answer, "error", "code"), -32602);
  // A person who says no has read it.
  await new Promise((resolve) => setTimeout(resolve, READING_MS));
  const declined = await retried(state, { action: "decline" });
  const errors = pick(declined, "result", "structuredContent", "errors", 0);
  assertEquals(
    [pick(errors, "code"), pick(errors, "details", "decision")],
    ["E_CONFIRM_REQUIRED", "declined"],
  );
  assertEquals(await world.read(file), null);
  // What was answered once is asked again.
  assertEquals(pick(await retried(state, YES), "result", "resultType"), "input_required");

  const again = pick(await asked(), "result", "requestState");
  const done = await retried(again, YES);
  assertEquals(pick(done, "result", "structuredContent", "data", "applied"), true);
  assertStringIncludes(await world.read(file) ?? "", "Write a changelog entry.");

  // Another process has asked nobody.
  await using other = serve(world, ["--confirm", "human"]);
  const elsewhere = await modernCall(other, apply, {
    requestState: again,
    inputResponses: { confirm: YES },
  });
  assertEquals(pick(elsewhere, "error", "code"), -32602);
});
