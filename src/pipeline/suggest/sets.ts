/** The predefined sets of actions; the priority is the position (NEXT-3). */

import type { Condition } from "./conditions.ts";
import type { ActionId } from "../../contract/next.ts";
import { inOrder, type Offer } from "./offer.ts";

const SETS = {
  "global.default": [
    "list_ecosystems",
    "get_server_status",
    "get_active_runs",
    "get_global_telemetry",
  ],
  "ecosystem.after_install": ["get_ecosystem_status", "sync_ecosystem", "ticket_start"],
  "ecosystem.after_sync": [
    "get_ecosystem_status",
    // A sync does not tell what there is to push; the status does.
    { id: "get_active_runs", says: "show_runs" },
  ],
  "ecosystem.after_commit": ["push_ecosystem", "get_ecosystem_status"],
  "ecosystem.dirty_repos": [
    // A push commits nothing unless it is told to, and then dirty repositories would stay behind.
    { id: "push_ecosystem", says: "commit_and_push", args: { commit: true } },
    "get_ecosystem_status",
    "sync_ecosystem",
  ],
  "ecosystem.no_ticket": ["ticket_start", "ticket_list"],
  "ecosystem.default": ["get_ecosystem_status", "sync_ecosystem", "ticket_list"],
  "run.queued": ["get_run_status"],
  "run.paused": ["get_run_status"],
  "run.running": [
    { id: "get_run_status", says: "refresh" },
    { id: "get_run_logs", says: "stream_logs" },
  ],
  "run.success": ["summarize_run", "get_run_logs", "back_to_ecosystem"],
  "run.failed": ["get_run_logs", "summarize_run", "back_to_ecosystem"],
  "run.cancelled": ["get_run_logs", "summarize_run", "back_to_ecosystem"],
  "release.alpha": ["release_promote_beta", "release_status", "release_validate"],
  "release.beta": ["release_promote_rc", "release_validate", "release_log"],
  "release.rc": ["release_promote_stable", "release_validate", "release_log"],
  "release.stable": ["release_log", "release_status"],
  "release.default": ["release_status", "release_log"],
  "server.default": ["get_server_status", "list_ecosystems"],
  post_destructive: ["list_ecosystems"],
  async_started: ["get_run_status", { id: "get_run_logs", says: "stream_logs" }],
} as const satisfies Readonly<Record<string, readonly (ActionId | Offer)[]>>;

/** The name of a set of NEXT-3. */
export type SetName = keyof typeof SETS;

/** The offers of a set, each with the condition for which the set was chosen (NEXT-3). */
export function offersOf(name: SetName, condition: Condition | null = null): Offer[] {
  return inOrder(SETS[name], condition);
}
