// Covers withoutOwnPlaces() and forOthers(): what git says, and what others are told, names no database, mirror, object store or
// stand-in of this program.

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { AmofError, errorObject } from "../../../../src/base/error.ts";
import { Git } from "../../../../src/git/mod.ts";
import { Clones } from "../../../../src/git/write/mod.ts";
import { withoutOwnPlaces } from "../../../../src/base/system/layout.ts";
import { memoryWorld } from "../../../support/memory.ts";
import { World } from "../../../support/world.ts";
import { hermetic } from "../../_support.ts";

Deno.test("the way to a place of the program's own is left out, whatever stands around it", () => {
  const { system } = memoryWorld({ env: { AMOF_HOME: "/a.b/own" } });
  const of = (text: string) => withoutOwnPlaces(system, text);
  assertEquals(of("'/a.b/own/share/mirrors/x.git': full"), "'…/mirrors/x.git': full");
  assertEquals(
    of("file:///a.b/own/state/undo and --to=/a.b/own/state"),
    "file://…/undo and --to=…",
  );
  for (const text of ["/a.b/own", "/a.b/own/stateful", "/aXb/own/state/x", "/x/a.b/own/state"]) {
    assertEquals(of(text), text);
  }
});

Deno.test("where nothing says which places are the program's own, texts stay as they are", () => {
  const { system } = memoryWorld();
  const nowhere = { ...system, env: { ...system.env, home: null } };
  assertEquals(withoutOwnPlaces(nowhere, "/state"), "/state");
});

Deno.test("a git that fails in a place of the program's own does not say where that is", async () => {
  await using world = await World.make();
  const home = join(world.directory, "own");
  const git = new Git(hermetic(world, { AMOF_HOME: home }));
  const mirror = join(home, "share", "mirrors", "api.git");
  await Deno.mkdir(mirror, { recursive: true });
  const told: unknown[] = [];
  const tries = [
    () => git.at(mirror, "api").status(),
    () =>
      git.at(world.directory, "api").part(Clones).make({
        url: mirror,
        directory: join(home, "state", "copy"),
        branch: "main",
        onLine: (_stream, line) => told.push(line),
      }),
  ];
  for (const attempt of tries) told.push(errorObject(await assertRejects(attempt, AmofError)));
  const text = JSON.stringify(told);
  assert(!text.includes(home), text);
  assertStringIncludes(text, "…/mirrors/api.git");
});

Deno.test("a git that fails elsewhere says where", async () => {
  await using world = await World.make();
  const git = new Git(hermetic(world, { AMOF_HOME: join(world.directory, "own") }));
  const error = await assertRejects(() => git.at(world.directory, "api").status(), AmofError);
  assertStringIncludes(JSON.stringify(errorObject(error)), world.directory);
});
