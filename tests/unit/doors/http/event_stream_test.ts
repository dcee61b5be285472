// Covers eventStream() and Watcher: nothing is made that nobody has asked for, and whoever waits is woken.

import { assertEquals, assertRejects } from "@std/assert";
import { DONE, eventStream, eventText, Watcher } from "../../../../src/doors/http/api/streams.ts";
import { clock } from "./_clock.ts";

/** A stream of numbered parts, what it has made, and how often it has ended. */
function numbered(last: number, ending: AbortSignal = new AbortController().signal) {
  const state = { made: 0, ends: 0, aborted: false };
  const { body } = eventStream(async function* (signal) {
    signal.addEventListener("abort", () => state.aborted = true);
    while (state.made < last && !signal.aborted) yield `${await Promise.resolve(++state.made)};`;
    yield DONE;
  }, { ending, onEnd: () => void state.ends++ });
  if (body === null) throw new Error("no body");
  return { state, reader: body.pipeThrough(new TextDecoderStream()).getReader() };
}

Deno.test("eventStream() sends all parts in order, and ends once", async () => {
  const { state, reader } = numbered(3);
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    text += value;
  }
  assertEquals(text, `retry: 2000\n\n1;2;3;${DONE}`);
  assertEquals(state, { made: 3, ends: 1, aborted: false });
});

Deno.test("eventStream() makes nothing for a reader that does not read, and ends with it", async () => {
  let made = 0;
  let ends = 0;
  const { body } = eventStream(async function* () {
    while (made < 1_000_000) yield `${await Promise.resolve(++made)};`;
  }, { ending: new AbortController().signal, onEnd: () => void ends++ });
  const reader = body?.getReader();
  await reader?.read();
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  assertEquals(made, 0);
  await reader?.read();
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  assertEquals(made, 1);
  await reader?.cancel();
  assertEquals(ends, 1);
});

Deno.test("eventStream() ends when all ends, and where its parts break", async () => {
  const ending = new AbortController();
  const { state, reader } = numbered(1_000_000, ending.signal);
  await reader.read();
  await reader.read();
  ending.abort();
  for (;;) if ((await reader.read()).done) break;
  assertEquals([state.aborted, state.ends], [true, 1]);

  let ends = 0;
  const broken = eventStream(async function* () {
    yield await Promise.resolve("1;");
    throw new Error("broken");
  }, { ending: new AbortController().signal, onEnd: () => void ends++ });
  await assertRejects(() => broken.text(), Error, "broken");
  assertEquals(ends, 1);
});

Deno.test("eventText() keeps what looks like an event inside of its data", () => {
  const text = eventText(7, { message: "a\nid: 8\n\ndata: [DONE]\r\u2028" });
  assertEquals(text.split("\n").length, 4);
  assertEquals(text.split("\n")[0], "id: 7");
});

Deno.test("Watcher wakes all who wait when the mark changes, and nobody before", async () => {
  let mark = "1";
  let looks = 0;
  const watcher = new Watcher(clock, () => {
    looks++;
    // A database that cannot be asked for a moment wakes nobody.
    if (looks === 8) throw new Error("busy");
    if (looks > 20) mark = "2";
    return mark;
  });
  const never = new AbortController().signal;
  // What has changed before is not waited for.
  await watcher.after("0", 1e9, never);
  await Promise.all([watcher.after("1", 1e9, never), watcher.after("1", 1e9, never)]);
  assertEquals(mark, "2");
  const stop = new AbortController();
  const waiting = watcher.after("2", 1e9, stop.signal);
  stop.abort();
  await waiting;
});

Deno.test("Watcher looks at nothing while nobody waits", async () => {
  let looks = 0;
  const watcher = new Watcher(clock, () => String(++looks > 5));
  await watcher.after("false", 1e9, new AbortController().signal);
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve));
  const before = looks;
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve));
  assertEquals(looks, before);
});
