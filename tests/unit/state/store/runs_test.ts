// Covers Runs: the state machine of RUN-2, locks, look-ups, lists and medians, on real SQLite.

import type { Fields } from "../../../../src/base/object.ts";
import { runId } from "../../../../src/base/ids.ts";
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { AmofError, errorObject } from "../../../../src/base/error.ts";
import { openDatabase } from "../../../../src/state/store/database.ts";
import {
  type Runs,
  type RunStatus,
  STATUSES,
  type Store,
} from "../../../../src/state/store/mod.ts";
import { Runs as RunTable } from "../../../../src/state/store/runs.ts";
import type { Cell } from "../../../../src/state/store/sql.ts";
import { openStore } from "../../../../src/state/store/open.ts";
import { rule, tableIn } from "../../../support/documents.ts";
import { alone, newRun } from "./_records.ts";

function opened(): Store & Disposable {
  const store = openStore(":memory:");
  return { ...store, [Symbol.dispose]: () => store.close() };
}

/** The shortest way from queued to each status. */
const WAYS: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  queued: [],
  paused: ["paused"],
  running: ["running"],
  success: ["running", "success"],
  failed: ["running", "failed"],
  cancelled: ["cancelled"],
};

function runIn(runs: Runs, status: RunStatus, fields: Parameters<typeof newRun>[0] = {}): string {
  const run = newRun(fields);
  assert(runs.add(run));
  for (const step of WAYS[status]) runs.move(run.runId, step, 2000);
  return run.runId;
}

/** What may follow each status, as the document says it. */
const ALLOWED: ReadonlyMap<string, readonly string[]> = new Map(
  tableIn(rule("RUN-2").text, "status").flatMap(([statuses = "", next = ""]) =>
    statuses.split(" ").map((status) => [status, next === "nothing" ? [] : next.split(", ")])
  ),
);

for (const from of STATUSES) {
  for (const to of STATUSES) {
    if (ALLOWED.get(from)?.includes(to)) {
      Deno.test(`Runs.move() allows ${from} → ${to}`, () => {
        using store = opened();
        const id = runIn(store.runs, from);
        store.runs.move(runId(id), to, 3000);
        assertEquals(store.runs.get(id)?.status, to);
      });
    } else {
      Deno.test(`Runs.move() refuses ${from} → ${to} and changes nothing`, () => {
        using store = opened();
        const id = runIn(store.runs, from);
        const before = store.runs.get(id);
        const error = assertThrows(
          () =>
            store.runs.move(runId(id), to, 3000, { exitCode: 9, reason: "x", result: { x: 1 } }),
          AmofError,
        );
        assertEquals([error.code, error.details], ["invalid_transition", { run_id: id, from, to }]);
        assertEquals(store.runs.get(id), before);
      });
    }
  }
}

Deno.test("Runs.move() refuses a run that does not exist", () => {
  using store = opened();
  const error = assertThrows(() => store.runs.move(runId("nope"), "running", 1), AmofError);
  assertEquals([error.code, error.details["from"]], ["invalid_transition", null]);
});

Deno.test("Runs.move() notes when a run first started, and nothing else about its end", () => {
  using store = opened();
  const id = runIn(store.runs, "queued");
  store.runs.move(runId(id), "running", 5000);
  const run = store.runs.get(id);
  assertEquals([run?.startedAt, run?.finishedAt, run?.exitCode], [5000, null, null]);
});

Deno.test("Runs.move() notes end, exit code, result and error of a run", () => {
  using store = opened();
  const id = runIn(store.runs, "running");
  const error = errorObject(new AmofError("git_failed", "Cannot push"));
  store.runs.move(runId(id), "failed", 9000, {
    exitCode: 1,
    reason: "interrupted",
    result: { repos: [] },
    error,
  });
  const run = store.runs.get(id);
  assertEquals([run?.startedAt, run?.finishedAt, run?.exitCode], [2000, 9000, 1]);
  assertEquals([run?.reason, run?.result, run?.error], ["interrupted", { repos: [] }, error]);
});

Deno.test("Runs.move() of a run that never started leaves the start empty", () => {
  using store = opened();
  const id = runIn(store.runs, "queued");
  store.runs.move(runId(id), "cancelled", 9000, { exitCode: 130 });
  const run = store.runs.get(id);
  assertEquals([run?.startedAt, run?.finishedAt, run?.exitCode], [null, 9000, 130]);
});

Deno.test("Runs.add() stores a run as it is given, queued", () => {
  using store = opened();
  const run = newRun({
    args: { repos: ["api"], message: "x" },
    sessionId: "sess_1",
    origin: "mcp",
    confirmation: { type: "simple", way: "token", at: 900 },
    preview: { api: { ahead: 2 } },
    inline: true,
  });
  store.runs.add(run);
  const { locks: _locks, ...stored } = run;
  assertEquals(store.runs.get(run.runId), {
    ...stored,
    status: "queued",
    reason: null,
    startedAt: null,
    finishedAt: null,
    exitCode: null,
    cancelRequestedAt: null,
    result: null,
    error: null,
    worker: null,
    heartbeatAt: null,
    eventCount: 0,
    lastEventAt: null,
    lastMessage: null,
  });
});

// Locks.

Deno.test("Runs.add() refuses a second active run with the same lock", () => {
  using store = opened();
  const first = runIn(store.runs, "running", { locks: alone("/space:demo") });
  const second = newRun({ locks: alone("/space:demo") });
  assertEquals(store.runs.add(second), false);
  assertEquals(store.runs.get(second.runId), null);
  assertEquals(store.runs.holders(alone("/space:demo")).map(({ runId }) => runId), [first]);
});

Deno.test("Runs.add() takes runs with other locks and with none side by side", () => {
  using store = opened();
  for (const key of ["/space:demo", "/space:shop", "/other:demo", null, null]) {
    assert(store.runs.add(newRun({ locks: key === null ? [] : alone(key) })), String(key));
  }
});

Deno.test("Runs.add() takes all locks of a run or none, and shared ones side by side", () => {
  using store = opened();
  const shared = { key: "k", shared: true };
  assert(store.runs.add(newRun({ locks: [shared, ...alone("one")] })));
  assert(store.runs.add(newRun({ locks: [shared, ...alone("two")] })));
  assertEquals(store.runs.add(newRun({ locks: [...alone("three"), ...alone("two")] })), false);
  assertEquals(store.runs.add(newRun({ locks: alone("k") })), false);
  assertEquals(store.runs.holders(alone("k")).length, 2);
  assertEquals(store.runs.holders([shared]), []);
  // What was refused has taken nothing.
  assert(store.runs.add(newRun({ locks: alone("three") })));
});

for (const status of ["queued", "paused", "running"] as const) {
  Deno.test(`Runs.holders() is a ${status} run`, () => {
    using store = opened();
    const id = runIn(store.runs, status, { locks: alone("k") });
    assertEquals(store.runs.holders(alone("k")).map(({ runId }) => runId), [id]);
    assertEquals(store.runs.add(newRun({ locks: alone("k") })), false);
  });
}

for (const status of ["success", "failed", "cancelled"] as const) {
  Deno.test(`Runs.holders() is nobody once the run is ${status}`, () => {
    using store = opened();
    runIn(store.runs, status, { locks: alone("k") });
    assertEquals(store.runs.holders(alone("k")), []);
    assert(store.runs.add(newRun({ locks: alone("k") })));
  });
}

Deno.test("Runs.add() with an id that exists is refused", () => {
  using store = opened();
  const run = newRun();
  assertEquals([store.runs.add(run), store.runs.add(run)], [true, false]);
});

// Looking up.

Deno.test("Runs.byPrefix() finds none, the one, or two as a proof of ambiguity", () => {
  using store = opened();
  for (const id of ["abc1", "abc2", "abc3", "abd"]) store.runs.add(newRun({ runId: runId(id) }));
  const found = (prefix: string) => store.runs.byPrefix(prefix).length;
  assertEquals([found("abd"), found("abc1"), found("abc"), found("x")], [1, 1, 2, 0]);
});

Deno.test("Runs.byPrefix() takes wildcards literally", () => {
  using store = opened();
  for (const id of ["abc", "a%c"]) store.runs.add(newRun({ runId: runId(id) }));
  assertEquals(store.runs.byPrefix("a%").map((run) => run.runId), ["a%c"]);
  assertEquals(store.runs.byPrefix("a_").length, 0);
});

function listed(store: Store): void {
  const add = (id: string, createdAt: number, fields: Parameters<typeof newRun>[0] = {}) =>
    runIn(store.runs, "queued", { runId: runId(id), createdAt, ...fields });
  add("old", 1);
  add("other-root", 2, { root: "/other" });
  add("shop", 3, { ecosystem: "shop" });
  add("install", 4, { action: "install" });
  add("twin-1", 5);
  add("twin-2", 5);
  store.runs.move(runId("twin-1"), "running", 6);
}

const FILTERS: readonly (readonly [string, Parameters<Runs["list"]>[0], readonly string[]])[] = [
  ["all, newest first", { limit: 10 }, [
    "twin-2",
    "twin-1",
    "install",
    "shop",
    "other-root",
    "old",
  ]],
  ["as many as asked for", { limit: 2 }, ["twin-2", "twin-1"]],
  ["those of a root", { root: "/other", limit: 10 }, ["other-root"]],
  ["those of an ecosystem", { ecosystem: "shop", limit: 10 }, ["shop"]],
  ["those of an action", { action: "install", limit: 10 }, ["install"]],
  ["those in a status", { statuses: ["running"], limit: 10 }, ["twin-1"]],
  ["those in one of several statuses", { statuses: ["running", "failed"], limit: 10 }, ["twin-1"]],
  ["none for no status", { statuses: [], limit: 10 }, []],
  [
    "those that meet all filters",
    { root: "/space", ecosystem: "demo", action: "push", statuses: ["queued"], limit: 10 },
    ["twin-2", "old"],
  ],
];

for (const [what, filter, expected] of FILTERS) {
  Deno.test(`Runs.list() lists ${what}`, () => {
    using store = opened();
    listed(store);
    assertEquals(store.runs.list(filter).map((run) => run.runId), [...expected]);
  });
}

Deno.test("Runs.list() and activeCounts() look for active runs in their index, however many have ended", () => {
  const asked: [string, Cell[]][] = [];
  const database = openDatabase(":memory:");
  const all = database.all.bind(database);
  database.all = (sql, ...values) => {
    asked.push([sql, values]);
    return all(sql, ...values);
  };
  const runs = new RunTable(database);
  runs.list({ statuses: ["queued", "paused", "running"], limit: 1000 });
  runs.list({ root: "/space", ecosystem: "demo", statuses: ["running"], limit: 1 });
  runs.activeCounts("/space");
  assertEquals(asked.length, 3);
  for (const [sql, values] of [...asked]) {
    const [plan] = all(`EXPLAIN QUERY PLAN ${sql}`, ...values);
    assertMatch(String(plan?.["detail"]), /USING INDEX runs_active/);
  }
  runs.list({ statuses: ["running", "failed"], limit: 1 });
  assertEquals(asked.at(-1)?.[0].includes("INDEXED"), false);
  database.close();
});

Deno.test("Runs.activeCounts() counts queued and running runs of a root", () => {
  using store = opened();
  runIn(store.runs, "queued");
  runIn(store.runs, "running");
  runIn(store.runs, "success");
  runIn(store.runs, "running", { ecosystem: "shop" });
  runIn(store.runs, "running", { root: "/other" });
  assertEquals([...store.runs.activeCounts("/space")].sort(), [["demo", 2], ["shop", 1]]);
});

function took(store: Store, seconds: readonly number[], to: RunStatus = "success"): void {
  for (const [n, s] of seconds.entries()) {
    const id = runIn(store.runs, "running", { createdAt: n });
    store.runs.move(runId(id), to, 2000 + s * 1000);
  }
}

Deno.test("Runs.typicalSeconds() is the median of successful runs", () => {
  using store = opened();
  took(store, [100, 1.24, 3]);
  took(store, [500, 600, 700], "failed");
  assertEquals(store.runs.typicalSeconds("/space", "demo", "push"), 3);
});

Deno.test("Runs.typicalSeconds() counts with arguments only what was called so", () => {
  using store = opened();
  const called = (args: Fields, s: number) => {
    const id = runIn(store.runs, "running", { args });
    store.runs.move(runId(id), "success", 2000 + s * 1000);
  };
  called({ command: ["true"] }, 1);
  called({ command: ["sleep"] }, 20);
  const typical = (command: string) =>
    store.runs.typicalSeconds("/space", "demo", "push", { command: [command] });
  assertEquals(["true", "sleep", "make"].map(typical), [1, 20, null]);
});

Deno.test("Runs.typicalSeconds() is rounded to tenths", () => {
  using store = opened();
  took(store, [1.26]);
  assertEquals(store.runs.typicalSeconds("/space", "demo", "push"), 1.3);
});

Deno.test("Runs.typicalSeconds() looks at recent runs only", () => {
  using store = opened();
  took(store, [...Array<number>(30).fill(900), ...Array<number>(21).fill(2)]);
  assertEquals(store.runs.typicalSeconds("/space", "demo", "push"), 2);
});

Deno.test("Runs.typicalSeconds() is null without a successful run of that action", () => {
  using store = opened();
  took(store, [1]);
  assertEquals(store.runs.typicalSeconds("/space", "demo", "install"), null);
  assertEquals(store.runs.typicalSeconds("/space", "shop", "push"), null);
});

// Workers and cancellation.

Deno.test("Runs.setWorker() remembers which process works, and heartbeat() that it is there", () => {
  using store = opened();
  const id = runIn(store.runs, "running");
  const worker = { pid: 42, startedAt: "123", bootId: null };
  store.runs.setWorker(runId(id), worker, 3000);
  assertEquals([store.runs.get(id)?.worker, store.runs.get(id)?.heartbeatAt], [worker, 3000]);
  store.runs.heartbeat(runId(id), 4000);
  assertEquals(store.runs.get(id)?.heartbeatAt, 4000);
});

Deno.test("Runs.requestCancel() notes the first request of an active run", () => {
  using store = opened();
  const id = runIn(store.runs, "running");
  assertEquals([
    store.runs.requestCancel(runId(id), 3000),
    store.runs.requestCancel(runId(id), 4000),
  ], [
    true,
    true,
  ]);
  assertEquals(store.runs.get(id)?.cancelRequestedAt, 3000);
});

for (const status of ["success", "failed", "cancelled"] as const) {
  Deno.test(`Runs.requestCancel() refuses a run that is ${status}`, () => {
    using store = opened();
    const id = runIn(store.runs, status);
    assertEquals(store.runs.requestCancel(runId(id), 3000), false);
    assertEquals(store.runs.get(id)?.cancelRequestedAt, null);
  });
}

Deno.test("Runs.prune() keeps what is not settled, and what the audit log has not noted", () => {
  using store = opened();
  const owing = runIn(store.runs, "success", { owesEntry: true });
  const open = runIn(store.runs, "failed");
  const over = runIn(store.runs, "success");
  for (const id of [open, over]) store.journal.open(runId(id), [], null);
  store.journal.close(runId(over), "done");
  assertEquals(store.runs.prune(0, 1_000_000), 1);
  assertEquals([owing, open, over].map((id) => store.runs.get(id) !== null), [true, true, false]);
});
