/**
 * Every action that can be suggested, as data (NEXT-2). Where it applies and how safe it is says its command.
 *
 * Tools that a server does not offer may stand here: an action exists only where its tool does.
 *
 * @module
 */

import type { Fields } from "../object.ts";
import type { ActionId } from "../contract/next.ts";

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

/**
 * The actions by id (NEXT-2). `spin_status` is to environments what `get_ecosystem_status` is to repositories.
 */
export const DEFINITIONS: Readonly<Record<ActionId, Definition>> = {
  list_ecosystems: {
    tool: "amof_list_ecosystems",
    needs: [],
    priority: 1,
  },
  get_server_status: {
    tool: "amof_get_server_status",
    needs: [],
    priority: 2,
  },
  get_active_runs: {
    tool: "amof_get_active_runs",
    needs: [],
    priority: 3,
  },
  list_runs: {
    tool: "amof_list_runs",
    needs: [],
    priority: 3,
  },
  get_global_telemetry: {
    tool: "amof_get_global_telemetry",
    needs: [],
    priority: 4,
  },
  switch_ecosystem: {
    tool: "amof_switch_ecosystem",
    needs: ["ecosystem"],
    priority: 1,
  },
  get_ecosystem_status: {
    tool: "amof_get_ecosystem_status",
    needs: ["ecosystem"],
    priority: 2,
  },
  describe_ecosystem: {
    tool: "amof_describe_ecosystem",
    needs: ["ecosystem"],
    priority: 2,
  },
  back_to_ecosystem: {
    tool: "amof_get_ecosystem_status",
    needs: ["ecosystem"],
    priority: 3,
  },
  validate_manifest: {
    tool: "amof_validate_manifest",
    needs: ["ecosystem"],
    priority: 3,
  },
  install_ecosystem: {
    tool: "amof_install_ecosystem",
    needs: ["ecosystem"],
    priority: 1,
  },
  sync_ecosystem: {
    tool: "amof_sync_ecosystem",
    needs: ["ecosystem"],
    priority: 3,
  },
  push_ecosystem: {
    tool: "amof_push_ecosystem",
    needs: ["ecosystem"],
    priority: 1,
  },
  ticket_start: {
    tool: "amof_ticket_start",
    needs: ["ecosystem"],
    // The tool needs an id, and only a person knows it: this one stands for it.
    args: { ticket_id: "TICKET-ID" },
    priority: 1,
  },
  ticket_list: {
    tool: "amof_ticket_list",
    needs: ["ecosystem"],
    priority: 3,
  },
  ticket_switch: {
    tool: "amof_ticket_switch",
    needs: ["ecosystem", "ticket_id"],
    priority: 1,
  },
  spin_status: {
    tool: "amof_spin_status",
    needs: ["ecosystem"],
    priority: 2,
  },
  get_run_status: {
    tool: "amof_get_run_status",
    needs: ["run_id"],
    priority: 1,
  },
  get_run_logs: {
    tool: "amof_get_run_logs",
    needs: ["run_id"],
    priority: 2,
  },
  summarize_run: {
    tool: "amof_summarize_run",
    needs: ["run_id"],
    priority: 1,
  },
  release_status: {
    tool: "amof_release_status",
    needs: [],
    priority: 2,
  },
  release_validate: {
    tool: "amof_release_validate",
    needs: [],
    priority: 3,
  },
  release_log: {
    tool: "amof_release_log",
    needs: [],
    priority: 3,
  },
  release_promote_beta: {
    tool: "amof_release_promote",
    needs: [],
    args: { target: "beta" },
    priority: 1,
  },
  release_promote_rc: {
    tool: "amof_release_promote",
    needs: [],
    args: { target: "rc" },
    priority: 1,
  },
  release_promote_stable: {
    tool: "amof_release_promote",
    needs: [],
    priority: 1,
  },
  release_bump_alpha: {
    tool: "amof_release_bump",
    needs: [],
    args: { bump_type: "patch", pre_release: "alpha" },
    priority: 1,
  },
  campaign_show: {
    tool: "amof_show_campaign",
    needs: ["ecosystem", "campaign"],
    priority: 1,
  },
  campaign_approve: {
    tool: "amof_approve_campaign",
    needs: ["ecosystem", "campaign"],
    priority: 1,
  },
  campaign_push: {
    tool: "amof_push_campaign",
    needs: ["ecosystem", "campaign"],
    priority: 1,
  },
  campaign_status: {
    tool: "amof_get_campaign_status",
    needs: ["ecosystem", "campaign"],
    priority: 2,
  },
  campaign_update: {
    tool: "amof_update_campaign",
    needs: ["ecosystem", "campaign"],
    priority: 2,
  },
  campaign_close: {
    tool: "amof_close_campaign",
    needs: ["ecosystem", "campaign"],
    priority: 2,
  },
  server_start: {
    tool: "amof_server_start",
    needs: [],
    priority: 1,
  },
  server_restart: {
    tool: "amof_server_restart",
    needs: [],
    priority: 2,
  },
  stocktrim_products: {
    tool: "stocktrim_products_search",
    needs: [],
    priority: 2,
  },
  stocktrim_suppliers: {
    tool: "stocktrim_suppliers_list",
    needs: [],
    priority: 2,
  },
  stocktrim_purchase_orders: {
    tool: "stocktrim_purchase_orders_list",
    needs: [],
    priority: 2,
  },
  stocktrim_order_plan: {
    tool: "stocktrim_order_plan",
    needs: [],
    priority: 3,
  },
  confirm: {
    tool: "amof_confirm",
    needs: ["token"],
    priority: 1,
  },
  cancel_confirm: {
    tool: "amof_cancel_confirm",
    needs: ["token"],
    priority: 2,
  },
};
