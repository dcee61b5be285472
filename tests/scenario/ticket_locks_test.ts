/**
 * Several tickets at work at the same time, as processes of their own, and what must not be at work beside them.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { locksAt } from "../../src/runs/changing.ts";
import { openStore } from "../../src/state/store/open.ts";
import { realProcesses } from "../../src/base/system/real/processes.ts";
import { pick, rows, until } from "../support/answers.ts";
import { makeTicket } from "../support/ticket_workspace.ts";
import { World } from "../support/world.ts";
import { newRun } from "../unit/state/store/_records.ts";
import { Hold, killWorker } from "./hold.ts";

const POSIX = Deno.build.os !== "windows";
const TICKETS = ["PROJ-1", "PROJ-2"] as const;

/** Two tickets with a commit each. */
function withTickets(): Promise<World> {
  return World.like("two tickets with a commit each", async (world) => {
    await world.makeInstalled({ repos: ["api"] });
    for (const id of TICKETS) {
      const clone = join(await makeTicket(world, id), "repos", "api");
      await Deno.writeTextFile(join(clone, "work.txt"), `${id}\n`);
      await world.git(clone, "add", ".");
      await world.git(clone, "commit", "--quiet", "-m", `Work on ${id}`);
      // The first look seals the clone as it is; a hook of the test's own is trusted like one of a person.
      await world.amof(["status", "-t", id]);
    }
  });
}

function cloneOf(world: World, id: string): string {
  return join(world.control, "worktrees", `demo@${id}`, "repos", "api");
}

Deno.test({
  name: "two tickets are pushed at once while the base is synced; what needs all of them waits",
  ignore: !POSIX, // the pushes are held by shell hooks
  async fn() {
    await using world = await withTickets();
    await using one = await Hold.on(world, "one", cloneOf(world, "PROJ-1"));
    await using two = await Hold.on(world, "two", cloneOf(world, "PROJ-2"));
    const first = await one.push("-t", "PROJ-1");
    const second = await two.push("-t", "PROJ-2");
    const active = await world.amof(["runs", "active", "--json"]);
    assertEquals(
      rows(active.json(), "runs").map(({ run_id, ticket, action }) => [run_id, ticket, action]),
      [[second, "PROJ-2", "push"], [first, "PROJ-1", "push"]],
    );
    const table = await world.amof(["runs", "active"]);
    assertStringIncludes(table.stdout, "demo > PROJ-2");
    const record = await world.amof(["runs", "status", first]);
    assertStringIncludes(record.stdout, "push of demo, ticket PROJ-1");
    // The base workspace is a third place, in which its own command works.
    assertEquals((await world.amof(["sync"])).code, 0);
    const again = await world.amof(["push", "-t", "PROJ-1", "--yes", "--json"]);
    assertEquals([again.code, pick(again.json(), "details", "run_id")], [6, first]);
    assertEquals(
      again.json()["message"],
      `Cannot change ticket PROJ-1 of "demo": push is running as run ${first.slice(0, 8)}`,
    );
    // What needs the whole ecosystem waits for both, and does nothing meanwhile.
    await Deno.remove(world.stateFile());
    for (const held of [first, second]) {
      const all = await world.amof(["install", "--repair", "--yes", "--json"]);
      assertEquals([all.code, all.json()["error"]], [6, "ecosystem_busy"]);
      assertEquals(pick(all.json(), "details", "run_id"), held);
      assertStringIncludes(String(all.json()["message"]), 'Cannot change "demo": push in ticket');
      await (held === first ? one : two).release();
      await until("the push has ended", async () => {
        const ran = await world.amof(["runs", "status", held, "--json"]);
        return ran.json()["status"] === "success";
      });
    }
    assertEquals((await world.amof(["install", "--repair", "--yes"])).code, 0);
    const bare = join(world.remotes, "api.git");
    for (const id of TICKETS) {
      assertEquals(
        await world.git(bare, "log", "-1", "--format=%s", `feature/${id}`),
        `Work on ${id}`,
      );
    }
  },
});

Deno.test("nothing begins in a ticket while somebody has the whole ecosystem", async () => {
  await using world = await withTickets();
  const store = openStore(join(world.env["AMOF_HOME"] ?? "", "state", "amof.db"));
  const place = { root: world.control, ecosystem: "demo", ticket: null };
  const archive = newRun({
    ...place,
    action: "archive",
    tool: "amof_archive_ecosystem",
    locks: locksAt("ecosystem", place),
    createdAt: Date.now(),
    starter: await realProcesses.me(),
  });
  assert(store.runs.add(archive));
  try {
    for (const args of [["push", "-t", "PROJ-1", "--yes"], ["sync", "-t", "PROJ-2"], ["sync"]]) {
      const ran = await world.amof([...args, "--json"]);
      assertEquals([ran.code, pick(ran.json(), "details", "run_id")], [6, archive.runId]);
    }
    // Looking is never busy.
    assertEquals((await world.amof(["status", "-t", "PROJ-1"])).code, 0);
  } finally {
    store.runs.move(archive.runId, "cancelled", Date.now());
    store.close();
  }
  assertEquals((await world.amof(["sync", "-t", "PROJ-1"])).code, 0);
});

Deno.test({
  name: "what was interrupted in a ticket is settled there, and by what needs the whole ecosystem",
  ignore: !POSIX,
  async fn() {
    await using world = await withTickets();
    const kill = async (id: string) => {
      await using hold = await Hold.on(world, id, cloneOf(world, id));
      const run = await hold.push("-t", id);
      await killWorker(world, run);
      await hold.release();
      return run;
    };
    const runs = [await kill("PROJ-1"), await kill("PROJ-2")];
    const unfinished = async (...args: string[]) => {
      const ran = await world.amof(["status", "--json", ...args]);
      return rows({ unfinished: ran.json()["unfinished"] ?? [] }, "unfinished")
        .map(({ run_id }) => run_id);
    };
    assertEquals(await unfinished("-t", "PROJ-1"), [runs[0]]);
    assertEquals(await unfinished(), runs);
    const base = await world.amof(["sync", "--json"]);
    assertEquals([base.code, base.json()["settled_first"]], [0, undefined]);
    const own = await world.amof(["push", "-t", "PROJ-1", "--yes", "--json"]);
    assertEquals(own.code, 0, own.stdout);
    assertEquals(await unfinished(), [runs[1]]);
    assertEquals((await world.amof(["doctor", "--repair"])).code, 0);
    assertEquals(await unfinished(), []);
  },
});

Deno.test({
  name: "while a ticket is pushed another begins, is synced and ends, and mirrors are pruned",
  ignore: !POSIX,
  async fn() {
    await using world = await withTickets();
    await using held = await Hold.on(world, "held", cloneOf(world, "PROJ-1"));
    const push = await held.push("-t", "PROJ-1");
    const did = async (...args: string[]) => {
      const ran = await world.amof(args);
      assertEquals(ran.code, 0, `${args.join(" ")}: ${ran.stderr}`);
    };
    await did("ticket", "start", "PROJ-3", "--workspace");
    const clone = cloneOf(world, "PROJ-3");
    await did("-t", "PROJ-3", "sync", "--fresh", "0");
    await did("-t", "PROJ-2", "sync");
    await Deno.writeTextFile(join(clone, "more.txt"), "more\n");
    await did("-t", "PROJ-3", "push", "--commit", "-m", "More", "--yes");
    // Somebody borrows from the mirror, so it stays; then nobody does.
    await did("mirror", "prune", "--yes");
    await world.git(clone, "fsck", "--connectivity-only");
    await did("ticket", "end", "PROJ-3", "--yes");
    await did("mirror", "prune", "--yes");
    assert(!await world.exists(clone));
    await held.release();
    await until("the push has ended", async () => {
      const ran = await world.amof(["runs", "status", push, "--json"]);
      return ran.json()["status"] === "success";
    });
    const bare = join(world.remotes, "api.git");
    assertEquals(
      await world.git(bare, "log", "-1", "--format=%s", "feature/PROJ-1"),
      "Work on PROJ-1",
    );
    assertEquals(await world.git(bare, "log", "-1", "--format=%s", "feature/PROJ-3"), "More");
    await did("doctor");
  },
});
