import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { explainPlan, explainStatus } from "../../../../support/pack_calls.ts";
import { fsKey } from "../../../../../src/apps/agentpack/identity.ts";
import { deploy, MODULES, setUp } from "../../../../support/pack_fixture.ts";
import { PackWorld } from "../../../../support/pack_world.ts";

Deno.test("explainPlan() names module, type, layer and file, overlays of both kinds included (weakness 9.20)", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(
    world,
    "  codex: { mode: files, scope: user, options: { write_user_prompts: true, write_prompt_skills: false } }\n  vscode: { mode: files, scope: project }",
  );
  await world.write(`overlays/machines/box/${fsKey("skill:tidy")}/scripts/run.sh`, "mine\n");
  const patched = join(world.repo, "overlays", fsKey("prompt:changelog"));
  await world.write(join(patched, ".agentpack/overlay.json"), '{"overlay_kind":"patch"}');
  await world.write(
    join(patched, ".agentpack/patches/changelog.md.patch"),
    "--- a/changelog.md\n+++ b/changelog.md\n@@ -1 +1 @@\n-Write a changelog entry.\n+Write two.\n",
  );
  const { data } = await explainPlan(world.reader(), {});
  const shown = Object.fromEntries(
    data.changes.map((change) => [
      `${change.target} ${change.path.slice(change.path.lastIndexOf("/") + 1)}`,
      change.modules.map((one) =>
        [one.module_id, one.module_type, one.layer, one.module_path, one.overlay_kind].join(" ")
      ),
    ]),
  );
  assertEquals(shown, {
    "codex AGENTS.md": ["instructions:alpha Instructions upstream AGENTS.md "],
    "codex changelog.md": ["prompt:changelog Prompt global changelog.md patch"],
    "codex SKILL.md": ["skill:tidy Skill upstream SKILL.md "],
    "codex run.sh": ["skill:tidy Skill machine scripts/run.sh dir"],
    "vscode copilot-instructions.md": ["instructions:alpha Instructions upstream AGENTS.md "],
    "vscode changelog.prompt.md": ["prompt:changelog Prompt global changelog.md patch"],
  });
  assertEquals(
    data.changes.find((change) => change.path.endsWith("run.sh"))?.modules[0]?.overlay_dir,
    join(world.repo, "overlays/machines/box", fsKey("skill:tidy")),
  );
});

Deno.test("explainPlan() explains deletions from the manifest, of gone modules too", async () => {
  await using world = await PackWorld.inMemory();
  const targets =
    "  codex: { mode: files, scope: user, options: { write_user_prompts: true, write_prompt_skills: false } }";
  await setUp(world, targets);
  await deploy(world);
  await setUp(world, targets, MODULES.replace(/\n.*skill:tidy.*/, ""));
  const { data } = await explainPlan(world.reader(), { profile: "none" });
  assertEquals(
    data.changes.map((
      change,
    ) => [
      change.op,
      change.modules.map((one) => [one.module_id, one.module_type, one.layer, one.module_path]),
    ]),
    [
      ["delete", [["instructions:alpha", "Instructions", "upstream", "AGENTS.md"]]],
      ["delete", [["prompt:changelog", "Prompt", "upstream", "changelog.md"]]],
      ["delete", [["skill:tidy", null, null, null]]],
      ["delete", [["skill:tidy", null, null, null]]],
    ],
  );
});

Deno.test("explainStatus() covers managed files only, with the modules of the manifest", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(
    world,
    "  codex: { mode: files, scope: user, options: { write_user_prompts: true, write_prompt_skills: false } }",
  );
  const first = await explainStatus(world.reader(), {});
  assertEquals(first.data.drift.map((item) => [item.kind, item.modules]), [
    ["missing", ["instructions:alpha"]],
    ["missing", ["prompt:changelog"]],
    ["missing", ["skill:tidy"]],
    ["missing", ["skill:tidy"]],
  ]);
  assertMatch(first.warnings.join(), /no target manifests found/);
  await deploy(world);
  await world.write(join(world.home, ".codex/skills/unmanaged.md"), "x");
  await world.write(join(world.home, ".codex/AGENTS.md"), "edited\n");
  const { data } = await explainStatus(world.reader(), {});
  assertEquals(data.drift.map(({ kind, path, modules }) => [kind, path, modules]), [
    ["modified", join(world.home, ".codex/AGENTS.md"), ["instructions:alpha"]],
  ]);
});
