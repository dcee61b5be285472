/**
 * Measures speed against floors of the same run and prints a table: floor, figure, ratio, budget.
 *
 * Nothing fails here: machines differ, ratios on one machine are what counts.
 *
 * @module
 */

import { runId } from "../../src/ids.ts";
import { fromFileUrl, join } from "@std/path";
import { createHash } from "node:crypto";
import { plan } from "../support/pack_calls.ts";
import { FILES_AT_ONCE } from "../../src/agentpack/io.ts";
import { inPool } from "../../src/async/pool.ts";
import { openStore } from "../../src/store/open.ts";
import { table } from "../../src/text/table.ts";
import { McpClient } from "../support/mcp_client.ts";
import { deploy, setUp } from "../support/pack_fixture.ts";
import { PackWorld } from "../support/pack_world.ts";
import { World } from "../support/world.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
const BINARY = Deno.env.get("AMOF_BIN") ??
  join(ROOT, "bin", Deno.build.os === "windows" ? "amof.exe" : "amof");

interface Row {
  readonly what: string;
  readonly floor: number;
  readonly figure: number;
  readonly unit: string;
  readonly budget: string;
}

const rows: Row[] = [];

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

/** Medians of two kinds of work in turns, so that what else the machine does weighs on both alike. */
async function inTurns(
  times: number,
  first: () => Promise<unknown>,
  second: () => Promise<unknown>,
): Promise<[number, number]> {
  const taken: [number[], number[]] = [[], []];
  for (let turn = -2; turn < times; turn++) {
    for (const [index, work] of [first, second].entries()) {
      const started = performance.now();
      await work();
      if (turn >= 0) taken[index]?.push(performance.now() - started);
    }
  }
  return [median(taken[0]), median(taken[1])];
}

function add(what: string, floor: number, figure: number, budget: string, unit = "ms"): void {
  rows.push({ what, floor, figure, unit, budget });
}

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

/** A world with `count` small repositories installed. */
async function installed(count: number): Promise<World> {
  const repos = Array.from(
    { length: count },
    (_, index) => `repo${String(index).padStart(3, "0")}`,
  );
  const world = await World.withEcosystem({ repos });
  await world.install();
  return world;
}

/** The same git calls, by xargs, with the same parallelism. */
function gitCalls(world: World, jobs: number): Promise<unknown> {
  const command =
    `ls -d repos/* | xargs -P ${jobs} -I{} git -C {} status --porcelain=v2 --branch --show-stash -z > /dev/null`;
  return world.command("sh", [
    "-c",
    `git -C ${world.control} worktree list --porcelain > /dev/null; ${command}`,
  ], { cwd: world.workspace() });
}

async function startUp(world: World, empty: string): Promise<number> {
  const start = () => world.command(empty, []);
  let floor = NaN;
  // The runtime keeps compiled code from the first command that does something, and drops that of other binaries.
  await world.command(BINARY, ["audit"]);
  for (const flag of ["--version", "--help"]) {
    const [least, figure] = await inTurns(20, start, () => world.command(BINARY, [flag]));
    add(`amof ${flag}`, least, figure, "≤ 1.5 ×");
    floor = least;
  }
  return floor;
}

async function statusCommand(start: number, count: number): Promise<void> {
  await using world = await installed(count);
  const jobs = Math.max(4, navigator.hardwareConcurrency * 2);
  const [calls, figure] = await inTurns(
    10,
    () => gitCalls(world, jobs),
    () => world.command(BINARY, ["status", "--json"]),
  );
  add(`amof status, ${count} repos`, start + calls, figure, "≤ 1.5 ×");
  if (count !== 30) return;
  await using client = new McpClient(world);
  await client.initialize();
  const [least, tool] = await inTurns(
    10,
    () => gitCalls(world, jobs),
    () => client.call("amof_get_ecosystem_status", { ecosystem: "demo" }),
  );
  add("status tool over MCP, 30 repos", least, tool, "≤ 1.3 ×");
  await changing(world, start, jobs);
}

/** Commands that change 30 repositories, against the git calls they consist of. */
async function changing(world: World, start: number, jobs: number): Promise<void> {
  const bare = (script: string) =>
    world.command("sh", [
      "-c",
      `ls -d repos/* | xargs -P ${jobs} -I{} sh -c 'cd {} && ${script}' > /dev/null 2>&1`,
    ], { cwd: world.workspace() });
  const status = "git status --porcelain=v2 --branch --show-stash -z";
  const [fetches, sync] = await inTurns(
    5,
    () => bare(`git fetch --prune origin && ${status}`),
    () => world.command(BINARY, ["sync", "--json"]),
  );
  add("amof sync with nothing new, 30 repos", 2 * start + fetches, sync, "");
  const switches: number[] = [];
  const starts: number[] = [];
  for (let turn = -1; turn < 5; turn++) {
    const began = performance.now();
    await bare(`${status} && git for-each-ref && git switch -q -c feature/B origin/main`);
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
  add("amof ticket start, 30 repos", start + median(switches), median(starts), "");
}

async function initialize(world: World, floor: number): Promise<void> {
  const taken: number[] = [];
  let resident = 0;
  let bytes = 0;
  for (let turn = 0; turn < 12; turn++) {
    const started = performance.now();
    await using client = new McpClient(world);
    await client.initialize();
    taken.push(performance.now() - started);
    const list = await client.request("tools/list");
    bytes = JSON.stringify(list["result"]).length;
    resident = await residentMiB(client.child.pid);
  }
  add("start → initialize answered", floor, median(taken), "≤ 80 ms where empty takes 30 (2.7 ×)");
  add("resident after tools/list", NaN, resident, "≤ 80 MiB", "MiB");
  add("tools/list, default toolset", NaN, bytes, "≤ 24,000", "bytes");
}

/** Resident memory of a process in MiB; NaN where the platform does not tell. */
async function residentMiB(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`).catch(() => "");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? NaN) / 1024;
}

/** Calls reading tools in `lanes` at once; answers how many failed. */
async function calls(client: McpClient, count: number, lanes: number): Promise<number> {
  const names = ["amof_list_ecosystems", "amof_list_runs", "amof_describe_ecosystem"];
  let next = 0;
  let errors = 0;
  const lane = async () => {
    while (next < count) {
      const name = names[next++ % names.length] ?? "";
      const { isError } = await client.call(
        name,
        name === "amof_describe_ecosystem" ? { ecosystem: "demo" } : {},
      );
      if (isError) errors++;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  // The client keeps what it was sent for tests to look at; here it would only grow.
  client.lines.length = 0;
  return errors;
}

/** How the server bears many calls: errors, throughput, and what stays in memory. */
async function load(world: World): Promise<void> {
  await using client = new McpClient(world);
  await client.initialize();
  const { pid } = client.child;
  const started = performance.now();
  let errors = await calls(client, 1_000, 10);
  const early = await residentMiB(pid);
  errors += await calls(client, 1_000, 10);
  const seconds = (performance.now() - started) / 1000;
  add("errors in 2,000 calls, 10 at once", NaN, errors, "0", "");
  add("reading calls per second, 10 at once", NaN, 2_000 / seconds, "", "1/s");
  const at = performance.now();
  add("errors in 200 calls at once", NaN, await calls(client, 200, 200), "0", "");
  add("200 calls at once", NaN, performance.now() - at, "");
  await calls(client, 10_000 - 2_200, 10);
  add(
    "resident after 10,000 calls, floor: after 1,000",
    early,
    await residentMiB(pid),
    "≤ 1.2 ×",
    "MiB",
  );
}

function events(world: World, count: number): number {
  const store = openStore(join(world.directory, "events.db"));
  const id = runId(crypto.randomUUID());
  store.runs.add({
    runId: id,
    root: "/",
    ecosystem: "demo",
    action: "push",
    tool: "amof_push_ecosystem",
    args: {},
    lockKey: null,
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

/** A plan of a thousand deployed files, against reading and hashing these files. */
async function agentpackPlan(): Promise<void> {
  await using world = await PackWorld.make();
  await setUp(world, "  codex: { mode: files, scope: project }");
  const text = "A line of a skill that says something.\n".repeat(50);
  const paths: string[] = [];
  for (let index = 0; index < 1_000; index++) {
    const path = `data/${index % 20}/${index}.md`;
    await world.write(`m/tidy/${path}`, `# ${index}\n${text}`);
    paths.push(join(world.project, ".codex", "skills", "tidy", path));
  }
  await deploy(world);
  const hash = async (path: string) =>
    createHash("sha256").update(await Deno.readFile(path)).digest("hex");
  const [floor, figure] = await inTurns(
    20,
    () => inPool(FILES_AT_ONCE, paths, hash),
    () => plan(world.reader(), {}),
  );
  add("agentpack plan, 1,000 files", floor, figure, "≤ 3 × reading and hashing");
}

/** CPU milliseconds of the program and what it starts, whatever else the machine does meanwhile. */
async function cpuOf(world: PackWorld, ...args: readonly string[]): Promise<number> {
  const taken: number[] = [];
  for (let turn = -1; turn < 7; turn++) {
    const script = '"$0" "$@" > /dev/null && times';
    const ran = await world.world.command("sh", ["-c", script, BINARY, ...args], {
      cwd: world.project,
      env: { AGENTPACK_MACHINE_ID: "box" },
    });
    if (ran.code !== 0) throw new Error(`${args.join(" ")}: ${ran.stderr}`);
    const times = [...ran.stdout.matchAll(/(\d+)m([\d.]+)s/g)];
    // The shell's own come first.
    const [user = 0, system = 0] = times.slice(2).map(([, minutes, seconds]) =>
      Number(minutes) * 60_000 + Number(seconds) * 1000
    );
    if (turn >= 0) taken.push(user + system);
  }
  return median(taken);
}

/** A plan of 2,500 outputs of which nothing is there yet, as a process, against the start of one. */
async function agentpackProcess(): Promise<void> {
  await using world = await PackWorld.make();
  const text = "A line of an asset that says something useful to an agent.\n".repeat(20);
  const modules: string[] = [];
  const addModules = async (type: string, count: number, head: string, file: string) => {
    for (let index = 0; index < count; index++) {
      const source = `m/${type}${index}${file === "" ? ".md" : ""}`;
      await world.write(file === "" ? source : `${source}/${file}`, `${head}${text}`);
      if (type === "skill" && index < 200) await world.write(`${source}/scripts/run.sh`, text);
      modules.push(
        `\n  - id: "${type}:${type}${index}"\n    type: ${type}\n    tags: [base]\n` +
          `    source:\n      local_path:\n        path: ${source}`,
      );
    }
  };
  await addModules("skill", 350, "---\nname: one\ndescription: One of them\n---\n", "SKILL.md");
  await addModules("command", 200, "---\ndescription: One of them\n---\n", "");
  await addModules("prompt", 197, "", "");
  await addModules("instructions", 53, "", "AGENTS.md");
  const targets =
    "  codex: { mode: files, scope: both }\n  cursor: { mode: files, scope: project }\n" +
    "  claude_code: { mode: files, scope: both, options: { write_repo_skills: true } }\n" +
    "  vscode: { mode: files, scope: project }";
  await setUp(world, targets, modules.join(""));
  add(
    "CPU of agentpack plan, 2,500 new files",
    await cpuOf(world, "--version"),
    await cpuOf(world, "agentpack", "plan", "--json"),
    "≤ 450 ms",
  );
}

// What is compiled with the permissions of a release is let nowhere below /dev, where tests are in memory.
if (Deno.env.get("AMOF_TEST_DIR") === undefined) {
  Deno.env.set("AMOF_TEST_DIR", Deno.env.get("TMPDIR") ?? "/tmp");
}
await using world = await World.withEcosystem();
Deno.env.set("AMOF_BIN", BINARY);
// `deno task bench load` measures only the server under load.
if (Deno.args[0] !== "load") {
  const empty = await emptyProgram(world);
  const floor = await startUp(world, empty);
  await initialize(world, floor);
  await statusCommand(floor, 30);
  await statusCommand(floor, 100);
  await agentpackPlan();
  await agentpackProcess();
  add("append 1,000 events one by one", NaN, events(world, 1_000), "linear");
  add("append 10,000 events one by one", NaN, events(world, 10_000), "≤ 1,000 ms");
}
await load(world);

const number = (value: number) =>
  Number.isNaN(value) ? "" : value >= 1000 ? value.toFixed(0) : value.toFixed(1);
const text = table(
  ["what", "floor", "figure", "unit", "ratio", "budget"],
  rows.map((
    row,
  ) => [
    row.what,
    number(row.floor),
    number(row.figure),
    row.unit,
    Number.isNaN(row.floor) ? "" : (row.figure / row.floor).toFixed(2),
    row.budget,
  ]),
);
Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
