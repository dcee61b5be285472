// Hooks in the files of coding tools, with their scripts: planned, deployed, edited, rolled back, taken away, refused.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { dirname, join } from "@std/path";
import {
  deployApply,
  importAssets,
  plan,
  preview,
  removeOrphans,
  rollback,
  status,
} from "../../../../support/pack_calls.ts";
import { deploy, setUp, snapshot, yes } from "../../../../support/pack_fixture.ts";
import { PackWorld } from "../../../../support/pack_world.ts";

const HOOK = `
  - { id: "hook:guard", type: hook, tags: [base], source: { local_path: { path: m/guard } } }`;

/** Each place of hooks, with what its file gets for one. */
const HOSTS = [
  [
    "claude_code",
    "user",
    "write_user_hooks",
    "home/.claude/settings.json",
    "PreToolUse",
    {
      matcher: "Bash",
      hooks: [{
        type: "command",
        command: '"$HOME"/.claude/hooks/guard/bin/check.sh --strict',
        timeout: 5,
      }],
    },
  ],
  [
    "claude_code",
    "project",
    "write_repo_hooks",
    "project/.claude/settings.json",
    "PreToolUse",
    {
      matcher: "Bash",
      hooks: [{
        type: "command",
        command: '"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard/bin/check.sh --strict',
        timeout: 5,
      }],
    },
  ],
  [
    "codex",
    "user",
    "write_user_hooks",
    "home/.codex/hooks.json",
    "PreToolUse",
    {
      matcher: "Bash",
      hooks: [{
        type: "command",
        command: '"${CODEX_HOME:-$HOME/.codex}"/hooks/guard/bin/check.sh --strict',
        timeout: 5,
      }],
    },
  ],
  [
    "codex",
    "project",
    "write_repo_hooks",
    "project/.codex/hooks.json",
    "PreToolUse",
    {
      matcher: "Bash",
      hooks: [{
        type: "command",
        command: '"$(git rev-parse --show-toplevel)"/.codex/hooks/guard/bin/check.sh --strict',
        timeout: 5,
      }],
    },
  ],
  [
    "cursor",
    "project",
    "write_hooks",
    "project/.cursor/hooks.json",
    "preToolUse",
    { command: ".cursor/hooks/guard/bin/check.sh --strict", matcher: "Shell", timeout: 5 },
  ],
  [
    "gemini",
    "user",
    "write_user_hooks",
    "home/.gemini/settings.json",
    "BeforeTool",
    {
      matcher: "Bash",
      hooks: [{
        type: "command",
        command: '"$HOME"/.gemini/hooks/guard/bin/check.sh --strict',
        timeout: 5000,
      }],
    },
  ],
  [
    "gemini",
    "project",
    "write_repo_hooks",
    "project/.gemini/settings.json",
    "BeforeTool",
    {
      matcher: "Bash",
      hooks: [{
        type: "command",
        command: "$GEMINI_PROJECT_DIR/.gemini/hooks/guard/bin/check.sh --strict",
        timeout: 5000,
      }],
    },
  ],
  [
    "cursor",
    "both",
    "write_user_hooks",
    "home/.cursor/hooks.json",
    "preToolUse",
    {
      command: '"$HOME"/.cursor/hooks/guard/bin/check.sh --strict',
      matcher: "Shell",
      timeout: 5,
    },
  ],
] as const;

function hookFile(timeout: number): string {
  return JSON.stringify({
    hooks: [{
      event: "before_tool",
      matcher: "Bash",
      command: "{{dir}}/bin/check.sh --strict",
      timeout,
      hosts: { cursor: { matcher: "Shell" } },
    }],
  });
}

function at(one: PackWorld, path: string): string {
  return join(dirname(one.project), path);
}

async function reread(one: PackWorld, path: string): Promise<string> {
  return await one.read(at(one, path)) ?? "(none)";
}

function targetOf([target, scope, option]: typeof HOSTS[number], more = ""): string {
  return `  ${target}: { mode: files, scope: ${scope}, options: { ${option}: true${more} } }`;
}

async function world(targets: string, modules = HOOK): Promise<PackWorld> {
  const made = await PackWorld.inMemory();
  await setUp(made, targets, modules);
  await made.write("m/guard/hook.json", hookFile(5));
  await made.write("m/guard/bin/check.sh", "#!/bin/sh\nexit 0\n", 0o755);
  return made;
}

/** The entries of an event in a file. */
async function listIn(one: PackWorld, path: string, event: string): Promise<unknown> {
  const text = (await reread(one, path)).replace("// mine", "");
  return (JSON.parse(text) as { hooks?: Record<string, unknown> }).hooks?.[event];
}

for (const host of HOSTS) {
  const [target, scope, , path, event, entry] = host;
  const theirs = target === "cursor" ? { command: "theirs" } : { hooks: [{ type: "command" }] };
  Deno.test(`a hook of ${target} (${scope}) comes with its script, changes, is found again and goes, and the rest stays`, async () => {
    await using one = await world(targetOf(host));
    const comment = target === "gemini" ? "  // mine\n" : "";
    const before = `{\n${comment}    "z": 1,\r\n    "hooks": {\n        "${event}": [ ${
      JSON.stringify(theirs)
    } ]\n    },\n    "a": [1,2]\n}\n`;
    await one.write(at(one, path), before);
    const script = join(dirname(at(one, path)), "hooks/guard/bin/check.sh");
    const first = await plan(one.reader(), {});
    const [file, own] = [script, at(one, path)].map((wanted) =>
      first.data.changes.find((change) => change.path === wanted)
    );
    assertEquals(first.data.changes.length, 2);
    assertEquals([file?.op, file?.program, own?.op], ["create", true, "update"]);
    const when = `(at ${event} of ${target === "cursor" ? "Shell" : "Bash"})`;
    assertEquals(own?.entries?.map(({ op, runs }) => [op, runs]), [
      ["create", `runs: ${"command" in entry ? entry.command : entry.hooks[0].command} ${when}`],
    ]);
    const id = await snapshot(one);
    const deployed = await reread(one, path);
    assertEquals(await listIn(one, path, event), [theirs, entry]);
    assertEquals(((await one.files.stat(script))?.mode ?? 0) & 0o111, 0o111);
    assertEquals((await plan(one.reader(), {})).data.changes, []);
    assertEquals((await status(one.reader(), {})).data.drift, []);

    await one.write(at(one, path), deployed.replace(/"timeout": ?\d+/, '"timeout": 77'));
    const drift = (await status(one.reader(), {})).data.drift;
    assertEquals(drift.map(({ kind, key }) => [kind, key?.split(".")[1]]), [["modified", event]]);
    assertEquals((await plan(one.reader(), {})).data.changes[0]?.locally_modified, true);
    await deploy(one);
    assertEquals(await reread(one, path), deployed);

    await one.write("m/guard/hook.json", hookFile(9));
    await one.write("m/guard/bin/check.sh", "#!/bin/sh\nexit 1\n", 0o755);
    await deploy(one);
    assertStringIncludes(await reread(one, path), target === "gemini" ? ":9000" : ":9");
    await rollback(one.pack(), {}, { to: id });
    assertEquals(await reread(one, path), deployed);
    assertStringIncludes(await one.read(script) ?? "", "exit 0");

    const leaves = await plan(one.reader(), { profile: "none" });
    const stops = leaves.data.changes.flatMap(({ entries }) => entries ?? []);
    assertStringIncludes(stops[0]?.stops ?? "", "check.sh --strict");
    await deploy(one, { profile: "none" });
    assertEquals(await reread(one, path), before);
    assertEquals(await one.read(script), null);
    await one.files.remove(at(one, path));
    await deploy(one);
    assertEquals((await plan(one.reader(), {})).data.changes, []);
    if (target === "cursor") assertStringIncludes(await reread(one, path), '"version": 1');
    await deploy(one, { profile: "none" });
    assertEquals(await reread(one, path), "(none)");
  });
}

Deno.test("servers and hooks of one file are one change, and neither disturbs the other", async () => {
  const server = `
  - { id: "mcp_server:search", type: mcp_server, tags: [more], source: { local_path: { path: m/search.json } } }`;
  await using one = await world(targetOf(HOSTS[6], ", write_repo_mcp: true"), HOOK + server);
  await one.write("m/search.json", '{ "command": "search" }\n');
  const path = HOSTS[6][3];
  await deploy(one);
  const alone = await reread(one, path);
  const both = await plan(one.reader(), { profile: "more" });
  assertEquals(
    both.data.changes.find((change) => change.path === at(one, path))?.entries?.map(({ key }) =>
      key
    ),
    ["mcpServers.search"],
  );
  await deploy(one, { profile: "more" });
  assertStringIncludes(await reread(one, path), '"command": "search"');
  await deploy(one);
  assertEquals(await reread(one, path), alone);
  await setUp(one, "  zed: { mode: files, scope: project }", HOOK);
  await removeOrphans(one.pack(), {});
  assertEquals(await reread(one, path), "(none)");
});

Deno.test("a hook from a git source is refused with its scripts, also when only a script changes", async () => {
  await using one = await PackWorld.make();
  const remote = at(one, "remote");
  await one.write(join(remote, "hook.json"), hookFile(5));
  await one.write(join(remote, "bin/check.sh"), "#!/bin/sh\nexit 0\n", 0o755);
  await one.world.git(remote, "init", "--quiet", "--initial-branch=main", "--template=");
  const commit = async (message: string) => {
    await one.world.git(remote, "add", ".");
    await one.world.git(remote, "commit", "--quiet", "-m", message);
  };
  await commit("One");
  const module = (more: string) => `
  - { id: "hook:far", type: hook, tags: [base], source: { git: { url: "file://${remote}" } }${more} }`;
  await setUp(one, targetOf(HOSTS[1]), module(""));
  const refuse = async () =>
    String(await deployApply(one.pack(), {}, { approve: yes }).catch(String));
  const { warnings } = await plan(one.pack(), {});
  assertStringIncludes(warnings.join("\n"), "check.sh --strict");
  assertStringIncludes(await refuse(), "2 changes would run what is not allowed");
  assertEquals(await reread(one, HOSTS[1][3]), "(none)");
  await setUp(one, targetOf(HOSTS[1]), module(", metadata: { allow_remote_program: true }"));
  await deploy(one);
  await one.write(join(remote, "bin/check.sh"), "#!/bin/sh\nevil\n", 0o755);
  await commit("Two");
  await setUp(one, targetOf(HOSTS[1]), module(""));
  const changed = await plan(one.pack(), {});
  assertEquals(
    changed.data.changes.map((
      { op, entries, program, refused },
    ) => [op, entries, program, refused === undefined]),
    [["update", undefined, true, false]],
  );
  assertStringIncludes(await refuse(), "check.sh");
  await setUp(one, targetOf(HOSTS[1]), module(", metadata: { allow_remote_program: true }"));
  await one.write(
    join(one.repo, "agentpack.org.yaml"),
    "version: 1\nsupply_chain_policy: { local_types: [hook] }\n",
  );
  assertStringIncludes(await refuse(), "from a git source");
});

Deno.test("a module of hooks that cannot be used says why, and hides no secret in an answer", async () => {
  for (
    const [text, said] of [
      ["{", "is not valid JSON"],
      ["{}", 'no list \\"hooks\\"'],
      ['{ "hooks": [] }', "has no hooks"],
      ['{ "hooks": [{ "event": "before_tol", "command": "x" }] }', "did you mean"],
      ['{ "hooks": [{ "command": "x" }] }', "has no event"],
      ['{ "hooks": [{ "event": "stop" }] }', "has no command"],
      ['{ "hooks": [{ "event": "stop", "comand": "x" }] }', "did you mean"],
      ['{ "hooks": [{ "event": "stop", "command": "x", "timeout": 0 }] }', "number of seconds"],
      ['{ "hooks": [{ "event": "stop", "command": "x", "hosts": { "zed": {} } }] }', "none of"],
      ['{ "hooks": [{ "hosts": { "cursor": { "entry": {} } } }] }', "has no event"],
      ['{ "hooks": [{ "event": "stop", "command": "{{dir}}/bin/gone.sh" }] }', "bin/gone.sh"],
    ] as const
  ) {
    await using one = await world(targetOf(HOSTS[1]));
    await one.write("m/guard/hook.json", text);
    const error = await plan(one.reader(), {}).catch((thrown: unknown) => thrown);
    assertStringIncludes(JSON.stringify(String(error)), said);
  }
  await using one = await world(targetOf(HOSTS[1]));
  const token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
  await one.write(
    "m/guard/hook.json",
    `{ "hooks": [{ "event": "subagent_stop", "command": "curl -H 'Authorization: Bearer ${token}' https://example.com" }] }`,
  );
  const answer = JSON.stringify(await preview(one.reader(), {}, { diff: true }));
  assert(!answer.includes(token), answer);
  assertStringIncludes(answer, "what looks like a secret");
});

Deno.test("what a tool has no event for, a script that cannot run and a directory that needs quotes are told", async () => {
  await using one = await world(targetOf(HOSTS[2]));
  await one.write(
    "m/guard/hook.json",
    '{ "hooks": [{ "event": "notification", "command": "x" }, { "event": "stop", "command": "{{dir}}/bin/check.sh" }] }',
  );
  await one.chmod(join(one.repo, "m/guard/bin/check.sh"), 0o644);
  const { warnings } = await plan(one.reader(), {});
  assertStringIncludes(warnings.join("\n"), "it has no event notification");
  assertStringIncludes(warnings.join("\n"), "bin/check.sh, which is not executable");
  await setUp(
    one,
    targetOf(HOSTS[2]),
    HOOK.replace(" } } }", ' } }, metadata: { output: "a b" } }'),
  );
  const quoted = await plan(one.reader(), {});
  assertEquals(quoted.data.changes, []);
  assertStringIncludes(quoted.warnings.join("\n"), "metadata.output names another");
});

Deno.test("import takes hooks as they are, and leaves what has a secret or runs the same twice", async () => {
  await using one = await PackWorld.inMemory();
  await setUp(one, targetOf(HOSTS[1]), " []");
  const group = (command: string, more = {}) => ({
    hooks: [{ type: "command", command, ...more }],
  });
  await one.write(
    at(one, HOSTS[1][3]),
    JSON.stringify({
      hooks: {
        Stop: [group("one"), group("one", { timeout: 3 })],
        PreToolUse: [group("API_TOKEN=ghp_abcdefghijklmnopqrstuvwxyz0123456789 two")],
        PermissionRequest: [{ ...group("three"), once: true }],
      },
    }),
  );
  const { data } = await importAssets(one.pack(), {}, { apply: true });
  const items = data.plan.map(({ module_id, op }) => [
    /-(stop|pretooluse|permissionrequest)-/.exec(module_id)?.[1],
    op,
  ]);
  assertEquals(items.sort(), [
    ["permissionrequest", "create"],
    ["pretooluse", "skip_invalid"],
    ["stop", "create"],
    ["stop", "skip_invalid"],
  ]);
});
