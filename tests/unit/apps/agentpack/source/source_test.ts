import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import { sha256 } from "../../../../../src/base/hash.ts";
import { parseConfig } from "../../../../../src/apps/agentpack/config/config.ts";
import type { Lockfile } from "../../../../../src/apps/agentpack/config/lockfile.ts";
import { fsKey, homeOf } from "../../../../../src/apps/agentpack/identity.ts";
import {
  checkoutDirectory,
  ensureCheckout,
  resolveRef,
  resolveUpstream,
} from "../../../../../src/apps/agentpack/source/resolve.ts";
import {
  hashTree,
  listTree,
  RESERVED,
  treeHash,
} from "../../../../../src/apps/agentpack/source/tree.ts";
import { assertCode } from "../../../../support/assert_code.ts";
import { PackWorld } from "../../../../support/pack_world.ts";

const SKILL = "---\nname: tidy\ndescription: Sort imports.\n---\n\nUse scripts/run.sh.\n";

Deno.test("hashTree() and treeHash() give the vectors of appendix A", async () => {
  await using world = await PackWorld.inMemory();
  await world.write("m/scripts/run.sh", "#!/bin/sh\necho hi\n");
  await world.write("m/SKILL.md", SKILL);
  const skill = await hashTree(world.system.files, join(world.repo, "m"));
  assertEquals(skill, [
    {
      path: "SKILL.md",
      sha256: "054ad34d0bbad0f8ee6cf334b5f5615464469a6e2123ac4bd179c15b2c29f995",
      bytes: 67,
    },
    {
      path: "scripts/run.sh",
      sha256: "299001868fb8c02fd431c336c6d058f5558c5dff5b5af5e6fe04b870a6a9cbba",
      bytes: 18,
    },
  ]);
  assertEquals(treeHash(skill), "dfe1cae3e294bce3b2a558da7b5064550bfefc0bb187c9f756e269f3eaa62472");
});

Deno.test("hashTree() of a single file is a tree with one entry", async () => {
  await using world = await PackWorld.inMemory();
  await world.write("changelog.md", "Write a changelog entry.\n");
  const facts = await hashTree(world.system.files, join(world.repo, "changelog.md"));
  assertEquals(facts.map((fact) => fact.path), ["changelog.md"]);
  assertEquals(treeHash(facts), "af3704d7d6515fdf2aeeb415e1c55ed8022c6c4876696e79ba214acb8178a3f0");
});

Deno.test("hashTree() skips .git, reads linked files and leaves linked directories alone", async () => {
  await using world = await PackWorld.inMemory();
  await world.write("m/.git/HEAD", "x");
  await world.write("m/.agentpack/overlay.json", "{}");
  await world.write("m/a.md", "a");
  await world.write("other/b.md", "b");
  await world.files.symlink(join(world.repo, "other/b.md"), join(world.repo, "m/b.md"));
  await world.files.symlink(join(world.repo, "other"), join(world.repo, "m/dir"));
  const facts = await hashTree(world.system.files, join(world.repo, "m"));
  assertEquals(facts.map((fact) => fact.path), [".agentpack/overlay.json", "a.md", "b.md"]);
});

Deno.test("listTree() tests names on relative paths: a root below .agentpack is listed (weakness 9.1)", async () => {
  await using world = await PackWorld.inMemory();
  await world.write("overlays/x/.agentpack/overlay.json", "{}");
  await world.write("overlays/x/.hidden", "h");
  await world.write("overlays/x/a/b.md", "b", 0o755);
  const root = join(world.repo, "overlays/x");
  const entries = await listTree(world.system.files, root, { skip: RESERVED, links: "files" });
  assertEquals(root.includes("/.agentpack/"), true);
  assertEquals(entries.map(({ path, executable }) => [path, executable]), [
    [".hidden", false],
    ["a/b.md", true],
  ]);
});

Deno.test("listTree() follows a link to a directory inside the root and refuses others", async () => {
  await using world = await PackWorld.inMemory();
  const root = join(world.repo, "m");
  const refuse = (link: string, why: string) => new Error(`${link}: ${why}`);
  const list = () =>
    listTree(world.system.files, root, { skip: RESERVED, links: { refuse, boundary: null } });
  await world.write("m/real/a.md", "a");
  await world.files.symlink("real", join(root, "alias"));
  assertEquals((await list()).map((entry) => entry.path), ["alias/a.md", "real/a.md"]);
  for (const target of [world.project, ".", "nowhere"]) {
    await world.files.symlink(target, join(root, "bad"));
    const error = await assertRejects(list, Error);
    assertStringIncludes(error.message, "bad: it leads");
    await world.files.remove(join(root, "bad"));
  }
});

async function remote(world: PackWorld): Promise<{ url: string; first: string; second: string }> {
  const seed = join(world.directory, "assets");
  await world.files.makeDirectory(seed);
  await world.git(seed, "init", "--quiet", "--initial-branch=main");
  const commit = async (text: string) => {
    await world.write(join(seed, "skills/x/SKILL.md"), text);
    await world.git(seed, "add", "-A");
    await world.git(seed, "commit", "--quiet", "-m", text);
    return await world.git(seed, "rev-parse", "HEAD");
  };
  const first = await commit("one");
  await world.git(seed, "tag", "-a", "v1", "-m", "v1");
  const second = await commit("two");
  return { url: toFileUrl(seed).href, first, second };
}

Deno.test("resolveRef() takes commits as they are, branches, and what a tag points to", async () => {
  await using world = await PackWorld.make();
  const { url, first, second } = await remote(world);
  const pack = world.pack();
  const home = homeOf(world.system.env);
  const resolve = (ref: string) => resolveRef(pack, home, { moduleId: "skill:x", url, ref });
  assertEquals(await resolve("main"), second);
  assertEquals(await resolve("v1"), first);
  assertEquals(await resolve("f".repeat(40)), "f".repeat(40));
  await assertCode("E_UNEXPECTED", () => resolve("nothing"));
});

Deno.test("ensureCheckout() fills a checkout once, shallow or not, and leaves no temporary directory", async () => {
  await using world = await PackWorld.make();
  const { url, first, second } = await remote(world);
  const home = homeOf(world.system.env);
  const get = (commit: string, shallowRef: string | null) =>
    ensureCheckout(world.pack(), home, { moduleId: "skill:x", url, commit, shallowRef });
  const shallow = await get(second, "main");
  assertEquals(shallow, { directory: checkoutDirectory(home, url, second), fetched: true });
  assertEquals(shallow.directory, join(home.checkouts, sha256(url), second));
  assertEquals((await get(second, "main")).fetched, false);
  // The branch does not have this commit on top, so the shallow clone is repeated in full.
  const full = await get(first, "main");
  assertEquals(await world.read(join(full.directory, "skills/x/SKILL.md")), "one");
  const left = await world.system.files.list(join(home.checkouts, sha256(url)));
  assertEquals(left.map((entry) => entry.name), [first, second].sort());
});

Deno.test("ensureCheckout() moves a checkout from an older place", async () => {
  await using world = await PackWorld.inMemory();
  const home = homeOf(world.system.env);
  const commit = "a".repeat(40);
  for (const older of [fsKey("skill:x"), "skill_x"]) {
    const url = `https://nowhere.invalid/${older}.git`;
    await world.write(join(home.checkouts, older, commit, "SKILL.md"), older);
    const request = { moduleId: "skill:x", url, commit, shallowRef: null };
    const found = await ensureCheckout(world.pack(), home, request);
    assertEquals(found, { directory: checkoutDirectory(home, url, commit), fetched: false });
    assertEquals(await world.read(join(found.directory, "SKILL.md")), older);
  }
});

Deno.test("ensureCheckout() says that git is not installed", async () => {
  await using world = await PackWorld.make();
  const pack = world.pack({
    ...world.system,
    processes: {
      ...world.system.processes,
      run: (request) => world.system.processes.run({ ...request, command: "no-such-program" }),
    },
  });
  await assertCode(
    "E_GIT_NOT_FOUND",
    () =>
      ensureCheckout(pack, homeOf(world.system.env), {
        moduleId: "skill:x",
        url: "https://nowhere.invalid/x.git",
        commit: "a".repeat(40),
        shallowRef: null,
      }),
    { reason_code: "git_not_found" },
  );
});

async function gitModule(url: string, more = "") {
  const text =
    `version: 1\nprofiles: { default: {} }\nmodules:\n  - id: "skill:x"\n    type: skill\n` +
    `    source: { git: { url: "${url}", subdir: skills/x${more} } }\n`;
  const [module] = (await parseConfig(text, "agentpack.yaml")).modules;
  if (module === undefined) throw new Error("no module");
  return module;
}

Deno.test("resolveUpstream() follows the lockfile before the manifest's ref", async () => {
  await using world = await PackWorld.make();
  const { url, first, second } = await remote(world);
  const home = homeOf(world.system.env);
  const module = await gitModule(url);
  const loose = await resolveUpstream(world.reader(), home, module, { lockfile: null });
  assertEquals(loose.source, { kind: "git", url, commit: second, subdir: "skills/x" });
  const lockfile: Lockfile = {
    version: 1,
    generated_at: "",
    modules: [{
      id: "skill:x",
      type: "skill",
      resolved_source: { git: { url, commit: first, subdir: "skills/x" } },
      resolved_version: first,
      sha256: "",
      file_manifest: [],
    }],
  };
  const locked = await resolveUpstream(world.reader(), home, module, { lockfile });
  assertEquals(locked.root, join(checkoutDirectory(home, url, first), "skills/x"));
  const [entry] = lockfile.modules;
  if (entry) entry.resolved_source = { git: { url, commit: first, subdir: "../.." } };
  await assertCode(
    "E_LOCKFILE_INVALID",
    () => resolveUpstream(world.reader(), home, module, { lockfile }),
  );
});

Deno.test("resolveUpstream() refuses a subdir that leaves its checkout through a link", async () => {
  await using world = await PackWorld.make();
  const { url } = await remote(world);
  const seed = join(world.directory, "assets");
  await world.files.symlink("/etc", join(seed, "skills/out"));
  await world.git(seed, "add", "-A");
  await world.git(seed, "commit", "--quiet", "-m", "link");
  const module = await gitModule(url);
  const out = { ...module, source: { ...module.source, subdir: "skills/out" } };
  await assertCode(
    "E_CONFIG_INVALID",
    () =>
      resolveUpstream(world.reader(), homeOf(world.system.env), out, {
        lockfile: null,
      }),
    { module_id: "skill:x", path: "skills/out" },
  );
});

Deno.test("resolveUpstream() names a local source that does not exist", async () => {
  await using world = await PackWorld.inMemory();
  const module = { ...await gitModule("u"), source: { kind: "local", path: "modules/x" } as const };
  await assertCode(
    "E_CONFIG_INVALID",
    () => resolveUpstream(world.reader(), homeOf(world.system.env), module, { lockfile: null }),
    { module_id: "skill:x", path: "modules/x" },
  );
});
