// Covers the lines in which many clones of an install are told.

import { assertEquals } from "@std/assert";
import { layOutParts } from "../../../../src/doors/cli/layout.ts";
import { clonesInOne, repoTable } from "../../../../src/commands/install/view.ts";

Deno.test("clonesInOne() says how many clones there are, of what, and from which places", () => {
  const missing = ["git@example.com:shop/api.git", "https://example.com/shop/web/", "../docs"]
    .map((url, index) => ({ url, name: `repo-${index}` }));
  assertEquals(
    clonesInOne(missing),
    "Clone 3 repositories from git@example.com:shop, https://example.com/shop and ..: repo-0, repo-1 and repo-2",
  );
});

Deno.test("repoTable() tells a person with many only what is not cloned, unless they want all", () => {
  const repos = Array.from({ length: 20 }, (_, index) => ({
    name: `svc-${index}`,
    result: index === 3 ? "failed" as const : index === 4 ? "empty" as const : "cloned" as const,
    ...(index === 3 ? { detail: "no such remote" } : {}),
  }));
  assertEquals(layOutParts([repoTable(repos, false)], 80).split("\n"), [
    "REPO     RESULT  DETAIL",
    "✗ svc-3  failed  no such remote",
    "svc-4    empty   —",
    "18 cloned · --all",
  ]);
  assertEquals(layOutParts([repoTable(repos, true)], 80).split("\n").length, 21);
});
