// Covers what the API does with whoever is not meant, sends too much, too slowly, or reads too slowly (SERVER-6,
// SERVER-12), and that a run outlives its server.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { connect, type Socket } from "node:net";
import {
  API,
  CHANGES_PATH,
  OPENAPI_PATH,
  ROUTES,
  STREAM_PATH,
} from "../../src/doors/http/api/table.ts";
import { pick, until } from "../support/answers.ts";
import { RunInStore } from "../support/run_in_store.ts";
import { ServerOf } from "../support/server.ts";
import { World } from "../support/world.ts";
import { slowClone } from "./hold.ts";

const JSON_TYPE = { "content-type": "application/json" };

Deno.test("no route of the API answers whoever is not meant, or falls to whoever overdoes it", async (t) => {
  await using world = await World.withEcosystem({ repos: [] });
  await using server = await ServerOf.start(world);
  const own = `127.0.0.1:${server.port}`;
  const isWell = async () =>
    assertEquals((await server.ask(`${API}/ecosystems`)).status, 200, "it answers others");

  await t.step("every route refuses strangers before it looks at anything else", async () => {
    const before = await world.fingerprint();
    const all = [
      ...ROUTES,
      ...[STREAM_PATH, CHANGES_PATH, OPENAPI_PATH].map((path) => ({ method: "GET", path })),
    ];
    for (const { method, path } of all) {
      const strangers = [
        [{ token: null }, 401, "token_required"],
        [{ token: "0".repeat(64) }, 401, "token_required"],
        [{ origin: "https://attacker.example" }, 403, "origin_refused"],
        [{ host: `attacker.example:${server.port}` }, 403, "origin_refused"],
      ] as const;
      await Promise.all(strangers.map(async ([asking, status, error]) => {
        const answer = await server.ask(`${API}${path.replaceAll(/\{\w+\}/g, "demo")}`, {
          ...asking,
          method,
          headers: JSON_TYPE,
          ...(method === "POST" ? { body: '{"mode":"execute","confirm":true}' } : {}),
        });
        const where = `${method} ${path} ${JSON.stringify(asking)}`;
        assertEquals([answer.status, JSON.parse(answer.body).error], [status, error], where);
        assertEquals(answer.headers.get("access-control-allow-origin"), null);
        assert(!answer.body.includes(server.token));
      }));
    }
    assertEquals(await world.changesSince(before), []);
  });

  await t.step("10 MiB at once are refused, said beforehand or not", async () => {
    const body = JSON.stringify({ name: "x".repeat(10 * 1024 * 1024) });
    const refused = await server.ask(`${API}/ecosystems`, {
      method: "POST",
      headers: JSON_TYPE,
      body,
    });
    assertEquals([refused.status, JSON.parse(refused.body).error], [413, "request_too_large"]);
    // Whoever still sends when the answer comes may lose the connection before reading it.
    const unsaid = await fetch(`http://${own}${API}/ecosystems`, {
      method: "POST",
      headers: { ...JSON_TYPE, authorization: `Bearer ${server.token}` },
      body: new Blob([body]).stream(),
    }).then(async (answer) => [answer.status, pick(await answer.json(), "error")], () => null);
    if (unsaid !== null) assertEquals(unsaid, [413, "request_too_large"]);
    await isWell();
  });

  await t.step(
    "those who write slowly, and those who read slowly, are in nobody's way",
    async () => {
      using run = await RunInStore.begin(world);
      run.print(Array.from({ length: 2_000 }, (_, at) => `${at} ${"x".repeat(500)}`));
      const common = `Host: ${own}\r\nAuthorization: Bearer ${server.token}\r\n`;
      const texts = [
        // The headers do not end.
        `POST ${API}/ecosystems HTTP/1.1\r\nHost: ${own}\r\n`,
        // The body does not come.
        `POST ${API}/ecosystems HTTP/1.1\r\n${common}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
        // The answer is not taken.
        `GET ${API}/runs/${run.id}/stream HTTP/1.1\r\n${common}\r\n`,
        `GET ${API}${CHANGES_PATH} HTTP/1.1\r\n${common}\r\n`,
      ];
      const sockets: Socket[] = [];
      try {
        for (let at = 0; at < 120; at++) {
          const socket = connect(server.port, "127.0.0.1");
          socket.on("error", () => {});
          socket.pause();
          socket.write(texts[at % texts.length] ?? "");
          sockets.push(socket);
        }
        await Promise.all(
          sockets.map((socket) =>
            socket.connecting ? new Promise((resolve) => socket.once("connect", resolve)) : null
          ),
        );
        await isWell();
        // One who reads gets everything meanwhile.
        const followed = server.ask(`${API}/runs/${run.id}/stream`);
        run.end();
        const { body } = await followed;
        assertEquals(body.match(/^id: /gm)?.length, 2_000);
        assert(body.endsWith("data: [DONE]\n\n"));
      } finally {
        for (const socket of sockets) {
          socket.destroy();
        }
      }
      await isWell();
    },
  );
});

Deno.test("a run goes on when its server is killed, and the next server shows it", async () => {
  await using world = await World.withEcosystem({ repos: ["web"] });
  const env = await slowClone(world, "web");
  await using server = await ServerOf.start(world, 0, env);
  const post = async (path: string, body: unknown) => {
    const answer = await server.ask(`${API}${path}`, {
      method: "POST",
      headers: JSON_TYPE,
      body: JSON.stringify(body),
    });
    return JSON.parse(answer.body);
  };
  const asked = await post("/ecosystems/demo/actions/install", { mode: "execute" });
  const token = pick(asked, "confirmation", "token");
  const begun = await post("/confirmations", { token, mode: "execute" });
  const stream = `${API}/runs/${begun.run_id}/stream`;
  await until("the clone is held", () => world.exists("held"));
  const seen = await server.beginning(stream, {}, "Started install");
  assert(!seen.includes("[DONE]"));
  const last = [...seen.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? "";

  Deno.kill(server.pid, "SIGKILL");
  await server.gone();
  // A connection of another test may have got the number of the port for as long as it lasts.
  await until("the port is free", async () => {
    const again = await world.amof(["server", "start", "--port", String(server.port), "--json"]);
    assert([undefined, "port_taken"].includes(again.json()["error"] as undefined), again.stdout);
    return again.code === 0;
  });
  await server.look();
  const meanwhile = await server.ask(`${API}/runs/${begun.run_id}/status`);
  assertEquals(JSON.parse(meanwhile.body).status, "running");
  const rest = server.ask(stream, { headers: { "last-event-id": last } });
  await Deno.writeTextFile(join(world.directory, "go"), "");
  const { body } = await rest;
  assert(!body.includes("Started install"), "what was seen is not told again");
  assertStringIncludes(body, '"type":"exit"');
  assert(body.endsWith("data: [DONE]\n\n"));
  const ended = JSON.parse((await server.ask(`${API}/runs/${begun.run_id}`)).body);
  assertEquals([ended.status, ended.exit_code], ["success", 0]);
});
