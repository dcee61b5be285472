/**
 * The MCP server of agentpack: its tools, its arguments, the project it works in.
 *
 * @module
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import { pick } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { setUp, snapshot } from "../support/pack_fixture.ts";
import { PackWorld } from "../support/pack_world.ts";
import { serve, TOOLS } from "./_agentpack.ts";

Deno.test("the server is named agentpack, has exactly eleven tools, and answers as the command line does", async () => {
  await using world = await PackWorld.make();
  await setUp(world);
  await snapshot(world, { target: "codex" });
  await world.write(join(world.project, "AGENTS.md"), "edited\n");
  await using client = serve(world);
  const answer = await client.initialize();
  assertEquals(pick(answer, "result", "serverInfo", "name"), "agentpack");
  assertEquals(pick(answer, "result", "protocolVersion"), "2025-06-18");
  const list = pick(await client.request("tools/list"), "result", "tools") as { name: string }[];
  assertEquals(list.map(({ name }) => name), TOOLS);
  const both: readonly (readonly [string, Record<string, unknown>, readonly string[]])[] = [
    ["plan", {}, ["plan"]],
    ["plan", { profile: null, target: "all", dry_run: true }, ["plan"]],
    ["diff", { target: "vscode" }, ["diff", "--target", "vscode"]],
    ["preview", { diff: true }, ["preview", "--diff"]],
    ["status", { only: ["missing"] }, ["status", "--only", "missing"]],
    ["doctor", { target: "codex" }, ["doctor", "--target", "codex"]],
    ["explain", { kind: "plan" }, ["explain", "plan"]],
    ["explain", { kind: "diff" }, ["explain", "diff"]],
    ["explain", { kind: "status" }, ["explain", "status"]],
    ["deploy_apply", { yes: true, dry_run: true, confirm_token: "" }, ["deploy"]],
    ["evolve_propose", { dry_run: true }, ["evolve", "propose", "--dry-run"]],
    ["evolve_restore", { dry_run: true }, ["evolve", "restore", "--dry-run"]],
    ["plan", { repo: "/nowhere" }, ["plan", "--repo", "/nowhere"]],
    ["plan", { target: "zed" }, ["plan", "--target", "zed"]],
    ["plan", { target: "emacs" }, ["plan", "--target", "emacs"]],
    ["plan", { profile: "none such" }, ["plan", "--profile", "none such"]],
  ];
  const ran = await Promise.all(both.map(async ([name, args, words]) => ({
    words,
    tool: await client.call(name, args),
    line: await world.world.amof(["agentpack", ...words, "--json"], {
      cwd: world.project,
      env: { AGENTPACK_MACHINE_ID: "box" },
    }),
  })));
  for (const { words, tool, line } of ran) {
    const expected = line.json();
    if (expected["ok"] === false) expected["command"] = words.slice(0, 1).join(".");
    const called = { ...tool.data };
    if (called["command_id"] === "deploy --apply") {
      Object.assign(expected, {
        command_id: "deploy --apply",
        command_path: ["deploy", "--apply"],
      });
    }
    assertEquals(called, expected, words.join(" "));
    assertEquals(JSON.parse(tool.text), tool.data);
    assertEquals(tool.isError, expected["ok"] === false);
  }
  assertEquals(ran[7]?.tool.data["command"], "explain.diff");
  assertEquals(ran[5]?.tool.data["command_id"], "doctor");
});

Deno.test("malformed arguments are results with E_INVALID_ARGUMENTS; only an unknown tool is a protocol error", async () => {
  await using world = await PackWorld.make();
  await using client = serve(world);
  await client.initialize();
  const wrong: readonly (readonly [string, unknown, string])[] = [
    ["plan", { tarket: "codex" }, 'did you mean "target"'],
    ["plan", { profile: 1 }, '"profile" must be a string'],
    ["plan", { dry_run: "yes" }, '"dry_run" must be a boolean'],
    ["status", { only: "missing" }, '"only" must be a list'],
    [
      "status",
      { only: ["missing", "nothing"] },
      'must be missing, modified or extra, not "nothing"',
    ],
    ["explain", {}, '"kind" is missing'],
    ["explain", { kind: "else" }, '"kind" must be plan, diff or status'],
    ["rollback", { yes: true }, '"to" is missing'],
    ["rollback", { to: null, yes: true }, '"to" is missing'],
    ["doctor", { profile: "default" }, 'no argument "profile"'],
    ["evolve_propose", { scope: "user", yes: true }, '"scope" must be global, machine or project'],
    ["deploy_apply", { yes: "true", confirm_token: "x" }, '"yes" must be a boolean'],
    ["plan", [], "no argument"],
    ["plan", "text", "no argument"],
    ["plan", { constructor: 1 }, "no argument"],
  ];
  for (const [name, args, message] of wrong) {
    const answer = await client.request("tools/call", { name, arguments: args });
    const result = pick(answer, "result") as { isError: boolean; structuredContent: unknown };
    assertEquals(result?.isError, true, JSON.stringify(answer));
    assertEquals(pick(result.structuredContent, "errors", 0, "code"), "E_INVALID_ARGUMENTS");
    assertStringIncludes(String(pick(result.structuredContent, "errors", 0, "message")), message);
    assertEquals(
      pick(result.structuredContent, "errors", 0, "details", "reason_code"),
      "invalid_arguments",
    );
  }
  const unknown = await client.request("tools/call", { name: "deploi", arguments: {} });
  assertEquals(pick(unknown, "error", "code"), -32602);
  assertStringIncludes(String(pick(unknown, "error", "message")), "did you mean deploy?");
  assertEquals(await world.read(join(world.root, "state", "lock")), null);
});

Deno.test("weakness 9.11: the project comes from flag, environment, the working directory, or the client's roots", async () => {
  await using world = await PackWorld.make();
  await setUp(world, "  cursor: { mode: files, scope: project }");
  const other = join(world.world.directory, "other");
  await Deno.mkdir(other);
  const projects = async (client: McpClient, roots: readonly string[] | null) => {
    await client.initialize(roots === null ? {} : { capabilities: { roots: {} } });
    const planning = client.call("plan");
    if (roots !== null) {
      const request = await client.asked("roots/list");
      await client.respond(request, {
        roots: roots.map((path) => ({ uri: toFileUrl(path).href })),
      });
    }
    const answer = await planning;
    const [change] = pick(answer.data, "data", "changes") as { path: string }[];
    return [
      change?.path.slice(0, change.path.indexOf("/.cursor")),
      (answer.data["warnings"] as string[]).filter((line) => line.includes("root")).length,
    ];
  };
  {
    await using client = serve(world, ["--project-root", other], {}, "/");
    assertEquals(await projects(client, null), [other, 0]);
  }
  {
    await using client = serve(world, [], { AGENTPACK_PROJECT_ROOT: other });
    assertEquals(await projects(client, null), [other, 0]);
  }
  {
    await using client = serve(world, [], {}, world.home);
    assertEquals(await projects(client, ["/nowhere/at/all", other, world.project]), [other, 1]);
  }
  {
    await using client = serve(world, [], {}, "/");
    assertEquals(await projects(client, [world.project]), [world.project, 0]);
  }
  {
    await using client = serve(world, [], {}, world.home);
    assertEquals(await projects(client, null), [undefined, 1]);
  }
  {
    await using client = serve(world, [], {}, other);
    assertEquals(await projects(client, null), [other, 1]);
  }
});
