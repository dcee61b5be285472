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

function statusOf(git: object, rest: object): string {
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
    fetchedMs: null,
    fetchedNothing: false,
    ...rest,
  } as unknown as Snapshot, AROUND).status;
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
