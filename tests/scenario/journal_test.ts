/**
 * `amof journal add`, `telemetry`, `agent stats` and `runs prune`, from outside.
 *
 * @module
 */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick } from "../support/answers.ts";
import { World } from "../support/world.ts";

Deno.test("amof journal add writes a dated note that is counted, and never overwrites one", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const files: string[] = [];
  for (let turn = 0; turn < 2; turn++) {
    const ran = await world.amof([
      "journal",
      "add",
      "Chose SQLite: why?",
      "--body",
      "Many writers",
      "--tag",
      "decision",
      "--json",
    ]);
    assertEquals(ran.code, 0, ran.stdout);
    files.push(String(pick(ran.json(), "file")));
  }
  assertEquals(new Set(files).size, 2);
  assertMatch(files[0] ?? "", /^ecosystems\/demo\/journal\/\d{8}_\d{6}_chose_sqlite_why\.md$/);
  const text = await Deno.readTextFile(join(world.control, files[0] ?? ""));
  assertMatch(text, /^# Chose SQLite: why\?\n\nDate: \d{4}-.*Z\n/);
  assertStringIncludes(text, "Many writers\n\nTags: decision\n");
  const listed = await world.amof(["ecosystem", "list", "--json"]);
  assertEquals(pick(listed.json(), "ecosystems", 0, "journal_files_count"), 2);
});

Deno.test("amof journal add keeps hostile titles inside the journal", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const ran = await world.amof([
    "journal",
    "add",
    "--json",
    "--",
    "../../../etc/\u001b[31mpasswd\u202e",
  ]);
  assertEquals(ran.code, 0, ran.stdout);
  assertMatch(
    String(pick(ran.json(), "file")),
    /^ecosystems\/demo\/journal\/\d{8}_\d{6}_etc_passwd\.md$/,
  );
  const empty = await world.amof(["journal", "add", "\u001b[31m", "--json"]);
  assertEquals([empty.code, pick(empty.json(), "error")], [2, "invalid_arguments"]);
});

Deno.test("amof telemetry adds up the runs, and agent stats what sessions wrote, also without a cost", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.amof(["sync"]);

  const write = (id: string, value: unknown) =>
    world.write(
      join("state", "share", "runs", id, "telemetry.json"),
      typeof value === "string" ? value : JSON.stringify(value),
    );
  await write("aaaa1111", {
    total_calls: 3,
    total_tokens: { in: 100, out: 20 },
    total_cost: 0.25,
    cost_status: "observed",
    elapsed_seconds: 61.5,
    tiers: { big: { calls: 3, model: "large" } },
  });
  await write("bbbb2222", {
    total_tokens: { in: 1, out: 2 },
    total_cost: null,
    cost_status: "unknown",
    elapsed_seconds: 2,
  });
  await write("cccc3333", "{ half a fi");
  const stats = await world.amof(["agent", "stats", "--json"]);
  assertEquals(stats.code, 0, stats.stdout);
  assertEquals(pick(stats.json(), "total_cost"), 0.25);
  assertEquals(pick(stats.json(), "unknown_cost_sessions"), 1);
  const telemetry = await world.amof(["telemetry", "--json"]);
  assertEquals(pick(telemetry.json(), "total_runs"), 2);
  assertEquals(pick(telemetry.json(), "by_status"), { success: 2 });
  assertEquals(pick(telemetry.json(), "by_ecosystem"), { demo: 2 });
  const [day, ...more] = pick(telemetry.json(), "by_day") as Record<string, unknown>[];
  assertEquals([{ ...day, day: "" }, more], [{ day: "", total: 2, failed: 0, cancelled: 0 }, []]);
  assertMatch(String(day?.["day"]), /^\d{4}-\d\d-\d\d$/);
  assertEquals(pick(telemetry.json(), "cost"), { total: 0.25, status: "partial" });
});

Deno.test("amof runs prune forgets only what is old and not among the newest, after a confirmation", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.amof(["sync"]);
  const kept = await world.amof(["runs", "prune", "--json"]);
  assertEquals([kept.code, pick(kept.json(), "pruned")], [0, 0]);
  const asked = await world.amof(["runs", "prune", "--keep", "1", "--days", "0", "--json"]);
  assertEquals([asked.code, pick(asked.json(), "error")], [4, "confirmation_required"]);
  const ran = await world.amof(["runs", "prune", "--keep", "1", "--days", "0", "--yes", "--json"]);
  assertEquals([ran.code, pick(ran.json(), "pruned"), pick(ran.json(), "kept")], [0, 1, 1]);
  const left = await world.amof(["runs", "list", "--json"]);
  assertEquals(pick(left.json(), "runs", 0, "action"), "sync");
});
