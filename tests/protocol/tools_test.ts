/**
 * The tools as a host sees them: names, hints, schemas, size, text.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { pick, rows } from "../support/answers.ts";
import { McpClient, type Message } from "../support/mcp_client.ts";
import { World } from "../support/world.ts";
import { toolsOf } from "./_tools.ts";

/** The hints that every tool has. */
const HINTS = ["destructiveHint", "idempotentHint", "openWorldHint", "readOnlyHint"];

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
  assertEquals(
    hints.get("amof_create_ecosystem"),
    [false, false, true, false],
    "it may ask remotes for their branches",
  );
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

Deno.test("2025-03-26 gets no later members of tools and results, and the text suffices", async () => {
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
  assertEquals(Object.keys(result as Message).sort(), ["content", "isError"]);
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
