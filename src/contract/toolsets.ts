/** The groups of commands that a server offers or leaves out. */

/** Groups of commands that a server can offer or leave out. */
export const TOOLSETS = [
  "ecosystem",
  "ticket",
  "run",
  "release",
  "change",
  "spin",
  "exec",
  "telemetry",
  "session",
  "server",
  "train",
  "stocktrim",
] as const;

/** The tools of `daily`: what a coding agent needs every day, of whichever toolset; the session's own come besides. */
export const DAILY: readonly string[] = [
  "amof_list_ecosystems",
  "amof_switch_ecosystem",
  "amof_describe_ecosystem",
  "amof_get_ecosystem_status",
  "amof_sync_ecosystem",
  "amof_get_commits",
  "amof_get_diff",
  "amof_search_files",
  "amof_list_branches",
  "amof_commit_ecosystem",
  "amof_push_ecosystem",
  "amof_ticket_start",
  "amof_ticket_list",
  "amof_ticket_switch",
  "amof_ticket_update",
  "amof_ticket_end",
  "amof_exec",
  "amof_get_run_status",
  "amof_get_run_logs",
  "amof_undo",
];

/** Everything that can be said for a toolset of commands. */
export const TOOLSET_WORDS: readonly string[] = [
  ...TOOLSETS,
  "all",
  "daily",
  "default",
];
