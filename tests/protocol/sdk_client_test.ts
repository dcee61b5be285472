/**
 * The official SDK's own client against the server: an independent reading of the protocol.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
// The SDK's export map hides the types of its `.js` paths from Deno; the comments point at them.
// @ts-types="npm:@modelcontextprotocol/sdk@1.32.2/client"
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
// @ts-types="npm:@modelcontextprotocol/sdk@1.32.2/types"
import { ElicitRequestSchema, ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { pick, rows } from "../support/answers.ts";
import { setUp } from "../support/pack_fixture.ts";
import { READING_MS } from "../support/mcp_session.ts";
import { PackWorld } from "../support/pack_world.ts";
import { World } from "../support/world.ts";
import { releaseWorld } from "../support/release_world.ts";
import { sdkClient, SdkConnection } from "./_sdk.ts";

/** What both clients do the same way before anything is changed. */
async function look(connection: SdkConnection): Promise<void> {
  const { client } = connection;
  assertEquals(client.getServerVersion()?.name, "amof");
  assertEquals(Object.keys(client.getServerCapabilities() ?? {}).sort(), [
    "completions",
    "logging",
    "prompts",
    "resources",
    "tools",
  ]);
  assert((client.getInstructions() ?? "").length > 0);
  await client.ping();
  const { tools } = await client.listTools();
  assert(
    tools.some((tool) => tool.name === "amof_push_ecosystem" && tool.outputSchema !== undefined),
  );
  const described = await connection.call("amof_describe_ecosystem", { ecosystem: "demo" });
  assertEquals(described.data["name"], "demo");
  const refused = await connection.call("amof_describe_ecosystem", { ecosystem: "dmo" });
  assertEquals([refused.isError, refused.data["error"]], [true, "ecosystem_not_found"]);
  const unknown = await client.callTool({ name: "amof_nonsense" }).then(
    () => null,
    (error) => error,
  );
  assert(unknown instanceof McpError && unknown.code === ErrorCode.InvalidParams);
}

/** Checks that the remote has what was pushed. */
async function assertPushed(
  world: World,
  run: Record<string, unknown>,
  head: string,
): Promise<void> {
  assertEquals([run["status"], run["exit_code"]], ["success", 0]);
  assertEquals(await world.git(`${world.remotes}/api.git`, "rev-parse", "feature/T-1"), head);
}

/** Checks that the workspace is gone and the remote as it was. */
async function assertDiscarded(world: World, run: Record<string, unknown>): Promise<void> {
  assertEquals([run["status"], run["exit_code"]], ["success", 0], JSON.stringify(run));
  assert(!await world.exists("control/worktrees/demo"));
  assert((await world.git(`${world.remotes}/api.git`, "rev-parse", "feature/T-1")).length === 40);
}

for (const over of ["standard input and output", "HTTP"]) {
  Deno.test(`the SDK's client over ${over} with an elicitation handler: list, describe, install, status, push, discard`, async () => {
    await using world = await World.withEcosystem({ repos: ["api", "web"] });
    const client = new Client({ name: "sdk", version: "1.0.0" }, {
      capabilities: { elicitation: {} },
    });
    const asked: string[] = [];
    let consent = true;
    client.setRequestHandler(ElicitRequestSchema, async (request) => {
      asked.push(request.params.message.split("\n")[0] ?? "");
      if (!consent) {
        // A person has read it.
        await new Promise((resolve) => setTimeout(resolve, READING_MS));
        return { action: "decline" };
      }
      // Only forms of type-to-confirm commands ask for a name.
      const typed = "name" in (pick(request.params, "requestedSchema", "properties") as object);
      return { action: "accept", content: typed ? { name: "demo" } : { confirm: true } };
    });
    await using connection = over === "HTTP"
      ? await SdkConnection.overHttp(world, client)
      : await SdkConnection.open(world, client);
    await look(connection);
    const mode = await connection.call("amof_set_mode", { mode: "execute" });
    assertEquals(mode.data["mode"], "execute");
    const install = await connection.call("amof_install_ecosystem", { ecosystem: "demo" });
    assertEquals((await connection.finished(install.data["run_id"]))["status"], "success");
    const status = await connection.call("amof_get_ecosystem_status", { ecosystem: "demo" });
    assertEquals(rows(status.data, "repos").map((repo) => repo["status"]), ["OK", "OK"]);
    const head = await world.commitOnFeature("api");
    consent = false;
    const declined = await connection.call("amof_push_ecosystem", { ecosystem: "demo" });
    assertEquals([declined.isError, declined.data["error"]], [true, "confirmation_declined"]);
    consent = true;
    const push = await connection.call("amof_push_ecosystem", { ecosystem: "demo" });
    await assertPushed(world, await connection.finished(push.data["run_id"]), head);
    consent = false;
    const kept = await connection.call("amof_discard_ecosystem", { ecosystem: "demo" });
    assertEquals([kept.isError, kept.data["error"]], [true, "confirmation_declined"]);
    assert(await world.exists("control/worktrees/demo"));
    consent = true;
    const discard = await connection.call("amof_discard_ecosystem", { ecosystem: "demo" });
    await assertDiscarded(world, await connection.finished(discard.data["run_id"]));
    assertEquals(asked, [
      "⚠️ Install demo?",
      "⚠️ Push demo?",
      "⚠️ Push demo?",
      "⚠️ Discard demo?",
      "⚠️ Discard demo?",
    ]);
  });
}

Deno.test("the SDK's client without elicitation: list, describe, install, status, push and discard by token", async () => {
  await using world = await World.withEcosystem({ repos: ["api", "web"] });
  await using connection = await SdkConnection.open(
    world,
    sdkClient(),
  );
  await look(connection);
  const act = async (name: string, typed?: string) => {
    const asked = await connection.call(name, { ecosystem: "demo", mode: "execute" });
    assertEquals([asked.isError, asked.data["error"]], [true, "confirmation_required"]);
    const started = await connection.call("amof_confirm", {
      token: pick(asked.data, "confirmation", "token"),
      mode: "execute",
      ...(typed === undefined ? {} : { typed_value: typed }),
    });
    assert(!started.isError, JSON.stringify(started.data));
    return await connection.finished(started.data["run_id"]);
  };
  assertEquals((await act("amof_install_ecosystem"))["status"], "success");
  const head = await world.commitOnFeature("api");
  const status = await connection.call("amof_get_ecosystem_status", { ecosystem: "demo" });
  assertEquals(rows(status.data, "repos").map((repo) => repo["unpushed"]), [true, false]);
  await assertPushed(world, await act("amof_push_ecosystem"), head);
  const logs = await connection.call("amof_get_run_logs", { after: 0 });
  assertEquals(rows(logs.data, "events").at(-1)?.["type"], "exit");
  await assertDiscarded(world, await act("amof_discard_ecosystem", "demo"));
});

/** Releases the next alpha, and then that version as stable, in whatever way the client is asked. */
async function release(
  world: World,
  connection: SdkConnection,
  act: (name: string, args: Record<string, unknown>) => Promise<Record<string, unknown>>,
): Promise<void> {
  const { client } = connection;
  const status = await connection.call("amof_release_status");
  assertEquals([status.isError, status.data["tag"]], [false, "v0.1.0"]);
  const preview = await connection.call("amof_release_bump", {
    bump_type: "patch",
    pre_release: "alpha",
    mode: "plan",
  });
  assertEquals(pick(preview.data, "preview", "next"), "v0.1.1-alpha.1");
  for (
    const [name, args] of [
      ["amof_release_bump", { bump_type: "patch", pre_release: "alpha" }],
      ["amof_release_promote", {}],
    ] as const
  ) {
    const run = await act(name, args);
    assertEquals([run["status"], run["exit_code"]], ["success", 0], JSON.stringify(run));
  }
  const tags = await world.git(`${world.remotes}/control.git`, "tag", "--list");
  assertEquals(tags.split("\n").sort(), ["v0.1.0", "v0.1.1", "v0.1.1-alpha.1"]);
  const { contents } = await client.readResource({ uri: "amof://releases/v0.1.1" });
  const [content] = contents;
  const record = JSON.parse(content !== undefined && "text" in content ? content.text : "null");
  assertEquals([record.tag, record.recorded, record.record.action, record.record.pushed], [
    "v0.1.1",
    true,
    "promote",
    true,
  ]);
}

Deno.test("the SDK's client with an elicitation handler: bump and promote a release", async () => {
  await using world = await releaseWorld();
  const client = new Client({ name: "sdk", version: "1.0.0" }, {
    capabilities: { elicitation: {} },
  });
  let asked = 0;
  client.setRequestHandler(ElicitRequestSchema, () => {
    asked++;
    return { action: "accept", content: { confirm: true } };
  });
  await using connection = await SdkConnection.open(world, client);
  await release(world, connection, async (name, args) => {
    const started = await connection.call(name, { ...args, mode: "execute" });
    return await connection.finished(started.data["run_id"]);
  });
  assertEquals(asked, 2);
});

Deno.test("the SDK's client without elicitation: bump and promote a release by token", async () => {
  await using world = await releaseWorld();
  await using connection = await SdkConnection.open(
    world,
    sdkClient(),
  );
  await release(world, connection, async (name, args) => {
    const asked = await connection.call(name, { ...args, mode: "execute" });
    assertEquals([asked.isError, asked.data["error"]], [true, "confirmation_required"]);
    const started = await connection.call("amof_confirm", {
      token: pick(asked.data, "confirmation", "token"),
      mode: "execute",
    });
    return await connection.finished(started.data["run_id"]);
  });
});

Deno.test("the SDK's client gets progress, can cancel, and is served many calls at once", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await using connection = await SdkConnection.open(
    world,
    sdkClient(),
  );
  const { client } = connection;
  const steps: number[] = [];
  await client.callTool(
    // The SDK drops what it reads together with the answer, so git runs between this progress and its answer.
    {
      name: "amof_ticket_start",
      arguments: { ecosystem: "demo", ticket_id: "T-1", mode: "execute" },
    },
    undefined,
    {
      onprogress: (progress) => steps.push(progress.progress),
    },
  );
  assert(steps.length > 0);
  assertEquals(steps, [...new Set(steps)].sort((a, b) => a - b), "progress rises");
  const abort = new AbortController();
  abort.abort("not needed");
  const cancelled = await client.callTool({ name: "amof_list_ecosystems" }, undefined, {
    signal: abort.signal,
  }).then(() => false, () => true);
  assert(cancelled);
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => connection.call("amof_list_ecosystems")),
  );
  assertEquals(answers.filter((answer) => answer.isError), []);
});

Deno.test("the SDK's client walks a deploy of agentpack, and accepts its refusals", async () => {
  await using world = await PackWorld.make();
  await setUp(world);
  const client = new Client({ name: "sdk", version: "1" });
  await using connection = await SdkConnection.open(
    world.world,
    client,
    ["--toolsets", "agentpack"],
    world.project,
  );
  assertEquals(client.getServerVersion()?.name, "agentpack");
  assertEquals((await client.listTools()).tools.length, 11);
  const refused = await connection.call("deploy_apply", { yes: true });
  assertEquals([refused.isError, refused.data["ok"]], [true, false]);
  const planned = await connection.call("deploy");
  const token = pick(planned.data, "data", "confirm_token");
  const done = await connection.call("deploy_apply", { yes: true, confirm_token: token });
  assertEquals([done.isError, pick(done.data, "data", "applied")], [false, true]);
  assertEquals(pick((await connection.call("status")).data, "data", "drift"), []);
});
