// A large file of a skill is copied piece by piece: it is never in memory as a whole.

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { sha256 } from "../../../../src/hash.ts";
import type { System } from "../../../../src/system/mod.ts";
import { assertCode } from "../../../support/assert_code.ts";
import { deployApply, evolveRestore, plan, preview, status } from "../../../support/pack_calls.ts";
import { setUp } from "../../../support/pack_fixture.ts";
import { PackWorld } from "../../../support/pack_world.ts";

const LARGE = 8 * 1024 * 1024;

/** A world in which no large file can be read as a whole, and `copied` is called before one is copied. */
function piecewise(world: PackWorld, copied: (from: string) => Promise<void>): System {
  const { files } = world.system;
  return {
    ...world.system,
    files: {
      ...files,
      async readBytes(path, size) {
        const bytes = await files.readBytes(path, size);
        assert((bytes?.length ?? 0) < LARGE, `${path} was read as a whole`);
        return bytes;
      },
      create(path, content, options) {
        assert(content.length < LARGE, `${path} was written as a whole`);
        return files.create(path, content, options);
      },
      async copy(from, path, options) {
        await copied(from);
        return await files.copy(from, path, options);
      },
    },
  };
}

Deno.test("a large file is planned, deployed, replaced, previewed and restored piece by piece", async () => {
  await using world = await PackWorld.make();
  await setUp(world, "  codex: { mode: files, scope: project }");
  const source = join(world.repo, "m/tidy/data/big.bin");
  const deployed = join(world.project, ".codex/skills/tidy/data/big.bin");
  const system = piecewise(world, () => Promise.resolve());
  for (const fill of [1, 2]) {
    const content = new Uint8Array(LARGE + fill).fill(fill);
    await world.write(source, content, 0o755);
    const shown = await preview(world.pack(system), {}, { diff: true });
    assert(shown.warnings.some((warning) => warning.includes("longer than 100 kB")));
    world.tick();
    const { data } = await deployApply(world.pack(system), {});
    const change = data.changes.find(({ path }) => path === deployed);
    assertEquals(change?.after_sha256, sha256(content));
    assertEquals(sha256(await Deno.readFile(deployed)), sha256(content));
    assertEquals(((await Deno.stat(deployed)).mode ?? 0) & 0o111, 0o111);
    assertEquals((await plan(world.pack(system), {})).data.changes, []);
    assertEquals((await status(world.pack(system), {})).data.drift, []);
  }
  await Deno.remove(deployed);
  await evolveRestore(world.pack(system), {});
  assertEquals((await Deno.stat(deployed)).size, LARGE + 2);
});

Deno.test("a large file that changes while it is deployed is refused, and everything taken back", async () => {
  await using world = await PackWorld.make();
  await setUp(world, "  codex: { mode: files, scope: project }");
  const source = join(world.repo, "m/tidy/big.bin");
  await world.write(source, new Uint8Array(LARGE).fill(1));
  const before = await world.tree(world.home, world.project);
  let copies = 0;
  const system = piecewise(world, async (from) => {
    // The first copy is what the snapshot keeps, the second what is deployed.
    if (from === source && ++copies === 2) await world.write(source, "other");
  });
  await assertCode("E_PLAN_STALE", () => deployApply(world.pack(system), {}), { path: source });
  assertEquals(copies, 2);
  assertEquals(await world.tree(world.home, world.project), before);
});
