/**
 * What every engine must do, through the command line: the same tests for each of them.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows, until } from "../support/answers.ts";
import { type Ran, World } from "../support/world.ts";
import { killedOn } from "../faults/broken.ts";
import { THOROUGHLY } from "../support/sample.ts";
import { Bell } from "./bell.ts";
import { EFFECT, effects } from "./effects.ts";
import { LONG_AGO, newKey, type Resealed, resealed } from "./resealed.ts";

/** An engine to be tested. */
export interface Subject {
  /** What it is called in the user file. */
  readonly name: string;
  /** Its lines in the user file of a world; `parallel` stands for itself. */
  readonly settings: (world: World) => readonly string[];
  /** What programs of the engine need of the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Makes a world's remotes reachable from where shards run; absent where they read its files. */
  readonly serve?: (world: World) => Promise<void>;
  /** Whether programs in shards can change the plans of others. */
  readonly sharesPlans: boolean;
  /** Lines of the user file that have the engine work in directories whose names are odd; absent where it has none. */
  readonly oddPlaces?: (world: World) => readonly string[];
  /** Words of the calls by which an engine is given an array, is told to begin it, and is asked how it stands. */
  readonly calls: readonly [string, string, string];
}

/** A world with an ecosystem that nobody has installed, and the engine in its user file. */
export async function worldWith(subject: Subject, repos: readonly string[]): Promise<World> {
  const world = await World.make();
  await world.makeControl();
  await world.addEcosystem("demo", { repos });
  await keepModules(world);
  await setEngine(world, subject, []);
  Object.assign(world.env, subject.env);
  await subject.serve?.(world);
  return world;
}

/** A shard finds the modules of a runtime at home, since it gets a list of variables: else it fetches them, for minutes. */
async function keepModules(world: World): Promise<void> {
  const { DENO_DIR, HOME } = world.env;
  if (DENO_DIR === undefined || HOME === undefined || Deno.build.os === "windows") return;
  const cache = join(HOME, ".cache");
  await Deno.mkdir(cache, { recursive: true });
  await Deno.symlink(DENO_DIR, join(cache, "deno"));
}

/** Writes the user file, with more lines for the engine. */
export async function setEngine(
  world: World,
  subject: Subject,
  more: readonly string[],
): Promise<void> {
  const names = new Set(more.map((line) => line.split(":")[0]));
  const lines = subject.settings(world).filter((line) => !names.has(line.split(":")[0]));
  await Deno.mkdir(join(world.directory, "shared"), { recursive: true });
  const text = [
    "engines:",
    `  ${subject.name}:`,
    ...[...lines, ...more].map((one) => `    ${one}`),
  ];
  await world.write("state/config/config.yaml", `${text.join("\n")}\n`);
}

/** What was answered, whether the call succeeded or failed. */
export function answerOf(answer: Record<string, unknown>): Record<string, unknown> {
  return (answer["result"] ?? answer) as Record<string, unknown>;
}

/** How it ended in each repository: name, outcome and exit code. */
export function ends(ran: Ran): unknown[] {
  return rows(answerOf(ran.json()), "repos").map((row) => [
    row["name"],
    row["outcome"],
    row["exit_code"],
  ]);
}

/** The processes that were started with a word in their arguments. */
export async function processesWith(world: World, word: string): Promise<string[]> {
  const { stdout } = await world.command("ps", ["-ww", "-eo", "pid,args"]);
  return stdout.split("\n").filter((line) => line.includes(word) && !line.includes("ps -eo"));
}

/** Starts amof and waits until one of its programs has rung. Throws what it printed where none does. */
async function begunIn(world: World, bell: Bell, words: readonly string[]) {
  const child = world.start([...words]);
  let isOver = false;
  const ended = child.output().then(({ code, stdout, stderr }) => {
    isOver = true;
    const [out = "", err = ""] = [stdout, stderr].map((one) => new TextDecoder().decode(one));
    return { code, stdout: out, stderr: err };
  });
  try {
    await until("a program has begun", () => isOver || bell.heard.length > 0);
  } catch {
    child.kill("SIGKILL");
  }
  if (bell.heard.length > 0) return { child, ended };
  throw new Error(`No program has begun: ${JSON.stringify(await ended)}`);
}

/** A name of a branch as git takes it and hardly anybody gives it. */
const ODD_BRANCH = "Feature/ü-100%a_(b)";
const PUSHED = "campaign/Tidy_1.0";

/** Declares the tests for an engine. */
export function conformance(subject: Subject, ignore = false): void {
  const engine = ["--engine", subject.name];
  const test = (name: string, fn: () => Promise<void>) =>
    Deno.test({ name: `engine ${subject.name}: ${name}`, ignore, fn });

  test("every repository has its own exit code and output, and nothing stays", async () => {
    const repos = ["a", "b", "c", "d", "e"];
    await using world = await worldWith(subject, repos);
    const line = 'echo "in $AMOF_REPO on $AMOF_BRANCH"; pwd; test -f README.md || exit 9; ' +
      "case $AMOF_REPO in b) exit 3;; d) exit 7;; esac";
    const ran = await world.amof(["exec", ...engine, "--shards", "3", "--json", "--shell", line]);
    assertEquals(ran.code, 5, ran.stdout + ran.stderr);
    assertEquals(ends(ran), [
      ["a", "ok", 0],
      ["b", "failed", 3],
      ["c", "ok", 0],
      ["d", "failed", 7],
      ["e", "ok", 0],
    ]);
    const id = String(pick(answerOf(ran.json()), "run_id") ?? pick(ran.json(), "run_id"));
    const log = await world.amof(["runs", "logs", id]);
    for (const repo of repos) assertStringIncludes(log.stdout, `in ${repo} on main`);
    const clones = log.stdout.split("\n").filter((one) => one.includes(`amof-${id}`));
    assertEquals(clones.length, repos.length, log.stdout);
    for (const one of clones) {
      const path = /\/\S+/.exec(one)?.[0] ?? "";
      assert(!(await world.exists(path)), `${path} was left`);
    }
    const again = await world.amof(["exec", "--json", "--retry-failed", id]);
    assertEquals(ends(again), [["b", "failed", 3], ["d", "failed", 7]]);
  });

  test("fifty shards end each in its own way, and only those that failed are begun again", async () => {
    const codes = Array.from({ length: 50 }, (_, at) => at % 5 === 3 ? at : 0);
    const repos = codes.map((_, at) => `r${at}`);
    await using world = await worldWith(subject, repos);
    const line = 'n=${AMOF_REPO#r}; echo "this is $n"; test $((n % 5)) -ne 3 || exit $n';
    const ran = await world.amof(["exec", ...engine, "--shards", "50", "--json", "--shell", line]);
    const expected = repos.map((repo, at) => [
      repo,
      codes[at] === 0 ? "ok" : "failed",
      codes[at],
    ]);
    assertEquals(ends(ran), expected, ran.stderr);
    const id = String(pick(answerOf(ran.json()), "run_id") ?? pick(ran.json(), "run_id"));
    const log = await world.amof(["runs", "logs", id, "--tail", "1000"]);
    for (const repo of repos) assertStringIncludes(log.stdout, `this is ${repo.slice(1)}\n`);
    const again = await world.amof(["exec", "--json", "--retry-failed", id]);
    assertEquals(ends(again), expected.filter((row) => row[1] === "failed"), again.stderr);
  });

  test("a thousand lines of each come whole and in order", async () => {
    await using world = await worldWith(subject, ["a", "b"]);
    const line = 'i=0; while [ $i -lt 1000 ]; do i=$((i+1)); echo "$AMOF_REPO line $i"; done';
    const ran = await world.amof(["exec", ...engine, "--shards", "2", "--shell", line]);
    assertEquals(ran.code, 0, ran.stderr);
    for (const repo of ["a", "b"]) {
      const lines = ran.stdout.split("\n").filter((one) => one.startsWith(`${repo} line `));
      assertEquals(lines, Array.from({ length: 1_000 }, (_, at) => `${repo} line ${at + 1}`));
    }
  });

  test("a program gets the variables that are named, and no others", async () => {
    await using world = await worldWith(subject, ["a"]);
    await setEngine(world, subject, ["env: [PASSED_ON]"]);
    Object.assign(world.env, { PASSED_ON: "yes", KEPT_BACK: "secret-value" });
    const ran = await world.amof(["exec", ...engine, "--", "env"]);
    assertEquals(ran.code, 0, ran.stderr);
    assertStringIncludes(ran.stdout, "PASSED_ON=yes");
    assert(!ran.stdout.includes("KEPT_BACK"), ran.stdout);
    assertStringIncludes(ran.stdout, "AMOF_REPO=a");
  });

  test("time limits end one repository, or the whole shard", async () => {
    await using world = await worldWith(subject, ["a", "b", "c"]);
    const line = "test $AMOF_REPO != b || sleep 300";
    const each = await world.amof([
      ...["exec", ...engine, "--shards", "1", "--time-limit", "2s", "--json", "--shell", line],
    ]);
    assertEquals(ends(each).map((row) => (row as unknown[]).slice(0, 2)), [
      ["a", "ok"],
      ["b", "timed_out"],
      ["c", "ok"],
    ]);
    await setEngine(world, subject, ["time: 3s"]);
    const whole = await world.amof(["exec", ...engine, "--shards", "1", "--json", "--shell", line]);
    assertEquals(ends(whole).map((row) => (row as unknown[]).slice(0, 2)), [
      ["a", "ok"],
      ["b", "timed_out"],
      ["c", "not_started"],
    ]);
  });

  test("an interrupt ends everything that was started, and the rest is not begun", async () => {
    await using world = await worldWith(subject, ["a", "b", "c", "d"]);
    const word = crypto.randomUUID();
    using bell = new Bell();
    // What leaves its parent and its session is found by the word that is its name.
    const line = `${bell.line}(setsid sh -c "sleep 500; :" ${word} &) ; sleep 400; : ${word}`;
    const { child, ended } = await begunIn(world, bell, [
      ...["exec", ...engine, "--shards", "4", "--json", "--shell", line],
    ]);
    child.kill("SIGINT");
    const { code, stdout } = await ended;
    assertEquals(code, 130);
    const answer = JSON.parse(stdout);
    for (const row of rows(answerOf(answer), "repos")) {
      assert(["cancelled", "not_started"].includes(String(row["outcome"])), JSON.stringify(row));
    }
    assertEquals(await processesWith(world, word), []);
  });

  test("a submitter that is killed is followed by the next, which submits nothing again", async () => {
    const repos = ["a", "b", "c", "d", "e", "f"];
    await using world = await worldWith(subject, repos);
    using bell = new Bell();
    const line = `${bell.line}sleep 1; echo done`;
    const { child, ended } = await begunIn(world, bell, [
      ...["exec", ...engine, "--shards", "6", "--shell", line],
    ]);
    child.kill("SIGKILL");
    await ended;
    const listed = await world.amof(["runs", "list", "--action", "exec", "--json"]);
    const id = String(pick(listed.json(), "runs", 0, "run_id"));
    const stands = await world.amof(["runs", "status", id, "--json"]);
    assertStringIncludes(stands.stdout, `amof exec --resume ${id.slice(0, 8)}`);
    const repeated = await world.amof(["exec", "--retry-failed", id]);
    assertEquals(repeated.code, 2);
    assertStringIncludes(repeated.stderr, `exec --resume ${id.slice(0, 8)}`);
    const resumed = await world.amof(["exec", "--resume", id, "--json"]);
    assertEquals(resumed.code, 0, resumed.stdout + resumed.stderr);
    assertEquals(ends(resumed), repos.map((repo) => [repo, "ok", 0]));
    assertEquals(bell.heard, repos);
    const over = await world.amof(["exec", "--resume", id]);
    assertEquals(over.code, 2);
    assertStringIncludes(over.stderr, "everything was collected");
  });

  test("a plan that is changed on its way is carried out by no shard, and each repository says so", async () => {
    if (!subject.sharesPlans) return;
    await using world = await worldWith(subject, ["a", "b", "c"]);
    await setEngine(world, subject, ["parallel: 1"]);
    const shared = join(world.directory, "shared");
    // The first shard changes what the others are to read.
    const line =
      `for plan in ${world.env["AMOF_HOME"]}/state/engine/*/plan.json ${shared}/*/plan.json; do ` +
      'test ! -f "$plan" || { chmod u+w "$plan"; sed -i "s/AMOF_TASK/AMOF_TASX/" "$plan"; }; done';
    const ran = await world.amof(["exec", ...engine, "--shards", "3", "--json", "--shell", line]);
    assertEquals(ran.code, 5, ran.stdout + ran.stderr);
    assertEquals(ends(ran), [["a", "ok", 0], ["b", "refused", null], ["c", "refused", null]]);
    assertStringIncludes(ran.stdout, "not the one this shard was started for");
  });

  test("a plan of somebody else, one that is over, and a branch that has moved are refused by the shard", async () => {
    const repos = ["a", "b"];
    const none = "0123456789".repeat(4);
    const others = await newKey();
    const cases: readonly Resealed[] = [
      { why: "another installation of amof has signed it", key: others },
      { why: "the time in which it was agreed to is over", change: { not_after: LONG_AGO } },
      { why: "its signature is wrong", forge: ["AMOF_TASK", "AMOF_TASX"] },
      { why: "is not at the commit that was agreed to any more", commits: { b: none } },
    ];
    for (const one of cases) {
      await using world = await worldWith(subject, repos);
      const words = ["exec", ...engine, "--shards", "1", "--json", "--", "true"];
      await killedOn(world, words, { words: subject.calls[0], phase: "before" });
      const run = await resealed(world, one);
      const ran = await world.amof(["exec", "--resume", run, "--json"]);
      assert(ran.code !== 2, ran.stdout + ran.stderr);
      const all = rows(answerOf(ran.json()), "repos");
      const refused = one.commits === undefined ? repos : ["b"];
      assertEquals(
        all.map(({ name, outcome }) => [name, outcome]),
        repos.map((repo) => [repo, refused.includes(repo) ? "refused" : "ok"]),
        `${one.why}: ${ran.stdout}${ran.stderr}`,
      );
      for (const row of all) {
        if (refused.includes(String(row["name"]))) {
          assertStringIncludes(String(row["last_line"]), one.why);
        }
      }
    }
  });

  test("a submitter that is killed at a call of its engine is followed, and each effect is had once", async () => {
    const repos = ["a", "b", "c"];
    const [given, begun, asked] = subject.calls;
    const all = ["before", "within", "after"] as const;
    const kills = THOROUGHLY
      ? subject.calls.flatMap((words) => all.map((phase) => ({ words, phase })))
      : [{ words: given, phase: "after" }, { words: begun, phase: "within" }, {
        words: asked,
        phase: "before",
      }] as const;
    for (const kill of kills) {
      await using world = await worldWith(subject, repos);
      const line = `url=$(git config remote.origin.url); ${EFFECT}`;
      const words = ["exec", ...engine, "--shards", "2", "--json", "--shell", line];
      await killedOn(world, words, kill);
      const listed = await world.amof(["runs", "list", "--action", "exec", "--json"]);
      const run = String(pick(listed.json(), "runs", 0, "run_id"));
      const resumed = await world.amof(["exec", "--resume", run, "--json"]);
      const what = `${kill.phase} ${kill.words}`;
      assertEquals(resumed.code, 0, `${what}: ${resumed.stdout}${resumed.stderr}`);
      assertEquals(
        ends(resumed),
        repos.map((repo) => [repo, "ok", 0]),
        `${what}: ${resumed.stdout}${resumed.stderr}`,
      );
      for (const repo of repos) assertEquals(await effects(world, repo), 1, `${what}: ${repo}`);
    }
  });

  test("what an engine cannot keep is refused before anything is submitted", async () => {
    await using world = await worldWith(subject, ["a"]);
    for (
      const [words, why] of [
        [["--order", "layers"], "shards keep no order"],
        [["--fail-fast"], "shards do not wait"],
        [["--only", "dirty"], "asks how clones stand"],
        [["--repo", "none"], 'Cannot find repository "none"'],
        [["--engine", "clustre"], "Cannot find engine"],
      ] as const
    ) {
      const ran = await world.amof(["exec", ...engine, ...words, "--", "true"]);
      assertEquals(ran.code, 2, ran.stderr);
      assertStringIncludes(ran.stderr, why);
    }
    assert(!await world.exists("state/state/engine"));
  });

  test("names and texts that are odd travel as they are", async () => {
    await using world = await worldWith(subject, ["a"]);
    const odd = `q'uote "double" $HOME \`x\` \\ ü 日本 %a %j`;
    const ran = await world.amof(["exec", ...engine, "--", "printf", "%s\n", odd]);
    assertEquals(ran.code, 0, ran.stderr);
    assertStringIncludes(ran.stdout, odd);
  });

  test("repositories, branches, remotes and directories may be called as they like", async () => {
    const repos = ["Mixed.Case_9-x", "1.2.3", "L".repeat(60), "far"];
    await using world = await worldWith(subject, repos);
    await setEngine(world, subject, subject.oddPlaces?.(world) ?? []);
    const [plain, odd] = [join(world.remotes, "far.git"), `far 'away' & 100%a ü.git`];
    await world.git(plain, "branch", "-m", "main", ODD_BRANCH);
    await Deno.rename(plain, join(world.remotes, odd));
    const path = join(world.control, "ecosystems/demo/ecosystem.yaml");
    const text = await Deno.readTextFile(path);
    const at = text.lastIndexOf("far.git");
    const rest = text.slice(at).replace("far.git", encodeURIComponent(odd).replaceAll("'", "%27"))
      .replace("main", ODD_BRANCH);
    await Deno.writeTextFile(path, text.slice(0, at) + rest);
    const line = 'echo "$AMOF_REPO on $AMOF_BRANCH"; echo x >> README.md';
    const ran = await world.amof(["exec", ...engine, "--shards", "2", "--json", "--shell", line]);
    assertEquals(ran.code, 0, ran.stdout + ran.stderr);
    assertEquals(ends(ran), repos.map((repo) => [repo, "ok", 0]), ran.stdout + ran.stderr);
    const id = String(pick(answerOf(ran.json()), "run_id") ?? pick(ran.json(), "run_id"));
    const log = await world.amof(["runs", "logs", id]);
    for (const repo of repos) {
      assertStringIncludes(log.stdout, `${repo} on ${repo === "far" ? ODD_BRANCH : "main"}\n`);
    }
    const start = ["campaign", "start", "Tidy_1.0", ...engine, "--shards", "2", "--json"];
    const kept = await world.amof([...start, "--shell", line]);
    assertEquals(
      rows(answerOf(kept.json()), "repos").map(({ repo, state }) => [repo, state]),
      repos.toSorted((a, b) => a.localeCompare(b)).map((repo) => [repo, "changed"]),
      kept.stdout + kept.stderr,
    );
    await world.amof(["campaign", "approve", "Tidy_1.0", "--all", "--yes"]);
    const push = await world.amof(["campaign", "push", "Tidy_1.0", "--yes", "--json"]);
    assertEquals(push.code, 0, push.stdout + push.stderr);
    const pushed = await world.git(join(world.remotes, odd), "log", "--format=%s", "-1", PUSHED);
    assertStringIncludes(pushed, "Tidy_1.0: ");
  });

  test("a remote that is gone is told of its repository alone", async () => {
    await using world = await worldWith(subject, ["a", "b"]);
    await Deno.remove(join(world.remotes, "b.git"), { recursive: true });
    const ran = await world.amof(["exec", ...engine, "--json", "--", "true"]);
    assertEquals(ran.code, 5);
    assertEquals(ends(ran), [["a", "ok", 0], ["b", "unreachable", null]]);
  });

  test("a campaign brings commits home, and each is pushed once", async () => {
    const repos = ["a", "b", "c"];
    await using world = await worldWith(subject, repos);
    const line = "test $AMOF_REPO = c || echo tidy >> README.md";
    const start = ["campaign", "start", "tidy", "-m", "Tidy up", ...engine, "--shards", "2"];
    const ran = await world.amof([...start, "--json", "--shell", line]);
    assertEquals(ran.code, 0, ran.stdout + ran.stderr);
    assertEquals(rows(answerOf(ran.json()), "repos").map(({ state }) => state), [
      "changed",
      "changed",
      "unchanged",
    ]);
    await world.amof(["campaign", "approve", "tidy", "--all", "--yes"]);
    for (const pushed of [2, 0]) {
      const push = await world.amof(["campaign", "push", "tidy", "--yes", "--json"]);
      assertEquals(push.code, 0, push.stdout + push.stderr);
      assertEquals(rows(answerOf(push.json()), "repos").length, pushed);
    }
    for (const repo of ["a", "b"]) {
      const bare = join(world.remotes, `${repo}.git`);
      const made = await world.git(bare, "log", "--format=%s", "main..campaign/tidy");
      assertEquals(made.trim(), "Tidy up");
    }
  });
}
