/**
 * `amof server`: how it is started and stopped, what is said about it whatever lies in its record, and whom it answers.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { ServerOf } from "../support/server.ts";
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
    const { data } = await ask();
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
    const { text } = await client.call("amof_get_server_status", { mode: "execute" });
    assertStringIncludes(text, "Found no running server.");
    assertStringIncludes(text, "amof_server_start");
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
    assertEquals(data["healthy"], false, "nobody answers there");
    assertStringIncludes(String(data["note"]), "nothing proves");
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

Deno.test("amof server start answers when the server does, and stop ends that very process", async (t) => {
  await using world = await World.withEcosystem({ repos: [] });
  await using server = await ServerOf.start(world);
  const file = "control/.amof/server.pid";

  await t.step(
    "record and token are for the user alone, the token not in the repository",
    async () => {
      const record = JSON.parse(await Deno.readTextFile(join(world.directory, file)));
      assertEquals([record["pid"], record["port"], record["host"]], [
        server.pid,
        server.port,
        "127.0.0.1",
      ]);
      const token = await Deno.stat(server.tokenFile);
      if (Deno.build.os !== "windows") assertEquals((token.mode ?? 0) & 0o777, 0o600);
      assert(!server.tokenFile.startsWith(world.control));
      assert(!(await world.contents(join(world.control, ".amof"))).includes(server.token));
      assertEquals(await world.git(world.control, "status", "--porcelain", ".amof"), "");
    },
  );

  await t.step("status sees that it is well", async () => {
    const { code, json } = await world.amof(["server", "status", "--json"]);
    assertEquals(code, 0);
    const { running, healthy, pid, api_base, note } = json();
    assertEquals([running, healthy, pid, api_base, note], [
      true,
      true,
      server.pid,
      `http://127.0.0.1:${server.port}`,
      null,
    ]);
  });

  await t.step("a second start does nothing", async () => {
    const again = await world.amof(["server", "start", "--port", "0", "--json"]);
    assertEquals([again.code, again.json()["pid"], again.json()["started"]], [
      0,
      server.pid,
      false,
    ]);
  });

  await t.step("a restart keeps the port and changes the token", async () => {
    const before = server.token;
    const ran = await world.amof(["server", "restart", "--json"]);
    assertEquals(ran.code, 0, ran.stdout);
    await server.look();
    assertEquals([ran.json()["url"], ran.json()["pages"]], [
      `http://127.0.0.1:${server.port}`,
      `http://localhost:${server.port}`,
    ]);
    assert(server.token !== before);
    assertEquals((await server.ask("/api/v1/nothing", { token: before })).status, 401);
    assertEquals((await server.ask("/api/v1/nothing")).status, 404);
  });

  await t.step("a killed server is left over, and the next start goes on", async () => {
    Deno.kill(server.pid, "SIGKILL");
    await server.gone();
    const { code, json } = await world.amof(["server", "status", "--json"]);
    assertEquals([code, json()["running"]], [1, false]);
    assertStringIncludes(String(json()["note"]), "left over");
    const started = await world.amof(["server", "start", "--port", String(server.port), "--json"]);
    assertEquals([started.code, started.json()["started"]], [0, true], started.stdout);
    await server.look();
  });

  await t.step("stop ends it, and stopping what is stopped is no failure", async () => {
    const stop = await world.amof(["server", "stop", "--json"]);
    assertEquals([stop.code, stop.json()["stopped"], stop.json()["pid"]], [0, true, server.pid]);
    await server.gone();
    assert(!await world.exists(file));
    assertEquals(await Deno.stat(server.tokenFile).then(() => true, () => false), false);
    const again = await world.amof(["server", "stop", "--json"]);
    assertEquals([again.code, again.json()["stopped"], again.json()["pid"]], [0, false, null]);
  });
});

Deno.test("amof server start says who has a port that is taken, and ends nobody", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  using other = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = other.addr;
  const ran = await world.amof(["server", "start", "--port", String(port), "--json"]);
  assertEquals([ran.code, ran.json()["error"]], [1, "port_taken"], ran.stdout);
  if (Deno.build.os === "linux") {
    assertEquals(pick(ran.json(), "details", "holder_pid"), Deno.pid);
    assertStringIncludes(String(ran.json()["message"]), `process ${Deno.pid} has it`);
  }
  assert(!await world.exists("control/.amof/server.pid"));
});

Deno.test("amof server stop ends no process that is not proven to be the server", async (t) => {
  await using world = await World.withEcosystem({ repos: [] });
  const bystander = new Deno.Command("sleep", { args: ["60"], stdout: "null", stderr: "null" })
    .spawn();
  try {
    const boot = await bootId();
    const record = { pid: bystander.pid, started_at: "2020-01-01T00:00:00Z", boot_id: boot };
    const stop = async (written: unknown, words = ["stop"]) => {
      await world.write("control/.amof/server.pid", JSON.stringify(written));
      return await world.amof(["server", ...words, "--json"]);
    };
    await t.step("no start time", async () => {
      for (const words of [["stop"], ["restart", "--port", "0"]]) {
        const ran = await stop(record, words);
        assertEquals([ran.code, ran.json()["error"]], [1, "server_unproven"], ran.stdout);
      }
    });
    await t.step("another start time: the number was given to somebody else", async () => {
      if (boot === null) return;
      const ran = await stop({ ...record, process_start: "1" });
      assertEquals([ran.code, ran.json()["stopped"]], [0, false], ran.stdout);
      assert(!await world.exists("control/.amof/server.pid"), "the left over record is gone");
    });
    await t.step("a record that leads to another machine is not followed", async () => {
      await stop({ ...record, host: "example.invalid", port: 80, instance: "x" });
      const status = await world.amof(["server", "status", "--json"]);
      assertEquals(status.json()["healthy"], false);
    });
    Deno.kill(bystander.pid, "SIGTERM"); // it is still there, else this throws
  } finally {
    await bystander.status;
  }
});

Deno.test("no model starts, stops or restarts the server without a confirmation", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  await using client = new McpClient(world);
  await client.initialize();
  for (const verb of ["start", "stop", "restart"]) {
    if (verb === "stop") {
      await world.write(
        "control/.amof/server.pid",
        JSON.stringify({ pid: 999_999_999, boot_id: await bootId(), process_start: "1" }),
      );
    }
    const args = { mode: "execute", ...(verb === "stop" ? {} : { port: 0 }) };
    const answer = await client.call(`amof_server_${verb}`, args);
    assertEquals([answer.isError, answer.data["error"]], [true, "confirmation_required"], verb);
  }
  assertEquals(pick((await world.amof(["server", "status", "--json"])).json(), "running"), false);
});

Deno.test("the server answers only programs of this machine that hold its token", async (t) => {
  await using world = await World.withEcosystem({ repos: [] });
  await using server = await ServerOf.start(world);
  const own = `127.0.0.1:${server.port}`;
  const status = async (path: string, options: Parameters<ServerOf["ask"]>[1] = {}) => {
    const { status, body, headers } = await server.ask(path, options);
    assertEquals(headers.get("access-control-allow-origin"), null);
    assert(!body.includes(server.token));
    return [status, body === "" ? "" : JSON.parse(body)["error"] ?? ""];
  };

  await t.step("health needs no token and is told to nobody else", async () => {
    assertEquals(await status("/api/v1/health", { token: null }), [200, ""]);
    for (const host of ["attacker.example", `attacker.example:${server.port}`, "127.0.0.1:1"]) {
      assertEquals(await status("/api/v1/health", { host }), [403, "origin_refused"], host);
    }
    assertEquals(await status("/api/v1/health", { host: `localhost:${server.port}` }), [200, ""]);
  });

  await t.step("nothing else answers without the token, or with another", async () => {
    const wrong = `${server.token.slice(0, -1)}${server.token.endsWith("0") ? "1" : "0"}`;
    for (const token of [null, "", "x", wrong, `${server.token}0`]) {
      for (const path of ["/", "/mcp", "/api/v1/ecosystems", "/api/v1/health/", "/%2e%2e/health"]) {
        assertEquals(await status(path, { token }), [401, "token_required"], `${path} ${token}`);
      }
    }
    assertEquals(
      await status("/api/v1/health", { token: null, method: "POST", body: "{}" }),
      [401, "token_required"],
    );
  });

  await t.step("another site reaches nothing, even with the token", async () => {
    for (
      const origin of ["https://attacker.example", "null", `https://${own}`, `http://${own}.evil`]
    ) {
      assertEquals(await status("/api/v1/nothing", { origin }), [403, "origin_refused"], origin);
    }
    assertEquals(await status("/api/v1/nothing", { origin: `http://${own}` }), [
      404,
      "route_not_found",
    ]);
    const preflight = await status("/api/v1/nothing", {
      method: "OPTIONS",
      origin: "https://attacker.example",
      token: null,
    });
    assertEquals(preflight, [403, "origin_refused"]);
  });

  await t.step("no path leads to files", async () => {
    for (
      const path of [
        "/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/..%2f..%2fetc/passwd",
        "/.amof/server.pid",
      ]
    ) assertEquals(await status(path), [404, "route_not_found"], path);
  });

  await t.step("500 idle connections are in nobody's way", async () => {
    const idle = [];
    for (let count = 0; count < 500; count++) {
      idle.push(await Deno.connect({ hostname: "127.0.0.1", port: server.port }));
    }
    try {
      assertEquals(await status("/api/v1/health"), [200, ""]);
    } finally {
      for (const each of idle) each.close();
    }
  });
});
