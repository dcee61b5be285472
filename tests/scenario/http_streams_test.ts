// Covers what the server tells as it happens (SERVER-10, SERVER-11): nothing is lost, and who reads slowly is nobody's
// trouble.

import { assert, assertEquals } from "@std/assert";
import { connect } from "node:net";
import { until } from "../support/answers.ts";
import { RunInStore } from "../support/run_in_store.ts";
import { ServerOf } from "../support/server.ts";
import { World } from "../support/world.ts";

interface Event {
  readonly id: string | null;
  readonly data: string;
}

function events(body: string): Event[] {
  return body.split("\n\n").flatMap((block) => {
    const field = (name: string) =>
      block.split("\n").find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    const data = field("data");
    return data === undefined ? [] : [{ id: field("id") ?? null, data }];
  });
}

function messages(found: readonly Event[]): string[] {
  return found.filter(({ data }) => data !== "[DONE]").map(({ data }) => JSON.parse(data).message);
}

/** Numbered lines. */
function lines(from: number, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `line ${from + at}`);
}

Deno.test("a run of any process is followed by many at once, to its last line", async (t) => {
  await using world = await World.withEcosystem();
  await using server = await ServerOf.start(world);
  using run = await RunInStore.begin(world);
  const path = `/api/v1/runs/${run.id}/stream`;
  run.print(lines(1, 500));

  // Its socket is never read: what it holds up is itself.
  const slow = connect(server.port, "127.0.0.1");
  slow.pause();
  slow.write(
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${server.token}\r\n\r\n`,
  );
  const followers = Array.from({ length: 12 }, () => server.ask(path));
  const late = server.ask(`${path.replace(run.id, run.id.slice(0, 8))}?after=498`);
  run.print(lines(501, 500));
  // They must all have begun while it goes on.
  const begun = await server.beginning(path, {}, "line 1000");
  assert(!begun.includes("[DONE]"));
  for (let at = 1001; at < 3000; at += 100) run.print(lines(at, 100));
  run.end();

  await t.step("each gets every line once, in order, under ids that rise, and an end", async () => {
    const all = lines(1, 3000);
    for (const { status, headers, body } of await Promise.all(followers)) {
      assertEquals([status, headers.get("content-type")], [200, "text/event-stream"]);
      const found = events(body);
      assertEquals(messages(found), all);
      assertEquals(found.slice(0, -1).map(({ id }) => id), all.map((_, at) => String(at + 1)));
      assertEquals(found.at(-1), { id: null, data: "[DONE]" });
    }
    assertEquals(messages(events((await late).body)), lines(499, 2502));
    slow.destroy();
  });

  await t.step("a reader that was cut off goes on behind what it has", async () => {
    const headers = { "last-event-id": "2998" };
    const { body } = await server.ask(`${path}?after=5`, { headers });
    assertEquals(messages(events(body)), ["line 2999", "line 3000"]);
    const over = await server.ask(path, { headers: { "last-event-id": "3000" } });
    assertEquals(events(over.body), [{ id: null, data: "[DONE]" }]);
    const wrong = await server.ask(path, { headers: { "last-event-id": "1; DROP" } });
    assertEquals([wrong.status, JSON.parse(wrong.body).error], [400, "invalid_arguments"]);
    const unknown = await server.ask("/api/v1/runs/00000000/stream");
    assertEquals([unknown.status, JSON.parse(unknown.body).error], [404, "run_not_found"]);
  });
});

Deno.test("what has changed is told by its name, whoever changed it", async () => {
  await using world = await World.withEcosystem();
  await using server = await ServerOf.start(world);
  const first = events(await server.beginning("/api/v1/changes", {}, "changed"))[0];
  assertEquals(first?.data, '{"changed":[]}');
  const since = first?.id ?? "";

  using run = await RunInStore.begin(world);
  // Told at once to who heard of the state before.
  const [missed] = events(
    await server.beginning("/api/v1/changes", { "last-event-id": since }, "changed"),
  );
  assertEquals(missed?.data, '{"changed":["runs"]}');

  // Told when it happens to who listens.
  const heard = server.beginning(`/api/v1/changes?since=${missed?.id}`, {}, '["logs"]');
  let printed = 0;
  let text: string | null = null;
  void heard.then((all) => text = all);
  await until("the change is told", () => {
    if (text === null) run.print(lines(++printed, 1));
    return text !== null;
  });
  const told = new Set(events(await heard).map(({ data }) => data));
  told.delete('{"changed":[]}');
  assertEquals([...told], ['{"changed":["logs"]}']);
  run.end();
});
