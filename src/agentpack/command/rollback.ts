/**
 * `rollback` (agentpack.md §4.6).
 *
 * @module
 */

import { withHomeLock } from "../engine/lock.ts";
import { rollBack } from "../engine/rollback.ts";
import { homeOf } from "../identity/home.ts";
import type { Answer, Pack, Selection } from "../pack.ts";

/** `data` of `rollback`. */
export interface RollbackData {
  readonly rolled_back_to: string;
  /** The id of the rollback's own record. */
  readonly event_snapshot_id: string;
}

/** Rolls back to a snapshot; only its id decides, profile and target are ignored. */
export async function rollback(
  pack: Pack,
  selection: Selection,
  options: { readonly to: string },
): Promise<Answer<RollbackData>> {
  const home = homeOf(pack.system.env, selection.repo);
  return await withHomeLock(pack.system, home, async (held) => {
    const done = await rollBack(pack, held, options.to);
    return {
      data: { rolled_back_to: options.to, event_snapshot_id: done.event },
      warnings: [...held.warnings, ...done.warnings],
    };
  });
}
