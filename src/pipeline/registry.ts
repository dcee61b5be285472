/**
 * The list of all commands, in the order of help and tool list.
 *
 * A command is loaded when it is called, or when its flags or its schema are asked for. What everything else needs to
 * know of it, `facts.ts` holds as data.
 */

import type { Command, Known, KnownMutation } from "../contract/mod.ts";
import { FACTS } from "./facts.ts";
import { WINGS } from "./wings.ts";

/** A command of the list: what is known of it, and how to get the rest. */
export type Listed = Known & {
  /** Loads the module that declares it. */
  readonly load: () => Promise<Command>;
};

/** Where each command of the core is declared, by its tool name. */
const CORE: Readonly<Record<string, () => Promise<Command>>> = {
  amof_list_ecosystems: async () => (await import("../commands/ecosystem/list.ts")).listEcosystems,
  amof_create_ecosystem: async () =>
    (await import("../commands/ecosystem/create/create.ts")).createEcosystem,
  amof_describe_ecosystem: async () =>
    (await import("../commands/ecosystem/describe.ts")).describeEcosystem,
  amof_switch_ecosystem: async () =>
    (await import("../commands/ecosystem/switch.ts")).switchEcosystem,
  amof_install_ecosystem: async () => (await import("../commands/install/install.ts")).install,
  amof_lock_ecosystem: async () => (await import("../commands/lock/lock.ts")).lock,
  amof_get_ecosystem_status: async () => (await import("../commands/status/status.ts")).status,
  amof_get_commits: async () => (await import("../commands/log.ts")).log,
  amof_get_diff: async () => (await import("../commands/diff/diff.ts")).diff,
  amof_search_files: async () => (await import("../commands/grep.ts")).grep,
  amof_list_branches: async () => (await import("../commands/branches.ts")).branches,
  amof_get_repo_path: async () => (await import("../commands/path.ts")).path,
  amof_sync_ecosystem: async () => (await import("../commands/sync/sync.ts")).sync,
  amof_commit_ecosystem: async () => (await import("../commands/commit/commit.ts")).commit,
  amof_push_ecosystem: async () => (await import("../commands/push/push.ts")).push,
  amof_list_mirrors: async () => (await import("../commands/mirror/list.ts")).listMirrors,
  amof_fetch_mirrors: async () => (await import("../commands/mirror/fetch.ts")).fetchMirrors,
  amof_prune_mirrors: async () => (await import("../commands/mirror/prune.ts")).pruneMirrors,
  amof_archive_ecosystem: async () => (await import("../commands/archive/archive.ts")).archive,
  amof_list_archives: async () => (await import("../commands/archive/list.ts")).listArchives,
  amof_restore_archive: async () =>
    (await import("../commands/archive/restore/restore.ts")).restoreArchive,
  amof_discard_ecosystem: async () => (await import("../commands/discard.ts")).discard,
  amof_ticket_start: async () => (await import("../commands/ticket/start/start.ts")).startTicket,
  amof_ticket_list: async () => (await import("../commands/ticket/list/list.ts")).listTickets,
  amof_ticket_switch: async () => (await import("../commands/ticket/switch.ts")).switchTicket,
  amof_ticket_path: async () => (await import("../commands/ticket/path.ts")).ticketPath,
  amof_ticket_env: async () => (await import("../commands/ticket/env.ts")).ticketEnv,
  amof_ticket_update: async () =>
    (await import("../commands/ticket/update/update.ts")).updateTicket,
  amof_ticket_conflicts: async () =>
    (await import("../commands/ticket/conflicts/conflicts.ts")).ticketConflicts,
  amof_ticket_try: async () => (await import("../commands/ticket/try/try.ts")).tryJoined,
  amof_ticket_add: async () => (await import("../commands/ticket/add/add.ts")).addToTicket,
  amof_ticket_detach: async () => (await import("../commands/ticket/detach.ts")).detachTicket,
  amof_ticket_move: async () => (await import("../commands/ticket/move/move.ts")).moveTicket,
  amof_ticket_end: async () => (await import("../commands/ticket/end/end.ts")).endTicket,
  amof_pr_open: async () => (await import("../commands/pr/open/open.ts")).prOpen,
  amof_pr_status: async () => (await import("../commands/pr/status.ts")).prStatus,
  amof_pr_update: async () => (await import("../commands/pr/update.ts")).prUpdate,
  amof_pr_land: async () => (await import("../commands/pr/land/land.ts")).prLand,
  amof_pr_revert: async () => (await import("../commands/pr/revert/revert.ts")).prRevert,
  amof_pr_close: async () => (await import("../commands/pr/close.ts")).prClose,
  amof_spin_status: async () => (await import("../commands/spin/status.ts")).spinStatus,
  amof_spin_deploy: async () => (await import("../commands/spin/deploy.ts")).spinDeploy,
  amof_spin_destroy: async () => (await import("../commands/spin/destroy.ts")).spinDestroy,
  amof_spin_trust: async () => (await import("../commands/spin/trust.ts")).spinTrust,
  amof_validate_manifest: async () =>
    (await import("../commands/manifest/validate.ts")).validateManifest,
  amof_show_manifest: async () => (await import("../commands/manifest/show.ts")).showManifest,
  amof_add_repo: async () => (await import("../commands/repo/add.ts")).addRepo,
  amof_remove_repo: async () => (await import("../commands/repo/remove.ts")).removeRepo,
  amof_rename_repo: async () => (await import("../commands/repo/rename.ts")).renameRepo,
  amof_trust_repo: async () => (await import("../commands/repo/trust.ts")).trustRepo,
  amof_release_status: async () => (await import("../commands/release/status.ts")).releaseStatus,
  amof_release_validate: async () =>
    (await import("../commands/release/validate.ts")).releaseValidate,
  amof_release_bump: async () => (await import("../commands/release/bump.ts")).releaseBump,
  amof_release_promote: async () => (await import("../commands/release/promote.ts")).releasePromote,
  amof_release_log: async () => (await import("../commands/release/log.ts")).releaseLog,
  amof_release_show: async () => (await import("../commands/release/show.ts")).releaseShow,
  amof_release_init: async () => (await import("../commands/release/init.ts")).releaseInit,
  amof_release_push: async () => (await import("../commands/release/push.ts")).releasePush,
  amof_release_train_status: async () =>
    (await import("../commands/release/train/status.ts")).trainStatus,
  amof_release_train_bump: async () =>
    (await import("../commands/release/train/bump.ts")).trainBump,
  amof_release_train_promote: async () =>
    (await import("../commands/release/train/promote.ts")).trainPromote,
  amof_list_runs: async () => (await import("../commands/runs/list.ts")).listRuns,
  amof_get_active_runs: async () => (await import("../commands/runs/active.ts")).activeRuns,
  amof_get_run_status: async () => (await import("../commands/runs/status.ts")).runStatus,
  amof_get_run_logs: async () => (await import("../commands/runs/logs.ts")).runLogs,
  amof_summarize_run: async () => (await import("../commands/runs/summary.ts")).runSummaryCommand,
  amof_cancel_run: async () => (await import("../commands/runs/cancel.ts")).cancelRunCommand,
  amof_prune_runs: async () => (await import("../commands/runs/prune.ts")).pruneRuns,
  amof_create_journal: async () => (await import("../commands/journal/add.ts")).addJournal,
  amof_get_global_telemetry: async () => (await import("../commands/telemetry.ts")).globalTelemetry,
  amof_confirm: async () => (await import("../commands/confirm/confirm.ts")).confirm,
  amof_cancel_confirm: async () => (await import("../commands/confirm/cancel.ts")).cancelConfirm,
  amof_approvals: async () => (await import("../commands/approvals/approvals.ts")).approvals,
  amof_audit: async () => (await import("../commands/audit/audit.ts")).auditCommand,
  amof_audit_verify: async () => (await import("../commands/audit/verify.ts")).auditVerify,
  amof_doctor: async () => (await import("../commands/doctor/doctor.ts")).doctor,
  amof_mcp_install: async () => (await import("../commands/mcp/install.ts")).mcpInstall,
  amof_set_mode: async () => (await import("../commands/mode.ts")).setMode,
  amof_scope_info: async () => (await import("../commands/scope.ts")).scopeInfo,
  amof_scope_back: async () => (await import("../commands/back.ts")).scopeBack,
};

/** Where each command is declared, by its tool name: those of the core, and those of the wings. */
export const PLACES: Readonly<Record<string, () => Promise<Command>>> = Object.assign(
  {},
  CORE,
  ...WINGS.map(({ commands }) => commands),
);

/** Every command. */
export const COMMANDS: readonly Listed[] = FACTS.flatMap((facts) => {
  const place = PLACES[facts.name];
  if (place === undefined) return [];
  // The runtime takes as long for a module that it has as for a small answer.
  let loaded: Promise<Command> | null = null;
  return [{ ...facts, load: () => loaded ??= place() }];
});

const BY_NAME: ReadonlyMap<string, Listed> = new Map(
  COMMANDS.flatMap((command) =>
    [command.name, ...command.aliases ?? []].map((name) => [name, command] as const)
  ),
);

/** The command with this tool name or alias, or null. */
export function findCommand(name: string): Listed | null {
  return BY_NAME.get(name) ?? null;
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
