// Reading commands run on a world that refuses every write, and say the same as on a writable one.

import { assertEquals } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import { AgentpackError } from "../../../../../src/apps/agentpack/error.ts";
import type { Answer, Pack } from "../../../../../src/apps/agentpack/pack.ts";
import * as agentpack from "../../../../support/pack_calls.ts";
import { fsKey } from "../../../../../src/apps/agentpack/identity.ts";
import { MODULES, setUp, snapshot, TARGETS, yes } from "../../../../support/pack_fixture.ts";
import { PackWorld } from "../../../../support/pack_world.ts";

const overlay = { module_id: "prompt:changelog", scope: "global" } as const;

/** Every command that changes nothing, by the name of its function. */
const READING: Readonly<
  Record<string, (pack: Pack) => Promise<Answer<unknown>>>
> = {
  bootstrap: (pack) =>
    agentpack.bootstrap(pack, {}, { scope: "both", dryRun: true, adopt: false, approve: yes }),
  deployPlan: async (pack) => {
    const { data, warnings } = await agentpack.deployPlan(pack, {});
    return { data, warnings };
  },
  diff: (pack) => agentpack.diff(pack, {}),
  doctor: (pack) => agentpack.doctor(pack, {}, { fix: false }),
  evolvePropose: (pack) =>
    agentpack.evolvePropose(pack, {}, { scope: "global", dryRun: true, approve: yes }),
  evolveRestore: (pack) => agentpack.evolveRestore(pack, {}, { dryRun: true, approve: yes }),
  explainPlan: (pack) => agentpack.explainPlan(pack, {}),
  explainStatus: (pack) => agentpack.explainStatus(pack, {}),
  importAssets: (pack) => agentpack.importAssets(pack, {}, { apply: false }),
  listOrphans: (pack) => agentpack.listOrphans(pack, {}),
  listSnapshots: (pack) => agentpack.listSnapshots(pack, {}),
  overlayPath: (pack) => agentpack.overlayPath(pack, {}, overlay),
  overlayRebase: (pack) =>
    agentpack.overlayRebase(pack, {}, { ...overlay, sparsify: false, dryRun: true }),
  plan: (pack) => agentpack.plan(pack, {}),
  preview: (pack) => agentpack.preview(pack, {}, { diff: true }),
  score: (pack) => agentpack.score(pack, {}),
  status: (pack) => agentpack.status(pack, {}),
};

Deno.test("every reading command works on a read-only world and changes nothing", async () => {
  await using world = await PackWorld.make();
  await setUp(world);
  await world.commitRepo();
  await agentpack.overlayEdit(world.pack(), {}, { ...overlay, sparse: false, materialize: false });
  await snapshot(world);
  await agentpack.record(world.pack(), {}, { event: '{"module_id":"a"}' });
  await world.write("m/alpha/AGENTS.md", "# New\n");
  await world.write(`overlays/${fsKey("prompt:changelog")}/changelog.md`, "Mine.\n");
  await world.write("m/changelog.md", "Theirs.\n");
  await world.write(join(world.project, "AGENTS.md"), "edited\n");
  await world.files.remove(join(world.home, ".codex/skills/tidy/SKILL.md"));
  const before = await world.tree(world.home, world.project, world.root);
  for (const [name, run] of Object.entries(READING)) {
    const answer = await run(world.reader()).catch((error: unknown) => {
      if (error instanceof AgentpackError) return { code: error.code };
      throw new Error(name, { cause: error });
    });
    const writable = await run(world.pack()).catch((error: unknown) => {
      if (error instanceof AgentpackError) return { code: error.code };
      throw error;
    });
    assertEquals(answer, writable, name);
    assertEquals(await world.tree(world.home, world.project, world.root), before, name);
  }
});

Deno.test("plan() on a read-only world fetches a missing checkout, and writes nowhere else", async () => {
  await using world = await PackWorld.make();
  const seed = join(world.directory, "assets");
  await world.files.makeDirectory(seed);
  await world.git(seed, "init", "--quiet", "--initial-branch=main", "--template=");
  await world.write(join(seed, "p.md"), "from git\n");
  await world.git(seed, "add", "-A");
  await world.git(seed, "commit", "--quiet", "-m", "x");
  const source = `{ git: { url: "${toFileUrl(seed).href}" } }`;
  await setUp(
    world,
    TARGETS,
    `${MODULES}\n  - { id: "prompt:git", type: prompt, tags: [base], source: ${source} }`,
  );
  const before = await world.tree(world.home, world.project, world.repo);
  const { data } = await agentpack.plan(world.reader(), {});
  assertEquals(data.changes.some((change) => change.path.endsWith("prompts/p.md")), true);
  assertEquals(await world.tree(world.home, world.project, world.repo), before);
});
