// Changes of the config repo (overlays, import) end in "before" or "after", wherever they are killed.

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { withHomeLock } from "../../../../../src/apps/agentpack/engine/journal.ts";
import { homeOf } from "../../../../../src/apps/agentpack/identity.ts";
import { type Pack } from "../../../../../src/apps/agentpack/pack.ts";
import { importAssets, overlayEdit, overlayRebase } from "../../../../support/pack_calls.ts";
import { faultySystem } from "../../../../support/faulty_system.ts";
import { setUp } from "../../../../support/pack_fixture.ts";
import { PackWorld } from "../../../../support/pack_world.ts";
import { Template } from "../../../../support/template.ts";

const EDIT = {
  module_id: "skill:tidy",
  scope: "global",
  sparse: false,
  materialize: false,
} as const;

/** Changes, each with what has to be there before it. */
const CHANGES: Readonly<
  Record<string, {
    prepare(world: PackWorld): Promise<unknown>;
    change(pack: Pack): Promise<unknown>;
  }>
> = {
  "overlay edit of a new overlay": {
    prepare: () => Promise.resolve(),
    change: (pack) => overlayEdit(pack, {}, EDIT),
  },
  "overlay rebase": {
    async prepare(world) {
      await overlayEdit(world.pack(), {}, EDIT);
      const [directory = ""] = (await Array.fromAsync(Deno.readDir(join(world.repo, "overlays"))))
        .map((entry) => entry.name);
      await world.write(`overlays/${directory}/notes/a.md`, "ours\n");
      await world.write(`overlays/${directory}/data.md`, "one\ntwo\nthree\nfour\nfive, ours\n");
      await world.write("m/tidy/data.md", "one, theirs\ntwo\nthree\nfour\nfive\n");
      await world.write("m/tidy/scripts/run.sh", "#!/bin/sh\necho theirs\n", 0o755);
      await world.files.remove(join(world.repo, "m/tidy/gone/old.md"));
    },
    change: (pack) =>
      overlayRebase(pack, {}, {
        module_id: "skill:tidy",
        scope: "global",
        sparsify: false,
        dryRun: false,
      }),
  },
  "import --apply": {
    async prepare(world) {
      await world.write(join(world.home, ".codex/prompts/pr.md"), "Draft it.\n");
      await world.write(join(world.home, ".codex/prompts/pr2.md"), "Draft it again.\n");
    },
    change: (pack) => importAssets(pack, {}, { apply: true }),
  },
};

/** What a change kept to take itself back. */
async function* kept(world: PackWorld): AsyncIterable<Deno.DirEntry> {
  const directory = join(world.root, "state", "changes");
  if (await world.files.exists(directory)) yield* Deno.readDir(directory);
}

for (const [name, { prepare, change }] of Object.entries(CHANGES)) {
  Deno.test(`${name} ends before or after when it is killed at any write`, async () => {
    await using world = await PackWorld.make();
    await setUp(world);
    await world.write("m/tidy/data.md", "one\ntwo\nthree\nfour\nfive\n");
    await world.write("m/tidy/gone/old.md", "old\n");
    await world.commitRepo();
    await prepare(world);
    await world.files.makeDirectory(join(world.root, "state"));
    const home = homeOf(world.system.env);
    const base = world.unflushed();
    const places = ["agentpack.yaml", "m", "modules", "overlays"].map((path) =>
      join(world.repo, path)
    );
    const template = await Template.of(world.files, [...places, join(world.root, "state")]);
    const before = await world.tree(world.repo);
    const whole = faultySystem(base, 0, "killed before");
    await change(world.pack(whole.system));
    const after = await world.tree(world.repo);
    assert(JSON.stringify(before) !== JSON.stringify(after));
    const ends = { before: 0, after: 0 };
    for (let nth = 1; nth <= whole.writes(); nth++) {
      await template.restore();
      const killed = faultySystem(base, nth, "killed before");
      await change(world.pack(killed.system)).catch(() => {});
      await withHomeLock(base, home, () => Promise.resolve());
      const now = await world.tree(world.repo);
      const state = JSON.stringify(now) === JSON.stringify(before) ? "before" : "after";
      assertEquals(now, state === "before" ? before : after, `write ${nth}`);
      ends[state]++;
      assertEquals(await world.files.exists(join(world.root, "state", "journal.json")), false);
      // What was kept to take it back is gone.
      assertEquals((await Array.fromAsync(kept(world))).length, 0, `write ${nth}`);
    }
    assert(ends.before > 2 && ends.after > 0, JSON.stringify(ends));
  });
}
