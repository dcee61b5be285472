/**
 * Skills (MCP-22): our own and those of agentpack's configuration, to read, in the revisions with a session and without.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { pick, rows } from "../support/answers.ts";
import { McpClient, type Message } from "../support/mcp_client.ts";
import { metaOf } from "../support/modern_call.ts";
import { MODULES, setUp, TARGETS } from "../support/pack_fixture.ts";
import { PackWorld } from "../support/pack_world.ts";
import { sha256 } from "../../src/base/hash.ts";
import { serve } from "./_agentpack.ts";

const SKILLS = "io.modelcontextprotocol/skills";
const DECLARED = { extensions: { [SKILLS]: {} } };
const BOTH = ["--toolsets", "daily,agentpack"];
const TIDY = "skill://agentpack/tidy/SKILL.md";

function ask(client: McpClient, method: string, params: Message = {}): Promise<Message> {
  return client.request(method, { ...params, _meta: metaOf(DECLARED) });
}

const bytesOf = (base64: unknown) => Uint8Array.from(atob(String(base64)), (c) => c.charCodeAt(0));

/** Reads every file of every skill, and holds hash and size against what was told of it; answers the URIs. */
async function verified(client: McpClient, more: Message): Promise<string[]> {
  const { result } = await client.request("skills/list", more);
  const found: string[] = [];
  for (const skill of rows(result, "skills")) {
    for (const file of rows(skill, "resources")) {
      const uri = String(file["uri"]);
      const read = await client.request("resources/read", { uri, ...more });
      const content = pick(read, "result", "contents", 0);
      const text = pick(content, "text");
      const bytes = typeof text === "string"
        ? new TextEncoder().encode(text)
        : bytesOf(pick(content, "blob"));
      assertEquals(file, { uri, digest: `sha256:${sha256(bytes)}`, size: bytes.length });
      found.push(uri);
    }
  }
  return found;
}

Deno.test("skills are listed with hash and size of their files, and read, in every revision", async () => {
  await using world = await PackWorld.make();
  await setUp(world);
  await world.write("m/tidy/mark.png", Uint8Array.of(0x89, 0x50, 0, 1, 0xff));
  await world.write("m/tidy/with space.md", "\ufeffMarked\n");
  const expected = [
    "skill://agentpack-operator/SKILL.md",
    "skill://amof/SKILL.md",
    TIDY,
    "skill://agentpack/tidy/mark.png",
    "skill://agentpack/tidy/scripts/run.sh",
    "skill://agentpack/tidy/with%20space.md",
  ];
  {
    await using client = serve(world, BOTH);
    const told = await ask(client, "server/discover");
    assertEquals(pick(told, "result", "capabilities", "extensions"), { [SKILLS]: {} });
    assertEquals(await verified(client, { _meta: metaOf(DECLARED) }), expected);
    const got = await ask(client, "skills/get", { uri: TIDY });
    assertEquals(pick(got, "result", "skill", "frontmatter"), {
      name: "tidy",
      description: "Sort imports.",
    });
    assertEquals(pick(got, "result", "ttlMs"), 0);
    for (const uri of ["skill://agentpack/other/SKILL.md", "skill://amof/", TIDY.slice(0, -3)]) {
      const unknown = await ask(client, "skills/get", { uri });
      assertEquals(pick(unknown, "error", "code"), -32602);
      const unread = await ask(client, "resources/read", { uri });
      assertEquals(pick(unread, "error", "code"), -32602);
    }
    const undeclared = await client.request("skills/list", { _meta: metaOf({}) });
    assertEquals(pick(undeclared, "error", "code"), -32021);
  }
  await using client = serve(world, BOTH);
  const early = await client.request("skills/list", {});
  assertEquals(pick(early, "error", "code"), -32600);
  const begun = await client.request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: DECLARED,
    clientInfo: { name: "test", version: "1" },
  });
  assertEquals(pick(begun, "result", "capabilities", "extensions"), { [SKILLS]: {} });
  client.notify("notifications/initialized");
  assertEquals(await verified(client, {}), expected);
  const unknown = await client.request("skills/get", { uri: "skill://amof/OTHER.md" });
  assertEquals(pick(unknown, "error", "code"), -32602);
  const none = await client.request("skills/put", {});
  assertEquals(pick(none, "error", "code"), -32601);
});

Deno.test("a skill that no host would take is left out, and without agentpack there is only our own", async () => {
  await using world = await PackWorld.make();
  const skill = (id: string) =>
    `\n  - { id: "skill:${id}", type: skill, tags: [base], source: { local_path: { path: m/${id} } } }`;
  await setUp(world, TARGETS, `${MODULES}${skill("loud")}${skill("broken")}${skill("other")}`);
  const head = (name: string) => `---\nname: ${name}\ndescription: About it.\n---\n`;
  await world.write("m/loud/SKILL.md", head("LOUD and clear"));
  await world.write("m/broken/SKILL.md", "No head\n");
  await world.write("m/other/SKILL.md", head("else"));
  const listed = async (client: McpClient) =>
    rows((await ask(client, "skills/list"))["result"], "skills").map(({ uri }) => uri);
  {
    await using client = serve(world, BOTH);
    assertEquals((await listed(client)).slice(2), [
      "skill://agentpack/other/else/SKILL.md",
      TIDY,
    ]);
  }
  const own = ["--toolsets", "daily"];
  await using client = new McpClient(world.world, own, {}, { words: ["mcp", "serve"] });
  assertEquals(await listed(client), ["skill://amof/SKILL.md"]);
  const read = await ask(client, "resources/read", { uri: "skill://amof/SKILL.md" });
  const text = String(pick(read, "result", "contents", 0, "text"));
  assertStringIncludes(text, "name: amof");
  assert(text.includes("amof status"));
});
