/**
 * `amof exec` and `amof run`: what runs where, in which order, with what, how it ends, and what is shown of it.
 *
 * @module
 */

import {
  assert,
  assertEquals,
  assertMatch,
  assertNotMatch,
  assertStringIncludes,
} from "@std/assert";
import { join } from "@std/path";
import { pick, rows, until } from "../support/answers.ts";
import { approveExec, execHash } from "../support/exec.ts";
import { McpClient } from "../support/mcp_client.ts";
import { alive, stubborn, stubbornPids } from "../support/provisioner.ts";
import { World } from "../support/world.ts";

const ignore = Deno.build.os === "windows"; // shell lines and signals

function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore, fn });
}

const REPOS = ["web", "api", "core"];
const TASKS = [
  "tasks:",
  "  where: {run: [sh, -c, 'echo $AMOF_TASK in $AMOF_REPO'], repos: [api, web], description: Says where}",
  "  show: {shell: 'printf %s,', tags: [none-such]}",
].join("\n");

/** Installed: web needs api, api needs core. */
function world(extra = ""): Promise<World> {
  return World.like(`layers ${extra}`, async (world) => {
    await world.makeInstalled({ repos: REPOS, extra });
    const path = join(world.control, "ecosystems", "demo", "ecosystem.yaml");
    const text = await Deno.readTextFile(path);
    const needs = (name: string, needed: string) => (line: string) =>
      line.replace(new RegExp(`^(\\s*)- name: ${name}$`, "m"), `$&\n$1  depends_on: [${needed}]`);
    await Deno.writeTextFile(path, needs("api", "core")(needs("web", "api")(text)));
  });
}

function outcomes(answer: unknown): unknown[] {
  return rows(answer as Record<string, unknown>, "repos").map((row) => [
    row["name"],
    row["outcome"],
    row["exit_code"],
  ]);
}

test("amof exec runs a program in every repository and shows what it prints, each as a whole", async () => {
  await using place = await world();
  const line =
    'echo "first in $AMOF_REPO"; sleep 0.05; echo "on $AMOF_BRANCH from $AMOF_BASE_BRANCH"; test "$PWD" = "$AMOF_REPO_PATH"; read -r x || echo closed';
  const ran = await place.amof(["exec", "--", "sh", "-c", line]);
  assertEquals(ran.code, 0, ran.stderr);
  for (const name of REPOS) {
    assertStringIncludes(
      ran.stdout,
      `── ${name}\nfirst in ${name}\non main from main\nclosed\n`,
    );
  }
  assertMatch(ran.stdout, /Ran sh -c .* in 3 repos\.\n$/);
  const streamed = await place.amof([
    "exec",
    "--output",
    "stream",
    "--repo",
    "api,core",
    "--",
    "pwd",
  ]);
  assertMatch(streamed.stdout, /^api {2}│ \/.*\/api$/m);
  // One alone needs no name in front, and arguments are nobody's to read.
  const alone = await place.amof([
    "exec",
    "--repo",
    "api",
    "--",
    "printf",
    "%s\n",
    "$HOME",
    "a  b",
    "--json",
  ]);
  assertEquals(alone.stdout.split("\n").slice(0, 3), ["$HOME", "a  b", "--json"]);
  const quiet = await place.amof(["exec", "--output", "none", "--shell", "echo one | tr o 0"]);
  assertMatch(quiet.stdout, /^api +ok +\S+ +0ne$/m);
});

test("amof exec says how it ended in each repository, and its exit code says how the whole did", async () => {
  await using place = await world();
  const some = await place.amof([
    "exec",
    "--json",
    "--",
    "sh",
    "-c",
    "echo $AMOF_REPO; test $AMOF_REPO != api",
  ]);
  assertEquals(some.code, 5);
  assertEquals(some.stdout.trim().split("\n").length, 1, "one object and no output");
  assertEquals(outcomes(some.json()), [["web", "ok", 0], ["api", "failed", 1], ["core", "ok", 0]]);
  assertEquals(pick(some.json(), "repos", 1, "last_line"), "api");
  assertEquals(pick(some.json(), "error"), "partial_failure");
  const id = String(some.json()["run_id"]).slice(0, 8);
  assertEquals(some.json()["retry"], `amof exec --retry-failed ${id}`);

  const none = await place.amof(["exec", "--", "false"]);
  assertEquals(none.code, 1);
  assertStringIncludes(none.stdout, "✗ api");
  assertMatch(none.stderr, /"false" did not succeed in 3 of 3 repos: .*exit status 1/);
  const absent = await place.amof(["exec", "--", "no-such-program"]);
  assertEquals(absent.code, 1);
  assertStringIncludes(absent.stderr, "no-such-program is not installed");

  // The same words again, only where it failed: as they were, whatever stands in the line.
  const again = await place.amof(["exec", "--retry-failed", id, "--json"]);
  assertEquals(outcomes(again.json()), [["api", "failed", 1]]);
  assertEquals(again.code, 1);
  const fixed = await place.amof([
    "exec",
    "--retry-failed",
    String(again.json()["run_id"]),
    "--repo",
    "core",
  ]);
  assertStringIncludes(fixed.stdout, "Ran nothing");
  const logs = await place.amof(["runs", "logs", id]);
  assertMatch(logs.stdout, /INFO +api │ api$/m);
  assertMatch(logs.stdout, /ERROR +api: exit status 1/);
});

test("amof exec goes by dependencies, stops what needs a failed one, and goes on or ends at once where asked", async () => {
  await using place = await world();
  const order = join(place.directory, "order");
  const line = `echo $AMOF_REPO >> '${order}'; test $AMOF_REPO != api`;
  const run = async (...flags: string[]) => {
    await Deno.remove(order).catch(() => {});
    const ran = await place.amof(["exec", ...flags, "--json", "--", "sh", "-c", line]);
    return { ran, order: (await Deno.readTextFile(order)).trim().split("\n") };
  };
  const layers = await run("--order", "layers");
  assertEquals(layers.order, ["core", "api"]);
  assertEquals(outcomes(layers.ran.json()), [
    ["core", "ok", 0],
    ["api", "failed", 1],
    ["web", "not_started", null],
  ]);
  assertEquals(pick(layers.ran.json(), "repos", 2, "because"), { reason: "needs", repo: "api" });
  assertEquals(rows(layers.ran.json(), "repos").map((row) => row["layer"]), [1, 2, 3]);
  assertEquals((await run("--order", "serial", "--keep-going")).order, ["core", "api", "web"]);

  const first = await run("--order", "serial", "--fail-fast", "--repo", "api,web");
  assertEquals(first.order, ["api"]);
  assertEquals(first.ran.code, 1);
  assertEquals(pick(first.ran.json(), "repos", 1, "because", "reason"), "failed");
  const planned = await place.amof([
    "exec",
    "--order",
    "layers",
    "--dry-run",
    "--",
    "make",
    "it so",
  ]);
  assertEquals(planned.code, 0);
  assertMatch(planned.stdout, /Runs: +make 'it so'$/m);
  assertMatch(planned.stdout, /^web +3 +\/.*\/web$/m);
});

test("amof exec ends the whole tree after the time limit, also what ignores it", async () => {
  await using place = await world();
  const script = await place.script("stubborn.sh", stubborn(place));
  const ran = await place.amof([
    "exec",
    "--time-limit",
    "1s",
    "--repo",
    "api",
    "--json",
    "--",
    script,
  ]);
  const pids = await stubbornPids(place);
  assertEquals(ran.code, 124, ran.stdout);
  assertEquals(pick(ran.json(), "repos", 0, "outcome"), "timed_out");
  assertEquals(await alive(place, pids), []);
  const wrong = await place.amof(["exec", "--time-limit", "soon", "--", "true"]);
  assertEquals(wrong.code, 2);
});

test("amof exec is cancelled by Ctrl-C and by amof runs cancel, with everything it started", async () => {
  await using place = await world();
  const script = await place.script("stubborn.sh", stubborn(place));
  const child = place.start(["exec", "--repo", "api", "--json", "--", script]);
  const pids = await stubbornPids(place);
  child.kill("SIGINT");
  const ended = await child.output();
  assertEquals(ended.code, 130);
  const answer = JSON.parse(new TextDecoder().decode(ended.stdout));
  assertEquals(outcomes(answer), [["api", "cancelled", null]]);
  assertEquals(await alive(place, pids), []);

  await Deno.remove(join(place.directory, "pids"));
  await Deno.remove(join(place.directory, "far"));
  const started = await place.amof([
    "exec",
    "--background",
    "--repo",
    "api",
    "--json",
    "--",
    script,
  ]);
  assertEquals(started.json()["status"], "queued", started.stdout);
  const others = await stubbornPids(place);
  const id = String(started.json()["run_id"]);
  const busy = await place.amof(["exec", "--", "true"]);
  assertEquals(busy.code, 6, "one at a time");
  await place.amof(["runs", "cancel", id, "--yes"]);
  assertEquals(await alive(place, others), []);
  const status = await place.amof(["runs", "status", id, "--json"]);
  assertEquals(status.json()["status"], "cancelled");
});

test("what amof exec started goes when amof itself is killed", async () => {
  await using place = await world();
  const script = await place.script("stubborn.sh", stubborn(place));
  const child = place.start(["exec", "--repo", "api", "--", script]);
  const pids = await stubbornPids(place);
  child.kill("SIGKILL");
  await child.status;
  const next = await place.amof(["exec", "--repo", "core", "--", "echo", "on"]);
  assertEquals(next.code, 0, next.stderr);
  assertEquals(await alive(place, pids), []);
});

test("amof exec bounds what it keeps, and lets nothing through that a terminal would obey", async () => {
  await using place = await world();
  const odd =
    "printf '\\033[31mred\\033[0m \\377\\376 \\033]0;title\\007bell\\007 \\342\\200\\256x\\n'; exit 3";
  const ran = await place.amof(["exec", "--repo", "api", "--shell", odd]);
  for (const code of ["\u0007", "\u001b", "\u202e"]) {
    assert(!(ran.stdout + ran.stderr).includes(code), JSON.stringify(code));
  }
  assertStringIncludes(ran.stdout, "red \ufffd\ufffd bell x\n");
  const json = await place.amof(["exec", "--repo", "api", "--json", "--shell", odd]);
  assertEquals(pick(json.json(), "repos", 0, "last_line"), "red \ufffd\ufffd bell x");

  const big = "head -c 7000000 /dev/zero | tr '\\0' 'x' | fold -w 999; echo; echo end";
  const much = await place.amof(["exec", "--repo", "api,core", "--shell", big]);
  assertEquals(much.code, 0);
  assert(much.stdout.length < 9_500_000, String(much.stdout.length));
  assertMatch(much.stderr, /… \d+ lines more, see: amof runs logs/);
  const last = await place.amof(["runs", "status", "--json"]);
  assertEquals(pick(last.json(), "result", "repos", 0, "last_line"), "end");

  const many = ["exec", "--repo", "api,core", "--output", "none", "--json", "--", "seq", "60000"];
  const flood = (await place.amof(many)).json();
  assertEquals(pick(flood, "repos", 0, "last_line"), "60000");
  const kept = await place.amof(["runs", "status", String(flood["run_id"]), "--json"]);
  assert(Number(kept.json()["event_count"]) < 100_050, String(kept.json()["event_count"]));
});

test("amof exec ends early when nobody reads its output any more", async () => {
  await using place = await world();
  const log = join(place.directory, "ran");
  const line = `echo $AMOF_REPO >> '${log}'; echo one; sleep 0.3; while echo more; do :; done`;
  const child = place.start(["exec", "--order", "serial", "--output", "stream", "--shell", line]);
  const reader = child.stdout.getReader();
  await reader.read();
  await reader.cancel();
  assertEquals((await child.status).code, 0);
  assertEquals((await Deno.readTextFile(log)).trim(), "core");
});

test("amof exec passes the caller's environment, or only what is named, and no repository of a hook", async () => {
  await using place = await world();
  const env = { SECRET: "hush", WANTED: "yes", GIT_DIR: "/nowhere", AMOF_REPO: "forged" };
  const line = "echo $SECRET,$WANTED,$AMOF_REPO,$AMOF_ECOSYSTEM; git rev-parse --show-toplevel";
  const all = await place.amof(["exec", "--repo", "api", "--shell", line], { env });
  assertMatch(all.stdout, /^hush,yes,api,demo\n\/.*\/api\n/);
  const marks = await place.amof([
    "exec",
    "--repo",
    "api",
    "--shell",
    "env | grep -c AMOF_CHILD_OF",
  ], {
    env: { AMOF_CHILD_OF: "another" },
  });
  assertMatch(marks.stdout, /^0\n/);
  const few = await place.amof(["exec", "--repo", "api", "--env", "WANTED", "--shell", line], {
    env,
  });
  assertMatch(few.stdout, /^,yes,api,demo\n/);
  const planned = await place.amof(["exec", "--env", "WANTED", "--dry-run", "--shell", line], {
    env,
  });
  assertMatch(planned.stdout, /Gets: .*WANTED/);
  assertNotMatch(planned.stdout, /hush/);
});

test("amof run runs a task in its repositories, narrowed and with more arguments; amof tasks lists them", async () => {
  await using place = await world(TASKS);
  const ran = await place.amof(["run", "where", "--jobs", "1"]);
  assertStringIncludes(
    ran.stdout,
    "web  where in web\napi  where in api\nRan task where in 2 repos.",
  );
  const one = await place.amof(["run", "where", "--repo", "api"]);
  assertStringIncludes(one.stdout, "where in api\nRan task where in 1 repo.");
  const outside = await place.amof(["run", "where", "--repo", "core"]);
  assertEquals(outside.code, 2);
  assertStringIncludes(outside.stderr, "it is for web, api");
  const listed = await place.amof(["tasks", "--json"]);
  assertEquals(rows(listed.json(), "tasks").map((row) => [row["name"], row["approved"]]), [
    ["where", false],
    ["show", false],
  ]);
  const near = await place.amof(["run", "wher"]);
  assertEquals(near.code, 2);
  assertStringIncludes(near.stderr, 'did you mean "where"?');
  const bare = await place.amof(["exec", "ls", "-la"]);
  assertEquals(bare.code, 2);
  assertStringIncludes(bare.stderr, "amof exec -- ls -la");
  const nothing = await place.amof(["exec"]);
  assertEquals(nothing.code, 2);
  const two = await place.amof(["exec", "--task", "where", "--", "ls"]);
  assertEquals(two.code, 2);
  const more = await place.amof(["exec", "--task", "where", "--env", "CI"]);
  assertEquals(more.code, 2);
});

test("an approval is for exactly what was read, is listed, changes with the task, and is taken back", async () => {
  await using place = await world("tasks: {touch: {run: [touch, one]}}");
  const unseen = await place.amof(["exec", "trust", "touch", "--yes", "--json"]);
  assertEquals([unseen.code, pick(unseen.json(), "error")], [4, "task_untrusted"]);
  const wrong = await place.amof(["exec", "trust", "touch", "--hash", "0".repeat(64), "--yes"]);
  assertEquals(wrong.code, 4);
  const hash = await approveExec(place, ["touch"]);
  const line = await approveExec(place, ["--repo", "api", "--", "make", "all"]);
  const hashes = new Set([
    hash,
    line,
    await execHash(place, ["--", "make", "all"]),
    await execHash(place, ["--repo", "web", "--", "make", "all"]),
    await execHash(place, ["--repo", "api", "--env", "CI", "--", "make", "all"]),
    await execHash(place, ["--repo", "api", "--", "make all"]),
    await execHash(place, ["--repo", "api", "--shell", "make all"]),
  ]);
  assertEquals(hashes.size, 7);
  const listed = await place.amof(["exec", "trust", "--list", "--json"]);
  const shown = (answer: Record<string, unknown>) =>
    rows(answer, "approvals").map((row) => [row["kind"], row["name"], row["current"]]);
  assertEquals(shown(listed.json()), [["line", "make all", null], ["task", "touch", true]]);

  const path = join(place.control, "ecosystems", "demo", "ecosystem.yaml");
  await Deno.writeTextFile(
    path,
    (await Deno.readTextFile(path)).replace("[touch, one]", "[touch, two]"),
  );
  const later = await place.amof(["exec", "trust", "--list", "--json"]);
  assertEquals(shown(later.json())[1], ["task", "touch", false]);
  const revoked = await place.amof(["exec", "trust", "touch", "--revoke", "--yes"]);
  assertStringIncludes(revoked.stdout, "Took back 1 approval of task touch.");
  const rest = await place.amof(["exec", "trust", "--list"]);
  assertNotMatch(rest.stdout, /touch/);
  const completed = await until(
    "tasks are offered",
    async () => (await place.amof(["complete", "--", "run", ""])).stdout.includes("touch") || null,
  );
  assert(completed);
});

test("where git would run what nobody has looked at no program is run, by neither door, until a person has", async () => {
  await using place = await world(`${TASKS}\n`);
  const ran = join(place.directory, "ran");
  await place.git(place.clone("api"), "config", "core.pager", `touch ${ran}`);
  const line = ["exec", "--json", "--", "sh", "-c", "git -p log"];
  const refused = await place.amof(line);
  assertEquals([refused.code, refused.json()["error"]], [4, "clone_untrusted"], refused.stdout);
  assertStringIncludes(String(refused.json()["message"]), "core.pager in .git/config");
  const task = await place.amof(["run", "where"]);
  assertEquals(task.code, 4);
  assertStringIncludes(task.stderr, "repo trust api\nLeave it out: ");
  await approveExec(place, ["where"]);
  await using client = new McpClient(place, [
    "--toolsets",
    "default,exec,run",
    "--mode",
    "execute",
  ]);
  await client.initialize({});
  const answer = await client.call("amof_exec", { ecosystem: "demo", task: "where" });
  assertEquals([answer.isError, answer.data["error"]], [true, "clone_untrusted"], answer.text);
  // The others can be worked in.
  const others = await place.amof(["exec", "--repo", "!api", "--", "git", "status"]);
  assertEquals(others.code, 0, others.stderr);
  assert(!await place.exists(ran));
  await place.git(place.clone("api"), "config", "--unset", "core.pager");
  assertEquals((await place.amof(line)).code, 0);
});

test("amof exec says the line that repeats it with the ecosystem and the control repository it was called with", async () => {
  await using place = await world();
  const elsewhere = { cwd: place.directory };
  const call = async (...words: string[]) =>
    await place.amof(["--root", join(place.directory, "control"), ...words], elsewhere);
  const failing = ["-e", "demo", "exec", "--json", "--", "sh", "-c", "exit 3"];
  const retries = async () => String((await call(...failing)).json()["retry"]);
  const root = `amof --root ${join(place.directory, "control")}`;
  assertMatch(await retries(), new RegExp(`^${root} exec --retry-failed [0-9a-f]{8}$`));
  await place.addEcosystem("other", { repos: [] });
  const retry = await retries();
  assertMatch(retry, new RegExp(`^${root} -e demo exec --retry-failed [0-9a-f]{8}$`));
  const again = await place.amof([...retry.split(" ").slice(1), "--json"], elsewhere);
  assertEquals(again.json()["error"], "subprocess_failed", again.stdout);
});
