/**
 * What is offered with every answer, and where the session stands after it.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { pick, rows } from "../support/answers.ts";
import { answerChecker } from "../support/answer_schema.ts";
import { McpClient, type ToolAnswer } from "../support/mcp_client.ts";
import { World } from "../support/world.ts";
import { third } from "../support/sample.ts";
import { TRANSPORTS } from "./_transports.ts";
import { installed, requestIn, startPush } from "./_support.ts";

/** What tools need besides the ecosystem, which the calls name. */
const NEEDED: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  amof_create_ecosystem: { name: "fresh" },
  amof_ticket_start: { ticket_id: "T-9" },
  amof_ticket_switch: { ticket_id: "T-1" },
  amof_ticket_end: { ticket_id: "T-1" },
  amof_create_journal: { title: "A note" },
  amof_release_bump: { bump_type: "patch" },
};

function offered(answer: ToolAnswer): unknown[] {
  return rows(answer.data, "suggested_actions").map((action) => action["id"]);
}

const MODES = ["ask", "plan", "execute"];

for (const transport of TRANSPORTS) {
  Deno.test(`every tool of the list offers a way on from every place in every mode, over ${transport.name}`, async () => {
    await using world = await installed();
    await world.commitOnFeature("api");
    await world.git(world.control, "tag", "v0.3.0-alpha.1");
    await using served = await transport.serve(world);
    await using client = await served.connect();
    await client.initialize();
    const run = await startPush(client);
    await client.finished(run);
    const places: readonly (readonly [string, string, Readonly<Record<string, unknown>>])[] = [
      ["global", "amof_scope_back", { to_global: true }],
      ["ecosystem", "amof_switch_ecosystem", { ecosystem: "demo" }],
      ["run", "amof_get_run_status", { run_id: run }],
      ["release", "amof_release_status", {}],
    ];
    const tools = rows(await client.request("tools/list"), "result", "tools")
      .filter((tool) => !/_(?:confirm|set_mode|scope_\w+)$/.test(String(tool["name"])));
    const check = await answerChecker();
    const invalid: string[] = [];
    const silent: string[] = [];
    let [counted, asked] = [0, 0];
    for (const [turn, tool] of tools.entries()) {
      const name = String(tool["name"]);
      const known = Object.keys(pick(tool, "inputSchema", "properties") ?? {});
      const args = {
        ...(known.includes("ecosystem") ? { ecosystem: "demo" } : {}),
        // Nothing of this changes anything: what would is previewed.
        ...(known.includes("mode") ? { dry_run: true } : {}),
        ...NEEDED[name],
      };
      for (const [at, [place, way, where]] of places.entries()) {
        // What is offered is decided by a table that has a test of its own (`everywhere_test.ts`), and is the same
        // through both transports: a sample asks each tool everywhere in one mode through the first, and in one place
        // or two through the other.
        const isTried = transport === TRANSPORTS[0] ||
          third([place], Math.floor(turn / 3) + at).length > 0;
        const modes = isTried ? third(MODES, turn + at) : [];
        asked += modes.length;
        for (const mode of modes) {
          await client.call(way, where);
          const answer = await client.call(name, { ...args, mode });
          const wrong = check(answer.data);
          if (wrong !== null) invalid.push(`${name} at ${place} in ${mode}: ${wrong}`);
          if (offered(answer).length > 0) counted++;
          else silent.push(`${name} at ${place} in ${mode}: ${answer.text}`);
        }
      }
    }
    assertEquals(silent, []);
    assertEquals(invalid, [], "every answer is as schemas/ says");
    assertEquals(counted, asked);
    assert(tools.length >= 30);
  });
}

Deno.test("an answer about what holds a run or release takes the session there, and one about everything does not", async () => {
  await using world = await installed();
  await world.addEcosystem("shop", { repos: ["till"] });
  await world.commitOnFeature("api");
  await world.git(world.control, "tag", "v0.3.0-alpha.1");
  await using client = new McpClient(world);
  await client.initialize();
  const stands = async () => {
    const { data } = await client.call("amof_scope_info");
    return data["breadcrumb"];
  };
  const run = await startPush(client);
  await client.finished(run);
  await client.call("amof_scope_back", { to_global: true });
  await client.call("amof_switch_ecosystem", { ecosystem: "demo" });
  const looked = await client.call("amof_get_run_status", { run_id: run });
  assertEquals(await stands(), `global > demo > run:${run.slice(0, 8)}`);

  // "Back to ecosystem" is the way back: from there it leads on to where the session came from.
  const [back] = rows(looked.data, "suggested_actions")
    .filter((action) => action["id"] === "back_to_ecosystem");
  const home = await client.call(
    String(back?.["tool"]),
    pick(back, "args") as Record<string, unknown>,
  );
  assertEquals(pick(home.data, "_context", "breadcrumb"), "global > demo");
  assert(home.text.startsWith("[demo] "), home.text);
  assertEquals(await stands(), "global > demo");
  await client.call("amof_scope_back");
  assertEquals(await stands(), "global");

  // The same out of a release.
  await client.call("amof_switch_ecosystem", { ecosystem: "demo" });
  await client.call("amof_release_log");
  assertEquals(await stands(), "global > demo > release:v0.3.0-alpha.1");
  await client.call("amof_describe_ecosystem");
  assertEquals(await stands(), "global > demo");

  // What is about everything, or the server, is looked at from where the session stands.
  const all = await client.call("amof_list_ecosystems");
  assertEquals(pick(all.data, "_context", "scope"), "global");
  assert(all.text.startsWith("[global] "), all.text);
  for (
    const tool of ["amof_get_server_status", "amof_get_active_runs", "amof_get_global_telemetry"]
  ) {
    await client.call(tool);
    assertEquals(await stands(), "global > demo", tool);
  }

  // The runs of one ecosystem are about it.
  await client.call("amof_list_runs");
  assertEquals(await stands(), "global > demo");

  // A call about another ecosystem, or a refused one, does not move the session.
  const other = await client.call("amof_describe_ecosystem", { ecosystem: "shop" });
  assertEquals(pick(other.data, "_context", "breadcrumb"), "global > shop");
  await client.call("amof_get_run_status", { run_id: run });
  const refused = await client.call("amof_push_ecosystem");
  assertEquals([refused.data["error"], pick(refused.data, "_context", "scope")], [
    "mode_insufficient",
    "ecosystem",
  ]);
  assertEquals(await stands(), `global > demo > run:${run.slice(0, 8)}`);
});

Deno.test("a sync that succeeded goes on over MCP, and a discard that started offers its run first", async () => {
  await using world = await installed();
  await using client = new McpClient(world, ["--mode", "execute"]);
  await client.initialize();
  const sync = await client.call("amof_sync_ecosystem", { ecosystem: "demo" });
  await client.finished(String(sync.data["run_id"]));
  for (const tool of ["amof_summarize_run", "amof_get_run_status"]) {
    assertEquals(
      offered(await client.call(tool, { run_id: sync.data["run_id"] })).slice(0, 2),
      ["get_ecosystem_status", "get_active_runs"],
      tool,
    );
  }
  const asked = await client.call("amof_discard_ecosystem", { ecosystem: "demo" });
  const [confirm] = rows(asked.data, "suggested_actions");
  assertEquals(
    [confirm?.["id"], confirm?.["safety"], confirm?.["confirm"], confirm?.["mode_required"]],
    ["confirm", "dangerous-write", true, "execute"],
  );
  const started = await client.call("amof_confirm", {
    token: requestIn(asked).token,
    typed_value: "demo",
  });
  assertEquals(offered(started), ["get_run_status", "get_run_logs"]);
  await client.finished(String(started.data["run_id"]));
});

Deno.test("before the first version whatever a release tool offers can be called", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  await using client = new McpClient(world, ["--toolsets", "release"]);
  await client.initialize();
  const calls = Object.entries({
    amof_release_status: {},
    amof_release_validate: {},
    amof_release_log: {},
    amof_release_bump: { bump_type: "minor" },
    amof_release_promote: { target: "stable" },
    amof_release_push: {},
    amof_release_init: { push: false },
  });
  const found: unknown[] = [];
  for (const mode of MODES) {
    for (const [tool, args] of calls) {
      await client.call("amof_set_mode", { mode });
      const answer = await client.call(tool, args);
      for (const action of rows(answer.data, "suggested_actions")) {
        const name = String(action["tool"]);
        if (/^amof_(?:cancel_)?confirm$/.test(name)) continue;
        const dry = action["safety"] === "read-only" ? {} : { dry_run: true };
        const called = await client.call(name, { ...action["args"] as object, ...dry });
        if (called.isError) found.push([mode, tool, name, called.text]);
      }
      if (mode !== "execute" || /_(?:log|init)$/.test(tool)) continue;
      assertEquals(offered(answer), ["release_init"], tool);
    }
  }
  assertEquals(found, []);
  // What was refused is no release that a session could stand in.
  const { data } = await client.call("amof_release_init");
  assertEquals([data["error"], pick(data, "_context", "release_tag")], ["release_blocked", null]);
});

Deno.test("where the session stands in no ecosystem, its mode and wrong tokens lead to the one that was named last", async () => {
  await using world = await installed();
  await using client = new McpClient(world);
  await client.initialize();
  const said = async (tool: string, args: Readonly<Record<string, unknown>> = {}) => {
    const { data } = await client.call(tool, args);
    const [first] = rows(data, "suggested_actions");
    return [first?.["id"], pick(first, "args", "ecosystem")];
  };
  const nowhere = ["list_ecosystems", undefined];
  const status = ["get_ecosystem_status", "demo"];
  assertEquals(await said("amof_set_mode", { mode: "execute" }), nowhere);
  const { token } = requestIn(
    await client.call("amof_discard_ecosystem", { ecosystem: "demo" }),
  );
  for (const mode of MODES) {
    assertEquals(await said("amof_set_mode", { mode }), status, mode);
    assertEquals(await said("amof_confirm", { token: "wrong" }), status, mode);
    assertEquals(await said("amof_scope_info"), status, mode);
    if (mode === "execute") continue;
    assertEquals(await said("amof_confirm", { token }), status, mode);
  }
  assertEquals(await said("amof_cancel_confirm", { token }), status);
  assertEquals(await said("amof_scope_back"), nowhere);
  assertEquals(await said("amof_confirm", { token }), nowhere);
});
