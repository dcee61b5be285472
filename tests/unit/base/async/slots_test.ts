// Covers Slots: how many work at once, and who is next.

import { assertEquals, assertRejects } from "@std/assert";
import { Slots } from "../../../../src/base/async/pool.ts";

Deno.test("Slots with one place do one thing after the other, in the order of asking", async () => {
  const slots = new Slots(1);
  const seen: string[] = [];
  const work = (name: string) => async () => {
    seen.push(`${name} begins`);
    await Promise.resolve();
    seen.push(`${name} ends`);
    return name;
  };
  assertEquals(await Promise.all(["a", "b", "c"].map((name) => slots.turn(work(name)))), [
    "a",
    "b",
    "c",
  ]);
  assertEquals(seen, ["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
});

Deno.test("Slots let as many work at once as there are places", async () => {
  const slots = new Slots(2);
  const gates = [1, 2, 3].map(() => Promise.withResolvers<void>());
  const begun: number[] = [];
  const all = gates.map((gate, index) =>
    slots.turn(() => {
      begun.push(index);
      return gate.promise;
    })
  );
  await Promise.resolve();
  assertEquals(begun, [0, 1]);
  gates[1]?.resolve();
  await all[1];
  assertEquals(begun, [0, 1, 2]);
  gates[0]?.resolve();
  gates[2]?.resolve();
  await Promise.all(all);
});

Deno.test("Slots are free again after work that failed", async () => {
  const slots = new Slots(1);
  await assertRejects(() => slots.turn(() => Promise.reject(new Error("broken"))));
  assertEquals(await slots.turn(() => Promise.resolve("next")), "next");
});
