/**
 * A server that is bound to a ticket: every tool there is, and whatever else it answers.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { COMMANDS } from "../../src/pipeline/registry.ts";
import { isForTicket } from "../../src/contract/mod.ts";
import { pick, rows } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { makeTicket } from "../support/ticket_workspace.ts";
import { World } from "../support/world.ts";
import { requestIn } from "./_support.ts";

/** Two tickets of one ecosystem, each with a commit, and another ecosystem. */
function withTickets(): Promise<World> {
  return World.like("two tickets beside another ecosystem", async (world) => {
    await world.makeInstalled({ repos: ["api", "web"] });
    await world.addEcosystem("shop", { repos: [] });
    for (const id of ["PROJ-1", "PROJ-2"]) {
      const clone = join(await makeTicket(world, id), "repos", "api");
      await Deno.writeTextFile(join(clone, "work.txt"), `${id}\n`);
      await world.git(clone, "add", ".");
      await world.git(clone, "commit", "--quiet", "-m", `Work on ${id}`);
    }
  });
}

async function bound(world: World, ...flags: string[]): Promise<McpClient> {
  const client = new McpClient(world, [
    ...["--ecosystem", "demo", "--ticket", "PROJ-1", "--mode", "execute", "--toolsets", "all"],
    ...flags,
  ]);
  await client.initialize();
  return client;
}

/** Some value that a member of an input takes. */
function some(schema: Record<string, unknown>): unknown {
  if (Array.isArray(schema["enum"])) return schema["enum"][0];
  return schema["type"] === "array" ? ["x"] : schema["type"] === "integer" ? 1 : "xxxx";
}

Deno.test("every tool of a bound server is confined to its ticket, and every other one is refused", async () => {
  await using world = await withTickets();
  await using client = await bound(world);
  const tools = new Map(
    rows(await client.request("tools/list", {}), "result", "tools").map((
      tool,
    ) => [tool["name"], tool]),
  );
  // A member that is not listed is refused all the same.
  const all = await client.call("amof_get_ecosystem_status", { all_tickets: true });
  assertEquals(all.data["error"], "ticket_scope");
  assertStringIncludes(String(all.data["message"]), "for all tickets");
  const before = await world.fingerprint();
  for (const command of COMMANDS.filter(({ mcp }) => mcp !== "never")) {
    const tool = tools.get(command.name);
    assertEquals(tool !== undefined, isForTicket(command), command.name);
    if (tool === undefined) {
      const refused = await client.call(command.name, {});
      assertEquals(refused.data["error"], "tool_not_available", command.name);
      assertStringIncludes(String(refused.data["message"]), "bound to ticket PROJ-1");
      continue;
    }
    const { required = [], properties } = tool["inputSchema"] as {
      required?: string[];
      properties: Record<string, Record<string, unknown>>;
    };
    const args = Object.fromEntries(required.map((name) => [name, some(properties[name] ?? {})]));
    const outside = [
      ...(command.scope === "ecosystem" ? [{ ecosystem: "shop" }] : []),
      ...(command.inTicket === "its workspace" ? [{ ticket: "PROJ-2" }, { ticket: "main" }] : []),
      ...("all_tickets" in properties ? [{ all_tickets: true }] : []),
    ];
    for (const more of outside) {
      const refused = await client.call(command.name, { ...args, ...more });
      assertEquals(
        refused.data["error"],
        "ticket_scope",
        `${command.name} ${JSON.stringify(more)}`,
      );
    }
  }
  assertEquals(await world.changesSince(before), []);
});

Deno.test("a bound server sees its ticket, its runs and its names, and leads nowhere else", async () => {
  await using world = await withTickets();
  await world.addRemote("docs");
  assertEquals((await world.amof(["-e", "demo", "-t", "PROJ-2", "push", "--yes"])).code, 0);
  const listed = await world.amof(["runs", "list", "--json"]);
  const foreign = String(rows(listed.json(), "runs")[0]?.["run_id"]);
  await using client = await bound(world);

  const status = await client.call("amof_get_ecosystem_status");
  assertEquals(pick(status.data, "workspace", "ticket"), "PROJ-1");
  assertEquals(pick(status.data, "_context", "breadcrumb"), "global > demo > PROJ-1");
  assertEquals((await client.call("amof_list_runs")).data["runs"], []);
  assertEquals((await client.call("amof_list_runs", { ecosystem: "shop" })).data["runs"], []);
  for (const tool of ["amof_get_run_status", "amof_get_run_logs", "amof_cancel_run"]) {
    const refused = await client.call(tool, { run_id: foreign });
    assertEquals(refused.data["error"], "run_not_found", tool);
  }
  const back = await client.call("amof_scope_back", { to_global: true });
  assertEquals([back.data["breadcrumb"], back.data["moved"]], ["global > demo > PROJ-1", false]);

  const asked = await client.call("amof_push_ecosystem");
  const started = await client.call("amof_confirm", { token: requestIn(asked).token });
  assert(!started.isError, started.text);
  await client.finished(String(started.data["run_id"]));
  const bare = join(world.remotes, "api.git");
  assertEquals(
    await world.git(bare, "log", "-1", "--format=%s", "feature/PROJ-1"),
    "Work on PROJ-1",
  );
  assertEquals(
    rows((await client.call("amof_list_runs")).data, "runs").map(({ ticket }) => ticket),
    ["PROJ-1"],
  );

  const resources = rows(await client.request("resources/list", {}), "result", "resources");
  const uris = resources.map(({ uri }) => String(uri));
  assertEquals(uris.filter((uri) => uri.includes("ecosystems")), [
    "amof://ecosystems/demo/manifest",
  ]);
  assertEquals(uris.filter((uri) => uri.includes(foreign)), []);
  const prompts = rows(await client.request("prompts/list", {}), "result", "prompts");
  assertEquals(prompts.filter(({ name }) => name === "discard" || name === "deploy"), []);
});

Deno.test("a server is bound by the environment, too, and not to what has no workspace", async () => {
  await using world = await withTickets();
  const tools = async (env: Record<string, string>) => {
    await using client = new McpClient(world, ["--ecosystem", "demo"], env);
    await client.initialize();
    return rows(await client.request("tools/list", {}), "result", "tools").map(({ name }) => name);
  };
  assert(!(await tools({ AMOF_TICKET: "PROJ-1" })).includes("amof_install_ecosystem"));
  const refused = async (...flags: string[]) => {
    const ran = await world.amof(["mcp", "serve", "--ecosystem", "demo", ...flags], {
      apart: true,
    });
    return [ran.code, ran.stderr] as const;
  };
  const [unknown, said] = await refused("--ticket", "PROJ-9");
  assertEquals(unknown, 2);
  assertStringIncludes(said, "Tickets with a workspace: PROJ-1 and PROJ-2");
  const [beside, why] = await refused("--ticket", "PROJ-1", "--toolsets", "default,agentpack");
  assertEquals(beside, 2);
  assertStringIncludes(why, "Cannot serve the tools of agentpack");
});
