// What a dry run of a sync says of a repository before anything was fetched.

import { assertEquals } from "@std/assert";
import { describe, type SyncPlan } from "../../../../src/commands/sync/plan.ts";

const CASES: readonly (readonly [Omit<SyncPlan, "name">, string])[] = [
  [{ action: "clone" }, "Clone api"],
  [{ action: "leave", why: "it is elsewhere" }, "Leave api: it is elsewhere"],
  [
    { action: "update", branches: ["main"] },
    "Fetch api, and fast-forward main where that is possible",
  ],
  [
    { action: "update", branches: ["main", "feature/T-1"] },
    "Fetch api, and fast-forward main and feature/T-1 where that is possible",
  ],
  [
    { action: "update", branches: ["main"], rewritten: ["main"] },
    "Fetch api; main was rewritten there, and stays",
  ],
  [
    { action: "update", branches: ["main", "feature/T-1"], rewritten: ["feature/T-1"] },
    "Fetch api, and fast-forward main where that is possible; feature/T-1 was rewritten there, and stays",
  ],
  [
    { action: "update", branches: ["main", "t"], rewritten: ["main", "t"] },
    "Fetch api; main and t were rewritten there, and stay",
  ],
];

for (const [plan, said] of CASES) {
  Deno.test(`describe() of a sync: ${said}`, () => {
    assertEquals(describe({ name: "api", ...plan }), said);
  });
}
