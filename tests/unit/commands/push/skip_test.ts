// Covers which repositories that a push leaves out make it a failure.

import { assertEquals } from "@std/assert";
import { isFailure, mergedText, placed } from "../../../../src/commands/push/skip.ts";
import type { SkipFact } from "../../../../src/commands/outgoing/skip.ts";

const left = (name: string, reason: SkipFact["reason"], blocked: boolean): SkipFact => ({
  name,
  branch: "main",
  reason,
  detail: "",
  blocked,
  fix: null,
});

Deno.test("a repository outside of the ticket that is held back is no failure of the ticket's push", () => {
  const api = left("api", "dirty", true);
  const web = left("web", "base_branch", true);
  const docs = left("docs", "nothing_to_push", false);
  const cases: [string, string[] | null, string[], string[]][] = [
    ["no ticket", null, ["api", "web", "docs"], ["api", "web"]],
    ["a ticket with both", ["api", "web"], ["api", "web", "docs"], ["api", "web"]],
    ["a ticket with one", ["api"], ["api", "web", "docs"], ["api"]],
    ["only what the ticket lacks was asked for", ["api"], ["web", "docs"], ["web"]],
    ["a ticket without repositories", [], ["api", "web", "docs"], ["api", "web"]],
  ];
  for (const [what, ticket, looked, failing] of cases) {
    const skipped = [api, web, docs].filter(({ name }) => looked.includes(name));
    const found = placed(skipped, ticket, looked).filter((fact) => isFailure(fact, true)).map((
      { name },
    ) => name);
    assertEquals(found, failing, what);
  }
  const merged = left("api", "merged", true);
  assertEquals([true, false].map((arrived) => isFailure(merged, arrived)), [false, true]);
  const [told] = placed([web], ["api"], ["api", "web"]);
  assertEquals(told, { ...web, elsewhere: true });
});

Deno.test("a merged branch is named with how it was merged", () => {
  assertEquals(
    mergedText("squashed", "feature/T-1", "main"),
    "feature/T-1 is squashed into main, and gone at its remote",
  );
});
