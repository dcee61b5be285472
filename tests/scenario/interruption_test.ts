/**
 * Commands that are interrupted at the terminal, or whose program dies while its git lives on, from outside.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, until } from "../support/answers.ts";
import { INTERRUPT, Typist } from "../support/terminal.ts";
import { releaseWorld, trainWorld } from "../support/release_world.ts";
import { program, World } from "../support/world.ts";
import { runCommandLine } from "../../src/doors/cli/start.ts";
import { systemIn } from "../support/in_process.ts";

/** Terminals, signals and wrapped programs are POSIX matters. */
const POSIX = Deno.build.os !== "windows";
/** Only there programs are known to be found by their environment. */
const LINUX = Deno.build.os === "linux";

/**
 * Makes git wait in one clone before anything that matches a pattern of the shell, each time until a file is there:
 * `go-1`, `go-2`, … for the first, second, … time; with `after` not before a call that matches that one, anywhere.
 * Answers the environment.
 */
async function hold(
  world: World,
  repo: string,
  pattern: string,
  after?: string,
): Promise<Record<string, string>> {
  const at = (name: string) => join(world.directory, name);
  await world.write("holds", "0");
  return await world.wrapGit([
    `case "$PWD  $* " in */${repo}" "${pattern})`,
    after === undefined ? "" : `[ -e '${at("reached")}' ] &&`,
    `{ n=$(($(cat '${at("holds")}') + 1)); echo $n > '${at("holds")}'`,
    `echo $$ > '${at("new")}' && mv '${at("new")}' '${at("held-")}'$n`,
    "turns=0",
    `while [ ! -e '${
      at("go-")
    }'$n ] && [ $turns -lt 200 ]; do sleep 0.1; turns=$((turns + 1)); done`,
    "};; esac",
    after === undefined ? "" : `case " $* " in ${after}) touch '${at("reached")}';; esac`,
  ].join("\n"));
}

/** Waits until git is held for the `nth` time; answers its process. */
async function heldBy(world: World, nth = 1): Promise<number> {
  await until(`git is held the ${nth}. time`, () => world.exists(`held-${nth}`));
  const pid = Number(await Deno.readTextFile(join(world.directory, `held-${nth}`)));
  assert(pid > 1);
  return pid;
}

async function isAlive(world: World, pid: number): Promise<boolean> {
  const ran = await world.command("ps", ["-o", "stat=", "-p", String(pid)]);
  return ran.code === 0 && !ran.stdout.trim().startsWith("Z");
}

/** Branch, status and every ref of both clones. */
async function look(world: World): Promise<string[]> {
  return await Promise.all(["api", "web"].map(async (repo) => {
    const clone = world.clone(repo);
    return [
      await world.git(clone, "symbolic-ref", "HEAD"),
      await world.git(clone, "status", "--porcelain"),
      await world.git(clone, "for-each-ref", "--format=%(refname) %(objectname)"),
    ].join("\n");
  }));
}

for (const repair of [["doctor", "--repair"], ["ticket", "start", "T-2"]]) {
  Deno.test({
    name: `amof ${repair.join(" ")} ends the git of a killed program before it looks`,
    ignore: !LINUX,
    async fn() {
      await using world = await World.installed({ repos: ["api", "web"] });
      const before = await look(world);
      const env = await hold(world, "web", `*" switch "*`);
      const child = world.start(["ticket", "start", "T-1"], { env });
      const git = await heldBy(world);
      child.kill("SIGKILL");
      await child.status;
      assert(await isAlive(world, git), "git has died with its program: nothing is tested");
      const repaired = await world.amof(repair);
      assertEquals(repaired.code, 0, repaired.stdout + repaired.stderr);
      assertEquals(await isAlive(world, git), false);
      await world.write("go-1", "");
      const now = await look(world);
      if (repair[0] === "doctor") assertEquals(now, before);
      else assert(!now.join().includes("feature/T-1"), now.join());
    },
  });
}

Deno.test({
  name:
    "an interrupt at the terminal reaches the program alone, and a second one does not stop the undoing",
  ignore: !POSIX, // terminals
  async fn() {
    await using world = await World.installed({ repos: ["api", "web"] });
    const before = await look(world);
    const env = await hold(world, "web", `*" switch "*`);
    const typist = await Typist.start(world, ["ticket", "start", "T-1"], { env });
    await heldBy(world);
    await typist.types(INTERRUPT);
    await typist.sees(
      "Stopping; what was begun is taken back, or finished where it is too late for that.",
    );
    for (let turn = 0; turn < 3; turn++) await typist.types(INTERRUPT);
    const end = await typist.ends();
    assertEquals(end.code, 130, end.screen);
    assertEquals(await look(world), before);
    assertEquals((await world.amof(["doctor"])).code, 0);
  },
});

Deno.test({
  name: "an interrupt while work is taken back does not leave it half taken back",
  ignore: !POSIX, // terminals
  async fn() {
    await using world = await World.installed({ repos: ["api", "web"] });
    const before = await look(world);
    // Held are the switch of the second repository, and then the one that takes the first one back.
    const env = await hold(world, "*", `*" --no-guess "*|*/web" "*" switch "*`);
    const typist = await Typist.start(world, ["ticket", "start", "T-1"], { env });
    await heldBy(world);
    await typist.types(INTERRUPT);
    await heldBy(world, 2);
    for (let turn = 0; turn < 3; turn++) await typist.types(INTERRUPT);
    await world.write("go-2", "");
    const end = await typist.ends();
    assertEquals(end.code, 130, end.screen);
    assertEquals(await look(world), before);
    assertEquals((await world.amof(["doctor"])).code, 0);
  },
});

Deno.test({
  name: "what an interrupt ends answers that it was cancelled, whatever git says about it",
  ignore: !POSIX, // signals
  async fn() {
    await using world = await World.installed({ repos: ["api", "web"] });
    const env = await hold(world, "web", `*" switch "*`);
    const child = world.start(["ticket", "start", "T-1", "--json"], { env });
    const git = await heldBy(world);
    child.kill("SIGINT");
    // Git dies of it as well, as it does where it shares the terminal's group.
    try {
      Deno.kill(git, "SIGINT");
    } catch {
      // It has been ended already.
    }
    const output = await child.output();
    const answer = JSON.parse(new TextDecoder().decode(output.stdout));
    assertEquals([output.code, pick(answer, "error")], [130, "cancelled"]);
    assertStringIncludes(String(pick(answer, "message")), "Stopped");
  },
});

Deno.test("an interrupt behind the work does not end the program otherwise than its answer says", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const system = systemIn({ cwd: world.control, env: world.env, program });
  for (
    const [args, isHeard] of [
      [["ticket", "start", "T-1"], true],
      [["ticket", "start", "T-1"], true],
      [["ticket", "switch", "main", "--json"], true],
      [["sync"], true],
      [["status"], false],
    ] as const
  ) {
    const listening = new Set<unknown>();
    const heard: boolean[] = [];
    const terminal = {
      ...system.terminal,
      out: () => void heard.push(listening.size > 0),
      err: () => {},
      onInterrupt: (callback: unknown) => {
        listening.add(callback);
        return () => void listening.delete(callback);
      },
    };
    await runCommandLine({ ...system, terminal }, args);
    assertEquals(heard.at(-1) ?? isHeard, isHeard, args.join(" "));
    assertEquals(listening.size > 0, isHeard, args.join(" "));
  }
});

const TRAIN = ["release", "train", "bump", "patch", "--alpha", "--yes"];

/** The record of the only train there is. */
async function trainRecord(world: World): Promise<Record<string, unknown>> {
  const directory = join(world.control, "releases", "trains");
  const [entry] = await Array.fromAsync(Deno.readDir(directory));
  return JSON.parse(await Deno.readTextFile(join(directory, entry?.name ?? "")));
}

Deno.test({
  name: "a train that is interrupted while it pushes ends that push, pushes no more, and says so",
  ignore: !POSIX, // signals
  async fn() {
    await using world = await trainWorld(["api", "web"]);
    const env = await hold(world, "*", `*" push "*`);
    const child = world.start([...TRAIN, "--json"], { env });
    const git = await heldBy(world);
    child.kill("SIGINT");
    const answer = JSON.parse(new TextDecoder().decode((await child.output()).stdout));
    assertEquals([answer["status"], await isAlive(world, git)], ["cancelled", false]);
    const repos = pick(await trainRecord(world), "repos") as Record<string, unknown>;
    assertEquals(
      ["api", "web"].map((repo) => pick(repos, repo, "push_error")),
      ["ended during the push", "cancelled before the push"],
    );
    assertEquals((await world.amof(["-e", "demo", "doctor"])).code, 0);
    const again = await world.amof([...TRAIN, "--json"]);
    assertEquals(again.code, 0, again.stdout);
    for (const repo of ["api", "web"]) {
      const tags = await world.git(join(world.remotes, `${repo}.git`), "tag", "--list");
      assertStringIncludes(tags, "v1.0.1-alpha.1");
    }
  },
});

Deno.test({
  name: "a release that is interrupted while it pushes says what it left here, and what sends it",
  ignore: !POSIX, // signals
  async fn() {
    await using world = await releaseWorld();
    const env = await hold(world, "*", `*" push "*`);
    const bump = ["release", "patch", "--alpha", "--yes", "--json"];
    const child = world.start(bump, { env });
    await heldBy(world);
    child.kill("SIGINT");
    const output = await child.output();
    const answer = JSON.parse(new TextDecoder().decode(output.stdout));
    assertEquals(
      [pick(answer, "result", "tag"), pick(answer, "result", "push_error")],
      ["v0.1.1-alpha.1", "ended during the push"],
    );
    const status = (await world.amof(["release", "status", "--json"])).json();
    assertEquals(pick(status, "suggested_actions", 0, "tool"), "amof_release_push");
    // One more on top of it tells of it still.
    const again = (await world.amof(bump)).json();
    assertEquals(pick(again, "unpushed") ?? pick(again, "result", "unpushed"), [
      "v0.1.1-alpha.1",
    ]);
  },
});

Deno.test({
  name: "an interrupt behind the point of no return does not end the git that finishes the work",
  ignore: !POSIX, // signals
  async fn() {
    await using world = await trainWorld(["api", "web"]);
    // Held is the first look at a tag once something was pushed.
    const env = await hold(world, "*", `*" rev-parse "*refs/tags/*`, `*" push "*`);
    const child = world.start([...TRAIN, "--json"], { env });
    const git = await heldBy(world);
    child.kill("SIGINT");
    const [id] = await until("the run is to be cancelled", async () => {
      const runs = (await world.amof(["runs", "list", "--json"])).json()["runs"] as {
        run_id: string;
        cancel_requested_at: string | null;
      }[];
      const asked = runs.filter((run) => run.cancel_requested_at !== null);
      return asked.length > 0 ? asked.map((run) => run.run_id) : null;
    });
    child.kill("SIGINT");
    assert(await isAlive(world, git), "the git that finishes the work was ended");
    for (let turn = 1; turn < 10; turn++) await world.write(`go-${turn}`, "");
    const output = await child.output();
    const answer = JSON.parse(new TextDecoder().decode(output.stdout));
    assertEquals([pick(answer, "run_id"), answer["status"]], [id, "cancelled"]);
    const repos = pick(await trainRecord(world), "repos") as Record<string, unknown>;
    assertEquals(
      ["api", "web"].map((repo) => pick(repos, repo, "push_error")),
      [null, "cancelled before the push"],
    );
    assertEquals((await world.amof(["-e", "demo", "doctor"])).code, 0);
    assertEquals(await world.git(world.control, "status", "--porcelain"), "");
  },
});

Deno.test({
  name: "an interrupt while a run is being started cancels it",
  ignore: !LINUX, // where the worker is started by a program that can be held
  async fn() {
    await using world = await World.installed({ repos: ["api", "web"] });
    await world.commitOnFeature("api");
    const at = (name: string) => join(world.directory, name);
    const found = await world.command("sh", ["-c", "command -v setsid"]);
    await world.script(
      "bin/setsid",
      [
        `: > '${at("held")}'; turns=0`,
        `while [ ! -e '${
          at("go")
        }' ] && [ $turns -lt 200 ]; do sleep 0.1; turns=$((turns + 1)); done`,
        `exec '${found.stdout.trim()}' "$@"`,
      ].join("\n"),
    );
    await world.hook(join(world.clone("api"), ".git"), "pre-push", "sleep 20");
    const env = { PATH: `${at("bin")}:${world.env["PATH"] ?? ""}` };
    const child = world.start(["push", "--yes", "--json"], { env });
    await until("the worker is being started", () => world.exists("held"));
    child.kill("SIGINT");
    // The signal has been delivered once the next event of the program is waited for.
    await new Promise((resolve) => setTimeout(resolve, 300));
    await world.write("go", "");
    const output = await child.output();
    const answer = JSON.parse(new TextDecoder().decode(output.stdout));
    assertEquals([output.code, answer["status"]], [130, "cancelled"]);
  },
});
