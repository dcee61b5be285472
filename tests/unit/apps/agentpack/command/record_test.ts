import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import {
  listSnapshots,
  pruneSnapshots,
  record,
  rollback,
  schemaData,
  score,
} from "../../../../support/pack_calls.ts";
import {
  AGENTPACK_CODES,
  AgentpackError,
  toAgentpackError,
} from "../../../../../src/apps/agentpack/error.ts";
import { assertCode } from "../../../../support/assert_code.ts";
import { setUp, snapshot } from "../../../../support/pack_fixture.ts";
import { PackWorld } from "../../../../support/pack_world.ts";

Deno.test("record() appends a line with what it promotes out of the event", async () => {
  await using world = await PackWorld.inMemory();
  const path = join(world.root, "state/logs/events.jsonl");
  const event = '{"module_id":"prompt:changelog","success":true}';
  const { data } = await record(world.pack(), {}, { event });
  assertEquals(data, {
    path,
    path_posix: path,
    recorded_at: "2026-02-03T08:15:30Z",
    machine_id: "box",
  });
  await record(world.pack(), { machine: "Build 01" }, {
    event:
      '{"moduleId":"skill:x","ok":false,"commandId":"c","durationMs":5,"gitRev":"g","snapshotId":"s","targets":["b","a","b"]}',
  });
  await record(world.pack(), {}, { event: '{"module_id":7,"success":"yes","target":"codex"}' });
  await record(world.pack(), {}, { event: "3" });
  const lines = (await world.read(path) ?? "").trimEnd().split("\n");
  assertEquals(
    lines[0],
    `{"schema_version":1,"recorded_at":"2026-02-03T08:15:30Z","machine_id":"box","module_id":"prompt:changelog","success":true,"event":${event}}`,
  );
  const { event: _event, ...second } = JSON.parse(lines[1] ?? "");
  assertEquals(second, {
    schema_version: 1,
    recorded_at: "2026-02-03T08:15:30Z",
    machine_id: "build-01",
    module_id: "skill:x",
    success: false,
    command_id: "c",
    duration_ms: 5,
    git_rev: "g",
    snapshot_id: "s",
    targets: ["a", "b"],
  });
  assertEquals(Object.keys(JSON.parse(lines[2] ?? "")), [
    "schema_version",
    "recorded_at",
    "machine_id",
    "targets",
    "event",
  ]);
  assertEquals(JSON.parse(lines[3] ?? "").event, 3);
  await assertCode("E_USAGE", () => record(world.pack(), {}, { event: "{" }));
});

Deno.test("score() counts failures, and blank, malformed and foreign lines", async () => {
  await using world = await PackWorld.inMemory();
  const line = (fields: Record<string, unknown>) =>
    JSON.stringify({ schema_version: 1, ...fields });
  await world.write(
    join(world.root, "state/logs/events.jsonl"),
    [
      line({ module_id: "a", recorded_at: "2026-01-01T00:00:00Z", success: false }),
      "",
      line({ module_id: "a", recorded_at: "2026-01-02T00:00:00Z" }),
      "{",
      line({ schema_version: 2, module_id: "a" }),
      line({ module_id: "b", recorded_at: "2026-01-03T00:00:00Z", success: true, more: 1 }),
      line({}),
    ].join("\n") + "\n",
  );
  const answer = await score(world.reader(), {});
  assertEquals(answer.data, {
    modules: [
      {
        module_id: "a",
        total: 2,
        failures: 1,
        failure_rate: 0.5,
        last_seen_at: "2026-01-02T00:00:00Z",
      },
      {
        module_id: "b",
        total: 1,
        failures: 0,
        failure_rate: 0,
        last_seen_at: "2026-01-03T00:00:00Z",
      },
    ],
    read_stats: { lines: 7, blank: 1, malformed: 1, unsupported_version: 1, events: 4 },
  });
  assertEquals(answer.warnings.length, 2);
  await using empty = await PackWorld.inMemory();
  assertEquals((await score(empty.reader(), {})).data.read_stats.lines, 0);
});

Deno.test("pruneSnapshots() keeps the newest ones and the last word about each root (weakness 9.19)", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(
    world,
    "  zed: { mode: files, scope: project }\n  cursor: { mode: files, scope: project }",
  );
  const ids = [await snapshot(world, { target: "cursor" })];
  for (const text of ["one\n", "two\n", "three\n"]) {
    await world.write("m/alpha/AGENTS.md", text);
    ids.push(await snapshot(world, { target: "zed" }));
  }
  const [cursor, first, second, third] = ids;
  const { snapshots } = (await listSnapshots(world.reader(), {})).data;
  assertEquals(snapshots.map((one) => one.id), [...ids].reverse());
  // Manifests are not counted, which every deploy writes.
  assertEquals(snapshots[0]?.changes, 1);
  const { data } = await pruneSnapshots(world.pack(), {}, { keep: "2" });
  assertEquals([data.removed, data.kept], [[first ?? ""], 3]);
  const left = await world.system.files.list(join(world.root, "state/snapshots"));
  assertEquals(left.some((entry) => entry.name.startsWith(first ?? "x")), false);
  world.tick();
  await rollback(world.pack(), {}, { to: second ?? "" });
  assertEquals(await world.read(join(world.project, ".rules")), "two\n");
  assert(cursor !== undefined && third !== undefined);
});

Deno.test("schemaData() describes every command and the envelope", () => {
  const { commands, envelope } = schemaData();
  assertEquals(envelope.fields.length, 9);
  for (
    const name of ["plan", "deploy", "evolve.propose", "explain.status", "overlay.rebase", "import"]
  ) {
    assert((commands[name]?.data_fields.length ?? 0) > 0, name);
  }
});

Deno.test("AgentpackError carries reason code and next actions of its code, but for E_UNEXPECTED", () => {
  for (const [code, facts] of Object.entries(AGENTPACK_CODES)) {
    const error = new AgentpackError(code as keyof typeof AGENTPACK_CODES, "x", { a: 1 });
    if (code === "E_UNEXPECTED") assertEquals(error.details, null);
    else {
      assertEquals(error.details, { a: 1, reason_code: facts.reason, next_actions: facts.next });
      assert(facts.reason !== "" && facts.next.length > 0, code);
    }
  }
});

Deno.test("toAgentpackError() tells the root cause of what it does not know (weakness 9.10)", () => {
  const error = toAgentpackError(new Error("load manifest", { cause: new Error("disk on fire") }));
  assertEquals([error.code, error.message], ["E_UNEXPECTED", "load manifest: disk on fire"]);
});
