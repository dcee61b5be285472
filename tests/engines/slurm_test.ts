/**
 * A real Slurm cluster as an engine. `AMOF_TEST_SLURM` names a program that makes one: `up DIRECTORY NODES` prints what
 * to export, `down DIRECTORY` ends it.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { until } from "../support/answers.ts";
import { newDirectory } from "../support/place.ts";
import { agents } from "./agents.ts";
import { Bell } from "./bell.ts";
import {
  begin,
  EFFECT,
  effects,
  failures,
  type Faults,
  GATE,
  loseLines,
  outcomes,
  release,
} from "./failures.ts";
import { conformance, setEngine, type Subject, worldWith } from "./suite.ts";

const maker = Deno.env.get("AMOF_TEST_SLURM");
const env: Record<string, string> = {};

const subject: Subject = {
  name: "cluster",
  settings: (world) => ["kind: slurm", `directory: ${world.directory}/shared`, "parallel: 6"],
  env,
  sharesPlans: true,
  oddPlaces(world) {
    const directory = `${world.directory}/shared 'a' $HOME ü`;
    Deno.mkdirSync(directory);
    return [`scratch: "${world.directory}/scratch 'a' $HOME ü"`, `directory: "${directory}"`];
  },
  calls: ["sbatch --parsable", "scontrol release", "squeue -h -r"],
};

const directory = maker === undefined ? "" : join(newDirectory(), "cluster");

async function output(command: string, args: readonly string[], more = {}): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, {
    args: [...args],
    env: more,
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

const cluster = (...args: string[]) => output(maker ?? "", args);
const slurm = (command: string, ...args: string[]) => output(command, args, env);

/** Has the controller remember jobs that are over for so long, in seconds. */
async function remember(seconds: number): Promise<void> {
  const path = env["SLURM_CONF"] ?? "";
  const text = await Deno.readTextFile(path);
  await Deno.writeTextFile(path, text.replace(/^MinJobAge=.*$/m, `MinJobAge=${seconds}`));
  await slurm("scontrol", "reconfigure");
}

/**
 * Stops what watches over the tasks of a node. The node dies process by process here, and who goes last would still tell
 * how its program ended; where the power fails, nobody does.
 */
async function hush(node: string): Promise<void> {
  const jobs = (await slurm("squeue", "-h", "-r", "-t", "RUNNING", "-w", node, "-o", "%A")).trim();
  const watching = new RegExp(`^slurmstepd: \\[(?:${jobs.split("\n").join("|")})\\.`);
  let stopped = 0;
  for await (const { name } of Deno.readDir("/proc")) {
    const line = await Deno.readTextFile(`/proc/${name}/cmdline`).catch(() => "");
    if (!watching.test(line)) continue;
    Deno.kill(Number(name), "SIGSTOP");
    stopped++;
  }
  assert(stopped > 0, `something watches over the tasks of ${node}`);
}

const faults: Faults = {
  erase: async (run) => void await slurm("scancel", `--name=amof-${run}`),
  async silence() {
    const pid = Number(await Deno.readTextFile(join(directory, "run", "slurmctld.pid")));
    assert(pid > 1, "the controller has a number");
    // Asked to end, it writes down the jobs it has; it would lose the newest.
    Deno.kill(pid, "SIGTERM");
    await until("it has ended", () => Deno.stat(`/proc/${pid}`).then(() => false, () => true));
  },
  answer: async () => void await cluster("up", directory, "3"),
  async forget(run) {
    await remember(2);
    await until("it is forgotten", async () => {
      const words = ["-h", "-t", "all", `--name=amof-${run}`];
      return (await slurm("squeue", ...words)).trim() === "";
    });
    await remember(300);
  },
  lose: (world, run) => loseLines(join(world.directory, "shared", `amof-${run}`, "results"), "a"),
  keeps: true,
};

if (maker !== undefined) {
  Deno.test.beforeAll(async () => {
    const told = await cluster("up", directory, "3");
    env["SLURM_CONF"] = /SLURM_CONF='([^']*)'/.exec(told)?.[1] ?? "";
  });
  Deno.test.afterAll(async () => void await cluster("down", directory));
}

conformance(subject, maker === undefined);
agents(subject, maker === undefined);
failures(subject, faults, maker === undefined);

Deno.test({
  name: "engine cluster fails: nodes that die, and one that is cut off and comes back",
  ignore: maker === undefined,
  async fn() {
    const once = ["a", "b", "c", "d"];
    const often = ["e", "f", "g"];
    await using world = await worldWith(subject, [...once, ...often]);
    using bell = new Bell();
    const line = `${bell.rung("$AMOF_REPO-on-$(hostname)")}${GATE}${EFFECT}`;
    const nodesOf = (repo: string) =>
      bell.heard.map((word) => word.split("-on-")).filter(([name]) => name === repo)
        .map(([, node = ""]) => node);
    await release(world, ["d"]);
    await setEngine(world, subject, ["cpus: 2", "attempts: 1"]);
    const first = await begin(world, subject, once, line);
    await until("the first have begun", () => once.every((repo) => nodesOf(repo).length > 0));
    await until("one is over", async () => {
      const tasks = await slurm("squeue", "-h", "-r", `--name=amof-${first.run}`);
      return tasks.trim().split("\n").length === 3;
    });
    await setEngine(world, subject, ["cpus: 2", "attempts: 3"]);
    const second = await begin(world, subject, often, line);
    await until(
      "the others have begun",
      () => often.every((repo) => nodesOf(repo).length > 0),
    );
    const killed = nodesOf("a")[0] ?? "";
    const cut = often.map((repo) => nodesOf(repo)[0] ?? "").find((node) => node !== killed) ?? "";
    const isLost = (repo: string) => [killed, cut].includes(nodesOf(repo)[0] ?? "");
    const lost = once.filter((repo) => repo !== "d" && isLost(repo));
    const moved = often.filter(isLost);
    assert(moved.length > 0);
    await hush(killed);
    await cluster("node", directory, "kill", killed);
    await cluster("node", directory, "cut", cut);
    // What the third node has makes room for what comes from the others.
    await release(world, [...once, ...often].filter((repo) => !isLost(repo)));
    await until("what was lost has begun elsewhere", async () => {
      const words = ["-h", "-r", "-t", "PENDING", `--name=amof-${second.run}`, "-o", "%i"];
      const waiting = (await slurm("squeue", ...words)).trim().split("\n").filter(Boolean);
      // Slurm waits for two minutes before it begins a job again.
      for (const job of waiting) {
        await slurm("scontrol", "update", `JobId=${job}`, "StartTime=now").catch(() => {});
      }
      return moved.every((repo) => nodesOf(repo).length > 1);
    });
    // Those of the node that is cut off go on, too.
    await release(world, often);
    const [gone, whole] = [await first.ended(), await second.ended()];
    await cluster("node", directory, "heal", cut);
    await cluster("node", directory, "start", killed);
    assertEquals(
      outcomes(gone),
      once.map((repo) => [repo, lost.includes(repo) ? "node_lost" : "ok"]),
      gone.stdout + gone.stderr,
    );
    assertEquals(outcomes(whole), often.map((repo) => [repo, "ok"]), whole.stdout + whole.stderr);
    for (const repo of often) assertEquals(await effects(world, repo), 1);
    await release(world, lost);
    await until("all nodes are back", async () => {
      const states = (await slurm("sinfo", "-h", "-N", "-o", "%T")).trim().split("\n");
      return states.every((state) => /^(idle|mixed)$/.test(state));
    });
    const again = await world.amof(["exec", "--retry-failed", first.run, "--json"]);
    assertEquals(outcomes(again), lost.map((repo) => [repo, "ok"]), again.stdout + again.stderr);
    for (const repo of once) assertEquals(await effects(world, repo), 1);
  },
});
