/**
 * The first answer of a server, which it gives before it is loaded: what it says is what it would say later, and a
 * server that refuses to start says nothing.
 *
 * @module
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick } from "../support/answers.ts";
import { McpClient, type Message } from "../support/mcp_client.ts";
import { metaOf } from "../support/modern_call.ts";
import { World } from "../support/world.ts";

/** How servers are started: those that are greeted at once, and some that differ from them by little. */
const STARTS: readonly (readonly [readonly string[], Record<string, string>?])[] = [
  [["mcp", "serve"]],
  [["serve", "--mode", "plan"]],
  [["mcp", "start", "--confirm", "human"]],
  [["mcp", "serve", "--confirm=token", "--mode=execute"]],
  [["mcp", "serve", "--toolsets", "daily"]],
  [["mcp", "serve", "--toolsets=default", "--confirm", "human"]],
  [["mcp", "serve", "--toolsets", "daily,run"]],
  [["mcp", "serve", "--read-only"]],
  [["mcp", "serve", "--max-mode", "plan"]],
  [["mcp", "serve", "--ecosystem", "demo"]],
  [["mcp", "serve", "--read-only", "--max-mode", "plan", "--toolsets", "daily"]],
  [["mcp", "serve", "--max-mode=ask", "--ecosystem", "demo", "--confirm", "human"]],
  [["mcp", "serve", "--max-mode", "execute", "--mode", "execute", "--elicitation", "off"]],
  [["mcp", "serve", "--mode", "plan", "--ecosystem=demo", "--toolsets", "daily"]],
  [["mcp", "serve", "--read-only"], { AMOF_READ_ONLY: "no", AMOF_MAX_MODE: "plan" }],
  [["mcp", "serve", "--mode", "execute"], { AMOF_MAX_MODE: "plan" }],
  [["mcp", "serve", "--toolsets", "default"], { AMOF_TOOLSETS: "run" }],
  [["mcp", "serve"], { AMOF_CONFIRM: "human", AMOF_ECOSYSTEM: "demo", AMOF_MODE: "plan" }],
  [["mcp", "serve"], { AMOF_READ_ONLY: "1" }],
  [["mcp", "serve"], { AMOF_READ_ONLY: "off", AMOF_MODE: "" }],
  [["mcp", "serve"], { AMOF_TOOLSETS: "daily", AMOF_ELICITATION: "off" }],
  [["mcp", "serve"], { AMOF_TOOLSETS: "stocktrim" }],
];

/** A client that declares whatever a server may tell of. */
const ALL = {
  extensions: { "io.modelcontextprotocol/skills": {}, "io.modelcontextprotocol/tasks": {} },
};

const INITIALIZE = {
  protocolVersion: "2025-11-25",
  capabilities: ALL,
  clientInfo: { name: "test", version: "1.0.0" },
};

for (const [words, env = {}] of STARTS) {
  const line = [...Object.entries(env).map((pair) => pair.join("=")), "amof", ...words].join(" ");
  Deno.test(`the first answer of a server is what it answers later: ${line}`, async () => {
    await using world = await World.withEcosystem();
    const start = () => {
      const root = { AMOF_ROOT: world.control };
      return new McpClient(world, [], { ...root, ...env }, { words });
    };
    await using first = start();
    const discover = () => first.request("server/discover", { _meta: metaOf(ALL) });
    const early = await discover();
    assertEquals(early["result"], (await discover())["result"]);
    assertEquals(first.lines.length, 2);
    assertEquals(typeof pick(early, "result", "instructions"), "string");

    await using second = start();
    const greeted = await second.request("initialize", INITIALIZE);
    await using third = start();
    await third.request("ping");
    assertEquals(greeted["result"], (await third.request("initialize", INITIALIZE))["result"]);
  });
}

/** Writes the user file of a world. */
async function writeUserFile(world: World, text: string): Promise<void> {
  const directory = join(world.env["AMOF_HOME"] ?? "", "config");
  await Deno.mkdir(directory, { recursive: true });
  await Deno.writeTextFile(join(directory, "config.yaml"), text);
}

const DISCOVER: Message = {
  jsonrpc: "2.0",
  id: 1,
  method: "server/discover",
  params: { _meta: metaOf({}) },
};

const REFUSED: Readonly<
  Record<string, { args?: readonly string[]; env?: Record<string, string>; file?: string }>
> = {
  "a flag that it does not have": { args: ["--fast"] },
  "a mode that there is not": { args: ["--mode", "reckless"] },
  "a mode above the highest": { args: ["--mode", "execute", "--max-mode", "plan"] },
  "an ecosystem that there is not": { args: ["--ecosystem", "nowhere"] },
  "an ecosystem that the environment names": { env: { AMOF_ECOSYSTEM: "nowhere" } },
  "a flag with an empty value": { args: ["--mode="] },
  "a variable that says nonsense": { env: { AMOF_CONFIRM: "nobody" } },
  "a setting of the environment that says nonsense": { env: { AMOF_JOBS: "many" } },
  "a user file with an error": { file: "jobs: many\n" },
};

for (const [what, { args = [], env = {}, file }] of Object.entries(REFUSED)) {
  Deno.test(`a server that refuses to start greets nobody: ${what}`, async () => {
    await using world = await World.withEcosystem();
    if (file !== undefined) await writeUserFile(world, file);
    await using client = new McpClient(world, args, env);
    await client.send(DISCOVER).catch(() => {});
    const { code, stderr } = await client.end();
    assertEquals([code, client.lines], [2, []]);
    assertStringIncludes(stderr, "Cannot");
  });
}

Deno.test("the first answer of a server with a user file is what it answers later", async () => {
  await using world = await World.withEcosystem();
  await writeUserFile(world, "# mine\njobs: 4\nundo: off\naliases:\n  st: status --json\n");
  await using client = new McpClient(world, ["--read-only"]);
  const discover = () => client.request("server/discover", { _meta: metaOf(ALL) });
  const early = await discover();
  assertEquals(early["result"], (await discover())["result"]);
});

Deno.test("a clone of the control repository beside it greets nobody with an ecosystem that the main one lacks", async () => {
  await using world = await World.withEcosystem();
  const linked = join(world.directory, "linked");
  await world.git(world.control, "worktree", "add", "-q", "-b", "other", linked);
  await Deno.mkdir(join(linked, "ecosystems", "only"), { recursive: true });
  await Deno.writeTextFile(join(linked, "ecosystems", "only", "ecosystem.yaml"), "name: only\n");
  const words = ["mcp", "serve", "--root", linked, "--ecosystem", "only"];
  await using client = new McpClient(world, [], {}, { words });
  await client.send(DISCOVER).catch(() => {});
  const { code, stderr } = await client.end();
  assertEquals([code, client.lines], [2, []]);
  assertStringIncludes(stderr, "Cannot find ecosystem");
});
