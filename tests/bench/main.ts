/**
 * Measures speed against floors of the same run and prints a table: floor, figure, ratio, budget.
 *
 * Nothing fails here: machines differ, ratios on one machine are what counts.
 *
 * @module
 */

import { runId } from "../../src/base/ids.ts";
import { fromFileUrl, join } from "@std/path";
import { tmpdir } from "node:os";
import { openStore } from "../../src/state/store/open.ts";
import { agentpackApply, agentpackPings, agentpackPlan, agentpackProcess } from "./agentpack.ts";
import { engines } from "./engines.ts";
import { httpApi } from "./http.ts";
import { add, figures, inTurns, measured, median } from "./measure.ts";
import { load, modern, starts } from "./mcp.ts";
import { pullRequests } from "./pulls.ts";
import { radar } from "./radar.ts";
import { installed, JOBS, reading, reposOf, statusTool } from "./reading.ts";
import { ticketWorkspaces } from "./tickets.ts";
import { undoing } from "./undo.ts";
import { writeSpeed } from "./write.ts";
import { World } from "../support/world.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
const BINARY = Deno.env.get("AMOF_BIN") ??
  join(ROOT, "bin", Deno.build.os === "windows" ? "amof.exe" : "amof");

async function run(command: string, args: readonly string[]): Promise<void> {
  const output = await new Deno.Command(command, {
    args: [...args],
    stdout: "piped",
    stderr: "piped",
  }).output();
  if (output.code !== 0) {
    throw new Error(`${command} ${args.join(" ")}: ${new TextDecoder().decode(output.stderr)}`);
  }
}

/** Builds an empty program the same way as the real one. */
async function emptyProgram(world: World): Promise<string> {
  const source = join(world.directory, "empty.js");
  const binary = join(world.directory, "empty");
  await Deno.writeTextFile(source, "Deno.stdout.writeSync(new Uint8Array([10]));\n");
  await run(Deno.execPath(), [
    "compile",
    "--quiet",
    "--no-check",
    "--no-lock",
    "--allow-read",
    "--output",
    binary,
    source,
  ]);
  return binary;
}

async function startUp(world: World, empty: string): Promise<number> {
  const start = () => world.command(empty, []);
  let floor = NaN;
  for (const flag of ["--version", "--help"]) {
    const [least = NaN, figure = NaN] = await inTurns(
      20,
      start,
      () => world.command(BINARY, [flag]),
    );
    add(`amof ${flag}, floor: an empty program`, { floor: least, figure });
    floor = least;
  }
  return floor;
}

/** Commands that change 30 repositories, against the git calls they consist of. */
async function changing(world: World, start: number): Promise<void> {
  const bare = (script: string) =>
    world.command("sh", [
      "-c",
      `ls -d repos/* | xargs -P ${JOBS} -I{} sh -c 'cd {} && ${script}' > /dev/null 2>&1`,
    ], { cwd: world.workspace() });
  const status = "git status --porcelain=v2 --branch --show-stash -z";
  const [fetches = NaN, sync = NaN] = await inTurns(
    5,
    () => bare(`git fetch --prune origin && ${status}`),
    () => world.command(BINARY, ["sync", "--json"]),
  );
  add("amof sync with nothing new, 30 repos, floor: starts and git by xargs", {
    floor: 2 * start + fetches,
    figure: sync,
  });
  const switches: number[] = [];
  const starts: number[] = [];
  for (let turn = -1; turn < 5; turn++) {
    const began = performance.now();
    // Whether the remote has the branch already is part of the work.
    await bare(
      `${status} && git ls-remote origin refs/heads/feature/B && git switch -q -c feature/B origin/main`,
    );
    const between = performance.now();
    await bare("git switch -q main && git branch -q -D feature/B");
    const next = performance.now();
    await world.command(BINARY, ["ticket", "start", "T-1", "--json"]);
    if (turn >= 0) {
      switches.push(between - began);
      starts.push(performance.now() - next);
    }
    await world.command(BINARY, ["ticket", "end", "T-1", "--cleanup-local", "--yes"]);
  }
  add("amof ticket start, 30 repos, floor: start and git by xargs", {
    floor: start + median(switches),
    figure: median(starts),
  });
}

function events(world: World, count: number): number {
  const store = openStore(join(world.directory, "events.db"));
  const id = runId(crypto.randomUUID());
  store.runs.add({
    runId: id,
    root: "/",
    ecosystem: "demo",
    ticket: null,
    action: "push",
    tool: "amof_push_ecosystem",
    args: {},
    locks: [],
    createdAt: Date.now(),
    sessionId: null,
    origin: "cli",
    requestedBy: "bench",
    confirmation: null,
    fingerprint: "",
    preview: {},
    inline: false,
    starter: null,
  });
  const started = performance.now();
  for (let index = 0; index < count; index++) {
    store.events.append(id, [{
      at: Date.now(),
      level: "info",
      type: "log",
      message: `line ${index} of a build that says a few words`,
    }]);
  }
  const taken = performance.now() - started;
  store.close();
  return taken;
}

// What is compiled with the permissions of a release is let nowhere below /dev, where tests are in memory.
if (Deno.env.get("AMOF_TEST_DIR") === undefined) Deno.env.set("AMOF_TEST_DIR", tmpdir());
Deno.env.set("AMOF_BIN", BINARY);
await using world = await World.withEcosystem();
// `deno task bench load` measures only the MCP server under load, `mcp` how fast and large it is, `http` only that of the HTTP API, `reading` only what
// reads many repositories, `agentpack` only that of agents' assets, `tickets` only that of tickets: their workspaces, and the
// radar, `undo` only what it costs that runs can be undone, `engines` only programs over thousands of repositories.
// `--write` shows all figures of the run in the README.
const isShown = Deno.args.includes("--write");
const only = Deno.args.find((arg) => arg !== "--write");
if (only === undefined || only === "reading") {
  const empty = await emptyProgram(world);
  const floor = await startUp(world, empty);
  for (const count of [30, 100, 200]) {
    await using many = await installed(count);
    await reading(many, { binary: BINARY, start: floor, count }, count === 100);
    if (count < 200) await statusTool(many, count);
    if (count === 30 && only === undefined) {
      await changing(many, floor);
      await undoing(many, { binary: BINARY, start: floor }, reposOf(count));
    }
  }
  if (only === undefined) {
    await starts(world, empty);
    add("append 1,000 events one by one", { figure: events(world, 1_000), budget: "linear" });
    add("append 10,000 events one by one", {
      figure: events(world, 10_000),
      budget: "≤ 1,000 ms",
    });
  }
}
if (only === "undo") {
  const start = await startUp(world, await emptyProgram(world));
  await using many = await installed(30);
  await undoing(many, { binary: BINARY, start }, reposOf(30));
}
if (only === undefined || only === "agentpack") {
  await agentpackPlan();
  await agentpackProcess(BINARY);
  await agentpackApply();
  await agentpackPings();
}
if (only === undefined || only === "tickets") {
  await using many = await installed(30);
  await ticketWorkspaces(many, BINARY, reposOf(30));
  await using shared = await installed(30);
  await radar(shared, BINARY, reposOf(30));
}
if (only === undefined || only === "pr") await pullRequests(BINARY, 30);
if (only === "engines") await engines(BINARY);
if (only === "mcp") await starts(world, await emptyProgram(world));
if (only === undefined || only === "mcp") await modern(world);
if (only === undefined || only === "load") await load(world);
if (only === undefined || only === "http") await httpApi(world);

Deno.stdout.writeSync(new TextEncoder().encode(`${figures()}\n`));
if (isShown) await writeSpeed(ROOT, measured());
