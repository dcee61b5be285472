/**
 * What suggested actions are called and how they are described: the one list of these words.
 *
 * @module
 */

/** A label of at most 30 characters and one short sentence, by the id of the action or of its variant. */
export const WORDS = {
  list_ecosystems: ["List ecosystems", "See which ecosystems there are."],
  get_server_status: ["Server status", "See whether the server is running."],
  get_active_runs: ["Show active runs", "See what is running now."],
  list_runs: ["List runs", "See the newest runs with their ids."],
  get_global_telemetry: ["View telemetry", "See counts and durations of all runs."],
  switch_ecosystem: ["Open ecosystem", "Make this the ecosystem later calls mean."],
  get_ecosystem_status: [
    "Check status",
    "See branch, changes and unpushed work of every repository.",
  ],
  describe_ecosystem: ["Describe ecosystem", "See what the ecosystem consists of."],
  back_to_ecosystem: ["Back to ecosystem", "Return to the ecosystem of the run and see its state."],
  validate_manifest: ["Validate manifest", "Check the manifest for errors."],
  install_ecosystem: ["Install workspace", "Create the workspace with every repository."],
  restore_archive: ["Restore workspace", "Make the workspace that was put away again."],
  sync_ecosystem: ["Sync repos", "Clone what is missing and get the latest commits."],
  push_ecosystem: ["Push changes", "Send local commits to their remotes."],
  ticket_start: [
    "Start ticket",
    "Begin a ticket with a branch in each repository; replace TICKET-ID.",
  ],
  ticket_list: ["List tickets", "See the tickets of the ecosystem."],
  ticket_switch: ["Switch ticket", "Put every repository on the branch of this ticket."],
  ticket_end: ["End ticket", "Close the ticket, whose work is merged, and delete its branches."],
  spin_status: [
    "Environment status",
    "See what is known about the environment and its provisioner.",
  ],
  get_run_status: ["Refresh status", "See how far the run is."],
  get_run_logs: ["Show logs", "Read what the run has logged."],
  summarize_run: ["View summary", "See outcome, duration and errors of the run."],
  release_status: ["Release status", "See the current version and what can follow it."],
  release_validate: ["Validate release", "Check whether the next release can be made."],
  release_log: ["Release history", "See the releases made so far."],
  release_promote_beta: ["Promote to beta", "Release the current version as beta."],
  release_promote_rc: ["Promote to RC", "Release the current version as release candidate."],
  release_promote_stable: ["Promote to stable", "Release the current version as stable."],
  release_bump_alpha: [
    "Start alpha",
    "Release the new commits as alpha of the next patch version.",
  ],
  pr_open: ["Open pull requests", "Push the ticket's branches and open their pull requests."],
  pr_status: ["Pull request status", "See checks, reviews and what blocks the ticket."],
  pr_land: ["Land pull requests", "Merge the pull requests of the ticket in order."],
  campaign_show: ["Show shapes", "See what the commits of the campaign change, by shape."],
  campaign_approve: ["Approve shape", "Let the commits of the shape that was shown be pushed."],
  campaign_push: ["Push campaign", "Push the commits of approved shapes to their branches."],
  campaign_status: ["Campaign status", "See how the repositories of the campaign stand."],
  campaign_update: ["Update campaign", "Run it again where there is no commit yet."],
  campaign_close: ["Close campaign", "End the campaign, whose commits are merged."],
  server_start: ["Start server", "Start the server."],
  server_restart: ["Restart server", "Stop the server and start it again."],
  stocktrim_products: ["List products", "See the products that StockTrim keeps."],
  stocktrim_suppliers: ["List suppliers", "See the suppliers that StockTrim knows."],
  stocktrim_purchase_orders: ["List purchase orders", "See the purchase orders by status."],
  stocktrim_order_plan: ["Show order plan", "See what runs out when, and what to order."],
  confirm: ["Confirm", "Carry out exactly what was previewed, with a person's consent."],
  cancel_confirm: ["Cancel", "Give the request up; nothing is changed."],
  // Other names for some actions, where more is known about the situation.
  complete_it: ["Complete it", "Clone or fetch what is still missing."],
  refresh: ["Refresh", "See how far the run is."],
  stream_logs: ["Stream logs", "Read what the run has logged."],
  show_runs: ["Show runs", "See what is running now."],
  commit_and_push: ["Commit & push", "Commit all changes and send them to their remotes."],
  push_base: ["Push base branch", "Send commits of the base branch to its remote, past the guard."],
  commit_and_push_base: [
    "Commit & push base",
    "Commit all changes on the base branch and send them to its remote, past the guard.",
  ],
  commit_push_first: ["Commit/push first", "Commit all changes and send them to their remotes."],
  repair_workspace: ["Repair workspace", "Rebuild the damaged state, keeping the old file aside."],
  ask_again: ["Ask again", "Carry it out once a person has approved it."],
  confirm_name: ["Confirm", "Carry it out; a person must type the name."],
} as const satisfies Readonly<Record<string, readonly [label: string, description: string]>>;

/** The id of words. */
export type WordId = keyof typeof WORDS;
