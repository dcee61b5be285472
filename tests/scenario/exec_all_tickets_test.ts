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

Deno.test({
  name: "it takes every workspace, and shares the ecosystem",
  ignore: !POSIX,
  async fn() {
    await using world = await withTickets();
    const gate = join(world.directory, "gate");
    const held = join(world.directory, "held");
    const wait = `touch '${held}'; while test ! -e '${gate}'; do sleep 0.05; done`;
    const holding = world.amof(["-e", "demo", "exec", "-t", "PROJ-2", "--shell", wait], {
      apart: true,
    });
    while (await Deno.lstat(held).catch(() => null) === null) {
      await new Promise((next) => setTimeout(next, 20));
    }
    const all = ["-e", "demo", "exec", "--all-tickets", "--", "true"];
    const busy = await world.amof(all);
    assertEquals(busy.code, 6, busy.stdout);
    assertStringIncludes(busy.stderr, "PROJ-2");
    await Deno.writeTextFile(gate, "");
    await holding;
    assertEquals((await world.amof(all)).code, 0);
    // The other way round: while it runs, no workspace is free, and the ecosystem can be shared.
    await Deno.remove(gate);
    await Deno.remove(held);
    const wide = world.amof(["-e", "demo", "exec", "--all-tickets", "--shell", wait], {
      apart: true,
    });
    while (await Deno.lstat(held).catch(() => null) === null) {
      await new Promise((next) => setTimeout(next, 20));
    }
    const own = await world.amof(["-e", "demo", "exec", "-t", "PROJ-1", "--", "true"]);
    assertEquals(own.code, 6, own.stdout);
    const started = await world.amof([
      "-e",
      "demo",
      "ticket",
      "start",
      "PROJ-3",
      "--workspace",
      "--repo",
      "api",
    ]);
    assertEquals(started.code, 0, started.stderr);
    await Deno.writeTextFile(gate, "");
    assertEquals((await wide).code, 0);
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
