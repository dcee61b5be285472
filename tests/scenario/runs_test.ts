/**
 * `amof runs …` and the life of a run, from outside.
 *
 * @module
 */

import {
  assert,
  assertEquals,
  assertMatch,
  assertNotMatch,
  assertObjectMatch,
  assertStringIncludes,
} from "@std/assert";
import { join } from "@std/path";
import { DatabaseSync } from "node:sqlite";
import { ahead } from "../support/ahead.ts";
import { pick, rows, until } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { INTERRUPT, Typist } from "../support/terminal.ts";
import { World } from "../support/world.ts";
import { Hold, killWorker } from "./hold.ts";

/** Hooks, signals and terminals are POSIX matters. */
const POSIX = Deno.build.os !== "windows";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The ids of the runs that `runs list` shows. */
async function listed(world: World, ...args: string[]): Promise<string[]> {
  const ran = await world.amof(["runs", "list", "--json", ...args]);
  return rows(ran.json(), "runs").map((run) => String(run["run_id"]));
}

/** The record of a run. */
async function record(world: World, id: string): Promise<Record<string, unknown>> {
  return (await world.amof(["runs", "status", id, "--json"])).json();
}

/** Waits until a run has ended; answers its record. */
function ended(world: World, id: string): Promise<Record<string, unknown>> {
  return until("the run ends", async () => {
    const run = await record(world, id);
    return run["terminal"] === true ? run : null;
  });
}

/** The commit of the feature branch on the remote, or the empty text. */
async function pushed(world: World): Promise<string> {
  const bare = join(world.remotes, "api.git");
  return await world.git(bare, "for-each-ref", "--format=%(objectname)", "refs/heads/feature");
}

Deno.test("a run whose first line cannot be written has failed at once, and holds nothing in a server that goes on", async () => {
  await using world = await ahead();
  const path = join(world.env["AMOF_HOME"] ?? "", "state", "amof.db");
  const withDatabase = (sql: string) => {
    using database = new DatabaseSync(path);
    database.exec(sql);
  };
  await using client = new McpClient(world, ["--mode", "execute", "-e", "demo"]);
  await client.initialize();
  withDatabase(`CREATE TRIGGER full BEFORE INSERT ON run_events WHEN NEW.message LIKE 'Queued%'
    BEGIN SELECT RAISE(ABORT, 'no space'); END`);
  const refused = await client.call("amof_sync_ecosystem");
  assert(refused.isError, refused.text);
  withDatabase("DROP TRIGGER full");
  const { data } = await client.call("amof_list_runs");
  const [run] = rows(data, "runs");
  assertEquals([run?.["action"], run?.["status"]], ["sync", "failed"]);
  const again = await client.call("amof_sync_ecosystem");
  assert(!again.isError, again.text);
  await ended(world, String(again.data["run_id"]));
  const entries = rows((await world.amof(["audit", "--json"])).json(), "entries");
  assertEquals(entries.map(({ run_id }) => run_id).slice(0, 2), [
    again.data["run_id"],
    run?.["run_id"],
  ]);
});

Deno.test("amof runs list shows runs newest first, with their facts", async () => {
  await using world = await ahead();
  await world.amof(["push", "--yes", "--quiet"]);
  const ran = await world.amof(["runs", "list", "--json"]);
  assertEquals(ran.code, 0);
  const runs = rows(ran.json(), "runs");
  assertEquals(runs.map((run) => run["action"]), ["push", "install"]);
  assertObjectMatch(runs[0] ?? {}, {
    ecosystem: "demo",
    status: "success",
    exit_code: 0,
    origin: "cli",
    reason: null,
  });
  assertMatch(String(runs[0]?.["run_id"]), UUID);
  for (const time of ["created_at", "started_at", "finished_at"]) {
    assertMatch(String(runs[0]?.[time]), /^\d{4}-\d{2}-\d{2}T[\d:]{8}\.\d{3}Z$/);
  }
  assertEquals(typeof runs[0]?.["duration_s"], "number");
  const human = await world.amof(["runs", "list"]);
  const prefix = String(runs[0]?.["run_id"]).slice(0, 8);
  assertMatch(human.stdout, /^RUN +ECOSYSTEM +ACTION +STATUS +CREATED +DURATION$/m);
  assertMatch(human.stdout, new RegExp(`^${prefix} +demo +push +success +`, "m"));
});

Deno.test("amof runs list filters by status, action and ecosystem, and limits", async () => {
  await using world = await ahead();
  await world.addEcosystem("shop", { repos: [] });
  await world.install("shop");
  await world.amof(["-e", "demo", "push", "--yes", "--quiet"]);
  const [push = "", shop = "", demo = ""] = await listed(world);
  assertEquals(await listed(world, "--action", "push"), [push]);
  assertEquals(await listed(world, "-e", "shop"), [shop]);
  assertEquals(await listed(world, "--ecosystem", "demo"), [push, demo]);
  assertEquals(await listed(world, "--status", "failed"), []);
  assertEquals(await listed(world, "--status", "success", "--limit", "2"), [push, shop]);
});

Deno.test("amof runs list refuses values it does not know", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const nowhere = await world.amof(["-e", "nowhere", "runs", "list", "--json"]);
  assertEquals([nowhere.code, pick(nowhere.json(), "error")], [2, "ecosystem_not_found"]);
  for (
    const args of [["--status", "done"], ["--limit", "0"], ["--limit", "201"], ["--limit", "x"]]
  ) {
    const ran = await world.amof(["runs", "list", ...args, "--json"]);
    assertEquals(ran.code, 2, args.join(" "));
    assertEquals(pick(ran.json(), "error"), "invalid_arguments");
  }
});

Deno.test("amof runs list shows only runs of its control repository, and all where there is none", async () => {
  await using one = await World.installed({ repos: [] });
  await using two = await World.withEcosystem({ repos: [] });
  const env = { AMOF_HOME: join(one.directory, "state") };
  await two.amof(["install", "--yes"], { env });
  assertEquals((await listed(one)).length, 1);
  const everywhere = await one.amof(["runs", "list", "--json"], { cwd: one.directory });
  assertEquals(rows(everywhere.json(), "runs").length, 2);
});

Deno.test("amof runs list says so when there is nothing", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const ran = await world.amof(["runs", "list"]);
  assertEquals(ran.code, 0);
  assertStringIncludes(ran.stdout, "Found no runs.");
  const active = await world.amof(["runs", "active"]);
  assertEquals(active.code, 0);
  assertStringIncludes(active.stdout, "Found no active runs.");
});

Deno.test("amof runs status answers the whole record, for a prefix of four characters too", async () => {
  await using world = await ahead();
  await world.amof(["push", "--yes", "--quiet"]);
  const [id = ""] = await listed(world);
  const full = await record(world, id);
  assertObjectMatch(full, {
    run_id: id,
    ecosystem: "demo",
    action: "push",
    status: "success",
    terminal: true,
    exit_code: 0,
    requested_by: "tester@cli",
    origin: "cli",
    args: { commit: false, allow_base: false },
    cancel_requested_at: null,
    run_error: null,
    result: { outcome: "success" },
  });
  assertEquals(typeof full["event_count"], "number");
  assertMatch(String(full["last_message"]), /Ended: success/);
  for (const text of [id.slice(0, 4), id.slice(0, 8), id.toUpperCase()]) {
    assertEquals((await record(world, text))["run_id"], id, text);
  }
});

Deno.test("amof runs status works outside of every control repository", async () => {
  await using world = await World.installed({ repos: [] });
  const [id = ""] = await listed(world);
  const ran = await world.amof(["runs", "status", id.slice(0, 8)], { cwd: world.directory });
  assertEquals(ran.code, 0);
  assertStringIncludes(ran.stdout, id);
});

Deno.test("amof runs status refuses an id that is unknown, too short, or no id at all", async () => {
  await using world = await World.installed({ repos: [] });
  const [id = ""] = await listed(world);
  const unknown = await world.amof([
    "runs",
    "status",
    "00000000-0000-4000-8000-000000000000",
    "--json",
  ]);
  assertEquals(unknown.code, 2);
  assertEquals(pick(unknown.json(), "error"), "run_not_found");
  await world.write("state/x.json", '{"secret": "value"}');
  for (
    const bad of [id.slice(0, 3), "../../x", "%%%%", "____", "' OR 1=1 --", "zzzzzzzz", `${id}0`]
  ) {
    const ran = await world.amof(["runs", "status", "--json", "--", bad]);
    assertEquals(ran.code, 2, bad);
    assertEquals(pick(ran.json(), "error"), "invalid_arguments", bad);
    assertNotMatch(ran.stdout, /secret/);
  }
});

Deno.test({
  name: "amof runs without an id means the run that goes on, else the latest of the ecosystem",
  ignore: !POSIX, // the push is held by a shell hook
  async fn() {
    await using world = await World.withEcosystem({ repos: ["api"] });
    const none = await world.amof(["runs", "status", "--json"]);
    assertEquals([none.code, pick(none.json(), "error")], [2, "run_not_found"]);
    await world.install();
    const [installed = ""] = await listed(world);
    await world.addEcosystem("other", { repos: [] });
    await world.install("other");
    await world.commitOnFeature("api");
    await using hold = await Hold.on(world, "api");
    const meant = async (...words: string[]) =>
      pick((await world.amof(["-e", "demo", "runs", ...words, "--json"])).json(), "run_id");
    await using client = new McpClient(world, []);
    await client.initialize();
    const told = async (tool: string) => (await client.call(tool, {})).data["run_id"];
    for (const words of ["status", "logs", "summary"]) assertEquals(await meant(words), installed);
    // Only what goes on can be cancelled: the latest is not meant then.
    const idle = await world.amof(["-e", "demo", "runs", "cancel", "--yes", "--json"]);
    assertEquals([idle.code, pick(idle.json(), "error")], [2, "run_not_found"]);
    const push = ["-e", "demo", "push", "--yes", "--background", "--json"];
    const id = pick((await world.amof(push)).json(), "run_id");
    await hold.reached();
    for (const words of ["status", "logs", "summary"]) assertEquals(await meant(words), id);
    await client.call("amof_switch_ecosystem", { ecosystem: "demo" });
    assertEquals(await told("amof_get_run_status"), id);
    const cancelled = await world.amof(["-e", "demo", "runs", "cancel", "--yes", "--json"]);
    assertEquals([cancelled.code, pick(cancelled.json(), "run_id")], [0, id]);
  },
});

Deno.test("amof runs status cleans a hostile id before it repeats it", async () => {
  await using world = await World.installed({ repos: [] });
  const ran = await world.amof(["runs", "status", "\u001b[2J\u202egnp"]);
  assertEquals(ran.code, 2);
  // deno-lint-ignore no-control-regex -- control characters are what must not be there
  assertNotMatch(ran.stdout + ran.stderr, /[\u001b\u202e]/);
});

Deno.test("amof runs status refuses a prefix that two runs share", async () => {
  await using world = await World.installed({ repos: [] });
  await world.addEcosystem("shop", { repos: [] });
  await world.install("shop");
  const ids = await listed(world);
  // Ids are random: that two begin alike has to be arranged.
  using database = new DatabaseSync(join(world.directory, "state", "state", "amof.db"), {
    enableForeignKeyConstraints: false,
  });
  ids.forEach((id, index) => {
    database.prepare("UPDATE runs SET run_id = ? WHERE run_id = ?")
      .run(`abcd${index}${id.slice(5)}`, id);
  });
  const ran = await world.amof(["runs", "status", "abcd", "--json"]);
  assertEquals(ran.code, 2);
  assertEquals(pick(ran.json(), "error"), "run_not_found");
  assertMatch(String(pick(ran.json(), "message")), /several begin so/);
  assertEquals((await record(world, "abcd1"))["action"], "install");
});

Deno.test("amof runs logs shows events in order, cut by --tail, --level and --after", async () => {
  await using world = await ahead();
  await Deno.rename(join(world.remotes, "api.git"), join(world.remotes, "api.away"));
  await world.amof(["push", "--yes", "--quiet"]);
  const [id = ""] = await listed(world);
  const logs = async (...args: string[]) => {
    const ran = await world.amof(["runs", "logs", id, "--json", ...args]);
    assertEquals(ran.code, 0);
    return ran.json();
  };
  const all = await logs();
  const seqs = rows(all, "events").map((event) => Number(event["seq"]));
  assertEquals(seqs, seqs.map((_, index) => index + 1));
  assertEquals(all["next_after"], seqs.length);
  assertEquals(all["terminal"], true);
  assertEquals(all["truncated"], false);
  assertObjectMatch(rows(all, "events")[0] ?? {}, { level: "info", type: "state" });
  assertEquals(rows(all, "events").at(-1)?.["type"], "exit");
  assertEquals(rows(await logs("--tail", "2"), "events").map((event) => event["seq"]), [
    seqs.length - 1,
    seqs.length,
  ]);
  const errors = rows(await logs("--level", "error"), "events");
  assert(errors.length > 0);
  assert(errors.every((event) => event["level"] === "error"));
  const page = await logs("--after", "1", "--tail", "2");
  assertEquals(rows(page, "events").map((event) => event["seq"]), [2, 3]);
  assertEquals(page["next_after"], 3);
  assertEquals(page["truncated"], true);
  const said = async (...args: string[]) =>
    (await world.amof(["runs", "logs", id, ...args])).stdout;
  const short = id.slice(0, 8);
  const [newest, next] = [await said("--tail", "2"), await said("--after", "1", "--tail", "2")];
  assertMatch(
    newest,
    new RegExp(`^These are the newest 2; all of them: amof runs logs ${short} `, "m"),
  );
  assertMatch(
    next,
    new RegExp(`^There are more behind 3: amof runs logs ${short} --after 3 `, "m"),
  );
  assertNotMatch(await said("--after", "0", "--follow"), /These are|There are more/);
  assertEquals((await logs("--after", "0", "--tail", "1", "--level", "info"))["truncated"], true);
  const beyond = await logs("--after", String(seqs.length));
  assertEquals(beyond["events"], []);
  assertEquals(beyond["next_after"], seqs.length);
  const human = await world.amof(["runs", "logs", id, "--level", "error"]);
  assertMatch(human.stdout, /^\d{2}:\d{2}:\d{2}\.\d{3} ERROR api: Cannot push "api"/m);
  const wrong = await world.amof(["runs", "logs", id, "--level", "loud"]);
  assertEquals(wrong.code, 2);
});

Deno.test("amof runs summary tells how a failed run went", async () => {
  await using world = await ahead();
  await Deno.rename(join(world.remotes, "api.git"), join(world.remotes, "api.away"));
  await world.amof(["push", "--yes", "--quiet"]);
  const [id = ""] = await listed(world);
  const ran = await world.amof(["runs", "summary", id, "--json"]);
  assertEquals(ran.code, 0);
  assertObjectMatch(ran.json(), {
    run_id: id,
    action: "push",
    ecosystem: "demo",
    status: "failed",
    exit_code: 1,
    reason: null,
  });
  const errors = pick(ran.json(), "errors") as string[];
  assert(errors.length > 0 && errors.length <= 5);
  assert(errors.every((error) => error.length <= 120));
  assert(rows(ran.json(), "last_events").length <= 10);
  const human = await world.amof(["runs", "summary", id.slice(0, 4)]);
  assertMatch(human.stdout, /^✗ api: Cannot push/m);
});

Deno.test("amof runs list shows runs that were started over MCP", async () => {
  await using world = await ahead();
  await using client = new McpClient(world, ["--mode", "execute"]);
  await client.initialize();
  const asked = await client.call("amof_push_ecosystem", { ecosystem: "demo" });
  const token = String(pick(asked.data, "confirmation", "token"));
  const started = await client.call("amof_confirm", { token });
  const id = String(started.data["run_id"]);
  const run = await ended(world, id);
  assertObjectMatch(run, { run_id: id, action: "push", status: "success", origin: "mcp" });
  assertEquals((await listed(world))[0], id);
});

Deno.test({
  name: "amof push --background answers at once with the run, which goes on by itself",
  ignore: !POSIX, // the push is held by a shell hook
  async fn() {
    await using world = await ahead();
    await using hold = await Hold.on(world, "api");
    const started = await world.amof(["push", "--yes", "--background", "--json"]);
    assertEquals(started.code, 0);
    assertObjectMatch(started.json(), { action: "push", status: "queued" });
    const id = String(pick(started.json(), "run_id"));
    assertMatch(id, UUID);
    await hold.reached();
    const active = await world.amof(["runs", "active", "--json"]);
    assertEquals(rows(active.json(), "runs").map((run) => run["run_id"]), [id]);
    assertObjectMatch(await record(world, id), {
      status: "running",
      terminal: false,
      exit_code: null,
      finished_at: null,
    });
    assertEquals(await pushed(world), "");
    const operations = (await world.amof(["operations", "--json"])).json();
    assertObjectMatch(rows(operations, "operations")[0] ?? {}, {
      run_id: id,
      why_not: "it goes on",
      fix: `Follow it: amof runs logs ${id.slice(0, 8)} --follow`,
    });
    await hold.release();
    assertEquals((await ended(world, id))["status"], "success");
    assertEquals(await pushed(world), await world.git(world.clone("api"), "rev-parse", "HEAD"));
  },
});

Deno.test({
  name: "amof runs logs --follow goes on until the run has ended",
  ignore: !POSIX, // the push is held by a shell hook
  async fn() {
    await using world = await ahead();
    await using hold = await Hold.on(world, "api");
    const id = await hold.push();
    const child = world.start(["runs", "logs", id.slice(0, 6), "--follow"]);
    let text = "";
    const reading = (async () => {
      for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) text += part;
    })();
    await until("the log begins", () => text.includes("Started push"));
    assertNotMatch(text, /Ended/);
    await hold.release();
    await reading;
    await child.stderr.cancel();
    assertEquals((await child.status).code, 0);
    assertMatch(text, /INFO +api: pushed 1 commit/);
    assertMatch(text, /INFO +Ended: success\n$/);
    const json = await world.amof(["runs", "logs", id, "--follow", "--json"]);
    assertEquals(pick(json.json(), "terminal"), true);
  },
});

Deno.test({
  name: "amof runs logs --follow that is interrupted leaves the run alone",
  ignore: !POSIX, // signals
  async fn() {
    await using world = await ahead();
    await using hold = await Hold.on(world, "api");
    const id = await hold.push();
    const typist = await Typist.start(world, ["runs", "logs", id, "--follow", "--verbose"]);
    await until("the log is followed", async () => {
      const entries = await Array.fromAsync(Deno.readDir(world.directory), (entry) => entry.name);
      const file = entries.find((name) => name.startsWith("terminal-")) ?? "";
      return (await Deno.readTextFile(join(world.directory, file))).includes("Started push");
    });
    await typist.types(INTERRUPT);
    await typist.ends();
    assertEquals((await record(world, id))["status"], "running");
    assertEquals(await hold.alive(), 2);
  },
});

Deno.test({
  name: "amof push that is interrupted cancels its run with every process of it",
  ignore: !POSIX, // signals
  async fn() {
    await using world = await ahead();
    await using hold = await Hold.on(world, "api");
    const child = world.start(["push", "--yes", "--json"]);
    await hold.reached();
    child.kill("SIGINT");
    const output = await child.output();
    assertEquals(output.code, 130);
    const answer = JSON.parse(new TextDecoder().decode(output.stdout)) as Record<string, unknown>;
    assertEquals(answer["status"], "cancelled");
    assertEquals(answer["exit_code"], 130);
    assertEquals(await hold.alive(), 0);
    assertEquals(await pushed(world), "");
    assertEquals((await world.amof(["runs", "active", "--json"])).json()["runs"], []);
  },
});

Deno.test({
  name: "amof push at a terminal is cancelled by Ctrl-C",
  ignore: !POSIX, // terminals
  async fn() {
    await using world = await ahead();
    await using hold = await Hold.on(world, "api");
    const typist = await Typist.start(world, ["push", "--yes"]);
    await hold.reached();
    await typist.types(INTERRUPT);
    const end = await typist.ends();
    assertEquals(end.code, 130);
    assertEquals(await hold.alive(), 0);
    assertEquals((await record(world, (await listed(world))[0] ?? ""))["status"], "cancelled");
  },
});

Deno.test({
  name: "amof runs cancel ends a run with every process of it, once and with consent",
  ignore: !POSIX, // process groups
  async fn() {
    await using world = await ahead();
    await using hold = await Hold.on(world, "api");
    const id = await hold.push();
    const asked = await world.amof(["runs", "cancel", id, "--json"]);
    assertEquals(asked.code, 4);
    assertEquals(pick(asked.json(), "error"), "confirmation_required");
    assertEquals((await record(world, id))["status"], "running");
    const ran = await world.amof(["runs", "cancel", id.slice(0, 6), "--yes", "--json"]);
    assertEquals(ran.code, 0);
    assertEquals(pick(ran.json(), "status"), "cancelled");
    assertEquals(await hold.alive(), 0);
    assertObjectMatch(await record(world, id), { status: "cancelled", exit_code: 130 });
    assertEquals(await pushed(world), "");
    const again = await world.amof(["runs", "cancel", id, "--yes", "--json"]);
    assertEquals(again.code, 1);
    assertEquals(pick(again.json(), "error"), "invalid_transition");
  },
});

Deno.test({
  name: "amof push after a killed worker finds the lock free and the run failed",
  ignore: !POSIX, // signals
  async fn() {
    await using world = await ahead();
    await using hold = await Hold.on(world, "api");
    const id = await hold.push();
    await killWorker(world, id);
    assertObjectMatch(await record(world, id), {
      status: "failed",
      reason: "interrupted",
      exit_code: 1,
      terminal: true,
      run_error: { error: "interrupted" },
    });
    // What the worker had started would go on pushing behind the back of the next one.
    assertEquals(await hold.alive(), 0);
    await hold.release();
    const again = await world.amof(["push", "--yes", "--json"]);
    assertEquals(again.code, 0, again.stdout);
    assertEquals(await pushed(world), await world.git(world.clone("api"), "rev-parse", "HEAD"));
  },
});

Deno.test({
  name: "amof push while another one runs is busy and names the run that holds the lock",
  ignore: !POSIX, // the push is held by a shell hook
  async fn() {
    await using world = await ahead();
    await world.addEcosystem("shop", { repos: [] });
    await using hold = await Hold.on(world, "api");
    const id = await hold.push("-e", "demo");
    const second = await world.amof(["-e", "demo", "push", "--yes", "--json"]);
    assertEquals(second.code, 6);
    assertEquals(pick(second.json(), "error"), "ecosystem_busy");
    assertObjectMatch(pick(second.json(), "details") as Record<string, unknown>, {
      run_id: id,
      action: "push",
      status: "running",
    });
    const human = await world.amof(["-e", "demo", "install", "--repair", "--yes"]);
    // Nothing is to be repaired, which needs no lock.
    assertEquals(human.code, 0);
    await Deno.remove(world.stateFile());
    const repair = await world.amof(["-e", "demo", "install", "--repair", "--yes"]);
    assertEquals(repair.code, 6);
    assertStringIncludes(repair.stderr, id.slice(0, 8));
    assertStringIncludes(repair.stderr, `amof runs logs ${id.slice(0, 8)} --follow`);
    // Looking is never busy, and neither is another ecosystem.
    assertEquals((await world.amof(["-e", "demo", "status"])).code, 0);
    assertEquals((await world.amof(["-e", "shop", "install", "--yes"])).code, 0);
  },
});
