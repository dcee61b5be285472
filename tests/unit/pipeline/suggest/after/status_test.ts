/**
 * What is suggested after a status (NEXT-5, row 6).
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { Fields } from "../../../../../src/base/object.ts";
import { suggest } from "../../../../../src/pipeline/suggest/mod.ts";
import { first, repo, situation, status, testCases } from "../_support.ts";
import { AFTER_STATUS } from "../cases/after_status.ts";

testCases(AFTER_STATUS);

Deno.test("suggest() tells a push of dirty repositories to commit", () => {
  const action = first(status({}, repo({ status: "DIRTY", dirty: true })));
  assertEquals(action.label, "Commit & push");
  assertEquals(action.args, { ecosystem: "demo", commit: true });
  assertEquals(action.condition, "status.has_dirty");
});

/** On its base branch. */
const ON_BASE = { branch: "main", base_branch: "main" };
/** With commits to push. */
const AHEAD = { status: "UNPUSHED", unpushed: true, ahead: 1 };
/** With changes. */
const DIRTY = { status: "DIRTY", dirty: true };

/** The arguments of the push that is offered, or null; by what the repositories are. */
const PUSHES: readonly (readonly [string, readonly Fields[], Fields | null])[] = [
  ["commits on a base branch", [{ ...AHEAD, ...ON_BASE }], { repos: ["r0"], allow_base: true }],
  [
    "changes on a base branch",
    [{ ...DIRTY, ...ON_BASE }, { ...DIRTY, ...ON_BASE }],
    { repos: ["r0", "r1"], commit: true, allow_base: true },
  ],
  ["feature branches first", [{ ...AHEAD, ...ON_BASE }, AHEAD], { repos: ["r1"] }],
  ["whichever names are fewer", [{ status: "MERGED" }, AHEAD, AHEAD], { repos: ["!r0"] }],
  ["changes with the commits beside them", [DIRTY, AHEAD], { commit: true }],
  [
    "changes with the commits beside them on base branches",
    [{ ...DIRTY, ...ON_BASE }, { ...AHEAD, ...ON_BASE }],
    { repos: ["r0", "r1"], commit: true, allow_base: true },
  ],
  ["commits with the changes beside them", [{ ...DIRTY, ...AHEAD }], { commit: true }],
  ["changes, and the branch that is merged left out", [DIRTY, { status: "MERGED" }], {
    commit: true,
    repos: ["r0"],
  }],
  ["changes on a merged branch", [{ status: "DIRTY+MERGED", dirty: true }], { commit: true }],
  [
    "no changes behind what is merged in another form",
    [{ status: "DIRTY+MERGED", dirty: true, landed: "a1" }, AHEAD],
    { repos: ["r1"] },
  ],
  ["no commits behind it", [{ ...AHEAD, landed: "a1" }], null],
  ["nothing without a remote", [{ ...AHEAD, status: "NO_REMOTE+UNPUSHED" }], null],
  ["no changes of a read-only repository", [{ ...DIRTY, mode: "RO" }], null],
  ["no changes on a branch that is behind", [{ status: "DIRTY+BEHIND", dirty: true }], null],
  [
    "nothing where somebody has to look first",
    [{ ...DIRTY, untrusted: [".git/hooks/pre-push"] }],
    null,
  ],
  [
    "nothing with a clone inside that is no submodule",
    [{ ...DIRTY, nested_repositories: ["vendor/web"] }],
    null,
  ],
  ["nothing that waits for a submodule", [{ ...AHEAD, unsent_submodules: ["lib"] }], null],
  [
    "nothing where the remote has more of the same branch",
    [{ ...AHEAD, branch: "feature/T-1", upstream: "origin/feature/T-1", remote: "changed" }, AHEAD],
    { repos: ["r1"] },
  ],
  [
    "a new branch whose base has news at the remote",
    [{ ...AHEAD, branch: "feature/T-1", upstream: "origin/main", remote: "changed" }],
    {},
  ],
  ["nothing in conflict", [{ ...DIRTY, ...ON_BASE, conflicts: 1 }], null],
  [
    "nothing of a release, which goes with its tag",
    [{ ...AHEAD, needs: [{ problem: "x", fix: "amof release train promote --repo r0" }] }, AHEAD],
    { repos: ["r1"] },
  ],
  [
    "nothing with commits that the remote was rewritten without",
    [{ ...AHEAD, needs: [{ problem: "x", fix: "git -C /r0 rebase --onto origin/main a1" }] }],
    null,
  ],
  [
    "nothing with such commits and changes",
    [{ ...DIRTY, needs: [{ problem: "x", fix: "git -C /r0 rebase --autostash --onto m a1" }] }],
    null,
  ],
];

for (const [what, repos, expected] of PUSHES) {
  Deno.test(`suggest() offers a push that is not refused: ${what}`, () => {
    const rows = repos.map((fields, index) => repo({ name: `r${index}`, ...fields }));
    const push = suggest(situation(status({}, ...rows)))
      .find(({ tool }) => tool === "amof_push_ecosystem");
    assertEquals(push?.args ?? null, expected === null ? null : { ecosystem: "demo", ...expected });
  });
}

const MERGED = { status: "MERGED", branch: "feature/x", base_branch: "main" };
/** On the ticket's branch, and pushed. */
const PUSHED = { branch: "feature/x", base_branch: "main", upstream: "origin/feature/x" };

/** What else the end of a ticket is told where it is offered beside a merged repository; null where it is not. */
const ENDS: readonly (readonly [string, readonly Fields[], Fields | null, Fields?])[] = [
  ["nothing else", [], {}],
  ["a branch without work of its own", [{ ...PUSHED, upstream: null }], {}],
  ["one that follows its base", [{ ...PUSHED, upstream: "origin/main" }], {}],
  ["one that follows its base at another remote", [{ ...PUSHED, upstream: "upstream/main" }], {}],
  ["one on its base branch", [{ ...PUSHED, branch: "main", upstream: "origin/main" }], {}],
  ["one that waits for its merge", [PUSHED], { only: ["merged"] }],
  ["one that is only read", [{ ...PUSHED, mode: "RO" }], {}],
  ["one on no branch", [{ status: "DETACHED" }], { only: ["merged"] }],
  ["changes", [{ ...DIRTY, ...PUSHED }], null],
  ["changes behind what is merged", [{ ...MERGED, dirty: true, landed: "a1" }], null],
  ["a merged one in a rebase", [{ ...MERGED, in_progress: "rebase" }], null],
  [
    "a merged one of which the remote has more",
    [{ ...MERGED, status: "MERGED+BEHIND", upstream: "origin/feature/x" }],
    null,
  ],
  [
    "a merged one that is behind its base",
    [{ ...MERGED, status: "MERGED+BEHIND", upstream: "origin/main" }],
    {},
  ],
  ["one that waits, in a workspace of its own", [PUSHED], null, { ticket: "PROJ-1" }],
];

for (const [what, others, expected, workspace = {}] of ENDS) {
  Deno.test(`suggest() offers the end of a ticket that is not refused: beside ${what}`, () => {
    const rows = [MERGED, ...others].map((fields, index) => repo({ name: `r${index}`, ...fields }));
    const end = suggest(situation(status(workspace, ...rows))).find(({ id }) =>
      id === "ticket_end"
    );
    assertEquals(
      end?.args ?? null,
      expected === null
        ? null
        : { ecosystem: "demo", ticket_id: "PROJ-1", cleanup: true, ...expected },
    );
  });
}

Deno.test("suggest() offers no end of a ticket for what is merged of another branch", () => {
  const astray = repo({ name: "web", ...MERGED, status: "WRONG_BRANCH+MERGED" });
  const offers = suggest(situation(status({}, repo({}), astray)));
  assertEquals(offers.some(({ id }) => id === "ticket_end"), false);
});

/** Where the end of the ticket whose own workspace is looked at is called from, by where the program stands. */
const INSIDE: readonly (readonly [string, string | null, string | undefined])[] = [
  ["from anywhere", null, undefined],
  ["from outside where the program stands in it", "PROJ-1", "/control"],
  ["from anywhere where it stands in that of another ticket", "PROJ-2", undefined],
];

for (const [where, ticket, from] of INSIDE) {
  Deno.test(`suggest() offers the end of a merged ticket in its own workspace: ${where}`, () => {
    const action = first({
      ...status({ active_ticket: null, ticket: "PROJ-1" }, repo(MERGED)),
      ticket: "PROJ-1",
      ...(ticket === null ? {} : { inside: { ticket, root: "/control" } }),
    });
    assertEquals([action.id, action.from], ["ticket_end", from]);
    assertEquals(action.args, { ecosystem: "demo", ticket_id: "PROJ-1", cleanup: true });
  });
}

for (
  const [what, fields, carry] of [
    ["changes", { ...DIRTY, ...ON_BASE }, { carry: true, repos: ["api"] }],
    ["commits on a base branch", { ...AHEAD, ...ON_BASE }, { carry: true, repos: ["api"] }],
    ["changes on another branch", { ...DIRTY, branch: "feature/x", base_branch: "main" }, {
      carry: true,
      repos: ["api"],
    }],
    ["changes where nothing was committed yet", { ...DIRTY, ...ON_BASE, commit: "-" }, {}],
    ["commits on a feature branch", { ...AHEAD, branch: "feature/x", base_branch: "main" }, {}],
    ["nothing", ON_BASE, {}],
  ] as const
) {
  Deno.test(`suggest() offers a new ticket to which goes what was meant for it: ${what}`, () => {
    const given = status({ active_ticket: null, ticket_count: 0 }, repo(fields));
    const start = suggest(situation(given)).find(({ id }) => id === "ticket_start");
    assertEquals(start?.args, { ecosystem: "demo", ticket_id: "TICKET-ID", ...carry });
  });
}

Deno.test("suggest() carries nothing of a read-only repository into a new ticket", () => {
  const read = repo({ ...DIRTY, ...ON_BASE, name: "docs", mode: "RO" });
  const given = status({ active_ticket: null, ticket_count: 0 }, repo(ON_BASE), read);
  const start = suggest(situation(given)).find(({ id }) => id === "ticket_start");
  assertEquals(start?.args, { ecosystem: "demo", ticket_id: "TICKET-ID" });
});

Deno.test("suggest() begins a ticket for commits in place, as none with a workspace of its own takes them along", () => {
  const given = { active_ticket: null, ticket_count: 0, per_ticket: true };
  const argsFor = (row: ReturnType<typeof repo>) =>
    suggest(situation(status(given, row))).find(({ id }) => id === "ticket_start")?.args;
  const args = { ecosystem: "demo", ticket_id: "TICKET-ID", carry: true, repos: ["api"] };
  assertEquals(argsFor(repo({ ...AHEAD, ...ON_BASE })), { ...args, in_place: true });
  assertEquals(argsFor(repo({ ...DIRTY, ...ON_BASE })), args);
});

Deno.test("suggest() offers a push of those that are not in the middle of something", () => {
  const action = first(
    status(
      {},
      repo({ status: "CONFLICT+DIRTY", dirty: true, in_progress: "merge", conflicts: 1 }),
      repo({ name: "web", status: "UNPUSHED", unpushed: true }),
    ),
  );
  assertEquals(action.tool, "amof_push_ecosystem");
  assertEquals(action.args, { ecosystem: "demo", repos: ["web"] });
});

Deno.test("suggest() offers a switch where changes go along, and no push of a wrong branch", () => {
  const wrong = { status: "WRONG_BRANCH+DIRTY+UNPUSHED", dirty: true, unpushed: true };
  const action = first(status({}, repo(wrong)));
  assertEquals(action.tool, "amof_ticket_switch");
  assertEquals(action.args, { ecosystem: "demo", ticket_id: "PROJ-1" });
  const inTheWay = [
    "git stash push\ngit switch feature/PROJ-1",
    "amof ticket switch main --stash\namof ticket switch PROJ-1 --stash",
  ].map((fix) => [{ problem: "on main", fix }]);
  for (const needs of inTheWay) {
    assertEquals(first(status({}, repo({ ...wrong, needs }))).tool === action.tool, false);
  }
  const [needs] = inTheWay;
  // That of one that is read is nobody's way to the ticket.
  const read = repo({ name: "docs", mode: "RO", status: "DIRTY", needs });
  assertEquals(first(status({}, repo(wrong), read)).tool, action.tool);
  const both = suggest(
    situation(status({}, repo(wrong), repo({ name: "web", status: "UNPUSHED", unpushed: true }))),
  );
  const push = both.find(({ tool }) => tool === "amof_push_ecosystem");
  assertEquals(push?.args, { ecosystem: "demo", repos: ["web"] });
});

Deno.test("suggest() offers work on the repositories that were looked at, and on no others", () => {
  const given = status(
    {},
    repo({ status: "UNPUSHED", unpushed: true }),
    repo({ name: "api2", status: "UNPUSHED", unpushed: true }),
    repo({ name: "web", status: "WRONG_BRANCH+UNPUSHED", unpushed: true }),
  );
  const pushOf = (selection: Readonly<Record<string, readonly string[]>>) =>
    suggest(situation({ ...given, selection })).find(({ tool }) => tool === "amof_push_ecosystem")
      ?.args;
  assertEquals(pushOf({ tags: ["backend"] }), {
    ecosystem: "demo",
    tags: ["backend"],
    repos: ["!web"],
  });
  assertEquals(pushOf({ repos: ["a*", "web"] }), {
    ecosystem: "demo",
    repos: ["a*", "web", "!web"],
  });
  // What failed, say, means other repositories to a push.
  assertEquals(pushOf({ only: ["failed"] }), {
    ecosystem: "demo",
    repos: ["api", "api2"],
  });
  const endOf = (workspace: Fields) =>
    suggest(situation({
      ...status(workspace, repo({ status: "MERGED" })),
      selection: { repos: ["api"] },
    })).find(({ tool }) => tool === "amof_ticket_end")?.args;
  assertEquals(endOf({}), {
    ecosystem: "demo",
    ticket_id: "PROJ-1",
    cleanup: true,
    repos: ["api"],
  });
  // A workspace of a ticket's own ends as a whole, of which nobody looked at the rest.
  assertEquals(endOf({ active_ticket: null, ticket: "PROJ-1" }), undefined);
  const quiet = suggest(situation({ ...status({}, repo({})), selection: { tags: ["backend"] } }));
  const sync = quiet.find(({ tool }) => tool === "amof_sync_ecosystem");
  assertEquals(sync?.args, { ecosystem: "demo", tags: ["backend"] });
});

Deno.test("suggest() takes nothing into a ticket where nothing was committed yet", () => {
  const rows = [{ ...DIRTY, ...ON_BASE, commit: "-" }, { ...DIRTY, ...ON_BASE }]
    .map((fields, index) => repo({ name: `r${index}`, ...fields }));
  const both = suggest(situation(status({}, ...rows)));
  assertEquals(both[0]?.args, { ecosystem: "demo", ticket_id: "PROJ-1", repos: ["r1"] });
  const alone = suggest(situation(status({}, ...rows.slice(0, 1))));
  assertEquals(alone.map(({ id }) => id).slice(0, 1), ["push_ecosystem"]);
});

Deno.test("suggest() brings an update that stopped back, and on once its conflicts are resolved", () => {
  const stopped = (conflicts: number) =>
    status(
      {},
      repo({
        status: "CONFLICT+DIRTY",
        in_progress: "merge",
        conflicts,
        needs: [{ problem: "", fix: "amof ticket update --abort --repo api" }],
      }),
    );
  const steps = (conflicts: number) =>
    suggest(situation(stopped(conflicts)))
      .filter(({ tool }) => tool === "amof_ticket_update").map(({ args }) => args);
  const args = { ecosystem: "demo", ticket_id: "PROJ-1", repos: ["api"] };
  assertEquals(steps(1), [{ ...args, step: "abort" }]);
  assertEquals(steps(0), [{ ...args, step: "continue" }, { ...args, step: "abort" }]);
});

Deno.test("suggest() changes nothing of an ecosystem on which a run is at work, and shows that", () => {
  const given = status({}, repo(AHEAD));
  const running = { run_id: "4e8c1d72-0000", action: "push", created_at: "" };
  const actions = suggest(situation({ ...given, data: { ...given.data, running } }));
  assertEquals(actions.map(({ tool, args }) => [tool, args["run_id"]]).slice(0, 2), [
    ["amof_get_run_status", "4e8c1d72-0000"],
    ["amof_get_run_logs", "4e8c1d72-0000"],
  ]);
  assertEquals(actions.filter(({ safety }) => safety !== "read-only"), []);
});

Deno.test("suggest() begins a ticket where the work is that follows a merge, unless other changes go along", () => {
  const at = { branch: "feature/x", base_branch: "main", dirty: true };
  const merged = { ...at, status: "DIRTY+MERGED", commit: "a1", last_push: { commit: "a1" } };
  const start = (fields: Fields) =>
    suggest(situation(status({}, repo({ name: "web", ...merged }), repo(fields))))
      .find(({ id }) => id === "ticket_start")?.args;
  const whole = { ecosystem: "demo", ticket_id: "TICKET-ID", carry: true };
  assertEquals(start({}), { ...whole, repos: ["web"] });
  assertEquals(start({ ...at, mode: "RO" }), { ...whole, repos: ["web"] });
  assertEquals(start({ ...at, status: "DIRTY+BEHIND" }), whole);
});

Deno.test("suggest() begins a ticket with what is on a base branch before it would push that, whatever else waits", () => {
  const stuck = { name: "lib", branch: "HEAD", base_branch: "main", dirty: true, conflicts: 1 };
  const given = status(
    { active_ticket: null },
    repo({ ...DIRTY, ...ON_BASE }),
    repo({ ...stuck, status: "DETACHED+CONFLICT+DIRTY" }),
    repo({ name: "doc", status: "MISSING" }),
  );
  assertEquals(
    suggest(situation(given)).slice(0, 3).map(({ tool, args }) => [tool, args["repos"]]),
    [
      ["amof_sync_ecosystem", undefined],
      ["amof_ticket_start", ["api"]],
      ["amof_push_ecosystem", ["api"]],
    ],
  );
});

Deno.test("suggest() takes in what the remote has of the same branch first", () => {
  const late = { branch: "feature/T-1", upstream: "origin/feature/T-1", remote: "changed" };
  assertEquals(
    suggest(situation(status({}, repo({ ...AHEAD, ...late }), repo({ ...AHEAD }))))
      .slice(0, 2).map(({ tool }) => tool),
    ["amof_sync_ecosystem", "amof_push_ecosystem"],
  );
});

Deno.test("suggest() offers no sync past the lock, but of what is missing or behind beside what is at it", () => {
  const pinned = { status: "PINNED", behind: 1, pinned: true };
  const sync = (...repos: readonly Fields[]) =>
    suggest(
      situation(status({}, ...repos.map((fields, at) => repo({ name: `r${at}`, ...fields })))),
    )
      .find(({ id }) => id === "sync_ecosystem")?.args;
  const demo = { ecosystem: "demo" };
  assertEquals(sync({}, {}), demo);
  assertEquals(sync(pinned, {}), undefined);
  assertEquals(sync({ ...pinned, status: "OK", remote: "changed" }, {}), undefined);
  assertEquals(sync(pinned, { status: "BEHIND" }), { ...demo, repos: ["r1"] });
  assertEquals(sync({ status: "MISSING" }, pinned), { ...demo, repos: ["r0"] });
  assertEquals(sync({ ...pinned, status: "DIRTY+PINNED", dirty: true }, AHEAD), undefined);
});
