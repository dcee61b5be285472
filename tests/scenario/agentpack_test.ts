// agentpack's command line as a black box: the two names of the program, a real terminal.

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick } from "../support/answers.ts";
import { Typist } from "../support/terminal.ts";
import { setUp } from "../support/pack_fixture.ts";
import { PackWorld } from "../support/pack_world.ts";
import { program, type Ran } from "../support/world.ts";

/** Links and terminals are POSIX matters here. */
const POSIX = Deno.build.os !== "windows";

function pack(world: PackWorld, args: readonly string[], stdin?: string): Promise<Ran> {
  return world.world.amof(["agentpack", ...args], {
    cwd: world.project,
    env: { AGENTPACK_MACHINE_ID: "box" },
    ...(stdin === undefined ? {} : { stdin }),
  });
}

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
    // A server whose output belongs to the protocol has none in JSON, whichever way it is started.
    for (
      const served of [
        await run("mcp", "serve", "--json"),
        await world.world.amof(["mcp", "serve", "--toolsets", "agentpack", "--json"], {
          cwd: world.project,
        }),
      ]
    ) {
      assertEquals(served.code, 2, served.stdout);
      assertStringIncludes(served.stdout, "mcp serve speaks its own protocol, not --json");
    }
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
