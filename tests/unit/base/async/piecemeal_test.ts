// Long computations let others have their turn every so many items, and answer the same as without.

import { assertEquals, assertRejects } from "@std/assert";
import { atOnce, inPieces, ITEMS_PER_TURN, type Pieces } from "../../../../src/base/async/pool.ts";
import { canonicalHash, canonicalJson } from "../../../../src/base/policy/fingerprint.ts";
import { sha256 } from "../../../../src/base/hash.ts";

function* counted(items: number, done: { count: number }): Pieces<number> {
  for (let at = 0; at < items; at++) {
    done.count++;
    yield;
  }
  return items;
}

Deno.test("inPieces() pauses before the first item and then every so many, and ends where a pause throws", async () => {
  const done = { count: 0 };
  const at: number[] = [];
  const pause = () => Promise.resolve(void at.push(done.count));
  assertEquals(await inPieces(counted(3 * ITEMS_PER_TURN, done), pause), 3 * ITEMS_PER_TURN);
  assertEquals(at, [0, 1, 2, 3].map((turn) => turn * ITEMS_PER_TURN));
  assertEquals(atOnce(counted(9, { count: 0 })), 9);
  const cut = { count: 0 };
  await assertRejects(() =>
    inPieces(
      counted(9_999, cut),
      () => cut.count > 0 ? Promise.reject(new Error("cancelled")) : Promise.resolve(),
    )
  );
  assertEquals(cut.count, ITEMS_PER_TURN);
});

Deno.test("canonicalHash() is the hash of the canonical text", () => {
  for (
    const value of [
      null,
      7,
      [],
      {},
      [undefined, { b: 1, a: undefined }],
      { list: [{ z: [1, "ä\n"], a: null }, "text"], gone: undefined, empty: [], deep: { x: {} } },
    ]
  ) assertEquals(atOnce(canonicalHash(value)), sha256(canonicalJson(value)));
});
