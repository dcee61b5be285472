// Covers the limits on answers: fit(), truncateText() and the pieces of long lists.

import { assert, assertEquals, assertThrows } from "@std/assert";
import * as fc from "fast-check";
import { pageOf } from "../../../../src/pipeline/page.ts";
import { AmofError } from "../../../../src/base/error.ts";
import {
  fit,
  fitBoth,
  MAX_RESULT,
  type Truncated,
  truncateText,
} from "../../../../src/doors/mcp/result.ts";

Deno.test("fit() leaves alone what fits", () => {
  const object = { runs: [1, 2, 3], message: "short" };
  assert(fit(object, 1_000) === object);
});

Deno.test("fit() cuts the largest list and says how much is left out", () => {
  const object = {
    summary: "Found 500 things.",
    confirmation: {
      token: "t",
      preview: { repos: Array.from({ length: 500 }, (_, n) => ({ n })) },
    },
    suggested_actions: [{ id: "a" }],
  };
  const fitted = fit(object, 2_000);
  assert(JSON.stringify(fitted).length <= 2_000);
  assertEquals([fitted["summary"], fitted["suggested_actions"]], [
    object.summary,
    object.suggested_actions,
  ]);
  const [cut] = fitted["truncated"] as Truncated[];
  const kept = (fitted["confirmation"] as typeof object.confirmation).preview.repos;
  assertEquals(cut, { path: "confirmation.preview.repos", shown: kept.length, total: 500 });
  assertEquals(kept, object.confirmation.preview.repos.slice(0, kept.length));
  assert(kept.length > 50, "no more is cut than needed");
  assertEquals(object.confirmation.preview.repos.length, 500, "the object itself stays as it is");
});

Deno.test("fit() also cuts long texts", () => {
  const fitted = fit({ message: "x".repeat(100_000), list: [1] }, 5_000);
  assert(JSON.stringify(fitted).length <= 5_000);
  assertEquals((fitted["truncated"] as Truncated[])[0]?.path, "message");
});

Deno.test("fit() and truncateText() keep to any limit", () => {
  fc.assert(fc.property(
    fc.array(fc.record({ name: fc.string(), lines: fc.array(fc.string({ maxLength: 60 })) })),
    fc.integer({ min: 4_000, max: 8_000 }),
    (items, max) => {
      const many = Array.from({ length: 20 }, () => items).flat();
      assert(JSON.stringify(fit({ items: many }, max)).length <= max);
      assert(JSON.stringify(truncateText(JSON.stringify(many), max)).length <= max);
    },
  ));
});

Deno.test("fitBoth() leaves room for the same object as text and as it is", () => {
  const result = (object: Record<string, unknown>) =>
    JSON.stringify({
      content: [{ type: "text", text: JSON.stringify(object) }],
      structuredContent: object,
      isError: false,
    }).length;
  const small = { ok: true, data: { files: ["a"] } };
  assert(fitBoth(small) === small);
  for (const item of ["plain", 'with "quotes" and \\ \n', { path: "src/x", size: 1 }]) {
    const object = { ok: true, data: { files: Array.from({ length: 3_000 }, () => item) } };
    const fitted = fitBoth(object);
    assert(result(fitted) <= MAX_RESULT);
    assert(result(fitted) > MAX_RESULT / 2, "no more is cut than needed");
    assertEquals((fitted["truncated"] as Truncated[])[0]?.total, 3_000);
  }
});

const PAGES = { member: "runs", key: "id" };

function runs(count: number, size: number): { runs: { id: string; text: string }[] } {
  return {
    runs: Array.from({ length: count }, (_, n) => ({ id: `r${n}`, text: "x".repeat(size) })),
  };
}

Deno.test("pageOf() gives every item once, in order, in pieces that stay small", () => {
  const data = runs(300, 200);
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = pageOf<Record<string, unknown>>(data, PAGES, cursor);
    assert(JSON.stringify(page).length < 25_000);
    seen.push(...(page["runs"] as { id: string }[]).map((run) => run.id));
    cursor = page["next_cursor"] as string | undefined;
  } while (cursor !== undefined);
  assertEquals(seen, data.runs.map((run) => run.id));
});

Deno.test("pageOf() shows an item that alone is too large, and leaves short lists alone", () => {
  const large = pageOf<Record<string, unknown>>(runs(2, 50_000), PAGES, undefined);
  assertEquals((large["runs"] as unknown[]).length, 1);
  const short = runs(3, 10);
  assert(pageOf(short, PAGES, undefined) === short);
});

Deno.test("pageOf() refuses a cursor that stands behind nothing", () => {
  assertThrows(() => pageOf(runs(3, 10), PAGES, "nonsense"), AmofError, "cursor");
});
