import { bytesOf, decodeText, hashOf } from "../../../../../src/apps/agentpack/content.ts";
import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { loadConfig } from "../../../../../src/apps/agentpack/config/config.ts";
import {
  detectProject,
  fsKey,
  homeOf,
  unboundedFsKey,
} from "../../../../../src/apps/agentpack/identity.ts";
import {
  type ComposedModule,
  composeModule,
} from "../../../../../src/apps/agentpack/module/compose.ts";
import { treeHash } from "../../../../../src/apps/agentpack/source/tree.ts";
import { assertCode } from "../../../../support/assert_code.ts";
import { PackWorld } from "../../../../support/pack_world.ts";

async function setUp(
  world: PackWorld,
  type: string,
  path: string,
  id = `${type}:x`,
): Promise<void> {
  await world.config(
    `version: 1\nprofiles: { default: {} }\nmodules:\n  - id: "${id}"\n    type: ${type}\n` +
      `    source: { local_path: { path: "${path}" } }\n`,
  );
}

async function compose(world: PackWorld): Promise<ComposedModule> {
  const pack = world.reader();
  const home = homeOf(world.system.env);
  const [module] = (await loadConfig(world.system.files, home.config)).modules;
  if (module === undefined) throw new Error("no module");
  const project = await detectProject(pack);
  return await composeModule({ pack, home, project, machineId: "box", lockfile: null }, module);
}

function shown(module: ComposedModule): Record<string, string> {
  return Object.fromEntries(
    [...module.files].map(([path, file]) => [
      path,
      `${file.layer}${file.executable ? "*" : ""}: ${
        decodeText(bytesOf(file.bytes) ?? new Uint8Array()) ?? "?"
      }`,
    ]),
  );
}

const SKILL = "---\nname: tidy\ndescription: Sort imports.\n---\nText\n";
const PROJECT = "ae2752b5775071e2";

Deno.test("composeModule() copies upstream with dotfiles and execute bits, without reserved names", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, "skill", "m");
  await world.write("m/SKILL.md", SKILL);
  await world.write("m/.hidden", "h");
  await world.write("m/run.sh", "r", 0o755);
  await world.write("m/.git/HEAD", "g");
  await world.write("m/sub/.agentpack/x", "a");
  assertEquals(shown(await compose(world)), {
    ".hidden": "upstream: h",
    "SKILL.md": `upstream: ${SKILL}`,
    "run.sh": "upstream*: r",
  });
});

Deno.test("composeModule() takes a single file under its own name, and resolves a linked root", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, "prompt", "linked/p.md");
  await world.write("real/p.md", "p");
  await world.files.symlink("real", join(world.repo, "linked"));
  assertEquals(shown(await compose(world)), { "p.md": "upstream: p" });
});

Deno.test("composeModule() lays global, machine and project overlays over upstream, in that order", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, "skill", "m");
  const key = fsKey("skill:x");
  for (const name of ["SKILL.md", "global.md", "machine.md", "project.md"]) {
    await world.write(`m/${name}`, name === "SKILL.md" ? SKILL : "up");
  }
  for (const name of ["global.md", "machine.md", "project.md", "only_global.md"]) {
    await world.write(`overlays/${key}/${name}`, "G");
  }
  for (const name of ["machine.md", "project.md"]) {
    await world.write(`overlays/machines/box/${key}/${name}`, "M", 0o755);
  }
  await world.write(`overlays/machines/other/${key}/machine.md`, "not this machine");
  await world.write(`projects/${PROJECT}/overlays/${key}/project.md`, "P");
  assertEquals(shown(await compose(world)), {
    "SKILL.md": `upstream: ${SKILL}`,
    "global.md": "global: G",
    "machine.md": "machine*: M",
    "only_global.md": "global: G",
    "project.md": "project: P",
  });
});

Deno.test("composeModule() reads older overlay directory names, the newest first", async () => {
  await using world = await PackWorld.inMemory();
  const id = `prompt:${"long".repeat(20)}`;
  await setUp(world, "prompt", "p.md", id);
  await world.write("p.md", "up");
  const text = async () => shown(await compose(world))["p.md"];
  await world.write(`overlays/${id}/p.md`, "verbatim");
  assertEquals(await text(), "global: verbatim");
  await world.write(`overlays/${unboundedFsKey(id)}/p.md`, "unbounded");
  assertEquals(await text(), "global: unbounded");
  await world.write(`overlays/${fsKey(id)}/p.md`, "canonical");
  assertEquals(await text(), "global: canonical");
});

Deno.test("composeModule() finds project overlays under the plain spelling of an ssh origin, and warns", async () => {
  await using world = await PackWorld.make();
  await world.git(
    world.project,
    "remote",
    "set-url",
    "origin",
    "ssh://git@github.com/example/example.git",
  );
  await setUp(world, "prompt", "p.md");
  await world.write("p.md", "up");
  await world.write(`projects/${PROJECT}/overlays/${fsKey("prompt:x")}/p.md`, "mine");
  const module = await compose(world);
  assertEquals(shown(module)["p.md"], "project: mine");
  assertMatch(module.warnings.join(), /ae2752b5775071e2/);
});

Deno.test("composeModule() applies patch overlays in sorted order", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, "skill", "m");
  await world.write("m/SKILL.md", SKILL);
  await world.write("m/a/run.sh", "one\ntwo\n", 0o755);
  const overlay = `overlays/${fsKey("skill:x")}/.agentpack`;
  await world.write(`${overlay}/overlay.json`, '{"overlay_kind":"patch"}');
  await world.write(
    `${overlay}/patches/a/run.sh.patch`,
    "--- a/a/run.sh\n+++ b/a/run.sh\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n",
  );
  assertEquals(shown(await compose(world))["a/run.sh"], "global*: one\nTWO\n");
});

Deno.test("composeModule() says why a patch is refused or does not fit", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, "prompt", "p.md");
  await world.write("p.md", "one\n");
  const overlay = join(world.repo, "overlays", fsKey("prompt:x"));
  const patch = join(overlay, ".agentpack/patches/p.md.patch");
  await world.write(join(overlay, ".agentpack/overlay.json"), '{"overlay_kind":"patch"}');
  await world.write(patch, "--- a/p.md\n+++ b/p.md\n@@ -1 +1 @@\n-two\n+TWO\n");
  const failed = await assertCode("E_OVERLAY_PATCH_APPLY_FAILED", () => compose(world), {
    module_id: "prompt:x",
    scope: "global",
    overlay_dir: overlay,
    patch_file: patch,
    relpath: "p.md",
    next_actions: ["regenerate_patch", "switch_to_dir_overlay", "retry_command"],
  });
  assertMatch(String(failed.details?.["stderr"]), /Hunk 1/);
  await world.write(patch, "--- /dev/null\n+++ b/p.md\n@@ -0,0 +1 @@\n+x\n");
  await assertCode("E_CONFIG_INVALID", () => compose(world), { relpath: "p.md" });
  await world.write(patch, new Uint8Array([0xff]));
  await assertCode("E_CONFIG_INVALID", () => compose(world), { relpath: "p.md" });
  await world.files.remove(patch);
  await world.write(
    join(overlay, ".agentpack/patches/no.md.patch"),
    "--- a/no.md\n+++ b/no.md\n@@ -1 +1 @@\n-a\n+b\n",
  );
  await assertCode("E_CONFIG_INVALID", () => compose(world), { relpath: "no.md" });
});

Deno.test("composeModule() refuses overlays whose kind and files contradict each other, below ~/.agentpack too (weakness 9.1)", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, "prompt", "p.md");
  await world.write("p.md", "one\n");
  const overlay = join(world.repo, "overlays", fsKey("prompt:x"));
  const details = { module_id: "prompt:x", scope: "global", overlay_dir: overlay };
  await world.write(join(overlay, "p.md"), "override");
  await world.write(join(overlay, ".agentpack/overlay.json"), '{"overlay_kind":"patch"}');
  await assertCode("E_CONFIG_INVALID", () => compose(world), details);
  await world.write(join(overlay, ".agentpack/patches/p.md.patch"), "x");
  await world.write(join(overlay, ".agentpack/overlay.json"), "{}");
  await assertCode("E_CONFIG_INVALID", () => compose(world), details);
  await world.files.remove(join(overlay, "p.md"));
  await assertCode("E_CONFIG_INVALID", () => compose(world), details);
  await world.write(join(overlay, ".agentpack/overlay.json"), "{");
  await assertCode("E_CONFIG_INVALID", () => compose(world), {
    overlay_dir: overlay,
    meta_path: join(overlay, ".agentpack/overlay.json"),
  });
});

Deno.test("composeModule() warns about upstream changes since the baseline, file by file or in general", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, "skill", "m");
  await world.write("m/SKILL.md", SKILL);
  await world.write("m/more.md", "more");
  const overlay = `overlays/${fsKey("skill:x")}`;
  await world.write(`${overlay}/SKILL.md`, SKILL);
  const baseline = (sha: string) =>
    JSON.stringify({
      version: 1,
      created_at: "2026-02-03T08:15:30Z",
      upstream_sha256: "0".repeat(64),
      file_manifest: [{ path: "SKILL.md", sha256: sha, bytes: 1 }],
    });
  await world.write(`${overlay}/.agentpack/baseline.json`, baseline("f".repeat(64)));
  assertEquals((await compose(world)).warnings.length, 1);
  assertMatch(
    (await compose(world)).warnings[0] ?? "",
    /changed "SKILL\.md" of "skill:x".* global /,
  );
  const facts = (await compose(world)).files.get("SKILL.md");
  const same = hashOf(facts?.bytes ?? new Uint8Array());
  await world.write(`${overlay}/.agentpack/baseline.json`, baseline(same));
  assertMatch((await compose(world)).warnings[0] ?? "", /^Upstream of "skill:x" changed/);
  const { hashTree } = await import("../../../../../src/apps/agentpack/source/tree.ts");
  const tree = treeHash(await hashTree(world.system.files, join(world.repo, "m")));
  await world.write(
    `${overlay}/.agentpack/baseline.json`,
    baseline(same).replace("0".repeat(64), tree),
  );
  assertEquals((await compose(world)).warnings, []);
});

Deno.test("composeModule() refuses an overlay that makes a file of a directory", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, "skill", "m");
  await world.write("m/SKILL.md", SKILL);
  await world.write("m/docs/a.md", "a");
  await world.write(`overlays/${fsKey("skill:x")}/docs`, "file");
  await assertCode("E_CONFIG_INVALID", () => compose(world), {
    module_id: "skill:x",
    path: "docs",
  });
});

const CASES: readonly (readonly [
  type: string,
  files: Readonly<Record<string, string>>,
  details: Readonly<Record<string, unknown>> | null,
])[] = [
  ["instructions", { "AGENTS.md": "" }, null],
  ["instructions", { "README.md": "" }, { missing: ["AGENTS.md"] }],
  ["skill", { "SKILL.md": SKILL.replaceAll("\n", "\r\n") }, null],
  ["skill", { "README.md": "" }, { path: "SKILL.md", missing: ["SKILL.md"] }],
  ["skill", { "SKILL.md": "# No front matter\n" }, { path: "SKILL.md" }],
  ["skill", { "SKILL.md": "---\nname: x\n" }, { expected: 'front matter closed by a line "---"' }],
  ["skill", { "SKILL.md": "---\n- x\n---\n" }, { expected: "front matter that is a mapping" }],
  ["skill", { "SKILL.md": "---\nname: x\n---\n" }, { missing: ["description"] }],
  ["skill", { "SKILL.md": "---\nname: ' '\ndescription: d\n---\n" }, { field: "name" }],
  ["skill", { "SKILL.md": "---\nname: 7\ndescription: d\n---\n" }, { field: "name" }],
  ["prompt", { "any.md": "" }, null],
  ["prompt", { "any.MD": "" }, { expected: "exactly one .md file" }],
  ["prompt", { "a.md": "", "b.md": "" }, { expected: "exactly one .md file" }],
  ["command", { "c.md": "---\ndescription: d\n---\n" }, null],
  ["command", { "c.md": "text\n" }, { path: "c.md" }],
  ["command", { "c.md": "---\ndescription: ''\n---\n" }, { field: "description" }],
  ["command", { "c.md": "---\ndescription: d\n---\n!bash\n" }, { field: "allowed-tools" }],
  ["command", { "c.md": "---\ndescription: d\n---\n!`bash`\n" }, { field: "allowed-tools" }],
  ["command", { "c.md": "---\ndescription: d\nallowed-tools: Bash(ls)\n---\n!bash\n" }, null],
  [
    "command",
    { "c.md": "---\ndescription: d\nallowed-tools: [Read, 'Bash(ls)']\n---\n!bash\n" },
    null,
  ],
];

Deno.test("composeModule() validates each type of module", async () => {
  for (const [type, files, details] of CASES) {
    await using world = await PackWorld.inMemory();
    await setUp(world, type, "m");
    for (const [name, text] of Object.entries(files)) await world.write(`m/${name}`, text);
    if (details === null) await compose(world);
    else {
      await assertCode("E_CONFIG_INVALID", () => compose(world), {
        module_id: `${type}:x`,
        ...details,
      });
    }
  }
});

Deno.test("composeModule() reports a YAML error of front matter", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, "skill", "m");
  await world.write("m/SKILL.md", "---\nname: [\n---\n");
  const error = await assertCode("E_CONFIG_INVALID", () => compose(world), { path: "SKILL.md" });
  assertEquals(typeof error.details?.["error"], "string");
});
