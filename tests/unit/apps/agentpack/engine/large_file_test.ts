// A large file of a skill is copied piece by piece: it is never in memory as a whole.

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { fsKey } from "../../../../../src/apps/agentpack/identity.ts";
import { sha256 } from "../../../../../src/base/hash.ts";
import type { System } from "../../../../../src/base/system/mod.ts";
import { assertCode } from "../../../../support/assert_code.ts";
import {
  deployApply,
  evolvePropose,
  evolveRestore,
  importAssets,
  lock,
  overlayEdit,
  overlayRebase,
  plan,
  preview,
  rehearseRollback,
  rollback,
  status,
} from "../../../../support/pack_calls.ts";
import { setUp } from "../../../../support/pack_fixture.ts";
import { PackWorld } from "../../../../support/pack_world.ts";

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
  await using world = await PackWorld.inMemory();
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
    assertEquals(await world.files.hash(deployed), sha256(content));
    assertEquals(((await world.files.stat(deployed))?.mode ?? 0) & 0o111, 0o111);
    assertEquals((await plan(world.pack(system), {})).data.changes, []);
    assertEquals((await status(world.pack(system), {})).data.drift, []);
  }
  await world.files.remove(deployed);
  await evolveRestore(world.pack(system), {});
  assertEquals((await world.files.stat(deployed))?.size, LARGE + 2);
});

Deno.test("a large file is rolled back, overlaid, locked and rebased piece by piece", async () => {
  await using world = await PackWorld.make();
  await setUp(world, "  codex: { mode: files, scope: project }");
  const source = join(world.repo, "m/tidy/data/big.bin");
  const deployed = join(world.project, ".codex/skills/tidy/data/big.bin");
  const system = piecewise(world, () => Promise.resolve());
  const ids: string[] = [];
  const content = (fill: number) => new Uint8Array(LARGE + fill).fill(fill);
  const lands = async (fill: number) =>
    assertEquals(await world.files.hash(deployed), sha256(content(fill)));
  const deploys = async () => {
    world.tick();
    const { data } = await deployApply(world.pack(system), {});
    ids.push(data.snapshot_id ?? "");
  };
  for (const fill of [1, 2]) {
    await world.write(source, content(fill));
    await deploys();
  }
  // An edit that the rollback discards is read no more than a deployed file is.
  await world.write(deployed, content(3));
  world.tick();
  const rehearsed = await rehearseRollback(world.pack(system), {}, { to: ids[0] ?? "" });
  assert(rehearsed.warnings.some((warning) => warning.includes("discards that")));
  await rollback(world.pack(system), {}, { to: ids[0] ?? "" });
  await lands(1);
  await rollback(world.pack(system), {}, { to: ids[1] ?? "" });
  await lands(2);

  // A copy in an overlay, its baseline, and the lockfile.
  await world.commitRepo();
  await overlayEdit(world.pack(system), {}, { module_id: "skill:tidy", scope: "global" });
  const override = join(world.repo, "overlays", fsKey("skill:tidy"), "data/big.bin");
  assertEquals((await world.files.stat(override))?.size, LARGE + 2);
  await world.write(override, content(4));
  await lock(world.pack(system), {});
  await deploys();
  await lands(4);
  assertEquals((await status(world.pack(system), {})).data.drift, []);
  // Both sides changed what nobody can merge: upstream's lies aside until somebody chooses.
  await world.commitRepo("Overlay");
  await world.write(source, content(5));
  const rebase = () =>
    overlayRebase(world.pack(system), {}, { module_id: "skill:tidy", scope: "global" });
  await assertCode("E_OVERLAY_REBASE_CONFLICT", rebase);
  const aside = join(
    world.repo,
    "overlays",
    fsKey("skill:tidy"),
    ".agentpack/conflicts/data/big.bin",
  );
  assertEquals((await world.files.stat(aside))?.size, LARGE + 5);
  await assertCode("E_OVERLAY_REBASE_CONFLICT", () => plan(world.pack(system), {}));
  await world.files.remove(aside);
  assertEquals((await plan(world.pack(system), {})).data.changes, []);

  // An edit becomes the overlay on a branch, and an asset that is imported a module.
  await world.commitRepo("Settled");
  await world.write(deployed, content(6));
  const { data: proposed } = await evolvePropose(world.pack(system), {});
  const branch = "branch" in proposed ? proposed.branch : "";
  const committed = await world.git(
    world.repo,
    "cat-file",
    "-s",
    `${branch}:overlays/${fsKey("skill:tidy")}/data/big.bin`,
  );
  assertEquals(Number(committed), LARGE + 6);
  await world.write(
    join(world.project, ".codex/skills/found/SKILL.md"),
    "---\nname: found\ndescription: Find.\n---\n",
  );
  await world.write(join(world.project, ".codex/skills/found/big.bin"), content(7));
  const { data: imported } = await importAssets(world.pack(system), {}, { apply: true });
  const taken = imported.plan.find(({ module_id }) => module_id.includes("found"));
  assertEquals((await world.files.stat(join(taken?.dest_path ?? "", "big.bin")))?.size, LARGE + 7);
});

Deno.test("a large file that changes while it is deployed is refused, and everything taken back", async () => {
  await using world = await PackWorld.inMemory();
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
