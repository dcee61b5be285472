// Covers which base branch a ticket has where the manifest names another one than it began at.

import { assertEquals } from "@std/assert";
import { baseOf, begunElsewhere, followedBase } from "../../../src/workspace/tickets/bases.ts";
import type { WorkspaceState } from "../../../src/workspace/mod.ts";

/** Whether somebody chose the branch that a ticket began at; what the remote has, and what was never pushed there. */
interface Bases {
  readonly begun: string;
  readonly chosen?: true;
  readonly there: readonly string[];
  readonly onlyHere?: string;
}

/** What is the base of a ticket on feature/T-2 where the manifest says `trunk`. */
const BASES: readonly (readonly [base: string, when: Bases])[] = [
  ["trunk", { begun: "main", there: ["trunk"] }],
  ["trunk", { begun: "main", there: ["trunk"], onlyHere: "main" }],
  ["main", { begun: "main", there: ["trunk", "main"] }],
  ["main", { begun: "main", there: ["main"] }],
  ["main", { begun: "main", there: [] }],
  ["main", { begun: "main", chosen: true, there: ["trunk"] }],
  ["main", { begun: "main", chosen: true, there: ["trunk", "main"] }],
  ["trunk", { begun: "feature/T-1", chosen: true, there: ["trunk"] }],
  ["feature/T-1", {
    begun: "feature/T-1",
    chosen: true,
    there: ["trunk"],
    onlyHere: "feature/T-1",
  }],
  ["feature/T-1", { begun: "feature/T-1", chosen: true, there: ["trunk", "feature/T-1"] }],
  ["feature/T-1", { begun: "feature/T-1", chosen: true, there: [] }],
];

for (const [base, { begun, chosen = false, there, onlyHere }] of BASES) {
  Deno.test(`a ticket that began at ${begun}${chosen ? ", as chosen," : ""} has the base ${base} where the remote has ${there.join(" and ") || "neither"}${onlyHere === undefined ? "" : `, and ${onlyHere} was never pushed`}`, () => {
    const known = {
      isThere: (branch: string) => there.includes(branch),
      isOnlyHere: (branch: string) => branch === onlyHere,
    };
    const ticket = { branch: "feature/T-2", begun, chosen, now: "trunk" };
    assertEquals(followedBase(ticket, known), base);
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
  ["a chosen one", [{ repo: "api", source_branch: "main", chosen: true }], "main", true],
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
