/**
 * `amof mcp config`: what it prints starts the server, from anywhere, with the flags that were given.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parse } from "@std/toml/parse";
import { pick } from "../support/answers.ts";
import { World } from "../support/world.ts";

/** How one host starts a server. */
interface Entry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Record<string, string>;
}

/** Where each host keeps the servers; Codex has a format of its own. */
const MEMBERS: Readonly<Record<string, string>> = {
  "claude-code": "mcpServers",
  "claude-desktop": "mcpServers",
  cursor: "mcpServers",
  vscode: "servers",
  windsurf: "mcpServers",
  gemini: "mcpServers",
  zed: "context_servers",
  copilot: "mcpServers",
  qwen: "mcpServers",
  cline: "mcpServers",
  amp: "amp.mcpServers",
  mcporter: "mcpServers",
};

/** What hosts in which a model writes code are told besides. */
const FITTING: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  [...Object.keys(MEMBERS), "codex"].filter((host) =>
    host !== "claude-desktop" && host !== "mcporter"
  )
    .map((host) => [host, ["--toolsets", "daily"]]),
);

/** What hosts that show no forms are told besides, as `mcp install` does. */
const CONSENT: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.keys(MEMBERS).filter((host) =>
    !["claude-code", "cursor", "vscode", "copilot"].includes(host)
  ).map((host) => [host, ["--confirm", "human"]]),
);

async function entryOf(world: World, host: string, flags: readonly string[]): Promise<Entry> {
  const ran = await world.amof(["mcp", "config", host, ...flags]);
  assertEquals(ran.code, 0, ran.stderr);
  assertStringIncludes(ran.stderr, "Write this into");
  if (host !== "codex") {
    return pick(JSON.parse(ran.stdout), MEMBERS[host] ?? "", "amof") as Entry;
  }
  return pick(parse(ran.stdout), "mcp_servers", "amof") as Entry;
}

const FLAGS = ["--read-only", "--max-mode", "plan", "--ecosystem", "demo", "--mode", "ask"];

Deno.test("amof mcp config --json is one JSON object for every host", async () => {
  await using world = await World.withEcosystem();
  for (const host of [...Object.keys(MEMBERS), "codex"]) {
    const ran = await world.amof(["mcp", "config", host, "--json"]);
    assertEquals([ran.code, ran.stderr], [0, ""]);
    const entry = pick(ran.json(), MEMBERS[host] ?? "mcp_servers", "amof") as Entry;
    const fitting = [...FITTING[host] ?? [], ...CONSENT[host] ?? []];
    assertEquals(entry.args.slice(-2 - fitting.length), ["mcp", "serve", ...fitting], host);
  }
});

Deno.test("every host is told the same: absolute paths, the control repository, and the flags given", async () => {
  await using world = await World.withEcosystem();
  for (const host of [...Object.keys(MEMBERS), "codex"]) {
    const plain = await entryOf(world, host, []);
    const fitting = [...FITTING[host] ?? [], ...CONSENT[host] ?? []];
    assertEquals(plain.args.slice(-2 - fitting.length), ["mcp", "serve", ...fitting], host);
    assert(plain.command.startsWith("/") || /^[A-Z]:/.test(plain.command), host);
    const handed = host === "gemini" ? { SSH_AUTH_SOCK: "$SSH_AUTH_SOCK" } : {};
    assertEquals(plain.env, { ...handed, AMOF_ROOT: await Deno.realPath(world.control) }, host);
    const { args } = await entryOf(world, host, FLAGS);
    // A server that changes nothing asks nobody.
    const own = plain.args.length - (CONSENT[host] ?? []).length;
    assertEquals(args.slice(own).sort(), FLAGS.toSorted(), host);
  }
});

Deno.test("what is printed starts a server with those flags, whatever the directory", async () => {
  await using world = await World.withEcosystem();
  const { command, args, env } = await entryOf(world, "claude-code", [
    "--read-only",
    "--ecosystem",
    "demo",
    "--mode",
    "plan",
  ]);
  const child = world.spawn(command, [...args], { cwd: "/", env, stdin: true });
  const writer = child.stdin.getWriter();
  const send = (message: unknown) =>
    writer.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
  await send({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "host", version: "1" },
    },
  });
  await send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "amof_scope_info" } });
  await send({ jsonrpc: "2.0", id: 3, method: "tools/list" });
  await writer.close();
  const lines = (await new Response(child.stdout).text()).trim().split("\n");
  await child.stderr.cancel();
  assertEquals((await child.status).code, 0);
  const answer = (id: number) =>
    lines.map((line) => JSON.parse(line)).find((message) => message.id === id);
  assertEquals(pick(answer(2), "result", "structuredContent", "ecosystem"), "demo");
  assertEquals(pick(answer(2), "result", "structuredContent", "mode"), "plan");
  const tools = pick(answer(3), "result", "tools") as { annotations: { readOnlyHint: boolean } }[];
  assert(tools.length > 10 && tools.every((tool) => tool.annotations.readOnlyHint));
});

Deno.test("the server of agentpack needs no control repository and has a name of its own", async () => {
  await using world = await World.make();
  const ran = await world.amof([
    "mcp",
    "config",
    "claude-code",
    "--toolsets",
    "agentpack",
    "--project-root",
    "shop",
  ]);
  assertEquals(ran.code, 0, ran.stderr);
  const entry = pick(JSON.parse(ran.stdout), "mcpServers", "agentpack") as Entry;
  const project = `${world.directory}/shop`;
  assertEquals(entry.args.slice(-6), [
    "mcp",
    "serve",
    "--toolsets",
    "agentpack",
    "--project-root",
    project,
  ]);
  assertEquals(entry.env, {});
  const codex = await world.amof(["mcp", "config", "codex", "--toolsets", "agentpack"]);
  assertStringIncludes(codex.stdout, "[mcp_servers.agentpack]");
});

Deno.test("a name that is wrong is told at once", async () => {
  await using world = await World.withEcosystem();
  for (const flags of [["--toolsets", "rnu"], ["--tools", "amof_psh"], ["--max-mode", "root"]]) {
    const ran = await world.amof(["mcp", "config", "cursor", ...flags]);
    assertEquals([ran.code, ran.stdout], [2, ""], flags.join(" "));
  }
});
