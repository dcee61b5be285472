// Covers what one repository needs that the others do not, and the command for just that.

import { assertEquals } from "@std/assert";
import { checkoutHint } from "../../../../src/commands/advice/head.ts";
import { leavingOf, needLines, needsOf } from "../../../../src/commands/advice/needs.ts";
import type { WorkspaceState } from "../../../../src/workspace/mod.ts";

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
    expectedFrom: null,
    remoteBase: "origin/main",
    goesAlong: null,
    barred: [],
    ofStash: false,
    pushesTo: null,
    former: [],
    git: git === null ? null : { ...CLEAN, ...git },
    unpushed: 0,
    loose: 0,
    elsewhere: [],
    inProgress: null,
    updating: null,
    address: null,
    misnamed: null,
    absent: [],
    unsent: [],
    nested: [],
    merged: null,
    landed: null,
    retracted: null,
    release: null,
    baseGone: false,
    baseNow: null,
    parting: null,
    occupied: null,
    jj: false,
    ...rest,
  } as Seen;
}

const WAS = "1".repeat(40) as Git["head"] & string;

const NEEDS: readonly (readonly [what: string, seen: Seen, ...fixes: string[]])[] = [
  ["clean", seen({})],
  [
    "rewritten here in a ticket",
    seen({ branch: "feature/T-1", upstream: "origin/feature/T-1", ahead: 2, behind: 1 }, {
      parting: { was: WAS, isBase: false },
    }),
    `git -C /w/api push --force-with-lease=feature/T-1:${WAS} origin feature/T-1`,
  ],
  [
    "rewritten here on a base branch, which nobody overwrites",
    seen({ ahead: 1, behind: 1 }, { parting: { was: WAS, isBase: true } }),
    "git -C /w/api branch --move main kept-0123456\ngit -C /w/api switch --create main origin/main",
  ],
  [
    "on a base branch with commits of a submodule that are only here",
    seen({}, { unsent: ["lib"] }),
    "amof ticket start TICKET-ID --carry --repo api",
  ],
  [
    "in a ticket with commits of a submodule that are only here",
    seen({ branch: "feature/T-1" }, { unsent: ["lib"] }),
    "git -C /w/api/lib push origin HEAD:refs/heads/feature/T-1",
  ],
  [
    "on no branch with commits of a submodule that are only here",
    seen({ branch: null }, { unsent: ["lib"] }),
    "git -C /w/api switch main",
    "git -C /w/api/lib push origin HEAD:refs/heads/kept-0123456",
  ],
  ["missing", seen(null)],
  ["dirty", seen({ changes: [CHANGE] })],
  [
    "with a new file that looks secret",
    seen({ changes: [CHANGE, { ...CHANGE, path: "a b/.env", code: "??" }] }),
    "printf '%s\\n' '' '/a b/.env' >> /w/api/.gitignore",
  ],
  [
    "with one that was added",
    seen({ changes: [{ ...CHANGE, path: ".env", code: "A." }] }),
    "git -C /w/api rm --cached -- .env",
  ],
  [
    "with what is left of a submodule",
    seen({ changes: [{ ...CHANGE, path: "a b/", code: "??" }] }, {
      ...{ nested: ["a b"], former: ["a b"] },
    }),
    "git -C '/w/api/a b' stash push --include-untracked\n" +
    "git -C /w/api clean -ffd -- ':(literal)a b'",
  ],
  [
    "ahead where git pushes elsewhere",
    seen({ branch: "wip", ahead: 1 }, { unpushed: 1, pushesTo: "fork" }),
    "git -C /w/api push fork wip",
    "git -C /w/api config branch.wip.pushRemote origin",
  ],
  [
    "the same, with changes",
    seen({ branch: "wip", changes: [CHANGE] }, { pushesTo: "fork" }),
    "amof commit --repo api\ngit -C /w/api push fork wip",
    "git -C /w/api config branch.wip.pushRemote origin",
  ],
  ["the same on its base branch", seen({ changes: [CHANGE] }, { pushesTo: "fork" })],
  [
    "the same, merged",
    seen({ branch: "wip", ahead: 1 }, { unpushed: 1, merged: "squashed", pushesTo: "fork" }),
  ],
  [
    "read-only and ahead on another branch",
    seen({ branch: "wip", ahead: 1 }, { unpushed: 1 }, { readonly: true }),
    "git -C /w/api switch main",
  ],
  [
    "with a clone inside that is no submodule",
    seen({ changes: [{ ...CHANGE, path: "vendor/", code: "??" }] }, { nested: ["vendor/a b"] }),
    "printf '%s\\n' '' '/vendor/a b/' >> /w/api/.gitignore",
  ],
  [
    "with one that was added",
    seen({ changes: [{ ...CHANGE, path: "web", code: "A." }] }, { nested: ["web"] }),
    "git -C /w/api rm --cached -- web",
  ],
  ["with one where nothing is committed", seen({}, { nested: ["web"] }, { readonly: true })],
  ["with a tracked one that is changed", seen({ changes: [{ ...CHANGE, path: ".env" }] })],
  [
    "without its base branch at the remote",
    seen({ ahead: null }, { baseGone: true }),
    "amof sync --repo api",
  ],
  [
    "with another default branch there instead of it",
    seen({ ahead: null }, { baseGone: true, baseNow: "trunk" }),
    "amof repo rename api --branch trunk",
  ],
  [
    "apart from another address than the manifest's",
    seen({ ahead: 1, behind: 2 }, { address: "https://host/other.git", baseGone: true }),
    "git -C /w/api remote set-url origin https://host/api.git\namof sync --repo api",
  ],
  [
    "changed behind what is merged at another address",
    seen({ branch: "wip", changes: [CHANGE] }, {
      address: "https://host/other.git",
      landed: CLEAN.head,
    }),
    "git -C /w/api remote set-url origin https://host/api.git\namof sync --repo api",
  ],
  ["ahead", seen({ ahead: 2 }, { unpushed: 2 })],
  [
    "on a branch that was deleted at its remote",
    seen({ branch: "wip", upstream: "origin/wip", ahead: null }, { unpushed: 2 }),
    "amof push --repo api --allow-base --allow-merged",
  ],
  [
    "on one, with changes",
    seen({ branch: "wip", upstream: "origin/wip", ahead: null, changes: [CHANGE] }, {
      unpushed: 2,
    }),
    "amof push --repo api --commit --allow-base --allow-merged",
  ],
  [
    "on one whose work is merged",
    seen({ branch: "wip", upstream: "origin/wip", ahead: null }, {
      unpushed: 2,
      merged: "squashed",
    }),
  ],
  [
    "on one whose commits other branches there have",
    seen({ branch: "wip", upstream: "origin/wip", ahead: null }),
  ],
  ["on one that was never pushed", seen({ branch: "wip", ahead: null }, { unpushed: 2 })],
  ["merged in another form", seen({ branch: "wip" }, { landed: CLEAN.head })],
  [
    "changed behind what is merged and still at its remote",
    seen({ branch: "wip", changes: [CHANGE] }, { landed: CLEAN.head }),
    "amof ticket start TICKET-ID --carry --repo api",
  ],
  [
    "changed behind what is merged",
    seen({ branch: "wip", changes: [CHANGE] }, { landed: CLEAN.head, unpushed: 1 }),
    `git -C /w/api rebase --autostash --onto origin/main ${CLEAN.head}`,
  ],
  [
    "in conflict in a merge",
    seen({ changes: [{ ...CHANGE, conflicted: true }], ahead: 1, behind: 1 }, {
      inProgress: "merge",
    }),
    "git -C /w/api merge --continue",
    "git -C /w/api merge --abort",
  ],
  [
    "in conflict after a stash came back",
    seen({ changes: [{ ...CHANGE, conflicted: true }] }),
    "git -C /w/api diff --name-only --diff-filter=U",
  ],
  [
    "in conflict after one came back that is still there",
    seen({ changes: [{ ...CHANGE, conflicted: true }] }, { ofStash: true }),
    "git -C /w/api diff --name-only --diff-filter=U",
    "git -C /w/api reset --merge",
  ],
  [
    "in a rebase that is resolved",
    seen({ branch: null }, { inProgress: "rebase" }),
    "git -C /w/api rebase --continue",
    "git -C /w/api rebase --abort",
  ],
  [
    "in a rebase of the branch that has the commits",
    seen({ branch: null }, {
      inProgress: "rebase",
      unpushed: 1,
      elsewhere: [{ branch: "feature/x", commits: 1 }],
    }),
    "git -C /w/api rebase --continue",
    "git -C /w/api rebase --abort",
  ],
  [
    "in an update of its ticket",
    seen({ branch: null }, { inProgress: "rebase", updating: { ticket: "T-1", own: false } }),
    "amof ticket update --continue --repo api",
    "amof ticket update --abort --repo api",
  ],
  [
    "in a git am whose patch did not apply",
    seen({ changes: [{ ...CHANGE, code: "??" }] }, { inProgress: "git am" }),
    "git -C /w/api am --show-current-patch=diff",
    "git -C /w/api am --abort",
    "git -C /w/api am --skip",
  ],
  [
    "in a git am whose patch is staged",
    seen({ changes: [{ ...CHANGE, code: "M." }] }, { inProgress: "git am" }),
    "git -C /w/api am --continue",
    "git -C /w/api am --abort",
  ],
  [
    "in a rebase that was stopped to edit a commit, which goes past no edit that is not staged",
    seen({ branch: null, changes: [CHANGE] }, { inProgress: "rebase" }),
    "git -C /w/api add --update\ngit -C /w/api rebase --continue",
    "git -C /w/api rebase --abort",
  ],
  [
    "in a rebase with what was edited staged",
    seen({ branch: null, changes: [{ ...CHANGE, code: "M." }] }, { inProgress: "rebase" }),
    "git -C /w/api rebase --continue",
    "git -C /w/api rebase --abort",
  ],
  ["in a bisect", seen({ branch: null }, { inProgress: "bisect" }), "git -C /w/api bisect reset"],
  [
    "detached",
    seen({ branch: null, upstream: null, ahead: null, behind: null }, { expectedBranch: "a b" }),
    "git -C /w/api switch 'a b'",
  ],
  [
    "detached with commits",
    seen({ branch: null, upstream: null, ahead: null, behind: null }, { unpushed: 1, loose: 1 }),
    "git -C /w/api switch --create kept-0123456",
  ],
  [
    "detached at commits that a local branch has",
    seen({ branch: null, upstream: null, ahead: null, behind: null }, { unpushed: 1 }),
    "git -C /w/api switch main",
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
  [
    "diverged",
    seen({ ahead: 1, behind: 2 }, { unpushed: 1 }),
    "git -C /w/api pull --rebase=merges --autostash origin main",
  ],
  [
    "behind the remote that its fork is of",
    seen({ behind: 2, upstream: "upstream/main" }, { remoteBase: "upstream/main" }),
    "amof sync --repo api",
  ],
  [
    "behind a branch of another remote that a sync does not go by",
    seen({ behind: 2, upstream: "upstream/main" }),
    "git -C /w/api pull --ff-only --autostash",
  ],
  [
    "diverged from the remote that its fork is of",
    seen({ ahead: 1, behind: 2, upstream: "upstream/main" }, { remoteBase: "upstream/main" }),
    "git -C /w/api pull --rebase=merges --autostash upstream main",
  ],
  [
    "diverged from the remote without following it",
    seen({ ahead: 1, behind: 2, upstream: null }),
    "git -C /w/api pull --rebase=merges --autostash origin main",
  ],
  [
    "behind the remote without following it",
    seen({ behind: 2, upstream: null }),
    "amof sync --repo api",
  ],
  [
    "behind the base of a ticket without following it",
    seen({ behind: 2, branch: "release/2", upstream: null }),
    "git -C /w/api pull --ff-only --autostash origin release/2",
  ],
  [
    "beyond what is merged in the repository that it is a fork of",
    seen({ branch: "spike", upstream: null, ahead: null, behind: null, changes: [CHANGE] }, {
      ...{ expectedBranch: "spike", remoteBase: "upstream/main", landed: "a".repeat(40) },
    }),
    `git -C /w/api rebase --autostash --onto upstream/main ${"a".repeat(40)}`,
  ],
  [
    "without a commit in common with its upstream",
    seen({ ahead: 1, behind: 2 }, { unpushed: 1, parting: "anew" }),
    "git -C /w/api branch --move main kept-0123456\ngit -C /w/api switch --create main origin/main",
  ],
  [
    "with commits that are in its upstream in another form",
    seen({ ahead: 1, behind: 2 }, { unpushed: 1, parting: "landed" }),
    `git -C /w/api rebase --onto origin/main ${CLEAN.head}`,
  ],
  [
    "the same and dirty",
    seen({ ahead: 1, behind: 2, changes: [CHANGE] }, { unpushed: 1, parting: "landed" }),
    `git -C /w/api rebase --autostash --onto origin/main ${CLEAN.head}`,
  ],
  [
    "diverged and dirty",
    seen({ ahead: 1, behind: 2, changes: [CHANGE] }, { unpushed: 1 }),
    "git -C /w/api pull --rebase=merges --autostash origin main",
  ],
  ["behind on its base branch", seen({ behind: 2 }), "amof sync --repo api"],
  [
    "behind and dirty on its base branch",
    seen({ behind: 2, changes: [CHANGE] }),
    "git -C /w/api pull --ff-only --autostash origin main",
  ],
  [
    "behind, with new files that come in, too",
    seen({ behind: 2, changes: [{ ...CHANGE, code: "??" }] }, { barred: ["x", "a *"] }),
    "git -C /w/api stash push --include-untracked -- x ':(literal)a *'\n" +
    "git -C /w/api pull --ff-only --autostash origin main",
  ],
  [
    "behind without a commit, with what comes in, too",
    seen({ head: null, behind: 2, changes: [{ ...CHANGE, code: "??" }] }, { barred: ["x"] }),
    "git -C /w/api switch --create kept-main\ngit -C /w/api add -- x\n" +
    'git -C /w/api commit --message "Keep what was here" -- x\n' +
    "git -C /w/api switch --create main --track origin/main",
  ],
  [
    "rewritten here in a ticket, with a new file that its remote has",
    seen({
      ...{ branch: "feature/T-1", upstream: "origin/feature/T-1", ahead: 2, behind: 1 },
      changes: [{ ...CHANGE, code: "??" }],
    }, { barred: ["x"], parting: { was: WAS, isBase: false } }),
    `git -C /w/api push --force-with-lease=feature/T-1:${WAS} origin feature/T-1`,
  ],
  [
    "behind on another branch",
    seen({ behind: 2, branch: "feature/x" }),
    "git -C /w/api pull --ff-only --autostash origin main",
  ],
  [
    "read-only and dirty",
    seen({ changes: [CHANGE] }, {}, { readonly: true }),
    "git -C /w/api stash push --include-untracked",
  ],
  [
    "with commits of submodules that are only here",
    seen({ branch: "feature/x" }, { unsent: ["lib", "my docs"] }),
    "git -C /w/api/lib push origin HEAD:refs/heads/feature/x",
    "git -C '/w/api/my docs' push origin HEAD:refs/heads/feature/x",
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
    "with files changed in a submodule",
    seen({ submodules: [{ ...LATE, moved: false, outOfStep: false, modified: true }] }),
    "git -C /w/api/lib commit --all",
  ],
  [
    "with files built in a submodule",
    seen({ submodules: [{ ...LATE, moved: false, outOfStep: false }] }),
  ],
  [
    "at another address",
    seen({}, { address: "https://old/api.git" }),
    "git -C /w/api remote set-url origin https://host/api.git\namof sync --repo api",
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

const STATE = {
  tickets: { "T 1": { repos: { api: "feature/T-1" } } },
  ended_tickets: {
    "OLD-1": { ended_at: "2026-01-01T00:00:00Z", repos: { api: "feature/OLD-1", web: "spike" } },
  },
} as unknown as WorkspaceState;

const REFSPEC = "+refs/heads/spike*:refs/remotes/origin/spike*";

/** Branches that are not checked out, and what is said to do for them. */
const ELSEWHERE: readonly (readonly [
  branches: string,
  fixes: readonly string[],
  git?: Partial<Git>,
  rest?: Partial<Seen> & { readonly leaving?: "stuck" },
  repo?: object,
])[] = [
  ["feature/T-1", ["amof ticket switch 'T 1'"]],
  ["feature/OLD-1", ["amof ticket start OLD-1 --repo api"]],
  ["spike", ["git -C /w/api push --set-upstream origin spike"]],
  ["main", ["git -C /w/api merge main"], { branch: "feature/x" }],
  ["main", ["git -C /w/api switch main"], { branch: null }],
  ["spike", ["git -C /w/api log --oneline spike --not --remotes"], {}, {}, { readonly: true }],
  ["spike lacking", [
    `git -C /w/api config --add remote.origin.fetch '${REFSPEC}'`,
    "git -C /w/api push --set-upstream origin spike",
  ]],
  ["spike lacking", ["git -C /w/api push --set-upstream origin spike"], {}, { address: "" }],
  ["feature/T-1 feature/OLD-1 spike", [
    "git -C /w/api push --set-upstream origin spike",
    "amof ticket switch 'T 1'",
  ]],
  ["feature/T-1 spike", ["git -C /w/api push --set-upstream origin spike"], {}, {
    leaving: "stuck",
  }],
  ["a b c", ["a", "b", "c"].map((name) => `git -C /w/api push --set-upstream origin ${name}`)],
  ["a b c d", [
    ...["a", "b", "c"].map((name) => `git -C /w/api push --set-upstream origin ${name}`),
    "amof branches --repo api",
  ]],
];

for (const [branches, fixes, git = {}, { leaving, ...rest } = {}, repo = {}] of ELSEWHERE) {
  const isLacking = branches.endsWith(" lacking");
  const names = branches.replace(" lacking", "").split(" ");
  const what = `commits on ${branches}, not checked out${
    JSON.stringify({ ...git, ...rest, ...repo })
  }`;
  Deno.test(`${what}, are told with ${fixes.join(" and ")}`, () => {
    const elsewhere = names.map((branch) => ({
      branch,
      commits: 2,
      ...(isLacking ? { lacks: REFSPEC } : {}),
    }));
    const given = seen(git, { elsewhere, ...rest }, repo);
    const need = needsOf(given, { state: STATE, ...(leaving && { leaving }) }).at(-1);
    assertEquals(need?.fix.split("\n"), fixes);
    const said = names.map((name) => `${name} (↑2)`);
    const last = said.pop();
    assertEquals(
      need?.problem,
      `not pushed, and not checked out: ${[said.join(", "), last].filter(Boolean).join(" and ")}`,
    );
  });
}

const AWAY_BY_GIT =
  "git -C /w/api stash push --include-untracked\ngit -C /w/api switch feature/T-1";

/** Where changes are in the way, and what keeps them so that they come back. */
const KEPT: Readonly<Record<string, readonly [given: Seen, fix: string, leaving?: "stuck"]>> = {
  "the branch of another ticket": [
    seen({ branch: "feature/T-2", changes: [CHANGE] }, { expectedBranch: "feature/T-1" }),
    "amof ticket switch T-2 --stash\namof ticket switch 'T 1' --stash",
  ],
  "the base branch": [
    seen({ branch: "main", changes: [CHANGE] }, { expectedBranch: "feature/T-1" }),
    "amof ticket switch main --stash\namof ticket switch 'T 1' --stash",
  ],
  "a branch of no ticket": [
    seen({ branch: "spike", changes: [CHANGE] }, { expectedBranch: "feature/T-1" }),
    AWAY_BY_GIT,
  ],
  "the base branch, while another repository cannot leave its own": [
    seen({ branch: "main", changes: [CHANGE] }, { expectedBranch: "feature/T-1" }),
    AWAY_BY_GIT,
    "stuck",
  ],
  "the base branch, where the ticket's is only at the remote": [
    seen({ branch: "main", changes: [CHANGE] }, {
      expectedBranch: "feature/T-1",
      expectedFrom: { ref: "origin/feature/T-1", tracks: true },
    }),
    `${
      AWAY_BY_GIT.split("\n")[0]
    }\ngit -C /w/api switch --create feature/T-1 --track origin/feature/T-1`,
  ],
  "the base branch, where they are only read": [
    seen({ branch: "spike", changes: [CHANGE] }, {}, { readonly: true }),
    "git -C /w/api stash push --include-untracked\ngit -C /w/api switch main",
  ],
};

for (const [where, [given, fix, leaving]] of Object.entries(KEPT)) {
  Deno.test(`changes on ${where} are put away so that they come back, or it is said how`, () => {
    const tickets = { ...STATE.tickets, "T-2": { repos: { api: "feature/T-2" } } };
    const state = { ...STATE, active_ticket: "T 1", tickets } as unknown as WorkspaceState;
    const about = { isAstray: true, state, ...(leaving && { leaving }) };
    const [need] = needsOf(given, about);
    assertEquals(need?.fix, fix);
    assertEquals(need?.problem.includes("git stash pop"), !fix.startsWith("amof"));
  });
}

Deno.test("commits of a submodule begin a ticket where they are, also where others get workspaces", () => {
  for (const [perTicket, place] of [[false, ""], [true, " --in-place"]] as const) {
    const [need] = needsOf(seen({}, { unsent: ["lib"] }), { perTicket });
    assertEquals(need?.fix, `amof ticket start TICKET-ID --carry --repo api${place}`);
  }
});

Deno.test("a ticket is offered to switch to as the repositories can leave their branches", () => {
  const look = "amof branches --repo api";
  const cases: readonly [what: Seen, leaving: ReturnType<typeof leavingOf>, ...fixes: string[]][] =
    [
      [seen({}), "free", "amof ticket switch 'T 1'"],
      [seen({ changes: [CHANGE] }), "dirty", "amof ticket switch 'T 1' --stash"],
      [seen({ changes: [CHANGE] }, {}, { readonly: true }), "free", "amof ticket switch 'T 1'"],
      // Nobody goes anywhere before that is over; what is only here is told all the same.
      [seen({ changes: [{ ...CHANGE, conflicted: true }] }), "stuck", look],
      [seen({}, { inProgress: "merge" }), "stuck", look],
      [seen({ branch: null }), "stuck", look],
      [seen(null), "stuck", look],
      [seen(null, {}, { readonly: true }), "free", "amof ticket switch 'T 1'"],
    ];
  const waiting = seen({}, { elsewhere: [{ branch: "feature/T-1", commits: 1 }] });
  for (const [other, leaving, ...fixes] of cases) {
    assertEquals(leavingOf([waiting, other]), leaving);
    assertEquals(needsOf(waiting, { state: STATE, leaving }).map(({ fix }) => fix), fixes);
  }
});

Deno.test("a head on no branch hides nothing that is on a branch alone", () => {
  const state = { ...STATE, active_ticket: "T 1" } as WorkspaceState;
  const given = seen({ branch: null }, {
    expectedBranch: "feature/T-1",
    elsewhere: [{ branch: "feature/T-1", commits: 1 }],
  });
  const go = "git -C /w/api switch feature/T-1";
  assertEquals(
    needsOf(given, { state, leaving: "stuck" }).map(({ problem, fix }) => [problem, fix]),
    [
      ["no branch is checked out", go],
      ["not pushed, and not checked out: feature/T-1 (↑1)", go],
    ],
  );
});

Deno.test("commits of an ended ticket whose branch is gone at its remote can be given up, by its name", () => {
  const fixes = (gone: object) =>
    needsOf(seen({}, { elsewhere: [{ branch: "feature/OLD-1", commits: 1, ...gone }] }), {
      state: STATE,
    }).map(({ fix }) => fix);
  const start = "amof ticket start OLD-1 --repo api";
  assertEquals(fixes({}), [start]);
  assertEquals(fixes({ gone: true }), [start, "amof ticket end OLD-1 --cleanup --force"]);
});

Deno.test("commits of a base branch that is not checked out go where no other branch has them", () => {
  const merge = "git -C /w/api merge main";
  const cases: readonly (readonly [Seen, string])[] = [
    [seen({ branch: "wip" }, { elsewhere: [{ branch: "main", commits: 1 }] }), merge],
    [
      seen({ branch: "wip" }, { elsewhere: [{ branch: "main", commits: 1, shared: true }] }),
      "git -C /w/api branch --force main origin/main",
    ],
    [
      seen({ branch: "wip" }, {
        elsewhere: [{ branch: "main", commits: 1, shared: true }],
        remoteBase: "origin/develop",
      }),
      merge,
    ],
  ];
  for (const [given, fix] of cases) assertEquals(needsOf(given).at(-1)?.fix, fix);
});

const IDEA = { branch: "my-idea", stash: "stash@{1}", isThere: true };
const AWAY: readonly (readonly [where: string, seen: Seen, isThere: boolean, fix: string])[] = [
  [
    "another branch",
    seen({}),
    true,
    "git -C /w/api switch my-idea\ngit -C /w/api stash pop stash@{1}",
  ],
  ["their branch", seen({ branch: "my-idea" }), true, "git -C /w/api stash pop stash@{1}"],
  [
    "another branch, and theirs is gone",
    seen({}),
    false,
    "git -C /w/api stash branch my-idea stash@{1}",
  ],
  [
    "another branch, with other changes",
    seen({ changes: [CHANGE] }),
    true,
    "git -C /w/api stash show --include-untracked stash@{1}",
  ],
];

for (const [where, given, isThere, fix] of AWAY) {
  Deno.test(`changes of a branch of no ticket go back to it from ${where}`, () => {
    assertEquals(needsOf(given, { astray: [{ ...IDEA, isThere }] }), [
      { problem: "changes of my-idea are put away", fix },
    ]);
  });
}

Deno.test("a branch that has another name now gets its own back, with what is changed there", () => {
  const expectedFrom = { ref: "origin/main", tracks: false, renamed: "feature/T-1-better" };
  const about = { expectedBranch: "feature/T-1", expectedFrom, goesAlong: true };
  const rename = "git -C /w/api branch -m feature/T-1-better feature/T-1";
  for (
    const [branch, fix] of [
      ["feature/T-1-better", rename],
      ["main", `${rename}\ngit -C /w/api switch feature/T-1`],
    ] as const
  ) {
    const needs = needsOf(seen({ branch, changes: [CHANGE] }, about), { isAstray: true });
    assertEquals(needs.map((need) => need.fix), [fix]);
    assertEquals(/called feature\/T-1-better now/.test(needs[0]?.problem ?? ""), branch === "main");
  }
});

Deno.test("a branch that somebody deleted is made again where commits are only there, else its ticket ends", () => {
  const state = { ...STATE, active_ticket: "T 1" } as WorkspaceState;
  const end = "amof ticket end 'T 1' --repo api";
  const make = `git -C /w/api switch --create feature/T-1 --no-track ${WAS}`;
  for (
    const [deleted, ref, ...fixes] of [
      [undefined, WAS, make],
      [0, "origin/main", end],
      [2, WAS, make, end],
    ] as const
  ) {
    const expectedFrom = { ref, tracks: false, ...(deleted === undefined ? {} : { deleted }) };
    const given = seen({}, { expectedBranch: "feature/T-1", expectedFrom });
    assertEquals(needsOf(given, { isAstray: true, state }).map((need) => need.fix), fixes);
  }
});

Deno.test("each line of the way to a branch says what it does", () => {
  for (
    const [fix, ...words] of [
      ["git -C /w/api switch feature/T-1", "Go"],
      ["git -C /w/api branch -m other feature/T-1", "give its branch the name back"],
      [
        "git -C /w/api branch -m other feature/T-1\ngit -C /w/api switch feature/T-1",
        "give its branch the name back",
        "Go",
      ],
      ["amof ticket switch A --stash\namof ticket switch B --stash", "put its changes away", "Go"],
      [
        "amof sync --repo api\ngit -C /w/api remote set-branches --add origin 'x*'\ngit -C /w/api switch --create x --track origin/x",
        "get the branches of its remote",
        "let git fetch that branch",
        "Go",
      ],
      ["git -C /w/api worktree prune", "forget the worktree that is gone"],
      ["git -C /w/api switch --create kept-0123456", "keep what is on no branch"],
    ] as const
  ) {
    const lines = checkoutHint({ problem: "", fix }, "Go").split("\n");
    assertEquals(lines, fix.split("\n").map((line, at) => `${words[at]}: ${line}`));
  }
});

Deno.test("what its branch has is reached by the same way where that is the active ticket's", () => {
  const state = { ...STATE, active_ticket: "T 1" } as WorkspaceState;
  const elsewhere = [{ branch: "feature/T-1", commits: 2 }];
  for (const goesAlong of [true, false]) {
    const given = seen({ branch: "spike", changes: [CHANGE] }, {
      expectedBranch: "feature/T-1",
      elsewhere,
      goesAlong,
    });
    const needs = needsOf(given, { isAstray: true, state, leaving: "dirty" });
    assertEquals(needs.length, 2);
    assertEquals(needs[1]?.fix, needs[0]?.fix);
  }
});

Deno.test("a repository on another branch than its own needs to go there", () => {
  const given = seen({ branch: "spike" }, { expectedBranch: "feature/T-1" });
  assertEquals(needsOf(given), []);
  assertEquals(needsOf(given, { isAstray: true }), [{
    problem: "on spike instead of feature/T-1",
    fix: "git -C /w/api switch feature/T-1",
  }]);
  const changed = (change: typeof CHANGE, rest: Partial<Seen> = {}) =>
    needsOf(
      seen({ branch: "spike", changes: [change] }, {
        expectedBranch: "feature/T-1",
        ...rest,
      }),
      { isAstray: true },
    ).map(({ fix }) => fix);
  assertEquals(changed(CHANGE), [
    "git -C /w/api stash push --include-untracked\ngit -C /w/api switch feature/T-1",
  ]);
  assertEquals(changed(CHANGE, { goesAlong: false })[0]?.includes("stash push"), true);
  assertEquals(changed(CHANGE, { goesAlong: true }), ["git -C /w/api switch feature/T-1"]);
  assertEquals(changed(CHANGE, { expectedFrom: { ref: "", tracks: false } }), [
    "amof sync --repo api",
  ]);
  // Nothing goes anywhere before the conflicts are resolved.
  const conflicts = "git -C /w/api diff --name-only --diff-filter=U";
  assertEquals(changed({ ...CHANGE, conflicted: true }), [conflicts, conflicts]);
  const make = "git -C /w/api switch --create feature/T-1";
  for (
    const [ref, tracks, fix] of [
      ["origin/main", false, `${make} --no-track origin/main`],
      ["origin/feature/T-1", true, `${make} --track origin/feature/T-1`],
      [
        "origin/feature/T-1",
        false,
        `git -C /w/api remote set-branches --add origin 'feature/T-1*'\n${make} --track origin/feature/T-1`,
      ],
      ["", false, "amof sync --repo api"],
    ] as const
  ) {
    const [need] = needsOf({ ...given, expectedFrom: { ref, tracks } }, { isAstray: true });
    assertEquals(need?.fix, fix);
  }
});

Deno.test("a base branch that was never fetched, or that has no commit, is gone to all the same", () => {
  const fixOf = (git: Partial<Git>, tracks: boolean, rest: Partial<Seen> = {}) =>
    needsOf(seen({ branch: "spike", ...git }, { expectedFrom: { ref: "", tracks }, ...rest }), {
      isAstray: true,
    }).map(({ fix }) => fix).join();
  const [at, make] = ["git -C /w/api", "git -C /w/api switch --create main"];
  const wide = `amof sync --repo api\n${at} remote set-branches --add origin 'main*'\n${make}`;
  const changes = [CHANGE];
  for (
    const [found, fix] of [
      [fixOf({}, true), "amof sync --repo api"],
      [fixOf({ changes }, true), "amof sync --repo api"],
      [fixOf({}, false), `${wide} --track origin/main`],
      [
        fixOf({ changes }, false),
        `${at} stash push --include-untracked\n${wide} --track origin/main`,
      ],
      [fixOf({ head: null, changes }, false), make],
      [
        fixOf({ head: null, changes }, true, {
          ...{ barred: ["x"], expectedFrom: { ref: "origin/main", tracks: true } },
        }),
        `${at} add -- x\n${at} commit --message "Keep what was here" -- x\n${make} --track origin/main`,
      ],
    ] as const
  ) assertEquals(found, fix);
});

Deno.test("a branch that another working copy has gets free there first", () => {
  const occupied = {
    branch: "main",
    path: "/elsewhere",
    own: false,
    doing: "checkout",
    gone: false,
  };
  const fix = "git -C /elsewhere switch --detach";
  assertEquals(
    needsOf(seen({ branch: "spike" }, { occupied } as Partial<Seen>), { isAstray: true }),
    [
      { problem: "on spike instead of main; main is checked out at /elsewhere", fix },
    ],
  );
  assertEquals(needsOf(seen({ branch: null }, { occupied } as Partial<Seen>)), [
    { problem: "no branch is checked out; main is checked out at /elsewhere", fix },
  ]);
});

Deno.test("what several repositories need alike is one line, and one command", () => {
  const left = (name: string, commits: number) => ({
    name,
    label: name,
    needs: [{ problem: `not pushed: feature/B-2 (↑${commits})`, fix: "amof ticket switch B-2" }],
  });
  assertEquals(needLines([left("api", 1), left("web", 2), left("docs", 1)], { most: 5 }), [
    "⚠ api, web and docs: not pushed: feature/B-2 (↑1–2)\n    fix: amof ticket switch B-2",
  ]);
});

Deno.test("what a program of each clone mends is one command for many, and only in the clones themselves", () => {
  const pull = "pull --ff-only origin main";
  const away = (name: string, place: string, rest: object = {}) => ({
    name,
    label: name,
    behind: 1,
    needs: [{ problem: "1 commit behind", fix: `git -C ${place} ${pull}` }],
    ...rest,
  });
  const clones = (count: number, ticket?: string) =>
    Array.from({ length: count }, (_, at) => away(`r${at}`, `/w/r${at}`, { ticket }));
  const table: readonly (readonly [rows: Parameters<typeof needLines>[0], fix: string])[] = [
    [clones(3), `git -C /w/r0 ${pull}`],
    [clones(5), `amof exec --repo r0,r1,r2,r3,r4 -- git ${pull}`],
    [clones(13), `amof exec --only behind -- git ${pull}`],
    // One more is behind that needs something else.
    [[...clones(13), away("x", "/w/x/sub")], `amof exec --repo '!x' -- git ${pull}`],
    [clones(4, "T-1"), `amof exec --repo r0,r1,r2,r3 --ticket T-1 -- git ${pull}`],
    // Inside of the clones, beside them, and in workspaces that differ it would be another place.
    [["a", "b", "c", "d"].map((name) => away(name, `/w/${name}/sub`)), `git -C /w/a/sub ${pull}`],
    [["a", "b", "c", "d"].map((name) => away(name, `/w/${name}/${name}`)), `git -C /w/a/a ${pull}`],
    [["a", "b", "c", "d"].map((name) => away(name, `/w/x${name}`)), `git -C /w/xa ${pull}`],
    [
      ["a", "b", "c", "d"].map((name) => away(name, `'/my w/${name}'`)),
      "amof exec --repo a,b,c,d -- git " + pull,
    ],
  ];
  for (const [rows, fix] of table) {
    const [line = ""] = needLines(rows, { most: 20, isWhole: true });
    assertEquals(line.split("fix: ")[1], fix);
  }
});

Deno.test("many repositories of which an update goes on are not named, where it is all that waits", () => {
  const kept = (name: string, step = "continue") => ({
    name,
    label: name,
    dirty: false,
    needs: [{ problem: "put away", fix: `amof ticket update --${step} --repo ${name}` }],
  });
  const fine = (name: string) => ({ name, label: name, dirty: false, needs: [] });
  const secret = (name: string) => ({
    ...fine(name),
    dirty: true,
    needs: [{ problem: "read-only", fix: `amof push --repo ${name} --commit` }],
  });
  const all = <T>(make: (name: string) => T, count = 13) =>
    Array.from({ length: count }, (_, at) => make(`r${at}`));
  const others = Array.from({ length: 20 }, (_, at) => fine(`x${at}`));
  const names = all(fine).map(({ name }) => name).join(",");
  const table: readonly (readonly [rows: Parameters<typeof needLines>[0], fix: string])[] = [
    [[...all(kept), ...others], "amof ticket update --continue"],
    [[...all(kept, 3), ...others], "amof ticket update --continue --repo r0,r1,r2"],
    // One is still in the middle, which would go on, too.
    [
      [...all(kept), kept("x", "abort"), ...others],
      `amof ticket update --continue --repo ${names}`,
    ],
    [[...all(secret), ...others], "amof push --only dirty --commit"],
    [
      [...all(secret), { ...fine("x"), dirty: true }, ...others],
      `amof push --repo ${names} --commit`,
    ],
  ];
  for (const [rows, fix] of table) {
    const [line = ""] = needLines(rows, { most: 20, isWhole: true });
    assertEquals(line.split("fix: ")[1], fix);
  }
});

Deno.test("a command that names one repository is said once for all that need it, and a list of names stays one", () => {
  const gone = (name: string) => ({
    name,
    label: name,
    needs: [{ problem: "gone", fix: `amof push --repo ${name} --allow-merged` }, {
      problem: "left",
      fix: "amof ticket start T-1 --repo api,web",
    }],
  });
  assertEquals(needLines([gone("api"), gone("web")], { most: 5 }), [
    "⚠ api and web: gone\n    fix: amof push --repo api,web --allow-merged",
    "⚠ api and web: left\n    fix: amof ticket start T-1 --repo api,web",
  ]);
});

Deno.test("what one command mends is said once, and of very many only the first", () => {
  const late = (name: string, ticket: string | null = null) => ({
    name,
    label: ticket === null ? name : `${ticket}/${name}`,
    needs: needsOf(seen({ behind: 1 }, {}, { name }), {
      state: {
        workspace_branch: ticket === null ? "workspace/demo" : "",
        active_ticket: ticket,
        tickets: {},
        repos: [],
      } as unknown as WorkspaceState,
    }),
  });
  assertEquals(needLines([late("api")], { most: 5 }), [
    "⚠ api: 1 commit behind origin/main\n    fix: amof sync --repo api",
  ]);
  const many = Array.from({ length: 13 }, (_, at) => late(`r${at}`));
  // What is at the lock would come along unasked.
  const pinned = { name: "web", label: "web", needs: [], behind: 1, pinned: true };
  assertEquals(
    needLines([...many, pinned], { most: 5, isWhole: true })[0]?.split("\n")[1],
    "    fix: amof sync --repo '!web'",
  );
  assertEquals(needLines(many, { most: 5, isWhole: true }), [
    "⚠ r0, r1, r2 and 10 more: 1 commit behind origin/main\n    fix: amof sync",
  ]);
  assertEquals(needLines(many, { most: 5 }).join().includes("amof sync --repo r0,r1"), true);
  assertEquals(needLines([late("api"), late("web")], { most: 5 }), [
    "⚠ api and web: 1 commit behind origin/main\n    fix: amof sync --repo api,web",
  ]);
  // In the workspace of a ticket of its own only a command that names it mends anything.
  assertEquals(
    needLines([late("api"), late("web"), late("api", "T-1"), late("web", "T-2")], { most: 5 }),
    [
      "⚠ api and web: 1 commit behind origin/main\n    fix: amof sync --repo api,web",
      "⚠ T-1/api: 1 commit behind origin/main\n    fix: amof sync --repo api --ticket T-1",
      "⚠ T-2/web: 1 commit behind origin/main\n    fix: amof sync --repo web --ticket T-2",
    ],
  );
  const detached = ["x", "y", "z"].map((name) => ({
    name,
    label: name,
    needs: needsOf(seen({ branch: null }, { directory: `/w/${name}` })),
  }));
  assertEquals(needLines(detached, { most: 1 }).slice(1), [
    "⚠ 2 more repositories need something: amof status --all",
  ]);
});
