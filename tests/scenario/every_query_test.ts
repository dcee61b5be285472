/**
 * Every command that only looks: its first example answers, and a flag that it does not have is refused. That of those
 * that change something is `modes_test.ts`.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../support/loaded.ts";
import { worldWithStockTrim } from "../support/stocktrim.ts";
import { World } from "../support/world.ts";

const LOOKS = COMMANDS.filter(({ kind }) => kind === "query" || kind === "navigation");

/** A world in which most examples have what they name. */
async function setUp(stocktrim: boolean): Promise<World> {
  if (stocktrim) return (await worldWithStockTrim()).world;
  const world = await World.installed({ repos: ["api", "web"] });
  assertEquals((await world.amof(["ticket", "start", "PROJ-123"])).code, 0);
  return world;
}

for (const about of ["ecosystem", "stocktrim"] as const) {
  Deno.test(`every command that only looks answers or says why not, and refuses what it does not know: ${about}`, async () => {
    await using world = await setUp(about === "stocktrim");
    const wrong: string[] = [];
    let answered = 0;
    const those = LOOKS.filter(({ toolset }) =>
      (toolset === "stocktrim") === (about === "stocktrim")
    );
    for (const { path, examples } of those) {
      const [example = ""] = examples;
      const ran = await world.amof([...example.split(" "), "--json"]);
      const { error } = ran.json();
      if (error === undefined) answered++;
      // What is found by a check is an answer with a number of its own.
      if ((error === undefined) !== (ran.code === 0 || ran.code === 3)) {
        wrong.push(`${example}: ${ran.code} ${error}`);
      }
      const words = path.filter((word) => !word.startsWith("-"));
      const refused = await world.amof([...words, "--no-such-flag", "--json"]);
      if (refused.code !== 2) wrong.push(`${words.join(" ")} --no-such-flag: ${refused.code}`);
      else assertStringIncludes(refused.stdout, "--no-such-flag");
    }
    assertEquals(wrong, []);
    // The others name what is not there.
    assert(answered > those.length / 2, `${answered} of ${those.length}`);
  });
}
