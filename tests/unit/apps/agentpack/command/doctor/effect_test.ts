// What doctor finds that would otherwise be silently without effect, or be left behind.

import { assert, assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { doctor } from "../../../../../support/pack_calls.ts";
import { setUp } from "../../../../../support/pack_fixture.ts";
import { PackWorld } from "../../../../../support/pack_world.ts";

function module(id: string, more = "tags: [base]"): string {
  const [type = ""] = id.split(":");
  const path = type === "instructions" ? "m/alpha" : type === "skill" ? "m/tidy" : "m/changelog.md";
  return `\n  - { id: "${id}", type: ${type}, ${more}, source: { local_path: { path: ${path} } } }`;
}

async function found(world: PackWorld, kind: string): Promise<string[]> {
  const { data, warnings } = await doctor(world.reader(), {}, { fix: false });
  const messages = data.findings.filter((one) => one.kind === kind).map(({ message }) => message);
  for (const message of messages) assert(warnings.includes(message), message);
  return messages;
}

Deno.test("doctor() names the modules that no target writes, with what would make one", async () => {
  await using world = await PackWorld.make();
  await setUp(
    world,
    "  claude_code: { mode: files, scope: user }\n  jetbrains: { mode: files, scope: project }",
    module("skill:tidy") + module("skill:own", "tags: [base], targets: [claude_code]") +
      module("prompt:changelog") + module("instructions:alpha") +
      module("prompt:off", "tags: [base], enabled: false") +
      module("prompt:code", "tags: [base], targets: [vscode]"),
  );
  assertEquals(await found(world, "no_effect"), [
    'Nothing is deployed of "skill:tidy" and "skill:own": agentpack.yaml would have to say "targets.claude_code.options.write_user_skills: true"',
    'Nothing is deployed of "prompt:changelog": no target of agentpack.yaml writes a module of type prompt here',
    'Nothing is deployed of "prompt:code": agentpack.yaml would have to say "targets.vscode: { mode: files, scope: project }"',
  ]);
});

Deno.test("doctor() names modules that no profile selects, and what profiles name that is not there", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(
    world,
    "  codex: { mode: files, scope: user, options: { write_user_prompts: true, write_prompt_skills: false } }",
    module("skill:tidy"),
  );
  // The profile "more" has a tag more than modules have, and "none" includes nothing on purpose.
  assertEquals(await found(world, "no_effect"), []);
  await setUp(
    world,
    "  codex: { mode: files, scope: user, options: { write_user_prompts: true, write_prompt_skills: false } }",
    module("skill:tidy", "tags: [more]"),
  );
  assertEquals(await found(world, "no_effect"), [
    'The profile "default" selects none of 1 module',
  ]);
  await world.config(
    `version: 1
profiles:
  default: { include_tags: [bsae], include_modules: ["skill:tydi"], exclude_modules: ["x:y"] }
targets: { codex: { mode: files, scope: user, options: { write_user_prompts: true, write_prompt_skills: false } } }
modules:${module("skill:tidy")}${module("prompt:changelog", "tags: []")}
`,
  );
  assertEquals(await found(world, "no_effect"), [
    'No profile selects "skill:tidy": none includes "base"',
    'No profile selects "prompt:changelog": they have no tags, and none names them',
    'The profile "default" names the module "skill:tydi", which there is not; did you mean "skill:tidy"?',
    'The profile "default" names the module "x:y", which there is not',
    'The profile "default" includes the tag "bsae", which no module has; did you mean "base"?',
  ]);
});

Deno.test("doctor() tells what a tool gets more than once, and from a mark which tools do not read", async () => {
  await using world = await PackWorld.make();
  const both = "  codex: { mode: files, scope: both, options: { write_user_prompts: true } }";
  await setUp(world, both, module("skill:tidy") + module("prompt:changelog"));
  await world.write("m/tidy/SKILL.md", "\ufeff---\nname: tidy\ndescription: Sorts\n---\nText\n");
  assertEquals(await found(world, "double"), [
    'codex gets "prompt:changelog" and "skill:tidy" more than once: give the target one scope, the module a metadata.scope, or switch an option off',
  ]);
  const { warnings } = await doctor(world.reader(), {}, { fix: false });
  assertMatch(warnings.join("\n"), /"skill:tidy" begins with a byte order mark/);
  await setUp(world, both.replace("both, options: { write_user_prompts: true }", "user"));
  assertEquals(await found(world, "double"), []);
});

Deno.test("doctor() tells a read-only mount from permissions, and gives no advice that cannot help", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(
    world,
    "  codex: { mode: files, scope: user, options: { write_user_prompts: true, write_prompt_skills: false } }",
  );
  const codex = join(world.home, ".codex");
  await world.write(join(codex, "config.toml"), "");
  const mounted = (readOnly: boolean) =>
    world.pack({
      ...world.system,
      files: {
        ...world.system.files,
        isWritable: (path) => Promise.resolve(!path.startsWith(codex)),
        isReadOnly: (path) => Promise.resolve(readOnly && path.startsWith(codex)),
      },
    });
  const mount = await doctor(mounted(true), {}, { fix: false });
  const paths = ["", "/prompts", "/skills"].map((name) => `${codex}${name}`);
  assertEquals(
    mount.data.findings.filter(({ kind }) => kind === "mount").map((
      { kind, message },
    ) => [kind, message]),
    paths.map((path) => [
      "mount",
      `"${path}" lies on a file system that is mounted read-only; nothing can be written there`,
    ]),
  );
  assertEquals(mount.data.roots.map(({ suggestion }) => suggestion), [null, null, null]);
  assertEquals(mount.data.next_actions, undefined);
  const denied = await doctor(mounted(false), {}, { fix: false });
  assertEquals(
    denied.data.roots.map(({ issues, suggestion }) => [issues.join(" "), suggestion]),
    [
      ["not_writable", `allow writing: chmod u+w ${codex}`],
      ["missing not_writable", `allow writing: chmod u+w ${codex}`],
      ["missing not_writable", `allow writing: chmod u+w ${codex}`],
    ],
  );
});

Deno.test("doctor() finds what killed processes left behind, and removes it with fix", async () => {
  await using world = await PackWorld.make();
  await setUp(
    world,
    "  codex: { mode: files, scope: user, options: { write_user_prompts: true, write_prompt_skills: false } }",
  );
  const uuid = crypto.randomUUID();
  const hash = "a".repeat(40);
  const cache = join(world.root, "cache");
  const old = join(cache, "git/x", `.${hash}.${uuid}.tmp`);
  const left = [
    join(world.home, ".codex/.agentpack-1770106530123456789-0.tmp"),
    join(world.home, ".codex/skills/tidy/.agentpack-1770106530123456789-1.tmp"),
    join(world.repo, `m/.amof-999999999-${uuid}.tmp`),
    join(world.root, `state/.amof-999999999-${uuid}.tmp`),
    join(old, "HEAD"),
    join(cache, "scratch", uuid, "agentpack.yaml"),
  ];
  const kept = [
    join(world.home, `.codex/.amof-${Deno.pid}-${uuid}.tmp`),
    join(world.home, ".codex/.agentpack-notes.tmp"),
    join(cache, "git/x", `.${hash}.${crypto.randomUUID()}.tmp`, "HEAD"),
  ];
  for (const path of [...left, ...kept]) await world.write(path, "x");
  await Deno.utime(old, 0, 0);
  await Deno.utime(join(kept[2] ?? "", ".."), new Date(world.now), new Date(world.now));
  const looked = await doctor(world.reader(), {}, { fix: false });
  const [finding] = looked.data.findings.filter(({ kind }) => kind === "leftover");
  assertEquals(finding?.paths?.length, left.length);
  assertMatch(finding?.message ?? "", /^6 temporary files .*; doctor --fix removes them$/);
  assert(looked.data.next_actions?.some((action) => action.includes("doctor --fix")));

  // While somebody changes something, what they prepare is theirs.
  await world.write(join(world.root, "state/lock"), `${Deno.pid}\n`);
  const busy = await doctor(world.reader(), {}, { fix: false });
  assertEquals(busy.data.findings.flatMap(({ paths }) => paths ?? []), [old]);
  await world.write(join(world.root, "state/lock"), "");

  const fixed = await doctor(world.pack(), {}, { fix: true });
  assertEquals(fixed.data.removed.length, left.length);
  for (const path of left) assertEquals(await world.read(path), null, path);
  for (const path of kept) assertEquals(await world.read(path), "x", path);
  assertEquals((await doctor(world.pack(), {}, { fix: true })).data.removed, []);
});
