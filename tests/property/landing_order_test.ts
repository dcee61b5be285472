// Laws of the order in which tickets land.

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { type Compared, landingOrder } from "../../src/commands/ticket/conflicts/conflicts.ts";

const IDS = ["A", "B", "C", "D", "E"];

const compared: fc.Arbitrary<Compared[]> = fc.array(
  fc.record({
    a: fc.constantFrom(...IDS),
    b: fc.constantFrom(...IDS, null),
    files: fc.nat({ max: 3 }),
    unknown: fc.nat({ max: 1 }),
  }),
  { maxLength: 12 },
).map((all) => {
  // Two sides are compared once.
  const once = new Map(
    all.filter(({ a, b }) => a !== b).map((pair) => [
      [pair.a, pair.b ?? ""].toSorted().join(),
      pair,
    ]),
  );
  return [...once.values()];
});

Deno.test("every ticket lands once, those first that the fewest others conflict with, and nothing is resolved twice", () => {
  fc.assert(fc.property(compared, (pairs) => {
    const order = landingOrder(IDS, pairs);
    assertEquals(order.map(({ ticket_id }) => ticket_id).toSorted(), IDS);
    const places = order.map(({ ticket_id }) => ticket_id);
    const conflicts = (a: string, b: string) =>
      pairs.filter((pair) => [pair.a, pair.b].includes(a) && [pair.a, pair.b].includes(b))
        .some(({ files }) => files > 0);
    for (const [index, { ticket_id, hinders }] of order.entries()) {
      const later = places.slice(index + 1);
      assertEquals(hinders.toSorted(), later.filter((id) => conflicts(ticket_id, id)).toSorted());
      // None of those that are left would hinder fewer.
      for (const other of later) {
        const rest = [ticket_id, ...later].filter((id) => id !== other);
        assert(hinders.length <= rest.filter((id) => conflicts(other, id)).length);
      }
    }
    // Whatever conflicts is resolved by exactly one: the one that lands later, or the only one where it is the base.
    const all = pairs.reduce((sum, { files }) => sum + files, 0);
    assertEquals(order.reduce((sum, { resolves }) => sum + resolves, 0), all);
  }));
});
