/** Finds what interrupted mutations left. */

import { join } from "@std/path";
import { isFinal, reconcile } from "../runs/mod.ts";
import type { UnfinishedWork } from "../contract/mod.ts";
import type { Layout, Store, UnfinishedJournal } from "../state/store/mod.ts";
import type { System } from "../base/system/mod.ts";

/** The journals of an ecosystem, with all its tickets, whose run has ended without closing them. */
export function abandoned(
  store: Store,
  target: { readonly root: string; readonly ecosystem: string },
): UnfinishedJournal[] {
  return store.journal.unfinished(target.root, target.ecosystem).filter((journal) => {
    const run = store.runs.get(journal.runId);
    return run === null || isFinal(run.status);
  });
}

/**
 * The interrupted work of an ecosystem, or that of the ticket that is meant alone. Costs one directory listing when there is none on this machine:
 * the store is not opened then.
 */
export async function findUnfinished(
  system: System,
  layout: Layout,
  openStore: () => Promise<Store>,
  target: { readonly root: string; readonly ecosystem: string; readonly ticket: string | null },
): Promise<UnfinishedWork[]> {
  if ((await system.files.list(join(layout.state, "unfinished"))).length === 0) return [];
  const store = await openStore();
  await reconcile(store, system);
  const { ticket } = target;
  const found = abandoned(store, target);
  return found.filter((left) => ticket === null || left.ticket === ticket).map((journal) => ({
    run_id: journal.runId,
    action: journal.action,
    steps_begun: journal.entries.filter((entry) => entry.state !== "planned").length,
    steps: journal.entries.length,
  }));
}
