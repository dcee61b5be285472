// Laws of merging lists by time: nothing is lost or added, no list changes its order, and what was sorted stays so.

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { mergeNewest } from "../../src/commands/log.ts";

/** Lists of times, each item with the list it comes from and its place there. */
const lists = fc.array(fc.array(fc.nat(50), { maxLength: 12 }), { maxLength: 8 })
  .map((times) => times.map((list, from) => list.map((at, place) => ({ at, from, place }))));
const sorted = lists.map((all) => all.map((list) => list.toSorted((a, b) => b.at - a.at)));

Deno.test("mergeNewest() keeps every item and the order of each list", () => {
  fc.assert(fc.property(lists, (all) => {
    const merged = mergeNewest(all, ({ at }) => at);
    assertEquals(all.map((_, from) => merged.filter((item) => item.from === from)), all);
  }));
});

Deno.test("mergeNewest() of sorted lists is what sorting everything gives, equals in the order of the lists", () => {
  fc.assert(fc.property(sorted, fc.nat(60), (all, most) => {
    const expected = all.flat().toSorted((a, b) => b.at - a.at || a.from - b.from);
    assertEquals(mergeNewest(all, ({ at }) => at, most), expected.slice(0, most));
    // As many of each list as are wanted in all are enough.
    const cut = all.map((list) => list.slice(0, most));
    assertEquals(mergeNewest(cut, ({ at }) => at, most), expected.slice(0, most));
  }));
});
