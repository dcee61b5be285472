// Covers how long a watching waits until it looks again.

import { assertEquals } from "@std/assert";
import { pauseMs, restOf } from "../../../../../src/doors/cli/watch/watch.ts";

const PAUSES: readonly (readonly [took: number, same: number | null, pause: number])[] = [
  [10, null, 2_000],
  [1_000, null, 5_000],
  [10, 0, 30_000],
  [10, 1, 45_000],
  [10, 2, 67_500],
  [10, 50, 300_000],
  [90_000, 0, 450_000],
];

for (const [took, same, pause] of PAUSES) {
  Deno.test(`pauseMs() after a look of ${took} ms with ${same} like it`, () => {
    assertEquals(pauseMs(took, same), pause);
  });
}

Deno.test("restOf() is the time for which a host wants to be left alone", () => {
  const now = Date.parse("2026-01-02T03:04:05Z");
  const resets_at = "2026-01-02T03:14:05Z";
  assertEquals(restOf({ error: "forge_limited", details: { resets_at } }, now), 600_000);
  assertEquals(restOf({ error: "forge_limited", details: { resets_at } }, now + 900_000), 0);
  assertEquals(restOf({ error: "forge_limited" }, now), 0);
  assertEquals(restOf({ error: "forge_failed", details: { resets_at } }, now), 0);
});
