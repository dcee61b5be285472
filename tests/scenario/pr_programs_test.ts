// The real gh, where it is installed, against the double of GitHub behind a Unix socket.

import { assertEquals, assertStringIncludes } from "@std/assert";
import { pick } from "../support/answers.ts";
import { beginTicket, forgeWorld } from "../support/forge/world.ts";

/** Whether a program can be started. */
async function has(program: string): Promise<boolean> {
  try {
    return (await new Deno.Command(program, { args: ["--version"], stdout: "null" }).output())
      .success;
  } catch {
    return false;
  }
}

const ignore = Deno.build.os === "windows" || !await has("gh");

Deno.test({
  name: "the real gh opens, shows, lands and takes back the pull requests of a ticket",
  ignore,
  async fn() {
    await using at = await forgeWorld("github", ["lib", "api"], "", { real: true });
    const { world, forge } = at;
    await beginTicket(world, "P-1", ["lib", "api"]);
    const opened = await world.amof(["pr", "open", "--yes"]);
    assertEquals(opened.code, 0, opened.stderr);
    const status = await world.amof(["pr", "status", "--json"]);
    assertEquals(pick(status.json(), "change_set", "state"), "ready", status.stdout);
    const update = await world.amof(["pr", "update", "--draft", "--yes"]);
    assertEquals(update.code, 0, update.stderr);
    const ready = await world.amof(["pr", "update", "--ready", "--yes"]);
    assertEquals(ready.code, 0, ready.stderr);
    const landed = await world.amof(["pr", "land", "P-1", "--confirm-name", "P-1"]);
    assertEquals(landed.code, 0, landed.stderr);
    const reverted = await world.amof(["pr", "revert", "P-1", "--yes"]);
    assertEquals(reverted.code, 0, reverted.stderr);
    assertEquals(forge.pulls.length, 4);
  },
});

Deno.test({
  name: "a gh that is not signed in is told with the command that signs in",
  ignore,
  async fn() {
    await using at = await forgeWorld("github", ["lib"], "", { real: true });
    const { world } = at;
    await beginTicket(world, "P-1", ["lib"]);
    delete world.env["GH_TOKEN"];
    const refused = await world.amof(["pr", "open", "--yes"]);
    assertEquals(refused.code, 1, refused.stdout);
    assertStringIncludes(refused.stderr, "gh auth login --hostname github.com");
  },
});
