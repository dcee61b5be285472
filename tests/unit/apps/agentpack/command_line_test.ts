// Covers agentpack's command line: envelopes, consent, exit codes, help; every command of the table.

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { schemaData } from "../../../support/pack_calls.ts";
import { helpData, packHelp, packMarkdown } from "../../../../src/doors/agentpack/cli/help.ts";
import {
  PACK_ENTRIES,
  parsePack,
  takePackWords,
} from "../../../../src/doors/agentpack/cli/parse.ts";
import { layoutOf } from "../../../../src/state/store/mod.ts";
import { openStore } from "../../../../src/state/store/open.ts";
import { call } from "../../../support/pack_door.ts";
import { deploy, setUp, snapshot } from "../../../support/pack_fixture.ts";
import { PackWorld } from "../../../support/pack_world.ts";

const HEAD = ["schema_version", "ok", "command", "command_id", "command_path", "version"];

/** A call for every command id, in a world where each has something to do. */
async function calls(world: PackWorld): Promise<Record<string, readonly string[]>> {
  await setUp(world);
  const id = await snapshot(world);
  await world.write(join(world.project, "AGENTS.md"), "# Alpha\n\nUse more tabs.\n");
  await world.files.remove(join(world.home, ".codex", "prompts", "changelog.md"));
  await world.write("m/alpha/AGENTS.md", "# Alpha\n\nUse blanks.\n");
  await world.write(
    join(world.home, ".claude", "commands", "mine.md"),
    "---\ndescription: x\n---\n",
  );
  await world.write("agentpack.org.yaml", "version: 1\n");
  const remote = join(world.directory, "remote.git");
  await world.git(world.project, "init", "--quiet", "--bare", "--initial-branch=main", remote);
  await world.commitRepo();
  return {
    init: ["init"],
    add: ["add", "prompt", "local:m/changelog.md", "--id", "prompt:again"],
    remove: ["remove", "prompt:again"],
    import: ["import"],
    "import --apply": ["import", "--apply"],
    lock: ["lock"],
    fetch: ["fetch"],
    update: ["update", "--lock"],
    plan: ["plan"],
    diff: ["diff"],
    preview: ["preview", "--diff"],
    status: ["status", "--only", "missing,modified"],
    deploy: ["deploy"],
    "explain plan": ["explain", "plan"],
    "explain diff": ["explain", "diff"],
    "explain status": ["explain", "status"],
    "overlay edit": ["overlay", "edit", "skill:tidy", "--scope", "machine"],
    "overlay path": ["overlay", "path", "skill:tidy"],
    "overlay rebase": ["overlay", "rebase", "skill:tidy", "--scope", "machine"],
    "evolve propose": ["evolve", "propose", "--target", "codex"],
    "evolve restore": ["evolve", "restore", "--module-id", "prompt:changelog"],
    "deploy --apply": ["deploy", "--apply"],
    rollback: ["rollback", "--to", id],
    doctor: ["doctor"],
    "doctor --fix": ["doctor", "--fix"],
    bootstrap: ["bootstrap"],
    "snapshots list": ["snapshots", "list"],
    "snapshots prune": ["snapshots", "prune", "--keep", "10"],
    "orphans list": ["orphans", "list"],
    "orphans remove": ["orphans", "remove"],
    record: ["record"],
    score: ["score"],
    schema: ["schema"],
    "policy lint": ["policy", "lint"],
    "policy lock": ["policy", "lock"],
    "policy audit": ["policy", "audit"],
    "remote set": ["remote", "set", remote],
    sync: ["sync"],
    help: ["help"],
  };
}

Deno.test("every command answers with the envelope of the contract and the data its schema names", async () => {
  await using world = await PackWorld.make();
  const listed = await calls(world);
  const help = helpData();
  assertEquals(
    help.commands.map((command) => command.id).filter((id) =>
      !(id in listed) && id !== "mcp serve"
    ),
    [],
  );
  const { commands } = schemaData();
  for (const [id, args] of Object.entries(listed)) {
    // Some need a clean config repo, which earlier calls changed.
    if (id === "evolve propose" || id === "sync") await world.commitRepo("More");
    // There is nothing to lock without a policy pack, and without its lock a violation.
    if (id === "policy lock") {
      await world.write(
        "agentpack.org.yaml",
        "version: 1\npolicy_pack: { source: 'local:m/tidy' }\n",
      );
    }
    world.tick();
    const ran = await call(world, [...args, "--yes", "--json"], { stdin: `{"module_id":"a:b"}` });
    assertEquals([ran.code, ran.stderr], [0, ""], `${id}: ${ran.stdout}`);
    assertMatch(ran.stdout, /^\{.*\}\n$/, id);
    const envelope = ran.envelope();
    assertEquals(Object.keys(envelope), [...HEAD, "data", "warnings", "errors"], id);
    assertEquals([envelope.schema_version, envelope.ok, envelope.errors], [1, true, []], id);
    assertEquals(envelope.command_id, id);
    assertEquals(envelope.command_path, id.split(" "));
    assertEquals(
      envelope.command,
      id.split(" ").filter((word) => !word.startsWith("--")).join("."),
    );
    if (id === "help") continue;
    const fields =
      commands[envelope.command === "explain.diff" ? "explain.plan" : envelope.command];
    const extra = Object.keys(envelope.data).filter((name) => !fields?.data_fields.includes(name));
    assertEquals(extra, [], id);
  }
});

Deno.test("every mutating command without --yes is refused in JSON, naming itself, and changes nothing", async () => {
  await using world = await PackWorld.make();
  const listed = await calls(world);
  // A target that is gone leaves orphans to remove.
  await deploy(world, {}, true);
  const config = await world.read(join(world.repo, "agentpack.yaml")) ?? "";
  await world.config(config.replace(/ {2}vscode: .*\n/, ""));
  await world.write(join(world.project, "AGENTS.md"), "# Alpha\n\nEdited.\n");
  await world.files.remove(join(world.home, ".codex", "prompts", "changelog.md"));
  await world.commitRepo("More");
  const before = await world.tree(world.directory, world.root);
  const help = helpData();
  for (const id of help.mutating_commands) {
    // Rebasing needs an overlay, which is another mutation.
    const ran = await call(world, [...listed[id] ?? [], "--json"], { stdin: "{}" });
    assertEquals(ran.code, 1, id);
    const { ok, command, command_id, data, errors } = ran.envelope();
    assertEquals([ok, command, command_id, data], [false, id.split(" ")[0], id, {}], ran.stdout);
    assertEquals(errors[0]?.code, "E_CONFIRM_REQUIRED", ran.stdout);
    assertEquals(errors[0]?.details, {
      command: id,
      reason_code: "confirm_required",
      next_actions: ["retry_with_yes"],
    });
    const human = await call(world, listed[id] ?? [], { stdin: "{}" });
    assertEquals([human.code, human.stdout], [1, ""], id);
    assertStringIncludes(human.stderr, "error: ");
  }
  assertEquals(await world.tree(world.directory, world.root), before);
});

Deno.test("--dry-run wins over --apply and needs no consent; what cannot rehearse refuses it", async () => {
  await using world = await PackWorld.make();
  const listed = await calls(world);
  await world.write(".keep", "");
  const before = await world.tree(world.directory, world.root);
  for (
    const id of [
      "deploy --apply",
      "import --apply",
      "bootstrap",
      "rollback",
      "doctor --fix",
      "evolve propose",
      "evolve restore",
      "orphans remove",
      "add",
      "remote set",
    ]
  ) {
    const ran = await call(world, [...listed[id] ?? [], "--dry-run", "--json"]);
    assertEquals(ran.code, 0, `${id} ${ran.stdout}`);
    assertEquals(ran.envelope().command_id, id.replace(/ --.*/, ""));
  }
  for (const id of ["init", "lock", "record", "snapshots prune"]) {
    const ran = await call(world, [...listed[id] ?? [], "--dry-run", "--yes", "--json"]);
    assertEquals([ran.code, ran.envelope().errors[0]?.code], [2, "E_USAGE"], id);
  }
  assertEquals(await world.tree(world.directory, world.root), before);
});

Deno.test("usage errors exit with 2, and with --json print one envelope", async () => {
  await using world = await PackWorld.inMemory();
  const wrong: readonly (readonly [readonly string[], string])[] = [
    [["plann"], 'did you mean "plan"'],
    [["polcy", "--help"], 'did you mean "policy"'],
    [["overlay", "rebas"], 'did you mean "overlay rebase"'],
    [["plan", "--tarret", "codex"], "did you mean --target"],
    [["plan", "extra"], "takes no arguments"],
    [["help", "plan"], "takes no arguments"],
    [["remove", "skill:a", "skill:b"], "takes only ID"],
    [["update", "--lock", "--no-lock"], "Cannot use --no-lock together with --lock=true"],
    [["rollback"], "needs --to"],
    [["rollback", "--to"], "without a value"],
    [["add", "skil", "local:x"], 'did you mean "skill"'],
    [["add", "skill"], "needs SOURCE"],
    [["status", "--only", "missing,nothing"], "Cannot use --only"],
    [["snapshots", "prune", "--keep", "all", "--yes"], "takes a number"],
    [["plan", "--color", "blue"], "Cannot use color"],
  ];
  for (const [args, message] of wrong) {
    const human = await call(world, args);
    assertEquals([human.code, human.stdout], [2, ""], args.join(" "));
    assertStringIncludes(human.stderr, message);
    const ran = await call(world, [...args, "--json"]);
    assertEquals([ran.code, ran.stderr], [2, ""], args.join(" "));
    const { ok, errors } = ran.envelope();
    assertEquals([ok, errors[0]?.code], [false, "E_USAGE"]);
    assertEquals(errors[0]?.details?.["reason_code"], "usage");
  }
});

Deno.test("a group without a command prints its help, and is an error for a program", async () => {
  await using world = await PackWorld.inMemory();
  for (const group of ["overlay", "policy", "remote"]) {
    const bare = await call(world, [group]);
    assertEquals([bare.code, bare.stderr], [0, ""], group);
    assertEquals(bare.stdout, (await call(world, [group, "--help"])).stdout);
    assertStringIncludes(bare.stdout, `agentpack ${group} `);
    const ran = await call(world, [group, "--json"]);
    assertEquals([ran.code, ran.envelope().errors[0]?.code], [2, "E_USAGE"]);
    assertEquals((await call(world, [group, "--nothing"])).code, 2);
  }
});

Deno.test("weakness 9.15: --check exits with 3 when something differs, would change, or would only be deleted", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world);
  assertEquals((await call(world, ["plan", "--check"])).code, 3);
  assertEquals((await call(world, ["plan"])).code, 0);
  await deploy(world);
  for (const word of ["plan", "diff", "status"]) {
    assertEquals((await call(world, [word, "--check"])).code, 0, word);
  }
  await world.files.remove(join(world.repo, "m", "changelog.md"));
  await world.config(
    (await world.read(join(world.repo, "agentpack.yaml")) ?? "")
      .replace(/\n.*prompt:changelog.*/, ""),
  );
  const plan = await call(world, ["plan", "--check", "--json"]);
  assertEquals(plan.code, 3);
  assertEquals((plan.envelope().data as { summary: unknown }).summary, {
    create: 0,
    update: 0,
    delete: 2,
  });
  assertEquals((await call(world, ["status", "--check", "--json"])).code, 3);
  await deploy(world);
  await world.write(join(world.project, "AGENTS.md"), "edited\n");
  const status = await call(world, ["status", "--check", "--only", "missing"]);
  assertEquals(status.code, 3);
});

Deno.test("a person sees the diff before the question; only yes writes", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world);
  const file = join(world.home, ".codex", "prompts", "changelog.md");
  for (const answer of ["n", "", "yes please"]) {
    const ran = await call(world, ["deploy", "--apply"], { typed: [answer] });
    assertEquals(ran.code, 1);
    assertStringIncludes(ran.stderr, "+Write a changelog entry.");
    assertStringIncludes(ran.stderr, "Proceed? [y/N] ");
    assertStringIncludes(ran.stderr, "was declined");
    assertEquals(await world.read(file), null);
  }
  assertEquals((await call(world, ["deploy", "--apply"], { typed: [] })).code, 1);
  const ran = await call(world, ["deploy", "--apply"], { typed: ["y"] });
  assertEquals(ran.code, 0, ran.stderr);
  assertMatch(ran.stdout, /^Deployed: snapshot \d{19}\n/);
  assertEquals(await world.read(file), "Write a changelog entry.\n");
  // Nothing to do is no question.
  const again = await call(world, ["deploy", "--apply"], { typed: [] });
  assertEquals([again.code, again.stdout], [0, "Nothing to change\n"]);
});

Deno.test("a person is told before the question which edits would be lost, and what is not theirs to lose", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world);
  await deploy(world);
  const file = join(world.home, ".codex", "prompts", "changelog.md");
  await world.write(file, "Edited by hand\n");
  await world.write("m/new.md", "New\n");
  await world.config(
    `${await world.read(join(world.repo, "agentpack.yaml"))}` +
      `  - { id: "prompt:new", type: prompt, tags: [base], source: { local_path: { path: m/new.md } } }\n`,
  );
  await world.write(join(world.home, ".codex", "prompts", "new.md"), "Mine\n");
  for (const words of [["--adopt"], []]) {
    const ran = await call(world, ["deploy", "--apply", ...words], { typed: ["n"] });
    assertStringIncludes(ran.stderr, `~ codex  ${file} (edited since it was deployed)`);
    assertStringIncludes(ran.stderr, "new.md (not managed, needs --adopt)");
    // Where a yes would be refused nobody is asked, and sees the same.
    assertMatch(
      ran.stderr,
      words.length > 0
        ? /warning: .*changelog\.md" was edited since[^]*Proceed\?/
        : /warning: .*changelog\.md" was edited since[^]*error: 1 existing file[^]*hint: .*--adopt/,
    );
    assertEquals(ran.stderr.includes("Proceed?"), words.length > 0);
  }
  assertEquals(await world.read(file), "Edited by hand\n");
});

Deno.test("what changed while a person thought is not carried out", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world);
  const first = await snapshot(world);
  await world.write("m/changelog.md", "Second\n");
  const file = join(world.home, ".codex", "prompts", "changelog.md");
  const deployed = await call(world, ["deploy", "--apply", "--target", "codex"], {
    typed: ["y"],
    onQuestion: () => world.write("m/changelog.md", "Third\n"),
  });
  assertEquals(deployed.code, 1);
  assertStringIncludes(deployed.stderr, "changed since it was shown");
  assertEquals(await world.read(file), "Write a changelog entry.\n");
  await deploy(world);
  const rolled = await call(world, ["rollback", "--to", first], {
    typed: ["y"],
    onQuestion: async (screen) => {
      assertStringIncludes(screen, file);
      await world.write(file, "Edited\n");
    },
  });
  assertEquals(rolled.code, 1, rolled.stderr);
  assertEquals(await world.read(file), "Edited\n");
  assertEquals((await call(world, ["rollback", "--to", first], { typed: ["y"] })).code, 0);
  assertEquals(await world.read(file), "Write a changelog entry.\n");
});

Deno.test("init --guided asks on a terminal, and needs one", async () => {
  await using world = await PackWorld.inMemory();
  const refused = await call(world, ["init", "--guided", "--yes", "--json"]);
  assertEquals(refused.envelope().errors[0]?.code, "E_TTY_REQUIRED");
  assertEquals(refused.envelope().errors[0]?.details?.["next_actions"], [
    "retry_in_tty",
    "retry_without_guided",
  ]);
  const ran = await call(world, ["init", "--guided"], {
    typed: ["y", "nonsense", "vscode, cursor", "user", "project"],
  });
  assertEquals(ran.code, 0, ran.stderr);
  assertStringIncludes(ran.stdout, "Targets: cursor and vscode, project");
  assertStringIncludes(
    await world.read(join(world.repo, "agentpack.yaml")) ?? "",
    "  cursor:\n    mode: files\n    scope: project\n",
  );
  const stopped = await call(world, ["--repo", join(world.home, "other"), "init", "--guided"], {
    typed: ["y"],
  });
  assertEquals(stopped.code, 2);
  assertEquals(await world.read(join(world.home, "other", "agentpack.yaml")), null);
});

Deno.test("overlay edit opens $EDITOR for a person, and nobody else", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world);
  const started: (readonly string[])[] = [];
  const attach = (argv: readonly string[]) => {
    started.push(argv);
    return Promise.resolve(started.length === 1 ? 0 : null);
  };
  const env = { EDITOR: "code --wait" };
  const args = ["overlay", "edit", "skill:tidy", "--yes"];
  assertEquals((await call(world, [...args, "--json"], { env, attach, typed: [] })).code, 0);
  assertEquals((await call(world, args, { env, attach })).code, 0);
  assertEquals(started, []);
  const ran = await call(world, args, { env, attach, typed: [] });
  const [first] = started;
  assertEquals(first?.slice(0, 2), ["code", "--wait"]);
  assertStringIncludes(ran.stdout, first?.[2] ?? "?");
  assertStringIncludes(
    (await call(world, args, { env, attach, typed: [] })).stderr,
    'The editor "code" could not be started',
  );
  await call(world, args, { attach, typed: [] });
  assertEquals(started.length, 2);
});

Deno.test("weakness 9.11: the project can be named by option and by environment variable", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, "  codex: { mode: files, scope: project }");
  const paths = async (args: readonly string[], env: Record<string, string> = {}) => {
    const ran = await call(world, [...args, "plan", "--json"], { env, cwd: "/" });
    return (ran.envelope().data as { changes: { path: string }[] }).changes.map(({ path }) => path);
  };
  const other = join(world.directory, "other");
  await world.files.makeDirectory(other);
  assert((await paths(["--project-root", other])).every((path) => path.startsWith(other)));
  assert(
    (await paths([], { AGENTPACK_PROJECT_ROOT: other })).every((path) => path.startsWith(other)),
  );
  assert(
    (await paths(["--project-root", world.project], { AGENTPACK_PROJECT_ROOT: other }))
      .every((path) => path.startsWith(world.project)),
  );
});

Deno.test("next_actions begin with the words the program was called by", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world);
  for (const prefix of ["agentpack", "amof agentpack"]) {
    const ran = await call(world, ["status", "--json"], { prefix });
    const { next_actions } = ran.envelope().data as { next_actions: string[] };
    assert(next_actions.length > 0);
    for (const line of next_actions) {
      assertStringIncludes(line, `${prefix} `);
      const { words, rest } = takePackWords(line.slice(prefix.length + 1).split(" "));
      const entry = PACK_ENTRIES.find((one) => one.path.join(" ") === words.join(" "));
      assert(entry !== undefined, line);
      assertEquals(parsePack(entry, rest, world.system.env, prefix).flags.json, true);
    }
  }
});

Deno.test("every example parses, and stands on its page", () => {
  for (const entry of PACK_ENTRIES) {
    for (const example of entry.command.examples) {
      const argv = example.replace(/ <.*/, "").split(" ");
      const { words, rest } = takePackWords(argv);
      const meant = PACK_ENTRIES.find((one) => one.path.join(" ") === words.join(" "));
      assert(meant !== undefined, example);
      parsePack(meant, rest, { get: () => undefined } as never, "agentpack");
    }
    assertStringIncludes(packHelp(entry, "agentpack"), entry.command.summary);
  }
});

Deno.test("help knows every command as text, Markdown and JSON", async () => {
  await using world = await PackWorld.inMemory();
  const overview = (await call(world, ["help"])).stdout;
  const markdown = packMarkdown("amof agentpack");
  for (const { path } of PACK_ENTRIES) {
    assertMatch(overview, new RegExp(`^  ${path.join(" ")} `, "m"));
    assertStringIncludes(markdown, `## amof agentpack ${path.join(" ")}\n`);
  }
  assertEquals((await call(world, ["help", "--markdown"])).stdout, markdown);
  for (const args of [["--help"], ["-h"], []]) {
    assertEquals((await call(world, args)).stdout, overview);
  }
  assertMatch((await call(world, ["overlay", "--help"])).stdout, /^ {2}overlay rebase /m);
  assertStringIncludes(
    (await call(world, ["deploy", "-h"])).stdout,
    "MCP tool: deploy, deploy_apply",
  );
  const { data } = (await call(world, ["help", "--json"])).envelope();
  const help = data as ReturnType<typeof helpData>;
  assertEquals(help.targets.length, 9);
  assert(help.mutating_commands.includes("doctor --fix"));
  assertEquals(help.commands.map((one) => one.id), help.commands.map((one) => one.id).toSorted());
  const rollback = help.commands.find((command) => command.id === "rollback");
  assertEquals(rollback?.args, [{ id: "to", kind: "option", long: "to", required: true }]);
});

Deno.test("what a person at the terminal decided stands in the audit log", async () => {
  await using world = await PackWorld.make();
  await setUp(world);
  await call(world, ["deploy", "--apply"], { typed: ["n"] });
  await call(world, ["deploy", "--apply"], { typed: ["y"] });
  // Nobody is asked where nothing would change, and a dry run changes nothing.
  await call(world, ["bootstrap"], { typed: ["y"] });
  await call(world, ["bootstrap"], { typed: [] });
  await call(world, ["deploy", "--apply", "--dry-run"], { typed: [] });
  const store = openStore(layoutOf(world.system.env).database);
  const entries = store.audit.list({ limit: 10 }).reverse();
  store.close();
  assertEquals(
    entries.map((one) => `${one.tool}: ${one.decision} ${one.way} ${one.outcome}`),
    [
      "agentpack deploy --apply: declined prompt E_CONFIRM_REQUIRED",
      "agentpack deploy --apply: accepted prompt ok",
      "agentpack bootstrap: accepted prompt ok",
      "agentpack bootstrap: executed none ok",
    ],
  );
  const [declined, accepted, , idle] = entries;
  assertEquals([declined?.door, declined?.client, declined?.mode], ["cli", "tester@cli", "none"]);
  assertEquals(accepted?.fingerprint, declined?.fingerprint, "the same was shown twice");
  assertMatch(accepted?.fingerprint ?? "", /^[0-9a-f]{64}$/);
  assertEquals(idle?.fingerprint, null);
});
