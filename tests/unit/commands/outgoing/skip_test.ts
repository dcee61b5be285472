// Covers why a push or a commit leaves a repository out, and what would let it take part.

import { assertEquals } from "@std/assert";
import { toCommit } from "../../../../src/commands/outgoing/files.ts";
import { BLOCKED, pushAgain, skip } from "../../../../src/commands/push/skip.ts";
import { hold, reasonToSkip, skipped, unusable } from "../../../../src/commands/outgoing/skip.ts";
import { AmofError } from "../../../../src/base/error.ts";
import type { RepoSnapshot } from "../../../../src/workspace/clones/mod.ts";
import type { WorkspaceState } from "../../../../src/workspace/mod.ts";
import { change, snapshot } from "../../_snapshots.ts";

const STATE: WorkspaceState = {
  version: 3,
  ecosystem: "demo",
  workspace_branch: "workspace/demo",
  active_ticket: "T-1",
  tickets: {
    "T-1": {
      created_at: "2026-01-01T00:00:00.000Z",
      ecosystem: "demo",
      repos: { api: "feature/T-1" },
    },
  },
  repos: [],
  created_at: "2026-01-01T00:00:00.000Z",
  last_modified: "2026-01-01T00:00:00.000Z",
};

const BROKEN = new AmofError("git_failed", "git ended with 128", {
  hint: "Look at it: amof doctor",
});

/** Reason, whether work is held back, detail, and what would let it go; null where nothing is wrong. */
type Left = readonly [string, boolean, string, string | null] | null;

const UNUSABLE: Readonly<Record<string, readonly [RepoSnapshot, Left]>> = {
  "a clone": [snapshot(), null],
  "one that is read-only, whatever else": [
    snapshot({ repo: { readonly: true }, missing: true }),
    ["readonly", false, "read-only repositories are never pushed", null],
  ],
  "one that is not cloned": [
    snapshot({ git: null, missing: true }),
    ["missing", false, "not cloned", "clone it: amof sync --repo api"],
  ],
  "one that cannot be read": [
    snapshot({ git: null, error: BROKEN }),
    ["unreadable", true, "cannot be read: git ended with 128", "Look at it: amof doctor"],
  ],
  "one that cannot be read, and says nothing": [
    snapshot({ git: null }),
    ["unreadable", true, "cannot be read", "look at the error above"],
  ],
};

for (const [what, [found, expected]] of Object.entries(UNUSABLE)) {
  Deno.test(`unusable(): ${what}`, () => {
    const fact = unusable({ skip, done: "pushed" }, found);
    assertEquals<unknown>(fact && [fact.reason, fact.blocked, fact.detail, fact.fix], expected);
  });
}

const STANDING: Readonly<
  Record<string, readonly [RepoSnapshot, string, WorkspaceState | null, Left]>
> = {
  "on its ticket's branch": [snapshot(), "feature/T-1", STATE, null],
  "on its base branch, which is another question": [snapshot(), "main", STATE, null],
  "on any other branch": [
    snapshot(),
    "wip",
    STATE,
    [
      "wrong_branch",
      true,
      "on wip instead of feature/T-1",
      "go to its branch: git -C /control/workspace/demo/api switch feature/T-1",
    ],
  ],
  "on any branch that no ticket tracks": [snapshot(), "wip", null, null],
  "on any branch while another ticket is active": [
    snapshot(),
    "wip",
    { ...STATE, active_ticket: null },
    null,
  ],
  "in the middle of a merge": [
    snapshot({ inProgress: "merge" }),
    "feature/T-1",
    STATE,
    [
      "in_progress",
      true,
      "a merge is in progress",
      `go on: git -C /control/workspace/demo/api merge --continue
go back: git -C /control/workspace/demo/api merge --abort`,
    ],
  ],
  "in the middle of an update of the ticket": [
    snapshot({ inProgress: "merge", updating: { ticket: "T-1", own: true } }),
    "feature/T-1",
    STATE,
    [
      "in_progress",
      true,
      "a merge is in progress",
      `go on: amof ticket update --continue --repo api --ticket T-1
go back: amof ticket update --abort --repo api --ticket T-1`,
    ],
  ],
  "with conflicts": [
    snapshot({ git: { changes: [change("M."), change("UU")] } }),
    "feature/T-1",
    STATE,
    [
      "conflicted",
      true,
      "files have conflicts",
      "see what is to be resolved: git -C /control/workspace/demo/api diff --name-only --diff-filter=U",
    ],
  ],
  "with hooks that nobody looked at, before all else": [
    snapshot({ untrusted: ["core.hooksPath"], inProgress: "merge" }),
    "wip",
    STATE,
    [
      "untrusted",
      true,
      "what git goes by there has changed: core.hooksPath",
      "look at it: amof repo trust api",
    ],
  ],
  "with hooks that nobody looked at, in a box": [
    snapshot({ untrusted: ["core.hooksPath"], confined: true }),
    "feature/T-1",
    STATE,
    null,
  ],
};

for (const [what, [found, branch, state, expected]] of Object.entries(STANDING)) {
  Deno.test(`reasonToSkip(): ${what}`, () => {
    const fact = reasonToSkip(skip, found, branch, state);
    assertEquals<unknown>(fact && [fact.reason, fact.blocked, fact.detail, fact.fix], expected);
  });
}

Deno.test("hold() names the files that must not go, and the command that would take them", () => {
  const input = { commit: true, allow_base: false };
  const again = pushAgain("api", input);
  assertEquals(again, "push --repo api --commit");
  assertEquals(
    pushAgain("api", { commit: false, allow_base: true }),
    "push --repo api --allow-base",
  );
  const paths = [".env", "id_rsa", "a\u001b[2J.pem", "b.pem"];
  const fact = hold({ skip, done: "pushed", again }, snapshot(), {
    reason: "secret_files",
    paths,
    touches: [],
  });
  assertEquals(fact.detail, "new files that look secret: .env, id_rsa, a.pem and 1 more file");
  assertEquals(
    fact.fix?.startsWith("add them to .gitignore\nlet them go: amof push --repo api"),
    true,
  );
  assertEquals(skipped(fact, BLOCKED).code, "push_refused");
});

Deno.test("skipped() has the code of what holds work back, and none for what is nobody's loss", () => {
  const code = (why: Parameters<typeof skip>[1]) =>
    skipped(skip(snapshot(), why, ""), BLOCKED).code;
  assertEquals(
    (["dirty", "diverged", "untrusted", "readonly", "nothing_to_push", "missing"] as const).map(
      code,
    ),
    ["repo_dirty", "repo_diverged", "clone_untrusted", null, null, null],
  );
  assertEquals(
    [snapshot({ git: null }), snapshot({ git: { branch: null } }), snapshot()]
      .map((one) => skip(one, "dirty", "").branch),
    ["-", "HEAD", "feature/T-1"],
  );
});

Deno.test("toCommit() takes everything, or the staged part as if nothing else had changed", () => {
  const changes = [
    change("??", "new.txt"),
    change(".M", "edited.txt"),
    change("M.", "staged.txt"),
    change("MM", "both.txt"),
    change("A.", "added.txt"),
  ];
  const codes = (staged: boolean) =>
    toCommit(changes, staged).map(({ code, path }) => `${code} ${path}`);
  assertEquals(codes(false), [
    "?? new.txt",
    ".M edited.txt",
    "M. staged.txt",
    "MM both.txt",
    "A. added.txt",
  ]);
  assertEquals(codes(true), ["M. staged.txt", "M. both.txt", "A. added.txt"]);
});
