import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import { add, fetch, init, lock, plan, remove, update } from "../../../../support/pack_calls.ts";
import { derivedId, parseSource } from "../../../../../src/apps/agentpack/config/select.ts";
import { loadConfig } from "../../../../../src/apps/agentpack/config/config.ts";
import { confirmRequired } from "../../../../../src/apps/agentpack/error.ts";
import { assertCode } from "../../../../support/assert_code.ts";
import { yes } from "../../../../support/pack_fixture.ts";
import { PackWorld } from "../../../../support/pack_world.ts";

const PLAIN = { git: false, bootstrap: false, guided: null };

Deno.test("init() makes a repo that loads, and never overwrites", async () => {
  await using world = await PackWorld.inMemory();
  const { data } = await init(world.pack(), {}, PLAIN);
  assertEquals(data, { repo: world.repo, repo_posix: world.repo });
  const config = await loadConfig(world.system.files, join(world.repo, "agentpack.yaml"));
  assertEquals([...config.targets.keys()], ["codex", "claude_code"]);
  assertEquals(config.profiles.get("default")?.includeTags, ["base"]);
  assertEquals(config.modules, []);
  for (
    const name of [
      "instructions/base/AGENTS.md",
      "prompts/draftpr.md",
      "claude-commands/ap-plan.md",
    ]
  ) {
    assert(await world.read(join(world.repo, "modules", name)) !== null, name);
  }
  await world.config("version: 1\nprofiles: { default: {} }\n");
  await init(world.pack(), {}, PLAIN);
  assertEquals(
    await world.read(join(world.repo, "agentpack.yaml")),
    "version: 1\nprofiles: { default: {} }\n",
  );
});

Deno.test("init() with git makes a repository and ignores manifests, once", async () => {
  await using world = await PackWorld.make();
  await world.write(".gitignore", ".DS_Store");
  const first = await init(world.pack(), {}, { ...PLAIN, git: true });
  assertEquals(first.data.git, { initialized: true, gitignore_updated: true });
  assertEquals(
    await world.read(join(world.repo, ".gitignore")),
    ".DS_Store\n.agentpack.manifest*.json\n",
  );
  const second = await init(world.pack(), {}, { ...PLAIN, git: true });
  assertEquals(second.data.git, { initialized: false, gitignore_updated: false });
});

Deno.test("init() with bootstrap installs the operator files", async () => {
  await using world = await PackWorld.inMemory();
  const { data } = await init(world.pack(), {}, { ...PLAIN, bootstrap: true });
  assertEquals([data.bootstrap?.applied, data.bootstrap?.scope], [true, "both"]);
});

Deno.test("init() with a guide wants a terminal, and no configuration yet", async () => {
  await using world = await PackWorld.inMemory();
  const guided = { targets: ["zed"], scope: "project" } as const;
  const before = await world.tree(world.repo);
  await assertCode("E_TTY_REQUIRED", () => init(world.pack(), {}, { ...PLAIN, guided }), {
    stdin_is_terminal: false,
    next_actions: ["retry_in_tty", "retry_without_guided"],
  });
  assertEquals(await world.tree(world.repo), before);
  const terminal = { ...world.system.terminal, stdinIsTerminal: true, stdoutIsTerminal: true };
  const pack = world.pack({ ...world.system, terminal });
  assertEquals((await init(pack, {}, { ...PLAIN, guided })).data, {
    repo: world.repo,
    repo_posix: world.repo,
    guided: true,
    targets: ["zed"],
    scope: "project",
  });
  await assertCode("E_CONFIG_INVALID", () => init(pack, {}, { ...PLAIN, guided }));
});

Deno.test("a guide wants both streams to be a terminal", async () => {
  await using world = await PackWorld.inMemory();
  const guided = { targets: ["zed"], scope: "project" } as const;
  for (const [stdinIsTerminal, stdoutIsTerminal] of [[true, false], [false, true]] as const) {
    const terminal = { ...world.system.terminal, stdinIsTerminal, stdoutIsTerminal };
    const pack = world.pack({ ...world.system, terminal });
    await assertCode("E_TTY_REQUIRED", () => init(pack, {}, { ...PLAIN, guided }));
  }
});

Deno.test("parseSource() reads local and git sources", async () => {
  assertEquals(parseSource("local:modules/x"), { kind: "local", path: "modules/x" });
  assertEquals(parseSource("git:https://x.invalid/y.git#ref=v1&subdir=a/b&shallow=false"), {
    kind: "git",
    url: "https://x.invalid/y.git",
    ref: "v1",
    subdir: "a/b",
    shallow: false,
  });
  assertEquals(parseSource("git:u"), {
    kind: "git",
    url: "u",
    ref: "main",
    subdir: "",
    shallow: true,
  });
  for (const text of ["x", "local:", "git:", "git:u#depth=1", "git:u#shallow=no"]) {
    await assertCode("E_USAGE", () => Promise.try(() => parseSource(text)));
  }
});

Deno.test("derivedId() takes the last part of path, subdir or url", () => {
  assertEquals(
    derivedId("prompt", parseSource("local:modules/prompts/draft.pr.md")),
    "prompt:draft.pr",
  );
  assertEquals(derivedId("skill", parseSource("local:modules/skills/tidy/")), "skill:tidy");
  assertEquals(derivedId("skill", parseSource("git:git@x.invalid:me/assets.git")), "skill:assets");
  assertEquals(
    derivedId("skill", parseSource("git:u/assets.git#subdir=skills/tidy")),
    "skill:tidy",
  );
});

Deno.test("add() appends a module and remove() drops it; comments survive both (weakness 9.12)", async () => {
  await using world = await PackWorld.inMemory();
  const text = "# mine\nversion: 1\nprofiles: { default: {} }\nextra: 1 # unknown\nmodules: []\n";
  await world.config(text);
  await world.write("m/x.md", "x");
  const config = join(world.repo, "agentpack.yaml");
  const answer = await add(world.pack(), {}, {
    type: "prompt",
    source: "local:m/x.md",
    tags: ["base"],
    targets: ["codex"],
  });
  assertEquals(answer, {
    data: { module_id: "prompt:x", manifest: config, manifest_posix: config },
    warnings: [],
  });
  const edited = await world.read(config) ?? "";
  assertMatch(edited, /^# mine\n/);
  assertMatch(edited, /extra: 1 # unknown/);
  assertEquals((await loadConfig(world.system.files, config)).modules[0]?.targets, ["codex"]);
  await remove(world.pack(), {}, { id: "prompt:x" });
  assertEquals(await world.read(config), text);
  assertEquals(await world.read(join(world.repo, "m/x.md")), "x");
});

Deno.test("add() refuses a taken id, an unsafe source and an unknown target, and writes nothing", async () => {
  await using world = await PackWorld.inMemory();
  await world.config("version: 1\nprofiles: { default: {} }\n");
  const call = (source: string, more = {}) =>
    add(world.pack(), {}, { type: "skill", source, id: "skill:x", ...more });
  const first = await call("local:nowhere");
  assertMatch(first.warnings.join(), /does not exist yet/);
  const before = await world.tree(world.repo);
  await assertCode("E_CONFIG_INVALID", () => call("local:x"), { module_id: "skill:x" });
  await assertCode("E_CONFIG_INVALID", () => call("git:ext::sh", { id: "skill:y" }), {
    module_id: "skill:y",
  });
  await assertCode("E_CONFIG_INVALID", () => call("local:x", { id: "skill:../y" }));
  await assertCode(
    "E_TARGET_UNSUPPORTED",
    () => call("local:x", { id: "skill:y", targets: ["emacs"] }),
  );
  assertEquals(await world.tree(world.repo), before);
});

async function withRemote(
  world: PackWorld,
): Promise<{ url: string; commit: (text: string) => Promise<string> }> {
  const seed = join(world.directory, "assets");
  await world.files.makeDirectory(seed);
  await world.git(seed, "init", "--quiet", "--initial-branch=main", "--template=");
  const commit = async (text: string) => {
    await world.write(join(seed, "p.md"), text);
    await world.git(seed, "add", "-A");
    await world.git(seed, "commit", "--quiet", "-m", "x");
    return await world.git(seed, "rev-parse", "HEAD");
  };
  const url = toFileUrl(seed).href;
  await world.config(`version: 1
profiles: { default: { include_tags: [base] } }
targets: { codex: { mode: files, scope: user } }
modules:
  - { id: "prompt:g", type: prompt, tags: [base], source: { git: { url: "${url}" } } }
  - { id: "prompt:off", type: prompt, enabled: false, source: { local_path: { path: nowhere } } }
  - { id: "prompt:l", type: prompt, tags: [other], source: { local_path: { path: l.md } } }
`);
  await world.write("l.md", "local\n");
  return { url, commit };
}

Deno.test("lock() locks every enabled module, and plan follows it instead of the branch", async () => {
  await using world = await PackWorld.make();
  const { url, commit } = await withRemote(world);
  const first = await commit("one\n");
  const path = join(world.repo, "agentpack.lock.json");
  assertEquals((await lock(world.pack(), {})).data, {
    lockfile: path,
    lockfile_posix: path,
    modules: 2,
  });
  const text = await world.read(path) ?? "";
  const [git, local] = JSON.parse(text).modules;
  assertEquals(git.resolved_source, { local_path: null, git: { url, commit: first, subdir: "" } });
  assertEquals([local.resolved_source.local_path.path, local.resolved_version], ["l.md", "local"]);
  world.tick();
  await lock(world.pack(), {});
  assertEquals(await world.read(path), text);
  const hash = async () => (await plan(world.reader(), {})).data.changes[0]?.after_sha256;
  const locked = await hash();
  await commit("two\n");
  assertEquals(await hash(), locked);
  await world.files.remove(path);
  assert(await hash() !== locked);
});

Deno.test("lock() and plan() follow no link out of a checkout, and the lockfile says nothing of what it leads to", async () => {
  await using world = await PackWorld.make();
  const { commit } = await withRemote(world);
  await world.write(join(world.home, "secret"), "only mine\n");
  await world.files.symlink(
    join(world.home, "secret"),
    join(world.directory, "assets", "stolen.md"),
  );
  await commit("one\n");
  const link = { module_id: "prompt:g", path: "stolen.md" };
  await assertCode("E_CONFIG_INVALID", () => lock(world.pack(), {}), link);
  assertEquals(await world.read(join(world.repo, "agentpack.lock.json")), null);
  await assertCode("E_CONFIG_INVALID", () => plan(world.reader(), {}), link);
});

Deno.test("fetch() fills and verifies checkouts, and fetches an altered one anew", async () => {
  await using world = await PackWorld.make();
  const { commit } = await withRemote(world);
  await assertCode("E_LOCKFILE_MISSING", () => fetch(world.pack(), {}));
  const first = await commit("one\n");
  await lock(world.pack(), {});
  const store = join(world.root, "cache/git");
  await world.files.removeTree(store);
  assertEquals((await fetch(world.pack(), {})).data, {
    store,
    store_posix: store,
    git_modules_fetched: 1,
  });
  const [checkout] = await world.system.files.list(store);
  const file = join(store, checkout?.name ?? "", first, "p.md");
  await world.write(file, "altered\n");
  const renewed = await fetch(world.pack(), {});
  assertEquals(renewed.data.repaired, ["prompt:g"]);
  assertStringIncludes(renewed.warnings.join("\n"), '"prompt:g" was not what the lockfile pins');
  assertEquals(await world.read(file), "one\n");
  // A link that leaves the checkout is repaired like any other alteration, and never read through.
  await world.files.symlink("/etc/hostname", join(store, checkout?.name ?? "", first, "out.md"));
  const steps = (await update(world.pack(), {}, { approve: yes })).data.steps;
  assertEquals(steps.map((step) => step.detail), [
    "Verified 1 git module; fetched anew: prompt:g",
  ]);
  assertEquals((await fetch(world.pack(), {})).data.repaired, undefined);
  const path = join(world.repo, "agentpack.lock.json");
  const text = await world.read(path) ?? "";
  await world.write(
    path,
    text.replace(/"sha256": "[0-9a-f]{64}"/, `"sha256": "${"0".repeat(64)}"`),
  );
  await assertCode("E_LOCKFILE_INVALID", () => fetch(world.pack(), {}), { module_id: "prompt:g" });
});

Deno.test("update() locks only without a lockfile unless forced, and asks only if it does something", async () => {
  await using world = await PackWorld.make();
  const { commit } = await withRemote(world);
  await commit("one\n");
  const steps = async (options = {}) =>
    (await update(world.pack(), {}, { approve: yes, ...options })).data.steps.map((step) =>
      step.name
    );
  assertEquals(await steps(), ["lock", "fetch"]);
  assertEquals(await steps(), ["fetch"]);
  assertEquals(await steps({ lock: true, fetch: false }), ["lock"]);
  const refuse = (id: string) => Promise.reject(confirmRequired(id));
  assertEquals(await steps({ lock: false, fetch: false, approve: refuse }), []);
  await assertCode("E_CONFIRM_REQUIRED", () => steps({ approve: refuse }), { command: "update" });
});

Deno.test("plan() warns when the locked source is not the configured one", async () => {
  await using world = await PackWorld.make();
  const { commit } = await withRemote(world);
  await commit("one\n");
  await lock(world.pack(), {});
  const path = join(world.repo, "agentpack.yaml");
  await world.write(path, (await world.read(path) ?? "").replace("/assets", "/other"));
  const answer = await plan(world.reader(), {});
  assertMatch(answer.warnings.join(), /The lockfile has another source for "prompt:g"/);
  assertEquals(answer.data.changes.length, 1);
});
