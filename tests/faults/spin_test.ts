/**
 * Environments when things go wrong: scripts that do not end, calls that collide, workers that are killed.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { killWorker } from "../scenario/hold.ts";
import { pick, rows, until } from "../support/answers.ts";
import {
  alive,
  approve,
  environment,
  stubborn,
  stubbornPids,
  worldWithProvisioner,
  writeScript,
} from "../support/provisioner.ts";
import { type World } from "../support/world.ts";

/** What left its session is found by what Linux tells of the environment of processes. */
const ignore = Deno.build.os !== "linux";

function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore, fn });
}

async function worldWithStubborn(): Promise<World> {
  const world = await worldWithProvisioner("true");
  await writeScript(world, stubborn(world));
  await approve(world);
  return world;
}

async function begun(world: World): Promise<string> {
  const started = await world.amof(["spin", "deploy", "--yes", "--background", "--json"]);
  assertEquals(started.code, 0, started.stdout);
  return String(pick(started.json(), "run_id"));
}

async function statusOf(world: World, run: string): Promise<Record<string, unknown>> {
  return (await world.amof(["runs", "status", run, "--json"])).json();
}

/** The private copies of scripts that are still there. */
async function copies(world: World): Promise<string[]> {
  const directory = join(world.env["AMOF_HOME"] ?? "", "state", "provisioners");
  return (await Array.fromAsync(Deno.readDir(directory))).map((entry) => entry.name);
}

test("amof spin deploy ends everything of a script that ignores the end of its time", async () => {
  await using world = await worldWithStubborn();
  const ran = await world.amof(["spin", "deploy", "--yes", "--timeout", "4", "--json"]);
  const pids = await stubbornPids(world);
  assertEquals(pids.length, 3);
  assertEquals([pick(ran.json(), "error"), ran.code], ["timeout", 124], ran.stdout);
  assertEquals(pick(ran.json(), "details", "log_tail"), ["ready"]);
  assertEquals(await alive(world, pids), []);
  assertEquals((await environment(world))["state"], "uncertain");
  assertEquals(await copies(world), []);
});

test("amof runs cancel ends the whole tree of a provisioner, and a second deploy waits for that", async () => {
  await using world = await worldWithStubborn();
  const run = await begun(world);
  const pids = await stubbornPids(world);
  assertEquals((await environment(world))["state"], "deploying");
  const second = await world.amof(["spin", "deploy", "--yes", "--json"]);
  assertEquals([pick(second.json(), "error"), second.code], ["ecosystem_busy", 6]);
  assertEquals(pick(second.json(), "details", "run_id"), run);
  const cancelled = await world.amof(["runs", "cancel", run, "--yes", "--json"]);
  assertEquals(cancelled.code, 0, cancelled.stdout);
  assertEquals(await alive(world, pids), []);
  assertEquals((await statusOf(world, run))["status"], "cancelled");
  const known = await environment(world);
  assertEquals(known["state"], "uncertain");
  assertMatch(String(known["detail"]), /was cancelled; what exists now is not known$/);
});

test("amof spin deploy, twice at once, runs once", async () => {
  await using world = await worldWithProvisioner(
    'echo x >> "$AMOF_ROOT/../count"; while [ ! -e "$AMOF_ROOT/../go" ]; do sleep 0.05; done',
  );
  await approve(world);
  const call = () => world.amof(["spin", "deploy", "--yes", "--background", "--json"]);
  const codes = (await Promise.all([call(), call(), call()])).map((ran) => ran.code).sort();
  assertEquals(codes, [0, 6, 6]);
  await world.write("go", "");
  await until(
    "the deploy has ended",
    async () => (await environment(world))["state"] === "deployed",
  );
  assertEquals(await Deno.readTextFile(join(world.directory, "count")), "x\n");
});

test("amof says honestly what is known after the worker of a deploy was killed, and goes on", async () => {
  await using world = await worldWithStubborn();
  const run = await begun(world);
  const pids = await stubbornPids(world);
  assertEquals(await copies(world), [run]);
  const log = () => world.amof(["runs", "logs", run]).then((ran) => ran.stdout);
  // Lines are written together, a moment after they were read.
  await until("the line is kept", async () => (await log()).includes("ready"));
  await killWorker(world, run);

  const status = await world.amof(["spin", "status", "--json"]);
  const known = pick(status.json(), "environment");
  assertEquals(pick(known, "state"), "uncertain");
  assertMatch(String(pick(known, "detail")), /was cut off: its worker ended before/);
  assertEquals(pick(known, "run_id"), run);
  assertEquals(rows(status.json(), "runs")[0]?.["status"], "interrupted");
  const record = await statusOf(world, run);
  assertEquals([record["status"], record["reason"]], ["failed", "interrupted"]);
  // The worker of this script is dead, so the script must not run on beside the next one.
  assertEquals(await alive(world, pids), []);
  assertStringIncludes(await log(), "ready");

  await writeScript(world, "exit 0");
  await approve(world);
  const repeated = await world.amof(["spin", "deploy", "--yes"]);
  assertEquals(repeated.code, 0, repeated.stderr);
  assertEquals((await environment(world))["state"], "deployed");
  assertEquals(await copies(world), []);
});

test("amof spin deploy leaves running what a good deploy leaves behind", async () => {
  await using world = await worldWithProvisioner(
    'sleep 300 >/dev/null 2>&1 </dev/null & echo $! > "$AMOF_STATE_DIR/pid"; cat "$AMOF_STATE_DIR/pid"',
  );
  await approve(world);
  const first = await world.amof(["spin", "deploy", "--yes", "--verbose"]);
  const pid = Number(/INFO +(\d+)$/m.exec(first.stderr)?.[1]);
  assert(pid > 1, first.stderr);
  try {
    // Neither looking at it nor another run of the same ecosystem ends it.
    await environment(world);
    await writeScript(world, "exit 1");
    await approve(world);
    assertEquals((await world.amof(["spin", "deploy", "--yes"])).code, 1);
    assertEquals((await alive(world, [pid])).length, 1);
  } finally {
    Deno.kill(pid, "SIGKILL");
  }
});

test("amof spin deploy that cannot lay out its script changes nothing of what is known", async () => {
  await using world = await worldWithProvisioner('touch "$AMOF_ROOT/ran"');
  await approve(world);
  await world.write("state/state/provisioners", "in the way\n");
  const ran = await world.amof(["spin", "deploy", "--yes", "--json"]);
  assertEquals(ran.code, 1, ran.stdout);
  assertEquals((await environment(world))["state"], "none");
  assertEquals(await world.exists("control/ran"), false);
});
