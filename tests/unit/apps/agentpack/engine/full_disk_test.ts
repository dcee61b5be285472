// A full disk fails one command and no later one: what only a failed change needed goes.

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { journalPath, withHomeLock } from "../../../../../src/apps/agentpack/engine/journal.ts";
import { listRecords } from "../../../../../src/apps/agentpack/engine/snapshot.ts";
import { settle } from "../../../../../src/apps/agentpack/declare/run.ts";
import { AgentpackError } from "../../../../../src/apps/agentpack/error.ts";
import { homeOf } from "../../../../../src/apps/agentpack/identity.ts";
import type { System } from "../../../../../src/base/system/mod.ts";
import { assertCode } from "../../../../support/assert_code.ts";
import { InjectedFault } from "../../../../support/faulty_system.ts";
import { deployApply, plan, pruneSnapshots } from "../../../../support/pack_calls.ts";
import { setUp, snapshot, yes } from "../../../../support/pack_fixture.ts";
import { PackWorld } from "../../../../support/pack_world.ts";
import { smallDisk } from "../../../../support/small_disk.ts";

/** A deployed world whose sources have changed since; everything of it would be written anew. */
async function changed(): Promise<PackWorld> {
  const world = await PackWorld.inMemory();
  await setUp(world);
  await snapshot(world);
  await world.write(
    "m/tidy/SKILL.md",
    `---\nname: tidy\ndescription: Second\n---\n${"a".repeat(9_000)}`,
  );
  await world.write("m/tidy/more.md", "b".repeat(5_000));
  await world.write("m/changelog.md", "c".repeat(3_000));
  return world;
}

function apply(world: PackWorld, system: System): Promise<unknown> {
  world.tick();
  return deployApply(world.pack(system), {}, { adopt: false, approve: yes });
}

/** A world in which nothing is written any more from the `nth` rename on, as after a kill. */
function killedAt(system: System, nth: number): System {
  const { files } = system;
  let renames = 0;
  const alive = <T>(work: () => Promise<T>) =>
    renames < nth ? work() : Promise.reject(new InjectedFault("killed"));
  return {
    ...system,
    files: {
      ...files,
      rename(from, to) {
        if (from.includes(".agentpack-")) renames++;
        return alive(() => files.rename(from, to));
      },
      write: (path, content, options) => alive(() => files.write(path, content, options)),
      remove: (path) => alive(() => files.remove(path)),
      removeTree: (path) => alive(() => files.removeTree(path)),
    },
  };
}

Deno.test("a deploy that finds the disk full leaves everything as before, and no copies", async () => {
  await using world = await changed();
  const home = homeOf(world.system.env);
  const disk = smallDisk(world.unflushed(), [
    home.state,
    join(world.home, ".codex"),
    world.project,
  ]);
  const before = await world.tree(world.home, world.project);
  const used = await disk.used();
  let failures = 0;
  // From a disk on which not even the journal fits to one on which everything does.
  for (let room = 0;; room += 12_000) {
    disk.capacity = used + room;
    const error = await apply(world, disk.system).catch((thrown: unknown) => thrown);
    if (!(error instanceof AgentpackError)) break;
    assertEquals(error.code, "E_IO_NO_SPACE", `${room}: ${error.message}`);
    assertStringIncludes(String(error.details?.["hint"]), "Free space");
    assertEquals(await world.tree(world.home, world.project), before, `${room}`);
    assertEquals(await world.read(journalPath(home)), null, `${room}`);
    const { records } = await listRecords(world.system.files, home);
    assertEquals(records.filter(({ record }) => record.status !== "complete"), []);
    assertEquals(await disk.used(), used, `${room}`);
    failures++;
  }
  assert(failures >= 4, String(failures));
  assertEquals((await plan(world.reader(), {})).data.changes, []);
});

Deno.test("a killed deploy is taken back on a disk that has filled up since", async () => {
  await using world = await changed();
  const home = homeOf(world.system.env);
  const before = await world.tree(world.home, world.project);
  const base = world.unflushed();
  await assertRejects(() => apply(world, killedAt(base, 4)));
  assert(await world.read(journalPath(home)) !== null);

  const { warnings } = await plan(world.reader(), {});
  assertStringIncludes(warnings[0] ?? "", "was cut short, or is still under way");

  const disk = smallDisk(base, [home.state, join(world.home, ".codex"), world.project]);
  disk.capacity = await disk.used();
  const warned = await withHomeLock(disk.system, home, (held) => Promise.resolve(held.warnings));
  assertStringIncludes(warned.join("\n"), "has been taken back");
  assertEquals(await world.tree(world.home, world.project), before);
  assertEquals(await world.read(journalPath(home)), null);
  assertEquals((await plan(world.reader(), {})).warnings, []);
});

Deno.test("snapshots prune needs no space", async () => {
  await using world = await changed();
  for (const letter of "xyz") {
    await world.write("m/changelog.md", letter.repeat(3_000));
    await snapshot(world);
  }
  const home = homeOf(world.system.env);
  const disk = smallDisk(world.unflushed(), [home.state]);
  disk.capacity = await disk.used();
  await world.write("m/changelog.md", "e".repeat(3_000));
  await assertCode("E_IO_NO_SPACE", () => apply(world, disk.system));
  const { data } = await pruneSnapshots(world.pack(disk.system), {}, { keep: "1" });
  assertEquals([data.removed.length, data.kept], [3, 1]);
  await apply(world, disk.system);
});

Deno.test("a copy that somebody removed leaves its file as it is and wedges nothing", async () => {
  await using world = await changed();
  const home = homeOf(world.system.env);
  const base = world.unflushed();
  await assertRejects(() => apply(world, killedAt(base, 4)));
  const journal = JSON.parse(await world.read(journalPath(home)) ?? "{}") as {
    readonly snapshot_id: string;
  };
  await world.files.removeTree(join(home.snapshots, journal.snapshot_id));
  const warned = await withHomeLock(base, home, (held) => Promise.resolve(held.warnings));
  assertStringIncludes(warned.join("\n"), "its copy is gone");
  assertEquals(await world.read(journalPath(home)), null);
  await apply(world, base);
  assertEquals((await plan(world.reader(), {})).data.changes, []);
});

Deno.test("a person is shown what a deploy would do after a killed one was taken back", async () => {
  await using world = await changed();
  const home = homeOf(world.system.env);
  await assertRejects(() => apply(world, killedAt(world.unflushed(), 4)));
  const warnings = await settle({ pack: world.pack(), selection: {} });
  assertStringIncludes(warnings.join("\n"), "has been taken back");
  assertEquals(await world.read(journalPath(home)), null);
  assertEquals(await settle({ pack: world.pack(), selection: {} }), []);
});
