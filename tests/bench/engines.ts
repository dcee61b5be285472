/**
 * What a program over thousands of repositories costs on an engine, against the same clones by `xargs` (ENGINE-1): time,
 * processors, the memory of the process that submits, and how large its answers are.
 *
 * @module
 */

import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { GitHttp, perSecond } from "../support/git_http.ts";
import { McpClient } from "../support/mcp_client.ts";
import type { World } from "../support/world.ts";
import { manyRemotes } from "./many_remotes.ts";
import { add } from "./measure.ts";

/** How many repositories there are; `AMOF_BENCH_REPOS` asks for fewer on a machine that is busy. */
const MANY = Number(Deno.env.get("AMOF_BENCH_REPOS") ?? 3_000);
const FEW = MANY / 10;
/** How many work at once, on either side. */
const PARALLEL = 4;
const SHARDS = 16;
/** What runs in each clone. */
const PROGRAM = ["grep", "-rq", "line of file 7"];
/** How many requests a host takes in a second, where it takes only so many. */
const RATE = 50;
/** How often the memory of a process is looked at, in milliseconds. */
const LOOK_MS = 20;

/** How a process ran: seconds, seconds of processors with all it waited for, and the most memory it had itself. */
interface Measured {
  readonly seconds: number;
  readonly cpu: number;
  readonly peakMiB: number;
  readonly stdout: string;
  readonly code: number;
}

/** The most memory a process ever had, in MiB; NaN when it is gone. */
async function peak(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`).catch(() => "");
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? NaN) / 1024;
}

/** The process that a shell runs for us, or null when there is none yet or any more. */
async function childOf(pid: number): Promise<number | null> {
  const text = await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`).catch(() => "");
  return text.trim() === "" ? null : Number(text.trim().split(" ")[0]);
}

/** Runs a program to its end and watches it. */
async function measured(
  world: World,
  argv: readonly string[],
  { cwd = world.control, env = {} }: {
    readonly cwd?: string;
    readonly env?: Record<string, string>;
  } = {},
): Promise<Measured> {
  const times = join(world.directory, "times");
  // The shell's own word for it counts whatever was waited for, also what is two processes away.
  const line = 'TIMEFORMAT="%R %U %S"; out=$1; shift; { time "$@" 2>/dev/null; } 2>"$out"';
  const child = world.spawn("bash", ["-c", line, "bash", times, ...argv], { cwd, env });
  let peakMiB = 0;
  let over = false;
  const look = (async () => {
    while (!over) {
      const pid = await childOf(child.pid);
      const found = pid === null ? NaN : await peak(pid);
      if (!Number.isNaN(found)) peakMiB = Math.max(peakMiB, found);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  })();
  const { code, stdout } = await child.output();
  over = true;
  await look;
  const [seconds = NaN, user = NaN, system = NaN] = (await Deno.readTextFile(times)).trim()
    .split(" ").map(Number);
  const text = new TextDecoder().decode(stdout);
  return { seconds, cpu: user + system, peakMiB, stdout: text, code };
}

/** The clones and the program by xargs alone. */
function floor(world: World): Promise<Measured> {
  const line =
    'd=$(mktemp -d) && git clone -q --depth 1 --single-branch "file://$PWD/$1" "$d/c" && ' +
    `cd "$d/c" && ${
      PROGRAM.map((word) => `'${word}'`).join(" ")
    }; code=$?; rm -rf "$d"; exit $code`;
  const all = `ls | xargs -P ${PARALLEL} -I{} sh -c '${line.replaceAll("'", "'\\''")}' sh {}`;
  return measured(world, ["sh", "-c", all], { cwd: world.remotes });
}

function onEngine(
  world: World,
  binary: string,
  { engine, shards = SHARDS, env = {} }: {
    readonly engine: string;
    readonly shards?: number;
    readonly env?: Record<string, string>;
  },
): Promise<Measured> {
  const words = ["exec", "--json", "--engine", engine, "--shards", String(shards), "--"];
  return measured(world, [binary, ...words, ...PROGRAM], { env });
}

/** Throws unless a run was one of all repositories that went well. */
function requireGood({ code, stdout }: Measured, count: number): void {
  const answer = JSON.parse(stdout) as Record<string, unknown>;
  // What a worker does is told with its run.
  const rows = pick(answer, "repos") ?? pick(answer, "result", "repos");
  const length = Array.isArray(rows) ? rows.length : 0;
  if (code !== 0 || length !== count) {
    throw new Error(`exit ${code}, ${length} of ${count} repositories: ${stdout.slice(0, 400)}`);
  }
}

function addRun(what: string, run: Measured, least: Measured): void {
  add(`${what}, end to end`, { floor: least.seconds, figure: run.seconds, unit: "s" });
  add("· processors", { floor: least.cpu, figure: run.cpu, unit: "s" });
}

/** The steps of a campaign from its beginning to its end, with what each cost. */
async function campaign(
  world: World,
  binary: string,
  { engine, count, env = {} }: {
    readonly engine: string;
    readonly count: number;
    readonly env?: Record<string, string>;
  },
): Promise<ReadonlyMap<string, Measured>> {
  const name = `tidy-${engine}`;
  const steps: Record<string, readonly string[]> = {
    start: [
      ...["start", name, "--engine", engine, "--shards", String(SHARDS)],
      ...["--shell", "echo tidy >> file0.txt"],
    ],
    show: ["show", name],
    approve: ["approve", name, "--all", "--yes"],
    push: ["push", name, "--yes"],
    status: ["status", name, "--remotes"],
    close: ["close", name, "--delete-branches", "--confirm-name", name],
  };
  const ran = new Map<string, Measured>();
  for (const [step, words] of Object.entries(steps)) {
    const one = await measured(world, [binary, "campaign", ...words, "--json"], { env });
    if (one.code !== 0) throw new Error(`campaign ${step}: ${one.stdout.slice(0, 400)}`);
    if (step !== "show" && step !== "approve") requireGood(one, count);
    ran.set(step, one);
  }
  return ran;
}

/** Rows for the steps of a campaign; the floor is the same over few repositories. */
function addCampaign(
  what: string,
  many: ReadonlyMap<string, Measured>,
  few: ReadonlyMap<string, Measured>,
): void {
  for (const [step, run] of many) {
    const least = few.get(step);
    if (least === undefined) continue;
    add(`campaign ${step} ${what}, floor: ${FEW} repos`, {
      floor: least.seconds,
      figure: run.seconds,
      unit: "s",
    });
    // A worker pushes, which whoever waits for it does not count.
    if (step === "push") continue;
    add("· processors", { floor: least.cpu, figure: run.cpu, unit: "s" });
    add("· most memory of the process", {
      floor: least.peakMiB,
      figure: run.peakMiB,
      unit: "MiB",
    });
  }
}

/**
 * What it costs to leave a host alone that takes only so many requests in a second: it refuses those that come above
 * that, or nobody asks more often because a person has said what it takes.
 */
async function limited(world: World, binary: string): Promise<void> {
  await using server = new GitHttp(world.remotes);
  const path = join(world.control, "ecosystems", "demo", "ecosystem.yaml");
  const text = await Deno.readTextFile(path);
  await Deno.writeTextFile(
    path,
    text.replace(/file:\/\/\S*\/(\S+)\.git/g, (_, name) => server.url(name)),
  );
  const run = async (told: number, limit: GitHttp["limit"]) => {
    const hosts = `hosts:\n  127.0.0.1: {per_minute: ${told * 60}, concurrent: ${PARALLEL}}\n`;
    await world.write("state/config/config.yaml", hosts);
    server.limit = limit;
    const before = { asked: server.asked, refused: server.refused };
    const ran = await onEngine(world, binary, { engine: "local" });
    const all = rows(JSON.parse(ran.stdout), "repos");
    const away = all.filter(({ outcome }) => outcome === "deferred").length;
    const good = all.filter(({ outcome }) => outcome === "ok").length;
    if (good + away !== FEW) throw new Error(`${good} of ${FEW}: ${ran.stdout.slice(0, 400)}`);
    const asked = server.asked - before.asked;
    return { ...ran, asked, refused: server.refused - before.refused, away };
  };
  const free = await run(10_000, null);
  const refused = await run(10_000, { isTooOften: perSecond(RATE), retryAfter: "1" });
  const kept = await run(RATE, { isTooOften: perSecond(RATE), retryAfter: "1" });
  for (const [what, one] of [["not told", refused], ["told", kept]] as const) {
    add(
      `exec over ${FEW} repos, host takes ${RATE} requests/s and amof is ${what} so, floor: no limit`,
      {
        floor: free.seconds,
        figure: one.seconds,
        unit: "s",
      },
    );
    add("· processors", { floor: free.cpu, figure: one.cpu, unit: "s" });
    add("· requests", { floor: free.asked, figure: one.asked, unit: "" });
    add("· requests that were refused", { figure: one.refused, unit: "" });
    add("· repositories put off", { figure: one.away, unit: "" });
  }
}

/** A real Slurm cluster of three nodes, where one can be made. */
async function slurm(world: World, binary: string, least: Measured): Promise<void> {
  const maker = Deno.env.get("AMOF_TEST_SLURM");
  if (maker === undefined) return;
  const directory = join(world.directory, "cluster");
  const told = await world.command(maker, ["up", directory, "3"]);
  const env = { SLURM_CONF: /SLURM_CONF='([^']*)'/.exec(told.stdout)?.[1] ?? "" };
  try {
    await Deno.mkdir(join(world.directory, "shared"), { recursive: true });
    await world.write(
      "state/config/config.yaml",
      `engines:\n  cluster:\n    kind: slurm\n    directory: ${world.directory}/shared\n    parallel: ${PARALLEL}\n`,
    );
    const run = await onEngine(world, binary, { engine: "cluster", env });
    requireGood(run, MANY);
    // Its nodes are no children of whoever submits, so that only the clock tells.
    add(`exec on Slurm, 3 nodes, ${MANY} repos, end to end`, {
      floor: least.seconds,
      figure: run.seconds,
      unit: "s",
    });
    add("· processors of the submitter", { figure: run.cpu, unit: "s" });
    add("· most memory of the submitter", { figure: run.peakMiB, unit: "MiB" });
    const begun = performance.now();
    const steps = await campaign(world, binary, { engine: "cluster", count: MANY, env });
    add(`campaign on Slurm, 3 nodes, ${MANY} repos, all its steps`, {
      figure: (performance.now() - begun) / 1_000,
      unit: "s",
    });
    for (const [step, { seconds, cpu, peakMiB }] of steps) {
      add(`· ${step}`, { figure: seconds, unit: "s" });
      if (step === "push") continue;
      add("·· processors here", { figure: cpu, unit: "s" });
      add("·· most memory here", { figure: peakMiB, unit: "MiB" });
    }
  } finally {
    await world.command(maker, ["down", directory]);
  }
}

/** What is said before anything runs, and how long that is. */
async function saying(world: World, binary: string): Promise<void> {
  const words = ["exec", "--engine", "local", "--dry-run", "--", ...PROGRAM];
  for (const more of [[], ["--json"]]) {
    const ran = await measured(world, [binary, ...more, ...words]);
    const what = `preview of ${MANY} repos${more.length === 0 ? "" : " as JSON"}`;
    add(what, { figure: ran.seconds * 1_000 });
    add("· processors", { figure: ran.cpu * 1_000 });
    add("· length", { figure: ran.stdout.length, unit: "bytes" });
  }
  await using client = new McpClient(world, ["--toolsets", "default,exec,run"], {});
  await client.initialize();
  client.lines.length = 0;
  const began = performance.now();
  await client.call("amof_exec", {
    ecosystem: "demo",
    mode: "plan",
    command: PROGRAM,
    engine: "local",
  });
  add(`preview of ${MANY} repos over MCP`, { figure: performance.now() - began });
  add("· length", {
    figure: client.lines.reduce((sum, line) => sum + line.length, 0),
    unit: "bytes",
  });
}

/** Measures engines over many repositories. */
export async function engines(binary: string): Promise<void> {
  await using few = await manyRemotes(FEW);
  const small = await onEngine(few, binary, { engine: "local" });
  requireGood(small, FEW);
  await using many = await manyRemotes(MANY);
  await saying(many, binary);
  const least = await floor(many);
  const one = await onEngine(many, binary, { engine: "local" });
  requireGood(one, MANY);
  addRun(`exec on local, ${MANY} repos in ${SHARDS} shards`, one, least);
  add(`· most memory of the submitter, floor: ${FEW} repos`, {
    floor: small.peakMiB,
    figure: one.peakMiB,
    unit: "MiB",
  });
  const parts = await onEngine(many, binary, { engine: "local", shards: 10 * SHARDS });
  requireGood(parts, MANY);
  add("· processors for each shard more", {
    figure: (parts.cpu - one.cpu) * 1_000 / (9 * SHARDS),
  });
  const short = await campaign(few, binary, { engine: "local", count: FEW });
  const long = await campaign(many, binary, { engine: "local", count: MANY });
  addCampaign(`on local, ${MANY} repos`, long, short);
  await limited(few, binary);
  await slurm(many, binary, least);
}
