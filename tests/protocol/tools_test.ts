/**
 * What the tool list promises to hosts, and which tools a server offers under which flags.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { pick, rows } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { World } from "../support/world.ts";
import { TOOLSET_WORDS } from "../../src/contract/mod.ts";
import { codeOf } from "./_support.ts";

type Tool = Record<string, unknown>;

const HINTS = ["destructiveHint", "idempotentHint", "openWorldHint", "readOnlyHint"];

async function toolsOf(client: McpClient): Promise<Tool[]> {
  return rows(await client.request("tools/list"), "result", "tools");
}

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

Deno.test("tools/list stays within 24,000 bytes and is the same every time", async () => {
  await using world = await World.withEcosystem();
  await using client = new McpClient(world);
  await client.initialize();
  const tools = await toolsOf(client);
  for (
    const name of [
      "amof_list_ecosystems",
      "amof_push_ecosystem",
      "amof_get_run_logs",
      "amof_confirm",
    ]
  ) {
    assert(tools.some((tool) => tool["name"] === name), `${name} is listed by default`);
  }
  const size = new TextEncoder().encode(client.lines[1] ?? "").length;
  assert(size <= 24_000, `tools/list takes ${size} bytes`);
  // What the session does must not change the list.
  await client.call("amof_switch_ecosystem", { ecosystem: "demo" });
  await client.call("amof_set_mode", { mode: "execute" });
  assertEquals(await toolsOf(client), tools);
  await using other = new McpClient(world);
  await other.initialize();
  assertEquals(await toolsOf(other), tools);
});

Deno.test("every tool has a good name, a title, a short description and all four hints", async () => {
  await using world = await World.make();
  await using client = new McpClient(world);
  await client.initialize();
  const tools = await toolsOf(client);
  const names = tools.map((tool) => String(tool["name"]));
  assertEquals(new Set(names).size, names.length, "names are unique");
  for (const tool of tools) {
    const name = String(tool["name"]);
    assertMatch(name, /^[a-z0-9_]{1,40}$/);
    assertMatch(String(tool["title"]), /^\S.{0,38}\S$/);
    const description = String(tool["description"]);
    assert(description.length >= 10 && description.length <= 400, name);
    const annotations = pick(tool, "annotations");
    for (const hint of HINTS) {
      assertEquals(typeof pick(annotations, hint), "boolean", `${name} ${hint}`);
    }
    assert(
      pick(annotations, "readOnlyHint") !== pick(annotations, "destructiveHint") ||
        pick(annotations, "readOnlyHint") === false,
      `${name} is read-only and destructive`,
    );
  }
});

Deno.test("the hints tell readers from writers", async () => {
  await using world = await World.make();
  await using client = new McpClient(world);
  await client.initialize();
  const hints = new Map(
    (await toolsOf(client)).map((tool) => [
      tool["name"],
      HINTS.map((hint) => pick(tool, "annotations", hint)),
    ]),
  );
  assertEquals(hints.get("amof_list_ecosystems"), [false, true, false, true]);
  assertEquals(
    hints.get("amof_get_run_logs"),
    [false, true, true, true],
    "log lines come from outside",
  );
  assertEquals(hints.get("amof_create_ecosystem"), [false, false, false, false]);
  assertEquals(hints.get("amof_push_ecosystem"), [true, false, true, false]);
  assertEquals(pick(hints.get("amof_confirm"), 0), true, "it carries out whatever was previewed");
  assertEquals(pick(hints.get("amof_confirm"), 3), false);
});

Deno.test("every input schema is a plain closed object with described members", async () => {
  await using world = await World.make();
  await using client = new McpClient(world);
  await client.initialize();
  for (const tool of await toolsOf(client)) {
    const name = String(tool["name"]);
    const schema = pick(tool, "inputSchema") as Record<string, unknown>;
    assertEquals(schema["type"], "object", name);
    assertEquals(schema["additionalProperties"], false, name);
    const known = ["additionalProperties", "properties", "required", "type"];
    assertEquals(Object.keys(schema).filter((key) => !known.includes(key)), [], name);
    const text = JSON.stringify(schema);
    for (const word of ['"$ref"', '"$schema"', '"$defs"', "9007199254740991"]) {
      assert(!text.includes(word), `${name} ${word}`);
    }
    const properties = Object.entries(pick(schema, "properties") as Record<string, unknown>);
    for (const [member, property] of properties) {
      assert(
        String(pick(property, "description") ?? "").length >= 3,
        `${name}.${member} is not described`,
      );
    }
    for (const required of (pick(schema, "required") ?? []) as string[]) {
      assert(
        properties.some(([member]) => member === required),
        `${name} requires an unknown ${required}`,
      );
    }
    if (pick(tool, "annotations", "readOnlyHint") === false) {
      assert(properties.some(([member]) => member === "mode"), `${name} takes a mode`);
    }
  }
});

Deno.test("every tool accepts a mode, also where it is not listed because it makes no difference", async () => {
  await using world = await World.withEcosystem();
  await using client = new McpClient(world);
  await client.initialize();
  for (const tool of await toolsOf(client)) {
    const name = String(tool["name"]);
    if (pick(tool, "annotations", "readOnlyHint") !== true || name === "amof_set_mode") continue;
    const answer = await client.call(name, { mode: "plan" });
    // What lacks an argument is refused before its mode counts.
    if (answer.data["error"] === "invalid_arguments") {
      const problems = rows(answer.data, "details", "issues").map((issue) => issue["path"]);
      assert(!problems.includes("mode"), name);
      continue;
    }
    assertEquals(pick(answer.data, "_context", "mode"), "plan", name);
  }
});

Deno.test("one loose output schema serves all tools and admits errors", async () => {
  await using world = await World.make();
  await using client = new McpClient(world);
  await client.initialize();
  const schemas = (await toolsOf(client)).map((tool) => tool["outputSchema"]);
  assertEquals(new Set(schemas.map((schema) => JSON.stringify(schema))).size, 1);
  const [schema] = schemas;
  assertEquals(pick(schema, "type"), "object");
  assertEquals(pick(schema, "additionalProperties"), undefined);
  const failed = await client.call("amof_list_ecosystems");
  assert(failed.isError);
  for (const member of (pick(schema, "required") ?? []) as string[]) {
    assert(member in failed.data, `an error has ${member}`);
  }
});

Deno.test("2025-03-26 gets no later members of tools, the envelope all the same, and the text suffices", async () => {
  await using world = await World.withEcosystem();
  await using client = new McpClient(world);
  await client.initialize({ version: "2025-03-26", capabilities: { elicitation: {} } });
  const tools = await toolsOf(client);
  for (const tool of tools) {
    assertEquals(Object.keys(tool).sort(), ["annotations", "description", "inputSchema", "name"]);
  }
  const result = pick(
    await client.request("tools/call", { name: "amof_list_ecosystems" }),
    "result",
  );
  assertEquals(
    rows(result, "structuredContent", "ecosystems").map((entry) => entry["name"]),
    ["demo"],
  );
  assertStringIncludes(String(pick(result, "content", 0, "text")), "demo");
  const asked = pick(
    await client.request("tools/call", {
      name: "amof_install_ecosystem",
      arguments: { ecosystem: "demo", mode: "execute" },
    }),
    "result",
  );
  assertEquals(pick(asked, "isError"), true);
  const text = String(pick(asked, "content", 0, "text"));
  const token = /amof_confirm\(token="([0-9a-f-]{36})", mode="execute"\)/.exec(text)?.[1] ?? "";
  for (const repo of ["api", "web", "docs"]) assertStringIncludes(text, repo);
  assertMatch(text, /Expires: \d{4}-/);
  const cancelled = await client.request("tools/call", {
    name: "amof_cancel_confirm",
    arguments: { token },
  });
  assertStringIncludes(
    String(pick(cancelled, "result", "content", 0, "text")),
    "Cancelled the request",
  );
});

Deno.test("the text of an answer is a rendering with breadcrumb and next steps, never the JSON", async () => {
  await using world = await World.withEcosystem();
  await using client = new McpClient(world);
  await client.initialize();
  const answer = pick(
    await client.request("tools/call", { name: "amof_list_ecosystems" }),
    "result",
  );
  assertEquals(rows(answer, "content").length, 1);
  const text = String(pick(answer, "content", 0, "text"));
  assertMatch(text, /^\[global\] [A-Z][^\n]{1,80}\n/);
  assertMatch(text, /\n\nNext: \[[^\]]+\]\(amof_[a-z_]+\)/);
  assertEquals(typeof pick(answer, "structuredContent", "summary"), "string");
  assert(rows(answer, "structuredContent", "suggested_actions").length > 0);
});

Deno.test("the instructions are short and begin with what the server is for", async () => {
  await using world = await World.make();
  await using client = new McpClient(world);
  const instructions = String(pick(await client.initialize(), "result", "instructions"));
  assert(instructions.length <= 1_500, `${instructions.length} characters`);
  assertMatch(instructions, /^amof .*repositories/);
  for (const tool of instructions.match(/amof_[a-z_]+/g) ?? []) {
    assert((await toolsOf(client)).some((entry) => entry["name"] === tool), `${tool} is listed`);
  }
});

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

Deno.test("aliases can be called and are not listed", async () => {
  await using world = await World.withEcosystem();
  await using client = new McpClient(world);
  await client.initialize();
  assert(!(await toolsOf(client)).some((tool) => tool["name"] === "amof_use_ecosystem"));
  const answer = await client.call("amof_use_ecosystem", { name: "demo" });
  assertEquals(answer.data["active_ecosystem"], "demo");
});

Deno.test("wrong arguments are a result that names each field, and undeclared ones are refused", async () => {
  await using world = await World.withEcosystem();
  await using client = new McpClient(world);
  await client.initialize();
  const wrong = await client.call("amof_get_run_logs", { run_id: 5, tail: 0, levels: "warn" });
  assert(wrong.isError);
  assertEquals(wrong.data["error"], "invalid_arguments");
  assertEquals(rows(wrong.data, "details", "issues").map((issue) => issue["path"]).sort(), [
    "levels",
    "run_id",
    "tail",
  ]);
  assertStringIncludes(wrong.text, 'did you mean "level"?');
  const none = await client.call("amof_set_mode");
  assertEquals(none.data["error"], "invalid_arguments");
  const mode = await client.call("amof_list_ecosystems", { mode: "root" });
  assertEquals(mode.data["error"], "invalid_arguments");
  for (const member of ["_dry_run", "force", "yes", "constructor"]) {
    await client.raw(
      `{"jsonrpc":"2.0","id":"u","method":"tools/call","params":{"name":"amof_list_ecosystems","arguments":{"${member}":true}}}\n`,
    );
    const refused = await client.answer("u");
    assertEquals(
      pick(refused, "result", "structuredContent", "error"),
      "invalid_arguments",
      member,
    );
  }
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
