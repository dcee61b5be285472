// What a server opens it closes again: also in the bundled form, in which people run it.

import { assert, assertEquals } from "@std/assert";
import { McpClient } from "../support/mcp_client.ts";
import { World } from "../support/world.ts";

/** The files and directories of a world that a process holds open, in order. */
async function openIn(world: World, pid: number): Promise<string[]> {
  const found: string[] = [];
  for await (const { name } of Deno.readDir(`/proc/${pid}/fd`)) {
    const path = await Deno.readLink(`/proc/${pid}/fd/${name}`).catch(() => "");
    if (path.startsWith(world.control)) found.push(path.slice(world.control.length));
  }
  return found.sort();
}

Deno.test({
  name: "tickets that start and end leave no file of the control repository open in the server",
  ignore: Deno.build.os !== "linux", // it counts descriptors
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    await using client = new McpClient(world, ["--mode", "execute", "-e", "demo"]);
    await client.initialize();
    const before = await openIn(world, client.child.pid);
    for (const id of ["T-1", "T-2", "T-3"]) {
      const started = await client.call("amof_ticket_start", { ticket_id: id, workspace: true });
      assert(!started.isError, started.text);
      const run = started.data["run_id"];
      if (run !== undefined) await client.finished(String(run));
    }
    assertEquals(await openIn(world, client.child.pid), before);
  },
});
