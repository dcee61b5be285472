import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { importAssets, plan } from "../../../../support/pack_calls.ts";
import { loadConfig } from "../../../../../src/apps/agentpack/config/config.ts";
import { idPart } from "../../../../../src/apps/agentpack/import/candidates.ts";
import { assertCode } from "../../../../support/assert_code.ts";
import { deploy, setUp } from "../../../../support/pack_fixture.ts";
import { PackWorld } from "../../../../support/pack_world.ts";

const PID = "ae2752b5775071e2";
const SKILL = "---\nname: x\ndescription: y\n---\n";
const STYLE = "---\ndescription: x\nalwaysApply: true\n---\n\n";
const COMMAND = "---\ndescription: y\n---\n";

async function assets(world: PackWorld): Promise<void> {
  await world.config("# mine\nversion: 1\nprofiles:\n  default: { include_tags: [base] }\n");
  const home = (path: string, text: string, mode?: number) =>
    world.write(join(world.home, path), text, mode);
  const project = (path: string, text: string) => world.write(join(world.project, path), text);
  await home(".codex/prompts/My Prompt.md", "prompt\n");
  await home(".codex/prompts/notes.txt", "no\n");
  await home(".codex/skills/tidy/SKILL.md", SKILL);
  await home(".codex/skills/tidy/run.sh", "run\n", 0o755);
  await home(".codex/skills/broken/README.md", "no skill\n");
  await home(".claude/commands/ship.md", COMMAND);
  await home(".claude/commands/plain.md", "# No front matter\n");
  await home(".claude/commands/half.md", "---\nmodel: x\n---\nNo description\n");
  await project("AGENTS.md", "# Project\n");
  await project(".claude/commands/ship.md", COMMAND);
  await project(".codex/skills/local/SKILL.md", SKILL);
  await project(
    ".cursor/rules/style.mdc",
    `${STYLE}# Style\n`,
  );
  await project(".github/prompts/pr.prompt.md", "Describe.\n");
}

Deno.test("idPart() is lower case with dashes", () => {
  assertEquals(idPart("My Prompt.v2"), "my-prompt-v2");
});

Deno.test("importAssets() plans ids, destinations and tags of the contract, and writes nothing", async () => {
  await using world = await PackWorld.inMemory();
  await assets(world);
  const before = await world.tree(world.home, world.project, world.root);
  const { data } = await importAssets(world.reader(), {}, { apply: false });
  assertEquals(await world.tree(world.home, world.project, world.root), before);
  assertEquals(
    data.plan.map((item) => [
      item.op,
      item.module_id,
      item.dest_path.slice(world.repo.length + 1),
      item.tags.join(" "),
      item.targets.join(" "),
    ]),
    [
      [
        "create",
        `instructions:project-${PID}`,
        `modules/instructions/imported/${PID}`,
        `imported project project-${PID} codex`,
        "codex",
      ],
      [
        "create",
        "prompt:my-prompt",
        "modules/prompts/imported/My Prompt.md",
        "base imported user codex",
        "codex",
      ],
      [
        "skip_invalid",
        "skill:broken",
        "modules/skills/imported/broken",
        "base imported user codex",
        "codex",
      ],
      ["create", "skill:tidy", "modules/skills/imported/tidy", "base imported user codex", "codex"],
      [
        "create",
        `skill:project-${PID}-local`,
        `modules/skills/imported/project-${PID}-local`,
        `imported project project-${PID} codex`,
        "codex",
      ],
      [
        "skip_invalid",
        "command:half",
        "modules/claude-commands/imported/user/half.md",
        "base imported user claude_code",
        "claude_code",
      ],
      [
        "create",
        "command:plain",
        "modules/claude-commands/imported/user/plain.md",
        "base imported user claude_code",
        "claude_code",
      ],
      [
        "create",
        "command:ship",
        "modules/claude-commands/imported/user/ship.md",
        "base imported user claude_code",
        "claude_code",
      ],
      [
        "create",
        `command:project-${PID}-ship`,
        `modules/claude-commands/imported/project-${PID}/ship.md`,
        `imported project project-${PID} claude_code`,
        "claude_code",
      ],
      [
        "create",
        `instructions:project-${PID}-style`,
        `modules/instructions/imported/project-${PID}/style`,
        `imported project project-${PID} cursor`,
        "cursor",
      ],
      [
        "create",
        `prompt:project-${PID}-pr`,
        `modules/prompts/imported/project-${PID}/pr.prompt.md`,
        `imported project project-${PID} vscode`,
        "vscode",
      ],
    ],
  );
  assertMatch(data.plan[2]?.skip_reason ?? "", /SKILL\.md/);
  assertEquals([data.applied, data.reason, data.summary], [false, "dry_run", {
    create: 9,
    skip_existing_module: 0,
    skip_invalid: 2,
  }]);
  assertEquals(data.project, {
    project_id: PID,
    project_root: world.project,
    project_root_posix: world.project,
    origin_url: "https://github.com/example/example.git",
  });
  assertEquals(data.next_actions, ["agentpack import --apply --yes --json"]);
});

Deno.test("importAssets() with apply copies, adds modules and a project profile, and keeps comments", async () => {
  await using world = await PackWorld.inMemory();
  await assets(world);
  await world.files.symlink(
    join(world.home, ".codex/skills/tidy"),
    join(world.home, ".codex/skills/linked"),
  );
  const answer = await importAssets(world.pack(), {}, { apply: true });
  assertEquals(answer.data.applied, true);
  assertMatch(answer.warnings.join(), /linked" is a link; its content is copied/);
  const config = await loadConfig(world.system.files, join(world.repo, "agentpack.yaml"));
  assertEquals(config.modules.length, 10);
  const plain = config.modules.find(({ id }) => id === "command:plain");
  assertEquals(plain?.metadata, { scope: "user", description: "No front matter" });
  const style = config.modules.find(({ id }) => id.endsWith("-style"));
  assertEquals([style?.targets, style?.metadata], [["cursor"], {
    scope: "project",
    cursor: { description: "x", globs: [], alwaysApply: true, file: "style.mdc", header: STYLE },
  }]);
  assertEquals(config.profiles.get(`project-${PID}`)?.includeTags, ["base", `project-${PID}`]);
  assertMatch(await world.read(join(world.repo, "agentpack.yaml")) ?? "", /^# mine\n/);
  const tree = await world.tree(join(world.repo, "modules"));
  const file = (path: string) => tree[join(world.repo, "modules", path)];
  assertEquals(file("skills/imported/tidy/run.sh"), { text: "run\n", mode: "755" });
  assertEquals(file("skills/imported/linked/run.sh")?.text, "run\n");
  assertEquals(file(`instructions/imported/${PID}/AGENTS.md`)?.text, "# Project\n");
  assertEquals(file(`instructions/imported/project-${PID}/style/AGENTS.md`)?.text, "# Style\n");
  const again = await importAssets(world.pack(), {}, { apply: true });
  assertEquals([again.data.applied, again.data.reason], [false, "nothing_to_import"]);
  assertEquals(again.data.summary.skip_existing_module, 10);
});

Deno.test("importAssets() deploys back to where things came from", async () => {
  await using world = await PackWorld.inMemory();
  await assets(world);
  await importAssets(world.pack(), {}, { apply: true });
  const text = await world.read(join(world.repo, "agentpack.yaml")) ?? "";
  await world.config(
    `${text}targets:\n  codex: { mode: files, scope: user, options: { write_user_prompts: true, write_prompt_skills: false } }\n  claude_code: { mode: files, scope: user }\n`,
  );
  assertEquals((await plan(world.reader(), {})).data.changes, []);
});

Deno.test("importAssets() reports existing destinations and refuses to overwrite them", async () => {
  await using world = await PackWorld.inMemory();
  await assets(world);
  const path = join(world.repo, "modules/skills/imported/tidy");
  await world.write(join(path, "mine.md"), "mine");
  const { data } = await importAssets(world.reader(), {}, { apply: false });
  assertEquals(data.conflicts, [{ module_id: "skill:tidy", path, path_posix: path }]);
  const before = await world.tree(world.repo);
  await assertCode("E_IMPORT_CONFLICT", () => importAssets(world.pack(), {}, { apply: true }), {
    count: 1,
    sample_paths: [path],
    sample_paths_posix: [path],
  });
  assertEquals(await world.tree(world.repo), before);
});

Deno.test("importAssets() takes nothing back when a copy fails", async () => {
  await using world = await PackWorld.inMemory();
  await assets(world);
  const before = await world.tree(world.repo);
  const { files } = world.system;
  const pack = world.pack({
    ...world.system,
    files: { ...files, write: () => Promise.reject(new Error("disk full")) },
  });
  let failed = false;
  await importAssets(pack, {}, { apply: true }).catch(() => {
    failed = true;
  });
  assertEquals(failed, true);
  assertEquals(await world.tree(world.repo), before);
});

Deno.test("importAssets() does not import what was deployed, and can look at another home", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(
    world,
    "  codex: { mode: files, scope: user, options: { write_user_prompts: true, write_prompt_skills: false } }\n  cursor: { mode: files, scope: project }",
  );
  await deploy(world);
  const { data } = await importAssets(world.reader(), {}, { apply: false });
  assertEquals(data.plan.map((item) => item.op), [
    // The instructions were several modules, none of which is the file.
    "skip_invalid",
    "skip_existing_module",
    "skip_existing_module",
    "skip_invalid",
  ]);
  assertEquals(data.reason, "nothing_to_import");
  const other = join(world.directory, "other");
  await world.write(join(other, ".codex/prompts/p.md"), "p");
  const elsewhere = await importAssets(world.reader(), {}, { apply: false, home_root: other });
  assertEquals(elsewhere.data.home_root, other);
  assertEquals(elsewhere.data.plan.map((item) => item.module_id).includes("prompt:p"), true);
});

Deno.test("importAssets() says what is left, what no deploy writes yet, and which profile the next steps need", async () => {
  await using world = await PackWorld.inMemory();
  await world.config(
    "version: 1\nprofiles:\n  default: { include_tags: [base] }\ntargets:\n" +
      "  codex: { mode: files, scope: user, options: { write_user_prompts: true, write_prompt_skills: false } }\n  claude_code: { mode: files, scope: both }\n",
  );
  const home = (path: string, text: string) => world.write(join(world.home, path), text);
  const project = (path: string, text: string) => world.write(join(world.project, path), text);
  await home(".codex/skills/tidy/SKILL.md", SKILL);
  await home(".claude/skills/tidy/SKILL.md", SKILL);
  await home(".claude/commands/git/commit.md", COMMAND);
  await home(".claude/commands/notes.txt", "no\n");
  await home(".claude/CLAUDE.md", "# Me\n");
  await home(".gemini/commands/x.toml", "no\n");
  await home(".codeium/windsurf/hooks.json", "{}\n");
  await home(".claude.json", '{ "mcpServers": { "search": { "command": "search-mcp" } } }\n');
  await home(".cursor/mcp.json", '{ "mcpServers": { "search": { "command": "search-mcp" } } }\n');
  await home(".cursor/commands/pr.md", "Write a pull request.\n");
  await project("AGENTS.md", "# Project\n");
  await project(".cursor/rules/web/style.mdc", "# Style\n");
  const { data } = await importAssets(world.pack(), {}, { apply: true });
  assertEquals(
    data.plan.map((item) => [item.module_id, item.targets.join(" "), item.other_sources ?? []]),
    [
      [`instructions:project-${PID}`, "codex", []],
      ["skill:tidy", "codex claude_code", [join(world.home, ".claude/skills/tidy")]],
      ["command:git-commit", "claude_code", []],
      ["instructions:user-claude_code", "claude_code", []],
      [`instructions:project-${PID}-web-style`, "cursor", []],
      ["prompt:pr", "cursor", []],
      ["mcp_server:search", "cursor", []],
      ["command:x", "gemini", []],
    ],
  );
  assertMatch(data.plan.at(-1)?.skip_reason ?? "", /is not valid TOML/);
  assertEquals(data.left.map(({ path, reason }) => [path.slice(world.home.length), reason]), [
    ["/.claude/commands/notes.txt", "only names that end in .md are read there"],
    ["/.claude.json", "no target writes MCP servers of Claude Code for all projects"],
    ["/.codeium/windsurf/hooks.json", "no target writes hooks of Windsurf"],
  ]);
  assertEquals(data.not_deployed, [
    {
      target: "codex",
      needs: "targets.codex.scope: both",
      module_ids: [`instructions:project-${PID}`],
    },
    {
      target: "claude_code",
      needs: "targets.claude_code.options.write_user_skills: true",
      module_ids: ["skill:tidy"],
    },
    {
      target: "claude_code",
      needs: "targets.claude_code.options.write_user_claude_md: true",
      module_ids: ["instructions:user-claude_code"],
    },
    {
      target: "cursor",
      needs:
        "targets.cursor: { mode: files, scope: both, options: { write_user_commands: true, write_user_mcp: true } }",
      module_ids: [
        `instructions:project-${PID}-web-style`,
        "prompt:pr",
        "mcp_server:search",
      ],
    },
  ]);
  assertEquals(data.next_actions, [
    `agentpack --profile project-${PID} preview --diff --json`,
    `agentpack --profile project-${PID} deploy --apply --yes --json`,
  ]);
  const config = await loadConfig(world.system.files, join(world.repo, "agentpack.yaml"));
  assertEquals(config.modules.map(({ metadata }) => metadata["scope"]), [
    "project",
    "user",
    "user",
    "user",
    "project",
    "user",
    "user",
  ]);
});

Deno.test("importAssets() looks through no project where there is none", async () => {
  await using world = await PackWorld.inMemory();
  await assets(world);
  await world.write(join(world.home, "AGENTS.md"), "# Not mine\n");
  const { data, warnings } = await importAssets(world.packIn(world.home), {}, { apply: false });
  assertEquals(data.plan.filter(({ scope }) => scope === "project"), []);
  assertMatch(warnings.join(), /your home directory, so only your home was looked through/);
});

Deno.test("importAssets() leaves links to what it takes elsewhere, which no deploy could write through", async () => {
  await using world = await PackWorld.inMemory();
  await assets(world);
  const claude = join(world.home, ".claude/skills");
  await world.files.makeDirectory(claude);
  await world.files.symlink("../../.codex/skills/tidy", join(claude, "tidy"));
  await world.files.symlink("AGENTS.md", join(world.project, "CLAUDE.md"));
  const { data } = await importAssets(world.pack(), {}, { apply: true });
  const links = [
    [join(claude, "tidy"), join(world.home, ".codex/skills/tidy")],
    [join(world.project, "CLAUDE.md"), join(world.project, "AGENTS.md")],
  ];
  assertEquals(
    data.left.filter(({ reason }) => reason.includes("link")).map((
      { path, reason },
    ) => [path, reason]),
    links.map(([path, to]) => [path ?? "", `it is a link to "${to}", which is looked at itself`]),
  );
  const tidy = data.plan.filter(({ module_id }) => module_id.endsWith("tidy"));
  assertEquals(tidy.map(({ op, targets }) => [op, targets]), [["create", ["codex"]]]);
});

Deno.test("importAssets() keeps files of one name from several tools apart", async () => {
  await using world = await PackWorld.inMemory();
  await assets(world);
  await world.write(join(world.project, ".cursor/commands/pr.prompt.md"), "Another.\n");
  const { data } = await importAssets(world.pack(), {}, { apply: true });
  const prompts = data.plan.filter(({ source_path }) => source_path.endsWith("pr.prompt.md"));
  const where = join(world.repo, "modules/prompts/imported", `project-${PID}`);
  assertEquals(prompts.map(({ module_id, dest_path }) => [module_id, dest_path]), [
    [`prompt:project-${PID}-pr-prompt`, join(where, "pr.prompt.md")],
    [`prompt:project-${PID}-pr`, join(where, "vscode/pr.prompt.md")],
  ]);
});
