// Covers readBody(): what a request brings with it, within limits of size and time (SERVER-12).

import { assertEquals, assertRejects } from "@std/assert";
import { AmofError } from "../../../../src/base/error.ts";
import { readBody } from "../../../../src/doors/http/core.ts";
import type { Clock } from "../../../../src/base/system/mod.ts";

/** Time that stands still until a signal aborts. */
const still: Clock = {
  now: () => 0,
  sleep: (_ms, signal) =>
    new Promise((resolve) => signal?.addEventListener("abort", () => resolve(), { once: true })),
};

function posted(
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>,
  headers = {},
): Request {
  return new Request("http://127.0.0.1:1/", { method: "POST", body, headers });
}

async function refusal(request: Request, clock: Clock = still): Promise<string> {
  return (await assertRejects(() => readBody(request, clock), AmofError)).code;
}

Deno.test("readBody() answers what was sent, and nothing for no body", async () => {
  assertEquals(
    await readBody(posted('{"mode": "plan", "x": "ä"}'), still),
    '{"mode": "plan", "x": "ä"}',
  );
  assertEquals(await readBody(new Request("http://127.0.0.1:1/"), still), "");
  const most = "x".repeat(1024 * 1024);
  assertEquals(await readBody(posted(most), still), most);
});

Deno.test("readBody() refuses what is too large by what is said, and by what comes", async () => {
  assertEquals(await refusal(posted("{}", { "content-length": "1048577" })), "request_too_large");
  let sent = 0;
  let left = false;
  const endless = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      sent++;
      controller.enqueue(new Uint8Array(64 * 1024));
    },
    cancel() {
      left = true;
    },
  }, { highWaterMark: 0 });
  assertEquals(await refusal(posted(endless)), "request_too_large");
  // After what tells, 16 MiB are thrown away, for those who read the answer only when all is sent.
  assertEquals([sent, left], [17 + 256, true]);
});

Deno.test("readBody() refuses what is no UTF-8, and gives up what does not come", async () => {
  assertEquals(await refusal(posted(new Uint8Array([0x7b, 0xff]))), "invalid_arguments");
  let waited = 0;
  const late: Clock = {
    now: () => 0,
    sleep: (ms) => {
      waited = ms;
      return Promise.resolve();
    },
  };
  const silent = new ReadableStream<Uint8Array<ArrayBuffer>>({ pull: () => new Promise(() => {}) });
  assertEquals(await refusal(posted(silent), late), "timeout");
  assertEquals(waited, 15_000);
});
