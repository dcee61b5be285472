// Laws of a session's history.

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { Session } from "../../src/pipeline/session.ts";

const place = fc.record({
  scope: fc.constantFrom(
    "global" as const,
    "ecosystem" as const,
    "run" as const,
    "release" as const,
  ),
  ecosystem: fc.constantFrom("demo", "shop", null),
  ticket: fc.constantFrom("PROJ-1", null),
  runId: fc.constantFrom("11111111-run", null),
  releaseTag: fc.constantFrom("v1", null),
});

Deno.test("Session.back() undoes exactly the last step to another place", () => {
  fc.assert(fc.property(fc.array(place, { maxLength: 40 }), (places) => {
    const session = new Session({ id: "s", owner: "o", mode: "ask", maxMode: "ask" });
    const way = [session.place];
    for (const next of places) {
      session.enter(next);
      if (JSON.stringify(session.place) !== JSON.stringify(way.at(-1))) way.push(session.place);
      assertEquals(session.place, next);
    }
    for (const expected of way.slice(0, -1).reverse()) {
      assertEquals([session.back(), session.place], [true, expected]);
    }
    assertEquals(session.back(), false);
  }));
});

Deno.test("a session that is bound to a ticket is never anywhere else", () => {
  const bound = { ecosystem: "demo", ticket: "PROJ-9" };
  const move = fc.record({ way: fc.constantFrom("enter", "leave", "back", "global"), place });
  fc.assert(fc.property(fc.array(move, { maxLength: 30 }), (moves) => {
    const session = new Session({ id: "s", owner: "o", mode: "ask", maxMode: "ask", bound });
    const stands = () => {
      const { ecosystem, ticket } = session.place;
      assertEquals({ ecosystem, ticket }, bound);
    };
    stands();
    for (const { way, place: next } of moves) {
      if (way === "enter") session.enter(next);
      else if (way === "leave") session.leaveFor(next);
      else if (way === "back") session.back();
      else session.toGlobal();
      stands();
    }
  }));
});
