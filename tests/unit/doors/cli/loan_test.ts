/**
 * Who has the terminal.
 *
 * @module
 */

import { assertEquals, assertRejects } from "@std/assert";
import { Loan } from "../../../../src/doors/cli/run_command.ts";

Deno.test("a terminal is lent while work is done, and for a moment after it, in which the news of an interrupt can be late", async () => {
  let now = 1_000;
  const loan = new Loan(() => now);
  assertEquals(loan.isOut(), false);
  const inner = Promise.withResolvers<number>();
  const work = loan.lend(async () => {
    assertEquals(await loan.lend(() => Promise.resolve(1)), 1);
    return await inner.promise;
  });
  now += 60_000;
  assertEquals(loan.isOut(), true);
  inner.resolve(2);
  assertEquals(await work, 2);
  assertEquals(loan.isOut(), true);
  now += 499;
  assertEquals(loan.isOut(), true);
  now += 1;
  assertEquals(loan.isOut(), false);
});

Deno.test("a terminal comes back from work that fails", async () => {
  let now = 0;
  const loan = new Loan(() => now);
  await assertRejects(() => loan.lend(() => Promise.reject(new Error("no"))), Error, "no");
  now += 500;
  assertEquals(loan.isOut(), false);
});
