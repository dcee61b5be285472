import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { sha256 } from "../../../../../src/base/hash.ts";
import { deployApply, plan } from "../../../../support/pack_calls.ts";
import {
  isManifestName,
  readManifest,
} from "../../../../../src/apps/agentpack/engine/target_manifest.ts";
import { deploy, setUp, snapshot, yes } from "../../../../support/pack_fixture.ts";
import { PackWorld } from "../../../../support/pack_world.ts";

const ZED = "  zed: { mode: files, scope: project }";

function manifest(fields: Record<string, unknown>): string {
  return JSON.stringify({
    schema_version: 1,
    generated_at: "2026-02-03T08:15:30Z",
    tool: "zed",
    managed_files: [{ path: ".rules", sha256: sha256("old\n"), module_ids: ["instructions:old"] }],
    ...fields,
  });
}

Deno.test("isManifestName() knows the older name and the per-target ones", () => {
  for (const name of [".agentpack.manifest.json", ".agentpack.manifest.codex.json"]) {
    assertEquals(isManifestName(name), true);
  }
  for (
    const name of ["agentpack.manifest.json", ".agentpack.manifest.codex.yaml", ".agentpack.json"]
  ) {
    assertEquals(isManifestName(name), false);
  }
});

Deno.test("readManifest() uses the older name only without the newer one, and only for its own target", async () => {
  await using world = await PackWorld.inMemory();
  const root = world.project;
  const read = async () => {
    const found = await readManifest(world.system.files, { target: "zed", root });
    return [found.state, found.entries.length, found.warnings.length];
  };
  assertEquals(await read(), ["absent", 0, 0]);
  await world.write(join(root, ".agentpack.manifest.json"), manifest({ tool: "codex" }));
  assertEquals(await read(), ["absent", 0, 0]);
  await world.write(join(root, ".agentpack.manifest.json"), manifest({}));
  assertEquals(await read(), ["legacy", 1, 1]);
  await world.write(join(root, ".agentpack.manifest.zed.json"), manifest({ managed_files: [] }));
  assertEquals(await read(), ["present", 0, 0]);
});

Deno.test("readManifest() turns whatever is wrong into one warning", async () => {
  await using world = await PackWorld.inMemory();
  const path = join(world.project, ".agentpack.manifest.zed.json");
  const read = () => readManifest(world.system.files, { target: "zed", root: world.project });
  for (
    const [text, words] of [
      ["{", /ignored/],
      [manifest({ schema_version: 2 }), /unsupported schema_version/],
      [manifest({ schema_version: undefined }), /unsupported schema_version/],
      [manifest({ managed_files: {} }), /shape/],
      [manifest({ tool: "codex" }), /codex/],
    ] as const
  ) {
    await world.write(path, text);
    const found = await read();
    assertEquals([found.state, found.entries.length, found.warnings.length], ["unusable", 0, 1]);
    assertMatch(found.warnings[0] ?? "", words);
  }
  await world.files.remove(path);
  await world.files.makeDirectory(path);
  assertEquals((await read()).state, "unusable");
});

Deno.test("readManifest() skips entries that leave the root", async () => {
  await using world = await PackWorld.inMemory();
  const entry = (path: string) => ({ path, sha256: "0" });
  await world.write(
    join(world.project, ".agentpack.manifest.zed.json"),
    manifest({ managed_files: ["/etc/passwd", "../x", "a/../../x", "C:/x", "ok"].map(entry) }),
  );
  const found = await readManifest(world.system.files, { target: "zed", root: world.project });
  assertEquals(found.entries.map((one) => one.path), ["ok"]);
  assertEquals(found.warnings.length, 4);
});

Deno.test("deployApply() takes over from an older manifest, which it neither writes nor removes", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, ZED);
  const legacy = join(world.project, ".agentpack.manifest.json");
  const text = manifest({
    managed_files: [
      { path: ".rules", sha256: sha256("old\n") },
      { path: "gone.md", sha256: sha256("gone\n") },
    ],
  });
  await world.write(legacy, text);
  await world.write(join(world.project, ".rules"), "old\n");
  await world.write(join(world.project, "gone.md"), "gone\n");
  const planned = await plan(world.reader(), {});
  assertEquals(planned.data.changes.map((change) => [change.op, change.update_kind]), [
    ["update", "managed_update"],
    ["delete", undefined],
  ]);
  assertMatch(planned.warnings.join(), /older version/);
  await deploy(world);
  assertEquals(await world.read(legacy), text);
  assertEquals(await world.read(join(world.project, "gone.md")), null);
  assertEquals((await deploy(world)).data.reason, "no_changes");
});

Deno.test("deployApply() leaves an older manifest as the only one while it says the same", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, ZED);
  const content = "# Alpha\n\nUse tabs.\n";
  await world.write(join(world.project, ".rules"), content);
  await world.write(
    join(world.project, ".agentpack.manifest.json"),
    manifest({
      managed_files: [{
        path: ".rules",
        sha256: sha256(content),
        module_ids: ["instructions:alpha"],
      }],
    }),
  );
  assertEquals((await deploy(world)).data.reason, "no_changes");
});

Deno.test("plan() falls back to the newest snapshot when no manifest has an entry", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, ZED);
  await snapshot(world);
  await world.files.remove(join(world.project, ".agentpack.manifest.zed.json"));
  await world.write("m/alpha/AGENTS.md", "# New\n");
  const { data } = await plan(world.reader(), {});
  assertEquals(data.changes.map((change) => change.update_kind), ["managed_update"]);
  assertEquals((await plan(world.reader(), { profile: "none" })).data.summary.delete, 1);
});

Deno.test("plan() reads the oldest snapshots, which list only their changes", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, ZED);
  const file = join(world.project, ".rules");
  await world.write(file, "old\n");
  await world.write(
    join(world.root, "state/snapshots/1000.json"),
    JSON.stringify({
      id: "1000",
      created_at: "2026-02-03T08:15:30Z",
      targets: ["zed"],
      changes: [
        { target: "zed", op: "create", path: file, after_sha256: sha256("old\n") },
        { target: "zed", op: "create", path: join(world.project, ".agentpack.manifest.zed.json") },
        { target: "zed", op: "delete", path: join(world.project, "other") },
      ],
      backup_root: "",
    }),
  );
  const { data } = await plan(world.reader(), { profile: "none" });
  assertEquals(data.changes.map((change) => [change.op, change.path]), [["delete", file]]);
});

Deno.test("plan() in a second project leaves the files of the first alone (weakness 9.2 a)", async () => {
  await using world = await PackWorld.make();
  await setUp(world, "  codex: { mode: files, scope: project }");
  await snapshot(world);
  const second = join(world.directory, "second");
  await world.files.makeDirectory(second);
  await world.git(second, "init", "--quiet", "--template=");
  const pack = world.packIn(second);
  assertEquals((await plan(pack, {})).data.summary, { create: 3, update: 0, delete: 0 });
  const before = await world.tree(world.project);
  world.tick();
  await deployApply(pack, {}, { adopt: false, approve: yes });
  assertEquals(await world.tree(world.project), before);
});

Deno.test("plan() takes the snapshot whose file is newest, and of equal ones the larger id", async () => {
  await using world = await PackWorld.make();
  await setUp(world, ZED);
  const record = (id: string, path: string, extra = {}) =>
    world.write(
      join(world.root, `state/snapshots/${id}.json`),
      JSON.stringify({
        kind: "deploy",
        id,
        created_at: "x",
        targets: ["zed"],
        managed_files: [{ target: "zed", path: join(world.project, path), sha256: "0" }],
        changes: [],
        ...extra,
      }),
    );
  await record("10", "ten");
  await record("9", "nine");
  await record("11", "bootstrap", { kind: "bootstrap" });
  await record("12", "failed", { status: "failed" });
  for (const path of ["ten", "nine", "bootstrap", "failed"]) {
    await world.write(join(world.project, path), path);
  }
  const deleted = async () =>
    (await plan(world.reader(), { profile: "none" })).data.changes.map((change) =>
      change.path.slice(world.project.length + 1)
    );
  const when = (id: string, seconds: number) =>
    Deno.utime(join(world.root, `state/snapshots/${id}.json`), seconds, seconds);
  for (const id of ["9", "10", "11", "12"]) await when(id, 1_700_000_000);
  assertEquals(await deleted(), ["ten"]);
  await when("9", 1_700_000_001);
  assertEquals(await deleted(), ["nine"]);
});
