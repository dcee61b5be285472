/**
 * What a program over thousands of repositories costs on an engine, against the same clones by `xargs` (ENGINE-1): time,
 * processors, the memory of the process that submits, and how large its answers are.
 *
 * @module
 */

import { join } from "@std/path";
import { pick } from "../support/answers.ts";
import { GitHttp } from "../support/git_http.ts";
import { McpClient } from "../support/mcp_client.ts";
import type { World } from "../support/world.ts";
import { manyRemotes } from "./many_remotes.ts";
import { add } from "./measure.ts";

const MANY = 3_000;
const FEW = 300;
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
  const rows = pick(answer, "repos");
  const length = Array.isArray(rows) ? rows.length : 0;
  if (code !== 0 || length !== count) {
    throw new Error(`exit ${code}, ${length} of ${count} repositories: ${stdout.slice(0, 400)}`);
  }
}

function addRun(what: string, run: Measured, least: Measured): void {
  add(`${what}, end to end`, { floor: least.seconds, figure: run.seconds, unit: "s" });
  add("· processors", { floor: least.cpu, figure: run.cpu, unit: "s" });
}

/** A campaign over all repositories: how its commits come home, and how they are pushed. */
async function campaign(many: World, few: World, binary: string): Promise<void> {
  const start = (world: World) =>
    measured(world, [
      ...[binary, "campaign", "start", "tidy", "--json", "--shards", String(SHARDS)],
      ...["--shell", "echo tidy >> file0.txt"],
    ]);
  const small = await start(few);
  const begun = await start(many);
  requireGood(begun, MANY);
  add(`campaign start on local, ${MANY} repos, floor: ${FEW}`, {
    floor: small.seconds,
    figure: begun.seconds,
    unit: "s",
  });
  add("· processors", { floor: small.cpu, figure: begun.cpu, unit: "s" });
  add("· most memory of the submitter", {
    floor: small.peakMiB,
    figure: begun.peakMiB,
    unit: "MiB",
  });
  await measured(few, [binary, "campaign", "approve", "tidy", "--all", "--yes"]);
  const pushed = await measured(few, [binary, "campaign", "push", "tidy", "--yes", "--json"]);
  if (pushed.code !== 0) throw new Error(pushed.stdout.slice(0, 400));
  add(`campaign push of ${FEW} repos`, { figure: pushed.seconds, unit: "s" });
}

/** What it costs to leave a host alone: the same with as many requests as come, and with so many in a second. */
async function limited(world: World, binary: string): Promise<void> {
  await using server = new GitHttp(world.remotes);
  const path = join(world.control, "ecosystems", "demo", "ecosystem.yaml");
  const text = await Deno.readTextFile(path);
  await Deno.writeTextFile(
    path,
    text.replace(/file:\/\/\S*\/(\S+)\.git/g, (_, name) => server.url(name)),
  );
  const run = async (perSecond: number) => {
    await world.write(
      "state/config/config.yaml",
      `hosts:\n  127.0.0.1: {per_minute: ${perSecond * 60}, concurrent: ${PARALLEL}}\n`,
    );
    const asked = server.asked;
    const ran = await onEngine(world, binary, { engine: "local" });
    requireGood(ran, FEW);
    return { ...ran, rate: (server.asked - asked) / ran.seconds };
  };
  const free = await run(10_000);
  const kept = await run(RATE);
  add(`exec over ${FEW} repos of a host that takes ${RATE} requests/s, floor: no limit`, {
    floor: free.seconds,
    figure: kept.seconds,
    unit: "s",
  });
  add("· requests in a second", { floor: free.rate, figure: kept.rate, unit: "1/s" });
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
  await campaign(many, few, binary);
  await limited(few, binary);
  await slurm(many, binary, least);
}
