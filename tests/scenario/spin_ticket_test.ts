/**
 * Environments of tickets: each its own, several at once, and none forgotten when its ticket ends (SPIN-9).
 *
 * @module
 */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { ownDirectory } from "../support/own_ticket.ts";
import { approve, PROVISIONER, writeScript } from "../support/provisioner.ts";
import { World } from "../support/world.ts";

/** Two tickets with workspaces, and a provisioner that writes down what it is told. */
async function withTickets(): Promise<World> {
  const world = await World.like("tickets with environments", async (made) => {
    await made.makeInstalled({
      repos: ["api"],
      extra: `    tags: []\nprovisioner: ${PROVISIONER}\n`,
    });
    for (const id of ["PROJ-1", "PROJ-2"]) {
      const started = await made.amof(["-e", "demo", "ticket", "start", id, "--workspace"]);
      assertEquals(started.code, 0, started.stderr);
    }
  });
  await writeScript(
    world,
    'echo "$AMOF_ACTION|$AMOF_TICKET|$AMOF_TICKET_DIR|$AMOF_SLUG|$AMOF_PORT_BASE|$AMOF_STATE_DIR" >> "$AMOF_ROOT/../told"',
  );
  await approve(world);
  return world;
}

async function told(world: World): Promise<string[][]> {
  const text = await Deno.readTextFile(join(world.directory, "told"));
  return text.trim().split("\n").map((line) => line.split("|"));
}

Deno.test({
  name: "each ticket has an environment of its own, with its variables and ports",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using world = await withTickets();
    const spin = (...words: string[]) => world.amof(["-e", "demo", "spin", ...words]);
    for (const words of [["-t", "PROJ-1"], ["-t", "PROJ-2"], []]) {
      const ran = await spin("deploy", "--yes", ...words);
      assertEquals(ran.code, 0, ran.stderr);
    }
    const [one = [], two = [], base = []] = await told(world);
    assertEquals(one.slice(0, 4), [
      "deploy",
      "PROJ-1",
      ownDirectory(world, "PROJ-1"),
      "demo__proj_1",
    ]);
    assertEquals(two.slice(1, 4), ["PROJ-2", ownDirectory(world, "PROJ-2"), "demo__proj_2"]);
    assertEquals(base.slice(1, 5), ["", "", "", ""]);
    assertEquals(new Set([one[4], two[4]]).size, 2, "their ports");
    assertEquals(new Set([one[5], two[5], base[5]]).size, 3, "their directories");
    const destroyed = await spin("destroy", "-t", "PROJ-1", "--confirm-name", "demo");
    assertEquals(destroyed.code, 4, "the name of the ecosystem is that of another environment");
    assertEquals((await spin("destroy", "-t", "PROJ-1", "--confirm-name", "PROJ-1")).code, 0);
    const state = async (...words: string[]) =>
      pick((await spin("status", "--json", ...words)).json(), "environment", "state");
    assertEquals(await state("-t", "PROJ-1"), "destroyed");
    assertEquals(await state("-t", "PROJ-2"), "deployed");
    assertEquals(await state(), "deployed");
    const all = (await spin("status", "--json")).json();
    assertEquals(rows(all, "tickets").map(({ ticket_id, state }) => [ticket_id, state]), [
      ["PROJ-1", "destroyed"],
      ["PROJ-2", "deployed"],
    ]);
    assertEquals(rows(all, "runs").length, 1, "the runs of the base workspace alone");
    assertMatch((await spin("status")).stdout, /^PROJ-2 +The last deploy succeeded/m);
  },
});

Deno.test({
  name: "a ticket does not end over an environment that stands, unless it is left",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using world = await withTickets();
    const amof = (...words: string[]) => world.amof(["-e", "demo", ...words]);
    assertEquals((await amof("spin", "deploy", "--yes", "-t", "PROJ-1")).code, 0);
    for (const words of [["end", "PROJ-1", "--yes"], ["move", "PROJ-1", "--in-place", "--yes"]]) {
      const refused = await amof("ticket", ...words);
      assertEquals(refused.code, 1, refused.stderr);
      assertStringIncludes(refused.stderr, "its environment still stands");
      assertStringIncludes(refused.stderr, "spin destroy --ticket PROJ-1");
    }
    const plan = await amof("ticket", "end", "PROJ-1", "--discard-local", "--dry-run");
    assertStringIncludes(plan.stdout, "Leave the environment");
    const left = await amof(
      "ticket",
      "end",
      "PROJ-1",
      "--discard-local",
      "--confirm-name",
      "PROJ-1",
    );
    assertEquals(left.code, 0, left.stderr);
    assertEquals((await told(world)).length, 1, "nothing was destroyed");
    // The other ticket has none, and goes; the first finds its environment again.
    assertEquals((await amof("ticket", "end", "PROJ-2", "--yes")).code, 0);
    assertEquals((await amof("ticket", "start", "PROJ-1", "--workspace")).code, 0);
    assertEquals(
      (await amof("spin", "destroy", "-t", "PROJ-1", "--confirm-name", "PROJ-1")).code,
      0,
    );
    assertEquals((await amof("ticket", "end", "PROJ-1", "--yes")).code, 0);
  },
});
