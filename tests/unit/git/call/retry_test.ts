/**
 * Trying a transfer again.
 *
 * @module
 */

import { assertEquals, assertRejects } from "@std/assert";
import { AmofError } from "../../../../src/base/error.ts";
import { withRetries } from "../../../../src/git/call/limits.ts";

const CLOCK = { now: () => 0, sleep: () => Promise.resolve() };

Deno.test("withRetries() tells why the network failed when the next try is ended", async () => {
  const abort = new AbortController();
  let tries = 0;
  const work = (): Promise<never> => {
    tries++;
    if (tries > 1) abort.abort();
    return Promise.reject(
      tries === 1
        ? new AmofError("remote_unreachable", "No route to host")
        : new AmofError("cancelled", "Stopped"),
    );
  };
  const failure = await assertRejects(
    () => withRetries(CLOCK, abort.signal, work, () => {}),
    AmofError,
  );
  assertEquals([tries, failure.message], [2, "No route to host"]);
});

Deno.test("withRetries() gives up after four tries, and at once where another failure comes", async () => {
  for (const [code, most] of [["remote_unreachable", 4], ["auth_failed", 1]] as const) {
    let tries = 0;
    const { signal } = new AbortController();
    const work = (): Promise<never> => {
      tries++;
      return Promise.reject(new AmofError(code, "No"));
    };
    await assertRejects(() => withRetries(CLOCK, signal, work, () => {}), AmofError);
    assertEquals(tries, most);
  }
});
