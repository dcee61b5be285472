/**
 * Every message of a whole session against the JSON Schema of the revision that was negotiated.
 *
 * The schemas lie beside the project, in `../shared/data/mcp-schema/`; where that folder is absent these
 * tests are reported as ignored.
 *
 * @module
 */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { Ajv } from "ajv";
import { pick, rows, until } from "../support/answers.ts";
import { answerChecker } from "../support/answer_schema.ts";
import { McpClient, type Message } from "../support/mcp_client.ts";
import type { McpSession } from "../support/mcp_session.ts";
import { World } from "../support/world.ts";
import { Revision, WITHOUT_SCHEMAS } from "./_schemas.ts";
import { TRANSPORTS } from "./_transports.ts";
import { query, requestIn } from "./_support.ts";

/** Makes requests and checks each result against the definition of its kind. */
class Checker {
  constructor(readonly client: McpSession, readonly revision: Revision) {}

  async result(definition: string, method: string, params?: unknown): Promise<Message> {
    const answer = await this.client.request(method, params);
    const result = answer["result"];
    this.revision.check(definition, result);
    return result as Message;
  }

  call(
    name: string,
    args: Record<string, unknown> = {},
    meta?: Record<string, unknown>,
  ): Promise<Message> {
    return this.result("CallToolResult", "tools/call", {
      name,
      arguments: args,
      ...(meta === undefined ? {} : { _meta: meta }),
    });
  }
}

/** A session that meets most kinds of answers: results, refusals, previews, requests, runs and faults. */
async function session(world: World, checker: Checker): Promise<void> {
  const { client } = checker;
  await checker.result("EmptyResult", "ping");
  const { tools } = await checker.result("ListToolsResult", "tools/list");
  for (const tool of tools as unknown[]) checker.revision.check("Tool", tool);
  await checker.call("amof_list_ecosystems");
  await checker.call("amof_describe_ecosystem");
  await checker.call("amof_list_ecosystems", { wrong: true });
  await checker.call("amof_switch_ecosystem", { ecosystem: "demo" });
  await checker.call("amof_install_ecosystem");
  await checker.call("amof_install_ecosystem", { mode: "plan" });
  await checker.call("amof_validate_manifest");
  await checker.call("amof_create_ecosystem", { name: "fresh", mode: "execute" }, {
    progressToken: "create",
  });
  await client.request("tools/call", { name: "amof_nonsense" });
  await client.request("tools/call", {});
  await checker.result("ListResourcesResult", "resources/list");
  await checker.result("ListResourceTemplatesResult", "resources/templates/list");
  await checker.result("ReadResourceResult", "resources/read", { uri: "amof://ecosystems" });
  await client.request("resources/read", { uri: "amof://none" });
  await checker.result("ListPromptsResult", "prompts/list");
  await checker.result("GetPromptResult", "prompts/get", { name: "daily_status" });
  await checker.result("CompleteResult", "completion/complete", {
    ref: { type: "ref/prompt", name: "daily_status" },
    argument: { name: "ecosystem", value: "" },
  });
  await checker.result("EmptyResult", "logging/setLevel", { level: "debug" });
  if (client instanceof McpClient) {
    await client.raw("{\n");
    await client.answer(null);
  }
  await world.install();
  await world.commitOnFeature("api");
  await checker.call("amof_switch_ecosystem", { ecosystem: "demo" });
  await checker.call("amof_get_ecosystem_status", {}, { progressToken: 7 });
  await checker.call("amof_confirm", { token: "none", mode: "execute" });
  await checker.call("amof_set_mode", { mode: "execute" });
  await checker.call("amof_scope_info");
}

const [STDIO, HTTP] = TRANSPORTS;
for (
  const [version, transport] of [
    ["2025-11-25", STDIO],
    ["2025-06-18", STDIO],
    ["2025-03-26", STDIO],
    ["2025-06-18", HTTP],
  ] as const
) {
  Deno.test({
    name:
      `${version}: every message of a session over ${transport.name} is valid (needs ../shared/data/mcp-schema)`,
    ignore: WITHOUT_SCHEMAS,
    async fn() {
      const revision = await Revision.load(version);
      await using world = await World.withEcosystem({ repos: ["api"] });
      await using served = await transport.serve(world);
      await using client = await served.connect();
      const hello = await client.initialize({
        version,
        capabilities: version !== "2025-03-26" ? { elicitation: {} } : {},
      });
      revision.check("InitializeResult", hello["result"]);
      const checker = new Checker(client, revision);
      await session(world, checker);
      let runId = "";
      if (version !== "2025-03-26") {
        const push = checker.call("amof_push_ecosystem");
        const question = await client.asked("elicitation/create");
        revision.check("ElicitRequest", question);
        await client.respond(question, { action: "accept", content: { confirm: true } });
        runId = String(pick(await push, "structuredContent", "run_id"));
      } else {
        const text = String(pick(await checker.call("amof_push_ecosystem"), "content", 0, "text"));
        const token = /token="([0-9a-f-]{36})"/.exec(text)?.[1] ?? "";
        const started = String(
          pick(await checker.call("amof_confirm", { token }), "content", 0, "text"),
        );
        runId = /Run ID: ([0-9a-f-]{36})/.exec(started)?.[1] ?? "";
        await client.send([{ jsonrpc: "2.0", id: "a", method: "ping" }, {
          jsonrpc: "2.0",
          id: "b",
          method: "nonsense",
        }]);
        const batch = await client.wait((message) => Array.isArray(message));
        revision.check("JSONRPCBatchResponse", batch);
      }
      assertEquals(runId.length, 36);
      for (
        const name of [
          "amof_get_run_status",
          "amof_get_run_logs",
          "amof_summarize_run",
          "amof_cancel_run",
        ]
      ) {
        await checker.call(name, {
          run_id: runId,
          mode: name === "amof_cancel_run" ? "plan" : "ask",
        });
      }
      await checker.call("amof_list_runs");
      await until(
        "the run ends",
        () =>
          query(world, "SELECT 1 FROM runs WHERE run_id = ? AND finished_at IS NOT NULL", runId)
            .length === 1,
      );
      await checker.call("amof_summarize_run", { run_id: runId });
      for (const line of client.lines) revision.line(line);
      const progress = client.lines.filter((line) => line.includes("notifications/progress"));
      assert(progress.length > 0);
      for (const line of progress) revision.check("ProgressNotification", JSON.parse(line));
      const logged = client.lines.filter((line) => line.includes("notifications/message"));
      assert(logged.length > 0);
      for (const line of logged) revision.check("LoggingMessageNotification", JSON.parse(line));
    },
  });
}

Deno.test({
  name: "the schema check finds messages of the wrong form (needs ../shared/data/mcp-schema)",
  ignore: WITHOUT_SCHEMAS,
  async fn() {
    for (const version of ["2025-11-25", "2025-06-18", "2025-03-26"]) {
      const revision = await Revision.load(version);
      for (
        const line of [
          "{}",
          '{"jsonrpc":"2.0","id":1.5,"result":{}}',
          '{"jsonrpc":"2.0","id":1,"error":{"code":"x","message":"m"}}',
          '{"jsonrpc":"1.0","id":1,"result":{}}',
        ]
      ) assertThrows(() => revision.line(line), Error, "is no");
      assertThrows(
        () => revision.check("CallToolResult", { content: [{ type: "text" }] }),
        Error,
        "is no",
      );
      assertThrows(
        () => revision.check("InitializeResult", { protocolVersion: version }),
        Error,
        "is no",
      );
    }
  },
});

Deno.test("structuredContent validates against the output schema that was listed, also for errors", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  await using client = new McpClient(world, ["--mode", "execute"]);
  await client.initialize();
  const ajv = new Ajv({ strict: false });
  const checks = new Map(
    rows(await client.request("tools/list"), "result", "tools").map((
      tool,
    ) => [tool["name"], ajv.compile(pick(tool, "outputSchema") as Record<string, unknown>)]),
  );
  const calls: [string, Record<string, unknown>][] = [
    ["amof_list_ecosystems", {}],
    ["amof_describe_ecosystem", {}],
    ["amof_get_run_status", { run_id: "ffffffff" }],
    ["amof_install_ecosystem", { ecosystem: "demo" }],
    ["amof_install_ecosystem", { ecosystem: "demo", mode: "ask" }],
    ["amof_install_ecosystem", { ecosystem: "demo", mode: "plan" }],
    ["amof_set_mode", { mode: "nonsense" }],
  ];
  for (const [name, args] of calls) {
    const { data } = await client.call(name, args);
    assert(checks.get(name)?.(data), `${name} ${JSON.stringify(args)}`);
  }
  assertEquals(
    requestIn(await client.call("amof_install_ecosystem", { ecosystem: "demo" }))["type"],
    "simple",
  );
});

Deno.test("an error of amof and one of agentpack tell a program the same members", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  await using client = new McpClient(world, ["--toolsets", "default,agentpack"]);
  await client.initialize();
  const check = await answerChecker();
  const ours = await client.call("amof_push_ecosystem", { ecosystem: "demo" });
  assertEquals(check(ours.data), null);
  const theirs = await client.call("rollback", { to: "1", yes: true });
  const told = [pick(ours.data, "details"), pick(theirs.data, "errors", 0, "details")];
  for (const details of told) {
    assertEquals(pick(details, "reason_code"), "mode_insufficient");
    assertEquals(pick(details, "next_actions"), ["raise_mode", "retry_command"]);
    assertEquals(pick(details, "mode_required"), "execute");
  }
});

Deno.test("the answers of the command line are as the published schemas say", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const check = await answerChecker();
  for (
    const line of [
      "status --json",
      "push --json",
      "discard --json",
      "sync --json",
      "push --mode ask --json",
      "push --dry-run --json",
      "ecosystem list --json",
      "runs list --json",
      "runs status ffffffff --json",
      "release validate --json",
      "nonsense --json",
    ]
  ) assertEquals(check((await world.amof(line.split(" "))).json()), null, line);
});
