/** Settles what interrupted mutations left: the next command that changes the ecosystem does it first (STEP-5). */

import { runId as newRunId } from "../base/ids.ts";
import { join } from "@std/path";
import { recover, type Settled } from "../runs/steps/mod.ts";
import { isFinal, reconcile } from "../runs/mod.ts";
import { claim, concerns, locksAt, together } from "../runs/changing.ts";
import type { Lock, Store, UnfinishedJournal } from "../state/store/mod.ts";
import type { App } from "./app.ts";
import { type Caller, executeContext, type Target } from "./context.ts";
import { ticketIn } from "./locks.ts";
import { findCommand } from "./registry.ts";
import { workOn } from "./run_work.ts";
import { abandoned } from "./unfinished.ts";
import { WINGS } from "./wings.ts";

const RUN_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Removes markers that were left between a journal's opening or closing and the marker's own. Nothing else: other
 * processes work in that directory at the same time.
 */
async function sweepMarkers(app: App, store: Store): Promise<void> {
  const directory = join(app.layout.state, "unfinished");
  for (const { name } of await app.system.files.list(directory)) {
    if (!RUN_ID.test(name)) continue;
    const run = store.runs.get(name);
    const idle = run === null || isFinal(run.status);
    if (idle && !store.journal.isOpen(newRunId(name))) {
      await app.system.files.remove(join(directory, name));
    }
  }
}

/** The locks under which a journal is settled: those of its run, or the ecosystem where they are not known. */
function locksOfJournal(journal: UnfinishedJournal): readonly Lock[] {
  return journal.locks.length > 0 ? journal.locks : locksAt("ecosystem", journal);
}

/** The ticket that all of some journals are about, or null. */
function commonTicket(journals: readonly UnfinishedJournal[]): string | null {
  const [ticket = null, ...others] = new Set(journals.map((journal) => journal.ticket));
  return others.length === 0 ? ticket : null;
}

/**
 * Finishes or undoes the interrupted work that stands in the way of whoever takes some locks, under the locks that it
 * was begun with, as a run of its own. Answers what was settled; throws `ecosystem_busy`, or why something could not be
 * settled.
 */
export async function settleUnfinished(
  app: App,
  caller: Caller,
  target: Target,
  taken: readonly Lock[],
): Promise<readonly Settled[]> {
  const { system } = app;
  const store = await app.store();
  await reconcile(store, system);
  await sweepMarkers(app, store);
  const journals = abandoned(store, target)
    .filter((journal) => concerns(taken, locksOfJournal(journal)));
  if (journals.length === 0) return [];
  const { OPERATIONS } = await import("./operations.ts");
  const runId = newRunId(system.ids.uuid());
  await claim(
    {
      runId,
      ...target,
      ticket: commonTicket(journals),
      action: "repair",
      tool: "amof_doctor",
      args: {},
      locks: together(journals.flatMap(locksOfJournal)),
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
  const run = { store, system, runId, action: "repair", abort };
  const end = await workOn(run, async (report, signal) => {
    for (const journal of journals) {
      const ticket = ticketIn(findCommand(journal.tool), journal);
      const place = { ...target, ticket };
      const ctx = await executeContext(app, { ...caller, report, signal }, place, { runId });
      const one = await recover(ctx, { table: store.journal, operations: OPERATIONS }, journal);
      for (const wing of WINGS) await wing.settled?.(ctx, one);
      settled.push(one);
    }
    return { data: { settled } };
  });
  if (end?.failure) throw end.failure;
  return settled;
}
