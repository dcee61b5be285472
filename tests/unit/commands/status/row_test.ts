// Covers what the status of a repository says where an operation is not finished there.

import { assertEquals } from "@std/assert";
import { statusRow } from "../../../../src/commands/status/row.ts";

type Snapshot = Parameters<typeof statusRow>[0];
type Around = Parameters<typeof statusRow>[1];

const AROUND = {
  manifest: { featurePrefix: "feature" },
  state: null,
  leaving: "free",
  kept: null,
} as unknown as Around;

function rowOf(git: object, rest: object, around: Partial<Around> = {}) {
  return statusRow({
    repo: { name: "api", url: "https://host/api.git", branch: "main", readonly: false },
    directory: "/w/api",
    expectedBranch: "main",
    expectedFrom: null,
    barred: [],
    git: { head: null, branch: "main", changes: [], submodules: [], stashes: 0, ...git },
    error: null,
    unpushed: 0,
    loose: 0,
    behindBase: 0,
    elsewhere: [],
    inProgress: null,
    updating: null,
    address: null,
    absent: [],
    unsent: [],
    nested: [],
    former: [],
    pushesTo: null,
    untrusted: [],
    merged: null,
    landed: null,
    retracted: null,
    release: null,
    fetchedMs: null,
    fetchedNothing: false,
    ...rest,
  } as unknown as Snapshot, { ...AROUND, ...around });
}

function statusOf(git: object, rest: object): string {
  return rowOf(git, rest).status;
}

Deno.test("an operation that left nothing else to see is no OK", () => {
  const change = { path: "x", code: ".M", conflicted: false, raw: "" };
  const rows = [
    [{}, {}, "OK"],
    [{}, { inProgress: "git am" }, "IN_PROGRESS"],
    [{}, { inProgress: "bisect" }, "IN_PROGRESS"],
    [{}, { inProgress: "git am", unpushed: 1 }, "IN_PROGRESS+UNPUSHED"],
    [{ changes: [change] }, { inProgress: "merge" }, "DIRTY"],
    [{ branch: null }, { inProgress: "rebase" }, "DETACHED"],
  ] as const;
  for (const [git, rest, status] of rows) assertEquals(statusOf(git, rest), status);
});

Deno.test("a base branch at the commit of the lock is at rest behind its remote, and needs no sync", () => {
  const [commit, upstream] = ["a".repeat(40), "origin/main"];
  const behind = { head: commit, upstream, ahead: 0, behind: 2 };
  const change = { path: "x", code: ".M", conflicted: false, raw: "" };
  const asked = { answer: { remote: "changed" } } as const;
  const cases: readonly (readonly [git: object, around: Partial<Around>, string, boolean])[] = [
    [behind, {}, "BEHIND", false],
    [behind, { locked: "b".repeat(40) }, "BEHIND", false],
    [behind, { locked: null }, "BEHIND", false],
    [behind, { locked: commit }, "PINNED", true],
    [{ ...behind, changes: [change] }, { locked: commit }, "DIRTY+PINNED", true],
    [{ ...behind, branch: "topic" }, { locked: commit }, "WRONG_BRANCH+BEHIND", false],
    [{ ...behind, ahead: 1 }, { locked: commit }, "DIVERGED", false],
    [{ ...behind, behind: 0 }, { locked: commit }, "OK", false],
    // What its remote has was not fetched yet.
    [{ ...behind, behind: 0 }, { locked: commit, ...asked }, "OK", true],
    [{ ...behind, behind: 0 }, asked, "OK", false],
  ];
  for (const [git, around, status, pinned] of cases) {
    const row = rowOf(git, { remoteBase: upstream, parting: null }, around);
    assertEquals([row.status, row.pinned === true], [status, pinned], Deno.inspect([git, around]));
    if (pinned) assertEquals(row.needs, undefined);
  }
});

Deno.test("what is not cloned is cloned by a sync, and in a ticket's own workspace by none", () => {
  const missing = { git: null, missing: true };
  assertEquals(rowOf({}, missing).needs, [{ problem: "not cloned", fix: "amof sync --repo api" }]);
  const own = {
    ...{ workspace_branch: "", active_ticket: "T-1", tickets: {}, repos: [] },
  } as unknown as Around["state"];
  assertEquals(rowOf({}, missing, { state: own }).needs, undefined);
});
