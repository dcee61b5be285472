// agentpack's command line as a black box: a new user's walk, the two names of the program, a real terminal.

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { Typist } from "../support/terminal.ts";
import { setUp } from "../support/pack_fixture.ts";
import { PackWorld } from "../support/pack_world.ts";
import { pick, program, type Ran, rows } from "../support/world.ts";

/** Links and terminals are POSIX matters here. */
const POSIX = Deno.build.os !== "windows";

function pack(world: PackWorld, args: readonly string[], stdin?: string): Promise<Ran> {
  return world.world.amof(["agentpack", ...args], {
    cwd: world.project,
    env: { AGENTPACK_MACHINE_ID: "box" },
    ...(stdin === undefined ? {} : { stdin }),
  });
}

Deno.test("a new user makes a repo, deploys, edits, proposes and rolls back", async () => {
  await using world = await PackWorld.make();
  await Deno.remove(world.repo, { recursive: true });
  await world.write(join(world.home, ".codex", "prompts", "pr.md"), "Draft a pull request.\n");
  const run = async (code: number, ...args: string[]) => {
    const ran = await pack(world, args);
    assertEquals(ran.code, code, `${args.join(" ")}: ${ran.stdout}${ran.stderr}`);
    return ran;
  };
  await run(0, "init", "--git", "--yes");
  await run(0, "import", "--apply", "--yes");
  await run(0, "add", "instructions", "local:modules/instructions/base", "--tags", "base", "--yes");
  assertStringIncludes((await run(0, "preview", "--diff")).stdout, "+# Working agreement");
  const refused = await run(1, "deploy", "--apply", "--json");
  assertEquals(pick(refused.json(), "errors", 0, "code"), "E_CONFIRM_REQUIRED");
  const deployed = (await run(0, "deploy", "--apply", "--yes", "--json")).json();
  assertEquals(pick(deployed, "data", "applied"), true);
  await run(0, "status", "--check");
  const file = join(world.home, ".codex", "prompts", "pr.md");
  await Deno.writeTextFile(file, "Draft a better pull request.\n");
  assertStringIncludes((await run(3, "status", "--check")).stdout, "modified codex");
  await world.commitRepo();
  const proposed = (await run(0, "evolve", "propose", "--yes", "--json")).json();
  assertEquals(pick(proposed, "data", "committed"), true);
  const id = String(pick(deployed, "data", "snapshot_id"));
  await run(0, "rollback", "--to", id, "--yes");
  assertEquals(await Deno.readTextFile(file), "Draft a pull request.\n");
  await run(0, "status", "--check");
  const recorded = await pack(world, ["record", "--yes"], '{"module_id":"prompt:pr","ok":false}');
  assertEquals(recorded.code, 0);
  assertStringIncludes((await run(0, "score")).stdout, "100 %");
  const audit = await world.world.amof(["audit", "--json", "--door", "cli"], {
    cwd: world.project,
  });
  assertEquals(
    rows(audit.json(), "entries").reverse().map((one) =>
      `${one["tool"]}: ${one["decision"]} ${one["way"]} ${one["outcome"]}`
    ),
    [
      "agentpack init: accepted flag ok",
      "agentpack import --apply: accepted flag ok",
      "agentpack add: accepted flag ok",
      "agentpack deploy --apply: unsupported prompt E_CONFIRM_REQUIRED",
      "agentpack deploy --apply: accepted flag ok",
      "agentpack evolve propose: accepted flag ok",
      "agentpack rollback: accepted flag ok",
      "agentpack record: accepted flag ok",
    ],
  );
});

Deno.test({
  name: "a program called agentpack is this command line, and says so in next_actions",
  ignore: !POSIX,
  async fn() {
    await using world = await PackWorld.make();
    await setUp(world);
    const [command = "", ...before] = program();
    const link = join(world.world.directory, "agentpack");
    await Deno.symlink(command, link);
    const run = (...args: string[]) =>
      world.world.command(link, [...before, ...args], { cwd: world.project });
    const status = await run("status", "--json");
    assertEquals(status.code, 0, status.stderr);
    const actions = pick(status.json(), "data", "next_actions") as string[];
    assert(actions.length > 0 && actions.every((line) => line.startsWith("agentpack ")));
    assertMatch((await run("--version")).stdout, /^agentpack \d/);
    assertStringIncludes((await run("--help")).stdout, "Usage: agentpack [options] <command>");
  },
});

Deno.test({
  name: "agentpack deploy --apply at a terminal shows a coloured diff and runs on y",
  ignore: !POSIX,
  async fn() {
    await using world = await PackWorld.make();
    await setUp(world);
    const typist = await Typist.start(
      world.world,
      ["agentpack", "deploy", "--apply", "--target", "cursor", "--color", "always"],
      { cwd: world.project, env: { NO_COLOR: "" } },
    );
    await typist.sees("\u001b[32m+# Alpha");
    await typist.sees("Proceed? [y/N]");
    await typist.types("y\n");
    const end = await typist.ends();
    assertEquals(end.code, 0, end.screen);
    assertStringIncludes(end.stdout, "Deployed: snapshot");
    assert(
      await world.read(join(world.project, ".cursor/rules/instructions_alpha--353cc78a42.mdc")),
    );
  },
});

Deno.test("two applies at once: one wins, the other is told who holds the lock or finds nothing to do", async () => {
  await using world = await PackWorld.make();
  await setUp(world);
  for (let index = 0; index < 200; index++) {
    await world.write(`m/tidy/data/${index}.txt`, `${index}\n`);
  }
  const ran = await Promise.all(
    [1, 2].map(() => pack(world, ["deploy", "--apply", "--yes", "--json"])),
  );
  const outcomes = ran.map((one) => {
    const envelope = one.json();
    return pick(envelope, "ok") === true
      ? pick(envelope, "data", "applied") === true ? "applied" : pick(envelope, "data", "reason")
      : pick(envelope, "errors", 0, "code");
  });
  assertEquals(outcomes.filter((outcome) => outcome === "applied").length, 1, String(outcomes));
  assert(
    outcomes.every((outcome) => ["applied", "no_changes", "E_LOCK_HELD"].includes(String(outcome))),
    String(outcomes),
  );
  assertEquals((await pack(world, ["status", "--check"])).code, 0);
});
