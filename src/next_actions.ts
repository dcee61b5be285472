/**
 * What a program does next after a failure: for each code the words of `details.next_actions`.
 *
 * The errors of agentpack carry `reason_code` and `next_actions` in their details; amof's do the same, with the
 * same words where they mean the same, so that whoever drives a model branches on one form.
 *
 * @module
 */

/** The next actions of every code, the best first, in lower case with underscores. */
export const NEXT_ACTIONS = {
  ecosystem_not_found: ["list_ecosystems", "retry_command"],
  run_not_found: ["list_runs", "retry_command"],
  confirmation_required: ["ask_the_person", "spend_token"],
  type_to_confirm_failed: ["ask_the_person", "retry_with_name"],
  mode_insufficient: ["raise_mode", "retry_command"],
  subprocess_failed: ["read_run_log", "retry_command"],
  manifest_invalid: ["validate_manifest", "fix_manifest", "retry_command"],
  invalid_arguments: ["fix_arguments", "retry_command"],
  unknown_tool: ["list_tools"],
  scope_required: ["name_ecosystem", "retry_command"],
  ticket_not_found: ["list_tickets", "retry_command"],
  ticket_exists: ["switch_ticket"],
  workspace_not_installed: ["install_ecosystem", "retry_command"],
  workspace_exists: ["check_status"],
  workspace_in_use: ["leave_workspace", "retry_command"],
  ecosystem_busy: ["check_run", "retry_later"],
  repo_dirty: ["commit_or_stash", "retry_command"],
  repo_diverged: ["integrate_remote", "retry_command"],
  repo_in_progress: ["finish_or_abort", "retry_command"],
  would_lose_work: ["push_work", "retry_command"],
  invalid_transition: ["check_status"],
  confirmation_invalid: ["retry_command"],
  confirmation_expired: ["ask_the_person", "spend_token"],
  confirmation_stale: ["ask_the_person", "spend_token"],
  confirmation_declined: ["ask_the_person"],
  provisioner_missing: ["describe_ecosystem", "fix_manifest", "retry_command"],
  provisioner_invalid: ["describe_ecosystem", "fix_provisioner", "retry_command"],
  provisioner_untrusted: ["ask_the_person", "retry_command"],
  git_failed: ["check_status", "retry_command"],
  remote_unreachable: ["check_network", "retry_later"],
  auth_failed: ["fix_credentials", "retry_command"],
  release_blocked: ["validate_release", "retry_command"],
  release_not_found: ["list_releases", "init_release"],
  timeout: ["read_run_log", "retry_command"],
  cancelled: ["check_status"],
  interrupted: ["repair", "retry_command"],
  state_corrupt: ["repair", "retry_command"],
  state_busy: ["retry_later"],
  internal_error: ["retry_command", "report_incident"],
  approval_not_found: ["list_approvals"],
  approval_pending: ["ask_the_person", "retry_later"],
  archive_not_found: ["list_archives", "retry_command"],
  check_failed: ["fix_findings", "retry_command"],
  ecosystem_exists: ["list_ecosystems"],
  file_failed: ["fix_permissions", "retry_command"],
  manifest_not_found: ["create_ecosystem", "list_ecosystems"],
  partial_failure: ["check_status", "retry_command"],
  push_refused: ["check_status", "retry_command"],
  repo_not_found: ["describe_ecosystem", "retry_command"],
  root_not_found: ["name_root", "retry_command"],
  tool_not_available: ["ask_the_person"],
} as const satisfies Readonly<Record<string, readonly [string, ...string[]]>>;
