// Covers which base branch a ticket has where the manifest names another one than it began at.

import { assertEquals } from "@std/assert";
import { baseOf, begunElsewhere, followedBase } from "../../../src/workspace/tickets/bases.ts";
import type { WorkspaceState } from "../../../src/workspace/mod.ts";

/** What the remote has as last fetched, whether somebody chose `main` at the start, and what counts where the manifest says `trunk`. */
const BASES: readonly (readonly [there: readonly string[], chosen: boolean, base: string])[] = [
  [["trunk"], false, "trunk"],
  [["trunk", "main"], false, "main"],
  [["main"], false, "main"],
  [[], false, "main"],
  [["trunk"], true, "main"],
  [["trunk", "main"], true, "main"],
];

for (const [there, chosen, base] of BASES) {
  Deno.test(`a ticket that began at main${chosen ? ", as chosen," : ""} has the base ${base} where the remote has ${there.join(" and ") || "neither"}`, () => {
    const isThere = (branch: string) => there.includes(branch);
    assertEquals(followedBase({ begun: "main", chosen, now: "trunk" }, isThere), base);
  });
}

const api = { name: "api", branch: "trunk" };

/** What a ticket notes of its repositories, the base that it has of `api`, and whether that may follow the manifest. */
const NOTES: readonly (readonly [what: string, notes: unknown, base: string, may: boolean])[] = [
  ["nothing", undefined, "trunk", false],
  ["what is no list", { repo: "api", source_branch: "main" }, "trunk", false],
  ["another repository", [{ repo: "web", source_branch: "main" }], "trunk", false],
  ["the manifest's", [{ repo: "api", source_branch: "trunk" }], "trunk", false],
  ["a former one", [null, { repo: "api", source_branch: "main" }], "main", true],
  ["a chosen one", [{ repo: "api", source_branch: "main", chosen: true }], "main", false],
  ["what is no branch", [{ repo: "api", source_branch: "--all" }], "trunk", false],
];

for (const [what, repo_selections, base, may] of NOTES) {
  Deno.test(`the base branch of a ticket that notes ${what}`, () => {
    const ticket = {
      created_at: "",
      ecosystem: "",
      repos: { api: "feature/T-1" },
      repo_selections,
    };
    const state = { tickets: { "T-1": ticket } } as unknown as WorkspaceState;
    assertEquals(baseOf(ticket, api), base);
    assertEquals([...begunElsewhere(state, [api])], may ? ["api"] : []);
  });
}
