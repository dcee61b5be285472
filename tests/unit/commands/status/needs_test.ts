// Covers what one repository needs that the others do not, and the command for just that.

import { assertEquals } from "@std/assert";
import { needLines, needsOf } from "../../../../src/commands/status/needs.ts";

type Seen = Parameters<typeof needsOf>[0];
type Git = NonNullable<Seen["git"]>;

const CLEAN: Git = {
  head: "0123456789012345678901234567890123456789" as Git["head"],
  branch: "main",
  upstream: "origin/main",
  ahead: 0,
  behind: 0,
  stashes: 0,
  changes: [],
  submodules: [],
};
const CHANGE = { path: "x", code: ".M", conflicted: false, raw: "" };
const LATE = { path: "lib", wanted: CLEAN.head, moved: true, modified: false, outOfStep: true };

function seen(git: Partial<Git> | null, rest: Partial<Seen> = {}, repo: object = {}): Seen {
  return {
    repo: { name: "api", url: "https://host/api.git", branch: "main", readonly: false, ...repo },
    directory: "/w/api",
    expectedBranch: "main",
    git: git === null ? null : { ...CLEAN, ...git },
    unpushed: 0,
    inProgress: null,
    address: null,
    absent: [],
    jj: false,
    ...rest,
  } as Seen;
}

const NEEDS: readonly (readonly [what: string, seen: Seen, ...fixes: string[]])[] = [
  ["clean", seen({})],
  ["missing", seen(null)],
  ["dirty", seen({ changes: [CHANGE] })],
  ["ahead", seen({ ahead: 2 }, { unpushed: 2 })],
  [
    "in conflict in a merge",
    seen({ changes: [{ ...CHANGE, conflicted: true }], ahead: 1, behind: 1 }, {
      inProgress: "merge",
    }),
    "git -C /w/api merge --continue",
  ],
  [
    "in conflict after a stash came back",
    seen({ changes: [{ ...CHANGE, conflicted: true }] }),
    "git -C /w/api diff --name-only --diff-filter=U",
  ],
  [
    "in a rebase that is resolved",
    seen({ branch: null }, { inProgress: "rebase" }),
    "git -C /w/api rebase --continue",
  ],
  ["in a bisect", seen({ branch: null }, { inProgress: "bisect" }), "git -C /w/api bisect reset"],
  [
    "detached",
    seen({ branch: null, upstream: null, ahead: null, behind: null }, { expectedBranch: "a b" }),
    "git -C /w/api switch 'a b'",
  ],
  [
    "detached with commits",
    seen({ branch: null, upstream: null, ahead: null, behind: null }, { unpushed: 1 }),
    "git -C /w/api switch --create kept-0123456",
  ],
  [
    "detached as jj has it",
    seen({ branch: null, upstream: null, ahead: null, behind: null }, { jj: true }),
    "git -C /w/api switch main",
  ],
  [
    "detached as jj has it, with commits",
    seen({ branch: null, upstream: null, ahead: null, behind: null }, { jj: true, unpushed: 1 }),
    "jj -R /w/api git push --change @-",
  ],
  ["diverged", seen({ ahead: 1, behind: 2 }, { unpushed: 1 }), "git -C /w/api pull --rebase"],
  [
    "diverged and dirty",
    seen({ ahead: 1, behind: 2, changes: [CHANGE] }, { unpushed: 1 }),
    "git -C /w/api pull --rebase --autostash",
  ],
  ["behind on its base branch", seen({ behind: 2 }), "amof sync --repo api"],
  [
    "behind and dirty on its base branch",
    seen({ behind: 2, changes: [CHANGE] }),
    "git -C /w/api pull --ff-only --autostash",
  ],
  [
    "behind on another branch",
    seen({ behind: 2, branch: "feature/x" }),
    "git -C /w/api pull --ff-only",
  ],
  [
    "read-only and dirty",
    seen({ changes: [CHANGE] }, {}, { readonly: true }),
    "git -C /w/api stash push --include-untracked",
  ],
  [
    "with a submodule out of step",
    seen({ submodules: [LATE] }),
    "git -C /w/api submodule update --init --recursive -- lib",
  ],
  [
    "with submodules that were never checked out",
    seen({}, { absent: ["lib", "my docs"] }),
    "git -C /w/api submodule update --init --recursive -- lib 'my docs'",
  ],
  [
    "with files built in a submodule",
    seen({ submodules: [{ ...LATE, moved: false, outOfStep: false }] }),
  ],
  [
    "at another address",
    seen({}, { address: "https://old/api.git" }),
    "git -C /w/api remote set-url origin https://host/api.git",
  ],
  [
    "at another address than one with a password",
    seen({}, { address: "https://old/api.git" }, { url: "https://me:hunter2@host/api.git" }),
    "Take the password or token out of the address in the manifest",
  ],
];

for (const [what, given, ...fixes] of NEEDS) {
  Deno.test(`a repository that is ${what} needs ${fixes.length === 0 ? "nothing of its own" : "its own command"}`, () => {
    const needs = needsOf(given);
    assertEquals(needs.map(({ fix }) => fix), fixes);
    assertEquals(JSON.stringify(needs).includes("hunter2"), false);
  });
}

Deno.test("what one command mends is said once, and of very many only the first", () => {
  const late = (name: string) => ({
    name,
    label: name,
    needs: needsOf(seen({ behind: 1 }, {}, { name })),
  });
  assertEquals(needLines([late("api")], 5), [
    "⚠ api: 1 commit behind origin/main\n    fix: amof sync --repo api",
  ]);
  assertEquals(needLines([late("api"), late("web")], 5), [
    "⚠ api and web: behind their remotes\n    fix: amof sync --repo api,web",
  ]);
  const detached = { name: "x", label: "x", needs: needsOf(seen({ branch: null })) };
  assertEquals(needLines([detached, detached, detached], 1).slice(1), [
    "⚠ 2 more repositories need something: amof status --all",
  ]);
});
