/**
 * Trying again what another program keeps from the database.
 *
 * @module
 */

import { assertEquals, assertRejects } from "@std/assert";
import { AmofError } from "../../../../src/base/error.ts";
import { insist } from "../../../../src/state/store/sql.ts";

function clock(): { now: () => number; sleep: (ms: number) => Promise<void> } {
  let now = 0;
  return {
    now: () => now,
    sleep: (ms) => {
      now += ms;
      return Promise.resolve();
    },
  };
}

Deno.test("insist() tries again until the database is free", async () => {
  let tries = 0;
  const work = () => {
    if (++tries < 3) throw new AmofError("state_busy", "Held");
    return "done";
  };
  assertEquals([await insist(clock(), work, 3_000), tries], ["done", 3]);
});

Deno.test("insist() gives up when the time is over, and at once for any other failure", async () => {
  for (const [code, most] of [["state_busy", 12], ["state_corrupt", 1]] as const) {
    let tries = 0;
    const work = () => {
      tries++;
      throw new AmofError(code, "No");
    };
    await assertRejects(() => insist(clock(), work, 1_000), AmofError);
    assertEquals(tries, most);
  }
});
