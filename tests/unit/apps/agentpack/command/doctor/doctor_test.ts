import { assert, assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import {
  doctor,
  listOrphans,
  removeOrphans,
  rollback,
  status,
} from "../../../../../support/pack_calls.ts";
import { fsKey } from "../../../../../../src/apps/agentpack/identity.ts";
import { assertCode } from "../../../../../support/assert_code.ts";
import { deploy, setUp, snapshot, yes } from "../../../../../support/pack_fixture.ts";
import { PackWorld } from "../../../../../support/pack_world.ts";

const ZED = "  zed: { mode: files, scope: project }";

Deno.test("doctor() reports each root with what is wrong and what would help", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(
    world,
    "  codex: { mode: files, scope: user, options: { write_user_prompts: true, write_prompt_skills: false } }",
  );
  await world.write(join(world.home, ".codex/prompts"), "a file");
  const { data } = await doctor(world.reader(), {}, { fix: false });
  const root = (name: string) => join(world.home, ".codex", name);
  assertEquals(data.machine_id, "box");
  assertEquals(data.roots, [
    {
      target: "codex",
      root: join(world.home, ".codex"),
      root_posix: join(world.home, ".codex"),
      exists: true,
      writable: true,
      scan_extras: false,
      issues: [],
      suggestion: null,
    },
    {
      target: "codex",
      root: root("prompts"),
      root_posix: root("prompts"),
      exists: true,
      writable: false,
      scan_extras: true,
      issues: ["not_a_directory"],
      suggestion: `move the file away: mv ${root("prompts")} ${root("prompts.old")}`,
    },
    {
      target: "codex",
      root: root("skills"),
      root_posix: root("skills"),
      exists: false,
      writable: true,
      scan_extras: true,
      issues: ["missing"],
      suggestion: `create directory: mkdir -p ${root("skills")}`,
    },
  ]);
  assertEquals(data.next_actions, [`mkdir -p ${root("skills")}`]);
});

Deno.test("doctor() says where it may not write, without trying (weakness 9.22)", async () => {
  await using world = await PackWorld.make();
  await setUp(world, ZED);
  const { files } = world.system;
  const pack = world.pack({
    ...world.system,
    files: { ...files, isWritable: (path) => Promise.resolve(path !== world.project) },
  });
  const { data } = await doctor(pack, {}, { fix: false });
  assertEquals([data.roots[0]?.writable, data.roots[0]?.issues], [false, ["not_writable"]]);
});

Deno.test("doctor() with fix adds the manifests to .gitignore, once per repository", async () => {
  await using world = await PackWorld.make();
  await setUp(world, "  codex: { mode: files, scope: project }");
  await world.write(join(world.project, ".gitignore"), "node_modules");
  const found = await doctor(world.reader(), {}, { fix: false });
  assertMatch(found.warnings.join(), /\.agentpack\.manifest\*\.json/);
  assert(found.data.next_actions?.includes("agentpack doctor --fix --yes --json"));
  assertEquals(found.data.gitignore_fixes, []);
  const fixed = await doctor(world.pack(), {}, { fix: true });
  const path = join(world.project, ".gitignore");
  assertEquals(fixed.data.gitignore_fixes, [{
    repo_root: world.project,
    repo_root_posix: world.project,
    gitignore_path: path,
    gitignore_path_posix: path,
    updated: true,
  }]);
  assertEquals(await world.read(path), "node_modules\n.agentpack.manifest*.json\n");
  const again = await doctor(world.pack(), {}, { fix: true });
  assertEquals(again.data.gitignore_fixes, []);
  await world.write(path, "node_modules\r\ndist");
  await doctor(world.pack(), {}, { fix: true });
  assertEquals(await world.read(path), "node_modules\r\ndist\r\n.agentpack.manifest*.json\r\n");
});

Deno.test("doctor() finds broken modules, but a broken configuration is an error", async () => {
  await using world = await PackWorld.make();
  await setUp(
    world,
    "  codex: { mode: files, scope: user, options: { write_user_prompts: true, write_prompt_skills: false } }",
  );
  await world.files.remove(join(world.repo, "m/tidy/SKILL.md"));
  const { data, warnings } = await doctor(world.reader(), {}, { fix: false });
  assertEquals(data.findings.map(({ kind, module_id, code }) => [kind, module_id, code]), [
    ["module", "skill:tidy", "E_CONFIG_INVALID"],
    // No target is configured that writes the command.
    ["no_effect", undefined, undefined],
  ]);
  assertEquals(data.roots.length, 3);
  assertMatch(warnings.join(), /skill:tidy/);
  await world.config("version: 9\n");
  await assertCode(
    "E_CONFIG_UNSUPPORTED_VERSION",
    () => doctor(world.reader(), {}, { fix: false }),
  );
});

Deno.test("doctor() finds overlays in two places, of other modules, and at paths that are files", async () => {
  await using world = await PackWorld.make();
  await setUp(world, ZED);
  const key = fsKey("skill:tidy");
  await world.write(`overlays/${key}/.agentpack/module_id`, "skill:other\n");
  await world.write("overlays/skill:tidy/x", "x");
  await world.write(`overlays/machines/box/${key}`, "a file");
  const { data } = await doctor(world.reader(), {}, { fix: false });
  const messages = data.findings.filter((finding) => finding.kind === "overlay")
    .map((finding) => finding.message);
  assertEquals(messages.length, 3);
  assert(
    messages.every((text) => /^overlay layout \((global|machine)\) module skill:tidy/.test(text)),
  );
});

Deno.test("doctor() looks at git, the lockfile, and what was cut short", async () => {
  await using world = await PackWorld.make();
  await setUp(world, ZED);
  await world.write(
    "agentpack.lock.json",
    JSON.stringify({
      version: 1,
      generated_at: "x",
      modules: [{
        id: "skill:gone",
        type: "skill",
        resolved_source: { local_path: { path: "x" }, git: null },
        resolved_version: "local",
        sha256: "",
        file_manifest: [],
      }],
    }),
  );
  await world.write(
    join(world.root, "state/journal.json"),
    JSON.stringify({
      version: 1,
      snapshot_id: "1",
      phase: "preparing",
      steps: [],
      created_directories: [],
      prune: [],
    }),
  );
  const kinds = async () =>
    (await doctor(world.reader(), {}, { fix: false })).data.findings.map((finding) => finding.kind);
  // Zed reads neither skills nor prompts nor commands.
  const silent = ["no_effect", "no_effect", "no_effect"];
  assertEquals(await kinds(), ["lockfile", "state", ...silent]);
  assertMatch((await status(world.reader(), {})).warnings.join(), /cut short/);
  const fixed = await doctor(world.pack(), {}, { fix: true });
  assertMatch(fixed.warnings.join(), /has been taken back/);
  assertEquals(await kinds(), ["lockfile", ...silent]);
});

Deno.test("removeOrphans() deletes what a removed target left behind, and can be undone (weakness 9.4)", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(
    world,
    "  cursor: { mode: files, scope: project }\n  vscode: { mode: files, scope: project }",
  );
  const first = await snapshot(world);
  const before = await world.tree(world.project);
  await world.write(join(world.project, ".github/workflows/ci.yml"), "mine");
  await setUp(world, "  cursor: { mode: files, scope: project }");
  assertMatch(
    (await status(world.reader(), {})).warnings.join(),
    /\.github" of vscode is no longer/,
  );
  const listed = (await listOrphans(world.reader(), {})).data.orphans;
  assertEquals(listed.map(({ target, root, files }) => [target, root, files.length]), [
    ["vscode", join(world.project, ".github"), 1],
    ["vscode", join(world.project, ".github/prompts"), 1],
  ]);
  world.tick();
  await world.write(join(world.project, ".github/prompts/changelog.prompt.md"), "edited\n");
  const removed = await removeOrphans(world.pack(), {}, { approve: yes });
  assertEquals(removed.data.applied, true);
  assertMatch(removed.warnings.join(), /changelog\.prompt\.md" was edited/);
  assertEquals(await world.read(join(world.project, ".github/copilot-instructions.md")), null);
  assertEquals(await world.read(join(world.project, ".github/workflows/ci.yml")), "mine");
  assertEquals((await listOrphans(world.reader(), {})).data.orphans, []);
  world.tick();
  await world.files.remove(join(world.project, ".github/prompts/changelog.prompt.md"));
  await rollback(world.pack(), {}, { to: first });
  const {
    [join(world.project, ".github/workflows/")]: _d,
    [join(world.project, ".github/workflows/ci.yml")]: _f,
    ...now
  } = await world.tree(world.project);
  assertEquals(now, before);
});

Deno.test("listOrphans() does not count roots of other projects, or operator files", async () => {
  await using world = await PackWorld.make();
  await setUp(world, "  codex: { mode: files, scope: project }");
  await deploy(world);
  const other = world.directory + "/other";
  await world.files.makeDirectory(other);
  await world.git(other, "init", "--quiet", "--template=");
  assertEquals((await listOrphans(world.packIn(other), {})).data.orphans, []);
});
