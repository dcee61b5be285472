// A change that fails or is killed at any single write ends, after repair, in "before" or "after".

import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { plan } from "../../../../support/pack_calls.ts";
import {
  applyDeployment,
  type Deployment,
  prepareDeployment,
} from "../../../../../src/apps/agentpack/engine/deployment.ts";
import { journalPath, withHomeLock } from "../../../../../src/apps/agentpack/engine/journal.ts";
import { planRollback, rollBack } from "../../../../../src/apps/agentpack/command/rollback.ts";
import { listRecords } from "../../../../../src/apps/agentpack/engine/snapshot.ts";
import { homeOf } from "../../../../../src/apps/agentpack/identity.ts";
import type { System } from "../../../../../src/base/system/mod.ts";
import { assertCode } from "../../../../support/assert_code.ts";
import { type Fault, faultySystem, InjectedFault } from "../../../../support/faulty_system.ts";
import { MODULES, setUp, snapshot } from "../../../../support/pack_fixture.ts";
import { PackWorld } from "../../../../support/pack_world.ts";
import { sampled } from "../../../../support/sample.ts";
import { Template } from "../../../../support/template.ts";

type Tree = Awaited<ReturnType<PackWorld["tree"]>>;

/** A copy of everything a change of destinations may touch. */
function templateOf(world: PackWorld): Promise<Template> {
  return Template.of(world.files, [
    join(world.home, ".codex"),
    join(world.root, "state"),
    ...[".codex", ".cursor", "AGENTS.md", ".agentpack.manifest.codex.json"]
      .map((name) => join(world.project, name)),
  ]);
}

/** One entry of a shared file that changes, and one that goes. */
const SERVERS = ["kept", "gone"].map((name) =>
  `\n  - { id: "mcp_server:${name}", type: mcp_server, tags: [base], source: { local_path: { path: m/${name}.json } } }`
).join("");

/** A hook with its script, and one that goes. */
const HOOKS = ["check", "leave"].map((name) =>
  `\n  - { id: "hook:${name}", type: hook, tags: [base], source: { local_path: { path: m/${name} } } }`
).join("");

/** About twenty destinations: creates, updates, adoptions, deletions, a link, foreign files beside them. */
async function prepare(world: PackWorld): Promise<void> {
  await setUp(
    world,
    "  codex: { mode: files, scope: both, options: { write_user_mcp: true } }\n" +
      "  cursor: { mode: files, scope: project, options: { write_hooks: true } }",
    MODULES + SERVERS + HOOKS,
  );
  const hook = (timeout: number) =>
    `{ "hooks": [{ "event": "stop", "command": "{{dir}}/run.sh", "timeout": ${timeout} }] }\n`;
  await world.write("m/check/hook.json", hook(1));
  await world.write("m/check/run.sh", "#!/bin/sh\n", 0o755);
  await world.write("m/leave/hook.json", '{ "hooks": [{ "event": "stop", "command": "bye" }] }\n');
  await world.write(
    join(world.project, ".cursor/hooks.json"),
    '{ "version": 1, "hooks": {\n"stop": [{ "command": "mine" }] } }\n',
  );
  await world.write("m/kept.json", '{ "command": "first" }\n');
  await world.write("m/gone.json", '{ "command": "gone" }\n');
  await world.write(join(world.home, ".codex/config.toml"), '# mine\nmodel = "x"\n');
  for (const name of ["old1", "old2", "sub/old3"]) await world.write(`m/tidy/${name}.md`, name);
  await snapshot(world);
  for (const name of ["old1", "old2", "sub/old3"]) {
    await world.files.remove(join(world.repo, `m/tidy/${name}.md`));
  }
  await world.write("m/tidy/new/a.md", "a\n");
  await world.write("m/tidy/run2.sh", "#!/bin/sh\n", 0o755);
  await world.write("m/tidy/SKILL.md", "---\nname: tidy\ndescription: Second.\n---\n");
  await world.write("m/alpha/AGENTS.md", "# Second\n");
  await world.write("m/changelog.md", "Second.\n");
  await world.write("m/kept.json", '{ "command": "second" }\n');
  await world.write("m/check/hook.json", hook(2));
  await world.write("m/check/run.sh", "#!/bin/sh\n: second\n", 0o755);
  const config = await world.read(join(world.repo, "agentpack.yaml")) ?? "";
  await world.config(
    config.split("\n").filter((line) => !/m\/(?:gone.json|leave)/.test(line)).join("\n"),
  );
  // Files that are not managed: one to be adopted, a link to be replaced, and others.
  await world.write(join(world.project, ".codex/skills/tidy/run2.sh"), "foreign\n", 0o600);
  await world.files.remove(join(world.project, "AGENTS.md"));
  await world.files.symlink(join(world.home, "elsewhere.md"), join(world.project, "AGENTS.md"));
  await world.write(join(world.home, "elsewhere.md"), "elsewhere\n");
  await world.write(join(world.project, ".codex/skills/tidy/sub/mine.md"), "mine\n");
  await world.write(join(world.home, ".codex/skills/own/SKILL.md"), "own\n");
}

const OUTSIDE = ["elsewhere.md", "sub/mine.md", "own/SKILL.md"];

/** Runs a change with a fault at every write in turn, and proves where each attempt ends. */
async function proveAllOrNothing(
  world: PackWorld,
  fault: Fault,
  change: (system: System) => Promise<unknown>,
  at: (writes: number) => readonly number[] = sampled,
): Promise<number> {
  const home = homeOf(world.system.env);
  const template = await templateOf(world);
  const base = world.unflushed();
  const look = (): Promise<Tree> => world.tree(world.home, world.project);
  const before = await look();
  const whole = faultySystem(base, 0, fault);
  await change(whole.system);
  const after = await look();
  assert(JSON.stringify(before) !== JSON.stringify(after));
  const ends = { before: 0, after: 0 };
  for (const nth of at(whole.writes())) {
    if (fault === "killed within" && !whole.creates(nth)) continue;
    await template.restore();
    const faulty = faultySystem(base, nth, fault);
    let failed = false;
    try {
      await change(faulty.system);
    } catch {
      failed = true;
    }
    // A failure is undone at once; only what comes after the decision may be left to the next change.
    if (failed && fault === "fails") {
      assertEquals(await world.read(journalPath(home)), null, `write ${nth}`);
    }
    await withHomeLock(base, home, () => Promise.resolve());
    const now = await look();
    const state = JSON.stringify(now) === JSON.stringify(before) ? "before" : "after";
    assertEquals(now, state === "before" ? before : after, `write ${nth} ${fault}`);
    if (failed && fault === "fails") assertEquals(state, "before", `write ${nth}`);
    if (!failed) assertEquals(state, "after", `write ${nth}`);
    ends[state]++;
    assertEquals(await world.read(journalPath(home)), null);
    const { records } = await listRecords(world.system.files, home);
    const open = records.filter(({ record }) => record.status === "pending");
    assertEquals(open, [], `write ${nth}`);
    for (
      const path of Object.keys(before).filter((path) => OUTSIDE.some((end) => path.endsWith(end)))
    ) {
      assertEquals(now[path], before[path], `write ${nth}: ${path}`);
    }
  }
  // Both ends occur, so the loop has met the moment of decision; after it, no file is made any more.
  assert(ends.before > 0 && (ends.after > 0 || fault === "killed within"), JSON.stringify(ends));
  return whole.writes();
}

function applyOn(world: PackWorld, deployment: Deployment) {
  return (system: System): Promise<unknown> => {
    const session = { ...deployment.session, pack: world.pack(system) };
    return withHomeLock(
      system,
      session.home,
      (held) => applyDeployment(held, { ...deployment, session }),
    );
  };
}

for (const fault of ["fails", "killed before", "killed within"] as const) {
  Deno.test(`applyDeployment() ends before or after when any single write is ${fault} (weakness 9.7)`, async () => {
    // Once on a disk: what a kill leaves there is the disk's own.
    const onDisk = fault === "killed before";
    await using world = await (onDisk ? PackWorld.make() : PackWorld.inMemory());
    await prepare(world);
    world.tick();
    const deployment = await prepareDeployment(world.pack(), {});
    assert(deployment.plan.changes.length >= 16, String(deployment.plan.changes.length));
    assert(deployment.plan.changes.some((change) => change.update_kind === "adopt_update"));
    assert(deployment.plan.changes.some((change) => change.is_symlink));
    const writes = await proveAllOrNothing(world, fault, applyOn(world, deployment));
    assert(writes > 80, String(writes));
  });
}

/** With it every write of the large apply is tried, which takes minutes. */
const EVERY_WRITE = Deno.env.get("AMOF_EVERY_WRITE") === "1";

Deno.test("applyDeployment() of more than 200 files ends before or after wherever it is killed", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, "  codex: { mode: files, scope: project }");
  for (let index = 0; index < 120; index++) await world.write(`m/tidy/old/${index}.md`, "old\n");
  await snapshot(world);
  await world.files.removeTree(join(world.repo, "m/tidy/old"));
  for (let index = 0; index < 120; index++) await world.write(`m/tidy/new/${index}.md`, "new\n");
  await world.write(join(world.project, ".codex/skills/tidy/old/sub/mine.md"), "mine\n");
  world.tick();
  const deployment = await prepareDeployment(world.pack(), {});
  assertEquals(deployment.plan.summary, { create: 120, update: 0, delete: 120 });
  const spread = (writes: number) =>
    Array.from({ length: 8 }, (_, index) => Math.floor((writes - 1) * index / 7) + 1);
  const writes = await proveAllOrNothing(
    world,
    "killed before",
    applyOn(world, deployment),
    EVERY_WRITE ? (writes) => Array.from({ length: writes }, (_, index) => index + 1) : spread,
  );
  assert(writes > 500, String(writes));
});

Deno.test("rollBack() ends before or after when it is killed at any single write", async () => {
  await using world = await PackWorld.inMemory();
  await prepare(world);
  const home = homeOf(world.system.env);
  const [first] = (await listRecords(world.system.files, home)).records;
  await snapshot(world, {}, true);
  world.tick();
  await proveAllOrNothing(
    world,
    "killed before",
    (system) =>
      withHomeLock(
        system,
        home,
        async (held) => {
          const pack = world.pack(system);
          return await rollBack(
            pack,
            held,
            await planRollback(pack, held.home, first?.record.id ?? ""),
          );
        },
      ),
  );
});

Deno.test("repair() can itself be killed at any write and be repeated", async () => {
  await using world = await PackWorld.inMemory();
  await prepare(world);
  const home = homeOf(world.system.env);
  const base = world.unflushed();
  const before = await world.tree(world.home, world.project);
  world.tick();
  const deployment = await prepareDeployment(world.pack(), {});
  // Killed after most steps are done: the last renames are of manifests.
  const all = faultySystem(base, 0, "fails");
  const template = await templateOf(world);
  await applyOn(world, deployment)(all.system);
  await template.restore();
  const killed = faultySystem(base, all.writes() - 8, "killed before");
  await applyOn(world, deployment)(killed.system).catch((error: unknown) => {
    assert(error instanceof Error);
  });
  const broken = await templateOf(world);
  const counted = faultySystem(base, 0, "fails");
  await withHomeLock(counted.system, home, () => Promise.resolve());
  assertEquals(await world.tree(world.home, world.project), before);
  assert(counted.writes() > 20);
  for (const nth of sampled(counted.writes())) {
    await broken.restore();
    const faulty = faultySystem(base, nth, "killed before");
    await withHomeLock(faulty.system, home, () => Promise.resolve()).catch((error: unknown) => {
      assert(error instanceof InjectedFault || error instanceof Error);
    });
    await withHomeLock(base, home, () => Promise.resolve());
    assertEquals(await world.tree(world.home, world.project), before, `write ${nth}`);
  }
});

Deno.test("repair() leaves a destination alone that somebody changed after the kill", async () => {
  await using world = await PackWorld.inMemory();
  await prepare(world);
  const home = homeOf(world.system.env);
  world.tick();
  const deployment = await prepareDeployment(world.pack(), {});
  const changed = join(world.home, ".codex/AGENTS.md");
  const template = await templateOf(world);
  const before = await world.tree(world.home, world.project);
  const all = faultySystem(world.system, 0, "fails");
  await applyOn(world, deployment)(all.system);
  await template.restore();
  const killed = faultySystem(world.system, all.writes() - 8, "killed before");
  await applyOn(world, deployment)(killed.system).catch(() => {});
  assertEquals(await world.read(changed), "# Second\n");
  await world.write(changed, "edited by a person\n");
  const warnings = await withHomeLock(
    world.system,
    home,
    (held) => Promise.resolve(held.warnings),
  );
  assert(warnings.some((warning) => warning.includes(changed)), warnings.join());
  const copies = warnings.flatMap((one) =>
    /what was there before is in "(.+?)"/.exec(one)?.[1] ?? []
  );
  assertEquals(await Promise.all(copies.map((path) => world.read(path))), [
    before[changed]?.text ?? "",
  ]);
  const now = await world.tree(world.home, world.project);
  assertEquals(now[changed]?.text, "edited by a person\n");
  assertEquals({ ...now, [changed]: before[changed] }, { ...before });
});

Deno.test("plan() after a repaired deploy gives the same plan again", async () => {
  await using world = await PackWorld.inMemory();
  await prepare(world);
  const wanted = (await plan(world.reader(), {})).data;
  world.tick();
  const deployment = await prepareDeployment(world.pack(), {});
  const killed = faultySystem(world.system, 60, "killed before");
  await applyOn(world, deployment)(killed.system).catch(() => {});
  await withHomeLock(world.system, homeOf(world.system.env), () => Promise.resolve());
  assertEquals((await plan(world.reader(), {})).data, wanted);
});

Deno.test("deployApply() in another process holds the lock until it is killed, and leaves nothing half done", async () => {
  await using world = await PackWorld.make();
  await prepare(world);
  const home = homeOf(world.system.env);
  const before = await world.tree(world.home, world.project);
  const child = fromFileUrl(new URL("../../../../support/deploy_child.ts", import.meta.url));
  for (const stallAt of [1, 7, 15]) {
    const process = world.world.spawn(
      Deno.execPath(),
      ["run", "--quiet", "--allow-all", child, String(stallAt)],
      { cwd: world.project, env: { AGENTPACK_MACHINE_ID: "box" }, stdin: true },
    );
    const reader = process.stdout.getReader();
    const { value } = await reader.read();
    assertEquals(new TextDecoder().decode(value), "stalled\n");
    reader.releaseLock();
    await assertCode(
      "E_LOCK_HELD",
      () => withHomeLock(world.system, home, () => Promise.resolve()),
      { pid: process.pid },
    );
    process.kill("SIGKILL");
    await process.status;
    const warnings = await withHomeLock(
      world.system,
      home,
      (held) => Promise.resolve(held.warnings),
    );
    assert(warnings[0]?.includes("was cut short"), warnings.join());
    assertEquals(await world.tree(world.home, world.project), before);
  }
});
