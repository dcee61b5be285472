import { assertEquals, assertStringIncludes } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import {
  deployApply,
  overlayEdit,
  type OverlayEditOptions,
  overlayPath,
  overlayRebase,
  plan,
} from "../../../../support/pack_calls.ts";
import { fsKey } from "../../../../../src/apps/agentpack/identity.ts";
import { hashTree, treeHash } from "../../../../../src/apps/agentpack/source/tree.ts";
import { assertCode } from "../../../../support/assert_code.ts";
import { PackWorld } from "../../../../support/pack_world.ts";

const SKILL = "---\nname: tidy\ndescription: Sort imports.\n---\n";
const LINES = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n";

async function setUp(world: PackWorld, source = "{ local_path: { path: m } }"): Promise<void> {
  await world.config(
    `version: 1\nprofiles: { default: { include_tags: [base] } }\n` +
      `targets: { codex: { mode: files, scope: user } }\nmodules:\n` +
      `  - { id: "skill:tidy", type: skill, tags: [base], source: ${source} }\n`,
  );
  await world.write("m/SKILL.md", SKILL);
  await world.write("m/a.md", LINES);
  await world.write("m/run.sh", "run\n", 0o755);
}

const KEY = fsKey("skill:tidy");

function edit(world: PackWorld, options: Partial<OverlayEditOptions> = {}) {
  return overlayEdit(world.pack(), {}, {
    module_id: "skill:tidy",
    scope: "global",
    sparse: false,
    materialize: false,
    ...options,
  });
}

function rebase(world: PackWorld, options = {}) {
  const wanted = {
    module_id: "skill:tidy",
    scope: "global",
    sparsify: false,
    dryRun: false,
    ...options,
  } as const;
  return overlayRebase(wanted.dryRun ? world.reader() : world.pack(), {}, wanted);
}

Deno.test("overlayEdit() copies upstream with its modes and records what it was", async () => {
  await using world = await PackWorld.make();
  await setUp(world);
  const revision = await world.commitRepo();
  const directory = join(world.repo, "overlays", KEY);
  assertEquals((await edit(world)).data, {
    module_id: "skill:tidy",
    scope: "global",
    overlay_dir: directory,
    overlay_dir_posix: directory,
    overlay_kind: "dir",
    created: true,
    sparse: false,
    materialized: false,
    patches_dir: null,
    project: false,
    machine_id: null,
    project_id: null,
  });
  const tree = await world.tree(directory);
  assertEquals(tree[join(directory, "run.sh")], { text: "run\n", mode: "755" });
  assertEquals(tree[join(directory, ".agentpack/module_id")]?.text, "skill:tidy\n");
  assertEquals(JSON.parse(tree[join(directory, ".agentpack/overlay.json")]?.text ?? ""), {
    overlay_kind: "dir",
  });
  const facts = await hashTree(world.system.files, join(world.repo, "m"));
  assertEquals(JSON.parse(tree[join(directory, ".agentpack/baseline.json")]?.text ?? ""), {
    version: 2,
    created_at: "2026-02-03T08:15:30Z",
    upstream_sha256: treeHash(facts),
    file_manifest: facts,
    upstream: {
      kind: "local_path",
      repo_rel_path: "m",
      repo_git_rev: revision,
      repo_dirty: false,
    },
  });
  assertEquals((await edit(world)).data.created, false);
});

Deno.test("overlayEdit() begins with what the lower overlays make of upstream", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world);
  const global = await edit(world, { sparse: true });
  await world.write(join(global.data.overlay_dir, "a.md"), "from everybody's overlay\n");
  await world.write(join(global.data.overlay_dir, "more.md"), "more\n", 0o755);
  const { data } = await edit(world, { scope: "project" });
  const tree = await world.tree(data.overlay_dir);
  assertEquals(tree[join(data.overlay_dir, "a.md")]?.text, "from everybody's overlay\n");
  assertEquals(tree[join(data.overlay_dir, "more.md")], { text: "more\n", mode: "755" });
  assertEquals((await plan(world.reader(), {})).data.changes.length, 4);
  const without = await edit(world, { scope: "machine", sparse: true });
  await edit(world, { scope: "machine", materialize: true });
  assertEquals(await world.read(join(without.data.overlay_dir, "more.md")), "more\n");
});

Deno.test("overlayEdit() keeps sparse overlays empty and can fill them later", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world);
  const { data } = await edit(world, { scope: "machine", sparse: true });
  assertEquals([data.sparse, data.machine_id], [true, "box"]);
  const listed = async () =>
    (await world.system.files.list(data.overlay_dir)).map((entry) => entry.name);
  assertEquals(await listed(), [".agentpack"]);
  await world.write(join(data.overlay_dir, "a.md"), "mine\n");
  const filled = await edit(world, { scope: "machine", materialize: true });
  assertEquals(filled.data.materialized, true);
  assertEquals(await listed(), [".agentpack", "SKILL.md", "a.md", "run.sh"]);
  assertEquals(await world.read(join(data.overlay_dir, "a.md")), "mine\n");
});

Deno.test("overlayEdit() with kind patch makes a place for patches and refuses override files", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world);
  const { data } = await edit(world, { scope: "project", kind: "patch" });
  const directory = join(world.repo, "projects/ae2752b5775071e2/overlays", KEY);
  assertEquals([data.overlay_dir, data.patches_dir, data.project, data.project_id], [
    directory,
    join(directory, ".agentpack/patches"),
    true,
    "ae2752b5775071e2",
  ]);
  await edit(world);
  await assertCode("E_CONFIG_INVALID", () => edit(world, { kind: "patch" }), {
    module_id: "skill:tidy",
    scope: "global",
  });
  await world.write(join(directory, ".agentpack/patches/a.md.patch"), "x");
  await assertCode("E_CONFIG_INVALID", () => edit(world, { scope: "project", kind: "dir" }));
});

Deno.test("overlayEdit() of an unknown module is refused, overlayPath() is not", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world);
  await assertCode("E_CONFIG_INVALID", () => edit(world, { module_id: "skill:no" }), {
    module_id: "skill:no",
  });
  const directory = join(world.repo, "overlays/machines/box", fsKey("skill:no"));
  const answer = await overlayPath(world.reader(), {}, { module_id: "skill:no", scope: "machine" });
  assertEquals(answer.data, {
    module_id: "skill:no",
    scope: "machine",
    overlay_dir: directory,
    overlay_dir_posix: directory,
  });
});

Deno.test("overlayRebase() names what is missing", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world);
  const directory = join(world.repo, "overlays", KEY);
  await assertCode("E_OVERLAY_NOT_FOUND", () => rebase(world), { overlay_dir: directory });
  await world.write(join(directory, "a.md"), "x");
  await assertCode("E_OVERLAY_BASELINE_MISSING", () => rebase(world), {
    overlay_dir: directory,
    baseline_path: join(directory, ".agentpack/baseline.json"),
  });
});

Deno.test("overlayRebase() needs a revision to merge from", async () => {
  await using world = await PackWorld.make();
  await setUp(world);
  await edit(world);
  await assertCode("E_OVERLAY_BASELINE_UNSUPPORTED", () => rebase(world), {
    next_actions: ["init_git_repo", "commit_or_stash", "run_overlay_edit", "retry_command"],
  });
  await world.commitRepo();
  const path = join(world.repo, "overlays", KEY, ".agentpack/baseline.json");
  await world.files.remove(path);
  await world.write("m/a.md", "not committed\n");
  await edit(world);
  await world.write(join(world.repo, "overlays", KEY, "a.md"), "mine\n");
  await world.write("m/a.md", "again\n");
  await assertCode("E_OVERLAY_BASELINE_UNSUPPORTED", () => rebase(world), { path: "a.md" });
});

/** An overlay in which each thing occurs that a rebase tells apart, with upstream moved on. */
async function table(world: PackWorld): Promise<string> {
  await setUp(world);
  for (const name of ["gone_same", "gone_changed", "follow", "still", "equal", "merge"]) {
    await world.write(`m/${name}.md`, LINES);
  }
  await world.commitRepo();
  const { data } = await edit(world);
  const overlay = (name: string, text: string) => world.write(join(data.overlay_dir, name), text);
  await overlay("gone_changed.md", "mine\n");
  await overlay("still.md", "mine\n");
  await overlay("equal.md", "same\n");
  await overlay("merge.md", LINES.replace("two", "TWO"));
  await overlay("own.md", "own\n");
  await world.files.remove(join(world.repo, "m/gone_same.md"));
  await world.files.remove(join(world.repo, "m/gone_changed.md"));
  await world.write("m/follow.md", "new\n");
  await world.write("m/equal.md", "same\n");
  await world.write("m/merge.md", LINES.replace("eight", "EIGHT"));
  return data.overlay_dir;
}

Deno.test("overlayRebase() follows the table of the contract for whole files", async () => {
  await using world = await PackWorld.make();
  const directory = await table(world);
  const dry = await rebase(world, { dryRun: true });
  const { data } = await rebase(world);
  assertEquals({ ...dry.data, dry_run: false }, data);
  assertEquals(data.report, {
    updated: ["follow.md", "merge.md"],
    deleted: ["gone_same.md"],
    skipped: ["gone_changed.md", "own.md"],
    conflicts: [],
    summary: {
      processed_files: 10,
      updated_files: 2,
      deleted_files: 1,
      skipped_files: 2,
      conflict_files: 0,
    },
  });
  assertEquals(
    await world.read(join(directory, "merge.md")),
    LINES.replace("two", "TWO").replace("eight", "EIGHT"),
  );
  assertEquals(await world.read(join(directory, "gone_same.md")), null);
  assertEquals(await world.read(join(directory, "still.md")), "mine\n");
  assertEquals((await plan(world.reader(), {})).warnings, []);
  await world.commitRepo();
  assertEquals((await rebase(world)).data.report.summary.updated_files, 0);
});

Deno.test("overlayRebase() with sparsify removes files that say nothing of their own", async () => {
  await using world = await PackWorld.make();
  const directory = await table(world);
  const { data } = await rebase(world, { sparsify: true });
  assertEquals(data.report.deleted, [
    "SKILL.md",
    "a.md",
    "equal.md",
    "follow.md",
    "gone_same.md",
    "run.sh",
  ]);
  assertEquals(
    (await world.system.files.list(directory)).map((entry) => entry.name),
    [".agentpack", "gone_changed.md", "merge.md", "own.md", "still.md"],
  );
});

Deno.test("overlayRebase() marks every conflict and counts files, not places (weakness 9.5)", async () => {
  await using world = await PackWorld.make();
  await setUp(world);
  await world.commitRepo();
  const { data } = await edit(world);
  await world.write(
    join(data.overlay_dir, "a.md"),
    LINES.replace("two", "zwei").replace("eight", "acht"),
  );
  await world.write("m/a.md", LINES.replace("two", "deux").replace("eight", "huit"));
  // A person at a terminal is shown the same before they are asked, and so learns how to go on.
  await assertCode("E_OVERLAY_REBASE_CONFLICT", () => rebase(world, { dryRun: true }), {
    hint: "Nothing was written; repeat with --yes to get the marks, then settle them",
  });
  const error = await assertCode("E_OVERLAY_REBASE_CONFLICT", () => rebase(world), {
    module_id: "skill:tidy",
    scope: "global",
    dry_run: false,
    sparsify: false,
    conflicts: ["a.md"],
    next_actions: ["resolve_overlay_conflicts", "retry_overlay_rebase"],
  });
  assertEquals(error.details?.["summary"], {
    processed_files: 3,
    updated_files: 0,
    deleted_files: 0,
    skipped_files: 0,
    conflict_files: 1,
  });
  const text = await world.read(join(data.overlay_dir, "a.md")) ?? "";
  assertStringIncludes(text, "<<<<<<< overlay\nzwei\n=======\ndeux\n>>>>>>> upstream\n");
  assertStringIncludes(text, "<<<<<<< overlay\nacht\n=======\nhuit\n>>>>>>> upstream\n");
});

Deno.test("what a rebase could not merge is deployed by nobody, and no later rebase passes over it", async () => {
  await using world = await PackWorld.make();
  await setUp(world);
  await world.write("m/logo", new Uint8Array([255, 1]));
  await world.commitRepo();
  const { data } = await edit(world);
  const [text, logo] = ["a.md", "logo"].map((name) => join(data.overlay_dir, name));
  const aside = join(data.overlay_dir, ".agentpack/conflicts/logo");
  await world.write(text ?? "", LINES.replace("two", "zwei"));
  await world.write(logo ?? "", new Uint8Array([255, 2]));
  await world.write("m/a.md", LINES.replace("two", "deux"));
  await world.write("m/logo", new Uint8Array([255, 3]));
  const conflict_files = [aside, text];
  for (let again = 0; again < 2; again++) {
    const error = await assertCode("E_OVERLAY_REBASE_CONFLICT", () => rebase(world), {
      conflicts: ["a.md", "logo"],
      conflict_files,
    });
    assertStringIncludes(error.message, text ?? "");
  }
  assertEquals(await world.files.readBytes(aside), new Uint8Array([255, 3]));
  for (const act of [() => plan(world.reader(), {}), () => deployApply(world.pack(), {})]) {
    const error = await assertCode("E_OVERLAY_REBASE_CONFLICT", act, {
      module_id: "skill:tidy",
      scope: "global",
      overlay_dir: data.overlay_dir,
      conflict_files,
    });
    assertStringIncludes(error.message, aside);
  }
  // A text that only speaks of markers, and a copy that somebody took into account, are no conflicts.
  await world.write(text ?? "", "Between <<<<<<< HEAD\n=======\n>>>>>>> main stand both sides\n");
  await world.files.remove(aside);
  await plan(world.reader(), {});
  assertEquals((await rebase(world)).data.report.conflicts, []);
});

Deno.test("overlayRebase() rewrites patches against the new upstream, and drops what became empty", async () => {
  await using world = await PackWorld.make();
  await setUp(world);
  await world.write("m/deep/b.md", "b\n");
  await world.commitRepo();
  const { data } = await edit(world, { kind: "patch" });
  const patch = (name: string) => join(data.overlay_dir, ".agentpack/patches", `${name}.patch`);
  await world.write(
    patch("a.md"),
    "--- a/a.md\n+++ b/a.md\n@@ -1,4 +1,4 @@\n one\n-two\n+TWO\n three\n four\n",
  );
  await world.write(patch("deep/b.md"), "--- a/deep/b.md\n+++ b/deep/b.md\n@@ -1 +1 @@\n-b\n+B\n");
  await world.write("m/a.md", `zero\n${LINES}`);
  await world.write("m/deep/b.md", "B\n");
  await world.commitRepo();
  const { data: done } = await rebase(world);
  assertEquals([done.report.updated, done.report.deleted], [["a.md"], ["deep/b.md"]]);
  assertEquals(
    await world.read(patch("a.md")),
    "--- a/a.md\n+++ b/a.md\n@@ -1,6 +1,6 @@\n zero\n one\n-two\n+TWO\n three\n four\n five\n",
  );
  assertEquals(
    await world.system.files.stat(join(data.overlay_dir, ".agentpack/patches/deep")),
    null,
  );
  await world.write("m/a.md", LINES.replace("two", "deux"));
  await assertCode("E_OVERLAY_REBASE_CONFLICT", () => rebase(world), { conflicts: ["a.md"] });
  assertStringIncludes(
    await world.read(join(data.overlay_dir, ".agentpack/conflicts/a.md")) ?? "",
    "<<<<<<< overlay\nTWO\n=======\ndeux\n",
  );
  const aside = join(data.overlay_dir, ".agentpack/conflicts/a.md");
  await assertCode("E_OVERLAY_REBASE_CONFLICT", () => rebase(world), { conflict_files: [aside] });
  await assertCode("E_OVERLAY_REBASE_CONFLICT", () => plan(world.reader(), {}));
  // What somebody made of it becomes the patch.
  await world.write(aside, LINES.replace("two", "TWO deux"));
  await world.commitRepo();
  assertEquals((await rebase(world)).data.report.updated, ["a.md"]);
  assertStringIncludes(await world.read(patch("a.md")) ?? "", "-deux\n+TWO deux\n");
  assertEquals(await world.read(aside), null);
  await plan(world.reader(), {});
});

Deno.test("overlayRebase() of a git module merges from the checkout of its baseline", async () => {
  await using world = await PackWorld.make();
  const seed = join(world.directory, "assets");
  await world.files.makeDirectory(seed);
  await world.git(seed, "init", "--quiet", "--initial-branch=main", "--template=");
  const commit = async (text: string) => {
    await world.write(join(seed, "s/SKILL.md"), SKILL + text);
    await world.git(seed, "add", "-A");
    await world.git(seed, "commit", "--quiet", "-m", "x");
  };
  await commit(LINES);
  await setUp(world, `{ git: { url: "${toFileUrl(seed).href}", subdir: s } }`);
  const { data } = await edit(world);
  await world.write(join(data.overlay_dir, "SKILL.md"), SKILL + LINES.replace("two", "TWO"));
  await commit(LINES.replace("nine", "NINE"));
  await rebase(world);
  assertEquals(
    await world.read(join(data.overlay_dir, "SKILL.md")),
    SKILL + LINES.replace("two", "TWO").replace("nine", "NINE"),
  );
});
