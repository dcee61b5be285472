// What a person at a terminal is told and asked.

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pasteable } from "../../../../../src/doors/agentpack/cli/main.ts";
import { fsKey } from "../../../../../src/apps/agentpack/identity.ts";
import { pick } from "../../../../support/answers.ts";
import { call } from "../../../../support/pack_door.ts";
import { setUp, snapshot } from "../../../../support/pack_fixture.ts";
import { PackWorld } from "../../../../support/pack_world.ts";

const CODEX =
  "  codex: { mode: files, scope: both, options: { write_user_prompts: true, write_prompt_skills: false } }";

Deno.test("nobody is asked a question whose yes would be refused", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, CODEX);
  await world.write(join(world.project, "AGENTS.md"), "mine\n");
  await world.write(join(world.home, ".codex/skills/agentpack-operator/SKILL.md"), "mine\n");
  await world.write("agentpack.org.yaml", "version: 1\n");
  const before = await world.tree(world.home, world.project, world.repo);
  const refusals: readonly (readonly [readonly string[], RegExp])[] = [
    [["deploy", "--apply"], /1 existing file, not managed so far, would be overwritten/],
    [["bootstrap"], /1 existing file, not managed so far, would be overwritten/],
    [["add", "prompt", "local:m/changelog.md"], /There is already a module "prompt:changelog"/],
    [
      ["remove", "prompt:changelg"],
      /There is no module "prompt:changelg"; did you mean "prompt:changelog"\?/,
    ],
    [["remove", "changelog"], /There is no module "changelog"; did you mean "prompt:changelog"\?/],
    [["overlay", "edit", "skill:tidi"], /did you mean "skill:tidy"\?/],
    [["fetch"], /There is no lockfile/],
    [["policy", "lock"], /No policy_pack is configured/],
    [["init", "--guided"], /There is already a configuration/],
    [["sync"], /is not a git repository/],
    [["remote", "set", "/somewhere"], /is not a git repository/],
    [["remote", "set", "--name", "a b", "/somewhere"], /its name is none/],
    [["rollback", "--to", "12"], /There is no snapshot "12"/],
  ];
  for (const [words, message] of refusals) {
    const ran = await call(world, words, { typed: ["y", "y", "y"] });
    assert(ran.code !== 0, words.join(" "));
    assertMatch(ran.stderr, message);
    assertEquals(
      ran.stderr.includes("Proceed?") || ran.stderr.includes("Which"),
      false,
      ran.stderr,
    );
  }
  assertEquals(await world.tree(world.home, world.project, world.repo), before);
});

Deno.test("add, remove, remote set and sync show in a dry run what they would do, and do nothing", async () => {
  await using world = await PackWorld.make();
  await setUp(world, CODEX);
  const bare = join(world.directory, "config.git");
  await world.git(world.project, "init", "--quiet", "--bare", "--initial-branch=main", bare);
  await world.commitRepo();
  await world.git(world.repo, "remote", "add", "old", "/old");
  const config = await world.read(join(world.repo, "agentpack.yaml"));
  const head = await world.git(world.repo, "rev-parse", "HEAD");
  const added = ["add", "prompt", "local:m/changelog.md", "--id", "prompt:again"];
  const shown = await call(world, [...added, "--dry-run"]);
  assertMatch(
    shown.stdout,
    /^Would add prompt:again to .*agentpack.yaml:\n\n--- a\/agentpack.yaml\n/,
  );
  assertStringIncludes(shown.stdout, '+  - id: "prompt:again"\n');
  const data = async (...words: string[]) =>
    (await call(world, [...words, "--dry-run", "--json"])).envelope().data;
  const manifest = join(world.repo, "agentpack.yaml");
  assertEquals(await data("remove", "skill:tidy"), {
    module_id: "skill:tidy",
    manifest,
    manifest_posix: manifest,
    dry_run: true,
  });
  const repo = { repo: world.repo, repo_posix: world.repo };
  assertEquals(await data("remote", "set", bare), {
    ...repo,
    remote: "origin",
    url: bare,
    previous: null,
  });
  assertStringIncludes(
    (await call(world, ["remote", "set", bare, "--name", "old", "--dry-run"])).stdout,
    `old would be ${bare}; it is /old now`,
  );
  // Passwords in URLs are not for the screen, neither a new one nor the one that is there.
  await world.git(
    world.repo,
    "remote",
    "set-url",
    "old",
    "https://me:hunter2hunter2@old.example/x",
  );
  const secret = ["remote", "set", "https://me:swordfish99@new.example/x", "--name", "old"];
  const said = await call(world, [...secret, "--dry-run"]);
  assertStringIncludes(said.stdout, "old would be https://");
  assert(!/hunter2|swordfish/.test(said.stdout + said.stderr), said.stdout);
  assert(!JSON.stringify(await data(...secret)).includes("hunter2"));
  await call(world, ["remote", "set", bare, "--yes"]);
  const pushes = { ...repo, remote: "origin", branch: "main", rebase: false };
  assertEquals(await data("sync"), { ...pushes, commands: ["git push origin main"] });
  assertEquals(await world.git(bare, "branch", "--list"), "");
  assertEquals(await world.read(manifest), config);
  assertEquals(await world.git(world.repo, "rev-parse", "HEAD"), head);
  // Whoever agrees to what was shown gets exactly that.
  const asked = await call(world, added, { typed: ["y"] });
  assertStringIncludes(asked.stderr, '+  - id: "prompt:again"\n');
  assertStringIncludes(asked.stdout, "Added prompt:again");
});

Deno.test("overlay edit shows in a dry run what it would write, and writes nothing", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, CODEX);
  const before = await world.tree(world.home, world.project, world.repo);
  const words = ["overlay", "edit", "skill:tidy"];
  const directory = join(world.repo, "overlays", fsKey("skill:tidy"));
  const shown = await call(world, [...words, "--dry-run"]);
  assertEquals(
    shown.stdout.split("\n").slice(0, 4),
    [
      "Would make the global overlay of skill:tidy:",
      `  ${directory}`,
      `  + ${join(directory, "SKILL.md")}`,
      `  + ${join(directory, "scripts/run.sh")}`,
    ],
  );
  const { data } = (await call(world, [...words, "--dry-run", "--json"])).envelope();
  assertEquals([pick(data, "dry_run"), pick(data, "created")], [true, true]);
  const patch = await call(world, [...words, "--kind", "patch", "--dry-run"]);
  assertStringIncludes(patch.stdout, join(directory, ".agentpack/patches"));
  assertEquals(await world.tree(world.home, world.project, world.repo), before);
  // Whoever is asked has seen it.
  const asked = await call(world, words, { typed: ["y"] });
  assertStringIncludes(asked.stderr, `  + ${join(directory, "SKILL.md")}`);
  assertStringIncludes(asked.stdout, "Made the global overlay of skill:tidy:");
  const again = await call(world, [...words, "--dry-run"]);
  assertEquals(again.stdout, `Would open the global overlay of skill:tidy:\n  ${directory}\n`);
});

Deno.test("what a person is told to do next works where they stand", async () => {
  await using world = await PackWorld.make();
  await setUp(world, CODEX);
  await world.commitRepo();
  // A deploy of what is there already says so.
  await world.write(
    join(world.home, ".codex/skills/mine/SKILL.md"),
    "---\nname: mine\ndescription: M\n---\n",
  );
  const asked = await call(world, ["import", "--apply"], { typed: ["y"] });
  assertStringIncludes(asked.stderr, "Would import 1 module");
  assertEquals(asked.stderr.includes("Next:"), false, asked.stderr);
  assertStringIncludes(asked.stdout, "Next:");
  assertStringIncludes((await call(world, ["import"])).stdout, "Nothing");
  const more = ["--profile", "more"];
  await call(world, [...more, "deploy", "--apply", "--yes"]);
  await world.files.removeTree(join(world.root, "state"));
  for (const root of [".codex", ".codex/prompts", ".codex/skills"]) {
    await world.files.remove(join(world.home, root, ".agentpack.manifest.codex.json")).catch(
      () => {},
    );
  }
  for (const root of [".", ".codex/skills"]) {
    await world.files.remove(join(world.project, root, ".agentpack.manifest.codex.json")).catch(
      () => {},
    );
  }
  const taken = await call(world, [...more, "deploy", "--apply", "--yes"]);
  assertMatch(
    taken.stdout,
    /^Every file was as it should be; they are managed from now on: snapshot \d+\n$/,
  );
  // An edit of a profile is kept by a call of that profile, and merged where the config repo is.
  await world.write(
    join(world.project, ".codex/skills/tidy/SKILL.md"),
    "---\nname: tidy\ndescription: T\n---\n",
  );
  assertStringIncludes(
    (await call(world, [...more, "plan"])).stderr,
    "(amof agentpack evolve propose --profile more can keep it)",
  );
  await world.commitRepo("More");
  const proposed = await call(world, [...more, "evolve", "propose", "--yes"]);
  assertStringIncludes(proposed.stdout, `git -C ${world.repo} merge evolve/propose-`);
  // Sources that are refused were given here, and not in a file.
  const unsafe = await call(world, ["add", "skill", "git:ext::sh#subdir=x", "--yes"]);
  assertStringIncludes(unsafe.stderr, "hint: Give another one:");
});

Deno.test("init names the next commands as people call the program", async () => {
  await using world = await PackWorld.inMemory();
  for (const prefix of ["agentpack", "amof agentpack"]) {
    const { stdout } = await call(world, ["init", "--yes"], { prefix });
    assertMatch(
      stdout,
      new RegExp(`\\nNext:\\n  ${prefix} import\\n  ${prefix} add TYPE local:PATH`),
    );
    assertStringIncludes(stdout, `\n  ${prefix} preview --diff\n`);
  }
});

Deno.test("status tells people once that operator files are missing, and steps as they type them", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world);
  await snapshot(world, {}, true);
  await world.write(join(world.home, ".codex/prompts/changelog.md"), "edited\n");
  const status = await call(world, ["status"]);
  assertEquals(status.stderr.match(/operator/g)?.length, 1, status.stderr);
  assertStringIncludes(
    status.stderr,
    "(operator files: missing claude_code/user, missing claude_code/project, missing codex/user, missing codex/project): amof agentpack bootstrap",
  );
  assertStringIncludes(
    status.stdout,
    "\nNext:\n  amof agentpack bootstrap\n  amof agentpack preview --diff\n  amof agentpack deploy --apply\n  amof agentpack evolve propose\n",
  );
  // Programs get what the contract says.
  const { warnings, data } = (await call(world, ["status", "--json"])).envelope();
  assertEquals(warnings.filter((line) => line.startsWith("operator assets missing (")).length, 4);
  const { next_actions } = data as { next_actions: string[] };
  assert(next_actions.every((line) => line.endsWith(" --json")), next_actions.join("\n"));
});

Deno.test("names of targets that nobody knows are refused with the one that was meant", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, CODEX);
  const say = async (...words: string[]) => (await call(world, words)).stderr;
  assertMatch(await say("plan", "--target", "codx"), /"codx"; did you mean "codex"\?/);
  assertMatch(
    await say("plan", "--target", "zed"),
    /below "targets" in agentpack.yaml, or use codex/,
  );
  assertMatch(
    await say("add", "prompt", "local:x.md", "--targets", "claude_cod", "--yes"),
    /did you mean "claude_code"\?/,
  );
  assertMatch(
    await say("evolve", "propose", "--module-id", "skill:tidi"),
    /There is no module "skill:tidi"; did you mean "skill:tidy"\?/,
  );
  await setUp(world, "  codeks: { mode: files, scope: both }");
  assertMatch(await say("plan"), /Unknown target "codeks"; did you mean "codex"\?/);
});

Deno.test("a rollback shows what it changes inside the files, and which edits it discards", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, CODEX);
  const first = await snapshot(world);
  await world.write("m/changelog.md", "Second\n");
  await world.write("m/tidy/later.md", "later\n");
  await snapshot(world);
  const prompt = join(world.home, ".codex/prompts/changelog.md");
  await world.write(prompt, "Second, and mine\n");
  const shown = await call(world, ["rollback", "--to", first, "--dry-run"]);
  assertStringIncludes(shown.stdout, `~ codex  ${prompt} (edited since it was deployed)`);
  assertStringIncludes(shown.stdout, "\n-Second, and mine\n+Write a changelog entry.\n");
  assertStringIncludes(shown.stdout, "\n+++ /dev/null\n@@ -1 +0,0 @@\n-later");
  assertEquals(shown.stdout.includes("+++ b/.agentpack.manifest"), false, shown.stdout);
  assertStringIncludes(
    shown.stderr,
    `"${prompt}" was edited since it was deployed; the rollback discards that`,
  );
  const asked = await call(world, ["rollback", "--to", first], { typed: ["y"] });
  assertMatch(asked.stderr, /-Second, and mine[^]*the rollback discards that[^]*Proceed\?/);
  assertEquals(await world.read(prompt), "Write a changelog entry.\n");
});

Deno.test("commands in hints and warnings can be pasted as they stand", async () => {
  await using world = await PackWorld.inMemory();
  const hintOf = async (...words: string[]) =>
    /^hint: (.*)$/m.exec((await call(world, words, { prefix: "agentpack" })).stderr)?.[1];
  assertEquals(
    await hintOf("plan"),
    "Create a config repo with agentpack init, or name one with --repo",
  );
  await setUp(world, CODEX);
  assertEquals(await hintOf("fetch", "--yes"), "Write it with agentpack lock or update");
  assertEquals(
    await hintOf("overlay", "rebase", "skill:tidy", "--yes"),
    "Make one: agentpack overlay edit skill:tidy --scope global",
  );
  await snapshot(world);
  assertMatch(
    await hintOf("rollback", "--to", "1", "--yes") ?? "",
    /: agentpack rollback --to \w{3,}$/,
  );
  assertEquals(
    pasteable(
      "Run git init there; ended with status 1: amof agentpack init, or: plan",
      "amof agentpack",
    ),
    "Run git init there; ended with status 1: amof agentpack init, or: amof agentpack plan",
  );
});

Deno.test("tables fit the terminal, and pipes get all of them", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, CODEX);
  const id = await snapshot(world);
  await call(world, ["lock", "--yes"]);
  for (const words of [["snapshots", "list"], ["policy", "audit"]]) {
    const piped = (await call(world, words)).stdout.split("\n");
    const narrow = (await call(world, words, { typed: [], columns: 40 })).stdout.split("\n");
    assert(Math.max(...piped.map((line) => line.length)) > 50, piped.join("\n"));
    assert(Math.max(...narrow.map((line) => line.length)) <= 40, narrow.join("\n"));
    // What is pasted is whole.
    const pasted = words[0] === "snapshots" ? id : "prompt:changelog";
    assert(narrow.some((line) => line.split(" ")[0] === pasted), narrow.join("\n"));
  }
});

Deno.test("status says of a file that differs whether it was edited or its module has changed", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(
    world,
    "  codex: { mode: files, scope: user, options: { write_user_prompts: true, write_prompt_skills: false } }",
  );
  await snapshot(world);
  const prompt = join(world.home, ".codex/prompts/changelog.md");
  const agents = join(world.home, ".codex/AGENTS.md");
  await world.write(prompt, "edited\n");
  await world.write("m/alpha/AGENTS.md", "# Changed\n");
  const { stdout } = await call(world, ["status"]);
  assertStringIncludes(stdout, `modified codex  ${agents} (its module has changed)\n`);
  assertStringIncludes(stdout, `modified codex  ${prompt} (edited since it was deployed)\n`);
});
