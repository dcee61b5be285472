import { assertEquals, assertStringIncludes } from "@std/assert";
import { basename, join } from "@std/path";
import { bootstrap, init, plan, rollback, status } from "../../../../support/pack_calls.ts";
import type { Scope } from "../../../../../src/apps/agentpack/names.ts";
import { operatorVersion } from "../../../../../src/apps/agentpack/operator/assets.ts";
import { readFrontMatter } from "../../../../../src/apps/agentpack/module/syntax.ts";
import { assertCode } from "../../../../support/assert_code.ts";
import { deploy, setUp, snapshot, yes } from "../../../../support/pack_fixture.ts";
import { PackWorld } from "../../../../support/pack_world.ts";
import { splitWords } from "../../../../../src/base/text/shells.ts";
import { lineProblem } from "../../../../support/spoken.ts";

const BOTH = "  codex: { mode: files, scope: both }\n  claude_code: { mode: files, scope: both }";

function install(
  world: PackWorld,
  options: { scope?: Scope; dryRun?: boolean; adopt?: boolean } = {},
) {
  world.tick();
  return bootstrap(options.dryRun ? world.reader() : world.pack(), {}, {
    scope: "both",
    dryRun: false,
    adopt: false,
    approve: yes,
    ...options,
  });
}

Deno.test("bootstrap() installs two skills for codex and nine commands for claude_code per scope", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, BOTH);
  const { data } = await install(world, { scope: "user" });
  assertEquals([data.applied, data.scope, data.targets], [true, "user", ["claude_code", "codex"]]);
  assertEquals(data.changes.map((change) => change.path.replace(world.home, "~")), [
    ...["deploy", "diff", "doctor", "evolve", "explain", "plan", "preview", "status", "update"]
      .map((name) => `~/.claude/commands/ap-${name}.md`),
    "~/.codex/skills/agentpack-operator/SKILL.md",
    "~/.codex/skills/amof/SKILL.md",
  ]);
  for (const change of data.changes) {
    const text = await world.read(change.path) ?? "";
    assertEquals(operatorVersion(text), "0.1.0", change.path);
    assertEquals((await readFrontMatter(text)).kind, "mapping", change.path);
  }
  assertEquals((await install(world, { scope: "user" })).data.reason, "no_changes");
});

Deno.test("the skill for many repositories names what agents do, and when a person is asked", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, BOTH);
  await install(world, { scope: "user" });
  const text = await world.read(join(world.home, ".codex/skills/amof/SKILL.md")) ?? "";
  const row = (words: string) =>
    text.split("\n").find((line) => line.startsWith(`| \`${words}\` |`))?.split(" | ")[1];
  assertEquals(["status", "sync", "push", "discard"].map(row), [
    "reads",
    "at once",
    "asks",
    "asks for the name",
  ]);
  // What lets others run something is for people alone.
  assertEquals([row("exec trust"), row("mcp install"), row("doctor")], [
    undefined,
    undefined,
    undefined,
  ]);
  assertStringIncludes(text, "amof confirm TOKEN");
});

Deno.test("every command line that the skill for many repositories names is one that the program takes", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, BOTH);
  await install(world, { scope: "user" });
  const text = await world.read(join(world.home, ".codex/skills/amof/SKILL.md")) ?? "";
  const lines = [...text.matchAll(/`amof ([^`]+)`/g)].map(([, line]) => line ?? "");
  assertEquals(lines.length > 20, true);
  for (const line of lines) assertEquals(await lineProblem(splitWords(line) ?? []), null, line);
  for (const subject of ["Modes", "Tickets", "Programs", "Undo"]) {
    assertStringIncludes(text, `\n## ${subject}\n`);
  }
  // What it is longer than, agents do not read in one go.
  assertEquals(new TextEncoder().encode(text).length < 12_000, true);
});

Deno.test("bootstrap() and init let each command run the one line that it needs, and none that changes files", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, BOTH);
  const { data } = await install(world, { scope: "user" });
  const allowed: Record<string, unknown> = {};
  for (const { path } of data.changes.filter(({ target }) => target === "claude_code")) {
    const text = await world.read(path) ?? "";
    const matter = await readFrontMatter(text);
    const [, line] = /^Run `(.*)` and read/m.exec(text) ?? [];
    const grant = matter.kind === "mapping" ? matter.fields["allowed-tools"] : null;
    assertEquals(grant, `Bash(${line})`, path);
    allowed[basename(path)] = line;
  }
  assertEquals(allowed, {
    "ap-deploy.md": "agentpack deploy --json",
    "ap-diff.md": "agentpack diff --json",
    "ap-doctor.md": "agentpack doctor --json",
    "ap-evolve.md": "agentpack evolve propose --dry-run --json",
    "ap-explain.md": "agentpack explain plan --json",
    "ap-plan.md": "agentpack plan --json",
    "ap-preview.md": "agentpack preview --diff --json",
    "ap-status.md": "agentpack status --json",
    "ap-update.md": "agentpack update --yes --json",
  });
  await using fresh = await PackWorld.inMemory();
  await init(fresh.pack(), {}, { git: false, bootstrap: false, guided: null });
  const own = await fresh.read(join(fresh.repo, "modules/claude-commands/ap-plan.md")) ?? "";
  assertStringIncludes(own, '"Bash(agentpack plan --json)"');
  // Editors check the configuration by the schema beside it.
  const config = await fresh.read(join(fresh.repo, "agentpack.yaml")) ?? "";
  const [, schema = ""] = /^# yaml-language-server: \$schema=\.\/(\S+)\n/.exec(config) ?? [];
  const { title } = JSON.parse(await fresh.read(join(fresh.repo, schema)) ?? "");
  assertEquals(title, "agentpack.yaml in a config repo");
});

Deno.test("bootstrap() keeps to the scopes and options of the targets, and a dry run writes nothing", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(
    world,
    "  claude_code: { mode: files, scope: project, options: { write_repo_skills: true } }\n  zed: { mode: files, scope: project }",
  );
  const before = await world.tree(world.home, world.project, world.root);
  const dry = await install(world, { dryRun: true });
  assertEquals([dry.data.applied, dry.data.reason, dry.data.summary.create], [
    false,
    "dry_run",
    11,
  ]);
  assertEquals(await world.tree(world.home, world.project, world.root), before);
  await install(world);
  assertEquals(
    operatorVersion(
      await world.read(join(world.project, ".claude/skills/agentpack-operator/SKILL.md")) ?? "",
    ),
    "0.1.0",
  );
});

Deno.test("bootstrap() and deploy leave each other's files alone (weakness 9.3)", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, BOTH);
  await deploy(world);
  await install(world);
  assertEquals((await plan(world.reader(), {})).data.changes, []);
  assertEquals((await deploy(world)).data.reason, "no_changes");
  await world.write("m/ship.md", "---\ndescription: New\n---\n");
  await deploy(world);
  assertEquals((await install(world)).data.reason, "no_changes");
  const listed = JSON.parse(
    await world.read(join(world.home, ".claude/commands/.agentpack.manifest.claude_code.json")) ??
      "",
  );
  assertEquals(listed.managed_files.length, 10);
  assertEquals((await status(world.reader(), {})).data.drift, []);
  await deploy(world, { profile: "none" });
  assertEquals(await world.read(join(world.home, ".claude/commands/ship.md")), null);
  assertEquals(await world.read(join(world.home, ".claude/commands/ap-plan.md")) === null, false);
});

Deno.test("bootstrap() does not overwrite a file of somebody else without adopt", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, BOTH);
  const file = join(world.home, ".claude/commands/ap-plan.md");
  await world.write(file, "mine\n");
  await assertCode("E_ADOPT_CONFIRM_REQUIRED", () => install(world), { sample_paths: [file] });
  assertEquals(await world.read(file), "mine\n");
  await install(world, { adopt: true });
  // A file with our mark is ours, even without a manifest.
  await world.files.remove(
    join(world.home, ".claude/commands/.agentpack.manifest.claude_code.json"),
  );
  await world.write(file, "---\nagentpack_version: 0.0.1\n---\n");
  const { data } = await install(world);
  assertEquals(data.changes.map((change) => change.update_kind), ["managed_update"]);
});

Deno.test("bootstrap() is undone by a rollback to the deploy before it", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, BOTH);
  const first = await snapshot(world);
  const before = await world.tree(world.home, world.project);
  const id = (await install(world)).data.snapshot_id ?? "";
  const after = await world.tree(world.home, world.project);
  world.tick();
  await rollback(world.pack(), {}, { to: first });
  assertEquals(await world.tree(world.home, world.project), before);
  world.tick();
  await rollback(world.pack(), {}, { to: id });
  assertEquals(await world.tree(world.home, world.project), after);
});

Deno.test("operatorVersion() reads the first line with the mark, without quotes and comment ends", () => {
  assertEquals(
    operatorVersion('x\n<!-- agentpack_version: "1.2" -->\nagentpack_version: 3\n'),
    "1.2",
  );
  assertEquals(operatorVersion("agentpack_version: 0.9.1\r\n"), "0.9.1");
  assertEquals(operatorVersion("agentpack_version:\n"), null);
  assertEquals(operatorVersion("none\n"), null);
});
