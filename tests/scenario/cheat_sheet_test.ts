/**
 * The ten things of a day that the README lists, done one after the other as they stand there.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { splitWords } from "../../src/base/text/shells.ts";
import { World } from "../support/world.ts";

/** The commands of the cheat sheet, without the name of the program and what is said about them. */
async function cheatSheet(): Promise<string[][]> {
  const readme = await Deno.readTextFile(new URL("../../README.md", import.meta.url));
  const [, block = ""] = /### Ten things of a day\n\n```sh\n([^]*?)```/.exec(readme) ?? [];
  return block.trimEnd().split("\n").map((line) => {
    const [command = ""] = line.split(/ +# /);
    const [program, ...words] = splitWords(command) ?? [];
    assertEquals(program, "amof", line);
    return words;
  });
}

Deno.test("the ten things of a day can be done in the order in which the README tells them", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const lines = await cheatSheet();
  assertEquals(lines.length, 10);
  for (const words of lines) {
    const line = words.join(" ");
    if (line.startsWith("commit")) {
      await Deno.writeTextFile(join(world.clone("api"), "hello.txt"), "TODO: say hello\n");
    }
    if (line.startsWith("ticket end")) {
      await world.git(world.clone("api"), "push", "--quiet", "origin", "HEAD:main");
    }
    const asks = /^(?:commit|push|ticket end)/.test(line);
    const ran = await world.amof([...words, ...(asks ? ["--yes"] : [])]);
    assertEquals(ran.code, 0, `amof ${line}: ${ran.stdout}${ran.stderr}`);
    if (line.startsWith("commit")) {
      assert(ran.stdout.startsWith("Committed in 1 repo."), ran.stdout);
    }
    if (line.startsWith("push")) assert(ran.stdout.startsWith("Pushed 1 repo"), ran.stdout);
  }
  const main = await world.git(join(world.remotes, "api.git"), "log", "-1", "--format=%s", "main");
  assertEquals(main, "PROJ-123 Say hello");
  assertEquals(await world.git(world.clone("api"), "branch", "--show-current"), "main");
});
