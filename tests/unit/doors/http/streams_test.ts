// Covers Streams: what followers of the same run share is never older than what is stored, and there are only so many.

import { assertEquals, assertRejects } from "@std/assert";
import type { App } from "../../../../src/pipeline/app.ts";
import { AmofError } from "../../../../src/base/error.ts";
import { Streams } from "../../../../src/doors/http/api/streams.ts";
import type { Clock } from "../../../../src/base/system/mod.ts";
import { openStore } from "../../../../src/state/store/open.ts";
import { line, newRun } from "../../state/store/_records.ts";
import { clock } from "./_clock.ts";

/** Streams over a store with one run that goes on, in a world with such a clock. */
function begun(time: Clock = clock) {
  const store = openStore(":memory:");
  const run = newRun();
  store.runs.add(run);
  store.runs.move(run.runId, "running", 1);
  const app = { system: { clock: time }, store: () => Promise.resolve(store) } as unknown as App;
  const ending = new AbortController();
  return { store, runId: run.runId, streams: new Streams(app, ending.signal), ending };
}

/** What comes next of a stream. */
async function next(reader: ReadableStreamDefaultReader<string>): Promise<string> {
  return (await reader.read()).value ?? "";
}

function readerOf({ body }: Response): ReadableStreamDefaultReader<string> {
  if (body === null) throw new Error("no body");
  return body.pipeThrough(new TextDecoderStream()).getReader();
}

Deno.test("followers who waited where nothing was hear of what comes, each and in order", async () => {
  const { store, runId, streams, ending } = begun();
  // Only so that what is never told ends in a failure.
  const patience = setTimeout(() => ending.abort(), 20_000);
  const readers = [
    readerOf(await streams.ofRun(runId, 0)),
    readerOf(await streams.ofRun(runId, 0)),
  ];
  for (const reader of readers) assertEquals(await next(reader), "retry: 2000\n\n");
  for (let count = 1; count <= 3; count++) {
    const waiting = readers.map(next);
    // Both have looked, and found nothing there.
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve));
    store.events.append(runId, [line(`line ${count}`)]);
    for (const text of await Promise.all(waiting)) {
      assertEquals(/^id: (\d+)\ndata: .*"message":"line (\d+)"/.exec(text)?.slice(1), [
        String(count),
        String(count),
      ]);
    }
  }
  store.runs.move(runId, "success", 2, { exitCode: 0 });
  for (const reader of readers) assertEquals(await next(reader), "data: [DONE]\n\n");
  clearTimeout(patience);
  store.close();
});

Deno.test("a silent run is said to be followed still, and one that nobody works on is ended", async () => {
  // Every wait in vain takes 15.5 seconds; a run without a worker is given up after 30.
  let now = 1_000;
  const { store, runId, streams } = begun({
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (ms < 1_000) return void setTimeout(resolve);
        signal?.addEventListener("abort", () => resolve(), { once: true });
        setTimeout(() => {
          now += signal?.aborted === true ? 0 : 15_500;
          resolve();
        }, 20);
      }),
  });
  const told = (await (await streams.ofRun(runId, 0)).text()).split("\n\n");
  const event = told.splice(3, 1)[0] ?? "";
  assertEquals(told, ["retry: 2000", ": still here", ": still here", "data: [DONE]", ""]);
  assertEquals(/^id: 1\ndata: .*"type":"state"/.test(event), true, event);
  assertEquals(store.runs.get(runId)?.reason, "interrupted");
  store.close();
});

Deno.test("with one stream too many the next is refused, and served once one has ended", async () => {
  const { store, runId, streams, ending } = begun();
  const open: Response[] = [];
  for (let count = 0; count < 256; count++) open.push(await streams.ofRun(runId, 0));
  const refused = await assertRejects(() => streams.ofChanges(null), AmofError);
  assertEquals(refused.code, "state_busy");
  await open[0]?.body?.cancel();
  const served = await streams.ofChanges(null);
  ending.abort();
  // What the server ends is not said to be the end of the run.
  for (const each of [...open.slice(1), served]) assertEquals(await each.text(), "retry: 2000\n\n");
  store.close();
});
