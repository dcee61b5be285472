/**
 * Every action that can be suggested, as data (NEXT-2). Where it applies and how safe it is says its command.
 *
 * Tools that a server does not offer may stand here: an action exists only where its tool does.
 */

import type { Fields } from "../../base/object.ts";
import type { ActionId } from "../../contract/next.ts";
import type { ScopeName } from "../../contract/place.ts";
import { changesEnvironment } from "../../contract/mod.ts";
import { asText, continues, hasRemoved, type Situation } from "./answer.ts";

/** An argument that must be known before an action can be offered. */
type Needed = "ecosystem" | "run_id" | "ticket_id" | "campaign" | "token";

/** What is the same each time an action is offered. */
export interface Definition {
  readonly tool: string;
  /** Arguments taken from the answer; without one of them there is no action. */
  readonly needs: readonly Needed[];
  /** Arguments that never differ. */
  readonly args?: Fields;
  /** The priority where no rule gives another: 1 is the highest. */
  readonly priority: number;
}

function action(priority: number, tool: string, ...needs: readonly Needed[]): Definition {
  return { tool, needs, priority };
}

/** The actions by id (NEXT-2). `spin_status` is to environments what `get_ecosystem_status` is to repositories. */
export const DEFINITIONS: Readonly<Record<ActionId, Definition>> = {
  list_ecosystems: action(1, "amof_list_ecosystems"),
  get_server_status: action(2, "amof_get_server_status"),
  get_active_runs: action(3, "amof_get_active_runs"),
  list_runs: action(3, "amof_list_runs"),
  get_global_telemetry: action(4, "amof_get_global_telemetry"),
  switch_ecosystem: action(1, "amof_switch_ecosystem", "ecosystem"),
  get_ecosystem_status: action(2, "amof_get_ecosystem_status", "ecosystem"),
  describe_ecosystem: action(2, "amof_describe_ecosystem", "ecosystem"),
  back_to_ecosystem: action(3, "amof_get_ecosystem_status", "ecosystem"),
  validate_manifest: action(3, "amof_validate_manifest", "ecosystem"),
  install_ecosystem: action(1, "amof_install_ecosystem", "ecosystem"),
  restore_archive: action(1, "amof_restore_archive", "ecosystem"),
  sync_ecosystem: action(3, "amof_sync_ecosystem", "ecosystem"),
  push_ecosystem: action(1, "amof_push_ecosystem", "ecosystem"),
  ticket_start: {
    ...action(1, "amof_ticket_start", "ecosystem"),
    // The tool needs an id, and only a person knows it: this one stands for it.
    args: { ticket_id: "TICKET-ID" },
  },
  ticket_add: action(1, "amof_ticket_add", "ecosystem", "ticket_id"),
  ticket_list: action(3, "amof_ticket_list", "ecosystem"),
  ticket_switch: action(1, "amof_ticket_switch", "ecosystem", "ticket_id"),
  ticket_end: action(1, "amof_ticket_end", "ecosystem", "ticket_id"),
  ticket_update: action(1, "amof_ticket_update", "ecosystem", "ticket_id"),
  spin_status: action(2, "amof_spin_status", "ecosystem"),
  get_run_status: action(1, "amof_get_run_status", "run_id"),
  get_run_logs: action(2, "amof_get_run_logs", "run_id"),
  summarize_run: action(1, "amof_summarize_run", "run_id"),
  release_status: action(2, "amof_release_status"),
  release_validate: action(3, "amof_release_validate"),
  release_log: action(3, "amof_release_log"),
  release_promote_beta: {
    ...action(1, "amof_release_promote"),
    args: { target: "beta" },
  },
  release_promote_rc: {
    ...action(1, "amof_release_promote"),
    args: { target: "rc" },
  },
  release_promote_stable: action(1, "amof_release_promote"),
  release_bump_alpha: {
    ...action(1, "amof_release_bump"),
    args: { bump_type: "patch", pre_release: "alpha" },
  },
  release_init: action(1, "amof_release_init"),
  release_push: action(1, "amof_release_push"),
  pr_open: action(1, "amof_pr_open", "ecosystem", "ticket_id"),
  pr_status: action(2, "amof_pr_status", "ecosystem", "ticket_id"),
  pr_update: action(1, "amof_pr_update", "ecosystem", "ticket_id"),
  pr_land: action(1, "amof_pr_land", "ecosystem", "ticket_id"),
  campaign_show: action(1, "amof_show_campaign", "ecosystem", "campaign"),
  campaign_approve: action(1, "amof_approve_campaign", "ecosystem", "campaign"),
  campaign_push: action(1, "amof_push_campaign", "ecosystem", "campaign"),
  campaign_status: action(2, "amof_get_campaign_status", "ecosystem", "campaign"),
  campaign_update: action(2, "amof_update_campaign", "ecosystem", "campaign"),
  campaign_close: action(2, "amof_close_campaign", "ecosystem", "campaign"),
  server_start: action(1, "amof_server_start"),
  server_restart: action(2, "amof_server_restart"),
  stocktrim_products: action(2, "stocktrim_products_search"),
  stocktrim_suppliers: action(2, "stocktrim_suppliers_list"),
  stocktrim_purchase_orders: action(2, "stocktrim_purchase_orders_list"),
  stocktrim_order_plan: action(3, "stocktrim_order_plan"),
  confirm: action(1, "amof_confirm", "token"),
  cancel_confirm: action(2, "amof_cancel_confirm", "token"),
};

// The scope an answer is about, which actions belong there, and which shows how its thing stands (NEXT-9).

const READERS: Readonly<Record<ScopeName, ActionId>> = {
  global: "list_ecosystems",
  ecosystem: "get_ecosystem_status",
  run: "get_run_status",
  release: "release_status",
  server: "get_server_status",
};

/** The read-only status of the scope of the tool just called (NEXT-9). */
export function statusReader(situation: Situation): ActionId {
  // The status of a workspace that is not there can only fail; the description says so.
  const { command, find } = situation;
  if (command.next === "after_install") {
    return "describe_ecosystem";
  }
  // Before the first version there is a history, of none, and no status.
  if (command.name === DEFINITIONS.release_init.tool) return "release_log";
  if (command.next === "campaign") return "campaign_status";
  const ofEnvironment = find(DEFINITIONS.spin_status.tool) !== null;
  if (changesEnvironment(command) && ofEnvironment) return "spin_status";
  // Its commands are about nothing that amof itself keeps: each says what shows how things stand.
  if (command.toolset === "stocktrim" && typeof command.next === "object") {
    return command.next[0] ?? "stocktrim_products";
  }
  return READERS[toolScope(situation)];
}

/** Failures that say that the thing of the call's scope was not named or does not exist. */
const NOWHERE: ReadonlySet<string> = new Set([
  "ecosystem_not_found",
  "run_not_found",
  "scope_required",
  "root_not_found",
]);

/** The scope of the tool just called; one that moves the session, or is about it, has the session's. */
export function toolScope({ command, session, data, ecosystem }: Situation): ScopeName {
  // It can be called from anywhere; what follows is about the server.
  if (command.toolset === "server") return "server";
  // Data of a service belongs to no ecosystem.
  if (command.toolset === "stocktrim") return "global";
  if (command.kind === "navigation" || command.scope === "session") {
    const { scope } = session.place;
    return scope === "global" && asText(ecosystem) !== null ? "ecosystem" : scope;
  }
  // A question about all of them may have been asked about one.
  const narrowed = command.scope === "global" && command.kind === "query" &&
    asText(data["ecosystem"]) !== null;
  return narrowed ? "ecosystem" : command.scope;
}

/**
 * The scope an answer is about, which is that of the call and not of the place the session stands in. A call
 * that did not find its thing stands nowhere: only lists help then. A run that made an ecosystem ready, or took
 * something of it away, leads there.
 */
export function effectiveScope(situation: Situation): ScopeName {
  if (situation.failure !== null && NOWHERE.has(situation.failure.code)) return "global";
  const leads = continues(situation) !== null || hasRemoved(situation);
  return leads ? "ecosystem" : toolScope(situation);
}
