/**
 * `amof push --commit` at a terminal without a message: the editor that git would open.
 *
 * @module
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { Typist } from "../support/terminal.ts";
import { World } from "../support/world.ts";

const ignore = Deno.build.os === "windows";

/** A world with a new file on a feature branch. */
async function atWork(): Promise<World> {
  const world = await World.installed({ repos: ["api"] });
  await world.git(world.clone("api"), "switch", "--quiet", "-c", "feature/T-1");
  await Deno.writeTextFile(join(world.clone("api"), "new.txt"), "new\n");
  return world;
}

/** An editor that keeps what it was shown and writes a message. */
async function editor(world: World, name: string, message: string): Promise<string> {
  const seen = join(world.directory, `${name}.seen`);
  return await world.script(
    name,
    `cp "$1" '${seen}'; printf '%b' '${message}' > "$1.new"; cat "$1" >> "$1.new"; mv "$1.new" "$1"`,
  );
}

function subject(world: World): Promise<string> {
  return world.git(world.clone("api"), "log", "-1", "--format=%B");
}

Deno.test({
  name:
    "amof push --commit opens the editor, shows its message, and commits with it once agreed to",
  ignore,
  async fn() {
    await using world = await atWork();
    const GIT_EDITOR = await editor(world, "first", "Fix the login  \\n\\nIt was broken.\\n\\n");
    const EDITOR = await editor(world, "second", "wrong\\n");
    const typist = await Typist.start(world, ["push", "--commit"], { env: { GIT_EDITOR, EDITOR } });
    await typist.sees("Commit message: Fix the login");
    await typist.types("y\n");
    const end = await typist.ends();
    assertEquals(end.code, 0, end.screen);
    assertEquals(await subject(world), "Fix the login\n\nIt was broken.\n");
    const seen = await Deno.readTextFile(join(world.directory, "first.seen"));
    assertStringIncludes(seen, "# api on feature/T-1:\n#   untracked  new.txt\n");
    assertEquals(await world.exists(join(world.directory, "second.seen")), false);
    assertEquals([...Deno.readDirSync(join(world.env["AMOF_HOME"] ?? "", "state", "edit"))], []);
  },
});

Deno.test({
  name: "the editor is git's: core.editor before VISUAL before EDITOR",
  ignore,
  async fn() {
    await using world = await atWork();
    const env: Record<string, string> = { EDITOR: await editor(world, "plain", "By EDITOR\\n") };
    const used = async (): Promise<string> => {
      const typist = await Typist.start(world, ["push", "--commit"], { env });
      await typist.sees("Commit message: By ");
      await typist.types("n\n");
      const { screen } = await typist.ends();
      return /Commit message: By (\S+)/.exec(screen)?.[1] ?? "";
    };
    assertEquals(await used(), "EDITOR");
    env["VISUAL"] = await editor(world, "visual", "By VISUAL\\n");
    assertEquals(await used(), "VISUAL");
    const own = await editor(world, "own", "By core.editor\\n");
    await world.git(world.control, "config", "core.editor", `'${own}'`);
    assertEquals(await used(), "core.editor");
  },
});

Deno.test({
  name: "an empty message, or an editor that fails, stops the push",
  ignore,
  async fn() {
    await using world = await atWork();
    const before = await world.git(world.clone("api"), "rev-parse", "HEAD");
    for (
      const [line, why] of [["true", "the message is empty"], ["exit 3", "the editor ended with 3"]]
    ) {
      const GIT_EDITOR = await world.script("bad", line ?? "");
      const typist = await Typist.start(world, ["push", "--commit"], { env: { GIT_EDITOR } });
      const end = await typist.ends();
      assertEquals(end.code, 4, end.screen);
      assertStringIncludes(end.screen, why ?? "");
      assertEquals(await world.git(world.clone("api"), "rev-parse", "HEAD"), before);
    }
  },
});

Deno.test({
  name: "no editor opens where nothing would be committed, a message is given, or consent is",
  ignore,
  async fn() {
    await using world = await atWork();
    const GIT_EDITOR = await world.script("bad", "exit 3");
    for (const args of [["--dry-run"], ["--yes"], ["-m", "Given", "--repo", "api", "--json"]]) {
      const typist = await Typist.start(world, ["push", "--commit", ...args], {
        env: { GIT_EDITOR },
      });
      const end = await typist.ends();
      assertEquals(end.screen.includes("the editor"), false, end.screen);
    }
    const typist = await Typist.start(world, ["push", "--commit"], { env: { GIT_EDITOR } });
    assertEquals((await typist.ends()).code, 0);
  },
});
