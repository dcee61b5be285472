/** Every kind of journaled step, by name: what a later process needs to settle what an earlier one left. */

import { ARCHIVE_OPERATIONS } from "../commands/archive/operations.ts";
import { scaffoldEcosystem } from "../commands/ecosystem/create/scaffold.ts";
import { pinClones } from "../commands/lock/pin.ts";
import { REMOVAL_OPERATIONS } from "../commands/removal/removal.ts";
import { WORKSPACE_OPERATIONS } from "../workspace/changing.ts";
import { RELEASE_OPERATIONS } from "../commands/release/operations.ts";
import { TRAIN_OPERATIONS } from "../commands/release/train/operations.ts";
import { TICKET_OPERATIONS } from "../commands/ticket/steps/branch.ts";
import { type OperationTable, operationTable } from "../runs/steps/mod.ts";
import { firstOfWings, WINGS } from "./wings.ts";
import type { ArrayLeft } from "../contract/mod.ts";
import { cancelRun } from "../runs/changing.ts";
import type { RunRecord } from "../state/store/mod.ts";
import type { App } from "./app.ts";

let table: Promise<OperationTable> | undefined;

/** The operations of all domains. */
export function operations(): Promise<OperationTable> {
  return table ??= Promise.all(WINGS.map(({ operations }) => operations?.() ?? [])).then((wings) =>
    operationTable([
      ...WORKSPACE_OPERATIONS,
      ...REMOVAL_OPERATIONS,
      pinClones,
      scaffoldEcosystem,
      ...TICKET_OPERATIONS,
      ...ARCHIVE_OPERATIONS,
      ...RELEASE_OPERATIONS,
      ...TRAIN_OPERATIONS,
      ...wings.flat(),
    ])
  );
}

// What runs have left on engines, as the wings tell it.

/** How long a worker may wait until its engine has ended everything: pods and jobs get a minute, and a node may not answer. */
const ENGINE_GRACE_MS = 150_000;

/** The array of a run that its engine may still work on, or null. */
export async function arrayOf(app: App, run: string): Promise<Pick<ArrayLeft, "engine"> | null> {
  return await firstOfWings(({ arrays }) => arrays?.of(app, run));
}

/** Ends a run; one that has work on an engine gets the time that takes. */
export async function cancelWithArray(app: App, run: RunRecord): Promise<RunRecord> {
  const least = await arrayOf(app, run.runId) === null ? 0 : ENGINE_GRACE_MS;
  return await cancelRun(run, { store: await app.store(), system: app.system, least });
}

/**
 * Ends what an engine still does for a run that has ended; null where there is nothing. Throws `engine_unavailable` where
 * the engine cannot be reached.
 */
export async function endLeftArray(app: App, run: RunRecord): Promise<ArrayLeft | null> {
  return await firstOfWings(({ arrays }) => arrays?.end(app, run));
}
