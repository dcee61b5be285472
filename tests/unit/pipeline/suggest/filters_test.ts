/**
 * The filters between what the rules offer and what an answer suggests (NEXT-10 and NEXT-11).
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { Place } from "../../../../src/contract/place.ts";
import { type Mode, modeRequired } from "../../../../src/base/policy/mode.ts";
import {
  deduplicate,
  dropAfterQuery,
  dropSame,
  fallBack,
  filterAll,
  gateMode,
  gateScope,
  limit,
  sortByPriority,
} from "../../../../src/pipeline/suggest/filters.ts";
import { suggest, type SuggestedAction } from "../../../../src/pipeline/suggest/mod.ts";
import {
  findAny,
  type Given,
  ids,
  OTHER_RUN,
  release,
  repo,
  RUN,
  runAnswer,
  situation,
  status,
} from "./_support.ts";
import { CASES } from "./cases/mod.ts";

Deno.test("suggest() offers nothing whose tool is not offered here", () => {
  for (const { given } of CASES) {
    const none = suggest(situation({ ...given, find: () => null }));
    assertEquals(none, []);
  }
});

function action(fields: Partial<SuggestedAction>): SuggestedAction {
  const safety = fields.safety ?? "read-only";
  return {
    id: fields.id ?? fields.tool ?? "x",
    label: "X",
    tool: "amof_x",
    args: {},
    scope: "global",
    mode_required: modeRequired(safety),
    safety,
    confirm: safety === "dangerous-write",
    priority: 1,
    description: "X.",
    ...fields,
  };
}

Deno.test("dropSame() drops the tool just called whatever its arguments", () => {
  const actions = [action({ tool: "amof_list_runs", args: { limit: 1 } }), action({ id: "y" })];
  assertEquals(ids(dropSame(actions, situation({ tool: "amof_list_runs" }))), ["y"]);
});

Deno.test("dropSame() keeps get_run_status only while the run has not ended", () => {
  const again = [action({ id: "again", tool: "amof_get_run_status" })];
  const left = (status: string) =>
    ids(dropSame(again, situation(runAnswer("amof_get_run_status", status))));
  for (const status of ["queued", "paused", "running"]) assertEquals(left(status), ["again"]);
  for (const status of ["success", "failed", "cancelled", "odd"]) assertEquals(left(status), []);
});

Deno.test("gateScope() keeps the effective scope and its parent", () => {
  const scopes = ["global", "ecosystem", "run", "release", "server"] as const;
  const actions = scopes.map((scope) => action({ id: scope, scope }));
  const kept = (at: Place["scope"]) =>
    ids(gateScope(actions, situation({ tool: "amof_set_mode", at })));
  assertEquals(kept("global"), ["global"]);
  assertEquals(kept("ecosystem"), ["global", "ecosystem"]);
  assertEquals(kept("run"), ["ecosystem", "run"]);
  assertEquals(kept("release"), ["ecosystem", "release"]);
  assertEquals(kept("server"), ["global", "server"]);
});

Deno.test("gateScope() keeps an action on a run that the answer carries, and on no other", () => {
  const actions = [RUN, OTHER_RUN].map((run_id) =>
    action({ id: run_id, scope: "run", args: { run_id } })
  );
  const given = { tool: "amof_list_runs", at: "global" } as const;
  const listed = situation({ ...given, data: { runs: [{ run_id: RUN }] } });
  assertEquals(ids(gateScope(actions, listed)), [RUN]);
  const started = situation({ ...given, data: { run_id: OTHER_RUN } });
  assertEquals(ids(gateScope(actions, started)), [OTHER_RUN]);
});

Deno.test("gateMode() drops what the mode does not allow", () => {
  const actions = (["read-only", "safe-write", "dangerous-write"] as const)
    .map((safety) => action({ id: safety, safety }));
  const kept = (mode: Mode) => ids(gateMode(actions, situation({ tool: "amof_set_mode", mode })));
  assertEquals(kept("ask"), ["read-only"]);
  assertEquals(kept("plan"), ["read-only", "safe-write"]);
  assertEquals(kept("execute"), ["read-only", "safe-write", "dangerous-write"]);
});

const AFTER_QUERY = [
  "amof_discard_ecosystem",
  "amof_spin_destroy",
  "amof_archive_ecosystem",
  "amof_push_ecosystem",
  "amof_sync_ecosystem",
].map((tool) => action({ tool, id: tool }));

Deno.test("dropAfterQuery() drops what destroys, and a push without anything to push", () => {
  const clean = situation(status({}, repo({})));
  assertEquals(ids(dropAfterQuery(AFTER_QUERY, clean)), ["amof_sync_ecosystem"]);
});

Deno.test("dropAfterQuery() keeps a push when something is unpushed or dirty", () => {
  const kept = ["amof_push_ecosystem", "amof_sync_ecosystem"];
  for (
    const given of [
      status({}, repo({ unpushed: true })),
      status({}, repo({ dirty: true })),
    ]
  ) {
    assertEquals(ids(dropAfterQuery(AFTER_QUERY, situation(given))), kept);
  }
  // A push sends what is in an ecosystem, not the control repository.
  const ofRelease = situation(release({ dirty: true }));
  assertEquals(ids(dropAfterQuery(AFTER_QUERY, ofRelease)), ["amof_sync_ecosystem"]);
});

Deno.test("dropAfterQuery() drops nothing after a deed or a move of the session", () => {
  for (const tool of ["amof_sync_ecosystem", "amof_switch_ecosystem"]) {
    assertEquals(dropAfterQuery(AFTER_QUERY, situation({ tool })).length, AFTER_QUERY.length);
  }
});

Deno.test("deduplicate() keeps the most urgent of an id, and of equal ones the first", () => {
  const actions = [
    action({ id: "a", priority: 3, label: "late" }),
    action({ id: "b", tool: "amof_b", label: "first" }),
    action({ id: "a", priority: 1, label: "early" }),
    action({ id: "b", tool: "amof_b", label: "second" }),
  ];
  assertEquals(deduplicate(actions).map((entry) => entry.label), ["first", "early"]);
});

Deno.test("deduplicate() keeps one of two ids that make the same call", () => {
  const actions = [
    action({ id: "a", priority: 2, args: { x: 1, y: 2 } }),
    action({ id: "b", priority: 1, args: { y: 2, x: 1 } }),
    action({ id: "c", priority: 3, args: { x: 2 } }),
  ];
  assertEquals(ids(deduplicate(actions)), ["b", "c"]);
});

Deno.test("sortByPriority() keeps the order of equal priorities", () => {
  const actions = [["a", 2], ["b", 1], ["c", 2], ["d", 1]] as const;
  const sorted = sortByPriority(actions.map(([id, priority]) => action({ id, priority })));
  assertEquals(ids(sorted), ["b", "d", "a", "c"]);
});

Deno.test("limit() allows three after a question and five after anything else", () => {
  const actions = Array.from({ length: 7 }, (_, index) => action({ id: String(index) }));
  assertEquals(limit(actions, situation({ tool: "amof_list_runs" })).length, 3);
  assertEquals(limit(actions, situation({ tool: "amof_sync_ecosystem" })).length, 5);
  assertEquals(limit(actions, situation({ tool: "amof_scope_info" })).length, 5);
});

Deno.test("fallBack() offers one thing of the scope when nothing is left", () => {
  const left = (given: Given) => ids(fallBack([], situation(given)));
  assertEquals(left({ tool: "amof_set_mode" }), ["ticket_list"]);
  assertEquals(left({ tool: "amof_ticket_list" }), ["list_ecosystems"]);
  assertEquals(left({ tool: "amof_set_mode", at: "release" }), ["release_log"]);
  assertEquals(left({ tool: "amof_set_mode", at: "run" }), ["get_run_status"]);
  assertEquals(left({ ...runAnswer("amof_get_run_status", "success") }), ["summarize_run"]);
  assertEquals(left({ tool: "amof_set_mode", at: "global" }), ["list_ecosystems"]);
  assertEquals(left({ tool: "amof_set_mode", at: "server" }), ["list_ecosystems"]);
  assertEquals(left({ tool: "amof_list_ecosystems", at: "global" }), ["get_server_status"]);
});

Deno.test("fallBack() offers the next best where a tool is not offered here", () => {
  const find = (name: string) => name === "amof_ticket_list" ? null : findAny(name);
  assertEquals(ids(fallBack([], situation({ tool: "amof_set_mode", find }))), ["list_ecosystems"]);
});

Deno.test("fallBack() offers nothing that needs a workspace where there is none", () => {
  const given = { tool: "amof_set_mode", installed: false };
  assertEquals(ids(fallBack([], situation(given))), ["list_ecosystems"]);
});

Deno.test("suggest() offers to install instead of everything that needs a workspace where there is none", () => {
  const offered = (given: Given) => ids(suggest(situation({ ...given, installed: false })));
  assertEquals(offered({ tool: "amof_validate_manifest" }), [
    "install_ecosystem",
    "describe_ecosystem",
  ]);
  assertEquals(offered({ tool: "amof_set_mode" }), ["install_ecosystem"]);
  assertEquals(offered({ tool: "amof_validate_manifest", mode: "ask" }), ["describe_ecosystem"]);
  assertEquals(offered({ tool: "amof_set_mode", mode: "ask" }), ["list_ecosystems"]);
});

Deno.test("suggest() offers no install where work was done without a workspace, or is looked at", () => {
  const offered = (given: Given) => ids(suggest(situation({ ...given, installed: false })));
  const exec = "amof_exec";
  assertEquals(offered({ tool: exec, data: { run_id: RUN, engine: "far" } }), ["get_run_logs"]);
  assertEquals(offered({ tool: exec, data: { run_id: RUN, engine: null } }), ["install_ecosystem"]);
  const preview = { preview: { far: { name: "far" } } };
  assertEquals(offered({ tool: exec, phase: "preview", data: preview }), ["list_ecosystems"]);
  const failed = { tool: exec, phase: "refused", code: "engine_unavailable" } as const;
  assertEquals(offered(failed), ["list_ecosystems"]);
  const ran = { run_id: RUN, action: "exec", status: "success" };
  for (const tool of ["amof_get_run_status", "amof_get_run_logs"]) {
    assert(!offered({ tool, data: ran }).includes("install_ecosystem"));
  }
  const start = { tool: "amof_start_campaign", phase: "preview", data: {} } as const;
  assertEquals(offered(start), ["list_ecosystems"]);
});

Deno.test("fallBack() adds nothing to what is left", () => {
  assertEquals(ids(fallBack([action({ id: "a" })], situation({ tool: "amof_set_mode" }))), ["a"]);
});

Deno.test("filterAll() sorts before it counts", () => {
  const actions = [5, 4, 3, 2, 1].map((priority) =>
    action({ id: String(priority), tool: `amof_${priority}`, priority })
  );
  const after = situation({ tool: "amof_list_runs", at: "global" });
  assertEquals(ids(filterAll(actions, after)), ["1", "2", "3"]);
});

Deno.test("filterAll() removes duplicates before it counts", () => {
  const actions = [
    action({ id: "a", tool: "amof_a" }),
    action({ id: "a", tool: "amof_a" }),
    action({ id: "b", tool: "amof_b" }),
    action({ id: "c", tool: "amof_c" }),
  ];
  const after = situation({ tool: "amof_list_runs", at: "global" });
  assertEquals(ids(filterAll(actions, after)), ["a", "b", "c"]);
});

Deno.test("filterAll() falls back after every other rule", () => {
  const tooBold = [action({ id: "a", safety: "dangerous-write" })];
  const asked = situation({ tool: "amof_set_mode", mode: "ask" });
  assertEquals(ids(filterAll(tooBold, asked)), ["ticket_list"]);
});
