// Covers parseMoment(): what a person may write for a moment.

import { assertEquals, assertMatch } from "@std/assert";
import { localTime, parseMoment, spokenTime } from "../../../../src/base/text/moment.ts";

const NOW = Date.parse("2026-03-02T12:00:00Z");

const MOMENTS: readonly (readonly [string, string | null])[] = [
  ["30s", "2026-03-02T11:59:30.000Z"],
  ["90m", "2026-03-02T10:30:00.000Z"],
  ["24h", "2026-03-01T12:00:00.000Z"],
  ["7d", "2026-02-23T12:00:00.000Z"],
  ["2w", "2026-02-16T12:00:00.000Z"],
  ["2026-03-02", "2026-03-02T00:00:00.000Z"],
  ["2026-03-02T14:30", "2026-03-02T14:30:00.000Z"],
  ["2026-03-02 14:30:05", "2026-03-02T14:30:05.000Z"],
  ["2026-03-02T14:30:05.250Z", "2026-03-02T14:30:05.250Z"],
  ["2026-03-02T14:30+02:00", "2026-03-02T12:30:00.000Z"],
  ["", null],
  ["yesterday", null],
  ["24", null],
  ["-1h", null],
  ["1h30m", null],
  ["2026-13-01", null],
  ["2026-03-02T25:00", null],
  ["2026-03", null],
  ["02.03.2026", null],
];

for (const [text, moment] of MOMENTS) {
  Deno.test(`parseMoment() takes "${text}" for ${moment}`, () => {
    const at = parseMoment(text, NOW);
    assertEquals(at === null ? null : new Date(at).toISOString(), moment);
  });
}

Deno.test("a moment is said as far from now as a person would", () => {
  const now = Date.parse("2026-03-02T14:30:00Z");
  const ago = (seconds: number) => spokenTime(now - seconds * 1000, now);
  assertEquals(ago(0), "just now");
  assertEquals(ago(44), "just now");
  assertEquals(ago(120), "2 min ago");
  assertEquals(ago(3 * 3600), "3 h ago");
  assertEquals(ago(-300), "in 5 min");
  assertEquals(ago(-20), "in 20 s");
  assertMatch(ago(3 * 86_400), /^2026-02-2[678] \d\d:\d\d$/);
  assertEquals(ago(3 * 86_400), localTime(now - 3 * 86_400_000));
});
