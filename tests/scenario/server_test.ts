/**
 * `amof server status` and its tool: what is said about a control plane, whatever lies in its record.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { McpClient } from "../support/mcp_client.ts";
import { World } from "../support/world.ts";

async function bootId(): Promise<string | null> {
  return await Deno.readTextFile("/proc/sys/kernel/random/boot_id")
    .then((text) => text.trim(), () => null);
}

Deno.test("amof server status tells a running server from none, a dead one and rubbish", async (t) => {
  await using world = await World.withEcosystem();
  await using client = new McpClient(world);
  await client.initialize();
  const file = "control/.amof/server.pid";
  const ask = async () => {
    const ran = await world.amof(["server", "status", "--json"]);
    const tool = await client.call("amof_get_server_status");
    assert(!tool.isError, "over MCP an answer is no failure");
    for (const member of ["running", "pid", "api_base", "healthy", "note", "pid_file"]) {
      assertEquals(tool.data[member], ran.json()[member], member);
    }
    assertEquals(ran.code, ran.json()["running"] === true ? 0 : 1);
    assert(!ran.stdout.includes("secret") && !tool.text.includes("secret"), "no token is shown");
    return { data: ran.json(), text: tool.text };
  };

  await t.step("no record", async () => {
    const { data, text } = await ask();
    assertEquals([data["running"], data["pid"], data["uptime_s"], data["healthy"], data["note"]], [
      false,
      null,
      null,
      null,
      null,
    ]);
    assertEquals([data["api_base"], data["pid_file"]], [
      "http://localhost:8000",
      ".amof/server.pid",
    ]);
    assertStringIncludes(text, "Found no running server.");
    assert(!text.includes("amof_server_start"), "nothing is suggested that does not exist");
  });

  const record = {
    pid: Deno.pid,
    started_at: "2020-01-01T00:00:00Z",
    host: "127.0.0.1",
    port: 8123,
    token: "secret",
    version: "1.0.0",
    boot_id: await bootId(),
  };

  await t.step("a live process", async () => {
    await world.write(file, JSON.stringify(record));
    const { data, text } = await ask();
    assertEquals([data["running"], data["pid"], data["api_base"]], [
      true,
      Deno.pid,
      "http://127.0.0.1:8123",
    ]);
    assert(Number(data["uptime_s"]) > 0);
    assertEquals(data["healthy"], null, "nobody asked it");
    assertStringIncludes(text, `process ${Deno.pid}`);
  });

  await t.step("a process of an earlier boot, and one that has ended", async () => {
    const ended = new Deno.Command("true", { stdout: "null", stderr: "null" }).spawn();
    await ended.status;
    const others = [
      ...(record.boot_id === null ? [] : [{ ...record, boot_id: "another" }]),
      { ...record, pid: ended.pid },
    ];
    for (const other of others) {
      await world.write(file, JSON.stringify(other));
      const { data } = await ask();
      assertEquals([data["running"], data["pid"], data["uptime_s"]], [false, null, null]);
      assertStringIncludes(String(data["note"]), "left over");
    }
  });

  await t.step("rubbish", async () => {
    for (
      const text of [
        "",
        "4711",
        "null",
        "{}",
        '{"pid":-1}',
        '{"pid":1}',
        '{"pid":"5"}',
        "x".repeat(20_000),
      ]
    ) {
      await world.write(file, text);
      const { data } = await ask();
      assertEquals([data["running"], data["note"]], [false, "The record cannot be read"], text);
    }
  });
});
