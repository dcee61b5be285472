// A call that is interrupted ends, a change of it as a whole or not at all, and others have their turn meanwhile.

import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { bindingOf, planHash } from "../../../../src/apps/agentpack/command/deploy.ts";
import { planData } from "../../../../src/apps/agentpack/command/plan.ts";
import { prepareDeployment } from "../../../../src/apps/agentpack/engine/deployment.ts";
import { fileDiffs, findDrift } from "../../../../src/apps/agentpack/engine/differences.ts";
import { journalPath } from "../../../../src/apps/agentpack/engine/journal.ts";
import { AgentpackError, toAgentpackError } from "../../../../src/apps/agentpack/error.ts";
import { homeOf } from "../../../../src/apps/agentpack/identity.ts";
import { interruptible, safePoint, steady } from "../../../../src/apps/agentpack/interrupt.ts";
import { makePack, type Pack } from "../../../../src/apps/agentpack/pack.ts";
import type { Files, System } from "../../../../src/base/system/mod.ts";
import { assertCode } from "../../../support/assert_code.ts";
import { deployApply, doctor, evolveRestore, plan, status } from "../../../support/pack_calls.ts";
import { call } from "../../../support/pack_door.ts";
import { deploy, setUp } from "../../../support/pack_fixture.ts";
import { PackWorld } from "../../../support/pack_world.ts";

/** A pack whose call is interrupted by the `nth` use of one of its files' methods, and how many there were. */
function interruptedAt(
  system: System,
  method: "stat" | "rename" | "create",
  nth: number,
): { readonly pack: Pack; readonly uses: () => number } {
  const abort = new AbortController();
  let uses = 0;
  const counted = <A extends readonly unknown[], T>(work: (...args: A) => Promise<T>) =>
  (
    ...args: A
  ): Promise<T> => {
    if (++uses === nth) abort.abort();
    return work(...args);
  };
  const { files } = system;
  const changed: Partial<Files> = {
    stat: { stat: counted(files.stat) },
    rename: { rename: counted(files.rename) },
    create: { create: counted(files.create) },
  }[method];
  const world = { ...system, files: { ...files, ...changed } };
  const pack = makePack({
    system: world,
    version: "0.1.0",
    prefix: "agentpack",
    signal: abort.signal,
  });
  return { pack, uses: () => uses };
}

Deno.test("looks end wherever they are interrupted", async () => {
  await using world = await PackWorld.make();
  await setUp(world);
  for (const [name, look] of Object.entries({ plan, status, doctor })) {
    const whole = interruptedAt(world.system, "stat", Infinity);
    await look(whole.pack, {});
    const all = whole.uses();
    assert(all > 5, name);
    for (const nth of [1, Math.ceil(all / 2), all]) {
      const { pack, uses } = interruptedAt(world.system, "stat", nth);
      const error = await assertRejects(() => look(pack, {}));
      assertEquals(toAgentpackError(error).code, "E_INTERRUPTED", `${name} ${nth}`);
      // Looks that are under way at once may all have begun.
      assert(uses() <= nth + 8, `${name}: ${uses()} after ${nth}`);
    }
  }
});

Deno.test("a deploy that is interrupted is carried out as a whole or not at all", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world);
  await deploy(world);
  const home = homeOf(world.system.env);
  for (const method of ["create", "rename"] as const) {
    await world.write("m/alpha/AGENTS.md", `# ${method}\n`);
    await world.write("m/tidy/SKILL.md", `---\nname: tidy\ndescription: ${method}.\n---\n`);
    await world.write(`m/tidy/${method}.md`, "new\n");
    const before = await world.tree(world.home, world.project);
    let failures = 0;
    for (let nth = 1;; nth += method === "create" ? 4 : 1) {
      world.tick();
      const { pack } = interruptedAt(world.unflushed(), method, nth);
      const error = await deployApply(pack, {}).then(() => null, (thrown: unknown) => thrown);
      assertEquals(await world.read(journalPath(home)), null);
      if (error === null) break;
      assert(error instanceof AgentpackError && error.code === "E_INTERRUPTED", String(error));
      assertEquals(await world.tree(world.home, world.project), before, `${method} ${nth}`);
      failures++;
    }
    assert(failures > 5, String(failures));
    assertEquals((await plan(world.reader(), {})).data.changes, []);
  }
});

Deno.test("evolve restore that is interrupted takes back what it made", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world);
  await deploy(world);
  await world.files.removeTree(join(world.project, ".codex/skills"));
  await world.files.remove(join(world.project, "AGENTS.md"));
  const before = await world.tree(world.home, world.project);
  const { pack } = interruptedAt(world.system, "create", 2);
  await assertCode("E_INTERRUPTED", () => evolveRestore(pack, {}));
  assertEquals(await world.tree(world.home, world.project), before);
});

Deno.test("what a call makes of what it found ends, too, where it needs no files any more", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world);
  const abort = new AbortController();
  const pack = makePack({
    system: world.system,
    version: "0.1.0",
    prefix: "agentpack",
    signal: abort.signal,
  });
  // Nothing is deployed yet, so that there is neither a file nor a manifest to read.
  const deployment = await prepareDeployment(pack, {});
  const binding = await bindingOf(pack, {});
  abort.abort();
  for (
    const [name, work] of Object.entries({
      diffs: () => fileDiffs(deployment),
      drift: () => findDrift(deployment),
      hash: () => planHash(pack, binding, planData(deployment)),
    })
  ) {
    const error = await assertRejects(work);
    assertEquals(toAgentpackError(error).code, "E_INTERRUPTED", name);
  }
});

Deno.test("Ctrl-C ends a plan and a deploy with 130", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world);
  for (const args of [["plan"], ["deploy", "--apply", "--yes"]]) {
    let interrupt = () => {};
    const onInterrupt = (callback: (how: "typed") => void) => {
      interrupt = () => callback("typed");
      return () => {};
    };
    const { files } = world.system;
    const stat = (path: string) => {
      interrupt();
      return files.stat(path);
    };
    const system = { ...world.system, files: { ...files, stat } };
    const { code, envelope } = await call(world, [...args, "--json"], {
      system,
      onInterrupt,
    });
    assertEquals([code, envelope().errors[0]?.code], [130, "E_INTERRUPTED"], args.join(" "));
  }
  assertEquals(await world.read(join(world.project, "AGENTS.md")), null);
});

Deno.test("interruptible() lets others have their turn while a call looks at files", async () => {
  await using world = await PackWorld.inMemory();
  const { files } = world.system;
  const slow = {
    ...world.system,
    files: {
      ...files,
      stat(path: string) {
        for (const until = performance.now() + 25; performance.now() < until;);
        return files.stat(path);
      },
    },
  };
  let others = 0;
  const timer = setInterval(() => others++, 1);
  try {
    const wrapped = interruptible(slow).files;
    for (let look = 0; look < 4; look++) await wrapped.stat(world.repo);
    assert(others >= 3, String(others));
    assert(steady(wrapped) === slow.files);
    await safePoint(wrapped);
  } finally {
    clearInterval(timer);
  }
});

Deno.test("interruptible() ends looks, but none after the first write, which only safe points end", async () => {
  await using world = await PackWorld.inMemory();
  const abort = new AbortController();
  const { files } = interruptible(world.system, abort.signal);
  await files.stat(world.repo);
  await files.makeDirectory(join(world.repo, "new"));
  abort.abort();
  assertEquals((await files.stat(world.repo))?.kind, "directory");
  await assertRejects(() => safePoint(files), AgentpackError);
  await assertRejects(
    () => interruptible(world.system, abort.signal).files.stat(world.repo),
    AgentpackError,
  );
});
