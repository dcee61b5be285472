// A run that ended a ticket's workspace, and was killed over it: when it was finished since, it can be undone, because
// everything was kept before it began; when it was taken back, nothing stands before older runs.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { pick } from "../support/answers.ts";
import { commitIn, ownClone, ownDirectory } from "../support/own_ticket.ts";
import { World } from "../support/world.ts";
import { faulted, killedOn, must } from "./broken.ts";

const END = ["ticket", "end", "T-1", "--yes"];
const ignore = Deno.build.os === "windows"; // kills by signal

/** A ticket whose commit is pushed. */
async function pushed(): Promise<World> {
  const world = await World.installed({ repos: ["api"] });
  await must(world, "ticket", "start", "T-1", "--workspace");
  await commitIn(ownClone(world, "T-1", "api"), world);
  await must(world, "push", "--ticket", "T-1", "--yes");
  return world;
}

Deno.test({
  name: "the end of a ticket that was killed and finished since is undone as any other",
  ignore,
  async fn() {
    await using world = await pushed();
    const clone = ownClone(world, "T-1", "api");
    const head = await world.git(clone, "rev-parse", "HEAD");
    // Only from some change on is it finished rather than taken back.
    for (let at = 4; at < 12 && await world.exists(ownDirectory(world, "T-1")); at++) {
      await faulted(world, { args: END, where: "inline" }, at, "before");
      await must(world, "doctor", "--repair");
    }
    assert(!await world.exists(ownDirectory(world, "T-1")));
    const listed = (await world.amof(["operations", "--json"])).json();
    assertEquals(
      [pick(listed, "operations", 0, "action"), pick(listed, "operations", 0, "undoable")],
      ["ticket_end", true],
    );
    await must(world, "undo", "--yes");
    assertEquals(await world.git(clone, "rev-parse", "HEAD"), head);
    assertEquals(await world.git(clone, "branch", "--show-current"), "feature/T-1");
  },
});

Deno.test({
  name: "the end of a ticket that was killed and taken back leaves nothing among the operations",
  ignore,
  async fn() {
    await using world = await pushed();
    await killedOn(world, END, { words: "amof-removed", phase: "before" });
    await must(world, "doctor", "--repair");
    assert(await world.exists(ownDirectory(world, "T-1")));
    const listed = await world.amof(["operations", "--json"]);
    assert(!listed.stdout.includes("ticket_end"), listed.stdout);
    // The run before it is the newest again.
    const refused = await world.amof(["undo", "--yes"]);
    assertStringIncludes(refused.stderr, "has been worked in since");
  },
});
