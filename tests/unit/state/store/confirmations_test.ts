// Covers Confirmations: hashed tokens, single settlement, owners, the limit per owner (CONFIRM-8).

import { assert, assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { MOST_LIVE_REQUESTS } from "../../../../src/base/policy/consent.ts";
import { hashToken, type Store } from "../../../../src/state/store/mod.ts";
import { openStore } from "../../../../src/state/store/open.ts";
import { temporaryDirectory } from "../../_support.ts";
import { request } from "./_records.ts";

function opened(): Store & Disposable {
  const store = openStore(":memory:");
  return { ...store, [Symbol.dispose]: () => store.close() };
}

Deno.test("Confirmations.find() answers a request as it was added, live and untried", () => {
  using store = opened();
  const added = request({ kind: "type", typedValue: "demo", tokenOnly: true });
  store.confirmations.add(added, 20);
  assertEquals(store.confirmations.find(added.tokenHash, "sess_1"), {
    ...added,
    outcome: null,
    settledAt: null,
    wrongTries: 0,
    approval: null,
  });
});

Deno.test("Confirmations keeps the hash of a token and never the token", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "amof.db");
  const token = crypto.randomUUID();
  const store = openStore(path);
  store.confirmations.add(request({ tokenHash: hashToken(token) }), 20);
  store.close();
  const stored = (await Array.fromAsync(Deno.readDir(directory.path)))
    .map((entry) =>
      new TextDecoder("latin1").decode(Deno.readFileSync(join(directory.path, entry.name)))
    )
    .join("");
  assert(stored.includes(hashToken(token)));
  assertEquals(stored.includes(token), false);
});

Deno.test("hashToken() is a hash that tells tokens apart", () => {
  assertMatch(hashToken("a"), /^[0-9a-f]{64}$/);
  assert(hashToken("a") !== hashToken("b"));
});

Deno.test("Confirmations.find() answers nothing to a foreign owner", () => {
  using store = opened();
  const added = request();
  store.confirmations.add(added, 20);
  assertEquals(store.confirmations.find(added.tokenHash, "sess_2"), null);
  assertEquals(store.confirmations.find("unknown", "sess_1"), null);
});

Deno.test("Confirmations.settle() succeeds once only", () => {
  using store = opened();
  const added = request();
  store.confirmations.add(added, 20);
  const settle = (outcome: string) => store.confirmations.settle(added.tokenHash, outcome, 2000);
  assertEquals([settle("spent"), settle("spent"), settle("cancelled")], [true, false, false]);
  assertEquals(store.confirmations.find(added.tokenHash, "sess_1")?.outcome, "spent");
});

Deno.test("Confirmations.settle() of an unknown token does nothing", () => {
  using store = opened();
  assertEquals(store.confirmations.settle("unknown", "spent", 2000), false);
});

Deno.test("Confirmations.settle() succeeds for one of two connections only", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "amof.db");
  const [one, two] = [openStore(path), openStore(path)];
  try {
    const added = request();
    one.confirmations.add(added, 20);
    assertEquals(
      [one, two].map((store) => store.confirmations.settle(added.tokenHash, "spent", 2000)),
      [true, false],
    );
  } finally {
    one.close();
    two.close();
  }
});

Deno.test("Confirmations.live() lists what is neither settled nor expired, newest first", () => {
  using store = opened();
  const add = (tokenHash: string, createdAt: number, expiresAt: number, owner = "sess_1") =>
    store.confirmations.add(request({ tokenHash, createdAt, expiresAt, owner }), 20);
  add("old", 1, 100);
  add("twin-1", 2, 100);
  add("twin-2", 2, 100);
  add("expired", 3, 50);
  add("settled", 4, 100);
  add("foreign", 5, 100, "sess_2");
  store.confirmations.settle("settled", "spent", 6);
  const live = (now: number) =>
    store.confirmations.live("sess_1", now).map((found) => found.tokenHash);
  assertEquals(live(50), ["twin-2", "twin-1", "old"]);
  assertEquals(live(100), []);
});

Deno.test("Confirmations.add() keeps at most so many live requests of an owner: the oldest goes", () => {
  using store = opened();
  const hashes = Array.from({ length: MOST_LIVE_REQUESTS + 2 }, (_, n) => `t${n}`);
  for (const [n, tokenHash] of hashes.entries()) {
    store.confirmations.add(request({ tokenHash, createdAt: n }), MOST_LIVE_REQUESTS);
  }
  const live = store.confirmations.live("sess_1", 1000).map((found) => found.tokenHash);
  assertEquals(MOST_LIVE_REQUESTS, 20);
  assertEquals(live, hashes.slice(2).reverse());
  assertEquals(store.confirmations.find("t0", "sess_1")?.outcome, "replaced");
});

Deno.test("Confirmations.add() leaves the requests of other owners alone", () => {
  using store = opened();
  store.confirmations.add(request({ tokenHash: "theirs", owner: "sess_2", createdAt: 0 }), 1);
  for (const tokenHash of ["a", "b"]) store.confirmations.add(request({ tokenHash }), 1);
  assertEquals(store.confirmations.live("sess_2", 1000).length, 1);
  assertEquals(store.confirmations.live("sess_1", 1000).map((found) => found.tokenHash), ["b"]);
});

Deno.test("Confirmations.add() does not count settled requests", () => {
  using store = opened();
  store.confirmations.add(request({ tokenHash: "a", createdAt: 1 }), 2);
  store.confirmations.add(request({ tokenHash: "b", createdAt: 2 }), 2);
  store.confirmations.settle("b", "spent", 3);
  store.confirmations.add(request({ tokenHash: "c", createdAt: 4 }), 2);
  assertEquals(store.confirmations.live("sess_1", 1000).map((found) => found.tokenHash), [
    "c",
    "a",
  ]);
});

Deno.test("Confirmations.add() forgets requests that expired more than a day ago", () => {
  using store = opened();
  const day = 24 * 60 * 60 * 1000;
  store.confirmations.add(request({ tokenHash: "old", createdAt: 0, expiresAt: 1000 }), 20);
  store.confirmations.add(
    request({ tokenHash: "a", createdAt: 1000 + day, expiresAt: 2000 + day }),
    20,
  );
  assert(store.confirmations.find("old", "sess_1") !== null, "a late token gets the right answer");
  store.confirmations.add(
    request({ tokenHash: "b", createdAt: 1001 + day, expiresAt: 2000 + day }),
    20,
  );
  assertEquals(store.confirmations.find("old", "sess_1"), null);
});

Deno.test("Confirmations.countWrongTry() counts for one request", () => {
  using store = opened();
  store.confirmations.add(request({ tokenHash: "a" }), 20);
  store.confirmations.add(request({ tokenHash: "b" }), 20);
  const tries = ["a", "a", "b", "a"].map((tokenHash) =>
    store.confirmations.countWrongTry(tokenHash)
  );
  assertEquals(tries, [1, 2, 1, 3]);
  assertEquals(store.confirmations.find("a", "sess_1")?.wrongTries, 3);
});

Deno.test("Confirmations.countWrongTry() of an unknown token is zero", () => {
  using store = opened();
  assertEquals(store.confirmations.countWrongTry("unknown"), 0);
});

Deno.test("Confirmations.abandon() settles what an owner left, and nothing of others", () => {
  using store = opened();
  const [gone, stays] = [request(), request({ owner: "sess_2" })];
  store.confirmations.add(gone, 20);
  store.confirmations.add(stays, 20);
  store.confirmations.abandon("sess_1", 2_000);
  assertEquals(store.confirmations.find(gone.tokenHash, "sess_1")?.outcome, "abandoned");
  assertEquals(store.confirmations.find(stays.tokenHash, "sess_2")?.outcome, null);
});
