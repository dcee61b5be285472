// What the end of a ticket with a workspace of its own may leave behind where its work was brought elsewhere.

import { assertEquals } from "@std/assert";
import { isCarried } from "../../../../src/commands/ticket/end/workspace.ts";
import { unmergedFix } from "../../../../src/commands/ticket/cleanup.ts";
import type { Loss } from "../../../../src/commands/removal/losses.ts";

const REPOS = { web: { role: "work" }, docs: { role: "context" } } as const;

for (
  const [kind, repo, carried] of [
    ["uncommitted", "web", true],
    ["stash", "web", true],
    ["commits", "web", false],
    // What is only read was brought nowhere.
    ["uncommitted", "docs", false],
    ["stash", "docs", false],
    ["uncommitted", "stranger", false],
  ] as readonly (readonly [Loss["kind"], string, boolean])[]
) {
  Deno.test(`isCarried() says ${carried} of ${kind} in ${repo}`, () => {
    assertEquals(isCarried({ kind, repo }, REPOS), carried);
  });
}

for (
  const [what, selection, isMerged, fix] of [
    ["all", {}, true, "end only what is merged: amof ticket end T-1 --cleanup --only merged"],
    ["all", {}, false, "keep the branches: amof ticket end T-1"],
    [
      "named repositories",
      { repos: ["api,web"] },
      true,
      "end only what is merged: amof ticket end T-1 --repo api,web --cleanup --only merged",
    ],
    [
      "tagged repositories",
      { tags: ["core"] },
      false,
      "keep the branches: amof ticket end T-1 --repo api,web",
    ],
  ] as const
) {
  Deno.test(`what helps at the end of ${what} of a ticket is about no more${isMerged ? ", and takes what is merged" : ""}`, () => {
    const input = { ticket_id: "T-1", cleanup: true, ...selection };
    assertEquals(unmergedFix(input, ["api", "web"], { isMerged }).split("\n")[0], fix);
  });
}
