// Covers what is known of a branch without git: by where it is, and by what was remembered of an earlier comparison.

import { assertEquals } from "@std/assert";
import {
  type Compared,
  comparisonsIn,
  type Known,
  knownOf,
  type Tips,
} from "../../../../src/workspace/clones/merged.ts";
import type { WorkspaceState } from "../../../../src/workspace/mod.ts";

const tips = (fields: Partial<Tips> = {}): Tips => ({
  branch: "feature/T-1",
  commit: "tip",
  base: "base",
  own: undefined,
  ...fields,
});

const note = (as: Compared["as"], other = "base", commit = "tip") => ({
  "feature/T-1": { commit, with: other, as },
});

Deno.test("a branch is judged by where it is and by what was remembered of just these commits", () => {
  const open = { merged: undefined, pushed: false, landed: null };
  const late = (as: Compared["as"]) => ({
    "feature/T-1": { commit: "tip", with: "base", as, behind: 2 },
  });
  type Expected = Omit<Known, "behind"> & Partial<Known>;
  const cases: readonly [string, Tips, Readonly<Record<string, Compared>>, Expected][] = [
    ["nobody has looked", tips(), {}, open],
    ["where its remote branch is", tips({ own: "tip" }), {}, { ...open, pushed: true }],
    ["where its base branch is", tips({ base: "tip" }), {}, { ...open, pushed: true }],
    ["squashed", tips(), note("squashed"), { merged: "squashed", pushed: false, landed: "tip" }],
    ["rebased", tips(), note("rebased"), { merged: "rebased", pushed: false, landed: "tip" }],
    ["merged", tips(), note("commits"), { merged: "commits", pushed: true, landed: "tip" }],
    ["merged, and where its base branch is", tips({ base: "tip" }), note("commits", "tip"), {
      merged: "commits",
      pushed: true,
      landed: null,
    }],
    ["merged, and still there", tips({ own: "tip" }), note("squashed"), {
      merged: "squashed",
      pushed: true,
      landed: "tip",
    }],
    ["without work of its own", tips(), note("contained"), {
      merged: null,
      pushed: true,
      landed: null,
    }],
    ["not merged", tips(), note(null), { merged: null, pushed: false, landed: null }],
    [
      "squashed up to a commit",
      tips(),
      { "feature/T-1": { commit: "tip", with: "base", as: null, until: "old" } },
      { merged: null, pushed: false, landed: "old" },
    ],
    ["behind its remote branch", tips({ own: "next" }), note("contained", "next"), {
      ...open,
      pushed: true,
    }],
    ["behind its base branch", tips(), late(null), {
      merged: null,
      pushed: false,
      landed: null,
      behind: 2,
    }],
    ["behind it without work of its own", tips(), late("contained"), {
      merged: null,
      pushed: true,
      landed: null,
      behind: 2,
    }],
    ["merged, of which nobody says that it is behind", tips(), late("squashed"), {
      merged: "squashed",
      pushed: false,
      landed: "tip",
    }],
    ["behind a base branch that moved", tips({ base: "new" }), late(null), open],
    ["a new commit", tips({ commit: "new" }), note("squashed"), open],
    ["a base branch that moved", tips({ base: "new" }), note("squashed"), open],
    ["a remote branch that moved", tips({ own: "newer" }), note("contained", "next"), open],
    ["no base branch", tips({ base: undefined }), note("squashed"), open],
    ["another branch", tips({ branch: "feature/T-2" }), note("squashed"), open],
  ];
  for (const [what, at, kept, known] of cases) {
    assertEquals(knownOf(at, kept), { behind: 0, ...known }, what);
  }
});

Deno.test("what is remembered of comparisons and is damaged is not there", () => {
  const good = { commit: "a", with: "b", as: null };
  const state = (compared: unknown) =>
    ({ repos: [{ name: "api", compared }] }) as unknown as WorkspaceState;
  assertEquals(comparisonsIn(null, "api"), {});
  assertEquals(comparisonsIn(state(undefined), "api"), {});
  assertEquals(comparisonsIn(state("squashed"), "api"), {});
  assertEquals(comparisonsIn(state({ x: good }), "web"), {});
  assertEquals(
    comparisonsIn(
      state({ x: good, y: { ...good, as: "lost" }, z: { ...good, commit: 1 }, w: null }),
      "api",
    ),
    { x: good },
  );
});
