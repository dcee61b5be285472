/**
 * Runs seen through the server: from the call to the end, across servers, kills and cancellations.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { exists, pick, rows } from "../support/answers.ts";
import { McpClient, type ToolAnswer } from "../support/mcp_client.ts";
import { World } from "../support/world.ts";
import {
  descendants,
  gone,
  type Held,
  holdPush,
  installed,
  type Process,
  processes,
  requestIn,
  startPush,
  workerOf,
} from "./_support.ts";

async function connected(world: World, args: readonly string[] = []): Promise<McpClient> {
  const client = new McpClient(world, args);
  await client.initialize();
  return client;
}

/** An installed world in which the push of `api` waits until it is let go. */
async function slowWorld(): Promise<{ world: World; push: Held }> {
  const world = await installed();
  await world.commitOnFeature("api");
  return { world, push: await holdPush(world, "api") };
}

/** Whether the remote has the feature branch. */
function isPushed(world: World, repo = "api"): Promise<boolean> {
  return world.git(
    `${world.remotes}/${repo}.git`,
    "rev-parse",
    "--verify",
    "--quiet",
    "refs/heads/feature/T-1",
  ).then(() => true, () => false);
}

/** Reads the log of a run in small steps until it has ended; answers its events. */
async function follow(client: McpClient, runId: string): Promise<Record<string, unknown>[]> {
  const events: Record<string, unknown>[] = [];
  let after = 0;
  for (let turn = 0; turn < 400; turn++) {
    const { data } = await client.call("amof_get_run_logs", { run_id: runId, after, tail: 3 });
    const more = rows(data, "events");
    events.push(...more);
    after = Number(data["next_after"]);
    if (more.length > 0) continue;
    if (data["terminal"] === true) return events;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`The log of ${runId} did not end`);
}

/** Checks that a log is whole: numbered from 1 without gaps, from its start to its end. */
function assertWhole(events: readonly Record<string, unknown>[], count: unknown): void {
  assertEquals(events.map((event) => event["seq"]), events.map((_, index) => index + 1));
  assertEquals(events.length, count);
  assertMatch(String(events[0]?.["message"]), /^Queued /);
}

/** Those of some processes that still live. */
async function alive(those: readonly Process[]): Promise<Process[]> {
  const all = await processes();
  return those.filter(({ pid, command }) =>
    all.some((process) => process.pid === pid && process.command === command)
  );
}

/** Ends what a killed worker left, by id. */
async function clear(those: readonly Process[]): Promise<void> {
  const left = await alive(those);
  for (const { pid } of left) {
    try {
      Deno.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
  await gone(left.map((process) => process.pid));
}

async function cancel(client: McpClient, runId: string): Promise<ToolAnswer> {
  const { token } = requestIn(
    await client.call("amof_cancel_run", { run_id: runId, mode: "execute" }),
  );
  const done = await client.call("amof_confirm", { token, mode: "execute" });
  if (done.isError) throw new Error(`The cancellation failed: ${done.text}`);
  return done;
}

/** Kills the worker of a run and waits until it is gone; answers what it had started. */
async function killWorker(world: World, runId: string): Promise<Process[]> {
  const worker = await workerOf(world, runId);
  const started = await descendants(worker);
  Deno.kill(worker, "SIGKILL");
  await gone([worker]);
  return started;
}

Deno.test("install, status, push, follow and summarize: the whole way by tools", async () => {
  await using world = await World.withEcosystem({
    repos: ["api", "web", "docs"],
    readonly: ["docs"],
  });
  await using client = await connected(world, ["--mode", "execute"]);
  await client.call("amof_switch_ecosystem", { ecosystem: "demo" });
  const install = await client.call("amof_confirm", {
    token: requestIn(await client.call("amof_install_ecosystem")).token,
  });
  assertEquals([install.data["action"], install.data["status"]], ["install", "queued"]);
  assertEquals(rows(install.data, "suggested_actions").map((action) => action["tool"]), [
    "amof_get_run_status",
    "amof_get_run_logs",
  ]);
  const installId = String(install.data["run_id"]);
  const log = await follow(client, installId);
  const record = await client.call("amof_get_run_status", { run_id: installId });
  assertEquals([record.data["status"], record.data["exit_code"], record.data["terminal"]], [
    "success",
    0,
    true,
  ]);
  assertEquals([record.data["origin"], record.data["requested_by"]], ["mcp", "test/1.0.0"]);
  assertWhole(log, record.data["event_count"]);
  assertEquals(log.at(-1)?.["type"], "exit");

  const clean = await client.call("amof_get_ecosystem_status", { ecosystem: "demo" });
  assertEquals(
    rows(clean.data, "repos").map((
      repo,
    ) => [repo["name"], repo["branch"], repo["mode"], repo["status"]]),
    [["api", "main", "RW", "OK"], ["web", "main", "RW", "OK"], ["docs", "main", "RO", "OK"]],
  );
  const head = await world.commitOnFeature("api");
  const ahead = await client.call("amof_get_ecosystem_status", { ecosystem: "demo" });
  const [api] = rows(ahead.data, "repos");
  assertEquals([api?.["branch"], api?.["dirty"], api?.["unpushed"]], ["feature/T-1", false, true]);
  assert(head.startsWith(String(api?.["commit"])));
  assert(
    rows(ahead.data, "suggested_actions").some((action) =>
      action["tool"] === "amof_push_ecosystem"
    ),
  );

  const pushId = await startPush(client);
  assert(pushId !== installId);
  const events = await follow(client, pushId);
  const run = await client.call("amof_get_run_status", { run_id: pushId });
  assertEquals([run.data["status"], run.data["action"]], ["success", "push"]);
  assertWhole(events, run.data["event_count"]);
  assertEquals(pick(run.data, "result", "outcome"), "success");
  assertEquals(
    rows(run.data, "result", "repos").map((repo) => [repo["name"], repo["result"]]),
    [["api", "pushed"], ["web", "skipped"], ["docs", "skipped"]],
  );
  assertEquals(await world.git(`${world.remotes}/api.git`, "rev-parse", "feature/T-1"), head);
  const summary = await client.call("amof_summarize_run", { run_id: pushId.slice(0, 8) });
  assertEquals([summary.data["status"], summary.data["exit_code"], summary.data["log_events"]], [
    "success",
    0,
    events.length,
  ]);
  assertEquals([summary.data["errors"], summary.data["last_events"]], [[], []]);
  const list = await client.call("amof_list_runs");
  assertEquals(rows(list.data, "runs").map((entry) => entry["run_id"]), [pushId, installId]);
});

Deno.test("a failed push says which repository failed, and keeps its last lines", async () => {
  await using world = await installed(["api", "web"]);
  await world.commitOnFeature("api");
  await world.commitOnFeature("web");
  const remote = `${world.remotes}/web.git`;
  await world.hook(remote, "pre-receive", "echo no room here >&2\nexit 1");
  await using client = await connected(world);
  const runId = await startPush(client);
  const run = await client.finished(runId);
  assertEquals([run["status"], run["exit_code"], pick(run, "result", "outcome")], [
    "failed",
    5,
    "partial",
  ]);
  assertEquals(rows(run, "result", "repos").map((repo) => [repo["name"], repo["result"]]), [[
    "api",
    "pushed",
  ], ["web", "failed"]]);
  const summary = await client.call("amof_summarize_run", { run_id: runId });
  assert(!summary.isError, "asking about a failed run is no failure");
  const last = rows(summary.data, "last_events");
  assert(last.length > 0 && last.length <= 10);
  assertStringIncludes(JSON.stringify(await follow(client, runId)), "no room here");
  const errors = await client.call("amof_get_run_logs", { run_id: runId, level: "error" });
  assertEquals(rows(errors.data, "events").filter((event) => event["level"] !== "error"), []);
});

Deno.test("a running push is seen by everybody and keeps others out, across servers", async () => {
  const { world, push } = await slowWorld();
  await using _world = world;
  await using client = await connected(world);
  await using other = await connected(world, ["--toolsets", "default,run"]);
  assertEquals((await client.call("amof_get_active_runs")).data["runs"], []);
  const args = { ecosystem: "demo", mode: "execute" };
  const asked = requestIn(await other.call("amof_push_ecosystem", args)).token;
  const runId = await startPush(client);
  await push.reached();
  const late = await other.call("amof_confirm", { token: asked, mode: "execute" });
  assertEquals([late.isError, late.data["error"]], [true, "ecosystem_busy"]);
  for (const server of [client, other]) {
    const active = rows((await server.call("amof_get_active_runs")).data, "runs");
    assertEquals(active.map((run) => [run["run_id"], run["status"], run["action"]]), [[
      runId,
      "running",
      "push",
    ]]);
    const [ecosystem] = rows((await server.call("amof_list_ecosystems")).data, "ecosystems");
    assertEquals(ecosystem?.["active_tasks"], 1);
    const refused = await server.call("amof_push_ecosystem", args);
    assertEquals([refused.isError, refused.data["error"]], [true, "ecosystem_busy"]);
    assertEquals(pick(refused.data, "details", "run_id"), runId);
    assert(
      rows(refused.data, "suggested_actions").some((action) =>
        pick(action, "args", "run_id") === runId
      ),
    );
  }
  const cli = await world.amof(["-e", "demo", "push", "--yes", "--json"]);
  assertEquals([cli.code, cli.json()["error"]], [6, "ecosystem_busy"]);
  // What the run has not done yet is no obstacle to tell of, and no older run is the one to undo.
  await Deno.writeTextFile(`${world.clone("api")}/README.md`, "mine\n");
  const named = `push is running as run ${runId.slice(0, 8)}`;
  for (
    const [tool, more] of [
      ["amof_push_ecosystem", {}],
      ["amof_undo", {}],
      ["amof_ticket_end", { ticket_id: "T-1" }],
    ] as const
  ) {
    const refused = await other.call(tool, { ...args, ...more });
    assertStringIncludes(refused.text, named);
    const planned = await other.call(tool, { ...args, ...more, mode: "plan" });
    assertStringIncludes(planned.text, named);
  }
  // Reading takes no lock.
  assert(!(await other.call("amof_get_ecosystem_status", { ecosystem: "demo" })).isError);
  const status = await other.call("amof_get_run_status", { run_id: runId });
  assertEquals([status.data["terminal"], status.data["exit_code"], status.data["finished_at"]], [
    false,
    null,
    null,
  ]);
  await push.release();
  assertEquals((await client.finished(runId))["status"], "success");
  assertEquals((await client.call("amof_get_active_runs")).data["runs"], []);
  assert(await isPushed(world));
});

Deno.test("kill -9 of the server leaves the run alone: it ends, its log is whole, a new server shows it", async () => {
  const { world, push } = await slowWorld();
  await using _world = world;
  let runId = "";
  {
    await using client = await connected(world);
    runId = await startPush(client);
    await push.reached();
    await client.kill();
  }
  await using later = await connected(world);
  const during = await later.call("amof_get_run_status", { run_id: runId });
  assertEquals([during.data["status"], during.data["terminal"]], ["running", false]);
  await push.release();
  const events = await follow(later, runId);
  const run = await later.call("amof_get_run_status", { run_id: runId });
  assertEquals([run.data["status"], run.data["exit_code"]], ["success", 0]);
  assertWhole(events, run.data["event_count"]);
  assertEquals(events.at(-1)?.["type"], "exit");
  assert(await isPushed(world));
});

Deno.test({
  name: "a host that ends whatever descends from its server leaves the run alone",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const { world, push } = await slowWorld();
    await using _world = world;
    let runId = "";
    {
      await using client = await connected(world);
      runId = await startPush(client);
      await push.reached();
      for (const { pid } of await descendants(client.child.pid)) {
        Deno.kill(pid, "SIGTERM");
      }
      await client.kill();
    }
    await push.release();
    await using later = await connected(world);
    assertEquals((await later.finished(runId))["status"], "success");
    assert(await isPushed(world));
  },
});

Deno.test("kill -9 of the worker makes the run failed and interrupted, and frees the ecosystem", async () => {
  const { world, push } = await slowWorld();
  await using _world = world;
  await using client = await connected(world);
  const runId = await startPush(client);
  await push.reached();
  await clear(await killWorker(world, runId));
  const run = await client.finished(runId);
  assertEquals([run["status"], run["reason"], pick(run, "run_error", "error")], [
    "failed",
    "interrupted",
    "interrupted",
  ]);
  assertWhole(await follow(client, runId), run["event_count"]);
  assertEquals((await client.call("amof_get_active_runs")).data["runs"], []);
  assertEquals(await isPushed(world), false);
  const summary = await client.call("amof_summarize_run", { run_id: runId });
  assert(rows(summary.data, "last_events").length > 0);
  await push.release();
  assertEquals((await client.finished(await startPush(client)))["status"], "success");
  assert(await isPushed(world));
});

Deno.test("what a killed worker leaves behind changes nothing once its run has failed", async () => {
  const { world, push } = await slowWorld();
  await using _world = world;
  await using client = await connected(world);
  const runId = await startPush(client);
  await push.reached();
  const started = await killWorker(world, runId);
  assert(started.some(({ command }) => command.includes("pre-push")), "the hook still runs");
  assertEquals((await client.finished(runId))["status"], "failed");
  const left = await alive(started);
  await clear(left);
  assertEquals(
    left.map((process) => process.command),
    [],
    "the push of the failed run still works",
  );
});

Deno.test("a dead worker's lock is taken over without anybody having looked at its run", async () => {
  const { world, push } = await slowWorld();
  await using _world = world;
  await using client = await connected(world);
  const { token } = requestIn(
    await client.call("amof_push_ecosystem", { ecosystem: "demo", mode: "execute" }),
  );
  const runId = await startPush(client);
  await push.reached();
  await clear(await killWorker(world, runId));
  await push.release();
  const second = await client.call("amof_confirm", { token, mode: "execute" });
  assert(!second.isError, second.text);
  assertEquals((await client.finished(String(second.data["run_id"])))["status"], "success");
  assertEquals((await client.finished(runId))["status"], "failed");
});

Deno.test("amof_cancel_run ends the worker and everything it started", async () => {
  const { world, push } = await slowWorld();
  await using _world = world;
  await using client = await connected(world);
  const runId = await startPush(client);
  await push.reached();
  const worker = await workerOf(world, runId);
  const started = await descendants(worker);
  const hook = started.find(({ command }) => command.includes("pre-push"));
  assert(hook !== undefined && hook.group !== worker, "git and its hook have a group of their own");
  const asked = await client.call("amof_cancel_run", { run_id: runId, mode: "execute" });
  assertEquals([asked.isError, asked.data["error"]], [true, "confirmation_required"]);
  const done = await client.call("amof_confirm", {
    token: requestIn(asked).token,
    mode: "execute",
  });
  assert(!done.isError, done.text);
  assertEquals([done.data["run_id"], done.data["status"]], [runId, "cancelled"]);
  await gone([worker, ...started.map(({ pid }) => pid)]);
  const run = await client.finished(runId);
  assertEquals([run["status"], run["exit_code"], typeof run["cancel_requested_at"]], [
    "cancelled",
    130,
    "string",
  ]);
  assertWhole(await follow(client, runId), run["event_count"]);
  await push.release();
  assertEquals(await isPushed(world), false);
  assertEquals(
    (await client.finished(await startPush(client)))["status"],
    "success",
    "the ecosystem is free again",
  );
});

Deno.test("amof_cancel_run ends also what does not listen to SIGTERM", async () => {
  const { world, push } = await slowWorld();
  await using _world = world;
  const hook = `${world.clone("api")}/.git/hooks/pre-push`;
  await Deno.writeTextFile(
    hook,
    (await Deno.readTextFile(hook)).replace("#!/bin/sh\n", "#!/bin/sh\ntrap '' TERM\n"),
  );
  await world.trust(world.clone("api"));
  await using client = await connected(world);
  const runId = await startPush(client);
  await push.reached();
  const started = await descendants(await workerOf(world, runId));
  assert(started.some(({ command }) => command.includes("pre-push")), "the hook still runs");
  assertEquals((await cancel(client, runId)).data["status"], "cancelled");
  const left = await alive(started);
  await clear(left);
  assertEquals(left.map((process) => process.command), []);
});

Deno.test("amof_cancel_run of a run that has ended is an invalid transition, in every mode", async () => {
  await using world = await installed();
  await world.commitOnFeature("api");
  await using client = await connected(world);
  const runId = await startPush(client);
  await client.finished(runId);
  for (const mode of ["plan", "execute"]) {
    const refused = await client.call("amof_cancel_run", { run_id: runId, mode });
    assertEquals([refused.isError, refused.data["error"]], [true, "invalid_transition"], mode);
    assertEquals(refused.data["confirmation"], undefined);
  }
  const explained = await client.call("amof_cancel_run", { run_id: runId, mode: "ask" });
  assertEquals(explained.data["error"], "mode_insufficient");
  assertEquals(pick(explained.data, "explanation", "blocked_by"), "invalid_transition");
  assertEquals((await client.finished(runId))["status"], "success");
});

Deno.test("a cancellation that comes too late says so and changes nothing", async () => {
  const { world, push } = await slowWorld();
  await using _world = world;
  await using client = await connected(world);
  const runId = await startPush(client);
  await push.reached();
  const { token } = requestIn(
    await client.call("amof_cancel_run", { run_id: runId, mode: "execute" }),
  );
  await push.release();
  await client.finished(runId);
  const late = await client.call("amof_confirm", { token, mode: "execute" });
  assertEquals([late.isError, late.data["error"]], [true, "invalid_transition"]);
  assertEquals((await client.finished(runId))["status"], "success");
});

Deno.test("another session can cancel a run, and the one that started it sees that", async () => {
  const { world, push } = await slowWorld();
  await using _world = world;
  await using client = await connected(world);
  await using other = await connected(world);
  const runId = await startPush(client);
  await push.reached();
  assertEquals((await cancel(other, runId.slice(0, 8))).data["status"], "cancelled");
  const status = await client.call("amof_get_run_status", { run_id: runId });
  assertEquals(status.data["status"], "cancelled");
  assert(
    rows(status.data, "suggested_actions").some((action) => action["tool"] === "amof_get_run_logs"),
  );
});

Deno.test("an install that fails leaves nothing behind and says why", async () => {
  await using world = await World.withEcosystem({ repos: ["api", "web"] });
  await Deno.remove(`${world.remotes}/web.git`, { recursive: true });
  await using client = await connected(world);
  const before = await world.git(world.control, "for-each-ref");
  const { token } = requestIn(
    await client.call("amof_install_ecosystem", { ecosystem: "demo", mode: "execute" }),
  );
  const started = await client.call("amof_confirm", { token, mode: "execute" });
  const run = await client.finished(String(started.data["run_id"]));
  assertEquals([run["status"], run["exit_code"]], ["failed", 1]);
  assertStringIncludes(String(pick(run, "run_error", "message")), "web");
  assertEquals(await exists(world.workspace()), false);
  assertEquals(await world.git(world.control, "for-each-ref"), before);
  assertWhole(await follow(client, String(run["run_id"])), run["event_count"]);
});
