/**
 * Finds and settles what interrupted mutations left: the next command that changes the ecosystem does it
 * first, and the others say so (design §5).
 *
 * @module
 */

// @ts-types="@types/std/path.d.ts"
import { join } from "@std/path";
import { recover, type Settled } from "../journal/mod.ts";
import { claim, isFinal, lockKey, reconcile } from "../run/mod.ts";
import type { Layout, Store, UnfinishedJournal } from "../store/mod.ts";
import type { System } from "../system/mod.ts";
import type { App } from "./app.ts";
import { type Caller, executeContext, type Target } from "./context.ts";
import { OPERATIONS } from "./operations.ts";
import { workOn } from "./run_work.ts";

/** What a reader is told about interrupted work. */
export interface Leftover {
  readonly run_id: string;
  readonly action: string;
  readonly steps_begun: number;
  readonly steps: number;
}

/** The journals of an ecosystem whose run has ended without closing them. */
function abandoned(store: Store, target: Target): UnfinishedJournal[] {
  return store.journal.unfinished(target.root, target.ecosystem).filter((journal) => {
    const run = store.runs.get(journal.runId);
    return run === null || isFinal(run.status);
  });
}

/**
 * The interrupted work of an ecosystem. Costs one directory listing when there is none on this machine:
 * the store is not opened then.
 */
export async function findLeftovers(
  system: System,
  layout: Layout,
  openStore: () => Promise<Store>,
  target: Target,
): Promise<Leftover[]> {
  if ((await system.files.list(join(layout.state, "unfinished"))).length === 0) return [];
  const store = await openStore();
  await reconcile(store, system);
  return abandoned(store, target).map((journal) => ({
    run_id: journal.runId,
    action: journal.action,
    steps_begun: journal.entries.filter((entry) => entry.state !== "planned").length,
    steps: journal.entries.length,
  }));
}

/**
 * Finishes or undoes the interrupted work of an ecosystem under its lock, as a run of its own. Answers what
 * was settled; throws `ecosystem_busy`, or why something could not be settled.
 */
export async function settleLeftovers(
  app: App,
  caller: Caller,
  target: Target,
): Promise<readonly Settled[]> {
  const { system } = app;
  const store = await app.store();
  await reconcile(store, system);
  const journals = abandoned(store, target);
  if (journals.length === 0) return [];
  const runId = system.ids.uuid();
  await claim(
    {
      runId,
      ...target,
      action: "repair",
      tool: "amof_doctor",
      args: {},
      lockKey: lockKey(target.root, target.ecosystem),
      createdAt: system.clock.now(),
      sessionId: caller.session.id,
      origin: caller.door,
      requestedBy: caller.client,
      confirmation: null,
      fingerprint: "",
      preview: {},
      inline: true,
    },
    store,
    system,
  );
  const settled: Settled[] = [];
  const abort = new AbortController();
  const end = await workOn(store, system, runId, "repair", abort, async (report, signal) => {
    const ctx = await executeContext(app, { ...caller, report, signal }, target, runId);
    for (const journal of journals) {
      settled.push(await recover(ctx, { table: store.journal, operations: OPERATIONS }, journal));
    }
    return { data: { settled } };
  });
  if (end?.failure) throw end.failure;
  return settled;
}
