// What belongs into a project is left out where there is none.

import { assert, assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { bootstrap, plan, status } from "../../../../support/pack_calls.ts";
import { deploy, setUp, TARGETS, yes } from "../../../../support/pack_fixture.ts";
import { PackWorld } from "../../../../support/pack_world.ts";

const EVERYWHERE = `${TARGETS}
  export_dir: { mode: files, scope: both, options: { root: out } }`;

Deno.test("plan() leaves the project's files out in /, in the home directory and where nothing is", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, EVERYWHERE);
  await world.files.symlink(world.home, join(world.directory, "link-to-home"));
  const user = [".claude/commands", ".codex/", ".codex/prompts", ".codex/skills/tidy"];
  for (
    const [place, named] of [
      ["/", /root of the file system/],
      [world.home, /your home directory/],
      [join(world.directory, "link-to-home"), /your home directory/],
      [join(world.directory, "gone"), /gone", which is no directory/],
    ] as const
  ) {
    const { data, warnings } = await plan(world.packIn("/"), { project: place });
    assert(data.changes.length > 0);
    for (const { path } of data.changes) {
      assert(user.some((start) => path.startsWith(join(world.home, start))), path);
      assert(!path.endsWith("out/AGENTS.md"), path);
    }
    assertMatch(warnings.join("\n"), named);
    assertMatch(warnings.join("\n"), /--project-root DIR/);
  }
  const inProject = await plan(world.reader(), {});
  assert(inProject.data.changes.some(({ path }) => path === join(world.project, "AGENTS.md")));
  assert(inProject.data.changes.some(({ path }) => path.startsWith(join(world.project, "out"))));
  assertEquals(inProject.warnings, []);
});

Deno.test("deploy, status and bootstrap in the home directory touch the user's places alone", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world);
  const pack = world.packIn(world.home);
  await deploy(world, { project: world.home });
  assertEquals(await world.read(join(world.home, "AGENTS.md")), null);
  assertEquals(await world.read(join(world.home, ".github/prompts/changelog.prompt.md")), null);
  assertEquals(
    await world.read(join(world.home, ".codex/prompts/changelog.md")),
    "Write a changelog entry.\n",
  );
  const { data } = await bootstrap(pack, {}, { scope: "both", approve: yes });
  const skills = data.changes.map(({ path }) => path).filter((path) => path.includes(".codex"));
  assertEquals(
    skills.toSorted(),
    ["agentpack-operator", "amof"].map((name) =>
      join(world.home, ".codex/skills", name, "SKILL.md")
    ),
  );
  const { warnings } = await status(pack, {});
  assertEquals(warnings.filter((warning) => warning.includes("/project)")), []);
});

Deno.test("plan() says nothing of the project where only the user's places are configured", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(
    world,
    "  codex: { mode: files, scope: user, options: { write_user_prompts: true, write_prompt_skills: false } }",
  );
  const { data, warnings } = await plan(world.packIn("/"), {});
  assert(data.changes.length > 0);
  assertEquals(warnings, []);
});
