/**
 * Processes of this machine as an engine.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { killedOn } from "../faults/broken.ts";
import { pick, rows, until } from "../support/answers.ts";
import { approveExec } from "../support/exec.ts";
import { McpClient } from "../support/mcp_client.ts";
import { Screen } from "../support/screen.ts";
import { World } from "../support/world.ts";
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
import {
  answerOf,
  conformance,
  processesWith,
  setEngine,
  type Subject,
  worldWith,
} from "./suite.ts";

const HERE: Subject = {
  name: "here",
  settings: () => ["kind: local"],
  env: {},
  sharesPlans: true,
  oddPlaces: (world) => [`scratch: "${world.directory}/scratch 'a' $HOME ü"`],
  calls: ["local/plan", "shard run", "local/0.json"],
};

conformance(HERE, Deno.build.os === "windows");
const FAULTS: Faults = {
  lose: (world, run) => loseLines(join(world.directory, "state/state/engine", run, "results"), "a"),
  keeps: true,
};
failures(HERE, FAULTS, Deno.build.os === "windows");

/** Kills a shard alone, as a machine does that is short of memory. */
async function killShard(world: World, run: string, index: number): Promise<void> {
  const { stdout } = await world.command("ps", ["-ww", "-eo", "pid,args"]);
  const shard = stdout.split("\n").find((line) =>
    line.includes(`shard run --run ${run}`) && line.includes(`--index ${index} `)
  );
  assert(shard !== undefined, stdout);
  Deno.kill(Number.parseInt(shard, 10), "SIGKILL");
}

Deno.test({
  name:
    "engine here fails: a shard that is killed is begun again beside its program, with one effect",
  ignore: Deno.build.os === "windows",
  async fn() {
    const repos = ["a", "b"];
    await using world = await worldWith(HERE, repos);
    using bell = new Bell();
    const call = await begin(world, HERE, repos, `${bell.line}${GATE}${EFFECT}`);
    await until("both have begun", () => bell.heard.length === 2);
    await killShard(world, call.run, 0);
    await until("it has begun again", () => bell.heard.length === 3);
    await release(world, repos);
    const ran = await call.ended();
    assertEquals(outcomes(ran), [["a", "ok"], ["b", "ok"]], ran.stdout + ran.stderr);
    for (const repo of repos) assertEquals(await effects(world, repo), 1);
  },
});

Deno.test({
  name:
    "engine here: a shard whose submitter was killed before it could note it is not begun again",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using world = await worldWith(HERE, ["a", "b"]);
    await setEngine(world, HERE, ["parallel: 1"]);
    using bell = new Bell();
    // Long enough that who follows finds it running.
    const line = `${bell.line}sleep 3`;
    const words = ["exec", "--engine", "here", "--shards", "2", "--json", "--shell", line];
    await killedOn(world, words, { words: "shard run", phase: "after" });
    const listed = await world.amof(["runs", "list", "--action", "exec", "--json"]);
    const run = String(pick(listed.json(), "runs", 0, "run_id"));
    const note = join(world.directory, "state/state/engine", run, "local/0.json");
    assertStringIncludes(await Deno.readTextFile(note), '"process":null');
    const resumed = await world.amof(["exec", "--resume", run, "--json"]);
    assertEquals(outcomes(resumed), [["a", "ok"], ["b", "ok"]], resumed.stdout + resumed.stderr);
    assertEquals(bell.heard, ["a", "b"]);
  },
});

Deno.test({
  name: "engine here fails: an interrupt ends also what a shard that was killed has left",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using world = await worldWith(HERE, ["a"]);
    using bell = new Bell();
    const word = crypto.randomUUID();
    const call = await begin(world, HERE, ["a"], `${bell.line}sleep 500; : ${word}`);
    await until("it has begun", () => bell.heard.length === 1);
    await killShard(world, call.run, 0);
    await until("it has begun again", () => bell.heard.length === 2);
    call.child.kill("SIGINT");
    assertEquals(outcomes(await call.ended()), [["a", "cancelled"]]);
    assertEquals(await processesWith(world, word), []);
  },
});

Deno.test({
  name:
    "engine here fails: a machine that dies with all it ran goes on when it is back, with one effect",
  ignore: Deno.build.os !== "linux", // by what programs were started with
  async fn() {
    const repos = ["a", "b", "c"];
    await using world = await worldWith(HERE, repos);
    await setEngine(world, HERE, ["parallel: 2"]);
    using bell = new Bell();
    await release(world, ["a"]);
    const call = await begin(world, HERE, repos, `${bell.line}${GATE}${EFFECT}`);
    await until("a is over, the others wait", () => bell.heard.length === 3);
    await until("a has told so", async () => {
      const log = await world.amof(["runs", "logs", call.run]);
      return log.stdout.includes("a: ok");
    });
    call.child.kill("SIGKILL");
    await call.ended();
    assert(await killMarked(`AMOF_ARRAY=${call.run}`) >= 4);
    await release(world, repos);
    const ran = await world.amof(["exec", "--resume", call.run, "--json"]);
    assertEquals(outcomes(ran), repos.map((repo) => [repo, "ok"]), ran.stdout + ran.stderr);
    assertEquals(bell.heard, ["a", "b", "b", "c", "c"]);
    for (const repo of repos) assertEquals(await effects(world, repo), 1);
  },
});

/** Kills every process that was started with a variable; answers how many there were. */
async function killMarked(variable: string): Promise<number> {
  let killed = 0;
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const environ = await Deno.readTextFile(`/proc/${name}/environ`).catch(() => "");
    if (!environ.split("\0").includes(variable)) continue;
    Deno.kill(Number(name), "SIGKILL");
    killed++;
  }
  return killed;
}

Deno.test({
  name: "engine here fails: a shard that ends without a word is begun as often as it may be",
  ignore: Deno.build.os === "windows",
  async fn() {
    const repos = ["a", "b"];
    await using world = await worldWith(HERE, repos);
    await setEngine(world, HERE, ["attempts: 2"]);
    using bell = new Bell();
    const line = `${bell.line}test $AMOF_REPO = b || kill -9 $PPID`;
    const call = await begin(world, HERE, repos, line);
    const ran = await call.ended();
    assertEquals(outcomes(ran), [["a", "unknown"], ["b", "ok"]], ran.stdout + ran.stderr);
    assertEquals(bell.heard, ["a", "a", "b"]);
    const again = await world.amof(["exec", "--retry-failed", call.run, "--json"]);
    assertEquals(outcomes(again), [["a", "unknown"]]);
  },
});

Deno.test("--shards alone means the engine of the settings, of the manifest, or this machine", async () => {
  await using world = await World.make();
  await world.makeControl();
  await world.addEcosystem("demo", { repos: ["a"], extra: "engine: theirs" });
  const engineOf = async (env = {}) => {
    const ran = await world.amof(["exec", "--shards", "1", "--dry-run", "--", "true"], { env });
    return ran.code === 0 ? /Engine:\s+(\w+)/.exec(ran.stdout)?.[1] : ran.stderr;
  };
  assertStringIncludes(await engineOf() ?? "", 'Cannot find engine "theirs"');
  await world.write(
    "state/config/config.yaml",
    "engines:\n  theirs: {kind: local}\n  mine: {kind: local}\n",
  );
  assertEquals(await engineOf(), "theirs");
  assertEquals(await engineOf({ AMOF_ENGINE: "mine" }), "mine");
  const plain = await world.amof(["exec", "--", "true"]);
  assertStringIncludes(plain.stderr, "is not installed");
});

Deno.test("engine check tells what works, and what is missing with its fix", async () => {
  await using world = await World.make();
  await world.write(
    "state/config/config.yaml",
    `engines:\n  far: {kind: slurm, directory: ${world.directory}}\n`,
  );
  const ran = await world.amof(["engine", "check", "--json"]);
  assertEquals(ran.code, 3);
  const engines = rows(answerOf(ran.json()), "engines");
  assertEquals(engines.map(({ name, usable }) => [name, usable]), [["local", true], [
    "far",
    false,
  ]]);
  assertStringIncludes(ran.stdout, "Cannot reach Slurm: ");
  assert(!/fatal|error: /.test(String(pick(engines, 1, "problems", 0, "message"))), ran.stdout);
  const exec = await world.amof(["engine", "check", "loacl"]);
  assertStringIncludes(exec.stderr, 'did you mean "local"?');
});

Deno.test({
  name: "engine check shows a person the whole reason and what to do, however narrow the terminal",
  ignore: Deno.build.os === "windows", // a terminal is made by script
  async fn() {
    await using world = await World.make();
    await world.write(
      "state/config/config.yaml",
      `engines:\n  far: {kind: slurm, directory: ${world.directory}}\n`,
    );
    const ran = await world.amof(["engine", "check", "--json"]);
    const [, far] = rows(answerOf(ran.json()), "engines");
    const [problem] = rows(far ?? {}, "problems");
    for (const columns of [40, 80]) {
      const screen = Screen.start(world, ["engine", "check"], { columns, rows: 60 });
      assertEquals(await screen.ends(), 3);
      const words = screen.all().split(/\s+/).join(" ");
      assertStringIncludes(words, `✗ far: ${problem?.["message"]} ${problem?.["fix"]}`);
      for (const line of screen.all().split("\n")) assert(line.length <= columns, line);
    }
  },
});

Deno.test("over MCP a person approves a program for an engine, which is no approval for the workspace", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await approveExec(world, ["--engine", "local", "--", "cat", "README.md"]);
  await using client = new McpClient(world, ["--toolsets", "default,exec,run"], {});
  await client.initialize();
  const call = { ecosystem: "demo", mode: "execute", command: ["cat", "README.md"] };
  const here = await client.call("amof_exec", call);
  assertEquals(here.data["error"], "task_untrusted");
  const asked = await client.call("amof_exec", { ...call, engine: "local" });
  assertEquals(asked.data["error"], "confirmation_required");
  const checked = await client.call("amof_check_engines", {});
  assertEquals(rows(checked.data, "engines").map(({ name }) => name), ["local"]);
});

/**
 * Ends what has written its id and that of its shard into the file `begun`, and the shard a moment later: as where all
 * processes of a job are told to end, and some obey before their shard has heard of it.
 */
async function endInTurn(world: World): Promise<void> {
  await until("work has begun", () => world.exists("begun"));
  const text = await Deno.readTextFile(join(world.directory, "begun"));
  const [work = 0, shard = 0] = text.split(" ").map(Number);
  assert(work > 1 && shard > 1, text);
  Deno.kill(work, "SIGTERM");
  await new Promise((resolve) => setTimeout(resolve, 50));
  Deno.kill(shard, "SIGTERM");
}

/** What a shell runs to write these ids down: of what its variable names, and of what started it. */
function written(world: World, id: string): string {
  const file = join(world.directory, "begun");
  return `echo "$${id} $PPID" > '${file}.new'; mv '${file}.new' '${file}'`;
}

Deno.test({
  name: "engine here fails: a clone that is ended before its shard is told was cancelled",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using world = await worldWith(HERE, ["a"]);
    const env = await world.wrapGit(
      `case " $* " in *" clone "*) ${written(world, "$")}; exec sleep 300;; esac`,
    );
    const child = world.start(["exec", "--engine", HERE.name, "--json", "--", "true"], { env });
    await endInTurn(world);
    const { stdout } = await child.output();
    const [row] = rows(answerOf(JSON.parse(new TextDecoder().decode(stdout))), "repos");
    assertEquals(row?.["outcome"], "cancelled", JSON.stringify(row));
  },
});

Deno.test({
  name:
    "engine here fails: a program that ends well as its shard is told to end was cancelled, and nothing of it is pushed",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using world = await worldWith(HERE, ["a"]);
    // The part that works is ended; the shell around it goes on, and ends well.
    const line = `echo half > half.txt; sleep 300 & ${written(world, "!")}; wait; true`;
    const start = ["campaign", "start", "tidy", "--engine", HERE.name, "--json", "--shell", line];
    const child = world.start(start);
    await endInTurn(world);
    const { stdout } = await child.output();
    const [row] = rows(answerOf(JSON.parse(new TextDecoder().decode(stdout))), "repos");
    assertEquals(row?.["state"], "cancelled", JSON.stringify(row));
    assertStringIncludes(String(row?.["detail"]), "told to end as it ended");
    await world.amof(["campaign", "approve", "tidy", "--all", "--yes"]);
    const push = await world.amof(["campaign", "push", "tidy", "--yes", "--json"]);
    assertEquals(pick(push.json(), "outcome"), "nothing", push.stdout);
    const bare = join(world.remotes, "a.git");
    const branches = await world.git(bare, "branch", "--list", "campaign/*");
    assertEquals(branches.trim(), "");
  },
});
