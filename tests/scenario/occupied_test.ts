/**
 * A workspace does not go while the caller stands in it.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { World } from "../support/world.ts";

const COMMANDS = [["archive", "--yes"], ["discard", "--confirm-name", "demo"]];

for (const [word = "", ...flags] of COMMANDS) {
  Deno.test(`amof ${word} refuses from inside the workspace, and says where to go`, async () => {
    await using world = await World.installed({ repos: ["api"] });
    const before = await world.fingerprint();
    for (const cwd of [world.workspace(), join(world.clone("api"), ".git")]) {
      const ran = await world.amof([word, ...flags, "--json"], { cwd });
      assertEquals(ran.code, 1, ran.stdout);
      assertEquals(pick(ran.json(), "error"), "workspace_in_use");
      assertStringIncludes(String(pick(ran.json(), "hint")), `cd ${world.control}`);
      assertStringIncludes(String(pick(ran.json(), "hint")), `amof ${word}`);
    }
    assertEquals(await world.changesSince(before), []);
    const elsewhere = await world.amof([word, ...flags, "--json"]);
    assertEquals(elsewhere.code, 0, elsewhere.stdout);
    assertEquals(await world.exists(world.workspace()), false);
  });
}

Deno.test({
  name: "amof archive and discard see through the links that led into the workspace",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    await Deno.symlink(world.workspace(), join(world.directory, "shortcut"));
    for (const [word = "", ...flags] of COMMANDS) {
      // The shell says how it got there; the program must not rely on it.
      const ran = await world.amof(["--root", world.control, word, ...flags, "--json"], {
        cwd: join(world.directory, "shortcut", "repos"),
        env: { PWD: join(world.directory, "shortcut", "repos") },
      });
      assertEquals(pick(ran.json(), "error"), "workspace_in_use", ran.stdout);
    }
    assert(await world.exists(world.clone("api")));
  },
});

Deno.test("a token from outside is worth nothing inside the workspace", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const asked = await world.amof(["archive", "--json"]);
  const token = String(pick(asked.json(), "confirmation", "token"));
  const ran = await world.amof(["confirm", token, "--json"], { cwd: world.clone("api") });
  assertEquals(pick(ran.json(), "error"), "workspace_in_use", ran.stdout);
  assertEquals((await world.amof(["confirm", token, "--json"])).code, 0);
});

Deno.test("over MCP the working directory of the server counts", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await using client = new McpClient(world, ["--mode", "execute"], {}, { cwd: world.clone("api") });
  await client.initialize();
  const answer = await client.call("amof_archive_ecosystem", { ecosystem: "demo" });
  assertEquals(answer.data["error"], "workspace_in_use");
  assert(!answer.text.includes("you are in"), answer.text);
  assert(await world.exists(world.clone("api")));
});
