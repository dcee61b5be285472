import { assert, assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { sha256 } from "../../../../../src/base/hash.ts";
import { bootstrap, status } from "../../../../support/pack_calls.ts";
import { commandLine } from "../../../../../src/apps/agentpack/engine/next_action.ts";
import { shellWord } from "../../../../../src/base/text/words.ts";
import { deploy, setUp, TARGETS, yes } from "../../../../support/pack_fixture.ts";
import { PackWorld } from "../../../../support/pack_world.ts";

const CURSOR =
  "  cursor: { mode: files, scope: project }\n  vscode: { mode: files, scope: project }";

async function shown(world: PackWorld, options = {}, selection = {}): Promise<string[]> {
  const { data } = await status(world.reader(), selection, options);
  return data.drift.map((item) =>
    `${item.kind} ${item.target} ${item.path.replace(world.project, ".").replace(world.home, "~")}`
  );
}

Deno.test("status() is clean after a deploy", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, CURSOR);
  await deploy(world);
  const { data, warnings } = await status(world.reader(), {});
  assertEquals({ data, warnings }, {
    data: {
      profile: "default",
      targets: ["cursor", "vscode"],
      drift: [],
      summary: { modified: 0, missing: 0, extra: 0 },
      summary_by_root: [],
      pending: { create: 0, update: 0, delete: 0 },
    },
    warnings: [],
  });
});

Deno.test("status() tells modified, missing and extra files by root, in the order of the contract", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(
    world,
    "  codex: { mode: files, scope: user, options: { write_user_prompts: true, write_prompt_skills: false } }",
  );
  await deploy(world);
  const codex = join(world.home, ".codex");
  await world.write(join(codex, "AGENTS.md"), "edited\n");
  await world.files.remove(join(codex, "skills/tidy/SKILL.md"));
  await world.write(join(codex, "skills/tidy-x"), "x");
  await world.write(join(codex, "skills/tidy/y"), "y");
  await world.write(join(codex, "skills/.git/config"), "no");
  await world.write(join(codex, "skills/a/.agentpack/z"), "no");
  await world.files.symlink(join(codex, "AGENTS.md"), join(codex, "skills/link"));
  await world.write(join(codex, "config.toml"), "not scanned");
  assertEquals(await shown(world), [
    "modified codex ~/.codex/AGENTS.md",
    "missing codex ~/.codex/skills/tidy/SKILL.md",
    "extra codex ~/.codex/skills/tidy/y",
    "extra codex ~/.codex/skills/tidy-x",
  ]);
  const { data } = await status(world.reader(), {});
  assertEquals(data.drift[0], {
    target: "codex",
    root: codex,
    root_posix: codex,
    path: join(codex, "AGENTS.md"),
    path_posix: join(codex, "AGENTS.md"),
    kind: "modified",
    expected: `sha256:${sha256("# Alpha\n\nUse tabs.\n")}`,
    actual: `sha256:${sha256("edited\n")}`,
  });
  assertEquals(data.drift[1]?.actual, null);
  assertEquals(data.drift[2]?.expected, null);
  assertEquals(data.summary, { modified: 1, missing: 1, extra: 2 });
  assertEquals(data.summary_by_root.map(({ root, summary }) => [root, summary]), [
    [codex, { modified: 1, missing: 0, extra: 0 }],
    [join(codex, "skills"), { modified: 0, missing: 1, extra: 2 }],
  ]);
});

Deno.test("status() filters with only and keeps the whole counts beside", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(
    world,
    "  codex: { mode: files, scope: user, options: { write_user_prompts: true, write_prompt_skills: false } }",
  );
  await deploy(world);
  await world.write(join(world.home, ".codex/AGENTS.md"), "edited\n");
  await world.write(join(world.home, ".codex/skills/x"), "x");
  const { data } = await status(world.reader(), {}, { only: ["extra"] });
  assertEquals(data.drift.map((item) => item.kind), ["extra"]);
  assertEquals(data.summary, { modified: 0, missing: 0, extra: 1 });
  assertEquals(data.summary_total, { modified: 1, missing: 0, extra: 1 });
  assert(data.next_actions?.some((command) => command.includes("deploy --apply")));
  assertEquals((await status(world.reader(), {}, { only: [] })).data.summary_total, undefined);
});

Deno.test("status() calls managed files that are no longer wanted extra", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(
    world,
    "  codex: { mode: files, scope: user, options: { write_user_prompts: true, write_prompt_skills: false } }",
  );
  await deploy(world);
  assertEquals(await shown(world, {}, { profile: "none" }), [
    "extra codex ~/.codex/AGENTS.md",
    "extra codex ~/.codex/prompts/changelog.md",
    "extra codex ~/.codex/skills/tidy/SKILL.md",
    "extra codex ~/.codex/skills/tidy/scripts/run.sh",
  ]);
});

Deno.test("status() without any manifest compares what is wanted and says so", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, CURSOR);
  await world.write(join(world.project, ".github/prompts/extra.md"), "not scanned");
  const answer = await status(world.reader(), {});
  assertEquals(answer.data.summary, { modified: 0, missing: 3, extra: 0 });
  assertEquals(
    answer.warnings.filter((text) => text.includes("no target manifests found")).length,
    1,
  );
  assertEquals(answer.data.next_actions_detailed, [
    { action: "preview_diff", command: "agentpack preview --diff --json" },
    { action: "deploy_apply", command: "agentpack deploy --apply --yes --json" },
  ]);
  assertEquals(
    answer.data.next_actions,
    answer.data.next_actions_detailed?.map((action) => action.command),
  );
});

Deno.test("status() with a manifest in one root only warns about the other", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, CURSOR);
  await deploy(world, { target: "cursor" });
  const answer = await status(world.reader(), {});
  assertEquals(answer.data.summary, { modified: 0, missing: 2, extra: 0 });
  assertEquals(answer.warnings.length, 2);
  assertMatch(answer.warnings.join(), /No usable manifest in .*\.github/);
});

Deno.test("status() reports what was never deployed as pending and not as drift", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(
    world,
    "  zed: { mode: files, scope: project }\n  cursor: { mode: files, scope: project }",
  );
  await deploy(world);
  const { data } = await status(world.reader(), { profile: "more", target: "cursor" });
  assertEquals(data.drift, []);
  assertEquals(data.pending, { create: 1, update: 0, delete: 0 });
  assertEquals(data.next_actions, [
    "agentpack --profile more --target cursor preview --diff --json",
    "agentpack --profile more --target cursor deploy --apply --yes --json",
  ]);
});

Deno.test("status() says when only line ends differ (weakness 9.16)", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, "  zed: { mode: files, scope: project }");
  await deploy(world);
  await world.write(join(world.project, ".rules"), "# Alpha\r\n\r\nUse tabs.\r\n");
  const answer = await status(world.reader(), {});
  assertEquals(answer.data.summary.modified, 1);
  assertMatch(answer.warnings.join(), /line ends \(CRLF/);
});

Deno.test("status() asks for bootstrap where operator files are missing, outdated or unversioned", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, TARGETS);
  await deploy(world);
  const about = async () => {
    const answer = await status(world.reader(), {});
    return {
      warnings: answer.warnings.filter((text) => text.startsWith("operator assets"))
        .map((text) => text.slice(0, text.indexOf(":"))),
      actions: (answer.data.next_actions ?? []).filter((text) => text.includes("bootstrap")),
    };
  };
  assertEquals(await about(), {
    warnings: [
      "operator assets missing (claude_code/user)",
      "operator assets missing (claude_code/project)",
      "operator assets missing (codex/user)",
      "operator assets missing (codex/project)",
    ],
    actions: [
      "agentpack --target claude_code bootstrap --scope project --yes --json",
      "agentpack --target claude_code bootstrap --scope user --yes --json",
      "agentpack --target codex bootstrap --scope project --yes --json",
      "agentpack --target codex bootstrap --scope user --yes --json",
    ],
  });
  await bootstrap(world.pack(), {}, { scope: "both", dryRun: false, adopt: false, approve: yes });
  assertEquals(await about(), { warnings: [], actions: [] });
  const skill = join(world.home, ".codex/skills/agentpack-operator/SKILL.md");
  const text = await world.read(skill) ?? "";
  await world.write(skill, text.replace('agentpack_version: "0.1.0"', "agentpack_version: 0.0.9"));
  assertEquals((await about()).warnings, ["operator assets outdated (codex/user)"]);
  await world.write(skill, text.replace("agentpack_version", "version"));
  assertEquals((await about()).warnings, ["operator assets unversioned (codex/user)"]);
});

Deno.test("commandLine() repeats only options that differ from the defaults, and quotes blanks", async () => {
  await using world = await PackWorld.inMemory();
  assertEquals(
    commandLine(world.pack(), {
      repo: "/my repo",
      profile: "work",
      target: "codex",
      machine: "box",
    }, ["plan"]),
    "agentpack --repo '/my repo' --profile work --target codex --machine box plan --json",
  );
  assertEquals(
    commandLine(world.pack(), { profile: "default", target: "all" }, ["plan"]),
    "agentpack plan --json",
  );
  assertEquals(shellWord("it's"), "'it'\\''s'");
  assertEquals(shellWord("~/x"), "'~/x'");
});
