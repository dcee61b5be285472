// Covers why a repository cannot leave its branch, and why it cannot be updated as it stands.

import { assertEquals } from "@std/assert";
import { AmofError } from "../../../../src/base/error.ts";
import { cannotLeave } from "../../../../src/commands/ticket/preflight.ts";
import {
  skipIntegrated,
  trackedChanges,
  unready,
} from "../../../../src/commands/ticket/update/plan.ts";
import type { WorkspaceState } from "../../../../src/workspace/mod.ts";
import { baseOf } from "../../../../src/workspace/tickets/mod.ts";
import type { RepoSnapshot } from "../../../../src/workspace/clones/mod.ts";
import { change, snapshot } from "../../_snapshots.ts";

const BROKEN = new AmofError("git_failed", "Somebody else owns it", { hint: "Take it" });
const SUBMODULE = { path: "lib", wanted: null, moved: false, modified: true, outOfStep: false };
const MOVED = { ...SUBMODULE, moved: true, modified: false };
const NEW = "begin another ticket with it: amof ticket start TICKET-ID --carry --repo api";
const TAKEN = "commit it: amof commit -m TEXT --repo api";

/** Code and what is to be done; null where nothing stands against it. */
type Refused = readonly [string | null, string | null] | null;

interface Case {
  readonly found: RepoSnapshot;
  /** Leaving its branch without and with putting changes away, and for a command that cannot do that. */
  readonly leaves: readonly [Refused, Refused, Refused];
  /** Being brought up to date on `feature/T-1`. */
  readonly updates: Refused;
}

const alike = (refused: Refused): Case["leaves"] => [refused, refused, refused];

/** What keeps changes where a ticket ends. */
const BOTH =
  "commit them: amof commit -m TEXT --repo api\nbegin another ticket with them: amof ticket start TICKET-ID --carry --repo api";

const WAIT = "leave the ticket open, and put them away: amof ticket switch main --stash";

/** The same where they can wait for the ticket. */
const ALL = BOTH.replace("\n", `\n${WAIT}\n`);

const THERE = "go to its branch: git -C /control/workspace/demo/api switch feature/T-1";
const AWAY =
  `put its changes away: git -C /control/workspace/demo/api stash push --include-untracked\n${THERE}`;

const REBASE = `go on: git -C /control/workspace/demo/api rebase --continue
go back: git -C /control/workspace/demo/api rebase --abort`;
const UPDATE = `go on: amof ticket update --continue --repo api
go back: amof ticket update --abort --repo api`;

const CASES: Readonly<Record<string, Case>> = {
  "a clean clone": { found: snapshot(), leaves: alike(null), updates: null },
  "one that is not cloned": {
    found: snapshot({ git: null, missing: true }),
    leaves: alike(["workspace_not_installed", "clone it: amof sync"]),
    updates: ["workspace_not_installed", "clone it: amof sync"],
  },
  "one that cannot be read": {
    found: snapshot({ git: null, error: BROKEN }),
    leaves: alike(["git_failed", "Take it"]),
    updates: ["git_failed", "Take it"],
  },
  "one with hooks that nobody looked at": {
    found: snapshot({ untrusted: ["core.hooksPath"] }),
    leaves: alike(["clone_untrusted", "look at it: amof repo trust api"]),
    updates: null,
  },
  "one with changes on another branch, whose own has them otherwise": {
    found: snapshot({ git: { branch: "spike", changes: [change("a")] }, goesAlong: false }),
    leaves: [
      ["repo_dirty", "commit them, or put them away: the same command with --stash"],
      null,
      [
        "repo_dirty",
        `${AWAY}\nbegin another ticket with them: amof ticket start TICKET-ID --carry --repo api`,
      ],
    ],
    updates: ["repo_diverged", AWAY],
  },
  "one with changes on another branch, which go along": {
    found: snapshot({ git: { branch: "spike", changes: [change("a")] }, goesAlong: true }),
    leaves: [
      ["repo_dirty", "commit them, or put them away: the same command with --stash"],
      null,
      [
        "repo_dirty",
        `${THERE}\nbegin another ticket with them: amof ticket start TICKET-ID --carry --repo api`,
      ],
    ],
    updates: ["repo_diverged", THERE],
  },
  "one of another address": {
    found: snapshot({ address: "https://host/other.git" }),
    leaves: alike(null),
    updates: [
      "git_failed",
      "mend its address: git -C /control/workspace/demo/api remote set-url origin https://example.com/api.git",
    ],
  },
  "one without a remote": {
    found: snapshot({ address: "" }),
    leaves: alike(null),
    updates: [
      "git_failed",
      "mend its address: git -C /control/workspace/demo/api remote add origin https://example.com/api.git",
    ],
  },
  "one in the middle of a rebase": {
    found: snapshot({ inProgress: "rebase", git: { branch: null } }),
    leaves: alike(["repo_in_progress", REBASE]),
    updates: ["repo_in_progress", REBASE],
  },
  "one in the middle of an update": {
    found: snapshot({
      inProgress: "rebase",
      updating: { ticket: "T-1", own: false },
      git: { branch: null },
    }),
    leaves: alike(["repo_in_progress", UPDATE]),
    updates: ["repo_in_progress", UPDATE],
  },
  "one on no branch": {
    found: snapshot({ git: { branch: null } }),
    leaves: alike([
      "repo_diverged",
      "go to a branch there: git -C /control/workspace/demo/api switch main",
    ]),
    updates: [
      "repo_diverged",
      "go to its branch: git -C /control/workspace/demo/api switch feature/T-1",
    ],
  },
  "one on no branch with commits that are nowhere else": {
    found: snapshot({ git: { branch: null }, unpushed: 2, loose: 2 }),
    leaves: alike([
      "repo_diverged",
      `keep what is on no branch: git -C /control/workspace/demo/api switch --create kept-${
        snapshot().git?.head?.slice(0, 7)
      }`,
    ]),
    updates: [
      "repo_diverged",
      `keep what is on no branch: git -C /control/workspace/demo/api switch --create kept-${
        snapshot().git?.head?.slice(0, 7)
      }`,
    ],
  },
  "one without a commit": {
    found: snapshot({ git: { head: null } }),
    leaves: alike(["git_failed", "commit something there"]),
    updates: [null, null],
  },
  "one with changes": {
    found: snapshot({ git: { changes: [change(".M"), change("??", "new.txt")] } }),
    leaves: [
      ["repo_dirty", "commit them, or put them away: the same command with --stash"],
      null,
      ["repo_dirty", ALL],
    ],
    updates: null,
  },
  "one with changes in a file whose name is no UTF-8": {
    found: snapshot({ git: { changes: [change(".M", "n\uFFFD.txt")] } }),
    leaves: [
      ["repo_dirty", "commit them, or put them away: the same command with --stash"],
      [
        "would_lose_work",
        "stage them: git -C /control/workspace/demo/api add --all\n" +
        "commit them: git -C /control/workspace/demo/api commit",
      ],
      ["repo_dirty", BOTH],
    ],
    updates: null,
  },
  "one with changes on a merged branch": {
    found: snapshot({ merged: "squashed", git: { changes: [change("??", "new.txt")] } }),
    leaves: [
      ["repo_dirty", "commit them, or put them away: the same command with --stash"],
      null,
      [
        "repo_dirty",
        `begin another ticket with them: amof ticket start TICKET-ID --carry --repo api\n${WAIT}`,
      ],
    ],
    updates: null,
  },
  "one with conflicts": {
    found: snapshot({ git: { changes: [change("UU")] } }),
    leaves: alike([
      "repo_in_progress",
      "see what is to be resolved: git -C /control/workspace/demo/api diff --name-only --diff-filter=U",
    ]),
    updates: [
      "repo_in_progress",
      "see what is to be resolved: git -C /control/workspace/demo/api diff --name-only --diff-filter=U",
    ],
  },
  "one with work inside of a submodule": {
    found: snapshot({ git: { changes: [change(".M", "lib")], submodules: [SUBMODULE] } }),
    leaves: [
      ["repo_dirty", "commit it there: git -C /control/workspace/demo/api/lib commit --all"],
      ["repo_dirty", "commit it there: git -C /control/workspace/demo/api/lib commit --all"],
      ["repo_dirty", BOTH],
    ],
    updates: null,
  },
  "one with a submodule at another commit": {
    found: snapshot({
      git: { changes: [change(".M", "lib")], submodules: [MOVED] },
    }),
    leaves: [["repo_dirty", TAKEN], ["repo_dirty", TAKEN], ["repo_dirty", BOTH]],
    updates: null,
  },
  "one with a submodule at another commit on its base branch": {
    found: snapshot({
      git: { branch: "main", changes: [change(".M", "lib")], submodules: [MOVED] },
    }),
    leaves: [["repo_dirty", NEW], ["repo_dirty", NEW], ["repo_dirty", BOTH]],
    updates: ["repo_diverged", AWAY],
  },
  "one with a submodule that a change of branches has left": {
    found: snapshot({ git: { submodules: [{ ...MOVED, outOfStep: true }] } }),
    leaves: alike(null),
    updates: null,
  },
  "one that is read-only": {
    found: snapshot({ repo: { readonly: true } }),
    leaves: alike(null),
    updates: [null, null],
  },
};

for (const [what, { found, leaves, updates }] of Object.entries(CASES)) {
  Deno.test(`cannotLeave() and unready(): ${what}`, () => {
    const ways = [false, true, null].map((stash) => {
      const refused = cannotLeave(found, stash);
      return refused && [refused.code, refused.fix];
    });
    assertEquals<unknown>(ways, leaves);
    const held = unready(found, "feature/T-1");
    assertEquals<unknown>(held && [held.code, held.fix], updates);
  });
}

Deno.test("baseOf() is the branch a repository was started from, if that can be one", () => {
  const ticket = (selections: unknown) => ({
    created_at: "2026-01-01T00:00:00.000Z",
    ecosystem: "demo",
    repos: {},
    repo_selections: selections,
  });
  const { repo } = snapshot();
  const own = (
    source: unknown,
  ) => [{ repo: "web", source_branch: "x" }, { repo: "api", source_branch: source }];
  const table: readonly (readonly [unknown, string])[] = [
    [undefined, "main"],
    ["api", "main"],
    [[], "main"],
    [[null, 5, {}], "main"],
    [own("develop"), "develop"],
    [own(5), "main"],
    [own("--upload-pack=x"), "main"],
  ];
  for (const [selections, expected] of table) {
    assertEquals(baseOf(ticket(selections), repo), expected, JSON.stringify(selections));
  }
});

Deno.test("trackedChanges() counts what git tracks", () => {
  const { git } = snapshot({
    git: { changes: [change("??"), change("M."), change(".D"), change("UU")] },
  });
  assertEquals(git === null ? null : trackedChanges(git), 3);
});

Deno.test("what is new on a branch that is merged and still at its remote has a way that is open", () => {
  const state = (workspace_branch: string) => ({ workspace_branch }) as unknown as WorkspaceState;
  const [base, own] = [state("workspace/demo"), state("")];
  const head = "a".repeat(40);
  const fixed = (
    at: WorkspaceState | null,
    codes: readonly string[],
    landed: string | null = head,
  ) =>
    skipIntegrated(
      snapshot({ git: { changes: codes.map((code) => change(code)) } }),
      { base: "main", how: "merge", head, landed },
      { ticket: "T-1", state: at },
    )?.fix;
  const end = "end the ticket: amof ticket end T-1";
  const rebase = "take the changes on top of it: amof ticket update T-1 --repo api --rebase";
  assertEquals([fixed(base, []), fixed(own, []), fixed(null, [".M"])], [end, end, end]);
  assertEquals(
    fixed(base, [".M"]),
    "take the changes into a ticket of their own: amof ticket start TICKET-ID --carry --repo api",
  );
  assertEquals([fixed(own, ["??"]), fixed(own, [".M"])], [rebase, `${rebase} --stash`]);
  assertEquals([fixed(base, [".M"], null), fixed(base, [".M"], "b".repeat(40))], [
    undefined,
    undefined,
  ]);
});
