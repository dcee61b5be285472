// What the end of a ticket with a workspace of its own may leave behind where its work was brought elsewhere.

import { assertEquals } from "@std/assert";
import { isCarried } from "../../../../src/commands/ticket/end/workspace.ts";
import type { Loss } from "../../../../src/workspace/removal/mod.ts";

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
