// Covers which ticket changes are put away for, by the branch that they are on.

import { assertEquals } from "@std/assert";
import { stashFor } from "../../../src/workspace/tickets/mod.ts";

const TICKETS = {
  A: { repos: { api: "feature/A" } },
  B: { repos: { api: "feature/B", web: "feature/B" } },
};

const CASES: readonly (readonly [
  repo: string,
  branch: string,
  active: string | null,
  name: string,
  isAstray: boolean,
])[] = [
  ["api", "feature/A", "A", "amof:A", false],
  ["api", "feature/B", "A", "amof:B", false],
  ["api", "main", "A", "amof:main", false],
  // The ticket works on the base branch of what it has no branch in.
  ["web", "main", "A", "amof:A", false],
  ["web", "feature/B", "A", "amof:B", false],
  ["api", "my-idea", "A", "amof:A", true],
  ["api", "main", null, "amof:main", false],
  ["api", "feature/A", null, "amof:A", false],
  ["api", "my-idea", null, "amof:main", true],
];

for (const [repo, branch, active, name, isAstray] of CASES) {
  Deno.test(`changes of ${repo} on ${branch} are put away as ${name} while ${active ?? "no ticket"} is active`, () => {
    const [state, at] = [{ active_ticket: active, tickets: TICKETS }, {
      name: repo,
      branch: "main",
    }];
    type Args = Parameters<typeof stashFor>;
    assertEquals(
      stashFor(state as unknown as Args[0], at as unknown as Args[1], branch),
      { name, isAstray },
    );
  });
}
