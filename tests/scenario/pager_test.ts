/**
 * Long output at a terminal: the pager, and Ctrl-C while it shows something.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { Screen } from "../support/screen.ts";
import { INTERRUPT } from "../support/terminal.ts";
import { World } from "../support/world.ts";

const ignore = Deno.build.os === "windows";
const SIZE = { columns: 80, rows: 12 };

Deno.test({
  name:
    "output longer than the terminal goes through the pager, which Ctrl-C does not end amof under",
  ignore,
  async fn() {
    await using world = await World.withEcosystem({ repos: [] });
    for (let index = 0; index < 30; index++) {
      const directory = join(world.control, "ecosystems", `eco${String(index).padStart(2, "0")}`);
      await Deno.mkdir(directory);
      await Deno.writeTextFile(join(directory, "ecosystem.yaml"), "repos: []\n");
    }
    const got = join(world.directory, "paged.txt");
    // A pager that does not care about Ctrl-C, as less does not, and ends before it has read everything.
    const AMOF_PAGER = await world.script(
      "pager",
      // An interrupt may end one reading of a line.
      `trap : INT; head -n 3 > '${got}'; echo paged; read -r line < /dev/tty || read -r line < /dev/tty; echo done`,
    );
    const screen = Screen.start(world, ["ecosystem", "list"], SIZE, { env: { AMOF_PAGER } });
    await screen.shows(/paged/);
    await screen.types(INTERRUPT);
    await screen.types("\n");
    await screen.shows(/done/);
    assertEquals(await screen.ends(), 0, screen.all());
    assertStringIncludes(await Deno.readTextFile(got), "demo");
    assert(!screen.all().includes("eco29"), screen.all());
    assertStringIncludes(screen.all(), "31 ecosystems");

    for (const args of [["--no-pager"], ["--json"], ["-q"]]) {
      const plain = Screen.start(world, ["ecosystem", "list", ...args], SIZE, {
        env: { AMOF_PAGER },
      });
      assertEquals(await plain.ends(), 0);
      assertStringIncludes(plain.all(), "eco29");
      assert(!plain.all().includes("paged"), args.join(" "));
    }
  },
});
