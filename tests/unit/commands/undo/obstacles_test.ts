// Covers what stands against taking a run back in a repository, by how it was before, after, and is now, and what stays.

import { assertEquals } from "@std/assert";
import type { Aside, Checkpoint } from "../../../../src/git/checkpoint/mod.ts";
import { Brief } from "../../../../src/base/text/table.ts";
import { staysLines } from "../../../../src/commands/undo/answer.ts";
import {
  changedSince,
  type Ended,
  impossible,
  neededBy,
  refused,
  staying,
  wayBack,
} from "../../../../src/commands/undo/plan.ts";

const MAIN = "refs/heads/main";

/** A repository on `main` at commit `c1` without uncommitted work, but for this. */
function checkpoint(fields: Partial<Checkpoint> = {}): Checkpoint {
  return {
    head: "c1",
    branch: "main",
    inProgress: null,
    refs: { [MAIN]: "c1" },
    stashes: [],
    paths: [],
    aside: [],
    ...fields,
  };
}

/** A file with this object on the disk. */
function file(path: string, oid: string): Checkpoint["paths"][number] {
  const entry = { mode: "100644", oid };
  return { path, head: entry, index: [entry], work: entry, permissions: null } as never;
}

function ended(
  before: Checkpoint,
  after: Checkpoint,
  what: "names" | "everything" = "everything",
): Ended {
  return { name: "api", directory: "/w/api", what, before, after };
}

const aside = (path: string, why: Aside["why"], bytes = 1): Aside => ({ path, why, bytes });
const stash = (commit: string) => ({ commit, subject: "" });
const moved = checkpoint({ head: "c2", refs: { [MAIN]: "c2" } });

/** The run, how it is now, and what of it is no longer as the run left it. */
const SINCE: Readonly<Record<string, readonly [Ended, Checkpoint, readonly string[]]>> = {
  "nothing": [ended(checkpoint(), moved), moved, []],
  "a new commit": [
    ended(checkpoint(), moved),
    checkpoint({ head: "c3", refs: { [MAIN]: "c3" } }),
    ["HEAD", MAIN],
  ],
  "another branch is checked out": [
    ended(checkpoint(), moved),
    { ...moved, branch: "wip", refs: { ...moved.refs, "refs/heads/wip": "c2" } },
    ["HEAD"],
  ],
  "a branch that the run did not touch moved": [
    ended(checkpoint(), moved),
    { ...moved, refs: { ...moved.refs, "refs/heads/other": "c9" } },
    [],
  ],
  "a branch that the run made is gone": [
    ended(checkpoint(), checkpoint({ refs: { [MAIN]: "c1", "refs/tags/v1": "c1" } })),
    checkpoint(),
    ["refs/tags/v1"],
  ],
  "work is written over what the run wrote": [
    ended(checkpoint(), checkpoint({ paths: [file("a.txt", "o1")] })),
    checkpoint({ paths: [file("a.txt", "o2")] }),
    ["a.txt"],
  ],
  "work where the run touched none": [
    ended(checkpoint(), checkpoint({ refs: { [MAIN]: "c1", "refs/tags/v1": "c1" } })),
    checkpoint({ refs: { [MAIN]: "c1", "refs/tags/v1": "c1" }, paths: [file("a.txt", "o2")] }),
    [],
  ],
  "work beside names alone": [
    ended(checkpoint(), moved, "names"),
    { ...moved, paths: [file("a.txt", "o2")] },
    [],
  ],
  "a stash beside one that the run took": [
    ended(checkpoint({ stashes: [stash("s1")] }), checkpoint()),
    checkpoint({ stashes: [stash("s2")] }),
    ["refs/stash"],
  ],
  "the stashes as the run left them": [
    ended(checkpoint({ stashes: [stash("s1")] }), checkpoint()),
    checkpoint(),
    [],
  ],
  "a merge beside names alone": [
    ended(checkpoint(), moved, "names"),
    { ...moved, inProgress: "merge" },
    [],
  ],
  "a stash where the run touched none": [
    ended(checkpoint(), moved),
    { ...moved, stashes: [stash("s2")] },
    [],
  ],
  "a merge that was begun": [
    ended(checkpoint(), moved),
    { ...moved, inProgress: "merge" },
    ["a merge"],
  ],
};

for (const [what, [views, now, expected]] of Object.entries(SINCE)) {
  Deno.test(`changedSince(): ${what}`, () => assertEquals(changedSince(views, now), expected));
}

Deno.test("wayBack(): from what a run left to be finished, and from nothing else", () => {
  const views = (before: Checkpoint["inProgress"], after: Checkpoint["inProgress"]) => ({
    name: "api",
    directory: "/a b",
    before: checkpoint({ inProgress: before }),
    after: checkpoint({ inProgress: after }),
  });
  const merging = { inProgress: "merge" } as const;
  assertEquals(
    [
      wayBack(views(null, "merge"), merging, "ticket_update"),
      wayBack(views(null, "merge"), merging, "exec"),
      wayBack(views(null, "rebase"), { inProgress: "rebase" }, "exec"),
      wayBack(views(null, "merge"), { inProgress: null }, "exec"),
      wayBack(views("merge", "merge"), merging, "exec"),
    ],
    [
      "go back from it: amof ticket update --abort --repo api",
      "go back from it: git -C '/a b' merge --abort",
      "go back from it: git -C '/a b' rebase --abort",
      null,
      null,
    ],
  );
});

/** The run, the files that going back touches, and why it cannot go back, with the files that are the reason. */
const IMPOSSIBLE: Readonly<
  Record<string, readonly [Ended, readonly string[], readonly [string, readonly string[]] | null]>
> = {
  "nothing stands against it": [ended(checkpoint(), moved), ["a.txt"], null],
  "the run ended a merge": [
    ended(checkpoint({ inProgress: "merge" }), checkpoint()),
    [],
    ["a merge was under way", []],
  ],
  "the run began a rebase": [
    ended(checkpoint(), checkpoint({ inProgress: "rebase" })),
    [],
    ["a rebase was under way", []],
  ],
  "commits moved within a merge": [
    ended(checkpoint({ inProgress: "merge" }), { ...moved, inProgress: "merge" }),
    [],
    ["a merge was under way", []],
  ],
  "names moved beside a merge": [
    ended(
      checkpoint({ inProgress: "merge" }),
      checkpoint({ inProgress: "merge", refs: { [MAIN]: "c1", "refs/tags/v1": "c1" } }),
    ),
    [],
    null,
  ],
  "a file whose content was not kept would be touched": [
    ended(checkpoint({ aside: [aside("big.bin", "too_large")] }), moved),
    ["a.txt", "big.bin"],
    ["not all of it was kept: big.bin too large to be kept", ["big.bin"]],
  ],
  "a secret that came with the run would be touched": [
    ended(checkpoint(), { ...moved, aside: [aside(".env", "excluded")] }),
    [".env"],
    ["not all of it was kept: .env looks like a secret, and is never kept", [".env"]],
  ],
  "a file whose content was not kept is not touched": [
    ended(checkpoint({ aside: [aside("big.bin", "too_large")] }), moved),
    ["a.txt"],
    null,
  ],
};

for (const [what, [views, files, expected]] of Object.entries(IMPOSSIBLE)) {
  Deno.test(`impossible(): ${what}`, () => {
    const found = impossible(views, files);
    assertEquals<unknown>(found && [found.detail, found.paths], expected);
    if (found !== null) assertEquals(found.code, "undo_impossible");
  });
}

/** The run, and the commits without which it cannot be taken back. */
const NEEDED: Readonly<Record<string, readonly [Ended, readonly string[]]>> = {
  "where it was before": [ended(checkpoint(), moved), ["c1"]],
  "nothing where only names were added": [
    ended(checkpoint(), checkpoint({ refs: { [MAIN]: "c1", "refs/heads/x": "c2" } })),
    [],
  ],
  "a branch that was deleted": [
    ended(checkpoint({ refs: { [MAIN]: "c1", "refs/heads/x": "c2" } }), checkpoint()),
    ["c2"],
  ],
  "nothing that another name still has": [
    ended(
      checkpoint({ refs: { [MAIN]: "c1", "refs/heads/x": "c2" } }),
      checkpoint({ refs: { [MAIN]: "c1", "refs/heads/y": "c2" } }),
    ),
    [],
  ],
  "a stash that was taken": [
    ended(
      checkpoint({ stashes: [stash("s1"), stash("s2")] }),
      checkpoint({ stashes: [stash("s2")] }),
    ),
    ["s1"],
  ],
  "nothing in a repository that had no commit": [
    ended(checkpoint({ head: null, refs: {} }), moved),
    [],
  ],
};

for (const [what, [views, expected]] of Object.entries(NEEDED)) {
  Deno.test(`neededBy(): ${what}`, () => assertEquals(neededBy(views), expected));
}

Deno.test("staying() tells what the run may have changed and undo does not bring back", () => {
  const table: readonly (readonly [readonly Aside[], readonly Aside[], readonly string[]])[] = [
    [[], [], []],
    [[aside("big", "too_large", 5)], [aside("big", "too_large", 5)], []],
    [[aside("big", "too_large", 5)], [aside("big", "too_large", 6)], [
      "api: big too large to be kept",
    ]],
    [[aside("big", "too_large")], [], ["api: big, which is gone, too large to be kept"]],
    [[], [aside("new", "special")], ["api: new is neither a file nor a link"]],
    [
      [aside("sub", "repository")],
      [aside("sub", "repository")],
      ["api: sub is a repository of its own"],
    ],
    [
      [aside("caf\udce9", "name", 0)],
      [aside("caf\udce9", "name", 0)],
      ["api: caf\udce9 has a name that is not UTF-8"],
    ],
  ];
  for (const [before, after, expected] of table) {
    assertEquals(
      staying(ended(checkpoint({ aside: before }), checkpoint({ aside: after })), false),
      expected,
    );
  }
  // What the run only committed is there, and stays there.
  const taken = checkpoint({ aside: [aside("caf\udce9", "name", 0)] });
  assertEquals(staying(ended(taken, checkpoint()), false, ["caf\udce9"]), []);
  const head = "1234567890abcdef";
  assertEquals(
    staying(ended(checkpoint(), checkpoint({ head })), true),
    ["api: commit 12345678 is on the remote"],
  );
  assertEquals(staying(ended(checkpoint(), checkpoint({ head, branch: "other" })), true), []);
});

Deno.test("what stays in many repositories is told in a line, whatever its commits are called", () => {
  const many = Array.from(
    { length: 20 },
    (_, at) => `r${at}: commit ${String(at).padStart(8, "a")} is on the remote`,
  );
  const [told, ...more] = staysLines([...many, "web: big too large to be kept"], {});
  assertEquals(more, []);
  assertEquals(told instanceof Brief ? told.brief.split("\n") : told, [
    "Stays: web: big too large to be kept",
    "Stays: 20 repositories: a commit is on the remote: r0, r1, r2 and 17 more",
  ]);
  assertEquals(staysLines(many.slice(0, 1), {}), [
    "Stays: r0: commit aaaaaaa0 is on the remote",
  ]);
  assertEquals(staysLines(many, { all: true }).length, 20);
});

Deno.test("refused() tells the worst of several repositories, and how to leave them out", () => {
  const stale = {
    name: "api",
    code: "undo_stale" as const,
    paths: [],
    detail: "HEAD changed since",
    fix: null,
  };
  const lost = { ...stale, name: "web", code: "undo_impossible" as const, detail: "it is gone" };
  const run = { run_id: "4e8c1d72-0000", tickets: { before: null, after: null } };
  const one = refused(run, [stale], []);
  assertEquals(
    [one.code, one.message, one.hint],
    [
      "undo_stale",
      'Cannot undo run 4e8c1d72 in "api": HEAD changed since',
      "See what the run did: amof operations 4e8c1d72",
    ],
  );
  const both = refused(run, [stale, lost], ["docs", "lib"]);
  assertEquals(
    [both.code, both.message, both.hint],
    [
      "undo_impossible",
      'Cannot undo run 4e8c1d72 in "api" and "web": see each',
      "Leave them as they are: amof undo 4e8c1d72 --repo '!api,!web'\nSee what the run did: amof operations 4e8c1d72",
    ],
  );
  // The ticket that it began would stay with all of its repositories, and the branches of some would be gone.
  const begun = { ...run, tickets: { before: { tickets: {} }, after: { tickets: { "T-1": {} } } } };
  assertEquals(
    refused(begun, [stale], ["docs", "lib"]).hint.split("\n")[0],
    "Leave them as they are: amof ticket end T-1 --repo docs,lib --cleanup-local",
  );
});
