// Rules of Windsurf begin with what says when they apply.

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { evolvePropose } from "../../../../support/pack_calls.ts";
import { deploy, setUp } from "../../../../support/pack_fixture.ts";
import { PackWorld } from "../../../../support/pack_world.ts";

Deno.test("a rule of Windsurf has the head that metadata.windsurf asks for, and its edits lead back", async () => {
  await using world = await PackWorld.make();
  const file = join(world.project, ".windsurf/rules/web/colours.md");
  for (
    const [settings, head] of [
      ["", "---\ntrigger: always_on\n---\n\n"],
      [", globs: ['*.ts', 'src/**']", "---\ntrigger: glob\nglobs: *.ts,src/**\n---\n\n"],
      [
        ", trigger: model_decision, description: 'Say: it'",
        '---\ntrigger: model_decision\ndescription: "Say: it"\n---\n\n',
      ],
      [", header: '', trigger: manual", ""],
    ] as const
  ) {
    await setUp(
      world,
      "  windsurf: { mode: files, scope: project }",
      `\n  - { id: "instructions:alpha", type: instructions, tags: [base], source: { local_path: { path: m/alpha } }, metadata: { windsurf: { file: web/colours.md${settings} } } }`,
    );
    await deploy(world);
    assertEquals(await world.read(file), `${head}# Alpha\n\nUse tabs.\n`);
  }
  await world.git(world.repo, "init", "--quiet", "--initial-branch=main", "--template=");
  await world.git(world.repo, "add", ".");
  await world.git(world.repo, "commit", "--quiet", "-m", "One");
  await world.write(file, "# Alpha\n\nUse blanks.\n");
  const { data } = await evolvePropose(world.reader(), {}, { dryRun: true });
  assert("candidates" in data);
  assertEquals(data.candidates.map(({ module_id, path }) => [module_id, path]), [
    ["instructions:alpha", file],
  ]);
});
