// Covers how a campaign is counted, what its shapes are called, and which names it can have.

import { assertEquals, assertThrows } from "@std/assert";
import {
  type Campaign,
  type CampaignRow,
  isCampaignName,
  ownCommits,
  type RowState,
} from "../../../../src/commands/campaign/record.ts";
import {
  chosenShapes,
  countsOf,
  countsText,
  isPushed,
  type ShapeView,
} from "../../../../src/commands/campaign/view.ts";
import { AmofError } from "../../../../src/base/error.ts";

const CAMPAIGN: Campaign = {
  v: 1,
  name: "licences",
  root: "/control",
  ecosystem: "demo",
  branch: "campaign/licences",
  message: "Update licences",
  author: { name: "Tester", email: "tester@example.com", time: 0 } as never,
  wish: {} as never,
  created: "2026-01-01T00:00:00Z",
  state: "open",
  run: null,
  approved: [{ shape: "aa11", at: "2026-01-01T00:00:00Z", by: "tester" }],
};

function row(state: RowState, fields: Partial<CampaignRow> = {}): CampaignRow {
  return {
    repo: "api",
    url: "https://example.com/api.git",
    base_branch: "main",
    base: "b".repeat(40),
    state,
    detail: "",
    commit: null,
    shape: null,
    files: 0,
    pack: null,
    pushed: null,
    ...fields,
  };
}

const pushed = (commit: string) => ({ commit, at: "2026-01-01T00:00:00Z" });

const NONE = {
  repos: 0,
  changed: 0,
  approved: 0,
  pushed: 0,
  merged: 0,
  unchanged: 0,
  held_back: 0,
  failed: 0,
};

const COUNTED: Readonly<
  Record<string, { rows: readonly CampaignRow[]; is: Partial<typeof NONE>; said: string }>
> = {
  "nothing": { rows: [], is: {}, said: "no repo" },
  "a commit whose shape nobody approved": {
    rows: [row("changed", { commit: "c1", shape: "bb22" })],
    is: { repos: 1, changed: 1 },
    said: "1 changed",
  },
  "an approved shape": {
    rows: [row("changed", { commit: "c1", shape: "aa11" })],
    is: { repos: 1, changed: 1, approved: 1 },
    said: "1 changed",
  },
  "a commit that is on its remote": {
    rows: [row("changed", { commit: "c1", shape: "aa11", pushed: pushed("c1") })],
    is: { repos: 1, changed: 1, approved: 1, pushed: 1 },
    said: "1 changed",
  },
  "a commit that came after the pushed one": {
    rows: [row("changed", { commit: "c2", shape: "aa11", pushed: pushed("c1") })],
    is: { repos: 1, changed: 1, approved: 1, pushed: 0 },
    said: "1 changed",
  },
  "every way to have no commit": {
    rows: [
      row("unchanged"),
      row("merged", { pushed: pushed("c1") }),
      row("held_back"),
      ...([
        "failed",
        "timed_out",
        "too_large",
        "unreachable",
        "refused",
        "cancelled",
        "lost",
      ] as const)
        .map((state) => row(state)),
    ],
    is: { repos: 10, unchanged: 1, merged: 1, held_back: 1, failed: 7 },
    said: "1 unchanged, 1 merged, 1 held back, 7 failed",
  },
};

for (const [what, { rows, is, said }] of Object.entries(COUNTED)) {
  Deno.test(`countsOf(): ${what}`, () => {
    const counts = countsOf(CAMPAIGN, rows);
    assertEquals(counts, { ...NONE, ...is });
    assertEquals(countsText(counts), said);
  });
}

Deno.test("isPushed() and ownCommits() go by the commit that is there, and one that may be", () => {
  const table: readonly (readonly [Partial<CampaignRow>, boolean, readonly string[]])[] = [
    [{}, false, []],
    [{ commit: "c1" }, false, []],
    [{ commit: "c1", pushed: pushed("c1") }, true, ["c1"]],
    [{ commit: null, pushed: pushed("c1") }, false, ["c1"]],
    [{ commit: "c2", pushed: pushed("c1"), sending: "c2" }, false, ["c1", "c2"]],
    [{ commit: "c2", sending: "c2" }, false, ["c2"]],
  ];
  for (const [fields, is, own] of table) {
    const one = row("changed", fields);
    assertEquals([isPushed(one), ownCommits(one)], [is, own]);
  }
});

function shape(hash: string): ShapeView {
  return {
    id: hash.slice(0, 12),
    hash,
    repos: [],
    outlier: false,
    approved: false,
    pushed: 0,
    files: [],
    added: 0,
    removed: 0,
    lines: [],
    more: 0,
  };
}

Deno.test("chosenShapes() takes beginnings of hashes that mean one shape, each once", () => {
  const shapes = ["aa11", "aa22", "bb33"].map((hash) => shape(hash.repeat(16)));
  const chosen = (...ids: readonly string[]) =>
    chosenShapes("my licences", shapes, ids).map(({ hash }) => hash.slice(0, 4));
  assertEquals(chosen(), []);
  assertEquals(chosen("bb", "aa1"), ["bb33", "aa11"]);
  assertEquals(chosen("BB33", "BB33"), ["bb33"]);
  for (
    const [id, message] of [
      ["aa", 'Cannot tell which shape "aa" is: 2 begin so'],
      ["cc", 'Cannot find shape "cc" in campaign "my licences": no commit has it'],
      ["", 'Cannot tell which shape "" is: 3 begin so'],
    ] as const
  ) {
    const error = assertThrows(() => chosen(id), AmofError, message);
    assertEquals(
      [error.code, error.hint],
      ["invalid_arguments", "See them: amof campaign show 'my licences'"],
    );
  }
});

Deno.test("isCampaignName() takes what can be a branch and a directory", () => {
  const names: Readonly<Record<string, boolean>> = {
    "licences": true,
    "2026-update_1.2": true,
    "Änderung": true,
    "": false,
    "-x": false,
    ".x": false,
    "a b": false,
    "a/b": false,
    "a..b": false,
    "a.lock": false,
    [`${"a".repeat(64)}`]: true,
    [`${"a".repeat(65)}`]: false,
  };
  for (const [name, is] of Object.entries(names)) assertEquals(isCampaignName(name), is, name);
});
