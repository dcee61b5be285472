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

Deno.test("a clone whose refs cannot be read is told by the list of tickets, and ends it for none", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const add = async (...words: string[]) =>
    assertEquals((await world.amof(["ticket", "start", ...words])).code, 0);
  await add("T-1");
  await add("T-2", "--workspace", "--repo", "api");
  // Refs in files and refs in tables.
  for (const name of ["packed-refs", "reftable"]) {
    const path = join(world.control, "worktrees", "demo@T-2", "repos", "api", ".git", name);
    await Deno.remove(path, { recursive: true }).catch(() => {});
    await (name === "reftable" ? Deno.writeTextFile(path, "") : Deno.mkdir(path));
  }
  const listed = await world.amof(["ticket", "list", "--json"]);
  assertEquals(
    rows(listed.json(), "tickets").map((row) => [row["ticket_id"], row["unread"] ?? null]),
    [["T-1", null], ["T-2", ["api"]]],
  );
  assertMatch(
    (await world.amof(["ticket", "list"])).stdout,
    /^⚠ T-2: git cannot tell whether api is merged: amof status --ticket T-2 --repo api$/m,
  );
});
