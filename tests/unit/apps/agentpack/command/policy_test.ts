// Covers `policy lint`, `policy lock` and `policy audit`.

import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { AgentpackError } from "../../../../../src/apps/agentpack/error.ts";
import { lock, plan, policyAudit, policyLint, policyLock } from "../../../../support/pack_calls.ts";
import { assertCode } from "../../../../support/assert_code.ts";
import { MODULES, setUp, TARGETS } from "../../../../support/pack_fixture.ts";
import { PackWorld } from "../../../../support/pack_world.ts";

const ORG = "agentpack.org.yaml";

/** The rules that a check found broken, with what they are about. */
async function broken(world: PackWorld): Promise<string[]> {
  try {
    await policyLint(world.reader(), {});
    return [];
  } catch (error) {
    if (!(error instanceof AgentpackError) || error.code !== "E_POLICY_VIOLATIONS") throw error;
    const issues = error.details?.["issues"] as {
      rule: string;
      module_id?: string;
      target?: string;
    }[];
    return issues.map((issue) => `${issue.rule} ${issue.module_id ?? issue.target ?? ""}`.trim());
  }
}

/** A module that comes from a git repository, as a line of the configuration. */
function git(id: string, url: string): string {
  return `\n  - { id: "${id}", type: skill, tags: [far], source: { git: { url: ${
    JSON.stringify(url)
  } } } }`;
}

Deno.test("policyLint() tells a missing, broken, or later policy apart; other commands ignore it", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world);
  const path = join(world.repo, ORG);
  await assertCode("E_POLICY_CONFIG_MISSING", () => policyLint(world.reader(), {}), { path });
  for (const text of [":\n:", "- a\n", "version: one\n", "version: 1\npolicy_pack: {}\n"]) {
    await world.write(ORG, text);
    await assertCode("E_POLICY_CONFIG_INVALID", () => policyLint(world.reader(), {}), { path });
  }
  await world.write(ORG, "version: 2\npolicy_pack: 7\n");
  await assertCode("E_POLICY_CONFIG_UNSUPPORTED_VERSION", () => policyLint(world.reader(), {}), {
    path,
    version: 2,
    supported: [1],
  });
  await plan(world.reader(), {});
});

Deno.test("policyLint() finds broken modules, missing targets and modules, and foreign remotes", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(
    world,
    TARGETS,
    MODULES + git("skill:ours", "git@github.com:Your-Org/Assets.git") +
      git("skill:theirs", "https://github.com/your-organisation/assets.git"),
  );
  await world.write(ORG, "version: 1\n");
  assertEquals(await broken(world), []);
  await world.write("m/ship.md", "no front matter\n");
  await world.write(
    ORG,
    [
      "version: 1",
      "distribution_policy:",
      "  required_targets: [codex, zed]",
      '  required_modules: ["skill:tidy", "skill:none"]',
      "supply_chain_policy:",
      "  allowed_git_remotes: [github.com/your-org/]",
      "  require_lockfile: true",
      "policy_pack: { source: 'git:https://example.org/pack.git' }",
    ].join("\n"),
  );
  assertEquals(await broken(world), [
    "module_invalid command:ship",
    "required_target zed",
    "required_module skill:none",
    "git_remote_not_allowed skill:theirs",
    "git_remote_not_allowed policy_pack",
    "lockfile_required skill:ours",
    "lockfile_required skill:theirs",
    "policy_pack_not_locked",
  ]);
});

Deno.test("policyLint() judges where the lockfiles come from, and cannot pass what it cannot read", async () => {
  await using world = await PackWorld.inMemory();
  const url = "https://github.com/your-org/assets.git";
  await setUp(world, TARGETS, MODULES + git("skill:ours", url));
  await world.write(
    ORG,
    "version: 1\nsupply_chain_policy: { allowed_git_remotes: [github.com/your-org] }\n",
  );
  assertEquals(await broken(world), []);
  const locked = (id: string, from: string) => ({
    id,
    type: "skill",
    resolved_source: { git: { url: from, commit: "0".repeat(40), subdir: "" } },
    resolved_version: "0".repeat(40),
    sha256: "0".repeat(64),
    file_manifest: [],
  });
  const lockfile = (...modules: unknown[]) =>
    world.write(
      "agentpack.lock.json",
      JSON.stringify({ version: 1, generated_at: "2026-02-03T08:15:30Z", modules }),
    );
  await lockfile(locked("skill:ours", url));
  assertEquals(await broken(world), []);
  await lockfile(locked("skill:ours", "https://evil.example/assets.git"));
  await world.write(
    "agentpack.org.lock.json",
    JSON.stringify({ policy_pack: { resolved_source: { url: "https://evil.example/p.git" } } }),
  );
  assertEquals(await broken(world), [
    "git_remote_not_allowed skill:ours",
    "git_remote_not_allowed policy_pack",
  ]);
  await world.files.remove(join(world.repo, "agentpack.org.lock.json"));
  await world.write("agentpack.lock.json", "{");
  assertEquals(await broken(world), ["lockfile_invalid"]);
  await world.write(ORG, "version: 1\n");
  assertEquals(await broken(world), []);
});

Deno.test("policyLint() refuses members that it does not know, with the one that was meant", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world);
  const path = join(world.repo, ORG);
  for (
    const [text, error] of [
      [
        "supply_chain_polcy: { require_lockfile: true }",
        '"supply_chain_polcy" is unknown; did you mean "supply_chain_policy"?',
      ],
      [
        "supply_chain_policy: { require_lockfiles: true }",
        'supply_chain_policy."require_lockfiles" is unknown; did you mean "require_lockfile"?',
      ],
      [
        "policy_pack: { source: 'local:m/tidy', kind: x }",
        'policy_pack."kind" is unknown; it takes source',
      ],
    ] as const
  ) {
    await world.write(ORG, `version: 1\n${text}\n`);
    await assertCode("E_POLICY_CONFIG_INVALID", () => policyLint(world.reader(), {}), {
      path,
      error,
    });
  }
});

Deno.test("policyLint() takes only the host that git would talk to for the remote's", async () => {
  await using world = await PackWorld.inMemory();
  const covered = [
    "https://github.com/your-org/assets.git",
    "https://user:pass@github.com/your-org/assets",
    "ssh://git@GitHub.com:22/your-org/assets.git",
    "git@github.com:your-org/assets.git",
  ];
  const elsewhere = [
    "https://github.com@evil.example/your-org/assets.git",
    "https://evil.example#@github.com/your-org/assets.git",
    "https://evil.example?@github.com/your-org/assets.git",
    "https://evil.example\\@github.com/your-org/assets.git",
    "https://github.com.evil.example/your-org/assets.git",
    "https://evil.example/github.com/your-org/assets.git",
    "https://github.com/your-org-not/assets.git",
  ];
  const modules = [...covered, ...elsewhere].map((url, index) => git(`skill:s${index}`, url));
  await setUp(world, TARGETS, MODULES + modules.join(""));
  await world.write(
    ORG,
    "version: 1\nsupply_chain_policy: { allowed_git_remotes: [github.com/your-org] }\n",
  );
  assertEquals(
    await broken(world),
    elsewhere.map((_, index) => `git_remote_not_allowed skill:s${covered.length + index}`),
  );
});

Deno.test("policyLint() finds types that are forbidden, or come from elsewhere; plans with servers need a policy that can be read", async () => {
  await using world = await PackWorld.inMemory();
  const server =
    '\n  - { id: "mcp_server:here", type: mcp_server, tags: [base], source: { local_path: { path: m/here.json } } }';
  await setUp(
    world,
    "  claude_code: { mode: files, scope: project, options: { write_repo_mcp: true } }",
    server + git("skill:far", "https://example.org/far.git"),
  );
  await world.write("m/here.json", '{ "command": "here" }\n');
  const types = (text: string) =>
    world.write(ORG, `version: 1\nsupply_chain_policy: { ${text} }\n`);
  await types("local_types: [mcp_server, skill]");
  assertEquals(await broken(world), ["type_forbidden skill:far"]);
  await types("forbidden_types: [mcp_server]");
  assertEquals(await broken(world), ["type_forbidden mcp_server:here"]);
  const { data, warnings } = await plan(world.reader(), {});
  assertEquals(data.changes.length, 1);
  assertStringIncludes(warnings.join(), "agentpack.org.yaml forbids modules of type mcp_server");
  await types("forbidden_types: [mcp_servers]");
  await assertCode("E_POLICY_CONFIG_INVALID", () => policyLint(world.reader(), {}));
  await assertCode("E_POLICY_CONFIG_INVALID", () => plan(world.reader(), {}));
});

Deno.test("policyLock() pins the policy pack, and policyAudit() shows what is pinned", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world);
  await world.write(ORG, "version: 1\npolicy_pack: { source: 'local:m/tidy' }\n");
  assertEquals(await broken(world), ["policy_pack_not_locked"]);
  const { data } = await policyLock(world.pack(), {});
  assertEquals([data.source, data.resolved_version], ["local:m/tidy", "local"]);
  assertEquals(await broken(world), []);
  await world.write(ORG, "version: 1\npolicy_pack: { source: 'local:m/alpha' }\n");
  assertEquals(await broken(world), ["policy_pack_not_locked"]);
  for (const source of ["elsewhere", "git:ext::sh -c id"]) {
    await world.write(ORG, `version: 1\npolicy_pack: { source: '${source}' }\n`);
    await assertCode("E_POLICY_CONFIG_INVALID", () => policyLock(world.pack(), {}));
  }
  await assertCode("E_LOCKFILE_MISSING", () => policyAudit(world.reader(), {}));
  await lock(world.pack(), {});
  const audit = (await policyAudit(world.reader(), {})).data;
  assertEquals(audit.modules.length, 5);
  assertStringIncludes(JSON.stringify(audit.policy_pack), data.sha256);
});
