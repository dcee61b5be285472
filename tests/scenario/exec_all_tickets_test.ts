/**
 * Programs that run in every workspace of an ecosystem at once (EXEC-10).
 *
 * @module
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { ownClone, ownDirectory } from "../support/own_ticket.ts";
import { makeTicket, writeRecord } from "../support/ticket_workspace.ts";
import { World } from "../support/world.ts";

const POSIX = Deno.build.os !== "windows";

/** A base workspace with two repositories, of which one needs the other, and two tickets. */
function withTickets(): Promise<World> {
  return World.like("tickets in which programs run", async (world) => {
    await world.makeInstalled({ repos: ["api", "web"] });
    await makeTicket(world, "PROJ-1", { repos: ["api", "web"] });
    await makeTicket(world, "PROJ-2", { repos: ["api"] });
  });
}

const EVERYWHERE = ["main/api", "main/web", "PROJ-1/api", "PROJ-1/web", "PROJ-2/api"];

/** How it ended in each place. */
function outcomes(answer: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    rows(answer, "repos").map((
      row,
    ) => [`${row["ticket"] ?? "main"}/${row["name"]}`, row["outcome"]]),
  );
}

Deno.test({
  name: "exec runs in every workspace with the variables of each, and says whose each row is",
  ignore: !POSIX,
  async fn() {
    await using world = await withTickets();
    const line =
      'echo "$AMOF_TICKET|$AMOF_WORKSPACE|$AMOF_REPO|$AMOF_BRANCH" > told; test -z "$AMOF_TICKET" || test "$AMOF_PORT_BASE" = 20000';
    const ran = await world.amof(
      ["-e", "demo", "exec", "--all-tickets", "--shell", line, "--json"],
      {
        // Whose call it is tells a program in the base workspace nothing.
        env: { AMOF_TICKET: "PROJ-1", AMOF_SLUG: "x" },
      },
    );
    assertEquals(ran.code, 0, ran.stdout + ran.stderr);
    assertEquals(
      outcomes(ran.json()),
      Object.fromEntries(EVERYWHERE.map((label) => [label, "ok"])),
    );
    const told = async (directory: string) =>
      (await Deno.readTextFile(join(directory, "told"))).trim();
    assertEquals(await told(world.clone("web")), `|${world.workspace()}|web|main`);
    assertEquals(
      await told(ownClone(world, "PROJ-2", "api")),
      `PROJ-2|${ownDirectory(world, "PROJ-2")}|api|feature/PROJ-2`,
    );
    const shown = await world.amof([
      "-e",
      "demo",
      "exec",
      "--all-tickets",
      "--output",
      "stream",
      "--",
      "cat",
      "told",
    ]);
    assertStringIncludes(shown.stdout, "PROJ-1/web │ PROJ-1|");
  },
});

Deno.test({
  name: "what did not end well is repeated there and nowhere else",
  ignore: !POSIX,
  async fn() {
    await using world = await withTickets();
    const bad = [ownClone(world, "PROJ-1", "web"), world.clone("api")];
    for (const clone of bad) await Deno.writeTextFile(join(clone, "bad"), "");
    const line = "echo ran >> ran; test ! -e bad";
    const first = await world.amof([
      "-e",
      "demo",
      "exec",
      "--all-tickets",
      "--shell",
      line,
      "--json",
    ]);
    assertEquals(first.code, 5);
    assertEquals(
      Object.entries(outcomes(first.json())).filter(([, outcome]) => outcome !== "ok"),
      [["main/api", "failed"], ["PROJ-1/web", "failed"]],
    );
    const retry = String(first.json()["retry"]);
    const id = String(pick(first.json(), "run_id")).slice(0, 8);
    assertEquals(retry, `amof exec --all-tickets --retry-failed ${id}`);
    for (const clone of bad) await Deno.remove(join(clone, "bad"));
    const elsewhere = await world.amof(["-e", "demo", "exec", "--retry-failed", id]);
    assertEquals(elsewhere.code, 2);
    assertStringIncludes(elsewhere.stderr, retry.replace("amof ", ""));
    const again = await world.amof(["-e", "demo", ...retry.split(" ").slice(1), "--json"]);
    assertEquals(outcomes(again.json()), { "main/api": "ok", "PROJ-1/web": "ok" });
    assertEquals(await Deno.readTextFile(join(ownClone(world, "PROJ-2", "api"), "ran")), "ran\n");
    assertEquals(
      await Deno.readTextFile(join(ownClone(world, "PROJ-1", "web"), "ran")),
      "ran\nran\n",
    );
  },
});

Deno.test({
  name: "what ran in one ticket is repeated in that ticket",
  ignore: !POSIX,
  async fn() {
    await using world = await withTickets();
    const ran = await world.amof(["-e", "demo", "exec", "-t", "PROJ-2", "--json", "--", "false"]);
    const id = String(pick(ran.json(), "run_id")).slice(0, 8);
    assertEquals(ran.json()["retry"], `amof exec --ticket PROJ-2 --retry-failed ${id}`);
    const base = await world.amof(["-e", "demo", "exec", "--retry-failed", id]);
    assertEquals(base.code, 2);
    assertStringIncludes(base.stderr, `exec --ticket PROJ-2 --retry-failed ${id}`);
    assertEquals(
      (await world.amof(["-e", "demo", "exec", "-t", "PROJ-2", "--retry-failed", id])).code,
      1,
    );
  },
});

/** A line that says that it runs, and goes on until it may end. */
function waiting(
  world: World,
): { readonly line: string; held(): Promise<void>; open(): Promise<void> } {
  const gate = join(world.directory, "gate");
  const held = join(world.directory, "held");
  return {
    line: `touch '${held}'; while test ! -e '${gate}'; do sleep 0.05; done`,
    async held() {
      while (await Deno.lstat(held).catch(() => null) === null) {
        await new Promise((next) => setTimeout(next, 20));
      }
    },
    open: () => Deno.writeTextFile(gate, ""),
  };
}

const TRUE_IN_ALL = ["-e", "demo", "exec", "--all-tickets", "--json", "--", "true"];

/** How it ended in each place, with why it was not started there. */
function ends(answer: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    rows(answer, "repos").map((row) => [
      `${row["ticket"] ?? "main"}/${row["name"]}`,
      pick(row, "because", "reason") ?? row["outcome"],
    ]),
  );
}

const WELL = Object.fromEntries(EVERYWHERE.map((label) => [label, "ok"]));

Deno.test({
  name: "a workspace in which another run works is told, and all others go on",
  ignore: !POSIX,
  async fn() {
    await using world = await withTickets();
    const gate = waiting(world);
    const holding = world.amof(["-e", "demo", "exec", "-t", "PROJ-2", "--shell", gate.line], {
      apart: true,
    });
    await gate.held();
    const some = await world.amof(TRUE_IN_ALL);
    assertEquals(some.code, 5, some.stdout);
    assertEquals(ends(some.json()), { ...WELL, "PROJ-2/api": "busy" });
    const run = String(pick(rows(some.json(), "repos").at(-1), "because", "run")).slice(0, 8);
    assertStringIncludes(some.stdout, `PROJ-2/api (not started: run ${run} works there)`);
    await gate.open();
    assertEquals((await holding).code, 0);
    const again = await world.amof([
      "-e",
      "demo",
      ...String(some.json()["retry"]).split(" ").slice(1),
      "--json",
    ]);
    assertEquals(ends(again.json()), { "PROJ-2/api": "ok" });
  },
});

Deno.test({
  name: "a ticket that ends meanwhile is told, or not there any more, and blocks nothing",
  ignore: !POSIX,
  async fn() {
    await using world = await withTickets();
    const gate = waiting(world);
    // The end of the ticket stands still when it is about to look into the clone once more.
    const env = await world.wrapGit(
      `case "$PWD" in *PROJ-2*) test -e '${world.directory}/gate' || { ${gate.line}; } ;; esac`,
    );
    const clone = ownClone(world, "PROJ-2", "api");
    await world.git(clone, "push", "--quiet", "origin", "feature/PROJ-2");
    const ending = world.amof(["-e", "demo", "ticket", "end", "PROJ-2", "--yes"], {
      env,
      apart: true,
    });
    await gate.held();
    const beside = await world.amof(TRUE_IN_ALL);
    const { "PROJ-2/api": _ended, ...others } = ends(beside.json());
    const { "PROJ-2/api": _gone, ...well } = WELL;
    assertEquals(others, well);
    await gate.open();
    const ended = await ending;
    assertEquals(ended.code, 0, ended.stderr);
    const after = await world.amof(TRUE_IN_ALL);
    assertEquals([after.code, ends(after.json())], [0, well]);
  },
});

Deno.test({
  name: "while it runs, no workspace is free, and the ecosystem can be shared",
  ignore: !POSIX,
  async fn() {
    await using world = await withTickets();
    const gate = waiting(world);
    const wide = world.amof(["-e", "demo", "exec", "--all-tickets", "--shell", gate.line], {
      apart: true,
    });
    await gate.held();
    const own = await world.amof(["-e", "demo", "exec", "-t", "PROJ-1", "--", "true"]);
    assertEquals(own.code, 6, own.stdout);
    const ending = await world.amof(["-e", "demo", "ticket", "end", "PROJ-2", "--yes", "--json"]);
    assertEquals([ending.code, ending.json()["error"]], [6, "ecosystem_busy"]);
    const second = await world.amof(TRUE_IN_ALL);
    assertEquals([second.code, second.json()["error"]], [6, "ecosystem_busy"]);
    const start = ["ticket", "start", "PROJ-3", "--workspace", "--repo", "api"];
    const started = await world.amof(["-e", "demo", ...start]);
    assertEquals(started.code, 0, started.stderr);
    // What nobody works in is enough: the ticket that came meanwhile.
    const third = await world.amof(TRUE_IN_ALL);
    const busy = Object.fromEntries(EVERYWHERE.map((label) => [label, "busy"]));
    assertEquals([third.code, ends(third.json())], [5, { ...busy, "PROJ-3/api": "ok" }]);
    await gate.open();
    assertEquals((await wide).code, 0);
  },
});

Deno.test({
  name: "a ticket that is started when the run has begun is left alone",
  ignore: !POSIX,
  async fn() {
    await using world = await withTickets();
    const gate = waiting(world);
    const env = await world.wrapGit(`test -e '${world.directory}/gate' || { ${gate.line}; }`);
    const wide = world.amof(TRUE_IN_ALL, { env, apart: true });
    await gate.held();
    await makeTicket(world, "PROJ-3", { repos: ["api"] });
    await gate.open();
    const ran = await wide;
    // It is told where the run has seen it before it looked where it may work.
    const { "PROJ-3/api": came = "begun", ...others } = ends(ran.json());
    assertEquals([came, others], ["begun", WELL]);
  },
});

Deno.test("a ticket that cannot be used is not left out unsaid, and none goes with all", async () => {
  await using world = await withTickets();
  const both = await world.amof([
    "-e",
    "demo",
    "exec",
    "--all-tickets",
    "-t",
    "PROJ-1",
    "--",
    "git",
    "status",
  ]);
  assertEquals(both.code, 2);
  assertStringIncludes(both.stderr, "--all-tickets together with --ticket");
  await writeRecord(ownDirectory(world, "PROJ-2"), { version: 1 });
  const ran = await world.amof([
    "-e",
    "demo",
    "exec",
    "--all-tickets",
    "--json",
    "--",
    "git",
    "init",
    "made",
  ]);
  assertEquals(ran.json()["error"], "state_corrupt");
  assertEquals(await Deno.lstat(join(world.clone("api"), "made")).catch(() => null), null);
});
