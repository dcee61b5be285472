// Every stable error code of the contract is raised through a door, with its reason, its next actions and the
// details that the contract names.

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { AGENTPACK_CODES, type AgentpackCode } from "../../../../src/apps/agentpack/error.ts";
import type { Envelope } from "../../../../src/doors/agentpack/carry_out.ts";
import { makeApp } from "../../../../src/pipeline/app.ts";
import { packFeature } from "../../../../src/doors/agentpack/mcp/feature.ts";
import type { CallToolResult } from "../../../../src/doors/mcp/sdk.ts";
import { fixedModes } from "../../../../src/doors/agentpack/mcp/modes.ts";
import type { Mode } from "../../../../src/base/policy/mode.ts";
import { layoutOf } from "../../../../src/state/store/mod.ts";
import type { System } from "../../../../src/base/system/mod.ts";
import { call, type CallOptions } from "../../../support/pack_door.ts";
import { deploy, MODULES, setUp } from "../../../support/pack_fixture.ts";
import { PackWorld } from "../../../support/pack_world.ts";
import { smallDisk } from "../../../support/small_disk.ts";

type Case = (world: PackWorld) => Promise<Envelope>;

async function run(
  world: PackWorld,
  args: readonly string[],
  options: CallOptions = {},
): Promise<Envelope> {
  return (await call(world, [...args, "--json"], options)).envelope();
}

/** A configuration with one MCP server for Claude Code. */
async function withServer(world: PackWorld, source: string): Promise<void> {
  await world.write("m/search.json", '{ "command": "search-mcp" }\n');
  await setUp(
    world,
    "  claude_code: { mode: files, scope: project, options: { write_repo_mcp: true } }",
    `\n  - { id: "mcp_server:search", type: mcp_server, tags: [base], source: ${source} }`,
  );
}

/** How a server of tools differs from the usual one. */
interface ToolOptions {
  readonly lifetime?: number;
  /** The mode that the tools are bound to. */
  readonly mode?: Mode;
  /** With it a person is asked, who agrees; it is called while they think. */
  readonly whileAsked?: () => Promise<unknown>;
}

/** Calls tools of one server. */
function tools(world: PackWorld, { lifetime, mode, whileAsked }: ToolOptions = {}) {
  const { store } = makeApp(world.system, layoutOf(world.system.env), { root: null, jobs: null });
  const host = { system: world.system, version: "0.1.0", prefix: "agentpack", store };
  const feature = packFeature(host, {
    project: undefined,
    confirmBy: whileAsked === undefined ? "token" : "human",
    modes: fixedModes(mode ?? null, null),
    readOnly: false,
    excluded: [],
    tokenLifetimeMs: lifetime,
  });
  return async (name: string, args: Record<string, unknown> = {}): Promise<Envelope> => {
    const result = await feature.call({ name, arguments: args }, {
      revision: "2025-06-18",
      client: "test/1",
      signal: new AbortController().signal,
      progress: () => {},
      log: () => {},
      elicit: async () => {
        await whileAsked?.();
        return { action: "accept", content: { confirm: true } };
      },
      opener: null,
      roots: null,
      returning: null,
    });
    return (result as CallToolResult).structuredContent as unknown as Envelope;
  };
}

/** A world in which some files may not be made: whoever runs the tests may be allowed everything. */
function denying(system: System, isDenied: (path: string) => boolean): System {
  const { files } = system;
  return {
    ...system,
    files: {
      ...files,
      create: (path, content, options) =>
        isDenied(path)
          ? Promise.reject(
            Object.assign(new Deno.errors.PermissionDenied("Permission denied (os error 13)"), {
              code: "EACCES",
            }),
          )
          : files.create(path, content, options),
    },
  };
}

const TIDY = { id: "skill:tidy", scope: "global" } as const;

/** An overlay directory of the fixture's skill. */
async function overlay(world: PackWorld, kind?: "patch"): Promise<string> {
  await world.commitRepo();
  const args = [
    "overlay",
    "edit",
    TIDY.id,
    "--yes",
    ...(kind === undefined ? [] : ["--kind", kind]),
  ];
  const { data } = await run(world, args);
  return (data as { overlay_dir: string }).overlay_dir;
}

async function replaceInConfig(world: PackWorld, from: string, to: string): Promise<void> {
  const text = await world.read(join(world.repo, "agentpack.yaml")) ?? "";
  assert(text.includes(from), from);
  await world.config(text.replace(from, to));
}

const A_GIT_MODULE = `
  - { id: "skill:far", type: skill, tags: [base], source: { git: { url: "https://example.invalid/x.git" } } }`;

/** How to raise each code, the details it must have, and the reason where a code has several. */
const CASES: readonly {
  readonly code: AgentpackCode;
  readonly details: readonly string[];
  readonly reason?: string;
  readonly next?: readonly string[];
  /** Whether it takes git, and with it the disk. */
  readonly git?: boolean;
  readonly raise: Case;
}[] = [
  {
    code: "E_CONFIRM_REQUIRED",
    details: ["command"],
    raise: (world) => run(world, ["deploy", "--apply"]),
  },
  {
    code: "E_MODE_INSUFFICIENT",
    details: ["command", "mode", "mode_required", "hint"],
    next: ["ask_the_person"],
    raise: (world) => tools(world, { mode: "ask" })("rollback", { to: "1", yes: true }),
  },
  {
    code: "E_CONFIRM_TOKEN_REQUIRED",
    details: ["hint"],
    raise: (world) => tools(world)("deploy_apply", { yes: true }),
  },
  {
    code: "E_CONFIRM_TOKEN_EXPIRED",
    details: ["hint"],
    async raise(world) {
      const tool = tools(world, { lifetime: 0 });
      const { data } = await tool("deploy");
      const { confirm_token } = data as { confirm_token: string };
      return await tool("deploy_apply", { yes: true, confirm_token });
    },
  },
  {
    code: "E_CONFIRM_TOKEN_MISMATCH",
    details: ["hint", "confirm_plan_hash", "expected_confirm_plan_hash"],
    async raise(world) {
      const tool = tools(world);
      const { data } = await tool("deploy");
      const { confirm_token } = data as { confirm_token: string };
      await world.write("m/changelog.md", "Changed\n");
      return await tool("deploy_apply", { yes: true, confirm_token });
    },
  },
  {
    code: "E_ADOPT_CONFIRM_REQUIRED",
    details: ["flag", "adopt_updates", "sample_paths"],
    async raise(world) {
      await world.write(join(world.project, "AGENTS.md"), "mine\n");
      return await run(world, ["deploy", "--apply", "--yes"]);
    },
  },
  {
    code: "E_TTY_REQUIRED",
    details: ["stdin_is_terminal", "stdout_is_terminal", "hint"],
    raise: (world) => run(world, ["init", "--guided", "--yes"]),
  },
  {
    code: "E_IMPORT_CONFLICT",
    details: ["count", "sample_paths", "sample_paths_posix", "hint"],
    async raise(world) {
      await world.write(join(world.home, ".codex/prompts/pr.md"), "Draft it.\n");
      await world.write("modules/prompts/imported/pr.md", "there\n");
      return await run(world, ["import", "--apply", "--yes"]);
    },
  },
  {
    code: "E_CONFIG_MISSING",
    details: ["path", "hint"],
    raise: (world) => run(world, ["--repo", join(world.home, "none"), "plan"]),
  },
  {
    code: "E_CONFIG_INVALID",
    details: ["path", "error"],
    async raise(world) {
      await world.config("version: 1\nmodules: 7\n");
      return await run(world, ["plan"]);
    },
  },
  {
    code: "E_CONFIG_UNSUPPORTED_VERSION",
    details: ["version", "supported"],
    async raise(world) {
      await world.config("version: 2\n");
      return await run(world, ["plan"]);
    },
  },
  {
    code: "E_LOCKFILE_MISSING",
    details: ["path", "hint"],
    raise: (world) => run(world, ["fetch", "--yes"]),
  },
  {
    code: "E_LOCKFILE_INVALID",
    details: ["path", "error"],
    async raise(world) {
      await setUp(world, undefined, MODULES + A_GIT_MODULE);
      await world.write("agentpack.lock.json", "{");
      return await run(world, ["plan"]);
    },
  },
  {
    code: "E_LOCKFILE_UNSUPPORTED_VERSION",
    details: ["path", "version", "supported", "hint"],
    async raise(world) {
      await world.write("agentpack.lock.json", '{"version":2,"generated_at":"x","modules":[]}');
      return await run(world, ["fetch", "--yes"]);
    },
  },
  {
    code: "E_TARGET_UNSUPPORTED",
    details: ["target", "allowed"],
    raise: (world) => run(world, ["plan", "--target", "emacs"]),
  },
  {
    code: "E_TARGET_UNSUPPORTED",
    details: ["target", "allowed"],
    reason: "target_not_compiled",
    next: [
      "inspect_help_json",
      "edit_manifest_targets",
      "rebuild_with_target_feature",
      "retry_command",
    ],
    async raise(world) {
      await replaceInConfig(world, "  cursor:", "  emacs:");
      return await run(world, ["plan"]);
    },
  },
  {
    code: "E_DESIRED_STATE_CONFLICT",
    details: ["target", "path", "existing", "new"],
    async raise(world) {
      await world.write("m/other/changelog.md", "Another.\n");
      await setUp(
        world,
        undefined,
        `${MODULES}
  - { id: "prompt:other", type: prompt, tags: [base], source: { local_path: { path: m/other/changelog.md } } }`,
      );
      return await run(world, ["plan"]);
    },
  },
  {
    code: "E_SHARED_FILE_INVALID",
    details: ["path", "line", "error"],
    async raise(world) {
      await withServer(world, "{ local_path: { path: m/search.json } }");
      await world.write(join(world.project, ".mcp.json"), "{\n  nothing\n}\n");
      return await run(world, ["plan"]);
    },
  },
  {
    code: "E_PROGRAM_NOT_ALLOWED",
    git: true,
    details: ["entries"],
    async raise(world) {
      const remote = join(world.home, "remote");
      await world.write(join(remote, "server.json"), '{ "command": "search-mcp" }\n');
      await world.git(remote, "init", "--quiet", "--initial-branch=main", "--template=");
      await world.git(remote, "add", ".");
      await world.git(remote, "commit", "--quiet", "-m", "One");
      await withServer(world, `{ git: { url: "file://${remote}" } }`);
      return await run(world, ["deploy", "--apply", "--yes"]);
    },
  },
  {
    code: "E_OVERLAY_NOT_FOUND",
    details: ["overlay_dir", "hint"],
    raise: (world) => run(world, ["overlay", "rebase", TIDY.id, "--yes"]),
  },
  {
    code: "E_OVERLAY_BASELINE_MISSING",
    git: true,
    details: ["overlay_dir", "baseline_path", "hint"],
    async raise(world) {
      await world.files.remove(join(await overlay(world), ".agentpack", "baseline.json"));
      return await run(world, ["overlay", "rebase", TIDY.id, "--yes"]);
    },
  },
  {
    code: "E_OVERLAY_BASELINE_UNSUPPORTED",
    git: true,
    details: [],
    async raise(world) {
      const path = join(await overlay(world), ".agentpack", "baseline.json");
      const baseline = JSON.parse(await world.read(path) ?? "{}") as Record<string, unknown>;
      await world.write(path, JSON.stringify({ ...baseline, upstream: null }));
      await world.write(join(path, "../../SKILL.md"), "---\nname: tidy\ndescription: Ours.\n---\n");
      await world.write("m/tidy/SKILL.md", "---\nname: tidy\ndescription: Theirs.\n---\n");
      return await run(world, ["overlay", "rebase", TIDY.id, "--yes"]);
    },
  },
  {
    code: "E_OVERLAY_REBASE_CONFLICT",
    git: true,
    details: [
      "module_id",
      "scope",
      "overlay_dir",
      "overlay_dir_posix",
      "dry_run",
      "sparsify",
      "conflicts",
      "summary",
    ],
    async raise(world) {
      const directory = await overlay(world);
      await world.write(join(directory, "SKILL.md"), "---\nname: tidy\ndescription: Ours.\n---\n");
      await world.write("m/tidy/SKILL.md", "---\nname: tidy\ndescription: Theirs.\n---\n");
      return await run(world, ["overlay", "rebase", TIDY.id, "--yes"]);
    },
  },
  {
    code: "E_OVERLAY_PATCH_APPLY_FAILED",
    git: true,
    details: ["module_id", "scope", "overlay_dir", "patch_file", "relpath", "stderr", "hint"],
    async raise(world) {
      await world.write(
        join(await overlay(world, "patch"), ".agentpack/patches/SKILL.md.patch"),
        "--- a/SKILL.md\n+++ b/SKILL.md\n@@ -1 +1 @@\n-nothing like it\n+else\n",
      );
      return await run(world, ["plan"]);
    },
  },
  {
    code: "E_GIT_REPO_REQUIRED",
    details: ["command", "repo", "repo_posix", "hint"],
    raise: (world) => run(world, ["sync", "--yes"]),
  },
  {
    code: "E_GIT_WORKTREE_DIRTY",
    git: true,
    details: ["command", "repo", "repo_posix", "hint"],
    async raise(world) {
      await world.commitRepo();
      await world.write("new.md", "new\n");
      return await run(world, ["sync", "--yes"]);
    },
  },
  {
    code: "E_GIT_DETACHED_HEAD",
    git: true,
    details: ["command", "repo", "repo_posix", "hint"],
    async raise(world) {
      await world.commitRepo();
      await world.git(world.repo, "switch", "--quiet", "--detach");
      return await run(world, ["sync", "--yes"]);
    },
  },
  {
    code: "E_GIT_REMOTE_MISSING",
    git: true,
    details: ["command", "repo", "repo_posix", "hint", "remote"],
    async raise(world) {
      await world.commitRepo();
      return await run(world, ["sync", "--yes"]);
    },
  },
  {
    code: "E_GIT_NOT_FOUND",
    git: true,
    details: ["cwd", "cwd_posix", "args", "hint"],
    async raise(world) {
      await setUp(world, undefined, MODULES + A_GIT_MODULE);
      world.world.env["PATH"] = "/nowhere";
      return await run(world, ["plan"]);
    },
  },
  {
    code: "E_POLICY_VIOLATIONS",
    details: ["root", "root_posix", "issues", "summary"],
    async raise(world) {
      await world.write(
        "agentpack.org.yaml",
        "version: 1\ndistribution_policy: { required_targets: [zed] }\n",
      );
      return await run(world, ["policy", "lint"]);
    },
  },
  {
    code: "E_POLICY_CONFIG_MISSING",
    details: ["path"],
    raise: (world) => run(world, ["policy", "lint"]),
  },
  {
    code: "E_POLICY_CONFIG_INVALID",
    details: ["path"],
    async raise(world) {
      await world.write("agentpack.org.yaml", "version: []\n");
      return await run(world, ["policy", "lint"]);
    },
  },
  {
    code: "E_POLICY_CONFIG_UNSUPPORTED_VERSION",
    details: ["path"],
    async raise(world) {
      await world.write("agentpack.org.yaml", "version: 3\n");
      return await run(world, ["policy", "lint"]);
    },
  },
  {
    code: "E_IO_PERMISSION_DENIED",
    details: ["path", "path_posix", "io_kind", "raw_os_error", "hint"],
    raise: (world) =>
      run(world, ["deploy", "--apply", "--yes"], {
        system: denying(world.system, (path) => path.includes("/.cursor/rules/")),
      }),
  },
  {
    code: "E_IO_INVALID_PATH",
    details: ["path", "path_posix", "io_kind", "raw_os_error", "hint"],
    async raise(world) {
      await world.files.makeDirectory(join(world.project, "AGENTS.md"));
      return await run(world, ["plan"]);
    },
  },
  {
    code: "E_IO_PATH_TOO_LONG",
    details: ["path", "path_posix", "io_kind", "raw_os_error", "hint"],
    async raise(world) {
      await replaceInConfig(world, '"skill:tidy"', `"skill:${"x".repeat(300)}"`);
      return await run(world, ["plan"]);
    },
  },
  {
    code: "E_IO_NO_SPACE",
    details: ["path", "path_posix", "io_kind", "raw_os_error", "hint"],
    async raise(world) {
      const disk = smallDisk(world.system, [join(world.root, "state")]);
      disk.capacity = await disk.used();
      return await run(world, ["deploy", "--apply", "--yes"], { system: disk.system });
    },
  },
  {
    code: "E_INTERRUPTED",
    details: [],
    raise: (world) =>
      run(world, ["plan"], {
        onInterrupt(callback) {
          callback("typed");
          return () => {};
        },
      }),
  },
  {
    code: "E_SNAPSHOT_NOT_FOUND",
    details: ["snapshot_id", "available"],
    raise: (world) => run(world, ["rollback", "--to", "../1", "--yes"]),
  },
  {
    code: "E_SNAPSHOT_INVALID",
    details: ["snapshot_id"],
    async raise(world) {
      const { data } = await deploy(world);
      const id = data.snapshot_id ?? "";
      await world.files.removeTree(join(world.root, "state/snapshots", id));
      await world.files.remove(join(world.project, "AGENTS.md"));
      const path = join(world.root, "state/snapshots", `${id}.json`);
      const record = JSON.parse(await world.read(path) ?? "{}") as Record<string, unknown>;
      await world.write(path, JSON.stringify({ ...record, status: "failed" }));
      return await run(world, ["rollback", "--to", id, "--yes"]);
    },
  },
  {
    code: "E_LOCK_HELD",
    details: ["pid", "path"],
    async raise(world) {
      const held = await world.system.files.lock(join(world.root, "state", "lock"));
      try {
        return await run(world, ["deploy", "--apply", "--yes"]);
      } finally {
        await held?.release();
      }
    },
  },
  {
    code: "E_PLAN_STALE",
    details: ["command"],
    async raise(world) {
      await deploy(world);
      await world.files.remove(join(world.project, "AGENTS.md"));
      return await tools(world, {
        whileAsked: () => world.files.remove(join(world.home, ".codex/AGENTS.md")),
      })("evolve_restore", { yes: true });
    },
  },
  { code: "E_USAGE", details: [], raise: (world) => run(world, ["plan", "--nonsense"]) },
  {
    code: "E_INVALID_ARGUMENTS",
    details: ["tool", "argument"],
    raise: (world) => tools(world)("plan", { nonsense: 1 }),
  },
];

for (const { code, details, reason, next, git, raise } of CASES) {
  Deno.test(`${code}${reason === undefined ? "" : ` (${reason})`} is raised with its details`, async () => {
    await using world = await (git ? PackWorld.make() : PackWorld.inMemory());
    await setUp(world);
    const envelope = await raise(world);
    assertEquals([envelope.ok, envelope.data], [false, {}]);
    const [error, ...others] = envelope.errors;
    assertEquals(others, []);
    assertEquals(error?.code, code, error?.message);
    assertEquals(error?.details?.["reason_code"], reason ?? AGENTPACK_CODES[code].reason);
    assertEquals(error?.details?.["next_actions"], next ?? AGENTPACK_CODES[code].next);
    const missing = details.filter((name) => error?.details?.[name] === undefined);
    assertEquals(missing, []);
  });
}

Deno.test("every code has a case", () => {
  const raised = new Set(CASES.map(({ code }) => code));
  const codes = Object.keys(AGENTPACK_CODES) as AgentpackCode[];
  assertEquals(codes.filter((code) => !raised.has(code) && code !== "E_UNEXPECTED"), []);
});
