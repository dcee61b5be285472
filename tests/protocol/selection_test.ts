/**
 * Which tools a server offers: toolsets, single tools, reading ones, modes.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { TOOLSET_WORDS } from "../../src/contract/mod.ts";
import { pick, rows } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { World } from "../support/world.ts";
import { codeOf } from "./_support.ts";
import { type Tool, toolsOf } from "./_tools.ts";

/** The names a server started so lists. */
async function listed(
  world: World,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<string[]> {
  await using client = new McpClient(world, args, env);
  await client.initialize();
  return (await toolsOf(client)).map((tool) => String(tool["name"]));
}

Deno.test("a server with few tools speaks of no others", async () => {
  await using world = await World.make();
  for (const args of [["--toolsets", "run"], ["--read-only"], ["--confirm", "human"]]) {
    await using client = new McpClient(world, args);
    const instructions = String(pick(await client.initialize(), "result", "instructions"));
    assert(instructions.length > 100 && instructions.length <= 1_500);
    const names = (await toolsOf(client)).map((tool) => tool["name"]);
    const named = instructions.match(/amof_[a-z_]+/g) ?? [];
    assert(named.length > 0);
    assertEquals(named.filter((name) => !names.includes(name)), [], args.join(" "));
  }
});

Deno.test("amof mcp tools shows what tools/list answers, and a digest of it", async () => {
  await using world = await World.withEcosystem();
  const tools = async (...args: string[]) => {
    const ran = await world.amof(["mcp", "tools", ...args]);
    assertEquals(ran.code, 0, ran.stderr);
    return ran.stdout.trim();
  };
  await using client = new McpClient(world);
  await client.initialize();
  const { tools: answered } = pick(await client.request("tools/list"), "result") as Tool;
  const json = await tools("--json");
  assertEquals(JSON.parse(json), { tools: answered });
  const text = await tools();
  for (const tool of answered as Tool[]) assertStringIncludes(text, String(tool["name"]));
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(json));
  const digest = `sha256:${new Uint8Array(bytes).toHex()}`;
  assertEquals(await tools("--digest"), digest);
  assertEquals(JSON.parse(await tools("--digest", "--json")), { digest });
  assert(await tools("--digest", "--read-only") !== digest);
  const names = JSON.parse(await tools("--json", "--toolsets", "run")).tools.map((tool: Tool) =>
    tool["name"]
  );
  assertEquals(names, await listed(world, ["--toolsets", "run"]));
  const effects = Object.fromEntries(
    (await tools("--toolsets", "all,agentpack")).split("\n").map((line) => {
      const [name = "", , effect = ""] = line.split(/ {2,}/);
      return [name, effect];
    }),
  );
  for (
    const [name, effect] of [
      ["amof_list_runs", "reads"],
      ["amof_create_journal", "changes"],
      ["amof_cancel_run", "changes, asks"],
      ["amof_push_ecosystem", "changes, asks"],
      ["amof_ticket_end", "changes, may ask"],
      ["deploy_apply", "changes, asks"],
      ["plan", "reads"],
    ]
  ) assertEquals(effects[String(name)], effect, name);
  const wrong = await world.amof(["mcp", "tools", "--toolsets", "rnu"]);
  assertEquals([wrong.code, wrong.stdout], [2, ""]);
  for (const word of TOOLSET_WORDS) assertMatch(wrong.stderr, new RegExp(`hint: .*\\b${word}\\b`));
});

Deno.test("the refusal of a tool that is not offered says how to get it, and that way works", async () => {
  await using world = await World.withEcosystem();
  for (
    const [flags, tool] of [
      [[], "amof_spin_status"],
      [[], "amof_release_init"],
      [["--toolsets", "run"], "amof_push_ecosystem"],
      [["--tools", "amof_list_runs"], "amof_release_init"],
    ] as const
  ) {
    await using client = new McpClient(world, flags);
    await client.initialize();
    const { data } = await client.call(tool);
    assertEquals(data["error"], "tool_not_available");
    const [, way = ""] = /amof mcp serve (.+)$/.exec(String(data["hint"])) ?? [];
    assert((await listed(world, way.split(" "))).includes(tool), `${tool}: ${data["hint"]}`);
  }
  for (const flag of ["--read-only", "--exclude-tools"]) {
    const flags = flag === "--read-only" ? [flag] : [flag, "amof_push_ecosystem"];
    await using client = new McpClient(world, flags);
    await client.initialize();
    const { data } = await client.call("amof_push_ecosystem", { ecosystem: "demo" });
    assertStringIncludes(String(data["hint"]), flag);
  }
});

Deno.test("AMOF_READ_ONLY counts whatever it says but no, and mcp start is mcp serve", async () => {
  await using world = await World.withEcosystem();
  const all = await listed(world, []);
  for (const value of ["", "0", "false", "no"]) {
    assertEquals(await listed(world, [], { AMOF_READ_ONLY: value }), all, value);
  }
  for (const value of ["on", "readonly"]) {
    assert((await listed(world, [], { AMOF_READ_ONLY: value })).length < all.length, value);
  }
  const started = await world.amof(["mcp", "start"], {
    stdin: '{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
  });
  assertEquals(JSON.parse(started.stdout), { jsonrpc: "2.0", id: 1, result: {} });
});

Deno.test("--read-only lists no tool that changes anything and refuses one that is called", async () => {
  await using world = await World.withEcosystem();
  for (const [args, env] of [[["--read-only"], {}], [[], { AMOF_READ_ONLY: "1" }]] as const) {
    const before = await world.fingerprint();
    await using client = new McpClient(world, args, env);
    await client.initialize();
    const tools = await toolsOf(client);
    assert(tools.length >= 10);
    assertEquals(tools.filter((tool) => pick(tool, "annotations", "readOnlyHint") !== true), []);
    for (
      const name of [
        "amof_create_ecosystem",
        "amof_install_ecosystem",
        "amof_push_ecosystem",
        "amof_cancel_run",
        "amof_confirm",
      ]
    ) {
      const refused = await client.call(name, { mode: "execute" });
      assert(refused.isError);
      assertEquals(refused.data["error"], "tool_not_available", name);
      assertStringIncludes(String(pick(refused.data, "details", "reason")), "read-only");
    }
    const suggested = rows(
      (await client.call("amof_list_ecosystems", { mode: "execute" })).data,
      "suggested_actions",
    );
    assertEquals(
      suggested.filter((action) => !tools.some((tool) => tool["name"] === action["tool"])),
      [],
    );
    assertEquals(await world.fingerprint(), before);
  }
});

Deno.test("--toolsets offers those toolsets and always the tools of the session", async () => {
  await using world = await World.withEcosystem();
  const all = await listed(world, []);
  const runs = await listed(world, ["--toolsets", "run"]);
  assert(
    runs.includes("amof_get_run_logs") && runs.includes("amof_confirm") &&
      runs.includes("amof_set_mode"),
  );
  assert(!runs.includes("amof_push_ecosystem") && runs.length < all.length);
  assertEquals(await listed(world, [], { AMOF_TOOLSETS: "run" }), runs);
  assertEquals(
    await listed(world, ["--toolsets", "run"], { AMOF_TOOLSETS: "ecosystem" }),
    runs,
    "the flag beats its twin",
  );
  const ecosystems = await listed(world, ["--toolsets", "ecosystem"]);
  const both = await listed(world, ["--toolsets", "ecosystem, run"]);
  const everything = await listed(world, ["--toolsets", "all"]);
  assertEquals(both, everything.filter((name) => ecosystems.includes(name) || runs.includes(name)));
  assertEquals(everything.filter((name) => all.includes(name)), all);
  const extra = everything.filter((name) => !all.includes(name));
  assert(extra.includes("amof_restore_archive"), "some tools are only offered when asked for");
  assert(
    (await listed(world, ["--toolsets", "default,ecosystem"])).includes("amof_restore_archive"),
  );
  assertEquals(await listed(world, ["--toolsets", "default"]), all);
  await using client = new McpClient(world, ["--toolsets", "run"]);
  await client.initialize();
  const refused = await client.call("amof_push_ecosystem", { ecosystem: "demo" });
  assertEquals(refused.data["error"], "tool_not_available");
  assertStringIncludes(String(pick(refused.data, "details", "reason")), "ecosystem");
});

Deno.test("--tools offers single tools, alone or besides toolsets", async () => {
  await using world = await World.withEcosystem();
  const session = await listed(world, ["--toolsets", "session"]);
  const alone = await listed(world, ["--tools", "amof_get_ecosystem_status"]);
  assertEquals(alone.filter((name) => !session.includes(name)), ["amof_get_ecosystem_status"]);
  assertEquals(await listed(world, [], { AMOF_TOOLS: "amof_get_ecosystem_status" }), alone);
  const besides = await listed(world, [
    "--toolsets",
    "run",
    "--tools",
    "amof_get_ecosystem_status",
  ]);
  assert(besides.includes("amof_get_ecosystem_status") && besides.includes("amof_list_runs"));
  const byAlias = await listed(world, ["--tools", "amof_use_ecosystem"]);
  assert(byAlias.includes("amof_switch_ecosystem"));
});

Deno.test("--exclude-tools takes single tools away", async () => {
  await using world = await World.withEcosystem();
  const all = await listed(world, []);
  const fewer = await listed(world, ["--exclude-tools", "amof_push_ecosystem,amof_cancel_run"]);
  assertEquals(all.filter((name) => !fewer.includes(name)).sort(), [
    "amof_cancel_run",
    "amof_push_ecosystem",
  ]);
  assertEquals(
    await listed(world, [], { AMOF_EXCLUDE_TOOLS: "amof_push_ecosystem,amof_cancel_run" }),
    fewer,
  );
  await using client = new McpClient(world, ["--exclude-tools", "amof_push_ecosystem"]);
  await client.initialize();
  const refused = await client.call("amof_push_ecosystem", { ecosystem: "demo", mode: "plan" });
  assertEquals(refused.data["error"], "tool_not_available");
  assertStringIncludes(String(pick(refused.data, "details", "reason")), "exclude");
});

Deno.test("a flag with an unknown name stops the server before it speaks, with the nearest name", async () => {
  await using world = await World.withEcosystem();
  for (
    const [args, near] of [
      [["--toolsets", "rnu"], "run"],
      [["--tools", "amof_push_ecosytem"], "amof_push_ecosystem"],
      [["--exclude-tools", "amof_confrim"], "amof_confirm"],
      [["--max-mode", "root"], "execute"],
      [["--mode", "root"], "execute"],
      [["--mode", "execute", "--max-mode", "plan"], "--mode plan\nAllow more"],
    ] as const
  ) {
    const ran = await world.amof(["mcp", "serve", ...args], { stdin: "" });
    assertEquals(ran.code, 2, args.join(" "));
    assertEquals(ran.stdout, "");
    assertStringIncludes(ran.stderr, near);
  }
});

Deno.test("--max-mode caps amof_set_mode, the mode of a call and --mode", async () => {
  await using world = await World.withEcosystem();
  for (
    const [args, env] of [[["--max-mode", "plan"], {}], [["--mode", "execute"], {
      AMOF_MAX_MODE: "plan",
    }]] as const
  ) {
    await using client = new McpClient(world, args, env);
    await client.initialize();
    const before = await client.call("amof_scope_info");
    assertEquals(before.data["max_mode"], "plan");
    assertEquals(before.data["mode"], args.some((arg) => arg === "--mode") ? "plan" : "ask");
    const set = await client.call("amof_set_mode", { mode: "execute" });
    assertEquals([set.isError, set.data["error"], pick(set.data, "details", "reason")], [
      true,
      "mode_insufficient",
      "capped",
    ]);
    const call = await client.call("amof_install_ecosystem", {
      ecosystem: "demo",
      mode: "execute",
    });
    assertEquals([call.isError, call.data["error"], pick(call.data, "details", "reason")], [
      true,
      "mode_insufficient",
      "capped",
    ]);
    const read = await client.call("amof_list_ecosystems", { mode: "execute" });
    assertEquals([read.isError, read.data["error"]], [true, "mode_insufficient"]);
    assertEquals((await client.call("amof_set_mode", { mode: "plan" })).data["mode"], "plan");
    assert(!(await client.call("amof_install_ecosystem", { ecosystem: "demo" })).isError);
  }
});

Deno.test("--ecosystem and --mode say where a session begins, and so do their twins", async () => {
  await using world = await World.withEcosystem();
  for (
    const [args, env] of [[["--ecosystem", "demo", "--mode", "plan"], {}], [[], {
      AMOF_ECOSYSTEM: "demo",
      AMOF_MODE: "plan",
    }]] as const
  ) {
    await using client = new McpClient(world, args, env);
    await client.initialize();
    const { data } = await client.call("amof_scope_info");
    assertEquals([data["scope"], data["ecosystem"], data["mode"]], ["ecosystem", "demo", "plan"]);
  }
  const ran = await world.amof(["mcp", "serve", "--ecosystem", "dmo"], { stdin: "" });
  assertEquals([ran.code, ran.stdout], [2, ""]);
  assertStringIncludes(ran.stderr, "demo");
});

Deno.test("a tool of the command line alone is unknown here", async () => {
  await using world = await World.make();
  await using client = new McpClient(world);
  await client.initialize();
  assert(!(await toolsOf(client)).some((tool) => tool["name"] === "amof_show_manifest"));
  assertEquals(codeOf(await client.request("tools/call", { name: "amof_show_manifest" })), -32602);
});
