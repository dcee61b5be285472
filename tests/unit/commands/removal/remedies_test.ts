// Covers what saves the work that a removal would lose: each line is pasted as it stands.

import { assertEquals } from "@std/assert";
import type { WorkspaceState } from "../../../../src/workspace/mod.ts";
import type { Loss } from "../../../../src/commands/removal/losses.ts";
import { type CloneAtRisk, refusalOf } from "../../../../src/commands/removal/remedies.ts";

const REPO = {
  ...{ name: "api", readonly: false, branch: "feature/T-1", head: "a1", inProgress: null },
  ...{ uncommitted: [], conflicted: false, hidden: [], refs: [] },
  branches: ["main", "feature/T-1", "a'side"].map((name) => ({ name })),
};

interface Case {
  readonly kind: Loss["kind"];
  readonly items?: readonly string[];
  readonly repo?: object;
  readonly more?: Partial<CloneAtRisk>;
  readonly fix: string;
}

const dirty = { uncommitted: ["a"] };

const inConflict = { ...dirty, conflicted: true };

const NEW = "begin a ticket with it: amof ticket start TICKET-ID --carry --repo api";

/** The state of a workspace with one ticket, and the one that is active. */
function stateOf(active: string | null, repos: Readonly<Record<string, string>>): WorkspaceState {
  const tickets = { [active ?? "T-1"]: { repos } };
  return {
    ...{ workspace_branch: "workspace/demo", active_ticket: active, tickets, repos: [] },
  } as unknown as WorkspaceState;
}

const LIST = "see what is put away: git -C /r/api stash list";

/** What was put away, and what brings it back. */
const STASHES: readonly Case[] = ([
  ["On feature/T-1: amof:T-1", null, "bring it back: amof ticket switch T-1"],
  ["On feature/T-1: amof:T-1", "T-1", "bring it back: amof ticket update --continue --repo api"],
  ["On main: amof:main", "T-1", "bring it back: amof ticket switch main"],
  // Neither belongs on whatever is checked out.
  ["On idea: amof:T-1", null, LIST],
  ["On feature/T-9: amof:T-9", null, LIST],
  ["On feature/T-9: amof:constructor", null, LIST],
  ["WIP on main: 1234567 x", null, `${LIST}\nbring it back: git -C /r/api stash pop`],
] as const).map(([item, active, fix]) => ({
  kind: "stash",
  items: [item],
  more: { state: stateOf(active, { api: "feature/T-1" }) },
  fix,
}));

const CASES: readonly Case[] = [
  ...STASHES,
  {
    kind: "stash",
    items: ["On feature/T-1: amof:T-1"],
    more: { state: stateOf(null, { api: "feature/T-1" }), isDirty: true },
    fix: "bring it back: amof ticket switch T-1 --stash",
  },
  {
    kind: "uncommitted",
    repo: inConflict,
    fix: "see what is to be resolved: git -C /r/api diff --name-only --diff-filter=U",
  },
  {
    kind: "commits",
    repo: inConflict,
    fix: "see what is to be resolved: git -C /r/api diff --name-only --diff-filter=U",
  },
  { kind: "stash", repo: inConflict, fix: "see what is put away: git -C /r/api stash list" },
  { kind: "commits", fix: "push them: amof push --repo api" },
  {
    kind: "commits",
    more: { scope: " --ticket T-1" },
    fix: "push them: amof push --ticket T-1 --repo api",
  },
  { kind: "commits", repo: dirty, fix: "commit and push them: amof push --repo api --commit" },
  {
    kind: "uncommitted",
    repo: dirty,
    more: { isLanded: true, scope: " --ticket T-1" },
    fix: "see what goes on top of main: amof status --ticket T-1 --repo api",
  },
  {
    kind: "commits",
    repo: { branch: "main" },
    fix: `${NEW}\npush main itself: amof push --repo api --allow-base`,
  },
  {
    kind: "commits",
    repo: { branch: "main" },
    more: { perTicket: true },
    fix: `${NEW} --in-place\npush main itself: amof push --repo api --allow-base`,
  },
  {
    kind: "uncommitted",
    repo: { ...dirty, branch: "main", head: null },
    fix: "push main itself: amof push --repo api --commit --allow-base",
  },
  {
    kind: "commits",
    repo: { branch: "main" },
    more: { state: stateOf("T-2", { web: "feature/T-2" }) },
    fix:
      "take it into T-2: amof ticket add T-2 --repo api\npush main itself: amof push --repo api --allow-base",
  },
  ...[
    { state: stateOf("T-1", { api: "feature/T-1" }) },
    { state: { ...stateOf("T-1", {}), workspace_branch: "" } },
  ].map((more) => ({
    kind: "commits" as const,
    repo: { branch: "main" },
    more,
    fix:
      "see where it belongs: amof status --repo api\npush main itself: amof push --repo api --allow-base",
  })),
  {
    kind: "uncommitted",
    repo: { ...dirty, branch: "main" },
    fix: `${NEW}\npush main itself: amof push --repo api --commit --allow-base`,
  },
  {
    kind: "commits",
    repo: { branch: null },
    fix: "give them a branch: git -C /r/api switch --create saved",
  },
  {
    kind: "commits",
    repo: { branch: null },
    more: { jj: true },
    fix: "push them from jj: jj -R /r/api git push --change @-",
  },
  {
    kind: "uncommitted",
    repo: { ...dirty, branch: null },
    more: { jj: true },
    fix: "commit it with jj: jj -R /r/api commit",
  },
  {
    kind: "uncommitted",
    repo: { ...dirty, readonly: true },
    fix: "see what was changed, and put it elsewhere: git -C /r/api status",
  },
  {
    kind: "commits",
    repo: { ...dirty, inProgress: "merge" },
    fix: "go on: git -C /r/api merge --continue\ngo back: git -C /r/api merge --abort",
  },
  {
    kind: "commits",
    repo: { ...dirty, inProgress: "merge", conflicted: true },
    fix:
      "see what is to be resolved: git -C /r/api diff --name-only --diff-filter=U\ngo on once that is added: git -C /r/api merge --continue\ngo back: git -C /r/api merge --abort",
  },
  {
    kind: "commits",
    repo: { ...dirty, branch: "main" },
    more: { isOvertaken: true },
    fix:
      "integrate the remote's commits first: git -C /r/api pull --rebase=merges --autostash origin main",
  },
  // A push takes the branch that is checked out, and no other.
  { kind: "commits", items: ["on feature/T-1"], fix: "push them: amof push --repo api" },
  {
    kind: "commits",
    items: ["on a'side"],
    more: { isOvertaken: true },
    fix: `push them: git -C /r/api push origin 'a'\\''side'`,
  },
  {
    kind: "commits",
    items: ["on main"],
    fix: "push them under another name: git -C /r/api push origin main:saved/main",
  },
  {
    kind: "stash",
    fix: "see what is put away: git -C /r/api stash list\nbring it back: git -C /r/api stash pop",
  },
  { kind: "tags", fix: "push the tags: git -C /r/api push origin --tags" },
  {
    kind: "refs",
    repo: { refs: [{ name: "refs/tags/v1" }, { name: "refs/notes/commits" }] },
    fix: "push them: git -C /r/api push origin refs/notes/commits",
  },
  { kind: "refs", fix: "see them: git -C /r/api for-each-ref" },
  {
    kind: "hidden",
    repo: { hidden: ["a b"] },
    fix:
      "let git see them: git -C /r/api update-index --no-skip-worktree --no-assume-unchanged 'a b'",
  },
  { kind: "hidden", repo: { hidden: [..."abcdef"] }, fix: "see them: git -C /r/api ls-files -v" },
  {
    kind: "in_progress",
    repo: { inProgress: "git am" },
    fix: "see the patch: git -C /r/api am --show-current-patch=diff\n" +
      "go on with what is staged: git -C /r/api am --continue\n" +
      "go back: git -C /r/api am --abort\nleave the patch out: git -C /r/api am --skip",
  },
  {
    kind: "in_progress",
    repo: { inProgress: "git am", conflicted: true },
    fix: "see what is to be resolved: git -C /r/api diff --name-only --diff-filter=U\n" +
      "go on once that is added: git -C /r/api am --continue\ngo back: git -C /r/api am --abort",
  },
  {
    kind: "in_progress",
    repo: { inProgress: "bisect" },
    fix: "end it: git -C /r/api bisect reset",
  },
  {
    kind: "in_progress",
    repo: { inProgress: "merge" },
    more: { updating: { ticket: "T-1", own: true } },
    fix:
      "go on: amof ticket update --continue --repo api --ticket T-1\ngo back: amof ticket update --abort --repo api --ticket T-1",
  },
  {
    kind: "unreadable",
    more: { scope: " --ticket T-1" },
    fix: "look at it: amof status --ticket T-1",
  },
];

for (const { kind, items = [], repo = {}, more = {}, fix } of CASES) {
  Deno.test(`what saves ${kind} ${JSON.stringify({ items, ...repo, ...more })}`, () => {
    const loss: Loss = { repo: "api", kind, count: 1, items };
    const standing = {
      ...{
        repo: { ...REPO, ...repo },
        directory: "/r/api",
        base: "main",
        isOvertaken: false,
        ...{ isLanded: false, jj: false },
      },
      ...{ state: null, perTicket: false, isDirty: false },
      ...{ scope: "", updating: null, ...more },
    } as unknown as CloneAtRisk;
    assertEquals(refusalOf(loss, standing).fix, fix);
  });
}
