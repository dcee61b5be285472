import { assertEquals } from "@std/assert";
import { decideOpen, type Found } from "../../../../src/commands/pr/open/plan.ts";

const NEW: Found = {
  forge: true,
  base: "main",
  head: "aaaa",
  commits: 2,
  change: null,
  pushes: true,
  skip: null,
};

function change(state: "open" | "merged" | "closed", sha = "aaaa"): Found["change"] {
  return { state, number: 7, head: { branch: "feature/P-1", sha } };
}

function skip(blocked: boolean): NonNullable<Found["skip"]> {
  const reason = blocked ? "dirty" : "nothing_to_push";
  return { name: "api", branch: "feature/P-1", reason, detail: "why", blocked, fix: null };
}

const CASES: readonly (readonly [string, Partial<Found>, string])[] = [
  ["commits", {}, "create"],
  ["commits that are pushed already", { pushes: false, skip: skip(false) }, "create"],
  ["none", { commits: 0, pushes: false, skip: skip(false) }, "none: no commits beyond main"],
  ["no commit at all", { head: null, commits: 0, pushes: false }, "none: no commits beyond main"],
  ["files that are not committed", { pushes: false, skip: skip(true) }, "held"],
  [
    "nothing but files that are not committed",
    { commits: 0, pushes: false, skip: skip(true) },
    "none: no commits beyond main, why",
  ],
  ["an open one", { change: change("open"), pushes: false }, "link"],
  ["an open one and new commits", { change: change("open") }, "link"],
  [
    "an open one and files that are not committed",
    { change: change("open"), skip: skip(true) },
    "held",
  ],
  ["a merged one", { change: change("merged"), pushes: false }, "none: merged as #7"],
  ["a merged one that a push would make again", {
    change: change("merged"),
    pushes: false,
    skip: skip(true),
  }, "none: merged as #7"],
  ["a merged one and new commits", { change: change("merged", "bbbb") }, "create"],
  ["a closed one", { change: change("closed"), pushes: false }, "create"],
  ["a remote that only takes pushes", { forge: false }, "push"],
  [
    "such a remote with nothing to push",
    { forge: false, pushes: false },
    "none: pushed, and its remote is at no forge that is spoken to",
  ],
];

for (const [name, found, expected] of CASES) {
  Deno.test(`decideOpen() with ${name}`, () => {
    const decided = decideOpen({ ...NEW, ...found });
    assertEquals(
      decided.deed === "none" ? `none: ${decided.reason}` : decided.deed,
      expected,
    );
  });
}
