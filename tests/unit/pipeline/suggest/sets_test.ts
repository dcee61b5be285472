/**
 * The sets that rules choose from (NEXT-3).
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { ActionId } from "../../../../src/contract/next.ts";
import { offersOf, type SetName, WORDS } from "../../../../src/pipeline/suggest/offer.ts";

/** The sets of NEXT-3. */
const SETS: Readonly<Record<SetName, readonly ActionId[]>> = {
  "global.default": [
    "list_ecosystems",
    "get_server_status",
    "get_active_runs",
    "get_global_telemetry",
  ],
  "ecosystem.after_install": ["get_ecosystem_status", "sync_ecosystem", "ticket_start"],
  "ecosystem.after_sync": ["get_ecosystem_status", "get_active_runs"],
  "ecosystem.after_commit": ["push_ecosystem", "get_ecosystem_status"],
  "ecosystem.dirty_repos": ["push_ecosystem", "get_ecosystem_status", "sync_ecosystem"],
  "ecosystem.no_ticket": ["ticket_start", "ticket_list"],
  "ecosystem.default": ["get_ecosystem_status", "sync_ecosystem", "ticket_list"],
  "run.queued": ["get_run_status"],
  "run.paused": ["get_run_status"],
  "run.running": ["get_run_status", "get_run_logs"],
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
  async_started: ["get_run_status", "get_run_logs"],
};

for (const [name, expected] of Object.entries(SETS)) {
  Deno.test(`offersOf() gives the set ${name} with priorities by position`, () => {
    const offers = offersOf(name as SetName);
    assertEquals(offers.map((offer) => offer.id), [...expected]);
    assertEquals(offers.map((offer) => offer.priority), expected.map((_, index) => index + 1));
  });
}

Deno.test("offersOf() labels what a running run offers", () => {
  const labels = (name: SetName) => offersOf(name).map((offer) => WORDS[offer.says ?? offer.id][0]);
  assertEquals(labels("run.running"), ["Refresh", "Stream logs"]);
  assertEquals(labels("async_started")[1], "Stream logs");
  assertEquals(labels("ecosystem.after_sync")[1], "Show runs");
});
