/** What runs have left on engines, as the wings tell it. */

import type { ArrayLeft } from "../contract/mod.ts";
import { cancelRun } from "../runs/changing.ts";
import type { RunRecord } from "../state/store/mod.ts";
import type { App } from "./app.ts";
import { firstOfWings } from "./wings.ts";

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
