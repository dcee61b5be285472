// Laws of runs and their events over any sequence of requests, on real SQLite.

import { runId } from "../../src/ids.ts";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { AmofError } from "../../src/error.ts";
import { ACTIVE_STATUSES, type RunStatus, STATUSES } from "../../src/store/mod.ts";
import { openStore } from "../../src/store/open.ts";
import { newRun } from "../unit/store/_records.ts";

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
    const locks = new Map<string, string | null>();
    let at = 1;
    for (const asked of steps) {
      at++;
      const before = ids.map((id) => store.runs.get(id));
      if (asked.kind === "add") {
        const id = `r${ids.length}`;
        const held = asked.lock !== null && store.runs.holder(asked.lock) !== null;
        assertEquals(store.runs.add(newRun({ runId: runId(id), lockKey: asked.lock })), !held);
        if (held) continue;
        ids.push(id);
        locks.set(id, asked.lock);
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
          locks.get(id) === lock && ACTIVE_STATUSES.includes(store.runs.get(id)?.status ?? "failed")
        );
        assert(active.length <= 1);
        assertEquals(store.runs.holder(lock)?.runId ?? null, active[0] ?? null);
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

Deno.test("EventLog numbers events from one without gaps, however they are appended", () => {
  const event = fc.record({
    at: fc.nat(),
    level: fc.constantFrom("debug" as const, "info" as const, "warn" as const, "error" as const),
    type: fc.constantFrom("log", "state"),
    message: fc.string({ unit: "binary", maxLength: 20 }),
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
    { numRuns: 60 },
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
