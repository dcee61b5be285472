import { assert, assertEquals, assertMatch } from "@std/assert";
import { dirname, join } from "@std/path";
import { sha256 } from "../../../../../src/base/hash.ts";
import { deployApply, plan, rollback } from "../../../../support/pack_calls.ts";
import { copyName } from "../../../../../src/apps/agentpack/engine/snapshot.ts";
import { assertCode } from "../../../../support/assert_code.ts";
import { deploy, setUp, snapshot, TARGETS, yes } from "../../../../support/pack_fixture.ts";
import { PackWorld } from "../../../../support/pack_world.ts";

const CODEX =
  "  codex: { mode: files, scope: both, options: { write_user_prompts: true, write_prompt_skills: false } }";

async function back(world: PackWorld, to: string) {
  world.tick();
  return await rollback(world.pack(), {}, { to });
}

Deno.test("rollback() undoes a deploy: files, modes, manifests and directories", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world);
  const first = await snapshot(world);
  await world.chmod(join(world.home, ".codex/AGENTS.md"), 0o600);
  const before = await world.tree(world.home, world.project);
  await world.write("m/alpha/AGENTS.md", "# New\n");
  await world.write("m/tidy/deep/er/new.md", "new");
  await world.files.removeTree(join(world.repo, "m/tidy/scripts"));
  await snapshot(world, { profile: "more" });
  assert(JSON.stringify(await world.tree(world.home, world.project)) !== JSON.stringify(before));
  const answer = await back(world, first);
  assertEquals(answer.data.rolled_back_to, first);
  assertEquals(await world.tree(world.home, world.project), before);
});

Deno.test("rollback() gives modes back: of changed files as before, of missing ones as recorded", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, CODEX);
  const first = await snapshot(world);
  const path = (name: string) => join(world.project, ".codex/skills/tidy", name);
  const mode = async (name: string) => ((await world.files.stat(path(name)))?.mode ?? 0) & 0o777;
  await world.write("m/tidy/SKILL.md", "---\nname: tidy\ndescription: New.\n---\n", 0o755);
  await snapshot(world);
  assertEquals(await mode("SKILL.md"), 0o755);
  await world.files.remove(path("scripts/run.sh"));
  await back(world, first);
  assertEquals(await mode("SKILL.md"), 0o644);
  assertEquals(await mode("scripts/run.sh"), 0o755);
  await world.chmod(path("SKILL.md"), 0o600);
  await back(world, first);
  assertEquals(await mode("SKILL.md"), 0o600);
});

Deno.test("rollback() writes a record of its own with backups of what it replaced (weakness 9.8)", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, "  zed: { mode: files, scope: project }");
  const first = await snapshot(world);
  await world.write("m/alpha/AGENTS.md", "# New\n");
  await snapshot(world);
  const { data } = await back(world, first);
  const directory = join(world.root, "state/snapshots", data.event_snapshot_id);
  const record = JSON.parse(await world.read(`${directory}.json`) ?? "");
  const file = join(world.project, ".rules");
  assertEquals([record.kind, record.rolled_back_to, record.backup_root, record.status], [
    "rollback",
    first,
    "",
    "complete",
  ]);
  assertEquals(record.managed_files.map((one: { path: string }) => one.path), [file]);
  assertEquals(
    record.changes.map((change: { op: string; path: string }) => [change.op, change.path]),
    [["rollback_restore", file], [
      "rollback_restore",
      join(world.project, ".agentpack.manifest.zed.json"),
    ]],
  );
  assertEquals(await world.read(join(directory, "backup/zed", copyName(file))), "# New\n");
});

Deno.test("rollback() overwrites local edits of managed files and leaves unmanaged files alone", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, CODEX);
  const first = await snapshot(world);
  await world.write(join(world.project, "AGENTS.md"), "edited\n");
  await world.write(join(world.project, ".codex/skills/own.md"), "own");
  await world.files.remove(join(world.home, ".codex/prompts/changelog.md"));
  const { warnings } = await back(world, first);
  assert(
    warnings.some((one) => one.includes("AGENTS.md") && one.includes("was edited")),
    warnings.join(),
  );
  assertEquals(await world.read(join(world.project, "AGENTS.md")), "# Alpha\n\nUse tabs.\n");
  assertEquals(await world.read(join(world.project, ".codex/skills/own.md")), "own");
  assertEquals(
    await world.read(join(world.home, ".codex/prompts/changelog.md")),
    "Write a changelog entry.\n",
  );
  assertEquals((await plan(world.reader(), {})).data.changes, []);
});

Deno.test("rollback() brings back what a later deploy took over, with mode, and links as links", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, CODEX);
  const first = await snapshot(world, { profile: "none" }).catch(() => null);
  assertEquals(first, null);
  const start = await snapshot(world, { target: "codex" });
  const mine = join(world.project, ".codex/skills/tidy/extra.md");
  const link = join(world.project, ".codex/skills/tidy/link.md");
  await world.write(mine, "mine\n", 0o640);
  await world.write(join(world.home, "real.md"), "real\n");
  await world.files.symlink(join(world.home, "real.md"), link);
  const before = await world.tree(world.home, world.project);
  await world.write("m/tidy/extra.md", "theirs\n");
  await world.write("m/tidy/link.md", "theirs\n");
  await snapshot(world, {}, true);
  assertEquals(await world.read(mine), "theirs\n");
  await back(world, start);
  assertEquals(await world.tree(world.home, world.project), before);
});

Deno.test("rollback() keeps an identical file that a later deploy took over silently", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, CODEX);
  const first = await snapshot(world);
  const mine = join(world.project, ".codex/skills/tidy/same.md");
  await world.write("m/tidy/same.md", "same\n");
  await world.write(mine, "same\n");
  await snapshot(world);
  await back(world, first);
  assertEquals(await world.read(mine), "same\n");
  assertEquals(await world.read(join(world.home, ".codex/skills/tidy/same.md")), null);
});

Deno.test("rollback() does not overwrite a file that somebody put where a managed one was", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, CODEX);
  await world.write("m/tidy/gone.md", "gone\n");
  const first = await snapshot(world);
  await world.files.remove(join(world.repo, "m/tidy/gone.md"));
  await snapshot(world);
  const foreign = join(world.project, ".codex/skills/tidy/gone.md");
  await world.write(foreign, "foreign\n");
  const answer = await back(world, first);
  assertMatch(answer.warnings.join(), /gone\.md" is not managed any more/);
  assertEquals(await world.read(foreign), "foreign\n");
  assertEquals(await world.read(join(world.home, ".codex/skills/tidy/gone.md")), "gone\n");
  const manifest = await world.read(
    join(world.project, ".codex/skills/.agentpack.manifest.codex.json"),
  );
  assertEquals(manifest?.includes("gone.md"), false);
});

Deno.test("rollback() of a run for one target restores what others had by then, and deletes none of it", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, TARGETS);
  await snapshot(world, { target: "codex" });
  const cursorOnly = await snapshot(world, { target: "cursor" });
  const before = await world.tree(world.home, world.project);
  await world.write("m/alpha/AGENTS.md", "# New\n");
  await world.write("m/tidy/later.md", "later\n");
  await snapshot(world, { target: "codex" });
  await snapshot(world, { target: "vscode" });
  const between = await world.tree(world.home, world.project);
  await back(world, cursorOnly);
  const after = await world.tree(world.home, world.project);
  for (const [path, file] of Object.entries(before)) {
    // The manifest of a root with a later file keeps that entry.
    if (!path.endsWith("skills/.agentpack.manifest.codex.json")) {
      assertEquals(after[path], file, path);
    }
  }
  const later = Object.keys(between).filter((path) => before[path] === undefined);
  assertEquals(later.map((path) => path.replace(world.project, ".").replace(world.home, "~")), [
    "~/.codex/skills/tidy/later.md",
    "./.codex/skills/tidy/later.md",
    "./.github/",
    "./.github/.agentpack.manifest.vscode.json",
    "./.github/copilot-instructions.md",
    "./.github/prompts/",
    "./.github/prompts/.agentpack.manifest.vscode.json",
    "./.github/prompts/changelog.prompt.md",
  ]);
  for (const path of later) assertEquals(after[path], between[path], path);
  assertEquals((await plan(world.reader(), { target: "codex" })).data.summary, {
    create: 0,
    update: 2,
    delete: 0,
  });
});

Deno.test("rollback() of a run for one target leaves another target alone that came later", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, TARGETS);
  const codexOnly = await snapshot(world, { target: "codex" });
  await snapshot(world, { target: "cursor" });
  const both = await world.tree(world.home, world.project);
  await back(world, codexOnly);
  assertEquals(await world.tree(world.home, world.project), both);
});

Deno.test("rollback() touches neither another project nor its records (weakness 9.2 b)", async () => {
  await using world = await PackWorld.make();
  await setUp(world, "  codex: { mode: files, scope: project }");
  const first = await snapshot(world);
  const other = join(world.directory, "other");
  await world.files.makeDirectory(other);
  await world.git(other, "init", "--quiet", "--template=");
  world.tick();
  await world.write("m/alpha/AGENTS.md", "# New\n");
  await deployApply(world.packIn(other), {}, { adopt: false, approve: yes });
  await deploy(world);
  const theirs = await world.tree(other);
  assertEquals(theirs[join(other, "AGENTS.md")]?.text, "# New\n");
  await back(world, first);
  assertEquals(await world.tree(other), theirs);
  assertEquals(await world.read(join(world.project, "AGENTS.md")), "# Alpha\n\nUse tabs.\n");
});

Deno.test("rollback() removes directories that deploys since made for its files, and no other empty one", async () => {
  await using world = await PackWorld.make();
  await setUp(world, "  codex: { mode: files, scope: project }");
  const first = await snapshot(world);
  const tidy = (...parts: string[]) => join(world.project, ".codex/skills/tidy", ...parts);
  await world.files.makeDirectory(tidy("mine"));
  const other = join(world.directory, "other");
  await world.files.makeDirectory(other);
  await world.git(other, "init", "--quiet", "--template=");
  const before = await world.tree(world.project);
  await world.write("m/tidy/mine/new.md", "new\n");
  await world.write("m/tidy/made/deep/new.md", "new\n");
  await snapshot(world);
  assertEquals(await world.read(tidy("made/deep/new.md")), "new\n");
  world.tick();
  await deployApply(world.packIn(other), {}, { adopt: false, approve: yes });
  await world.files.remove(join(other, ".codex/skills/tidy/scripts/run.sh"));
  const theirs = await world.tree(other);
  await back(world, first);
  assertEquals(await world.tree(world.project), before);
  assertEquals(await world.tree(other), theirs);
});

Deno.test("rollback() can go forward again, and a rollback between does not confuse it", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, CODEX);
  const ids: string[] = [];
  const states: string[] = [];
  for (const text of ["one\n", "two\n", "three\n"]) {
    await world.write("m/changelog.md", text);
    await world.write(`m/tidy/${text.trim()}.md`, text);
    ids.push(await snapshot(world));
    states.push(JSON.stringify(await world.tree(world.home, world.project)));
  }
  for (const index of [0, 2, 1, 0, 1, 2]) {
    await back(world, ids[index] ?? "");
    assertEquals(JSON.stringify(await world.tree(world.home, world.project)), states[index]);
  }
});

Deno.test("rollback() names unknown ids, and refuses rollbacks, failures and names that are no ids", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, "  zed: { mode: files, scope: project }");
  const first = await snapshot(world);
  for (const id of ["1", "../../x", "", `${first}/../${first}`]) {
    await assertCode("E_SNAPSHOT_NOT_FOUND", () => back(world, id), {
      snapshot_id: id,
      available: [first],
      next_actions: ["list_snapshots", "retry_command"],
    });
  }
  const { data } = await back(world, first);
  await assertCode("E_SNAPSHOT_INVALID", () => back(world, data.event_snapshot_id), {
    rolled_back_to: first,
  });
  const record = join(world.root, "state/snapshots", `${first}.json`);
  await world.write(record, (await world.read(record) ?? "").replace('"complete"', '"failed"'));
  await assertCode("E_SNAPSHOT_INVALID", () => back(world, first), { status: "failed" });
});

Deno.test("rollback() refuses damaged copies before it touches anything", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, CODEX);
  const first = await snapshot(world);
  await world.write("m/alpha/AGENTS.md", "# New\n");
  await snapshot(world);
  const file = join(world.project, "AGENTS.md");
  const copy = join(world.root, "state/snapshots", first, "state/codex", copyName(file));
  const before = await world.tree(world.home, world.project);
  await world.write(copy, "altered");
  await assertCode("E_SNAPSHOT_INVALID", () => back(world, first), {
    snapshot_id: first,
    path: file,
  });
  await world.files.remove(copy);
  await assertCode("E_SNAPSHOT_INVALID", () => back(world, first), { path: file });
  assertEquals(await world.tree(world.home, world.project), before);
});

Deno.test("rollback() skips records that cannot be read, with a warning", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, "  zed: { mode: files, scope: project }");
  const first = await snapshot(world);
  await world.write(join(world.root, "state/snapshots/123.json"), "{");
  const answer = await back(world, first);
  assertMatch(answer.warnings.join(), /123\.json" is ignored/);
});

/** A record, copies and manifest as other programs of this contract write them: without our fields. */
async function foreignRecord(
  world: PackWorld,
  id: string,
  options: {
    readonly files: Readonly<Record<string, string>>;
    readonly kept: boolean;
    readonly changes: unknown[];
  },
): Promise<void> {
  const directory = join(world.root, "state/snapshots", id);
  const manifest = join(world.project, ".codex/skills/.agentpack.manifest.codex.json");
  const text = `${
    JSON.stringify({
      schema_version: 1,
      generated_at: "2026-02-03T08:15:30.123456789Z",
      tool: "codex",
      snapshot_id: id,
      managed_files: Object.entries(options.files).map(([path, content]) => ({
        path: path.slice(dirname(manifest).length + 1),
        sha256: sha256(content),
      })),
    })
  }\n`;
  await world.write(manifest, text);
  const record = {
    kind: "deploy",
    id,
    created_at: "2026-02-03T08:15:30.123456789Z",
    targets: ["codex"],
    managed_files: Object.entries(options.files).map(([path, content]) => ({
      target: "codex",
      path,
      sha256: sha256(content),
    })),
    changes: [
      ...options.changes,
      { target: "codex", op: "update", path: manifest, after_sha256: sha256(text) },
    ],
    lockfile_sha256: null,
    backup_root: join(directory, "backup"),
  };
  await world.write(`${directory}.json`, JSON.stringify(record));
  for (const [path, content] of Object.entries({ ...options.files, [manifest]: text })) {
    if (options.kept) await world.write(join(directory, "state/codex", copyName(path)), content);
    await world.write(path, path === manifest ? text : content);
  }
}

Deno.test("rollback() reads records of other versions: roots come from the manifests they wrote", async () => {
  await using world = await PackWorld.inMemory();
  const path = (name: string) => join(world.project, ".codex/skills", name);
  await foreignRecord(world, "1000", {
    files: { [path("a/SKILL.md")]: "one" },
    kept: true,
    changes: [{
      target: "codex",
      op: "create",
      path: path("a/SKILL.md"),
      after_sha256: sha256("one"),
    }],
  });
  const first = await world.tree(world.project);
  await foreignRecord(world, "2000", {
    files: { [path("a/SKILL.md")]: "two", [path("b/SKILL.md")]: "new" },
    kept: true,
    changes: [
      { target: "codex", op: "update", path: path("a/SKILL.md") },
      { target: "codex", op: "create", path: path("b/SKILL.md") },
    ],
  });
  await world.write(path("unmanaged.md"), "mine");
  await back(world, "1000");
  assertEquals(await world.tree(world.project), {
    ...first,
    [path("unmanaged.md")]: { text: "mine", mode: "644" },
  });
});

Deno.test("rollback() of the oldest records undoes what came after from the backups", async () => {
  await using world = await PackWorld.inMemory();
  const path = (name: string) => join(world.project, ".codex/skills", name);
  await foreignRecord(world, "1000", {
    files: { [path("a.md")]: "one" },
    kept: false,
    changes: [],
  });
  const backup = join(world.root, "state/snapshots/2000/backup/codex", copyName(path("a.md")));
  await foreignRecord(world, "2000", {
    files: { [path("a.md")]: "two", [path("b.md")]: "new" },
    kept: false,
    changes: [
      {
        target: "codex",
        op: "update",
        path: path("a.md"),
        before_sha256: sha256("one"),
        after_sha256: sha256("two"),
        backup_path: backup,
      },
      { target: "codex", op: "create", path: path("b.md"), after_sha256: sha256("new") },
    ],
  });
  await world.write(backup, "one");
  await back(world, "1000");
  assertEquals(await world.read(path("a.md")), "one");
  assertEquals(await world.read(path("b.md")), null);
});
