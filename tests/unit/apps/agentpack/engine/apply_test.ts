import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { sha256 } from "../../../../../src/base/hash.ts";
import { deployApply, plan, preview, status } from "../../../../support/pack_calls.ts";
import {
  applyDeployment,
  prepareDeployment,
} from "../../../../../src/apps/agentpack/engine/deployment.ts";
import { withHomeLock } from "../../../../../src/apps/agentpack/engine/journal.ts";
import { copyName } from "../../../../../src/apps/agentpack/engine/snapshot.ts";
import { AgentpackError, confirmRequired } from "../../../../../src/apps/agentpack/error.ts";
import { homeOf } from "../../../../../src/apps/agentpack/identity.ts";
import { assertCode } from "../../../../support/assert_code.ts";
import { deploy, setUp, snapshot, TARGETS, yes } from "../../../../support/pack_fixture.ts";
import { PackWorld } from "../../../../support/pack_world.ts";

const CODEX =
  "  codex: { mode: files, scope: both, options: { write_user_prompts: true, write_prompt_skills: false } }";

async function changes(world: PackWorld, selection = {}): Promise<string[]> {
  const { data } = await plan(world.reader(), selection);
  return data.changes.map((change) =>
    `${change.op}${change.update_kind ? ` ${change.update_kind}` : ""} ${
      change.path.replace(world.project, ".").replace(world.home, "~")
    }: ${change.reason}`
  );
}

Deno.test("plan() tells of prompts that were deployed where Codex no longer looks, and makes skills of them", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, CODEX);
  await deploy(world);
  await setUp(world, "  codex: { mode: files, scope: both }");
  const { data, warnings } = await plan(world.reader(), {});
  assertEquals(data.changes.map(({ op, path }) => `${op} ${path.replace(world.home, "~")}`), [
    "create ~/.codex/skills/changelog/SKILL.md",
  ]);
  assertMatch(
    warnings.join("\n"),
    /prompts" of codex is no longer configured but still has 1 deployed file; see: orphans remove/,
  );
});

Deno.test("copyName() gives the vector of appendix A", () => {
  assertEquals(copyName("/home/dev/.codex/AGENTS.md"), "5e70ee38d4721295");
});

Deno.test("plan() is empty after deployApply(), and the second deploy does nothing", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world);
  assert((await plan(world.reader(), {})).data.changes.length > 0);
  const first = await deploy(world);
  assertEquals(first.data.applied, true);
  assertEquals((await plan(world.reader(), {})).data, {
    profile: "default",
    targets: ["claude_code", "codex", "cursor", "vscode"],
    changes: [],
    summary: { create: 0, update: 0, delete: 0 },
  });
  const second = await deploy(world);
  assertEquals([second.data.applied, second.data.reason], [false, "no_changes"]);
  assertEquals(second.data.snapshot_id, undefined);
});

Deno.test("plan() names creates, managed updates, adoptions and deletions, sorted by target and path", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, CODEX);
  await deploy(world);
  await world.files.remove(join(world.home, ".codex/prompts/changelog.md"));
  await world.write("m/alpha/AGENTS.md", "# New\n");
  await world.write("m/tidy/more.md", "more");
  await world.files.removeTree(join(world.repo, "m/tidy/scripts"));
  await world.write(join(world.project, ".codex/skills/tidy/more.md"), "mine");
  assertEquals(await changes(world), [
    "update managed_update ~/.codex/AGENTS.md: content differs",
    "create ~/.codex/prompts/changelog.md: file missing",
    "create ~/.codex/skills/tidy/more.md: file missing",
    "delete ~/.codex/skills/tidy/scripts/run.sh: no longer managed",
    "update adopt_update ./.codex/skills/tidy/more.md: would overwrite unmanaged existing file",
    "delete ./.codex/skills/tidy/scripts/run.sh: no longer managed",
    "update managed_update ./AGENTS.md: content differs",
  ]);
  const { data } = await plan(world.reader(), {});
  assertEquals(data.summary, { create: 2, update: 3, delete: 2 });
});

Deno.test("plan() marks files that were edited since they were deployed (weakness 9.8)", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, CODEX);
  await deploy(world);
  await world.write(join(world.project, "AGENTS.md"), "edited\n");
  const answer = await plan(world.reader(), {});
  const [change] = answer.data.changes;
  assertEquals([change?.locally_modified, change?.update_kind], [true, "managed_update"]);
  assertMatch(answer.warnings.join(), /AGENTS\.md" was edited/);
});

Deno.test("plan() refuses a directory or a file in the way", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, CODEX);
  await world.files.makeDirectory(join(world.project, "AGENTS.md"));
  await assertCode("E_IO_INVALID_PATH", () => plan(world.reader(), {}), {
    path: join(world.project, "AGENTS.md"),
    reason_code: "io_invalid_path",
  });
  await world.files.remove(join(world.project, "AGENTS.md"));
  await world.write(join(world.home, ".codex"), "a file");
  await assertCode("E_IO_INVALID_PATH", () => plan(world.reader(), {}), {
    io_kind: "not_a_directory",
  });
});

Deno.test("plan() says that a path is too long", async () => {
  await using world = await PackWorld.inMemory();
  const id = `skill:${"x".repeat(300)}`;
  await setUp(
    world,
    CODEX,
    `\n  - { id: "${id}", type: skill, tags: [base], source: { local_path: { path: m/tidy } } }`,
  );
  await assertCode("E_IO_PATH_TOO_LONG", () => plan(world.reader(), {}), {
    reason_code: "io_path_too_long",
  });
});

Deno.test("preview() gives the diff of each change below its root", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, CODEX);
  await deploy(world);
  await world.write("m/changelog.md", "Write two.\n");
  await world.files.removeTree(join(world.repo, "m/tidy/scripts"));
  const { data } = await preview(world.reader(), {}, { diff: true });
  const root = join(world.home, ".codex/prompts");
  assertEquals(data.diff?.files.find((file) => file.root === root), {
    target: "codex",
    op: "update",
    root,
    root_posix: root,
    path: "changelog.md",
    path_posix: "changelog.md",
    before_hash: `sha256:${sha256("Write a changelog entry.\n")}`,
    after_hash: `sha256:${sha256("Write two.\n")}`,
    unified:
      "--- a/changelog.md\n+++ b/changelog.md\n@@ -1 +1 @@\n-Write a changelog entry.\n+Write two.\n",
  });
  const gone = data.diff?.files.find((file) => file.op === "delete");
  assertEquals(gone?.after_hash, null);
  assertMatch(
    gone?.unified ?? "",
    /^--- a\/tidy\/scripts\/run\.sh\n\+\+\+ \/dev\/null\n@@ -1,2 \+0,0 @@/,
  );
  assertEquals((await preview(world.reader(), {}, { diff: false })).data.diff, undefined);
});

Deno.test("preview() leaves out diffs of binary and of long files, with a warning", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, CODEX);
  await world.write("m/tidy/image.bin", new Uint8Array([0xff, 0xfe]));
  await world.write("m/changelog.md", "x".repeat(102_401));
  const answer = await preview(world.reader(), {}, { diff: true });
  const without = answer.data.diff?.files.filter((file) => file.unified === undefined);
  assertEquals(without?.map((file) => file.path), [
    "changelog.md",
    "tidy/image.bin",
    "tidy/image.bin",
  ]);
  assertEquals(answer.warnings.length, 3);
});

Deno.test("deployApply() asks before the adopt check, and writes nothing when refused", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, CODEX);
  await world.write(join(world.project, "AGENTS.md"), "mine\n");
  const before = await world.tree(world.home, world.project);
  await assertCode(
    "E_CONFIRM_REQUIRED",
    () =>
      deployApply(world.pack(), {}, {
        adopt: false,
        approve: (id) => Promise.reject(confirmRequired(id)),
      }),
    { command: "deploy --apply", next_actions: ["retry_with_yes"] },
  );
  await assertCode("E_ADOPT_CONFIRM_REQUIRED", () => deploy(world), {
    flag: "--adopt",
    adopt_updates: 1,
    sample_paths: [join(world.project, "AGENTS.md")],
    next_actions: ["retry_with_adopt"],
  });
  assertEquals(await world.tree(world.home, world.project), before);
});

Deno.test("deployApply() with adopt overwrites an unmanaged file and keeps its backup", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, CODEX);
  const file = join(world.project, "AGENTS.md");
  await world.write(file, "mine\n", 0o600);
  const id = await snapshot(world, {}, true);
  assertEquals(await world.read(file), "# Alpha\n\nUse tabs.\n");
  assertEquals(((await world.files.stat(file))?.mode ?? 0) & 0o777, 0o600);
  const backup = join(world.root, "state/snapshots", id, "backup/codex", copyName(file));
  assertEquals(await world.read(backup), "mine\n");
});

Deno.test("deployApply() takes over an identical unmanaged file silently, and then it is recorded", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, "  zed: { mode: files, scope: project }");
  await world.write(join(world.project, ".rules"), "# Alpha\n\nUse tabs.\n");
  assertEquals(await changes(world), []);
  assertEquals((await deploy(world)).data.applied, true);
  assertEquals((await deploy(world)).data.reason, "no_changes");
  const manifest = await world.read(join(world.project, ".agentpack.manifest.zed.json"));
  assertEquals(JSON.parse(manifest ?? "").managed_files, [{
    path: ".rules",
    sha256: sha256("# Alpha\n\nUse tabs.\n"),
    module_ids: ["instructions:alpha"],
  }]);
});

Deno.test("deployApply() records a file that was right already, though nothing else changes", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(
    world,
    "  codex: { mode: files, scope: user, options: { write_user_prompts: true, write_prompt_skills: false } }",
  );
  await deploy(world);
  const extra = join(world.home, ".codex/skills/tidy/extra.md");
  await world.write("m/tidy/extra.md", "same\n");
  await world.write(extra, "same\n");
  const answer = await deploy(world);
  assertEquals([answer.data.applied, answer.data.changes], [true, []]);
  assertEquals((await status(world.reader(), {})).data.drift, []);
  assertEquals((await deploy(world)).data.reason, "no_changes");
});

Deno.test("deployApply() writes manifests in the format of the contract, one per root", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, CODEX);
  const id = await snapshot(world);
  const read = async (path: string) => await world.read(join(world.home, ".codex", path));
  assertEquals(
    await read("prompts/.agentpack.manifest.codex.json"),
    `{
  "schema_version": 1,
  "generated_at": "2026-02-03T08:15:31.123000000Z",
  "tool": "codex",
  "snapshot_id": "${id}",
  "managed_files": [
    {
      "path": "changelog.md",
      "sha256": "57053da4370099720c5df5293d71bf16c4266f540533a7809d3f587c9d912d5b",
      "module_ids": [
        "prompt:changelog"
      ]
    }
  ]
}
`,
  );
  const paths = (text: string | null) =>
    JSON.parse(text ?? "").managed_files.map((file: { path: string }) => file.path);
  assertEquals(paths(await read(".agentpack.manifest.codex.json")), ["AGENTS.md"]);
  assertEquals(paths(await read("skills/.agentpack.manifest.codex.json")), [
    "tidy/SKILL.md",
    "tidy/scripts/run.sh",
  ]);
});

Deno.test("deployApply() writes a snapshot record with copies of what is managed and what was replaced", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, "  zed: { mode: files, scope: project }");
  await world.write("agentpack.lock.json", '{"version":1,"generated_at":"x","modules":[]}');
  await deploy(world);
  await world.write("m/alpha/AGENTS.md", "# New\n");
  const id = await snapshot(world);
  const file = join(world.project, ".rules");
  const manifest = join(world.project, ".agentpack.manifest.zed.json");
  const directory = join(world.root, "state/snapshots", id);
  const record = JSON.parse(await world.read(`${directory}.json`) ?? "");
  const manifestText = await world.read(manifest) ?? "";
  const copy = join(directory, "backup/zed", copyName(manifest));
  assertEquals(record, {
    kind: "deploy",
    id,
    created_at: "2026-02-03T08:15:32.123000000Z",
    targets: ["zed"],
    managed_files: [{ target: "zed", path: file, sha256: sha256("# New\n"), mode: "0644" }],
    changes: [
      {
        target: "zed",
        op: "update",
        path: file,
        before_sha256: sha256("# Alpha\n\nUse tabs.\n"),
        after_sha256: sha256("# New\n"),
        backup_path: join(directory, "backup/zed", copyName(file)),
        before_mode: "0644",
      },
      {
        target: "zed",
        op: "update",
        path: manifest,
        before_sha256: sha256(await world.read(copy) ?? ""),
        after_sha256: sha256(manifestText),
        backup_path: copy,
        before_mode: "0644",
      },
    ],
    lockfile_sha256: sha256('{"version":1,"generated_at":"x","modules":[]}'),
    backup_root: join(directory, "backup"),
    schema_version: 1,
    repo: world.repo,
    project_root: world.project,
    project_id: "ae2752b5775071e2",
    machine_id: "box",
    profile: "default",
    target_filter: "all",
    roots: [{ target: "zed", root: world.project }],
    created_directories: [],
    status: "complete",
  });
  assertEquals(await world.read(join(directory, "state/zed", copyName(file))), "# New\n");
  assertEquals(await world.read(join(directory, "state/zed", copyName(manifest))), manifestText);
  assertEquals(
    await world.read(join(directory, "backup/zed", copyName(file))),
    "# Alpha\n\nUse tabs.\n",
  );
});

Deno.test("deployApply() gives new files 0644 or 0755 and keeps the mode of existing ones (weakness 9.6)", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(
    world,
    "  codex: { mode: files, scope: user, options: { write_user_prompts: true, write_prompt_skills: false } }",
  );
  await deploy(world);
  const mode = async (path: string) =>
    ((await world.files.stat(join(world.home, ".codex/skills/tidy", path)))?.mode ?? 0) & 0o777;
  assertEquals(await mode("SKILL.md"), 0o644);
  assertEquals(await mode("scripts/run.sh"), 0o755);
  await world.chmod(join(world.home, ".codex/skills/tidy/SKILL.md"), 0o640);
  await world.chmod(join(world.home, ".codex/skills/tidy/scripts/run.sh"), 0o600);
  await world.write("m/tidy/SKILL.md", "---\nname: tidy\ndescription: New.\n---\n");
  await world.write("m/tidy/scripts/run.sh", "#!/bin/sh\necho new\n");
  await deploy(world);
  assertEquals(await mode("SKILL.md"), 0o640);
  assertEquals(await mode("scripts/run.sh"), 0o700);
});

Deno.test("deployApply() removes directories that its deletions empty, and no others (weakness 9.14)", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(
    world,
    "  codex: { mode: files, scope: user, options: { write_user_prompts: true, write_prompt_skills: false } }",
  );
  await deploy(world);
  const skills = join(world.home, ".codex/skills");
  await world.write(join(skills, "own/keep.md"), "mine");
  await world.files.makeDirectory(join(skills, "empty"));
  await deploy(world, { profile: "none" });
  assertEquals(Object.keys(await world.tree(skills)).map((path) => path.slice(skills.length + 1)), [
    ".agentpack.manifest.codex.json",
    "empty/",
    "own/",
    "own/keep.md",
  ]);
});

Deno.test("deployApply() replaces a linked destination by a file and says so", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, "  zed: { mode: files, scope: project }");
  const elsewhere = join(world.home, "rules.md");
  await world.write(elsewhere, "linked\n");
  await world.files.symlink(elsewhere, join(world.project, ".rules"));
  const planned = await plan(world.reader(), {});
  assertEquals(planned.data.changes[0]?.is_symlink, true);
  const answer = await deploy(world, {}, true);
  assertMatch(answer.warnings.join(), /is a link; it would be replaced by a file/);
  assertEquals((await world.files.lstat(join(world.project, ".rules")))?.kind, "file");
  assertEquals(await world.read(elsewhere), "linked\n");
});

Deno.test("deployApply() respects a linked root but no linked directory that leads out of a root", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(
    world,
    "  codex: { mode: files, scope: user, options: { write_user_prompts: true, write_prompt_skills: false } }",
  );
  const dotfiles = join(world.home, "dotfiles");
  await world.files.makeDirectory(dotfiles);
  await world.files.symlink(dotfiles, join(world.home, ".codex"));
  await deploy(world);
  assertEquals(await world.read(join(dotfiles, "AGENTS.md")), "# Alpha\n\nUse tabs.\n");
  await world.files.removeTree(join(dotfiles, "skills/tidy"));
  await world.files.symlink(world.project, join(dotfiles, "skills/tidy"));
  await world.write(join(world.project, "SKILL.md"), "# Another\n");
  const before = await world.tree(world.home, world.project);
  const link = join(world.home, ".codex/skills/tidy");
  const { warnings } = await plan(world.reader(), {});
  assertEquals(
    warnings.filter((one) => one.startsWith(`"${link}" is a link that leads out`)).length,
    1,
  );
  const error = await assertCode("E_IO_INVALID_PATH", () => deploy(world));
  assertEquals(
    error.details?.["hint"],
    "Move the link away: a deploy makes a directory in its place",
  );
  assertEquals(await world.tree(world.home, world.project), before);
  await world.files.remove(link);
  await deploy(world);
  assertEquals((await world.files.lstat(link))?.kind, "directory");
});

Deno.test("applyDeployment() stops and undoes when a destination moved since the plan", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, CODEX);
  await deploy(world);
  await world.write("m/alpha/AGENTS.md", "# New\n");
  await world.write("m/changelog.md", "New\n");
  const deployment = await prepareDeployment(world.pack(), {});
  await world.write(join(world.project, "AGENTS.md"), "edited in between\n");
  const before = await world.tree(world.home, world.project);
  const home = homeOf(world.system.env);
  await assertCode(
    "E_PLAN_STALE",
    () => withHomeLock(world.system, home, (held) => applyDeployment(held, deployment)),
    { path: join(world.project, "AGENTS.md") },
  );
  assertEquals(await world.tree(world.home, world.project), before);
});

Deno.test("applyDeployment() checks each destination again right before it writes", async () => {
  await using world = await PackWorld.make();
  await setUp(world, CODEX);
  await deploy(world);
  await world.write("m/alpha/AGENTS.md", "# New\n");
  const target = join(world.project, "AGENTS.md");
  const { files } = world.system;
  // Somebody edits the second destination while the first is being written.
  const racing = world.pack({
    ...world.system,
    files: {
      ...files,
      async rename(from, to) {
        await files.rename(from, to);
        if (to.endsWith(".codex/AGENTS.md")) await Deno.writeTextFile(target, "raced\n");
      },
    },
  });
  const before = await world.tree(world.home, world.project);
  await assertCode(
    "E_PLAN_STALE",
    () => deployApply(racing, {}, { adopt: false, approve: yes }),
    { path: target },
  );
  assertEquals(await world.tree(world.home, world.project), {
    ...before,
    [target]: { text: "raced\n", mode: before[target]?.mode ?? "" },
  });
});

Deno.test("applyDeployment() does not follow a directory that becomes a link on the way", async () => {
  await using world = await PackWorld.make();
  await setUp(world, CODEX);
  await deploy(world);
  await world.write("m/alpha/AGENTS.md", "# New\n");
  await world.write("m/tidy/more.md", "more");
  const { files } = world.system;
  const skills = join(world.home, ".codex/skills/tidy");
  const elsewhere = join(world.home, "elsewhere");
  const racing = world.pack({
    ...world.system,
    files: {
      ...files,
      async rename(from, to) {
        await files.rename(from, to);
        if (!to.endsWith(".codex/AGENTS.md")) return;
        await Deno.rename(skills, elsewhere);
        await Deno.symlink(elsewhere, skills);
      },
    },
  });
  await assertRejects(
    () => deployApply(racing, {}, { adopt: false, approve: yes }),
    AgentpackError,
  );
  await assertRejects(() => Deno.stat(join(elsewhere, "more.md")), Deno.errors.NotFound);
});

Deno.test("applyDeployment() reads what it has written, and undoes where that is something else", async () => {
  await using world = await PackWorld.make();
  await setUp(world, CODEX);
  await deploy(world);
  await world.write("m/alpha/AGENTS.md", "# New\n");
  const target = join(world.project, "AGENTS.md");
  const { files } = world.system;
  const lying = world.pack({
    ...world.system,
    files: {
      ...files,
      async rename(from, to) {
        await files.rename(from, to);
        if (to === target) await Deno.writeTextFile(target, "# Ne");
      },
    },
  });
  await assertCode("E_UNEXPECTED", () => deployApply(lying, {}, { adopt: false, approve: yes }));
});

Deno.test("withHomeLock() lets only one change at a time, and names who holds it", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world);
  const home = homeOf(world.system.env);
  await withHomeLock(world.system, home, async () => {
    await assertCode("E_LOCK_HELD", () => deploy(world), {
      pid: Deno.pid,
      path: home.lock,
      next_actions: ["retry_later"],
    });
  });
  assertEquals((await deploy(world)).data.applied, true);
});

Deno.test("deployApply() run twice at once is applied once", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world);
  const results = await Promise.allSettled([deploy(world), deploy(world), deploy(world)]);
  const applied = results.filter((result) =>
    result.status === "fulfilled" && result.value.data.applied
  );
  assertEquals(applied.length, 1);
  for (const result of results) {
    if (result.status === "rejected") {
      assert(result.reason instanceof AgentpackError);
      assertEquals(result.reason.code, "E_LOCK_HELD");
    }
  }
  assertEquals((await plan(world.reader(), {})).data.changes, []);
});

Deno.test("deployApply() flushes file and directory when AGENTPACK_FSYNC asks for it", async () => {
  await using world = await PackWorld.inMemory({ env: { AGENTPACK_FSYNC: "on" } });
  await setUp(world, "  zed: { mode: files, scope: project }");
  const flushed: string[] = [];
  const { files } = world.system;
  const pack = world.pack({
    ...world.system,
    files: {
      ...files,
      create(path, content, options) {
        if (options?.flush) flushed.push(path.startsWith(world.root) ? "copy" : "file");
        return files.create(path, content, options);
      },
      flushDirectory(path) {
        flushed.push(path.startsWith(world.root) ? "copies" : path);
        return files.flushDirectory(path);
      },
    },
  });
  await deployApply(pack, {}, { adopt: false, approve: yes });
  assertEquals(flushed, ["copy", "copy", "copies", "file", world.project, "file", world.project]);
});

Deno.test("plan() starts two git processes, however much there is", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world);
  const started: string[] = [];
  const { processes } = world.system;
  const pack = world.pack({
    ...world.system,
    processes: {
      ...processes,
      run(request) {
        started.push(request.args.filter((arg) => !arg.includes(".") && arg !== "-c").join(" "));
        return processes.run(request);
      },
    },
  });
  await plan(pack, {});
  assertEquals(started, ["rev-parse --show-toplevel", "remote get-url --end-of-options origin"]);
});

Deno.test("plan() on a read-only world writes nothing", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, TARGETS);
  const before = await world.tree(world.home, world.project, world.root);
  await plan(world.reader(), {});
  await preview(world.reader(), {}, { diff: true });
  assertEquals(await world.tree(world.home, world.project, world.root), before);
  await assertRejects(() => deployApply(world.reader(), {}, { adopt: true, approve: yes }));
});
