/**
 * What helps after an error: row 1 of NEXT-5.
 *
 * @module
 */

import { type Case, RUN } from "../_support.ts";

/** Row 1 of NEXT-5 with the codes of ERROR-5, each after a call that can end so. */
export const RECOVERY: readonly Case[] = [
  {
    that: "offers the list after ecosystem_not_found, wherever the session stands",
    given: {
      tool: "amof_get_ecosystem_status",
      at: "run",
      code: "ecosystem_not_found",
      details: { available: ["demo"] },
    },
    ids: ["list_ecosystems"],
  },
  {
    that: "offers the runs where no control repository was named",
    given: { tool: "amof_list_ecosystems", code: "root_not_found", details: { path: "/work" } },
    ids: ["list_runs"],
  },
  {
    that: "offers nothing where the control repository that was named is none",
    given: { tool: "amof_list_ecosystems", code: "root_not_found", details: { source: "--root" } },
    ids: [],
  },
  {
    that: "offers the runs after run_not_found, wherever the session stands",
    given: {
      tool: "amof_get_run_logs",
      at: "run",
      code: "run_not_found",
      details: { run_id: "4e8c" },
    },
    ids: ["list_runs"],
  },
  {
    that: "offers the status after a confirmation_required without a request",
    given: { tool: "amof_push_ecosystem", code: "confirmation_required" },
    ids: ["get_ecosystem_status"],
  },
  {
    that: "offers the status after type_to_confirm_failed",
    given: { tool: "amof_discard_ecosystem", code: "type_to_confirm_failed" },
    ids: ["get_ecosystem_status"],
  },
  {
    that: "offers the status after mode_insufficient",
    given: { tool: "amof_push_ecosystem", mode: "ask", code: "mode_insufficient" },
    ids: ["get_ecosystem_status"],
  },
  {
    that: "offers the description after a refused install, whose workspace may not be there yet",
    given: { tool: "amof_install_ecosystem", mode: "ask", code: "mode_insufficient" },
    ids: ["describe_ecosystem"],
  },
  {
    that: "offers the logs after subprocess_failed",
    given: { tool: "amof_spin_deploy", code: "subprocess_failed", details: { run_id: RUN } },
    ids: ["get_run_logs", "spin_status"],
  },
  {
    that: "offers the validation after manifest_invalid",
    given: { tool: "amof_get_ecosystem_status", code: "manifest_invalid" },
    ids: ["validate_manifest", "list_ecosystems"],
  },
  {
    that: "offers the status after invalid_arguments",
    given: { tool: "amof_push_ecosystem", code: "invalid_arguments" },
    ids: ["get_ecosystem_status"],
  },
  {
    that: "offers list and known ecosystems after scope_required",
    given: {
      tool: "amof_get_ecosystem_status",
      at: "global",
      code: "scope_required",
      details: { available: ["demo", "shop"] },
    },
    ids: ["list_ecosystems", "switch_ecosystem", "switch_ecosystem_2"],
  },
  {
    that: "offers the runs after scope_required of a run tool",
    given: { tool: "amof_get_run_status", at: "global", code: "scope_required" },
    ids: ["list_runs", "get_active_runs"],
  },
  {
    that: "offers the tickets after ticket_not_found",
    given: { tool: "amof_ticket_switch", code: "ticket_not_found" },
    ids: ["ticket_list"],
  },
  {
    that: "offers to switch after ticket_exists",
    given: {
      tool: "amof_ticket_start",
      code: "ticket_exists",
      details: { ticket_id: "PROJ-1" },
    },
    ids: ["ticket_switch", "ticket_list"],
  },
  {
    that: "offers the releases after release_not_found",
    given: { tool: "amof_release_promote", at: "release", code: "release_not_found" },
    ids: ["release_status", "release_log"],
  },
  {
    that: "offers to make the first release where there is none",
    given: {
      tool: "amof_release_status",
      at: "release",
      code: "release_not_found",
      details: { has_remote: true },
    },
    ids: ["release_init"],
  },
  {
    that: "offers to keep the first release here where it could not be pushed",
    given: {
      tool: "amof_release_status",
      at: "release",
      code: "release_not_found",
      details: { has_remote: false },
    },
    ids: ["release_init"],
  },
  {
    that: "offers the history while the first release waits for a higher mode",
    given: { tool: "amof_release_init", at: "release", mode: "ask", code: "mode_insufficient" },
    ids: ["release_log"],
  },
  {
    that: "offers no checks where the first release is blocked",
    given: { tool: "amof_release_init", at: "release", code: "release_blocked" },
    ids: ["release_log"],
  },
  {
    that: "offers to install after workspace_not_installed",
    given: { tool: "amof_get_ecosystem_status", code: "workspace_not_installed" },
    ids: ["install_ecosystem", "validate_manifest"],
  },
  {
    that: "offers to bring a workspace back that was put away before it offers a new one",
    given: { tool: "amof_get_ecosystem_status", code: "workspace_not_installed", archived: true },
    ids: ["restore_archive", "install_ecosystem", "validate_manifest"],
  },
  {
    that: "offers status and sync after workspace_exists",
    given: { tool: "amof_install_ecosystem", code: "workspace_exists" },
    ids: ["get_ecosystem_status", "sync_ecosystem"],
  },
  {
    that: "offers the run that holds the lock after ecosystem_busy",
    given: { tool: "amof_push_ecosystem", code: "ecosystem_busy", details: { run_id: RUN } },
    ids: ["get_run_status", "get_active_runs", "get_ecosystem_status"],
  },
  ...["repo_dirty", "repo_diverged", "repo_in_progress"].map((code) => ({
    that: `offers the status after ${code}`,
    given: { tool: "amof_sync_ecosystem", code },
    ids: ["get_ecosystem_status"],
  })),
  {
    that: "leads to the status after would_lose_work",
    given: { tool: "amof_archive_ecosystem", code: "would_lose_work" },
    ids: ["get_ecosystem_status"],
  },
  {
    that: "offers the checks after release_blocked",
    given: { tool: "amof_release_promote", at: "release", code: "release_blocked" },
    ids: ["release_validate", "release_status"],
  },
  {
    that: "offers the run after an invalid_transition of it",
    given: {
      tool: "amof_cancel_run",
      at: "global",
      code: "invalid_transition",
      details: { run_id: RUN, status: "success" },
    },
    ids: ["get_run_status"],
  },
  {
    that: "offers the release status after an invalid_transition of a release",
    given: { tool: "amof_release_promote", at: "release", code: "invalid_transition" },
    ids: ["release_status"],
  },
  ...["confirmation_invalid", "confirmation_declined", "remote_unreachable", "auth_failed"].map(
    (code) => ({
      that: `offers the status after ${code}`,
      given: { tool: "amof_push_ecosystem", code },
      ids: ["get_ecosystem_status"],
    }),
  ),
  {
    that: "offers the description after provisioner_missing",
    given: { tool: "amof_spin_deploy", code: "provisioner_missing" },
    ids: ["describe_ecosystem"],
  },
  {
    that: "offers description and environment after provisioner_invalid",
    given: { tool: "amof_spin_deploy", code: "provisioner_invalid" },
    ids: ["describe_ecosystem", "spin_status"],
  },
  {
    that: "offers only to look after provisioner_untrusted: a person approves",
    given: { tool: "amof_spin_deploy", code: "provisioner_untrusted" },
    ids: ["spin_status"],
  },
  {
    that: "offers to sync when git refused a push as not fast-forward",
    given: {
      tool: "amof_push_ecosystem",
      code: "git_failed",
      details: { kind: "non_fast_forward" },
    },
    ids: ["sync_ecosystem", "get_ecosystem_status"],
  },
  {
    that: "offers the validation when git found no repository",
    given: { tool: "amof_sync_ecosystem", code: "git_failed", details: { kind: "not_a_repo" } },
    ids: ["validate_manifest", "get_ecosystem_status"],
  },
  {
    that: "offers the active runs when git found a lock",
    given: { tool: "amof_sync_ecosystem", code: "git_failed", details: { kind: "lock" } },
    ids: ["get_active_runs", "get_ecosystem_status"],
  },
  {
    that: "offers the status after any other failure of git",
    given: { tool: "amof_sync_ecosystem", code: "git_failed", details: { kind: "conflict" } },
    ids: ["get_ecosystem_status"],
  },
  {
    that: "offers the logs of the run after timeout",
    given: { tool: "amof_get_run_status", at: "run", code: "timeout" },
    ids: ["get_run_logs"],
  },
  {
    that: "offers no logs after a timeout that no run is known to have had",
    given: { tool: "amof_push_ecosystem", at: "run", code: "timeout" },
    ids: ["get_ecosystem_status"],
  },
  ...["cancelled", "interrupted"].map((code) => ({
    that: `offers the status of the run after ${code}`,
    given: { tool: "amof_push_ecosystem", code, details: { run_id: RUN } },
    ids: ["get_run_status", "get_ecosystem_status"],
  })),
  {
    that: "offers to repair a damaged workspace state",
    given: {
      tool: "amof_get_ecosystem_status",
      code: "state_corrupt",
      details: { reason: "it is not valid JSON" },
    },
    ids: ["install_ecosystem", "describe_ecosystem"],
  },
  {
    that: "offers no repair for a damaged database",
    given: {
      tool: "amof_push_ecosystem",
      code: "state_corrupt",
      details: { path: "/state/amof.db" },
    },
    ids: ["get_ecosystem_status"],
  },
  {
    that: "offers the status after internal_error",
    given: { tool: "amof_push_ecosystem", code: "internal_error" },
    ids: ["get_ecosystem_status"],
  },
  {
    that: "offers to open the ecosystem after ecosystem_exists",
    given: {
      tool: "amof_create_ecosystem",
      at: "global",
      code: "ecosystem_exists",
      details: { ecosystem: "demo" },
    },
    ids: ["switch_ecosystem", "list_ecosystems"],
  },
  {
    that: "offers the list after manifest_not_found",
    given: { tool: "amof_describe_ecosystem", code: "manifest_not_found" },
    ids: ["list_ecosystems"],
  },
  ...["partial_failure", "push_refused", "commit_refused"].map((code) => ({
    that: `offers the status after ${code}`,
    given: { tool: "amof_push_ecosystem", code },
    ids: ["get_ecosystem_status"],
  })),
  {
    that: "offers the description after repo_not_found",
    given: { tool: "amof_get_ecosystem_status", code: "repo_not_found" },
    ids: ["describe_ecosystem"],
  },
];
