/**
 * agentpack beside amof's tools: one server, one mode, one audit log.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { setUp, snapshot } from "../support/pack_fixture.ts";
import { PackWorld } from "../support/pack_world.ts";
import { assertRefused, serve, text, TOOLS } from "./_agentpack.ts";

Deno.test("amof audit tells of every call that could have changed something, and how it was decided", async () => {
  await using world = await PackWorld.make();
  await setUp(world);
  const entries = async (...args: string[]) => {
    const ran = await world.world.amof(["audit", "--json", ...args], { cwd: world.project });
    assertEquals(ran.code, 0, ran.stdout + ran.stderr);
    return rows(ran.json(), "entries").reverse();
  };
  const brief = (found: readonly Record<string, unknown>[]) =>
    found.map((one) => `${one["tool"]}: ${one["decision"]} ${one["way"]} ${one["outcome"]}`);
  {
    await using client = serve(world);
    await client.initialize();
    await client.call("status");
    const shown = await client.call("deploy");
    const token = text(shown, "confirm_token");
    await client.call("deploy_apply", { confirm_token: token });
    await client.call("deploy_apply", { yes: true, confirm_token: "ff00" });
    await client.call("deploy_apply", { yes: true, confirm_token: token, dry_run: true });
    await world.write("m/changelog.md", "Changed\n");
    await client.call("deploy_apply", { yes: true, confirm_token: token });
    await world.write("m/changelog.md", "Write a changelog entry.\n");
    const done = await client.call("deploy_apply", { yes: true, confirm_token: token });
    await client.call("rollback", { yes: true, to: "1" });
    await client.call("rollback", { yes: true, to: text(done, "snapshot_id") });
    await client.call("rollback", { yes: true, to: 7 });
    await client.call("evolve_propose", { dry_run: true });
    const found = await entries();
    assertEquals(brief(found), [
      "agentpack deploy --apply: unsupported token E_CONFIRM_REQUIRED",
      "agentpack deploy --apply: confirmation_invalid token E_CONFIRM_TOKEN_MISMATCH",
      "agentpack deploy --apply: confirmation_stale token E_CONFIRM_TOKEN_MISMATCH",
      "agentpack deploy --apply: accepted token ok",
      "agentpack rollback: failed flag E_SNAPSHOT_NOT_FOUND",
      "agentpack rollback: accepted flag ok",
      "agentpack rollback: failed flag E_INVALID_ARGUMENTS",
    ]);
    const [, , , applied] = found;
    assertEquals(pick(applied, "preview_hash"), text(shown, "confirm_plan_hash"));
    assertEquals(pick(applied, "args"), { yes: true, confirm_token: "***" });
    assertEquals(new Set(found.map((one) => one["session_id"])).size, 1);
    assertEquals([pick(applied, "door"), pick(applied, "mode")], ["mcp", "none"]);
    assertMatch(String(pick(applied, "client")), /^[^/]+\/.+/);
  }
  await world.write("m/changelog.md", "Changed\n");
  await using client = serve(world, ["--confirm", "human"]);
  await client.initialize({ capabilities: { elicitation: {} } });
  const shown = await client.call("deploy");
  const apply = { yes: true, confirm_token: text(shown, "confirm_token") };
  for (
    const result of [{ action: "decline" }, { action: "cancel" }, {
      action: "accept",
      content: { confirm: true },
    }]
  ) {
    const calling = client.call("deploy_apply", apply);
    await client.respond(await client.asked("elicitation/create"), result);
    await calling;
  }
  const asked = await entries("--way", "elicitation", "--tool", "deploy");
  assertEquals(brief(asked), [
    "agentpack deploy --apply: declined elicitation E_CONFIRM_REQUIRED",
    "agentpack deploy --apply: cancelled elicitation E_CONFIRM_REQUIRED",
    "agentpack deploy --apply: accepted elicitation ok",
  ]);
  const hash = text(shown, "confirm_plan_hash");
  assertEquals(asked.map((one) => one["preview_hash"]), [hash, hash, hash]);
  await using blind = serve(world, ["--confirm", "human"]);
  await blind.initialize();
  await blind.call("evolve_propose", { yes: true });
  await world.write(join(world.home, ".codex", "prompts", "changelog.md"), "Edited\n");
  await world.commitRepo();
  await blind.call("evolve_propose", { yes: true });
  assertEquals(brief(await entries("--limit", "2")), [
    "agentpack evolve propose: executed none ok",
    "agentpack evolve propose: unsupported elicitation E_CONFIRM_REQUIRED",
  ]);
});

Deno.test("agentpack mcp serve is the same server; beside other toolsets its tools are amof's", async () => {
  await using world = await PackWorld.make();
  await setUp(world);
  const tools = async (client: McpClient) => {
    const answer = await client.initialize();
    const list = pick(await client.request("tools/list"), "result", "tools") as { name: string }[];
    return [pick(answer, "result", "serverInfo", "name"), list.map(({ name }) => name)] as const;
  };
  {
    await using client = new McpClient(world.world, ["--read-only"], {}, {
      cwd: world.project,
      words: ["agentpack", "mcp", "serve"],
    });
    const reading = TOOLS.filter((name) => !/apply|rollback|evolve/.test(name));
    assertEquals(await tools(client), ["agentpack", reading]);
    const refused = await client.request("tools/call", { name: "rollback", arguments: {} });
    assertEquals(pick(refused, "error", "code"), -32602);
  }
  {
    await world.world.makeControl();
    await using client = new McpClient(
      world.world,
      ["--toolsets", "ecosystem,agentpack", "--exclude-tools", "rollback"],
      {},
      { cwd: world.project },
    );
    const [name, list] = await tools(client);
    assertEquals(name, "amof");
    assert(list.includes("amof_list_ecosystems") && list.includes("deploy_apply"));
    assert(!list.includes("rollback"));
    const plan = await client.call("plan");
    assertEquals(plan.data["command"], "plan", plan.text);
  }
});

Deno.test("beside amof's tools the session's mode binds agentpack's: refused in ask, dry run in plan", async () => {
  await using world = await PackWorld.make();
  await setUp(world);
  const id = await snapshot(world, { target: "codex" });
  await world.world.makeControl();
  await using client = new McpClient(
    world.world,
    ["--toolsets", "session,agentpack"],
    { AGENTPACK_MACHINE_ID: "box" },
    { cwd: world.project },
  );
  await client.initialize();
  const deployed = join(world.project, "AGENTS.md");
  await world.write(deployed, "edited\n");
  const changes: readonly (readonly [string, Record<string, unknown>])[] = [
    ["deploy_apply", {}],
    ["rollback", { to: id }],
    ["evolve_propose", {}],
    ["evolve_restore", {}],
  ];
  const planned = await client.call("deploy", { target: "codex" });
  assertEquals(planned.isError, false, "looking is for every mode");
  const token = { confirm_token: text(planned, "confirm_token") };
  const setMode = (mode: string) => client.call("amof_set_mode", { mode });
  for (const [name, args] of changes) {
    for (const consent of [{}, { yes: true, ...(name === "deploy_apply" ? token : {}) }]) {
      const refused = await client.call(name, { ...args, ...consent });
      const details = assertRefused(refused, "E_MODE_INSUFFICIENT");
      assertEquals(
        [details["reason_code"], details["mode"], details["mode_required"]],
        ["mode_insufficient", "ask", "execute"],
      );
      assertStringIncludes(String(details["hint"]), 'amof_set_mode(mode="execute")');
    }
  }
  const [audited] = rows(
    (await world.world.amof(["audit", "--limit", "1", "--json"])).json(),
    "entries",
  );
  assertEquals([audited?.["decision"], audited?.["mode"]], ["refused_mode", "ask"]);
  await setMode("plan");
  for (const [name, args] of changes) {
    const answer = await client.call(name, {
      ...args,
      yes: true,
      ...(name === "deploy_apply" ? { ...token, target: "codex" } : {}),
    });
    assertEquals(answer.isError, false, answer.text);
    assertStringIncludes(answer.text, "The mode is plan");
  }
  assertEquals(await world.read(deployed), "edited\n");
  await setMode("execute");
  assertRefused(await client.call("deploy_apply", { target: "codex" }), "E_CONFIRM_REQUIRED");
  const applied = await client.call("deploy_apply", { ...token, target: "codex", yes: true });
  assertEquals(applied.isError, false, applied.text);
  assert(await world.read(deployed) !== "edited\n");
});

Deno.test("alone, agentpack's tools know modes only where the server was started with one", async () => {
  await using world = await PackWorld.make();
  await setUp(world);
  const deploys = async (args: readonly string[], env: Record<string, string> = {}) => {
    await using client = serve(world, args, env);
    await client.initialize();
    const plan = await client.call("deploy", { target: "codex" });
    return await client.call("deploy_apply", {
      target: "codex",
      yes: true,
      confirm_token: text(plan, "confirm_token"),
    });
  };
  assertRefused(await deploys(["--mode", "ask"]), "E_MODE_INSUFFICIENT");
  assertRefused(
    await deploys(["--mode", "execute"], { AMOF_MAX_MODE: "ask" }),
    "E_MODE_INSUFFICIENT",
  );
  for (const env of [{}, { AMOF_MAX_MODE: "plan" }]) {
    const planned = await deploys("AMOF_MAX_MODE" in env ? [] : ["--max-mode", "plan"], env);
    assertEquals(planned.isError, false, planned.text);
    assertEquals(pick(planned.data, "data", "applied"), false);
  }
  const done = await deploys([]);
  assertEquals([done.isError, pick(done.data, "data", "applied")], [false, true], done.text);
});
