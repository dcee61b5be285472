/**
 * Changes of agentpack over MCP: every check of the contract, in its order.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick } from "../support/answers.ts";
import type { ToolAnswer } from "../support/mcp_client.ts";
import { setUp, snapshot } from "../support/pack_fixture.ts";
import { PackWorld } from "../support/pack_world.ts";
import { assertRefused, serve, text } from "./_agentpack.ts";

Deno.test("deploy and deploy_apply go through every check in the order of the contract", async () => {
  await using world = await PackWorld.make();
  await setUp(world);
  await world.write(join(world.project, "AGENTS.md"), "mine\n");
  const file = join(world.home, ".codex", "prompts", "changelog.md");
  const config = join(world.repo, "agentpack.yaml");
  const good = await world.read(config) ?? "";
  const before = await world.tree(world.repo, world.project, world.home);
  await using client = serve(world);
  await client.initialize();
  const apply = (args: Record<string, unknown>) => client.call("deploy_apply", args);

  // 1: no yes, whatever else is wrong.
  await world.config("version: 9\n");
  for (const args of [{}, { yes: false }, { dry_run: true }, { confirm_token: "x" }]) {
    const refused = await apply(args);
    assertEquals(assertRefused(refused, "E_CONFIRM_REQUIRED"), {
      command: "deploy --apply",
      reason_code: "confirm_required",
      next_actions: ["retry_with_yes"],
    });
    assertEquals(
      [refused.data["command"], refused.data["command_id"]],
      ["deploy", "deploy --apply"],
    );
  }
  // 3 and 4 come before the configuration is read.
  const required = assertRefused(await apply({ yes: true }), "E_CONFIRM_TOKEN_REQUIRED");
  assertEquals(required["reason_code"], "confirm_token_required");
  assertEquals(required["next_actions"], ["call_deploy", "retry_deploy_apply"]);
  assertRefused(await apply({ yes: true, confirm_token: "" }), "E_CONFIRM_TOKEN_REQUIRED");
  const unknown = assertRefused(
    await apply({ yes: true, confirm_token: "f".repeat(64) }),
    "E_CONFIRM_TOKEN_MISMATCH",
  );
  assertEquals([unknown["reason_code"], unknown["next_actions"]], [
    "confirm_token_mismatch",
    ["call_deploy", "retry_deploy_apply"],
  ]);
  // A failed deploy hands out no token.
  assertRefused(await client.call("deploy"), "E_CONFIG_UNSUPPORTED_VERSION");
  await world.config(good);

  const first = await client.call("deploy", {});
  const token = text(first, "confirm_token");
  assertMatch(token, /^[0-9a-f]{64}$/);
  assertMatch(text(first, "confirm_plan_hash"), /^[0-9a-f]{64}$/);
  const lives = Date.parse(text(first, "confirm_token_expires_at")) - Date.now();
  assert(lives > 0 && lives <= 600_000, String(lives));
  assertEquals(pick(first.data, "data", "applied"), false);
  const second = await client.call("deploy", { profile: "default", target: "all" });
  assert(text(second, "confirm_token") !== token);
  assertEquals(text(second, "confirm_plan_hash"), text(first, "confirm_plan_hash"));

  // 2: a dry run needs no token and spends none.
  const dry = await apply({ yes: true, dry_run: true });
  assertEquals([dry.isError, pick(dry.data, "data", "applied")], [false, false]);
  // 6: another binding, even if nothing else differs.
  for (const args of [{ target: "codex" }, { profile: "more" }, { machine: "other" }]) {
    const other = assertRefused(
      await apply({ yes: true, confirm_token: token, ...args }),
      "E_CONFIRM_TOKEN_MISMATCH",
    );
    assertEquals("confirm_plan_hash" in other, false);
  }
  // 7: a planning error is answered as it is; a changed source or destination with both hashes.
  await world.config("version: 9\n");
  assertRefused(await apply({ yes: true, confirm_token: token }), "E_CONFIG_UNSUPPORTED_VERSION");
  await world.config(good);
  for (
    const [path, was] of [["m/changelog.md", "Write a changelog entry.\n"], [file, null]] as const
  ) {
    await world.write(path, "Changed\n");
    const changed = assertRefused(
      await apply({ yes: true, confirm_token: token, adopt: true }),
      "E_CONFIRM_TOKEN_MISMATCH",
    );
    assertEquals(changed["expected_confirm_plan_hash"], text(first, "confirm_plan_hash"));
    assert(changed["confirm_plan_hash"] !== changed["expected_confirm_plan_hash"]);
    if (was === null) await Deno.remove(join(world.home, ".codex"), { recursive: true });
    else await world.write(path, was);
  }
  // 8: adoption is refused, and the token stays good.
  const adopt = assertRefused(
    await apply({ yes: true, confirm_token: token }),
    "E_ADOPT_CONFIRM_REQUIRED",
  );
  assertEquals(adopt, {
    flag: "--adopt",
    adopt_updates: 1,
    sample_paths: [join(world.project, "AGENTS.md")],
    reason_code: "adopt_confirm_required",
    next_actions: ["retry_with_adopt"],
  });
  assertEquals(await world.tree(world.repo, world.project, world.home), before);
  // 9 and 10: with other words for the same inputs; spent once.
  const done = await apply({
    yes: true,
    confirm_token: token,
    adopt: true,
    profile: "default",
    target: "all",
    machine: "BOX",
  });
  assertEquals([done.isError, pick(done.data, "data", "applied")], [false, true], done.text);
  assertEquals(await world.read(file), "Write a changelog entry.\n");
  assertRefused(
    await apply({ yes: true, confirm_token: token, adopt: true }),
    "E_CONFIRM_TOKEN_MISMATCH",
  );
  // Nothing to do spends the token, too.
  const idle = text(await client.call("deploy"), "confirm_token");
  const nothing = await apply({ yes: true, confirm_token: idle });
  assertEquals(pick(nothing.data, "data", "reason"), "no_changes");
  assertRefused(await apply({ yes: true, confirm_token: idle }), "E_CONFIRM_TOKEN_MISMATCH");
});

Deno.test("a token expires, and a server knows only its own", async () => {
  await using world = await PackWorld.make();
  await setUp(world, "  cursor: { mode: files, scope: project }");
  await using short = serve(world, [], { AGENTPACK_CONFIRM_SECONDS: "0" });
  await short.initialize();
  const token = text(await short.call("deploy"), "confirm_token");
  const expired = assertRefused(
    await short.call("deploy_apply", { yes: true, confirm_token: token }),
    "E_CONFIRM_TOKEN_EXPIRED",
  );
  assertEquals(expired["reason_code"], "confirm_token_expired");
  assertRefused(
    await short.call("deploy_apply", { yes: true, confirm_token: token }),
    "E_CONFIRM_TOKEN_MISMATCH",
  );
  await using other = serve(world);
  await other.initialize();
  const foreign = text(await other.call("deploy"), "confirm_token");
  assertRefused(
    await short.call("deploy_apply", { yes: true, confirm_token: foreign }),
    "E_CONFIRM_TOKEN_MISMATCH",
  );
});

Deno.test("rollback and evolve want yes before anything is loaded, and then do their work", async () => {
  await using world = await PackWorld.make();
  await using client = serve(world);
  await client.initialize();
  // Without any configuration: the refusal comes first.
  for (
    const [name, args, id] of [
      ["rollback", { to: "1" }, "rollback"],
      ["evolve_propose", {}, "evolve propose"],
      ["evolve_restore", { yes: false }, "evolve restore"],
    ] as const
  ) {
    const refused = await client.call(name, args);
    assertEquals(assertRefused(refused, "E_CONFIRM_REQUIRED")["command"], id);
    assertEquals(refused.data["command"], id.replace(" ", "."));
  }
  await setUp(world);
  const id = await snapshot(world);
  const file = join(world.home, ".codex", "prompts", "changelog.md");
  await world.write(file, "Edited\n");
  await world.commitRepo();
  const proposed = await client.call("evolve_propose", { yes: true, branch: "evolve/mine" });
  assertEquals(pick(proposed.data, "data", "branch"), "evolve/mine", proposed.text);
  const rolled = await client.call("rollback", { to: id, yes: true, repo: "/ignored" });
  assertEquals(pick(rolled.data, "data", "rolled_back_to"), id, rolled.text);
  assertEquals(await world.read(file), "Write a changelog entry.\n");
  await Deno.remove(file);
  const restored = await client.call("evolve_restore", { yes: true });
  assertEquals(pick(restored.data, "data", "summary", "restored"), 1, restored.text);
  assertRefused(await client.call("rollback", { to: "12", yes: true }), "E_SNAPSHOT_NOT_FOUND");
});

Deno.test("with --confirm human a person sees each change first; without forms nothing is changed", async () => {
  await using world = await PackWorld.make();
  await setUp(world);
  const file = join(world.home, ".codex", "prompts", "changelog.md");
  await using client = serve(world, ["--confirm", "human"]);
  await client.initialize({ capabilities: { elicitation: {} } });
  const ask = async (
    name: string,
    args: Record<string, unknown>,
    result: unknown,
    meanwhile?: () => Promise<void>,
  ): Promise<[string, ToolAnswer]> => {
    const calling = client.call(name, args);
    const form = await client.asked("elicitation/create");
    await meanwhile?.();
    await client.respond(form, result);
    return [String(pick(form, "params", "message")), await calling];
  };
  const yes = { action: "accept", content: { confirm: true } };
  const token = text(await client.call("deploy"), "confirm_token");
  const apply = { yes: true, confirm_token: token };
  for (
    const [result, decision] of [
      [{ action: "decline" }, "declined"],
      [{ action: "cancel" }, "cancelled"],
      [{ action: "accept", content: { confirm: false } }, "declined"],
    ] as const
  ) {
    const [message, refused] = await ask("deploy_apply", apply, result);
    assertMatch(
      message,
      /^⚠️ agentpack deploy --apply\?\nThis is what it would do: 12 to create, .*\n\n/,
    );
    assertStringIncludes(message, "+Write a changelog entry.");
    const details = assertRefused(refused, "E_CONFIRM_REQUIRED");
    assertEquals([details["decision"], details["reason_code"]], [decision, `human_${decision}`]);
    assertEquals(await world.read(file), null);
  }
  // The files changed while the person was deciding.
  const [, stale] = await ask(
    "deploy_apply",
    apply,
    yes,
    () => world.write("m/changelog.md", "Changed\n"),
  );
  assertRefused(stale, "E_CONFIRM_TOKEN_MISMATCH");
  await world.write("m/changelog.md", "Write a changelog entry.\n");
  const [, done] = await ask("deploy_apply", apply, yes);
  assertEquals(pick(done.data, "data", "applied"), true, done.text);
  const id = text(done, "snapshot_id");
  await world.write(file, "Edited\n");
  await world.commitRepo();
  const [proposal, proposed] = await ask("evolve_propose", { yes: true }, yes);
  assertStringIncludes(proposal, "prompt:changelog");
  assertEquals(pick(proposed.data, "data", "created"), true, proposed.text);
  const [plan, rolled] = await ask("rollback", { to: id, yes: true }, yes);
  assertStringIncludes(plan, file);
  assertEquals(rolled.isError, false, rolled.text);
  await Deno.remove(file);
  const [missing, restored] = await ask("evolve_restore", { yes: true }, yes);
  assertStringIncludes(missing, file);
  assertEquals(restored.isError, false, restored.text);
  // Without a change nobody is asked.
  const idle = await client.call("evolve_restore", { yes: true });
  assertEquals(pick(idle.data, "data", "reason"), "no_missing");

  await using blind = serve(world, [], { AMOF_CONFIRM: "human" });
  await blind.initialize();
  await Deno.remove(file);
  const refused = assertRefused(
    await blind.call("evolve_restore", { yes: true }),
    "E_CONFIRM_REQUIRED",
  );
  assertEquals(refused["decision"], "unsupported");
  assertEquals(await world.read(file), null);
});
