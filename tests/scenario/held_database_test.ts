// The state database in other hands, and runs whose caller died before a worker took over.

import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { DatabaseSync } from "node:sqlite";
import { locksAt } from "../../src/runs/changing.ts";
import { openStore } from "../../src/state/store/open.ts";
import { realProcesses } from "../../src/base/system/real/processes.ts";
import type { ProcessIdentity } from "../../src/base/system/mod.ts";
import { newRun } from "../unit/state/store/_records.ts";
import { pick, rows, until } from "../support/answers.ts";
import { World } from "../support/world.ts";

function database(world: World): string {
  return join(world.env["AMOF_HOME"] ?? "", "state", "amof.db");
}

Deno.test("a command that needs the database while another program holds it says who, and does nothing", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const before = await world.fingerprint();
  // The run may write in this very moment.
  const holder = new DatabaseSync(database(world), { timeout: 5_000 });
  holder.exec("BEGIN IMMEDIATE");
  try {
    const ran = await world.amof(["ticket", "start", "T-1", "--json"], { apart: true });
    assertEquals([ran.code, ran.json()["error"]], [6, "state_busy"], ran.stdout);
    if (Deno.build.os === "linux") {
      assertStringIncludes(String(ran.json()["message"]), `(process ${Deno.pid})`);
      assertEquals(pick(ran.json(), "details", "pid"), Deno.pid);
    }
  } finally {
    holder.exec("ROLLBACK");
    holder.close();
  }
  assertEquals(await world.changesSince(before), []);
  assertEquals((await world.amof(["ticket", "start", "T-1"])).code, 0);
});

Deno.test("a run goes on while another program holds the database, and its log is whole", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.commitOnFeature("api");
  const gate = join(world.directory, "go");
  await world.hook(
    join(world.clone("api"), ".git"),
    "pre-push",
    `touch '${join(world.directory, "there")}'; while [ ! -e '${gate}' ]; do sleep 0.05; done`,
  );
  const child = world.start(["push", "--yes", "--json"]);
  await until("the push has begun", () => world.exists("there"));
  // The run may write in this very moment.
  const holder = new DatabaseSync(database(world), { timeout: 5_000 });
  holder.exec("BEGIN IMMEDIATE");
  await Deno.writeTextFile(gate, "");
  // Longer than two beats of its heart and one write of its log.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  holder.exec("ROLLBACK");
  holder.close();
  const { code } = await child.output();
  const runs = await until("the run has ended", async () => {
    const listed = rows((await world.amof(["runs", "list", "--json"])).json(), "runs");
    return listed[0]?.["status"] === "success" && listed;
  });
  assertEquals([code, runs[0]?.["action"]], [0, "push"]);
  const log = await world.amof(["runs", "logs", String(runs[0]?.["run_id"]).slice(0, 8)]);
  assertStringIncludes(log.stdout, "Ended: success");
});

/** Notes a run that nobody works on yet. */
function asked(world: World, starter: ProcessIdentity | null): void {
  const store = openStore(database(world));
  const added = store.runs.add(newRun({
    root: world.control,
    action: "sync",
    tool: "amof_sync_ecosystem",
    locks: locksAt("scope", { root: world.control, ecosystem: "demo", ticket: null }),
    createdAt: Date.now(),
    starter,
  }));
  store.close();
  assertEquals(added, true);
}

Deno.test("a command that was killed before its worker was known does not hold the ecosystem", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const child = new Deno.Command("git", { args: ["--version"], stdout: "null" }).spawn();
  await child.status;
  asked(world, { pid: child.pid, startedAt: "1", bootId: (await realProcesses.me()).bootId });
  assertEquals((await world.amof(["sync"])).code, 0);
  const runs = rows((await world.amof(["runs", "list", "--json"])).json(), "runs");
  assertEquals(runs.map((run) => [run["action"], run["status"], run["reason"]]).slice(0, 2), [
    ["sync", "success", null],
    ["sync", "failed", "interrupted"],
  ]);
});

Deno.test("a command whose worker is not known yet holds the ecosystem while it lives", async () => {
  await using world = await World.installed({ repos: ["api"] });
  asked(world, await realProcesses.me());
  assertEquals((await world.amof(["sync"])).code, 6);
});
