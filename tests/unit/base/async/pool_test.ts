// Covers inPool(): order, bound, and which failure is thrown.

import { assertEquals, assertRejects } from "@std/assert";
import { inPool } from "../../../../src/base/async/pool.ts";

/** Work whose items end only when the test says so. */
function gates(): {
  begun: number[];
  work: (item: number) => Promise<number>;
  open: (item: number) => void;
  fail: (item: number, error: Error) => void;
} {
  const begun: number[] = [];
  const waiting = new Map<number, PromiseWithResolvers<number>>();
  const gate = (item: number) => {
    const found = waiting.get(item) ?? Promise.withResolvers<number>();
    waiting.set(item, found);
    return found;
  };
  return {
    begun,
    work: (item) => {
      begun.push(item);
      return gate(item).promise;
    },
    open: (item) => gate(item).resolve(item * 10),
    fail: (item, error) => gate(item).reject(error),
  };
}

/** Lets everything run that can run without waiting for anything from outside. */
const settle = () => new Promise<void>((resolve) => setTimeout(resolve, 0));

Deno.test("inPool() keeps the order of the items, whichever ends first", async () => {
  const { work, open } = gates();
  const all = inPool(3, [1, 2, 3], work);
  for (const item of [3, 1, 2]) open(item);
  assertEquals(await all, [10, 20, 30]);
});

Deno.test("inPool() begins no more than the limit at once", async () => {
  const { begun, work, open } = gates();
  const all = inPool(2, [1, 2, 3, 4], work);
  await settle();
  assertEquals(begun, [1, 2]);
  open(2);
  await settle();
  assertEquals(begun, [1, 2, 3]);
  for (const item of [1, 3, 4]) open(item);
  assertEquals(await all, [10, 20, 30, 40]);
});

Deno.test("inPool() throws the failure itself", async () => {
  const failure = new TypeError("broken");
  const { work, fail, open } = gates();
  const all = inPool(3, [1, 2, 3], work);
  await settle();
  fail(2, failure);
  for (const item of [1, 3]) open(item);
  assertEquals(await assertRejects(() => all, TypeError), failure);
});

Deno.test("inPool() throws the failure of the earliest item when several fail", async () => {
  const { work, fail, open } = gates();
  const all = inPool(3, [1, 2, 3], work);
  await settle();
  fail(3, new Error("third"));
  fail(2, new Error("second"));
  open(1);
  await assertRejects(() => all, Error, "second");
});

Deno.test("inPool() begins no further item after a failure, and waits for those under way", async () => {
  const { begun, work, fail, open } = gates();
  let ended = false;
  const all = inPool(2, [1, 2, 3, 4], work).finally(() => ended = true);
  all.catch(() => {});
  await settle();
  fail(1, new Error("broken"));
  await settle();
  assertEquals([begun, ended], [[1, 2], false]);
  open(2);
  await assertRejects(() => all, Error, "broken");
  assertEquals(begun, [1, 2]);
});

Deno.test("inPool() throws an AggregateError of the work as it is", async () => {
  const error = new AggregateError([new Error("inner")], "outer");
  assertEquals(
    await assertRejects(() => inPool(1, [1], () => Promise.reject(error)), AggregateError),
    error,
  );
});

Deno.test("inPool() of nothing is nothing", async () => {
  assertEquals(await inPool(4, [], () => Promise.reject(new Error("never"))), []);
});

Deno.test("inPool() with a limit below one works one by one", async () => {
  assertEquals(await inPool(0, [1, 2], (item) => Promise.resolve(item)), [1, 2]);
});
