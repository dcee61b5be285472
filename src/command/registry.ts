/**
 * The list of all commands, in the order of help and tool list.
 *
 * A command is loaded when it is called, or when its flags or its schema are asked for. What everything else needs to
 * know of it, `facts.ts` holds as data.
 *
 * @module
 */

import type { Command, Known, KnownMutation } from "../contract/mod.ts";
import { FACTS } from "./facts.ts";

/** A command of the list: what is known of it, and how to get the rest. */
export type Listed = Known & {
  /** Loads the module that declares it. */
  readonly load: () => Promise<Command>;
};

/** Where each command is declared, by its tool name, in the order of help and tool list. */
export const PLACES: Readonly<Record<string, () => Promise<Command>>> = {
  amof_list_ecosystems: async () => (await import("../ecosystem/looks.ts")).listEcosystems,
  amof_create_ecosystem: async () => (await import("../ecosystem/commands.ts")).createEcosystem,
  amof_describe_ecosystem: async () => (await import("../ecosystem/looks.ts")).describeEcosystem,
  amof_switch_ecosystem: async () => (await import("../ecosystem/looks.ts")).switchEcosystem,
  amof_install_ecosystem: async () => (await import("../ecosystem/commands.ts")).install,
  amof_lock_ecosystem: async () => (await import("../ecosystem/commands.ts")).lock,
  amof_get_ecosystem_status: async () => (await import("../ecosystem/looks.ts")).status,
  amof_get_commits: async () => (await import("../ecosystem/looks.ts")).log,
  amof_get_diff: async () => (await import("../ecosystem/looks.ts")).diff,
  amof_search_files: async () => (await import("../ecosystem/looks.ts")).grep,
  amof_list_branches: async () => (await import("../ecosystem/looks.ts")).branches,
  amof_get_repo_path: async () => (await import("../ecosystem/looks.ts")).path,
  amof_sync_ecosystem: async () => (await import("../ecosystem/commands.ts")).sync,
  amof_commit_ecosystem: async () => (await import("../ecosystem/commands.ts")).commit,
  amof_push_ecosystem: async () => (await import("../ecosystem/commands.ts")).push,
  amof_exec: async () => (await import("../ecosystem/commands.ts")).exec,
  amof_start_campaign: async () => (await import("../campaign/commands.ts")).startCampaign,
  amof_show_campaign: async () => (await import("../campaign/commands.ts")).showCampaign,
  amof_approve_campaign: async () => (await import("../campaign/commands.ts")).approveCampaign,
  amof_push_campaign: async () => (await import("../campaign/commands.ts")).pushCampaign,
  amof_get_campaign_status: async () => (await import("../campaign/commands.ts")).campaignStatus,
  amof_update_campaign: async () => (await import("../campaign/commands.ts")).updateCampaign,
  amof_close_campaign: async () => (await import("../campaign/commands.ts")).closeCampaign,
  amof_agent_run: async () => (await import("../ecosystem/commands.ts")).agentRun,
  amof_run_task: async () => (await import("../ecosystem/commands.ts")).runTask,
  amof_list_tasks: async () => (await import("../ecosystem/commands.ts")).listTasks,
  amof_exec_trust: async () => (await import("../ecosystem/commands.ts")).execTrust,
  amof_list_exec_approvals: async () => (await import("../ecosystem/commands.ts")).listTrusted,
  amof_list_mirrors: async () => (await import("../ecosystem/commands.ts")).listMirrors,
  amof_fetch_mirrors: async () => (await import("../ecosystem/commands.ts")).fetchMirrors,
  amof_prune_mirrors: async () => (await import("../ecosystem/commands.ts")).pruneMirrors,
  amof_archive_ecosystem: async () => (await import("../archive/commands.ts")).archive,
  amof_list_archives: async () => (await import("../archive/commands.ts")).listArchives,
  amof_restore_archive: async () => (await import("../archive/commands.ts")).restoreArchive,
  amof_discard_ecosystem: async () => (await import("../ecosystem/commands.ts")).discard,
  amof_ticket_start: async () => (await import("../ticket/commands.ts")).startTicket,
  amof_ticket_list: async () => (await import("../ticket/commands.ts")).listTickets,
  amof_ticket_switch: async () => (await import("../ticket/commands.ts")).switchTicket,
  amof_ticket_path: async () => (await import("../ticket/commands.ts")).ticketPath,
  amof_ticket_env: async () => (await import("../ticket/commands.ts")).ticketEnv,
  amof_ticket_update: async () => (await import("../ticket/commands.ts")).updateTicket,
  amof_ticket_conflicts: async () => (await import("../ticket/commands.ts")).ticketConflicts,
  amof_ticket_try: async () => (await import("../ticket/commands.ts")).tryJoined,
  amof_ticket_add: async () => (await import("../ticket/commands.ts")).addToTicket,
  amof_ticket_detach: async () => (await import("../ticket/commands.ts")).detachTicket,
  amof_ticket_move: async () => (await import("../ticket/commands.ts")).moveTicket,
  amof_ticket_end: async () => (await import("../ticket/commands.ts")).endTicket,
  amof_spin_status: async () => (await import("../spin/commands.ts")).spinStatus,
  amof_spin_deploy: async () => (await import("../spin/commands.ts")).spinDeploy,
  amof_spin_destroy: async () => (await import("../spin/commands.ts")).spinDestroy,
  amof_spin_trust: async () => (await import("../spin/commands.ts")).spinTrust,
  amof_validate_manifest: async () => (await import("../ecosystem/looks.ts")).validateManifest,
  amof_show_manifest: async () => (await import("../ecosystem/looks.ts")).showManifest,
  amof_add_repo: async () => (await import("../repo/commands.ts")).addRepo,
  amof_remove_repo: async () => (await import("../repo/commands.ts")).removeRepo,
  amof_rename_repo: async () => (await import("../repo/commands.ts")).renameRepo,
  amof_trust_repo: async () => (await import("../repo/commands.ts")).trustRepo,
  amof_release_status: async () => (await import("../release/commands.ts")).releaseStatus,
  amof_release_validate: async () => (await import("../release/commands.ts")).releaseValidate,
  amof_release_bump: async () => (await import("../release/commands.ts")).releaseBump,
  amof_release_promote: async () => (await import("../release/commands.ts")).releasePromote,
  amof_release_log: async () => (await import("../release/commands.ts")).releaseLog,
  amof_release_show: async () => (await import("../release/commands.ts")).releaseShow,
  amof_release_init: async () => (await import("../release/commands.ts")).releaseInit,
  amof_release_push: async () => (await import("../release/commands.ts")).releasePush,
  amof_release_train_status: async () => (await import("../release/commands.ts")).trainStatus,
  amof_release_train_bump: async () => (await import("../release/commands.ts")).trainBump,
  amof_release_train_promote: async () => (await import("../release/commands.ts")).trainPromote,
  amof_list_runs: async () => (await import("../runs/commands.ts")).listRuns,
  amof_get_active_runs: async () => (await import("../runs/commands.ts")).activeRuns,
  amof_get_run_status: async () => (await import("../runs/commands.ts")).runStatus,
  amof_get_run_logs: async () => (await import("../runs/commands.ts")).runLogs,
  amof_summarize_run: async () => (await import("../runs/commands.ts")).runSummaryCommand,
  amof_cancel_run: async () => (await import("../runs/commands.ts")).cancelRunCommand,
  amof_prune_runs: async () => (await import("../runs/commands.ts")).pruneRuns,
  amof_create_journal: async () => (await import("../ecosystem/commands.ts")).addJournal,
  amof_get_server_status: async () => (await import("../server/commands.ts")).serverStatus,
  amof_server_start: async () => (await import("../server/commands.ts")).serverStart,
  amof_server_stop: async () => (await import("../server/commands.ts")).serverStop,
  amof_server_restart: async () => (await import("../server/commands.ts")).serverRestart,
  amof_get_global_telemetry: async () => (await import("../session/commands.ts")).globalTelemetry,
  amof_agent_stats: async () => (await import("../session/commands.ts")).agentStats,
  amof_confirm: async () => (await import("../session/commands.ts")).confirm,
  amof_cancel_confirm: async () => (await import("../session/commands.ts")).cancelConfirm,
  amof_approvals: async () => (await import("../session/commands.ts")).approvals,
  amof_audit: async () => (await import("../session/commands.ts")).auditCommand,
  amof_audit_verify: async () => (await import("../session/commands.ts")).auditVerify,
  amof_doctor: async () => (await import("../ecosystem/commands.ts")).doctor,
  amof_mcp_install: async () => (await import("../session/commands.ts")).mcpInstall,
  amof_check_engines: async () => (await import("../engine/commands.ts")).engineCheck,
  amof_operations: async () => (await import("../ecosystem/commands.ts")).listOperations,
  amof_undo: async () => (await import("../undo/commands.ts")).undo,
  amof_set_mode: async () => (await import("../session/commands.ts")).setMode,
  amof_scope_info: async () => (await import("../session/commands.ts")).scopeInfo,
  amof_scope_back: async () => (await import("../session/commands.ts")).scopeBack,
  stocktrim_products_search: async () => (await import("../stocktrim/commands.ts")).searchProducts,
  stocktrim_product_get: async () => (await import("../stocktrim/commands.ts")).getProduct,
  stocktrim_product_save: async () => (await import("../stocktrim/commands.ts")).saveProduct,
  stocktrim_product_delete: async () => (await import("../stocktrim/commands.ts")).deleteProduct,
  stocktrim_customers_list: async () => (await import("../stocktrim/commands.ts")).listCustomers,
  stocktrim_customer_get: async () => (await import("../stocktrim/commands.ts")).getCustomer,
  stocktrim_suppliers_list: async () => (await import("../stocktrim/commands.ts")).listSuppliers,
  stocktrim_supplier_get: async () => (await import("../stocktrim/commands.ts")).getSupplier,
  stocktrim_supplier_save: async () => (await import("../stocktrim/commands.ts")).saveSupplier,
  stocktrim_supplier_delete: async () => (await import("../stocktrim/commands.ts")).deleteSupplier,
  stocktrim_locations_list: async () => (await import("../stocktrim/commands.ts")).listLocations,
  stocktrim_location_create: async () => (await import("../stocktrim/commands.ts")).createLocation,
  stocktrim_inventory_set: async () => (await import("../stocktrim/commands.ts")).setInventory,
  stocktrim_purchase_orders_list: async () =>
    (await import("../stocktrim/commands.ts")).listPurchaseOrders,
  stocktrim_purchase_order_get: async () =>
    (await import("../stocktrim/commands.ts")).getPurchaseOrder,
  stocktrim_purchase_order_create: async () =>
    (await import("../stocktrim/commands.ts")).createPurchaseOrder,
  stocktrim_purchase_order_delete: async () =>
    (await import("../stocktrim/commands.ts")).deletePurchaseOrder,
  stocktrim_purchase_orders_generate: async () =>
    (await import("../stocktrim/commands.ts")).generatePurchaseOrders,
  stocktrim_sales_orders_list: async () =>
    (await import("../stocktrim/commands.ts")).listSalesOrders,
  stocktrim_sales_order_create: async () =>
    (await import("../stocktrim/commands.ts")).createSalesOrder,
  stocktrim_sales_orders_delete: async () =>
    (await import("../stocktrim/commands.ts")).deleteSalesOrders,
  stocktrim_order_plan: async () => (await import("../stocktrim/commands.ts")).orderPlan,
  stocktrim_forecast_run: async () => (await import("../stocktrim/commands.ts")).runForecast,
};

/** Every command. */
export const COMMANDS: readonly Listed[] = FACTS.flatMap((facts) => {
  const load = PLACES[facts.name];
  return load === undefined ? [] : [{ ...facts, load }];
});

/** The command with this tool name or alias, or null. */
export function findCommand(name: string): Listed | null {
  return COMMANDS.find((command) => command.name === name || command.aliases?.includes(name)) ??
    null;
}

/** The command with this tool name or alias, loaded; null where there is none. */
export async function loadCommand(name: string): Promise<Command | null> {
  return await findCommand(name)?.load() ?? null;
}

/** A command that is there for certain, because the program itself needs it, loaded. */
export async function ownCommand(name: string): Promise<Command> {
  const command = await loadCommand(name);
  if (command === null) throw new TypeError(`There is no command ${name}`);
  return command;
}

/** The command whose runs are called so, or null. */
export function commandOfRun(action: string): KnownMutation | null {
  for (const command of COMMANDS) {
    if (command.kind === "mutation" && command.runs === action) return command;
  }
  return null;
}
