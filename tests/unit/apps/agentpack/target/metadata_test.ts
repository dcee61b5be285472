// What `metadata` of a module says about where its files go.

import { assert, assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { configJsonSchema } from "../../../../../src/apps/agentpack/config/schema.ts";
import {
  METADATA_MEMBERS,
  RULE_MEMBERS,
} from "../../../../../src/apps/agentpack/config/metadata.ts";
import { pick } from "../../../../support/answers.ts";
import { deploy, setUp } from "../../../../support/pack_fixture.ts";
import { diff, evolvePropose, explainPlan, plan } from "../../../../support/pack_calls.ts";
import { assertCode } from "../../../../support/assert_code.ts";
import { PackWorld } from "../../../../support/pack_world.ts";

/** Modules of every type, with metadata. */
function modules(metadata: Readonly<Record<string, string>>): string {
  const module = (id: string, path: string) => {
    const [type = ""] = id.split(":");
    return `\n  - { id: "${id}", type: ${type}, tags: [base], source: { local_path: { path: ${path} } }, metadata: ${
      metadata[type] ?? "{}"
    } }`;
  };
  return module("instructions:alpha", "m/alpha") + module("skill:tidy", "m/tidy") +
    module("prompt:changelog", "m/changelog.md") + module("command:ship", "m/ship.md");
}

async function planned(world: PackWorld): Promise<string[]> {
  const { data } = await plan(world.reader(), {});
  return data.changes.map(({ path }) => path.replace(world.project, ".").replace(world.home, "~"));
}

Deno.test("metadata.output and metadata.cursor.file say where a module's files go", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(
    world,
    "  codex: { mode: files, scope: user, options: { write_user_prompts: true, write_prompt_skills: false } }\n  claude_code: { mode: files, scope: project }\n" +
      "  cursor: { mode: files, scope: project }\n  vscode: { mode: files, scope: project }",
    modules({
      instructions: "{ cursor: { file: web/a b.mdc } }",
      skill: "{ output: Tidy Up }",
      prompt: "{ output: Write.log.md }",
      command: "{ output: git/Ship.md }",
    }),
  );
  assertEquals(await planned(world), [
    "./.claude/commands/git/Ship.md",
    "~/.codex/AGENTS.md",
    "~/.codex/prompts/Write.log.md",
    "~/.codex/skills/Tidy Up/SKILL.md",
    "~/.codex/skills/Tidy Up/scripts/run.sh",
    "./.cursor/rules/web/a b.mdc",
    "./.github/copilot-instructions.md",
    "./.github/prompts/Write.log.prompt.md",
  ]);
  await deploy(world);
  await setUp(
    world,
    "  codex: { mode: files, scope: user, options: { write_user_prompts: true, write_prompt_skills: false } }",
    modules({ skill: "{ output: No }" }),
  );
  const { data } = await explainPlan(world.reader(), {});
  const gone = data.changes.flatMap((change) =>
    change.op === "create" && change.path.endsWith("No/SKILL.md") ? change.modules : []
  );
  assertEquals(gone.map(({ module_path }) => module_path), ["SKILL.md"]);
});

Deno.test("metadata.only limits a module to the outputs of some options", async () => {
  await using world = await PackWorld.inMemory();
  const targets =
    "  codex: { mode: files, scope: user, options: { write_agents_skills: true, write_user_prompts: true, write_prompt_skills: false } }";
  await setUp(world, targets, modules({ skill: "{ only: [codex.write_agents_skills] }" }));
  const paths = (await planned(world)).filter((path) => path.endsWith("SKILL.md"));
  assertEquals(paths, ["~/.agents/skills/tidy/SKILL.md"]);
  await setUp(world, targets, modules({ skill: "{ only: [codex.write_agent_skills] }" }));
  const error = await assertCode("E_CONFIG_INVALID", () => plan(world.reader(), {}), {
    module_id: "skill:tidy",
    field: "metadata.only",
    option: "codex.write_agent_skills",
  });
  assertMatch(error.message, /did you mean "codex\.write_agents_skills"\?/);
});

Deno.test("metadata that leads out of a root, or to another kind of file, is refused", async () => {
  await using world = await PackWorld.inMemory();
  for (
    const [type, metadata, field] of [
      ["skill", "{ output: ../up }", "metadata.output"],
      ["skill", "{ output: /tmp/x }", "metadata.output"],
      ["skill", '{ output: "a\\\\b" }', "metadata.output"],
      ["skill", '{ output: "a\\nb" }', "metadata.output"],
      ["command", "{ output: a/../b.md }", "metadata.output"],
      ["command", "{ output: ship.sh }", "metadata.output"],
      ["prompt", "{ output: 7 }", "metadata.output"],
      ["instructions", "{ cursor: { file: ../x.mdc } }", "metadata.cursor.file"],
      ["instructions", "{ cursor: { file: x.md } }", "metadata.cursor.file"],
      ["skill", "{ only: write_user_skills }", "metadata.only"],
      ["skill", "{ scope: users }", "metadata.scope"],
      ["instructions", "{ cursor: rule }", "metadata.cursor"],
      ["instructions", "{ windsurf: { trigger: true } }", "metadata.windsurf.trigger"],
      ["instructions", "{ cursor: { globs: 7 } }", "metadata.cursor.globs"],
      ["instructions", '{ cursor: { alwaysApply: "no" } }', "metadata.cursor.alwaysApply"],
      ["instructions", "{ cursor: { description: [a] } }", "metadata.cursor.description"],
    ] as const
  ) {
    await setUp(
      world,
      "  codex: { mode: files, scope: user, options: { write_user_prompts: true, write_prompt_skills: false } }",
      modules({ [type]: metadata }),
    );
    const error = await assertCode("E_CONFIG_INVALID", () => plan(world.reader(), {}));
    assertEquals(error.details?.["field"], field, metadata);
  }
});

Deno.test("the JSON Schema of agentpack.yaml describes every member of metadata that says something", async () => {
  const schema = await configJsonSchema();
  const metadata = pick(
    schema,
    "properties",
    "modules",
    "anyOf",
    0,
    "items",
    "properties",
    "metadata",
  );
  const described = pick(metadata, "anyOf", 0, "properties") as Record<string, unknown>;
  assertEquals(Object.keys(described), METADATA_MEMBERS);
  for (const tool of ["cursor", "windsurf"] as const) {
    const settings = pick(described, tool, "anyOf", 0, "properties") as Record<string, unknown>;
    assertEquals(Object.keys(settings), RULE_MEMBERS[tool]);
  }
});

Deno.test("metadata.cursor.header is kept as it was written until a setting says something else", async () => {
  await using world = await PackWorld.inMemory();
  const rule = async (cursor: string) => {
    await setUp(
      world,
      "  cursor: { mode: files, scope: project }",
      modules({ instructions: `{ cursor: ${cursor} }` }),
    );
    await world.write("m/alpha/AGENTS.md", "# Alpha");
    const { data } = await deploy(world);
    return await world.read(data.changes[0]?.path ?? "");
  };
  const header = "---\\nglobs: *.ts\\nalwaysApply: true\\n---\\n";
  const facts = "file: a.mdc, description: '', alwaysApply: true";
  assertEquals(
    await rule(`{ ${facts}, globs: ['*.ts'], header: "${header}" }`),
    "---\nglobs: *.ts\nalwaysApply: true\n---\n# Alpha",
  );
  const generated = await rule(`{ ${facts}, globs: ['*.js'], header: "${header}" }`);
  assertMatch(generated ?? "", /^---\ndescription: ""\nglobs: \[\]\nalwaysApply: true\n---\n\n/);
  const none = "file: a.mdc, description: '', globs: [], alwaysApply: false";
  assertEquals(await rule(`{ ${none}, header: "" }`), "# Alpha");
  assert((await rule(`{ ${none}, header: "# no head" }`))?.startsWith("---\n"));
});

Deno.test("an edit below a header that was given leads back to the module", async () => {
  await using world = await PackWorld.make();
  await setUp(
    world,
    "  cursor: { mode: files, scope: project }",
    modules({
      instructions:
        '{ cursor: { file: a.mdc, description: "", globs: [], alwaysApply: false, header: "---\\nx: y\\n---\\n" } }',
    }),
  );
  await world.commitRepo();
  await deploy(world);
  const path = join(world.project, ".cursor/rules/a.mdc");
  await world.write(path, `${await world.read(path)}More.\n`);
  const { data } = await evolvePropose(world.reader(), {}, { dryRun: true });
  assert("candidates" in data);
  assertEquals(data.candidates.map(({ module_id }) => module_id), ["instructions:alpha"]);
  assertEquals((await diff(world.reader(), {})).data.changes.length, 1);
});
