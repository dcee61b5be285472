// Covers whether a repository is pushed as it stands, by what was seen of it.

import { assertEquals } from "@std/assert";
import {
  holdBeyondIntegrated,
  isFeatureBranch,
  merged,
  misdirected,
  onBranch,
  unfinished,
  vanished,
  withUnpushed,
} from "../../../../src/commands/push/decide.ts";
import type { SkipFact } from "../../../../src/commands/outgoing/skip.ts";
import type { RepoSnapshot, Rewritten } from "../../../../src/workspace/clones/mod.ts";
import type { WorkspaceState } from "../../../../src/workspace/mod.ts";
import { change, snapshot } from "../../_snapshots.ts";

const STATE = {
  active_ticket: "T-1",
  tickets: { "T-1": { repos: { api: "feature/T-1" } } },
} as unknown as WorkspaceState;

/** Reason and detail, or the branch that is pushed. */
type Expected = readonly [SkipFact["reason"], string] | string;

interface Case {
  readonly found: RepoSnapshot;
  readonly ahead?: number;
  readonly behind?: number;
  /** What it was before it was rewritten here. */
  readonly rewritten?: Rewritten | null;
  /** The remote that the clone says git pushes to. */
  readonly to?: string;
  /** Without `--commit`, with it, and with `--allow-base` besides. */
  readonly is: readonly [Expected, Expected, Expected];
}

const always = (expected: Expected): Case["is"] => [expected, expected, expected];
const DIRTY = [change(".M"), change("??", "new.txt")];
const BRANCH = "feature/T-1";

const CASES: Readonly<Record<string, Case>> = {
  "commits on the ticket's branch": { found: snapshot(), ahead: 2, is: always(BRANCH) },
  "nothing new": { found: snapshot(), is: always(["nothing_to_push", "up to date"]) },
  "nothing new on a wrong branch is nobody's loss": {
    found: snapshot({ git: { branch: "wip" } }),
    is: always(["nothing_to_push", "up to date"]),
  },
  "commits without a remote": {
    found: snapshot({ address: "", git: { branch: "main" } }),
    ahead: 1,
    is: always(["no_remote", 'there is no remote "origin"']),
  },
  "commits that git pushes to a fork": {
    found: snapshot({ unpushed: 2 }),
    ahead: 2,
    to: "fork",
    is: always(["other_remote", "git by itself pushes it to fork, not to origin"]),
  },
  "changes on what git pushes to a fork, which no flag of a push helps": {
    found: snapshot({ git: { changes: DIRTY } }),
    to: "fork",
    is: always(["other_remote", "git by itself pushes it to fork, not to origin"]),
  },
  "commits that a fork has": {
    found: snapshot(),
    ahead: 2,
    to: "fork",
    is: always(["nothing_to_push", "up to date; it goes to fork"]),
  },
  "commits that git pushes where amof does": {
    found: snapshot({ unpushed: 2 }),
    ahead: 2,
    to: "origin",
    is: always(BRANCH),
  },
  "a wrong branch": {
    found: snapshot({ git: { branch: "wip" } }),
    ahead: 1,
    is: always(["wrong_branch", "on wip instead of feature/T-1"]),
  },
  "changes alone": {
    found: snapshot({ git: { changes: DIRTY } }),
    is: [["dirty", "2 files not committed"], BRANCH, BRANCH],
  },
  "changes beside commits": {
    found: snapshot({ git: { changes: DIRTY } }),
    ahead: 1,
    is: [["dirty", "2 files not committed, 1 commit ahead"], BRANCH, BRANCH],
  },
  "conflicts, which --commit does not commit either": {
    found: snapshot({ git: { changes: [change("UU")] } }),
    ahead: 1,
    is: always(["conflicted", "files have conflicts"]),
  },
  "a rebase in progress, while which no branch is checked out": {
    found: snapshot({ inProgress: "rebase", git: { branch: null }, unpushed: 1 }),
    ahead: 1,
    is: always(["in_progress", "a rebase is in progress"]),
  },
  "a merge in progress, which --commit does not conclude either": {
    found: snapshot({ inProgress: "merge" }),
    ahead: 1,
    is: always(["in_progress", "a merge is in progress"]),
  },
  "the base branch": {
    found: snapshot({ git: { branch: "main" } }),
    ahead: 1,
    is: [
      ["base_branch", "main is the base branch"],
      ["base_branch", "main is the base branch"],
      "main",
    ],
  },
  "changes on the base branch": {
    found: snapshot({ git: { branch: "main", changes: DIRTY } }),
    is: [
      ["dirty", "2 files not committed"],
      ["base_branch", "main is the base branch"],
      "main",
    ],
  },
  "a branch whose remote has more": {
    found: snapshot(),
    ahead: 1,
    behind: 3,
    is: always(["diverged", "the remote branch has 3 commits more"]),
  },
  "a base branch whose commits are there in another form": {
    found: snapshot({ git: { branch: "main", upstream: "origin/main" }, parting: "landed" }),
    ahead: 2,
    behind: 1,
    is: always(["diverged", "what is only here is there in another form, as after a squash"]),
  },
  "a branch that was rewritten here": {
    found: snapshot(),
    ahead: 2,
    behind: 1,
    rewritten: { was: "0".repeat(40) as Rewritten["was"], isBase: false },
    is: always(["diverged", "rewritten here, and its remote branch has what it was before"]),
  },
  "a branch whose remote has more, which is another than the manifest's": {
    found: snapshot({ address: "https://host/other.git" }),
    ahead: 1,
    behind: 3,
    is: always([
      "diverged",
      `the remote branch has 3 commits more; its origin is https://host/other.git, and the manifest says ${snapshot().repo.url}`,
    ]),
  },
  "changes on a base branch whose remote has more, which no flag of a push helps": {
    found: snapshot({ git: { branch: "main", changes: DIRTY } }),
    behind: 1,
    is: always(["diverged", "the remote branch has 1 commit more"]),
  },
  "a detached head with work": {
    found: snapshot({ git: { branch: null }, unpushed: 1 }),
    is: always(["detached", "HEAD is detached"]),
  },
  "a detached head with changes": {
    found: snapshot({ git: { branch: null, changes: DIRTY } }),
    is: always(["detached", "HEAD is detached"]),
  },
  "a detached head without work": {
    found: snapshot({ git: { branch: null } }),
    is: always(["nothing_to_push", "HEAD is detached, nothing is ahead"]),
  },
  "a read-only repository": {
    found: snapshot({ repo: { readonly: true } }),
    ahead: 1,
    is: always(["readonly", "read-only repositories are never pushed"]),
  },
  "a repository that is not cloned": {
    found: snapshot({ git: null, missing: true }),
    is: always(["missing", "not cloned"]),
  },
  "an unfinished git am with nothing ahead": {
    found: snapshot({ inProgress: "git am" }),
    is: always(["in_progress", "a git am is in progress"]),
  },
  "a repository that cannot be read": {
    found: snapshot({ git: null }),
    is: always(["unreadable", "cannot be read"]),
  },
};

/** The whole of a decision, without what takes a look into the files. */
function decided(
  { found, ahead = 0, behind = 0, to, rewritten = null }: Case,
  input: { readonly commit: boolean; readonly allow_base: boolean },
): Expected {
  const on = onBranch(found);
  const held = "reason" in on
    ? on
    : unfinished(found, on, { ahead, behind, fresh: true, rewritten }, {
      input,
      state: STATE,
      to: to ?? null,
    }) ??
      misdirected(found, on.branch, { input, state: STATE });
  return held === null ? "branch" in on ? on.branch : "" : [held.reason, held.detail];
}

for (const [what, one] of Object.entries(CASES)) {
  Deno.test(`a push of ${what}`, () => {
    const ways = [[false, false], [true, false], [true, true]] as const;
    assertEquals<unknown>(
      ways.map(([commit, allow_base]) => decided(one, { commit, allow_base })),
      one.is,
    );
  });
}

Deno.test("a branch that the remote has no more is made again where it is known why, or agreed to", () => {
  const looked = (branch: string, hasBase: boolean, input: { base?: true; merged?: true } = {}) =>
    vanished(snapshot({ git: { branch } }), branch, {
      input: {
        commit: false,
        allow_base: input.base === true,
        ...(input.merged === undefined ? {} : { allow_merged: input.merged }),
      },
      state: STATE,
      isFeature: branch.startsWith("feature/"),
      hasBase,
    });
  const renamed = looked("old", true);
  assertEquals([renamed?.reason, renamed?.blocked, renamed?.detail], [
    "branch_gone",
    true,
    "origin/old is gone, and may have been renamed",
  ]);
  assertEquals(
    renamed?.fix?.split("\n").at(-1),
    "make the branch again all the same: amof push --repo api --allow-base",
  );
  assertEquals(looked("old", true, { merged: true })?.reason, "branch_gone");
  assertEquals(looked("old", false, { base: true }), null);
  const unknown = looked(BRANCH, false);
  assertEquals([unknown?.reason, unknown?.detail, unknown?.fix], [
    "branch_gone",
    "origin/feature/T-1 is gone, which has no main to tell whether it was merged",
    "make the branch again all the same: amof push --repo api --allow-merged\nend the ticket, which keeps it here: amof ticket end T-1 --repo api",
  ]);
  const deleted = looked(BRANCH, true);
  assertEquals([deleted?.detail, deleted?.fix], [
    "origin/feature/T-1 is gone, and its work is not in main",
    unknown?.fix,
  ]);
  assertEquals(
    looked("feature/other", true)?.fix,
    "make the branch again all the same: amof push --repo api --allow-merged",
  );
  assertEquals(looked(BRANCH, true, { merged: true }), null);
  const explained = vanished(snapshot(), BRANCH, {
    input: { commit: false, allow_base: false },
    state: STATE,
    isFeature: true,
    hasBase: true,
    isExplained: true,
  });
  assertEquals(explained, null);
  assertEquals(looked(BRANCH, false, { merged: true }), null);
});

Deno.test("commits of a base branch go along to a ticket in the base workspace, where others get their own", () => {
  const input = { commit: false, allow_base: false };
  const ways = (unpushed: number, perTicket: boolean) =>
    misdirected(snapshot({ git: { branch: "main" }, unpushed }), "main", {
      input,
      state: null,
      perTicket,
    })?.fix?.split("\n")[0];
  const begin = "begin a ticket with it: amof ticket start TICKET-ID --carry --repo api";
  assertEquals([ways(1, true), ways(0, true), ways(1, false)], [
    `${begin} --in-place`,
    begin,
    begin,
  ]);
  const its = snapshot({ git: { branch: "main" }, unpushed: 1, expectedBranch: "feature/T-1" });
  assertEquals(
    misdirected(its, "main", { input, state: STATE })?.fix?.split("\n")[0],
    "go to its branch: git -C /control/workspace/demo/api switch feature/T-1",
  );
});

Deno.test("a push of a merged branch says where its work is, and the two ways out", () => {
  const input = { commit: false, allow_base: false };
  const with_ = (state: WorkspaceState | null, kept: string | null = null) =>
    merged(snapshot(), BRANCH, "squashed", { input, state, kept });
  const ticket = with_(STATE);
  assertEquals([ticket.reason, ticket.blocked, ticket.detail], [
    "merged",
    true,
    "feature/T-1 is in main as one commit, and origin/feature/T-1 is gone",
  ]);
  assertEquals(
    ticket.fix,
    "end what is merged of the ticket: amof ticket end T-1 --cleanup --only merged\nmake the branch again all the same: amof push --repo api --allow-merged",
  );
  assertEquals(
    with_(STATE, "amof:T-1").fix,
    "give the changes back that are put away as amof:T-1: amof ticket update --continue --repo api\nmake the branch again all the same: amof push --repo api --allow-merged",
  );
});

Deno.test("a push of a merged branch that is not the ticket's leads to the branch that belongs there", () => {
  const input = { commit: false, allow_base: false };
  const branch = "fix";
  const way = (state: WorkspaceState | null, name: string) =>
    merged(snapshot({ expectedBranch: "main", git: { branch: name } }), name, "squashed", {
      input,
      state,
      kept: "amof:T-1",
    }).fix?.split("\n");
  const elsewhere = {
    ...STATE,
    tickets: { "T-1": { repos: { web: BRANCH } } },
  } as unknown as WorkspaceState;
  const own = { ...elsewhere, workspace_branch: "" } as WorkspaceState;
  const again = "make the branch again all the same: amof push --repo api --allow-merged";
  const there = `git -C ${snapshot().directory} switch main`;
  assertEquals(way(null, branch), [`go to main: ${there}`, again]);
  assertEquals(way(elsewhere, branch), [`go to main: ${there}`, again]);
  assertEquals(way(elsewhere, BRANCH), [`go to main: ${there}`, again]);
  assertEquals(way(own, BRANCH), ["see what comes next: amof status", again]);
  // Of a branch that its remote has no more both flags are asked for.
  const stray = { input, state: null, isStray: true };
  const both = `${again.replace("--allow-merged", "")}--allow-base --allow-merged`;
  const found = snapshot({ expectedBranch: "main", git: { branch }, landed: "0".repeat(40) });
  assertEquals(
    merged(found, branch, "squashed", { ...stray, kept: null }).fix?.split("\n").at(-1),
    both,
  );
  assertEquals(
    holdBeyondIntegrated(found, { ...stray, fresh: true })?.fix?.split("\n").at(-1),
    both,
  );
});

Deno.test("a branch is a ticket's by its name, or by a ticket that works on it", () => {
  const of = (branch: string, state: WorkspaceState | null) =>
    isFeatureBranch(branch, { state, repo: snapshot().repo, prefix: "feature" });
  const odd = {
    ...STATE,
    tickets: { "T-1": { repos: { api: "odd" } } },
  } as unknown as WorkspaceState;
  assertEquals([of(BRANCH, null), of("fix", STATE), of("odd", STATE), of("odd", odd)], [
    true,
    false,
    false,
    true,
  ]);
});

Deno.test("what follows merged work is not pushed with it once more", () => {
  const input = { commit: false, allow_base: false };
  const old = "0123456789012345678901234567890123456789";
  const held = (found: RepoSnapshot, asked: object = {}, state: WorkspaceState | null = STATE) => {
    const fact = holdBeyondIntegrated(found, { input: { ...input, ...asked }, state, fresh: true });
    return fact === null ? null : [fact.reason, fact.detail, ...(fact.fix ?? "").split("\n")];
  };
  const head = snapshot().git?.head ?? "";
  assertEquals(held(snapshot()), null);
  assertEquals(held(snapshot({ landed: head })), null);
  assertEquals(
    held(snapshot({ landed: old, git: { changes: DIRTY } }), { allow_merged: true }),
    null,
  );
  const changed = { landed: head, git: { changes: DIRTY } };
  assertEquals(held(snapshot(changed), { commit: true }), [
    "landed",
    "feature/T-1 is in main already; what is new belongs in a ticket of its own",
    "bring it there: amof ticket start TICKET-ID --carry --repo api",
    "make the branch again all the same: amof push --repo api --commit --allow-merged",
  ]);
  assertEquals(held(snapshot({ ...changed, unpushed: 2 }), { commit: true }), [
    "landed",
    "feature/T-1 is in main already; what is new belongs on top of main",
    "bring it there: amof ticket update T-1 --repo api --stash",
    "begin a ticket with it: amof ticket start TICKET-ID --carry --repo api",
    "make the branch again all the same: amof push --repo api --commit --allow-merged",
  ]);
  assertEquals(held(snapshot({ landed: old })), [
    "landed",
    "feature/T-1 is in main already up to 0123456; what is new belongs on top of main",
    "bring it there: amof ticket update T-1 --repo api",
    "make the branch again all the same: amof push --repo api --allow-merged",
  ]);
  assertEquals(
    held(snapshot({ landed: old }), {}, null)?.[2],
    `bring it there: git -C /control/workspace/demo/api rebase --onto origin/main ${old}`,
  );
  const on = { git: snapshot().git, branch: BRANCH } as Parameters<typeof unfinished>[1];
  const dirty = snapshot({ landed: head, git: { changes: DIRTY } });
  for (const [fresh, again] of [[true, "make the branch again"], [false, "push it"]] as const) {
    const asked = { ahead: 1, behind: 0, fresh };
    const at = { ...on, git: dirty.git ?? on.git };
    const fact = unfinished(dirty, at, { ...asked, rewritten: null }, {
      input,
      state: STATE,
      to: null,
    });
    assertEquals(fact?.reason, "landed");
    assertEquals(
      fact?.fix?.split("\n").at(-1),
      `${again} all the same: amof push --repo api --commit --allow-merged`,
    );
  }
});

Deno.test("changes on a merged branch that nothing has moved since its push are another ticket's", () => {
  const input = { commit: true, allow_base: false };
  const head = snapshot().git?.head ?? "";
  const pushedAt = (commit_full: string) =>
    ({
      ...STATE,
      repos: [{ name: "api", last_push: { commit_full } }],
    }) as unknown as WorkspaceState;
  const held = (found: RepoSnapshot, state: WorkspaceState) =>
    holdBeyondIntegrated(found, { input, state, fresh: false })?.fix?.split("\n") ?? null;
  const over = snapshot({ merged: "commits", git: { changes: DIRTY } });
  assertEquals(held(over, pushedAt(head)), [
    "bring it there: amof ticket start TICKET-ID --carry --repo api",
    "push it all the same: amof push --repo api --commit --allow-merged",
  ]);
  assertEquals(held(over, pushedAt("b".repeat(40))), null, "it was moved on to its base branch");
  assertEquals(held(snapshot({ merged: "commits" }), pushedAt(head)), null, "nothing is new");
  const own = { ...pushedAt(head), workspace_branch: "" };
  assertEquals(held(over, own), null, "no ticket takes it along from the workspace of another");
  assertEquals(held(snapshot({ landed: head, git: { changes: DIRTY } }), own), [
    "bring it there: amof ticket update T-1 --repo api --rebase --stash",
    "push it all the same: amof push --repo api --commit --allow-merged",
  ]);
  assertEquals(held(snapshot({ git: { changes: DIRTY } }), pushedAt(head)), null, "not merged");
});

Deno.test("what holds a push back says the one push that takes all of it, with what was asked for", () => {
  const asked = { commit: false, allow_base: false };
  const fixes = [
    { branch: BRANCH, changes: DIRTY },
    { branch: "main", changes: DIRTY },
    { branch: "main", changes: [] },
  ].flatMap((git) =>
    [asked, { ...asked, commit: true, message: "My words" }].map((input) => {
      const found = snapshot({ git });
      const on = onBranch(found);
      if ("reason" in on) return on.fix;
      const held = unfinished(found, on, { ahead: 1, behind: 0, fresh: true, rewritten: null }, {
        input,
        state: null,
        to: null,
      }) ??
        misdirected(found, on.branch, { input, state: null });
      return held?.fix ?? null;
    })
  );
  const words = "-m 'My words'";
  const ticket = "begin a ticket with it: amof ticket start TICKET-ID --carry --repo api";
  assertEquals(fixes, [
    "let the push commit the changes: amof push --repo api --commit",
    null,
    `${ticket}\nlet the push commit the changes: amof push --repo api --commit --allow-base`,
    `${ticket}\npush it all the same: amof push --repo api --commit ${words} --allow-base`,
    `${ticket}\npush it all the same: amof push --repo api --allow-base`,
    `${ticket}\npush it all the same: amof push --repo api --commit ${words} --allow-base`,
  ]);
});

Deno.test("of a repository of which nothing goes it is told what stays only here", () => {
  const at = { state: null, leaving: "free" } as const;
  const told = (found: RepoSnapshot, blocked = false) => {
    const fact: SkipFact = {
      name: "api",
      branch: "main",
      reason: found.repo.readonly ? "readonly" : "nothing_to_push",
      detail: "up to date",
      blocked,
      fix: null,
    };
    const { detail, fix, unpushed = false } = withUnpushed(fact, found, at);
    return [detail, fix, unpushed];
  };
  const there = "git -C /control/workspace/demo/api";
  const elsewhere = [{ branch: "mine", commits: 1 }];
  const readonly = { repo: { readonly: true }, unpushed: 2 };
  assertEquals(told(snapshot()), ["up to date", null, false]);
  assertEquals(told(snapshot({ elsewhere })), [
    "not pushed, and not checked out: mine (↑1)",
    `${there} push --set-upstream origin mine`,
    true,
  ]);
  assertEquals(told(snapshot({ elsewhere }), true), ["up to date", null, false]);
  assertEquals(told(snapshot({ ...readonly, git: { branch: "main" } })), [
    "read-only, so 2 commits can never be pushed",
    `${there} branch kept-aaaaaaa\n${there} reset --keep origin/main`,
    true,
  ]);
  // On another branch the way back to its own comes first.
  assertEquals(told(snapshot({ ...readonly, git: { branch: "mine" } })), [
    "read-only, so 2 commits can never be pushed",
    `${there} switch feature/T-1`,
    true,
  ]);
  assertEquals(told(snapshot({ ...readonly, unpushed: 0, git: { branch: "main" } }))[2], false);
});
