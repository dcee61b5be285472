// Laws of runs and their events over any sequence of requests, on real SQLite.

import { runId } from "../../src/base/ids.ts";
import { assert, assertEquals } from "@std/assert";
import fc, { anyCharacter } from "fast-check";
import { AmofError } from "../../src/base/error.ts";
import { ACTIVE_STATUSES, type RunStatus, STATUSES } from "../../src/state/store/mod.ts";
import { openStore } from "../../src/state/store/open.ts";
import type { Locks } from "../../src/contract/mod.ts";
import { locksAt } from "../../src/runs/changing.ts";
import { cases } from "../support/sample.ts";
import { alone, newRun } from "../unit/state/store/_records.ts";

type Step =
  | { readonly kind: "add"; readonly lock: string | null }
  | { readonly kind: "move"; readonly which: number; readonly to: RunStatus }
  | { readonly kind: "cancel"; readonly which: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("add" as const), lock: fc.constantFrom("one", "two", null) }),
  fc.record({
    kind: fc.constant("move" as const),
    which: fc.nat(5),
    to: fc.constantFrom(...STATUSES),
  }),
  fc.record({ kind: fc.constant("cancel" as const), which: fc.nat(5) }),
);

Deno.test("Runs keeps its promises whatever is asked of it, in whatever order", () => {
  fc.assert(fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
    const store = openStore(":memory:");
    const ids: string[] = [];
    const keys = new Map<string, string | null>();
    let at = 1;
    for (const asked of steps) {
      at++;
      const before = ids.map((id) => store.runs.get(id));
      if (asked.kind === "add") {
        const id = `r${ids.length}`;
        const locks = asked.lock === null ? [] : alone(asked.lock);
        const held = store.runs.holders(locks).length > 0;
        assertEquals(store.runs.add(newRun({ runId: runId(id), locks })), !held);
        if (held) continue;
        ids.push(id);
        keys.set(id, asked.lock);
      } else {
        const id = ids[asked.which];
        if (id === undefined) continue;
        if (asked.kind === "cancel") store.runs.requestCancel(runId(id), at);
        else {
          try {
            store.runs.move(runId(id), asked.to, at);
          } catch (error) {
            assert(error instanceof AmofError && error.code === "invalid_transition");
          }
        }
      }
      // A final run never changes again.
      for (const run of before) {
        if (run !== null && !ACTIVE_STATUSES.includes(run.status)) {
          assertEquals(store.runs.get(run.runId), run);
        }
      }
      // A lock has at most one holder, and a final run holds none.
      for (const lock of ["one", "two"]) {
        const active = ids.filter((id) =>
          keys.get(id) === lock && ACTIVE_STATUSES.includes(store.runs.get(id)?.status ?? "failed")
        );
        assert(active.length <= 1);
        assertEquals(store.runs.holders(alone(lock)).map((run): string => run.runId), active);
      }
      // A run has an end exactly when it is final.
      for (const id of ids) {
        const run = store.runs.get(id);
        assertEquals(run?.finishedAt !== null, !ACTIVE_STATUSES.includes(run?.status ?? "failed"));
      }
    }
    store.close();
  }));
});

/** A call as far as locks go: where it works, and what it takes. */
interface Taking {
  readonly ecosystem: string;
  readonly ticket: string | null;
  readonly locks: Locks;
}

const taking: fc.Arbitrary<Taking> = fc.record({
  ecosystem: fc.constantFrom("demo", "shop"),
  ticket: fc.constantFrom(null, "PROJ-1", "proj-1", "PROJ-2", "base"),
  locks: fc.oneof(
    fc.constant<Locks>("ecosystem"),
    { weight: 3, arbitrary: fc.constant<Locks>("scope") },
    fc.record({
      base: fc.boolean(),
      tickets: fc.subarray(["PROJ-1", "PROJ-2", "PROJ-3"], { minLength: 1 }),
    }),
  ),
});

const ending = fc.record({
  which: fc.nat(9),
  as: fc.constantFrom("success" as const, "failed" as const, "cancelled" as const),
});

/** The workspaces that a call works in; null for all of its ecosystem. */
function workspaces({ ticket, locks }: Taking): ReadonlySet<string> | null {
  if (locks === "ecosystem") return null;
  const { base = false, tickets = [] } = locks !== "scope"
    ? locks
    : { base: ticket === null, tickets: ticket === null ? [] : [ticket] };
  return new Set([
    ...(base ? ["the base"] : []),
    ...tickets.map((id) => `ticket ${id.toLowerCase()}`),
  ]);
}

/** Whether two calls may not be at work at the same time. */
function meet(one: Taking, other: Taking): boolean {
  const [mine, theirs] = [workspaces(one), workspaces(other)];
  return one.ecosystem === other.ecosystem &&
    (mine === null || theirs === null || !mine.isDisjointFrom(theirs));
}

Deno.test("no two active runs work in one workspace, and none beside one that has the whole ecosystem", () => {
  const step = fc.oneof({ weight: 3, arbitrary: taking }, ending);
  fc.assert(fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
    const store = openStore(":memory:");
    let active: { readonly id: string; readonly call: Taking }[] = [];
    steps.forEach((asked, at) => {
      if ("as" in asked) {
        const ended = active[asked.which];
        if (ended === undefined) return;
        const id = runId(ended.id);
        if (asked.as === "success") store.runs.move(id, "running", at);
        store.runs.move(id, asked.as, at);
        active = active.filter((other) => other !== ended);
        return;
      }
      const { ecosystem, ticket } = asked;
      const place = { root: "/space", ecosystem, ticket };
      const id = `r${at}`;
      const run = newRun({ runId: runId(id), ...place, locks: locksAt(asked.locks, place) });
      const free = !active.some(({ call }) => meet(call, asked));
      assertEquals(store.runs.add(run), free);
      if (free) active.push({ id, call: asked });
    });
    store.close();
  }));
});

Deno.test("EventLog numbers events from one without gaps, however they are appended", () => {
  const event = fc.record({
    at: fc.nat(),
    level: fc.constantFrom("debug" as const, "info" as const, "warn" as const, "error" as const),
    type: fc.constantFrom("log", "state"),
    message: fc.string({ unit: anyCharacter, maxLength: 20 }),
  });
  fc.assert(
    fc.property(
      fc.array(fc.array(event, { maxLength: 4 }), { maxLength: 6 }),
      fc.nat(10),
      (batches, from) => {
        const store = openStore(":memory:");
        store.runs.add(newRun({ runId: runId("r") }));
        for (const batch of batches) store.events.append(runId("r"), batch);
        const all = store.events.after(runId("r"), 0, 1000);
        assertEquals(all.map((stored) => stored.seq), batches.flat().map((_, index) => index + 1));
        assertEquals(all.map((stored) => stored.level), batches.flat().map((given) => given.level));
        assertEquals(store.events.after(runId("r"), from, 1000), all.slice(from));
        assertEquals(store.events.tail(runId("r"), from), from === 0 ? [] : all.slice(-from));
        store.close();
      },
    ),
    { numRuns: cases(60, 20) },
  );
});

Deno.test("EventLog never keeps a message longer than 8 KiB, nor half a character", () => {
  const store = openStore(":memory:");
  store.runs.add(newRun({ runId: runId("r") }));
  const character = fc.constantFrom("a", "é", "你", "💥", " ");
  const long = fc.tuple(
    fc.array(character, { minLength: 1, maxLength: 5 }),
    fc.integer({ min: 1500, max: 9000 }),
  )
    .map(([unit, times]) => unit.join("").repeat(times));
  let seq = 0;
  fc.assert(
    fc.property(long, (message) => {
      store.events.append(runId("r"), [{ at: 1, level: "info", type: "log", message }]);
      const stored = store.events.after(runId("r"), seq++, 1)[0]?.message ?? "";
      assert(new TextEncoder().encode(stored).length <= 8192);
      assert(
        stored === message || (stored.endsWith("…") && message.startsWith(stored.slice(0, -1))),
      );
    }),
    { numRuns: 40 },
  );
  store.close();
});
