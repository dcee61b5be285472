/**
 * Runs as tasks (MCP-21): for clients that declare the extension, in whichever process they ask.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { ahead } from "../support/ahead.ts";
import { pick } from "../support/answers.ts";
import { McpClient, type Message } from "../support/mcp_client.ts";
import { metaOf, modernCall } from "../support/modern_call.ts";
import { ServerOf } from "../support/server.ts";
import type { World } from "../support/world.ts";
import { holdPush, query, runCount, says } from "./_support.ts";

const TASKS = "io.modelcontextprotocol/tasks";
const DECLARED = { elicitation: { form: {} }, extensions: { [TASKS]: {} } };
const PUSH = { name: "amof_push_ecosystem", args: { ecosystem: "demo", mode: "execute" } };

/** Pushes after a person agreed; answers the result of the call. */
async function pushed(client: McpClient, capabilities: unknown): Promise<unknown> {
  const asked = await modernCall(client, PUSH, {}, capabilities);
  const done = await modernCall(client, PUSH, {
    requestState: pick(asked, "result", "requestState"),
    inputResponses: { confirm: { action: "accept", content: { confirm: true } } },
  }, capabilities);
  return done["result"];
}

function about(
  client: McpClient,
  method: string,
  taskId: unknown,
  capabilities: unknown = DECLARED,
): Promise<Message> {
  return client.request(method, { taskId, _meta: metaOf(capabilities) });
}

/** The task once it is over. */
async function ended(client: McpClient, taskId: unknown): Promise<unknown> {
  for (let turn = 0; turn < 400; turn++) {
    const { result } = await about(client, "tasks/get", taskId);
    if (pick(result, "status") !== "working") return result;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("The task did not end");
}

Deno.test("a run is a task for whoever declares them, and found by any process", async () => {
  await using world = await ahead();
  let task: unknown;
  {
    await using first = new McpClient(world);
    const discovered = (capabilities: unknown) =>
      first.request("server/discover", { _meta: metaOf(capabilities) });
    const offered = async (capabilities: unknown) =>
      pick(await discovered(capabilities), "result", "capabilities", "extensions");
    assertEquals(await offered(DECLARED), { [TASKS]: {} });
    assertEquals(await offered({}), undefined);
    task = await pushed(first, DECLARED);
  }
  assertEquals(pick(task, "resultType"), "task");
  assertEquals(pick(task, "status"), "working");
  assertEquals([pick(task, "content"), pick(task, "result")], [undefined, undefined]);
  const taskId = pick(task, "taskId");
  await using second = new McpClient(world);
  const done = await ended(second, taskId);
  assertEquals(pick(done, "status"), "completed");
  assertEquals(pick(done, "result", "resultType"), "complete");
  assertEquals(pick(done, "result", "isError"), false);
  assertEquals(pick(done, "result", "structuredContent", "status"), "success");
  // What is over stays so, and asking it to end or telling it something is acknowledged.
  for (const method of ["tasks/cancel", "tasks/update"]) {
    assertEquals(pick(await about(second, method, taskId), "result", "resultType"), "complete");
  }
  assertEquals(pick(await ended(second, taskId), "status"), "completed");
  for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
    for (const unknown of ["nonsense", String(taskId).slice(0, 8), "", 7]) {
      const refused = await about(second, method, unknown);
      assertEquals(pick(refused, "error", "code"), -32602, `${method} ${unknown}`);
    }
    const undeclared = await about(second, method, taskId, {});
    assertEquals(pick(undeclared, "error", "code"), -32021, method);
    const required = { extensions: { [TASKS]: {} } };
    assertEquals(pick(undeclared, "error", "data", "requiredCapabilities"), required);
  }
});

Deno.test("whoever does not declare tasks gets the run as ever", async () => {
  await using world = await ahead();
  await using client = new McpClient(world);
  const result = await pushed(client, { elicitation: { form: {} } });
  assertEquals(pick(result, "resultType"), "complete");
  assertEquals(pick(result, "structuredContent", "status"), "queued");
});

/** What the newest run has come to. */
function statusOf(world: World): unknown {
  return query(world, "SELECT status FROM runs ORDER BY created_at DESC LIMIT 1")[0]?.["status"];
}

Deno.test({
  name: "a task that is cancelled ends its run, where runs may be ended",
  // Hooks are shell scripts.
  ignore: Deno.build.os === "windows",
  async fn() {
    await using world = await ahead();
    const hook = await holdPush(world, "api");
    await using client = new McpClient(world);
    const taskId = pick(await pushed(client, DECLARED), "taskId");
    await hook.reached();
    {
      await using reading = new McpClient(world, ["--read-only"]);
      const acknowledged = await about(reading, "tasks/cancel", taskId);
      assertEquals(pick(acknowledged, "result", "resultType"), "complete");
      assertEquals(pick(await about(reading, "tasks/get", taskId), "result", "status"), "working");
    }
    await about(client, "tasks/cancel", taskId);
    assertEquals(pick(await ended(client, taskId), "status"), "cancelled");
    assertEquals(statusOf(world), "cancelled");
    const [entry] = query(
      world,
      "SELECT decision, client FROM audit WHERE tool = 'amof_cancel_run' ORDER BY id DESC LIMIT 1",
    );
    assertEquals([entry?.["decision"], entry?.["client"]], ["accepted", "test/1.0.0"]);
  },
});

/** Clients that are sent to pages, and that begin tasks. */
const OPENING = { elicitation: { url: {} }, extensions: { [TASKS]: {} } };

Deno.test({
  name: "a task waits for the person who approves it, and begins once they have",
  // Terminals are POSIX matters.
  ignore: Deno.build.os === "windows",
  async fn(t) {
    await using world = await ahead();
    const human = ["--confirm", "human"];
    await using client = new McpClient(world, human);
    const called = async (capabilities: unknown = DECLARED): Promise<unknown> =>
      (await modernCall(client, PUSH, {}, capabilities))["result"];
    /** The command that a person is told of. */
    const approvalOf = (task: unknown) =>
      String(/amof approve (\w+)$/.exec(String(pick(task, "statusMessage")))?.[1]);

    await t.step("as long as nobody has decided it asks, in any process", async () => {
      const task = await called();
      assertEquals([pick(task, "resultType"), pick(task, "status")], ["task", "input_required"]);
      assertEquals(pick(task, "inputRequests"), undefined);
      await using other = new McpClient(world, human);
      const { result } = await about(other, "tasks/get", pick(task, "taskId"));
      assertEquals([pick(result, "resultType"), pick(result, "status")], [
        "complete",
        "input_required",
      ]);
      assertEquals(pick(result, "inputRequests"), {});
      assertEquals(approvalOf(result), approvalOf(task));
      await using server = await ServerOf.start(world);
      const opening = await about(other, "tasks/get", pick(task, "taskId"), OPENING);
      assertEquals(pick(opening, "result", "inputRequests", "approval", "params"), {
        mode: "url",
        url: `http://localhost:${server.port}/approvals/${approvalOf(task)}`,
        message: "Would push 1 repo. Decide in the browser?",
      });
    });

    await t.step("what is cancelled or declined never begins", async () => {
      const before = await world.fingerprint();
      const cancelled = pick(await called(), "taskId");
      await about(client, "tasks/cancel", cancelled);
      assertEquals(pick(await ended(client, cancelled), "status"), "cancelled");
      const declined = await called();
      assertEquals((await says(world, approvalOf(declined), "n\n")).code, 4);
      const over = await ended(client, pick(declined, "taskId"));
      assertEquals(pick(over, "status"), "completed");
      assertEquals(pick(over, "result", "isError"), true);
      const code = pick(over, "result", "structuredContent", "error");
      assertEquals(code, "confirmation_declined");
      assertEquals(runCount(world), 1, "only the installation");
      assertEquals(await world.fingerprint(), before);
    });

    await t.step("approved it becomes a run, once", async () => {
      const task = await called();
      const taskId = pick(task, "taskId");
      assertEquals((await says(world, approvalOf(task), "y\n")).code, 0);
      assertEquals(runCount(world), 1, "an approval begins nothing by itself");
      const both = await Promise.all([ended(client, taskId), ended(client, taskId)]);
      for (const done of both) {
        assertEquals(pick(done, "status"), "completed");
        assertEquals(pick(done, "taskId"), taskId);
        assertEquals(pick(done, "result", "structuredContent", "status"), "success");
      }
      assertEquals(runCount(world), 2);
      await about(client, "tasks/cancel", taskId);
      assertEquals(pick(await ended(client, taskId), "status"), "completed");
    });
  },
});
