/**
 * `amof commit` at a terminal without a message: one file for the messages of all repositories.
 *
 * @module
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { Typist } from "../support/terminal.ts";
import type { World } from "../support/world.ts";
import { atWork, message } from "./_commit.ts";

const ignore = Deno.build.os === "windows";

/** An editor that keeps what it was shown and writes lines above it. */
async function editor(world: World, lines: string): Promise<Record<string, string>> {
  const script = await world.script(
    "editor",
    `cp "$1" "$(dirname "$0")/seen"; printf '%b' '${lines}' | cat - "$1" > "$1.new"; mv "$1.new" "$1"`,
  );
  return { GIT_EDITOR: script };
}

Deno.test({
  name:
    "amof commit opens one file that shows every repository's files, and takes sections out of it",
  ignore,
  async fn() {
    await using world = await atWork("api", "web");
    const env = await editor(
      world,
      "Use the login\\n\\n[api]\\nFix the login\\n\\nIt was [web].\\n",
    );
    const typist = await Typist.start(world, ["commit"], { env });
    await typist.sees("? [y/N]");
    await typist.types("y\n");
    const end = await typist.ends();
    assertEquals(end.code, 0, end.screen);
    assertEquals([await message(world, "api"), await message(world, "web")], [
      "Fix the login\n\nIt was [web].",
      "Use the login",
    ]);
    const seen = await Deno.readTextFile(join(world.directory, "seen"));
    assertStringIncludes(seen, "# api on feature/T-1:\n#   untracked  new.txt\n");
    assertStringIncludes(seen, "# web on feature/T-1:\n#   untracked  new.txt\n");
    assertStringIncludes(seen, "#   [api]\n");
  },
});

Deno.test({
  name: "an empty message, or none for one repository, commits nothing",
  ignore,
  async fn() {
    await using world = await atWork("api", "web");
    for (
      const [lines, why] of [
        ["\\n# only a comment\\n", "the message is empty"],
        ["[api]\\nFix it\\n", "the message of web is empty"],
      ] as const
    ) {
      const typist = await Typist.start(world, ["commit"], { env: await editor(world, lines) });
      const end = await typist.ends();
      assertEquals(end.code, 4, end.screen);
      assertStringIncludes(end.screen, `Committed nothing: ${why}`);
    }
    assertEquals(await message(world, "api"), "Begin api");
  },
});

Deno.test({
  name: "amof commit --edit begins with the messages that were given, whatever they begin with",
  ignore,
  async fn() {
    await using world = await atWork("api");
    const typist = await Typist.start(world, ["commit", "--edit", "-m", "#12 Fix it", "--yes"], {
      env: await editor(world, ""),
    });
    assertEquals((await typist.ends()).code, 0);
    assertEquals(await message(world, "api"), "#12 Fix it");
    assertStringIncludes(
      await Deno.readTextFile(join(world.directory, "seen")),
      "\n; Write the message of the commits below.",
    );
  },
});
