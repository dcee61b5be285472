/**
 * The modes ask, plan and execute, and the scope a session stands in.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { findCommand } from "../../src/pipeline/registry.ts";
import { exists, pick, rows } from "../support/answers.ts";
import { McpClient, type ToolAnswer } from "../support/mcp_client.ts";
import { World } from "../support/world.ts";
import { TRANSPORTS } from "./_transports.ts";
import { codeOf, installed, requestIn, runCount, startPush } from "./_support.ts";

async function connected(world: World, args: readonly string[] = []): Promise<McpClient> {
  const client = new McpClient(world, args);
  await client.initialize();
  return client;
}

function contextOf(answer: ToolAnswer, member: string): unknown {
  return pick(answer.data, "_context", member);
}

/** Mutations with right arguments: those that need a confirmation, then those that need none. */
const MUTATIONS: readonly (readonly [string, Record<string, unknown>])[] = [
  ["amof_install_ecosystem", { ecosystem: "shop" }],
  ["amof_push_ecosystem", { ecosystem: "demo" }],
  ["amof_create_ecosystem", { name: "fresh", repos: ["api=https://host.invalid/api.git"] }],
  ["amof_sync_ecosystem", { ecosystem: "demo" }],
  ["amof_ticket_start", { ecosystem: "demo", ticket_id: "T-9" }],
  ["amof_create_journal", { ecosystem: "demo", title: "A note" }],
];

/** A world with `demo` installed and work to push, and `shop` not installed. */
function busyWorld(repos: readonly string[] = ["api"]): Promise<World> {
  return World.like(`busy ${JSON.stringify(repos)}`, async (world) => {
    await world.makeInstalled({ repos });
    await world.commitOnFeature("api");
    await world.addEcosystem("shop", { repos: ["till"] });
  });
}

for (const transport of TRANSPORTS) {
  Deno.test(`mode ask, the default, explains every mutation and changes nothing, over ${transport.name}`, async () => {
    await using world = await busyWorld();
    await using served = await transport.serve(world);
    await using client = await served.connect();
    await client.initialize();
    const before = await world.fingerprint();
    const runs = runCount(world);
    for (const [name, args] of MUTATIONS) {
      const answer = await client.call(name, args);
      assert(answer.isError, name);
      assertEquals(answer.data["error"], "mode_insufficient", name);
      assertEquals(contextOf(answer, "mode"), "ask");
      const explanation = answer.data["explanation"];
      assertMatch(String(pick(explanation, "summary")), /^Would /, name);
      assert(rows(explanation, "effects").length > 0, name);
      assert(String(pick(explanation, "current_state")).length > 5, name);
      assert(Array.isArray(pick(explanation, "alternatives")), name);
      for (const line of pick(explanation, "alternatives") as string[]) {
        // The session stands in no ecosystem, so that a call without one would be refused.
        const tool = findCommand(/\b(amof_\w+)\(/.exec(line)?.[1] ?? "");
        if (tool?.scope === "ecosystem") assertMatch(line, /ecosystem="(?:demo|shop)"/, name);
      }
      assertStringIncludes(String(answer.data["hint"]), 'amof_set_mode(mode="plan")');
      assertStringIncludes(String(answer.data["hint"]), 'amof_set_mode(mode="execute")');
      // Hosts that show only the text must get the same information.
      assertStringIncludes(answer.text, String(pick(explanation, "summary")));
      assertStringIncludes(answer.text, String(pick(explanation, "effects", 0)));
      assertStringIncludes(answer.text, String(pick(explanation, "current_state")));
      assertStringIncludes(answer.text, 'amof_set_mode(mode="plan")');
      assertEquals(
        rows(answer.data, "suggested_actions").filter((action) =>
          action["mode_required"] !== "ask"
        ),
        [],
        name,
      );
    }
    const push = await client.call("amof_push_ecosystem", { ecosystem: "demo" });
    assert(
      rows(push.data, "explanation", "alternatives").length > 0,
      "what is dangerous has alternatives",
    );
    assertEquals(await world.fingerprint(), before);
    assertEquals(runCount(world), runs);
  });
}

Deno.test("mode ask shows only the ways on that whoever started the server allows", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  for (const [most, way] of [["plan", "not allowed here"], ["ask", "--max-mode"]] as const) {
    await using client = await connected(world, ["--max-mode", most]);
    const answer = await client.call("amof_install_ecosystem", { ecosystem: "demo" });
    const hint = String(answer.data["hint"]);
    assertStringIncludes(hint, way);
    assertEquals(hint.includes('mode="execute"'), false);
    assertEquals(hint.includes('mode="plan"'), most === "plan");
    if (most === "plan") {
      const args = { ecosystem: "demo", mode: "plan" };
      const previewed = await client.call("amof_install_ecosystem", args);
      assertStringIncludes(String(previewed.data["execute_hint"]), "not allowed here");
    }
    const large = await client.call("amof_list_runs", { limit: 100_000 });
    assertStringIncludes(String(large.data["message"]), "limit must be at most 200");
  }
});

Deno.test("mode ask explains also what stands in the way", async () => {
  await using world = await World.withEcosystem();
  await using client = await connected(world);
  const answer = await client.call("amof_push_ecosystem", { ecosystem: "demo" });
  assertEquals(answer.data["error"], "mode_insufficient");
  assertEquals(pick(answer.data, "explanation", "blocked_by"), "workspace_not_installed");
  assertStringIncludes(String(pick(answer.data, "explanation", "current_state")), "not installed");
});

for (const transport of TRANSPORTS) {
  Deno.test(`mode plan previews with facts, also what needs no confirmation, and changes nothing, over ${transport.name}`, async () => {
    await using world = await busyWorld();
    await using served = await transport.serve(world, { mode: "plan" });
    await using client = await served.connect();
    await client.initialize();
    const before = await world.fingerprint();
    const runs = runCount(world);
    for (const [name, args] of MUTATIONS) {
      const confirmable = name === "amof_install_ecosystem" || name === "amof_push_ecosystem";
      for (const extra of confirmable ? [{}, { confirm: true }] : [{}]) {
        const answer = await client.call(name, { ...args, ...extra });
        assert(!answer.isError, name);
        assertMatch(String(answer.data["summary"]), /^\[plan\] Would /);
        assertEquals(answer.data["would_execute"], false);
        assertEquals(answer.data["action"], name);
        assertEquals(typeof answer.data["preview"], "object");
        assertEquals(answer.data["confirmation"], undefined, "a preview hands out no token");
        assert(rows(answer.data, "effects").length > 0);
        assertStringIncludes(String(answer.data["execute_hint"]), 'mode="execute"');
        assertStringIncludes(answer.text, String(answer.data["execute_hint"]));
      }
    }
    assertEquals(await world.fingerprint(), before);
    assertEquals(runCount(world), runs);
  });
}

Deno.test("the preview of a push says which repository goes where", async () => {
  await using world = await busyWorld(["api", "web"]);
  await using client = await connected(world);
  const head = await world.git(world.clone("api"), "rev-parse", "HEAD");
  const { data, text } = await client.call("amof_push_ecosystem", {
    ecosystem: "demo",
    mode: "plan",
  });
  assertEquals(data["repos_affected"], ["api"]);
  const [repo] = rows(data, "preview", "repos");
  assertEquals(
    [
      repo?.["name"],
      repo?.["branch"],
      repo?.["remote"],
      repo?.["ahead"],
      repo?.["head"],
      repo?.["new_branch"],
    ],
    ["api", "feature/T-1", "origin", 1, head, true],
  );
  assertEquals(rows(data, "preview", "skipped").map((entry) => entry["reason"]), [
    "nothing_to_push",
  ]);
  assertMatch(text, /api {2}feature\/T-1 → origin {2}\(1 commit ahead, new branch\)/);
});

Deno.test("the mode of a call beats the session's, in both directions, and does not stay", async () => {
  await using world = await busyWorld();
  await using client = await connected(world);
  const push = (mode?: string) =>
    client.call("amof_push_ecosystem", {
      ecosystem: "demo",
      ...(mode === undefined ? {} : { mode }),
    });
  assertEquals((await push("plan")).data["would_execute"], false);
  assertEquals((await push("execute")).data["error"], "confirmation_required");
  assertEquals((await push()).data["error"], "mode_insufficient");
  assertEquals((await client.call("amof_set_mode", { mode: "execute" })).data["previous"], "ask");
  assertEquals((await push("ask")).data["error"], "mode_insufficient");
  assertEquals((await push("plan")).data["would_execute"], false);
  assertEquals((await push()).data["error"], "confirmation_required");
  const info = await client.call("amof_scope_info", { mode: "ask" });
  assertEquals(info.data["mode"], "execute");
});

Deno.test("dry_run previews in mode execute and does not help in mode ask", async () => {
  await using world = await busyWorld();
  await using client = await connected(world);
  const before = await world.fingerprint();
  const call = (mode: string) =>
    client.call("amof_push_ecosystem", { ecosystem: "demo", mode, dry_run: true, confirm: true });
  assertEquals((await call("execute")).data["would_execute"], false);
  assertEquals((await call("ask")).data["error"], "mode_insufficient");
  assertEquals(await world.fingerprint(), before);
});

Deno.test("mode execute carries out at once what needs no confirmation", async () => {
  await using world = await World.withEcosystem();
  await using client = await connected(world);
  const answer = await client.call("amof_create_ecosystem", { name: "fresh", mode: "execute" });
  assert(!answer.isError, answer.text);
  assert(await exists(`${world.control}/ecosystems/fresh/ecosystem.yaml`));
  const again = await client.call("amof_create_ecosystem", { name: "fresh", mode: "execute" });
  assertEquals([again.isError, again.data["error"]], [true, "ecosystem_exists"]);
});

Deno.test("mode execute syncs without a confirmation, as a run", async () => {
  await using world = await installed();
  const clone = world.clone("api");
  const old = await world.git(clone, "rev-parse", "HEAD");
  const seed = `${world.directory}/seed/api`;
  await world.git(seed, "commit", "--quiet", "--allow-empty", "-m", "Go on");
  await world.git(seed, "push", "--quiet", `${world.remotes}/api.git`, "main");
  await using client = await connected(world, ["--mode", "execute"]);
  const started = await client.call("amof_sync_ecosystem", { ecosystem: "demo" });
  assertEquals([started.isError, started.data["action"]], [false, "sync"], started.text);
  assertEquals((await client.finished(String(started.data["run_id"])))["status"], "success");
  assert(await world.git(clone, "rev-parse", "HEAD") !== old, "the clone has moved on");
});

Deno.test("a push of nothing asks for nothing", async () => {
  await using world = await installed();
  await using client = await connected(world);
  const answer = await client.call("amof_push_ecosystem", { ecosystem: "demo", mode: "execute" });
  assert(!answer.isError, answer.text);
  assertEquals(answer.data["run_id"], undefined);
  assertEquals(answer.data["confirmation"], undefined);
});

Deno.test("without an ecosystem a call is refused, with one it works from any scope", async () => {
  await using world = await World.withEcosystem();
  await world.addEcosystem("shop", { repos: ["till"] });
  await using client = await connected(world);
  for (
    const name of [
      "amof_describe_ecosystem",
      "amof_get_ecosystem_status",
      "amof_push_ecosystem",
      "amof_install_ecosystem",
    ]
  ) {
    const refused = await client.call(name);
    assertEquals([refused.isError, refused.data["error"]], [true, "scope_required"], name);
    assert(
      rows(refused.data, "suggested_actions").some((action) =>
        action["tool"] === "amof_list_ecosystems"
      ),
      name,
    );
  }
  const named = await client.call("amof_describe_ecosystem", { ecosystem: "demo" });
  // The answer has the place it is about, and the session does not move.
  assertEquals([named.data["name"], contextOf(named, "scope")], ["demo", "ecosystem"]);
  assertEquals((await client.call("amof_scope_info")).data["scope"], "global");
  await client.call("amof_switch_ecosystem", { ecosystem: "demo" });
  assertEquals((await client.call("amof_describe_ecosystem")).data["name"], "demo");
  const other = await client.call("amof_describe_ecosystem", { ecosystem: "shop" });
  assertEquals([other.data["name"], contextOf(other, "breadcrumb")], ["shop", "global > shop"]);
  assertEquals((await client.call("amof_scope_info")).data["breadcrumb"], "global > demo");
});

Deno.test("an unknown ecosystem is refused with the names there are", async () => {
  await using world = await World.withEcosystem();
  await using client = await connected(world);
  for (const ecosystem of ["dmo", "../demo", "-x", "demo/../demo", ""]) {
    const refused = await client.call("amof_describe_ecosystem", { ecosystem });
    assert(refused.isError, ecosystem);
    assertEquals(refused.data["error"], "ecosystem_not_found", ecosystem);
  }
  const near = await client.call("amof_switch_ecosystem", { ecosystem: "dmo" });
  assertEquals(near.data["error"], "ecosystem_not_found");
  assertStringIncludes(near.text, "demo");
  assertEquals(contextOf(near, "scope"), "global");
});

Deno.test("the scope follows switching, run tools and going back", async () => {
  await using world = await busyWorld();
  await using client = await connected(world);
  const info = async () => {
    const { data } = await client.call("amof_scope_info");
    return [data["scope"], data["ecosystem"], data["run_id"], data["can_go_back"]];
  };
  assertEquals(await info(), ["global", null, null, false]);
  assertEquals((await client.call("amof_scope_back")).data["moved"], false);
  const none = await client.call("amof_describe_ecosystem");
  assertEquals([none.isError, none.data["error"]], [true, "scope_required"]);
  await client.call("amof_switch_ecosystem", { ecosystem: "shop" });
  await client.call("amof_switch_ecosystem", { ecosystem: "shop" });
  assertEquals(await info(), ["ecosystem", "shop", null, true]);
  const runId = await startPush(client);
  assertEquals(
    await info(),
    ["ecosystem", "shop", null, true],
    "starting a run does not move the session",
  );
  await client.finished(runId.slice(0, 8));
  assertEquals(await info(), ["run", "demo", runId, true]);
  const status = await client.call("amof_get_run_status");
  assertEquals(status.data["run_id"], runId);
  assertEquals(contextOf(status, "breadcrumb"), `global > demo > run:${runId.slice(0, 8)}`);
  assertEquals((await client.call("amof_summarize_run")).data["run_id"], runId);
  // A failed look at another run leaves the session where it stands.
  await client.call("amof_get_run_status", { run_id: "00000000" });
  assertEquals(await info(), ["run", "demo", runId, true]);
  assertEquals((await client.call("amof_scope_back")).data["moved"], true);
  assertEquals(await info(), ["ecosystem", "shop", null, true]);
  await client.call("amof_get_run_logs", { run_id: runId });
  const home = await client.call("amof_scope_back", { to_global: true });
  assertEquals([home.data["scope"], home.data["can_go_back"]], ["global", false]);
  assertEquals(await info(), ["global", null, null, false]);
});

Deno.test("a run id may be cut to four characters and must be an id", async () => {
  await using world = await busyWorld();
  await using client = await connected(world);
  const runId = await startPush(client);
  await client.finished(runId);
  assertEquals(
    (await client.call("amof_get_run_status", { run_id: runId.slice(0, 4).toUpperCase() }))
      .data["run_id"],
    runId,
  );
  for (const id of ["abc", "../../x", "%", "____", `${runId}0`]) {
    assertEquals(
      (await client.call("amof_get_run_status", { run_id: id })).data["error"],
      "invalid_arguments",
      id,
    );
  }
  const missing = await client.call("amof_get_run_status", {
    run_id: "00000000-0000-4000-8000-000000000000",
  });
  assertEquals(missing.data["error"], "run_not_found");
  assert(
    rows(missing.data, "suggested_actions").some((action) => action["tool"] === "amof_list_runs"),
  );
});

Deno.test("amof_scope_info lists what waits for a confirmation, without tokens", async () => {
  await using world = await busyWorld();
  await using client = await connected(world, ["--mode", "execute"]);
  const push = requestIn(await client.call("amof_push_ecosystem", { ecosystem: "demo" }));
  const install = requestIn(await client.call("amof_install_ecosystem", { ecosystem: "shop" }));
  const info = await client.call("amof_scope_info");
  const pending = rows(info.data, "pending_confirmations");
  assertEquals(
    pending.map((entry) => [entry["tool"], entry["ecosystem"], entry["type"]]),
    [["amof_install_ecosystem", "shop", "simple"], ["amof_push_ecosystem", "demo", "simple"]],
  );
  const line = client.lines.at(-1) ?? "";
  for (const { token } of [push, install]) assert(!line.includes(token));
  await client.call("amof_cancel_confirm", { token: push.token });
  assertEquals(
    rows((await client.call("amof_scope_info")).data, "pending_confirmations").length,
    1,
  );
  await using other = await connected(world);
  assertEquals(
    rows((await other.call("amof_scope_info")).data, "pending_confirmations"),
    [],
    "another session's are its own",
  );
});

Deno.test("the envelope carries the session, and every suggested action is a listed tool with valid arguments", async () => {
  await using world = await busyWorld();
  await using client = await connected(world);
  const tools = rows(await client.request("tools/list"), "result", "tools");
  const calls: [string, Record<string, unknown>][] = [
    ["amof_list_ecosystems", {}],
    ["amof_describe_ecosystem", { ecosystem: "demo" }],
    ["amof_get_ecosystem_status", { ecosystem: "demo" }],
    ["amof_validate_manifest", { ecosystem: "demo" }],
    ["amof_push_ecosystem", { ecosystem: "demo", mode: "plan" }],
    ["amof_push_ecosystem", { ecosystem: "demo", mode: "execute" }],
    ["amof_push_ecosystem", { ecosystem: "shop", mode: "execute" }],
    ["amof_get_active_runs", {}],
    ["amof_list_runs", {}],
    ["amof_get_run_status", { run_id: "ffffffff" }],
  ];
  const session = contextOf(await client.call("amof_scope_info"), "session_id");
  assertMatch(String(session), /^sess_[0-9a-f]{12}$/);
  for (const [name, args] of calls) {
    const answer = await client.call(name, args);
    assertEquals(contextOf(answer, "session_id"), session);
    assertMatch(String(contextOf(answer, "timestamp")), /^\d{4}-\d\d-\d\dT.*Z$/);
    assertEquals(answer.isError, answer.data["error"] !== undefined, name);
    assert(String(answer.data["summary"]).length <= 80, name);
    for (const action of rows(answer.data, "suggested_actions")) {
      const tool = tools.find((entry) => entry["name"] === action["tool"]);
      assert(tool !== undefined, `${name} suggests ${action["tool"]}`);
      assert(String(action["label"]).length <= 30);
      const known = Object.keys(pick(tool, "inputSchema", "properties") ?? {});
      assertEquals(
        Object.keys(pick(action, "args") ?? {}).filter((member) => !known.includes(member)),
        [],
        String(action["tool"]),
      );
    }
  }
  assertEquals(codeOf(await client.request("ping")), undefined);
});
