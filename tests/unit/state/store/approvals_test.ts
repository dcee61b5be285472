// Covers Approvals: pending requests, one decision each, and what the token is worth then.

import { assert, assertEquals } from "@std/assert";
import type { NewConfirmation, Store } from "../../../../src/state/store/mod.ts";
import { openStore } from "../../../../src/state/store/open.ts";
import { request as newRequest } from "./_records.ts";

const ASKER = {
  root: "/space",
  sessionId: "sess_1",
  client: "editor/1.2",
  place: { scope: "global" },
  summary: "Would push 1 repo.",
};

function park(store: Store, id: string, fields: Partial<NewConfirmation> = {}): string {
  const made = newRequest({ fingerprint: id, ...fields });
  store.approvals.add({ ...ASKER, id }, made, 20);
  return made.tokenHash;
}

function decisionOn(store: Store, tokenHash: string): unknown {
  const found = store.confirmations.find(tokenHash, "sess_1");
  return [found?.approval?.decision, found?.outcome, found?.expiresAt];
}

Deno.test("Approvals keeps who asked, and the request with it", () => {
  const store = openStore(":memory:");
  const tokenHash = park(store, "3f0c6f4e");
  const [pending, second] = store.approvals.byPrefix("3f0c");
  assertEquals(second, undefined);
  const request = store.confirmations.find(tokenHash, "sess_1");
  assert(request !== null);
  assertEquals(pending, {
    ...ASKER,
    id: "3f0c6f4e",
    decidedAt: null,
    request,
  });
  assertEquals(decisionOn(store, tokenHash), ["pending", null, 301_000]);
  store.close();
});

Deno.test("Approvals.byPrefix() shows that a beginning is ambiguous", () => {
  const store = openStore(":memory:");
  park(store, "aaaa0001");
  park(store, "aaaa0002");
  assertEquals(store.approvals.byPrefix("aaaa").length, 2);
  assertEquals(store.approvals.byPrefix("aaaa0002").map((pending) => pending.id), ["aaaa0002"]);
  assertEquals(store.approvals.byPrefix("b"), []);
  store.close();
});

Deno.test("Approvals.decide() counts once, and gives an approval a life of its own", () => {
  const store = openStore(":memory:");
  const tokenHash = park(store, "aaaa0001");
  assertEquals(
    store.approvals.decide("aaaa0001", {
      decision: "approved",
      by: "me",
      now: 2000,
      expiresAt: 9000,
    }),
    true,
  );
  assertEquals(
    store.approvals.decide("aaaa0001", {
      decision: "declined",
      by: "you",
      now: 2001,
      expiresAt: 2001,
    }),
    false,
  );
  assertEquals(decisionOn(store, tokenHash), ["approved", null, 9000]);
  assertEquals(store.approvals.byPrefix("aaaa")[0]?.request.approval?.decidedBy, "me");
  assertEquals(store.approvals.list(2000, false, 9), [], "it waits no longer");
  assertEquals(store.approvals.list(2000, true, 9).length, 1);
  store.close();
});

Deno.test("Approvals.decide() settles what is declined", () => {
  const store = openStore(":memory:");
  const tokenHash = park(store, "aaaa0001");
  assertEquals(
    store.approvals.decide("aaaa0001", {
      decision: "declined",
      by: "me",
      now: 2000,
      expiresAt: 2000,
    }),
    true,
  );
  assertEquals(decisionOn(store, tokenHash), ["declined", "declined", 301_000]);
  assertEquals(store.confirmations.settle(tokenHash, "accepted", 2001), false);
  store.close();
});

Deno.test("Approvals.decide() knows no request that is expired, settled or unknown", () => {
  const store = openStore(":memory:");
  park(store, "aaaa0001");
  assertEquals(
    store.approvals.decide("aaaa0001", {
      decision: "approved",
      by: "me",
      now: 301_000,
      expiresAt: 400_000,
    }),
    false,
  );
  const settled = park(store, "aaaa0002");
  store.confirmations.settle(settled, "cancelled", 2000);
  assertEquals(
    store.approvals.decide("aaaa0002", {
      decision: "approved",
      by: "me",
      now: 2001,
      expiresAt: 9000,
    }),
    false,
  );
  assertEquals(
    store.approvals.decide("bbbb", { decision: "approved", by: "me", now: 2001, expiresAt: 9000 }),
    false,
  );
  store.close();
});

Deno.test("Approvals.add() replaces the request of the same owner for the same call, which waits by the same id, and no other", () => {
  const store = openStore(":memory:");
  const first = park(store, "aaaa0001", { fingerprint: "same" });
  const foreign = park(store, "aaaa0002", { fingerprint: "same", owner: "sess_2" });
  const other = park(store, "aaaa0003", { fingerprint: "other" });
  const again = park(store, "aaaa0004", { fingerprint: "same" });
  assertEquals(store.confirmations.find(first, "sess_1")?.outcome, "replaced");
  assertEquals(store.confirmations.find(foreign, "sess_2")?.outcome, null);
  assertEquals(store.confirmations.find(other, "sess_1")?.outcome, null);
  assertEquals(store.approvals.list(2000, false, 9).map((pending) => pending.id), [
    "aaaa0001",
    "aaaa0003",
    "aaaa0002",
  ]);
  assertEquals(store.approvals.byPrefix("aaaa0004"), []);
  // What somebody has decided about is told by its id, and so is what has expired.
  const decision = { decision: "approved", by: "me", now: 2000, expiresAt: 9000 } as const;
  assertEquals(store.approvals.decide("aaaa0001", decision), true);
  assertEquals(decisionOn(store, again), ["approved", null, 9000]);
  park(store, "aaaa0005", { fingerprint: "same" });
  assertEquals(store.approvals.byPrefix("aaaa0001")[0]?.request.outcome, "replaced");
  park(store, "aaaa0006", { fingerprint: "same", createdAt: 400_000, expiresAt: 500_000 });
  assertEquals(
    ["aaaa0005", "aaaa0006"].map((id) => store.approvals.byPrefix(id)[0]?.id),
    ["aaaa0005", "aaaa0006"],
  );
  store.close();
});

Deno.test("Confirmations.abandon() settles what an owner left, and nobody else's", () => {
  const store = openStore(":memory:");
  const [mine, theirs] = [park(store, "aaaa0001"), park(store, "aaaa0002", { owner: "sess_2" })];
  store.confirmations.abandon("sess_1", 2000);
  assertEquals(store.confirmations.find(mine, "sess_1")?.outcome, "abandoned");
  assertEquals(store.confirmations.find(theirs, "sess_2")?.outcome, null);
  store.close();
});
