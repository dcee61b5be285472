/**
 * Agents for tickets with this machine as the engine: what comes home, what is refused, and what a killed amof has left
 * (BOX-10, BOX-11, BOX-12).
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Buffer } from "node:buffer";
import { join } from "@std/path";
import { sha256 } from "../../src/base/hash.ts";
import { rows, until } from "../support/answers.ts";
import { MAKER } from "../support/box.ts";
import type { Ran, World } from "../support/world.ts";
import { agents, arrivals, cloneOf, standing, ticketWith } from "./agents.ts";
import { answerOf, type Subject } from "./suite.ts";

const ignore = Deno.build.os === "windows"; // shell lines

const subject: Subject = {
  name: "here",
  settings: () => ["kind: local", "parallel: 2"],
  env: {},
  sharesPlans: true,
  calls: ["local/plan", "shard run", "local/0.json"],
};

agents(subject, ignore);

const RUN = ["agent", "run", "-t", "P-1", "--engine", "here"];
const FREE = [...RUN, "--no-box", "--yes", "--json"];

function test(name: string, fn: (world: World) => Promise<void>): void {
  Deno.test({
    name,
    ignore,
    async fn() {
      await using world = await ticketWith(subject);
      await fn(world);
    },
  });
}

/** Shell lines that note that they run, wait until they may go on, and commit. */
function gated(world: World): string {
  return `echo ran >> ${world.directory}/ran; while [ ! -e ${world.directory}/go ]; do sleep 0.05; done
    cd repos/api; echo more >> README.md
    git -c user.name=A -c user.email=a@example.invalid commit --quiet --all -m More`;
}

/** Begins a gated agent, and answers when its program works. */
async function begun(world: World): Promise<Deno.ChildProcess> {
  const amof = world.start([...FREE, "--", "sh", "-c", gated(world)]);
  await until("the program works", () => world.exists("ran"));
  return amof;
}

async function ended(amof: Deno.ChildProcess): Promise<Ran["stdout"]> {
  const [stdout] = await Promise.all([
    new Response(amof.stdout).text(),
    new Response(amof.stderr).text(),
    amof.status,
  ]);
  return stdout;
}

function namesIn(directory: string): Promise<string[]> {
  return Array.fromAsync(Deno.readDir(directory), ({ name }) => name);
}

/** Begins one, kills amof while the program works, and lets that end; answers its run and the file with its lines. */
async function orphaned(world: World): Promise<{ readonly run: string; readonly lines: string }> {
  const amof = await begun(world);
  amof.kill("SIGKILL");
  await ended(amof);
  await world.write("go", "");
  const engine = join(world.env["AMOF_HOME"] ?? "", "state", "engine");
  const [run = ""] = await namesIn(engine);
  const results = join(engine, run, "results");
  const [name = ""] = await namesIn(results);
  const lines = join(results, name);
  const hasEnded = async () => (await Deno.readTextFile(lines)).includes('"type":"end"');
  await until("the shard has ended", hasEnded);
  return { run, lines };
}

const RESUME = ["agent", "run", "-t", "P-1", "--json", "--resume"];

test("what a killed amof had begun comes home once, and nothing runs twice", async (world) => {
  const { run } = await orphaned(world);
  const again = await world.amof([...FREE, "--", "sh", "-c", gated(world)]);
  assertEquals(again.json()["error"], "ecosystem_busy", again.stdout);
  assertStringIncludes(again.stdout, `--resume ${run.slice(0, 8)}`);
  const shown = await world.amof([...RESUME, run, "--dry-run"]);
  assertEquals(shown.code, 0, shown.stdout);
  assertEquals(await standing(world, "api"), "");
  const ending = await world.amof(["ticket", "end", "P-1", "--yes", "--json"]);
  assertStringIncludes(ending.stdout, "has not come home yet");
  const home = await world.amof([...RESUME, run.slice(0, 8)]);
  assertEquals(home.code, 0, home.stdout + home.stderr);
  assertEquals(arrivals(home)[0], ["api", "taken", 1]);
  assertEquals(await standing(world, "api"), "More");
  assertEquals(await Deno.readTextFile(join(world.directory, "ran")), "ran\n");
  assertEquals((await world.amof([...RESUME, run])).code, 2);
  const next = await world.amof([...FREE, "--", "true"]);
  assertStringIncludes(next.stdout, "has 1 commit that no remote has");
});

test("what was collected when amof was killed comes home as well", async (world) => {
  const { run, lines } = await orphaned(world);
  const file = join(lines, "../../submission.json");
  const record = JSON.parse(await Deno.readTextFile(file));
  await Deno.writeTextFile(file, JSON.stringify({ ...record, phase: "settled" }));
  const home = await world.amof([...RESUME, run]);
  assertEquals(home.code, 0, home.stdout + home.stderr);
  assertEquals(await standing(world, "api"), "More");
});

test("a pack that is not what was agreed to is refused, and changes nothing", async (world) => {
  const { run, lines } = await orphaned(world);
  // An orphan, packed as it should be.
  const clone = join(world.directory, "theirs");
  await world.git(world.directory, "init", "--quiet", clone);
  await Deno.writeTextFile(join(clone, "evil"), "evil\n");
  await world.git(clone, "add", "evil");
  await world.git(clone, "commit", "--quiet", "-m", "Evil");
  const commit = (await world.git(clone, "rev-parse", "HEAD")).trim();
  await world.command("sh", [
    "-c",
    `cd ${clone} && echo HEAD | git pack-objects --revs --stdout -q > ../pack`,
  ]);
  const pack = await Deno.readFile(join(world.directory, "pack"));
  const hash = sha256(pack);
  const changed = (await Deno.readTextFile(lines)).split("\n").flatMap((line) => {
    if (line === "") return [];
    const told = JSON.parse(line);
    if (told.type === "piece") {
      const data = Buffer.from(pack).toString("base64");
      return [JSON.stringify({ ...told, sha256: hash, n: 0, of: 1, data })];
    }
    if (told.type === "item" && told.repo === "api") {
      return [JSON.stringify({ ...told, change: { ...told.change, commit, sha256: hash } })];
    }
    return [line];
  });
  await Deno.writeTextFile(lines, `${changed.join("\n")}\n`);
  const home = await world.amof([...RESUME, run]);
  assertEquals(home.code, 5, home.stdout + home.stderr);
  assertEquals(arrivals(home)[0], ["api", "refused", 0]);
  assertStringIncludes(home.stdout, "do not all follow the one that was agreed to");
  assertEquals(await standing(world, "api"), "");
  const found = await world.command("git", ["-C", cloneOf(world, "api"), "cat-file", "-e", commit]);
  assert(found.code !== 0, "nothing of it is in the clone");
});

test("a ticket that has moved on keeps the commits beside its branch", async (world) => {
  const amof = await begun(world);
  const clone = cloneOf(world, "api");
  await Deno.writeTextFile(join(clone, "mine"), "mine\n");
  await world.git(clone, "add", "mine");
  await world.git(clone, "commit", "--quiet", "-m", "Mine");
  const ending = await world.amof(["ticket", "end", "P-1", "--yes", "--json"]);
  assertStringIncludes(ending.stdout, "a program works there as run");
  await world.write("go", "");
  const answer = JSON.parse(await ended(amof));
  const [api] = rows(answerOf(answer), "arrivals");
  assertEquals([api?.["state"], api?.["commits"]], ["kept", 1], JSON.stringify(answer));
  assertStringIncludes(String(api?.["detail"]), "has moved since; take them: git -C ");
  assertEquals(await standing(world, "api"), "Mine");
  assertEquals(await standing(world, "api", String(api?.["kept"])), "More");
});

test("work that is nowhere else does not travel, and nobody loses it", async (world) => {
  const clone = cloneOf(world, "api");
  await Deno.writeTextFile(join(clone, "draft"), "draft\n");
  const line = ["--", "sh", "-c", "test ! -e repos/api/draft && echo new > repos/api/new"];
  const refused = await world.amof([...FREE, ...line]);
  assertEquals(refused.json()["error"], "repo_dirty", refused.stdout);
  assertStringIncludes(refused.stdout, "--only-committed");
  const shown = await world.amof([...RUN, "--only-committed", "--dry-run", ...line]);
  assertStringIncludes(shown.stdout, "api (not committed)");
  const ran = await world.amof([...FREE, "--only-committed", ...line]);
  assertEquals(arrivals(ran)[0], ["api", "kept", 1], ran.stdout + ran.stderr);
  assertEquals(await Deno.readTextFile(join(clone, "draft")), "draft\n");
  await world.git(clone, "add", "draft");
  await world.git(clone, "commit", "--quiet", "-m", "Draft");
  const unpushed = await world.amof([...FREE, ...line]);
  assertStringIncludes(unpushed.stdout, "has 1 commit that no remote has");
});

test("a ticket that stands behind its base begins where it stands", async (world) => {
  const next = await world.git(
    join(world.remotes, "api.git"),
    ...["commit-tree", "-p", "main", "-m", "Next", "main^{tree}"],
  );
  await world.git(join(world.remotes, "api.git"), "update-ref", "refs/heads/main", next.trim());
  const line = "git -C repos/api log --format=%s -1; echo new > repos/api/new";
  const ran = await world.amof([...FREE, "--", "sh", "-c", line]);
  assertEquals(arrivals(ran)[0], ["api", "taken", 1], ran.stdout + ran.stderr);
  assert(!ran.stderr.includes("Next"), ran.stderr);
});

test("rewritten commits come home as one, and what was cancelled is told so", async (world) => {
  const line = "cd repos/api; git -c user.name=A -c user.email=a@example.invalid " +
    "commit --quiet --amend --allow-empty -m Rewritten; echo new > new; git branch other";
  const ran = await world.amof([...FREE, "--", "sh", "-c", line]);
  assertEquals(arrivals(ran)[0], ["api", "taken", 1], ran.stdout + ran.stderr);
  assertStringIncludes(ran.stdout, "what came of them is one commit");
  assertEquals(await standing(world, "api"), "P-1: what sh left uncommitted");
});

test("amof runs cancel ends an agent on an engine", async (world) => {
  const amof = await begun(world);
  const active = await world.amof(["runs", "active", "--json"]);
  const id = String(rows(active.json(), "runs")[0]?.["run_id"]);
  const cancelled = await world.amof(["runs", "cancel", id, "--yes", "--json"]);
  assertEquals(cancelled.code, 0, cancelled.stdout);
  await ended(amof);
  const record = await world.amof(["runs", "status", id, "--json"]);
  assertEquals(record.json()["status"], "cancelled");
  const next = await world.amof([...FREE, "--", "true"]);
  assertEquals(next.code, 0, next.stdout);
});

Deno.test({
  name: "an agent on an engine works in the node's box, and without one not at all",
  ignore: MAKER === null,
  async fn() {
    await using world = await ticketWith(subject);
    await world.write("home/.ssh/id", "a key\n");
    await world.script("tools/bwrap", "echo 'bwrap: namespace failed' >&2\nexit 1");
    const env = { PATH: `${world.directory}/tools:${world.env["PATH"] ?? ""}` };
    const refused = await world.amof([...RUN, "--json", "--", "true"], { env });
    assertEquals([refused.code, refused.json()["error"]], [4, "box_unavailable"], refused.stdout);
    const line = `cat "$HOME/.ssh/id" ${world.control}/README.md; echo x > "$HOME/evil"
      cd repos/api; git config core.fsmonitor "touch ${world.directory}/planted"
      touch README.md; echo new > new; echo "$AMOF_SHARD" | grep -c .`;
    const ran = await world.amof([...RUN, "--json", "--", "sh", "-c", line]);
    assertEquals(ran.code, 0, ran.stdout + ran.stderr);
    assertEquals(arrivals(ran)[0], ["api", "taken", 1]);
    assertEquals(answerOf(ran.json())["box"], { kind: "node", network: "none" });
    assert(!(ran.stdout + ran.stderr).includes("a key"));
    assert(!await world.exists("home/evil") && !await world.exists("planted"));
  },
});
