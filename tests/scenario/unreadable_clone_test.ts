/**
 * A clone that git does not read: every command says why, says what helps, and calls it neither missing nor in order.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { World } from "../support/world.ts";

/** A workspace with an active ticket whose clone `api` is damaged. */
async function damaged(): Promise<World> {
  const world = await World.installed({ repos: ["api", "web"] });
  assertEquals((await world.amof(["ticket", "start", "T-1"])).code, 0);
  await Deno.remove(join(world.clone("api"), ".git", "HEAD"));
  return world;
}

Deno.test("a clone that git does not read is told with its reason and its fix by every command", async () => {
  await using world = await damaged();
  const fix = `git init ${world.clone("api")}`;
  const status = await world.amof(["status"]);
  assertMatch(status.stdout, /✗ api: .* is not a git repository\n +fix: Make it one: git init \//);

  for (const words of [["log"], ["branches"], ["sync"], ["push", "--yes"]]) {
    const ran = await world.amof(words);
    const what = `${words.join(" ")}: ${ran.stderr}`;
    assert(ran.code !== 0, what);
    assertStringIncludes(ran.stderr, `hint: Make it one: ${fix}`, what);
  }

  const again = await world.amof(["sync", "--json"]);
  assertMatch(
    String(pick(again.json(), "hint")),
    / only the failed ones: amof .*sync --only failed=/,
  );
  assertEquals(rows(again.json(), "result", "repos").map((row) => row["fix"] === null), [
    false,
    true,
  ]);
});

Deno.test("a clone that git does not read keeps a ticket from starting, in words that can be read aloud", async () => {
  await using world = await damaged();
  const ran = await world.amof(["ticket", "start", "T-2", "--json"]);
  assertEquals(
    pick(ran.json(), "message"),
    `Cannot start T-2: "api" cannot be read: ${
      world.clone("api")
    } is not a git repository; nothing was changed`,
  );
  assertStringIncludes(String(pick(ran.json(), "hint")), `git init ${world.clone("api")}`);
});

Deno.test("a clone that git does not read is not listed as missing from its ticket", async () => {
  await using world = await damaged();
  const listed = (await world.amof(["ticket", "list", "--json"])).json();
  assertEquals(rows(listed, "tickets")[0]?.["states"], { api: "unreadable", web: "ok" });
});
