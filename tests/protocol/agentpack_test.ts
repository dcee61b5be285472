// agentpack's tools over MCP as a black box: the eleven tools, envelopes, the two steps of a deploy, consent
// by a person, projects by flag, environment and roots.

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { McpClient, type ToolAnswer } from "../support/mcp_client.ts";
import { setUp, snapshot } from "../support/pack_fixture.ts";
import { PackWorld } from "../support/pack_world.ts";

const TOOLS = [
  "plan",
  "diff",
  "preview",
  "status",
  "doctor",
  "deploy",
  "deploy_apply",
  "rollback",
  "evolve_propose",
  "evolve_restore",
  "explain",
];

function serve(
  world: PackWorld,
  args: readonly string[] = [],
  env: Record<string, string> = {},
  cwd = world.project,
): McpClient {
  return new McpClient(
    world.world,
    ["--toolsets", "agentpack", ...args],
    { AGENTPACK_MACHINE_ID: "box", ...env },
    { cwd, words: ["mcp", "serve"] },
  );
}

function error(answer: ToolAnswer): { code: string; details: Record<string, unknown> } {
  return pick(answer.data, "errors", 0) as { code: string; details: Record<string, unknown> };
}

/** Refused with a code: an envelope in text and structured content, and nothing else. */
function assertRefused(answer: ToolAnswer, code: string): Record<string, unknown> {
  assertEquals(answer.isError, true, answer.text);
  assertEquals(JSON.parse(answer.text), answer.data);
  assertEquals([answer.data["ok"], answer.data["data"]], [false, {}]);
  assertEquals(error(answer).code, code, answer.text);
  assert(Array.isArray(error(answer).details["next_actions"]), answer.text);
  assertEquals(typeof error(answer).details["reason_code"], "string");
  return error(answer).details;
}

function text(answer: ToolAnswer, member: string): string {
  return String(pick(answer.data, "data", member));
}

Deno.test("the server is named agentpack, has exactly eleven tools, and answers as the command line does", async () => {
  await using world = await PackWorld.make();
  await setUp(world);
  await snapshot(world, { target: "codex" });
  await world.write(join(world.project, "AGENTS.md"), "edited\n");
  await using client = serve(world);
  const answer = await client.initialize();
  assertEquals(pick(answer, "result", "serverInfo", "name"), "agentpack");
  assertEquals(pick(answer, "result", "protocolVersion"), "2025-06-18");
  const list = pick(await client.request("tools/list"), "result", "tools") as { name: string }[];
  assertEquals(list.map(({ name }) => name), TOOLS);
  const both: readonly (readonly [string, Record<string, unknown>, readonly string[]])[] = [
    ["plan", {}, ["plan"]],
    ["plan", { profile: null, target: "all", dry_run: true }, ["plan"]],
    ["diff", { target: "vscode" }, ["diff", "--target", "vscode"]],
    ["preview", { diff: true }, ["preview", "--diff"]],
    ["status", { only: ["missing"] }, ["status", "--only", "missing"]],
    ["doctor", { target: "codex" }, ["doctor", "--target", "codex"]],
    ["explain", { kind: "plan" }, ["explain", "plan"]],
    ["explain", { kind: "diff" }, ["explain", "diff"]],
    ["explain", { kind: "status" }, ["explain", "status"]],
    ["deploy_apply", { yes: true, dry_run: true, confirm_token: "" }, ["deploy"]],
    ["evolve_propose", { dry_run: true }, ["evolve", "propose", "--dry-run"]],
    ["evolve_restore", { dry_run: true }, ["evolve", "restore", "--dry-run"]],
    ["plan", { repo: "/nowhere" }, ["plan", "--repo", "/nowhere"]],
    ["plan", { target: "zed" }, ["plan", "--target", "zed"]],
    ["plan", { target: "emacs" }, ["plan", "--target", "emacs"]],
    ["plan", { profile: "none such" }, ["plan", "--profile", "none such"]],
  ];
  const ran = await Promise.all(both.map(async ([name, args, words]) => ({
    words,
    tool: await client.call(name, args),
    line: await world.world.amof(["agentpack", ...words, "--json"], {
      cwd: world.project,
      env: { AGENTPACK_MACHINE_ID: "box" },
    }),
  })));
  for (const { words, tool, line } of ran) {
    const expected = line.json();
    if (expected["ok"] === false) expected["command"] = words.slice(0, 1).join(".");
    const called = { ...tool.data };
    if (called["command_id"] === "deploy --apply") {
      Object.assign(expected, {
        command_id: "deploy --apply",
        command_path: ["deploy", "--apply"],
      });
    }
    assertEquals(called, expected, words.join(" "));
    assertEquals(JSON.parse(tool.text), tool.data);
    assertEquals(tool.isError, expected["ok"] === false);
  }
  assertEquals(ran[7]?.tool.data["command"], "explain.diff");
  assertEquals(ran[5]?.tool.data["command_id"], "doctor");
});

Deno.test("malformed arguments are results with E_INVALID_ARGUMENTS; only an unknown tool is a protocol error", async () => {
  await using world = await PackWorld.make();
  await using client = serve(world);
  await client.initialize();
  const wrong: readonly (readonly [string, unknown, string])[] = [
    ["plan", { tarket: "codex" }, 'did you mean "target"'],
    ["plan", { profile: 1 }, '"profile" must be a string'],
    ["plan", { dry_run: "yes" }, '"dry_run" must be a boolean'],
    ["status", { only: "missing" }, '"only" must be a list'],
    [
      "status",
      { only: ["missing", "nothing"] },
      'must be missing, modified or extra, not "nothing"',
    ],
    ["explain", {}, '"kind" is missing'],
    ["explain", { kind: "else" }, '"kind" must be plan, diff or status'],
    ["rollback", { yes: true }, '"to" is missing'],
    ["rollback", { to: null, yes: true }, '"to" is missing'],
    ["doctor", { profile: "default" }, 'no argument "profile"'],
    ["evolve_propose", { scope: "user", yes: true }, '"scope" must be global, machine or project'],
    ["deploy_apply", { yes: "true", confirm_token: "x" }, '"yes" must be a boolean'],
    ["plan", [], "no argument"],
    ["plan", "text", "no argument"],
    ["plan", { constructor: 1 }, "no argument"],
  ];
  for (const [name, args, message] of wrong) {
    const answer = await client.request("tools/call", { name, arguments: args });
    const result = pick(answer, "result") as { isError: boolean; structuredContent: unknown };
    assertEquals(result?.isError, true, JSON.stringify(answer));
    assertEquals(pick(result.structuredContent, "errors", 0, "code"), "E_INVALID_ARGUMENTS");
    assertStringIncludes(String(pick(result.structuredContent, "errors", 0, "message")), message);
    assertEquals(
      pick(result.structuredContent, "errors", 0, "details", "reason_code"),
      "invalid_arguments",
    );
  }
  const unknown = await client.request("tools/call", { name: "deploi", arguments: {} });
  assertEquals(pick(unknown, "error", "code"), -32602);
  assertStringIncludes(String(pick(unknown, "error", "message")), "did you mean deploy?");
  assertEquals(await world.read(join(world.root, "state", "lock")), null);
});

Deno.test("deploy and deploy_apply go through every check in the order of the contract", async () => {
  await using world = await PackWorld.make();
  await setUp(world);
  await world.write(join(world.project, "AGENTS.md"), "mine\n");
  const file = join(world.home, ".codex", "prompts", "changelog.md");
  const config = join(world.repo, "agentpack.yaml");
  const good = await world.read(config) ?? "";
  const before = await world.tree(world.repo, world.project, world.home);
  await using client = serve(world);
  await client.initialize();
  const apply = (args: Record<string, unknown>) => client.call("deploy_apply", args);

  // 1: no yes, whatever else is wrong.
  await world.config("version: 9\n");
  for (const args of [{}, { yes: false }, { dry_run: true }, { confirm_token: "x" }]) {
    const refused = await apply(args);
    assertEquals(assertRefused(refused, "E_CONFIRM_REQUIRED"), {
      command: "deploy --apply",
      reason_code: "confirm_required",
      next_actions: ["retry_with_yes"],
    });
    assertEquals(
      [refused.data["command"], refused.data["command_id"]],
      ["deploy", "deploy --apply"],
    );
  }
  // 3 and 4 come before the configuration is read.
  const required = assertRefused(await apply({ yes: true }), "E_CONFIRM_TOKEN_REQUIRED");
  assertEquals(required["reason_code"], "confirm_token_required");
  assertEquals(required["next_actions"], ["call_deploy", "retry_deploy_apply"]);
  assertRefused(await apply({ yes: true, confirm_token: "" }), "E_CONFIRM_TOKEN_REQUIRED");
  const unknown = assertRefused(
    await apply({ yes: true, confirm_token: "f".repeat(64) }),
    "E_CONFIRM_TOKEN_MISMATCH",
  );
  assertEquals([unknown["reason_code"], unknown["next_actions"]], [
    "confirm_token_mismatch",
    ["call_deploy", "retry_deploy_apply"],
  ]);
  // A failed deploy hands out no token.
  assertRefused(await client.call("deploy"), "E_CONFIG_UNSUPPORTED_VERSION");
  await world.config(good);

  const first = await client.call("deploy", {});
  const token = text(first, "confirm_token");
  assertMatch(token, /^[0-9a-f]{64}$/);
  assertMatch(text(first, "confirm_plan_hash"), /^[0-9a-f]{64}$/);
  const lives = Date.parse(text(first, "confirm_token_expires_at")) - Date.now();
  assert(lives > 0 && lives <= 600_000, String(lives));
  assertEquals(pick(first.data, "data", "applied"), false);
  const second = await client.call("deploy", { profile: "default", target: "all" });
  assert(text(second, "confirm_token") !== token);
  assertEquals(text(second, "confirm_plan_hash"), text(first, "confirm_plan_hash"));

  // 2: a dry run needs no token and spends none.
  const dry = await apply({ yes: true, dry_run: true });
  assertEquals([dry.isError, pick(dry.data, "data", "applied")], [false, false]);
  // 6: another binding, even if nothing else differs.
  for (const args of [{ target: "codex" }, { profile: "more" }, { machine: "other" }]) {
    const other = assertRefused(
      await apply({ yes: true, confirm_token: token, ...args }),
      "E_CONFIRM_TOKEN_MISMATCH",
    );
    assertEquals("confirm_plan_hash" in other, false);
  }
  // 7: a planning error is answered as it is; a changed source or destination with both hashes.
  await world.config("version: 9\n");
  assertRefused(await apply({ yes: true, confirm_token: token }), "E_CONFIG_UNSUPPORTED_VERSION");
  await world.config(good);
  for (
    const [path, was] of [["m/changelog.md", "Write a changelog entry.\n"], [file, null]] as const
  ) {
    await world.write(path, "Changed\n");
    const changed = assertRefused(
      await apply({ yes: true, confirm_token: token, adopt: true }),
      "E_CONFIRM_TOKEN_MISMATCH",
    );
    assertEquals(changed["expected_confirm_plan_hash"], text(first, "confirm_plan_hash"));
    assert(changed["confirm_plan_hash"] !== changed["expected_confirm_plan_hash"]);
    if (was === null) await Deno.remove(join(world.home, ".codex"), { recursive: true });
    else await world.write(path, was);
  }
  // 8: adoption is refused, and the token stays good.
  const adopt = assertRefused(
    await apply({ yes: true, confirm_token: token }),
    "E_ADOPT_CONFIRM_REQUIRED",
  );
  assertEquals(adopt, {
    flag: "--adopt",
    adopt_updates: 1,
    sample_paths: [join(world.project, "AGENTS.md")],
    reason_code: "adopt_confirm_required",
    next_actions: ["retry_with_adopt"],
  });
  assertEquals(await world.tree(world.repo, world.project, world.home), before);
  // 9 and 10: with other words for the same inputs; spent once.
  const done = await apply({
    yes: true,
    confirm_token: token,
    adopt: true,
    profile: "default",
    target: "all",
    machine: "BOX",
  });
  assertEquals([done.isError, pick(done.data, "data", "applied")], [false, true], done.text);
  assertEquals(await world.read(file), "Write a changelog entry.\n");
  assertRefused(
    await apply({ yes: true, confirm_token: token, adopt: true }),
    "E_CONFIRM_TOKEN_MISMATCH",
  );
  // Nothing to do spends the token, too.
  const idle = text(await client.call("deploy"), "confirm_token");
  const nothing = await apply({ yes: true, confirm_token: idle });
  assertEquals(pick(nothing.data, "data", "reason"), "no_changes");
  assertRefused(await apply({ yes: true, confirm_token: idle }), "E_CONFIRM_TOKEN_MISMATCH");
});

Deno.test("a token expires, and a server knows only its own", async () => {
  await using world = await PackWorld.make();
  await setUp(world, "  cursor: { mode: files, scope: project }");
  await using short = serve(world, [], { AGENTPACK_CONFIRM_SECONDS: "0" });
  await short.initialize();
  const token = text(await short.call("deploy"), "confirm_token");
  const expired = assertRefused(
    await short.call("deploy_apply", { yes: true, confirm_token: token }),
    "E_CONFIRM_TOKEN_EXPIRED",
  );
  assertEquals(expired["reason_code"], "confirm_token_expired");
  assertRefused(
    await short.call("deploy_apply", { yes: true, confirm_token: token }),
    "E_CONFIRM_TOKEN_MISMATCH",
  );
  await using other = serve(world);
  await other.initialize();
  const foreign = text(await other.call("deploy"), "confirm_token");
  assertRefused(
    await short.call("deploy_apply", { yes: true, confirm_token: foreign }),
    "E_CONFIRM_TOKEN_MISMATCH",
  );
});

Deno.test("rollback and evolve want yes before anything is loaded, and then do their work", async () => {
  await using world = await PackWorld.make();
  await using client = serve(world);
  await client.initialize();
  // Without any configuration: the refusal comes first.
  for (
    const [name, args, id] of [
      ["rollback", { to: "1" }, "rollback"],
      ["evolve_propose", {}, "evolve propose"],
      ["evolve_restore", { yes: false }, "evolve restore"],
    ] as const
  ) {
    const refused = await client.call(name, args);
    assertEquals(assertRefused(refused, "E_CONFIRM_REQUIRED")["command"], id);
    assertEquals(refused.data["command"], id.replace(" ", "."));
  }
  await setUp(world);
  const id = await snapshot(world);
  const file = join(world.home, ".codex", "prompts", "changelog.md");
  await world.write(file, "Edited\n");
  await world.commitRepo();
  const proposed = await client.call("evolve_propose", { yes: true, branch: "evolve/mine" });
  assertEquals(pick(proposed.data, "data", "branch"), "evolve/mine", proposed.text);
  const rolled = await client.call("rollback", { to: id, yes: true, repo: "/ignored" });
  assertEquals(pick(rolled.data, "data", "rolled_back_to"), id, rolled.text);
  assertEquals(await world.read(file), "Write a changelog entry.\n");
  await Deno.remove(file);
  const restored = await client.call("evolve_restore", { yes: true });
  assertEquals(pick(restored.data, "data", "summary", "restored"), 1, restored.text);
  assertRefused(await client.call("rollback", { to: "12", yes: true }), "E_SNAPSHOT_NOT_FOUND");
});

Deno.test("with --confirm human a person sees each change first; without forms nothing is changed", async () => {
  await using world = await PackWorld.make();
  await setUp(world);
  const file = join(world.home, ".codex", "prompts", "changelog.md");
  await using client = serve(world, ["--confirm", "human"]);
  await client.initialize({ capabilities: { elicitation: {} } });
  const ask = async (
    name: string,
    args: Record<string, unknown>,
    result: unknown,
    meanwhile?: () => Promise<void>,
  ): Promise<[string, ToolAnswer]> => {
    const calling = client.call(name, args);
    const form = await client.asked("elicitation/create");
    await meanwhile?.();
    await client.respond(form, result);
    return [String(pick(form, "params", "message")), await calling];
  };
  const yes = { action: "accept", content: { confirm: true } };
  const token = text(await client.call("deploy"), "confirm_token");
  const apply = { yes: true, confirm_token: token };
  for (
    const [result, decision] of [
      [{ action: "decline" }, "declined"],
      [{ action: "cancel" }, "cancelled"],
      [{ action: "accept", content: { confirm: false } }, "declined"],
    ] as const
  ) {
    const [message, refused] = await ask("deploy_apply", apply, result);
    assertMatch(message, /^⚠️ agentpack deploy --apply\?\n\nThis is what it would do:\n\n/);
    assertStringIncludes(message, "+Write a changelog entry.");
    const details = assertRefused(refused, "E_CONFIRM_REQUIRED");
    assertEquals([details["decision"], details["reason_code"]], [decision, `human_${decision}`]);
    assertEquals(await world.read(file), null);
  }
  // The files changed while the person was deciding.
  const [, stale] = await ask(
    "deploy_apply",
    apply,
    yes,
    () => world.write("m/changelog.md", "Changed\n"),
  );
  assertRefused(stale, "E_CONFIRM_TOKEN_MISMATCH");
  await world.write("m/changelog.md", "Write a changelog entry.\n");
  const [, done] = await ask("deploy_apply", apply, yes);
  assertEquals(pick(done.data, "data", "applied"), true, done.text);
  const id = text(done, "snapshot_id");
  await world.write(file, "Edited\n");
  await world.commitRepo();
  const [proposal, proposed] = await ask("evolve_propose", { yes: true }, yes);
  assertStringIncludes(proposal, "prompt:changelog");
  assertEquals(pick(proposed.data, "data", "created"), true, proposed.text);
  const [plan, rolled] = await ask("rollback", { to: id, yes: true }, yes);
  assertStringIncludes(plan, file);
  assertEquals(rolled.isError, false, rolled.text);
  await Deno.remove(file);
  const [missing, restored] = await ask("evolve_restore", { yes: true }, yes);
  assertStringIncludes(missing, file);
  assertEquals(restored.isError, false, restored.text);
  // Without a change nobody is asked.
  const idle = await client.call("evolve_restore", { yes: true });
  assertEquals(pick(idle.data, "data", "reason"), "no_missing");

  await using blind = serve(world, [], { AMOF_CONFIRM: "human" });
  await blind.initialize();
  await Deno.remove(file);
  const refused = assertRefused(
    await blind.call("evolve_restore", { yes: true }),
    "E_CONFIRM_REQUIRED",
  );
  assertEquals(refused["decision"], "unsupported");
  assertEquals(await world.read(file), null);
});

Deno.test("amof audit tells of every call that could have changed something, and how it was decided", async () => {
  await using world = await PackWorld.make();
  await setUp(world);
  const entries = async (...args: string[]) => {
    const ran = await world.world.amof(["audit", "--json", ...args], { cwd: world.project });
    assertEquals(ran.code, 0, ran.stdout + ran.stderr);
    return rows(ran.json(), "entries").reverse();
  };
  const brief = (found: readonly Record<string, unknown>[]) =>
    found.map((one) => `${one["tool"]}: ${one["decision"]} ${one["way"]} ${one["outcome"]}`);
  {
    await using client = serve(world);
    await client.initialize();
    await client.call("status");
    const shown = await client.call("deploy");
    const token = text(shown, "confirm_token");
    await client.call("deploy_apply", { confirm_token: token });
    await client.call("deploy_apply", { yes: true, confirm_token: "ff00" });
    await client.call("deploy_apply", { yes: true, confirm_token: token, dry_run: true });
    await world.write("m/changelog.md", "Changed\n");
    await client.call("deploy_apply", { yes: true, confirm_token: token });
    await world.write("m/changelog.md", "Write a changelog entry.\n");
    const done = await client.call("deploy_apply", { yes: true, confirm_token: token });
    await client.call("rollback", { yes: true, to: "1" });
    await client.call("rollback", { yes: true, to: text(done, "snapshot_id") });
    await client.call("rollback", { yes: true, to: 7 });
    await client.call("evolve_propose", { dry_run: true });
    const found = await entries();
    assertEquals(brief(found), [
      "agentpack deploy --apply: unsupported token E_CONFIRM_REQUIRED",
      "agentpack deploy --apply: confirmation_invalid token E_CONFIRM_TOKEN_MISMATCH",
      "agentpack deploy --apply: confirmation_stale token E_CONFIRM_TOKEN_MISMATCH",
      "agentpack deploy --apply: accepted token ok",
      "agentpack rollback: failed flag E_SNAPSHOT_NOT_FOUND",
      "agentpack rollback: accepted flag ok",
      "agentpack rollback: failed flag E_INVALID_ARGUMENTS",
    ]);
    const [, , , applied] = found;
    assertEquals(pick(applied, "preview_hash"), text(shown, "confirm_plan_hash"));
    assertEquals(pick(applied, "args"), { yes: true, confirm_token: "***" });
    assertEquals(new Set(found.map((one) => one["session_id"])).size, 1);
    assertEquals([pick(applied, "door"), pick(applied, "mode")], ["mcp", "none"]);
    assertMatch(String(pick(applied, "client")), /^[^/]+\/.+/);
  }
  await world.write("m/changelog.md", "Changed\n");
  await using client = serve(world, ["--confirm", "human"]);
  await client.initialize({ capabilities: { elicitation: {} } });
  const shown = await client.call("deploy");
  const apply = { yes: true, confirm_token: text(shown, "confirm_token") };
  for (
    const result of [{ action: "decline" }, { action: "cancel" }, {
      action: "accept",
      content: { confirm: true },
    }]
  ) {
    const calling = client.call("deploy_apply", apply);
    await client.respond(await client.asked("elicitation/create"), result);
    await calling;
  }
  const asked = await entries("--way", "elicitation", "--tool", "deploy");
  assertEquals(brief(asked), [
    "agentpack deploy --apply: declined elicitation E_CONFIRM_REQUIRED",
    "agentpack deploy --apply: cancelled elicitation E_CONFIRM_REQUIRED",
    "agentpack deploy --apply: accepted elicitation ok",
  ]);
  const hash = text(shown, "confirm_plan_hash");
  assertEquals(asked.map((one) => one["preview_hash"]), [hash, hash, hash]);
  await using blind = serve(world, ["--confirm", "human"]);
  await blind.initialize();
  await blind.call("evolve_propose", { yes: true });
  await world.write(join(world.home, ".codex", "prompts", "changelog.md"), "Edited\n");
  await world.commitRepo();
  await blind.call("evolve_propose", { yes: true });
  assertEquals(brief(await entries("--limit", "2")), [
    "agentpack evolve propose: executed none ok",
    "agentpack evolve propose: unsupported elicitation E_CONFIRM_REQUIRED",
  ]);
});

Deno.test("weakness 9.11: the project comes from flag, environment, the working directory, or the client's roots", async () => {
  await using world = await PackWorld.make();
  await setUp(world, "  cursor: { mode: files, scope: project }");
  const other = join(world.world.directory, "other");
  await Deno.mkdir(other);
  const projects = async (client: McpClient, roots: readonly string[] | null) => {
    await client.initialize(roots === null ? {} : { capabilities: { roots: {} } });
    const planning = client.call("plan");
    if (roots !== null) {
      const request = await client.asked("roots/list");
      await client.respond(request, {
        roots: roots.map((path) => ({ uri: toFileUrl(path).href })),
      });
    }
    const answer = await planning;
    const [change] = pick(answer.data, "data", "changes") as { path: string }[];
    return [
      change?.path.slice(0, change.path.indexOf("/.cursor")),
      (answer.data["warnings"] as string[]).filter((line) => line.includes("root")).length,
    ];
  };
  {
    await using client = serve(world, ["--project-root", other], {}, "/");
    assertEquals(await projects(client, null), [other, 0]);
  }
  {
    await using client = serve(world, [], { AGENTPACK_PROJECT_ROOT: other });
    assertEquals(await projects(client, null), [other, 0]);
  }
  {
    await using client = serve(world, [], {}, world.home);
    assertEquals(await projects(client, ["/nowhere/at/all", other, world.project]), [other, 1]);
  }
  {
    await using client = serve(world, [], {}, "/");
    assertEquals(await projects(client, [world.project]), [world.project, 0]);
  }
  {
    await using client = serve(world, [], {}, world.home);
    assertEquals(await projects(client, null), [world.home, 1]);
  }
});

Deno.test("agentpack mcp serve is the same server; beside other toolsets its tools are amof's", async () => {
  await using world = await PackWorld.make();
  await setUp(world);
  const tools = async (client: McpClient) => {
    const answer = await client.initialize();
    const list = pick(await client.request("tools/list"), "result", "tools") as { name: string }[];
    return [pick(answer, "result", "serverInfo", "name"), list.map(({ name }) => name)] as const;
  };
  {
    await using client = new McpClient(world.world, ["--read-only"], {}, {
      cwd: world.project,
      words: ["agentpack", "mcp", "serve"],
    });
    const reading = TOOLS.filter((name) => !/apply|rollback|evolve/.test(name));
    assertEquals(await tools(client), ["agentpack", reading]);
    const refused = await client.request("tools/call", { name: "rollback", arguments: {} });
    assertEquals(pick(refused, "error", "code"), -32602);
  }
  {
    await world.world.makeControl();
    await using client = new McpClient(
      world.world,
      ["--toolsets", "ecosystem,agentpack", "--exclude-tools", "rollback"],
      {},
      { cwd: world.project },
    );
    const [name, list] = await tools(client);
    assertEquals(name, "amof");
    assert(list.includes("amof_list_ecosystems") && list.includes("deploy_apply"));
    assert(!list.includes("rollback"));
    const plan = await client.call("plan");
    assertEquals(plan.data["command"], "plan", plan.text);
  }
});

Deno.test("beside amof's tools the session's mode binds agentpack's: refused in ask, dry run in plan", async () => {
  await using world = await PackWorld.make();
  await setUp(world);
  const id = await snapshot(world, { target: "codex" });
  await world.world.makeControl();
  await using client = new McpClient(
    world.world,
    ["--toolsets", "session,agentpack"],
    { AGENTPACK_MACHINE_ID: "box" },
    { cwd: world.project },
  );
  await client.initialize();
  const deployed = join(world.project, "AGENTS.md");
  await world.write(deployed, "edited\n");
  const changes: readonly (readonly [string, Record<string, unknown>])[] = [
    ["deploy_apply", {}],
    ["rollback", { to: id }],
    ["evolve_propose", {}],
    ["evolve_restore", {}],
  ];
  const planned = await client.call("deploy", { target: "codex" });
  assertEquals(planned.isError, false, "looking is for every mode");
  const token = { confirm_token: text(planned, "confirm_token") };
  const setMode = (mode: string) => client.call("amof_set_mode", { mode });
  for (const [name, args] of changes) {
    for (const consent of [{}, { yes: true, ...(name === "deploy_apply" ? token : {}) }]) {
      const refused = await client.call(name, { ...args, ...consent });
      const details = assertRefused(refused, "E_MODE_INSUFFICIENT");
      assertEquals(
        [details["reason_code"], details["mode"], details["mode_required"]],
        ["mode_insufficient", "ask", "execute"],
      );
      assertStringIncludes(String(details["hint"]), 'amof_set_mode(mode="execute")');
    }
  }
  const [audited] = rows(
    (await world.world.amof(["audit", "--limit", "1", "--json"])).json(),
    "entries",
  );
  assertEquals([audited?.["decision"], audited?.["mode"]], ["refused_mode", "ask"]);
  await setMode("plan");
  for (const [name, args] of changes) {
    const answer = await client.call(name, {
      ...args,
      yes: true,
      ...(name === "deploy_apply" ? { ...token, target: "codex" } : {}),
    });
    assertEquals(answer.isError, false, answer.text);
    assertStringIncludes(answer.text, "The mode is plan");
  }
  assertEquals(await world.read(deployed), "edited\n");
  await setMode("execute");
  assertRefused(await client.call("deploy_apply", { target: "codex" }), "E_CONFIRM_REQUIRED");
  const applied = await client.call("deploy_apply", { ...token, target: "codex", yes: true });
  assertEquals(applied.isError, false, applied.text);
  assert(await world.read(deployed) !== "edited\n");
});

Deno.test("alone, agentpack's tools know modes only where the server was started with one", async () => {
  await using world = await PackWorld.make();
  await setUp(world);
  const deploys = async (args: readonly string[], env: Record<string, string> = {}) => {
    await using client = serve(world, args, env);
    await client.initialize();
    const plan = await client.call("deploy", { target: "codex" });
    return await client.call("deploy_apply", {
      target: "codex",
      yes: true,
      confirm_token: text(plan, "confirm_token"),
    });
  };
  assertRefused(await deploys(["--mode", "ask"]), "E_MODE_INSUFFICIENT");
  assertRefused(
    await deploys(["--mode", "execute", "--max-mode", "ask"]),
    "E_MODE_INSUFFICIENT",
  );
  for (const env of [{}, { AMOF_MAX_MODE: "plan" }]) {
    const planned = await deploys("AMOF_MAX_MODE" in env ? [] : ["--max-mode", "plan"], env);
    assertEquals(planned.isError, false, planned.text);
    assertEquals(pick(planned.data, "data", "applied"), false);
  }
  const done = await deploys([]);
  assertEquals([done.isError, pick(done.data, "data", "applied")], [false, true], done.text);
});
