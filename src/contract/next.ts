/**
 * How a command says what may follow its answer (NEXT-5).
 *
 * @module
 */

/** The id of an action that can be suggested (NEXT-2). */
export type ActionId =
  | "list_ecosystems"
  | "get_server_status"
  | "get_active_runs"
  | "list_runs"
  | "get_global_telemetry"
  | "switch_ecosystem"
  | "get_ecosystem_status"
  | "describe_ecosystem"
  | "back_to_ecosystem"
  | "validate_manifest"
  | "install_ecosystem"
  | "sync_ecosystem"
  | "push_ecosystem"
  | "ticket_start"
  | "ticket_list"
  | "ticket_switch"
  | "ticket_end"
  | "spin_status"
  | "get_run_status"
  | "get_run_logs"
  | "summarize_run"
  | "release_status"
  | "release_validate"
  | "release_log"
  | "release_promote_beta"
  | "release_promote_rc"
  | "release_promote_stable"
  | "release_bump_alpha"
  | "campaign_show"
  | "campaign_approve"
  | "campaign_push"
  | "campaign_status"
  | "campaign_update"
  | "campaign_close"
  | "server_start"
  | "server_restart"
  | "stocktrim_products"
  | "stocktrim_suppliers"
  | "stocktrim_purchase_orders"
  | "stocktrim_order_plan"
  | "confirm"
  | "cancel_confirm";

/** A rule that looks at the answer before it offers anything. */
export type NextRule =
  | "ecosystems"
  | "switched"
  | "described"
  | "status"
  | "tickets"
  | "environment"
  | "campaign"
  | "server"
  | "server_changed"
  | "run"
  | "runs"
  | "release_status"
  | "release_validate"
  | "release_changed"
  | "releases"
  | "any_release";
