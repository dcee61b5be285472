// Covers which repositories that a push or a commit leaves out make it a failure, and how those of many are told.

import { assertEquals } from "@std/assert";
import { skippedRow as commitRow } from "../../../../src/commands/commit/commit.ts";
import { push } from "../../../../src/commands/push/push.ts";
import {
  isFailure,
  mergedText,
  nothingGone,
  skippedRow,
  strayed,
  ticketsOwn,
  UNSURE,
} from "../../../../src/commands/push/skip.ts";
import { placed, type SkipFact } from "../../../../src/commands/outgoing/skip.ts";
import { partsOf } from "../../../../src/base/text/parts.ts";
import { layOutParts } from "../../../../src/doors/cli/layout.ts";
import { wordingFor } from "../../../../src/pipeline/wording.ts";
import { repoName } from "../../../../src/base/ids.ts";
import type { WorkspaceState } from "../../../../src/workspace/mod.ts";
import { snapshot } from "../../_snapshots.ts";

const left = (name: string, reason: SkipFact["reason"], blocked: boolean): SkipFact => ({
  name,
  branch: "main",
  reason,
  detail: "",
  blocked,
  fix: null,
});

/** A workspace in which a ticket with these repositories is active; none for null. */
function stateWith(repos: readonly string[] | null): WorkspaceState {
  const at = "2026-01-01T00:00:00.000Z";
  const of = Object.fromEntries((repos ?? []).map((name) => [name, "feature/T-1"]));
  return {
    version: 3,
    ecosystem: "demo",
    workspace_branch: "workspace/demo",
    active_ticket: repos === null ? null : "T-1",
    tickets: { "T-1": { created_at: at, ecosystem: "demo", repos: of } },
    repos: [],
    created_at: at,
    last_modified: at,
  };
}

Deno.test("a repository outside of the ticket that is held back is no failure of the ticket's push", () => {
  const api = left("api", "in_progress", true);
  const web = left("web", "base_branch", true);
  const docs = left("docs", "nothing_to_push", false);
  const cases: [string, string[] | null, string[], string[]][] = [
    ["no ticket", null, ["api", "web", "docs"], ["api", "web"]],
    ["a ticket with both", ["api", "web"], ["api", "web", "docs"], ["api", "web"]],
    ["a ticket with one", ["api"], ["api", "web", "docs"], ["api"]],
    ["only what the ticket lacks was asked for", ["api"], ["web", "docs"], ["web"]],
    ["a ticket without repositories", [], ["api", "web", "docs"], ["api", "web"]],
  ];
  for (const [what, ticket, looked, failing] of cases) {
    const skipped = [api, web, docs].filter(({ name }) => looked.includes(name));
    const facts = placed(
      skipped,
      stateWith(ticket),
      looked.map((name) => snapshot({ repo: { name: repoName(name) } })),
    );
    const names = (which: readonly SkipFact[]) => which.map(({ name }) => name);
    assertEquals(names(facts.filter((fact) => isFailure(fact, true))), failing, what);
    const rows = facts.map(commitRow);
    assertEquals(rows.filter(({ code }) => code !== null).map(({ name }) => name), failing, what);
    assertEquals(
      rows.filter(({ held }) => held).map(({ name }) => name),
      names(facts.filter(({ name, blocked }) => blocked && !failing.includes(name))),
      what,
    );
  }
  const merged = left("api", "merged", true);
  assertEquals([true, false].map((arrived) => isFailure(merged, arrived)), [false, true]);
});

Deno.test("a merged branch is named with how its work is there, squashed or picked", () => {
  const told = (as: Parameters<typeof mergedText>[0]) => mergedText(as, "feature/T-1", "main");
  assertEquals(
    told("squashed"),
    "feature/T-1 is in main as one commit, and origin/feature/T-1 is gone",
  );
  assertEquals(
    told("rebased"),
    "feature/T-1 is in main commit by commit, and origin/feature/T-1 is gone",
  );
  for (const as of ["commits", "content"] as const) {
    assertEquals(told(as), "feature/T-1 is merged into main, and origin/feature/T-1 is gone");
  }
});

Deno.test("of many repositories those whose work is held back are not counted as having nothing to push", () => {
  const facts = Array.from(
    { length: 20 },
    (_, at) => at < 2 ? left(`r${at}`, "dirty", true) : left(`r${at}`, "nothing_to_push", false),
  );
  const data = { outcome: "failed" as const, repos: facts.map((fact) => skippedRow(fact, true)) };
  const shown = layOutParts(partsOf(push.render(data, {}, wordingFor("cli", 0)).details), 80);
  assertEquals(shown.split("\n").map((line) => line.replaceAll(/ +/g, " ")).slice(1), [
    "✗ r0 skipped — —",
    "✗ r1 skipped — —",
    "18 with nothing to push · --all",
  ]);
});

Deno.test("a push is that of the ticket until somebody names repositories or tags", () => {
  const looked = ["api", "docs"].map((name) => snapshot({ repo: { name: repoName(name) } }));
  const cases = [
    [{}, ["api"], ["api"]],
    [{ repos: ["!docs"], only: ["!dirty"] }, ["api"], ["api"]],
    [{ repos: ["docs"] }, ["api"], null],
    [{ repos: ["!api", "d*"] }, ["api"], null],
    [{ tags: ["backend"] }, ["api"], null],
    [{}, ["web"], null],
    [{}, null, null],
  ] as const;
  assertEquals<unknown>(
    cases.map(([input, repos]) => {
      const own = ticketsOwn(input, stateWith(repos), looked);
      return own === null ? null : [...own];
    }),
    cases.map(([, , expected]) => expected),
  );
});

Deno.test("what would go into the remote of another repository is held back, and a fork is none", () => {
  const repos = [
    { name: repoName("api"), url: "https://host/api.git" },
    { name: repoName("web"), url: "ssh://git@host/web" },
  ];
  const found = [null, "", "https://me@host/fork/api.git", "https://host/web.git"].map((address) =>
    strayed(snapshot({ address }), { repos, state: null })?.reason ?? null
  );
  assertEquals(found, [null, null, null, "other_repo"]);
});

Deno.test("nothingGone() does not say that nothing went where nobody knows", () => {
  const said = (...details: string[]) => nothingGone(details.map((detail) => ({ detail })));
  assertEquals([said("it has not arrived"), said("no", `cancelled; ${UNSURE}`)], [
    "Pushed nothing",
    "Nothing is known to have arrived",
  ]);
});
