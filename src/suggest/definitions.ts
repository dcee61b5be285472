/**
 * Every action that can be suggested, as data (amof.md §6.2).
 *
 * Tools that this server does not offer may stand here: an action exists only where its tool does.
 *
 * @module
 */

import type { Safety } from "../policy/mode.ts";
import type { Fields } from "../spec/mod.ts";
import type { SuggestedAction } from "./action.ts";

/** An argument that must be known before an action can be offered. */
export type Needed = "ecosystem" | "run_id" | "ticket_id" | "token";

/** What is the same each time an action is offered. */
export interface Definition {
  /** At most 30 characters. */
  readonly label: string;
  readonly tool: string;
  /** Arguments taken from the answer; without one of them there is no action. */
  readonly needs: readonly Needed[];
  /** Arguments that never differ. */
  readonly args?: Fields;
  /** Where it applies; `tool` means where the tool just called does. */
  readonly scope: SuggestedAction["scope"] | "tool";
  readonly safety: Safety;
  /** The priority where no rule gives another: 1 is the highest. */
  readonly priority: number;
  /** One short sentence. */
  readonly description: string;
}

/**
 * The actions by id (amof.md §6.2).
 *
 * Two are not in that table: amof.md §8.1 asks for `list_runs` when a run is not found, and `spin_status` is to
 * environments what `get_ecosystem_status` is to repositories.
 */
export const DEFINITIONS = {
  list_ecosystems: {
    label: "List ecosystems",
    tool: "amof_list_ecosystems",
    needs: [],
    scope: "global",
    safety: "read-only",
    priority: 1,
    description: "See which ecosystems there are.",
  },
  get_server_status: {
    label: "Server status",
    tool: "amof_get_server_status",
    needs: [],
    scope: "global",
    safety: "read-only",
    priority: 2,
    description: "See whether the server is running.",
  },
  get_active_runs: {
    label: "Show active runs",
    tool: "amof_get_active_runs",
    needs: [],
    scope: "global",
    safety: "read-only",
    priority: 3,
    description: "See what is running now.",
  },
  list_runs: {
    label: "List runs",
    tool: "amof_list_runs",
    needs: [],
    scope: "global",
    safety: "read-only",
    priority: 3,
    description: "See the newest runs with their ids.",
  },
  get_global_telemetry: {
    label: "View telemetry",
    tool: "amof_get_global_telemetry",
    needs: [],
    scope: "global",
    safety: "read-only",
    priority: 4,
    description: "See counts and durations of all runs.",
  },
  switch_ecosystem: {
    label: "Open ecosystem",
    tool: "amof_switch_ecosystem",
    needs: ["ecosystem"],
    scope: "global",
    safety: "read-only",
    priority: 1,
    description: "Make this the ecosystem later calls mean.",
  },
  get_ecosystem_status: {
    label: "Check status",
    tool: "amof_get_ecosystem_status",
    needs: ["ecosystem"],
    scope: "ecosystem",
    safety: "read-only",
    priority: 2,
    description: "See branch, changes and unpushed work of every repository.",
  },
  describe_ecosystem: {
    label: "Describe ecosystem",
    tool: "amof_describe_ecosystem",
    needs: ["ecosystem"],
    scope: "ecosystem",
    safety: "read-only",
    priority: 2,
    description: "See what the ecosystem consists of.",
  },
  back_to_ecosystem: {
    label: "Back to ecosystem",
    tool: "amof_get_ecosystem_status",
    needs: ["ecosystem"],
    scope: "ecosystem",
    safety: "read-only",
    priority: 3,
    description: "Return to the ecosystem of the run and see its state.",
  },
  validate_manifest: {
    label: "Validate manifest",
    tool: "amof_validate_manifest",
    needs: ["ecosystem"],
    scope: "ecosystem",
    safety: "read-only",
    priority: 3,
    description: "Check the manifest for errors.",
  },
  install_ecosystem: {
    label: "Install workspace",
    tool: "amof_install_ecosystem",
    needs: ["ecosystem"],
    scope: "ecosystem",
    safety: "dangerous-write",
    priority: 1,
    description: "Create the workspace with every repository.",
  },
  sync_ecosystem: {
    label: "Sync repos",
    tool: "amof_sync_ecosystem",
    needs: ["ecosystem"],
    scope: "ecosystem",
    safety: "safe-write",
    priority: 3,
    description: "Clone what is missing and get the latest commits.",
  },
  push_ecosystem: {
    label: "Push changes",
    tool: "amof_push_ecosystem",
    needs: ["ecosystem"],
    scope: "ecosystem",
    safety: "dangerous-write",
    priority: 1,
    description: "Send local commits to their remotes.",
  },
  ticket_start: {
    label: "Start ticket",
    tool: "amof_ticket_start",
    needs: ["ecosystem"],
    // The tool needs an id, and only a person knows it: this one stands for it.
    args: { ticket_id: "TICKET-ID" },
    scope: "ecosystem",
    safety: "safe-write",
    priority: 1,
    description: "Begin a ticket with a branch in each repository; replace TICKET-ID.",
  },
  ticket_list: {
    label: "List tickets",
    tool: "amof_ticket_list",
    needs: ["ecosystem"],
    scope: "ecosystem",
    safety: "read-only",
    priority: 3,
    description: "See the tickets of the ecosystem.",
  },
  ticket_switch: {
    label: "Switch ticket",
    tool: "amof_ticket_switch",
    needs: ["ecosystem", "ticket_id"],
    scope: "ecosystem",
    safety: "safe-write",
    priority: 1,
    description: "Put every repository on the branch of this ticket.",
  },
  spin_status: {
    label: "Environment status",
    tool: "amof_spin_status",
    needs: ["ecosystem"],
    scope: "ecosystem",
    safety: "read-only",
    priority: 2,
    description: "See what is known about the environment and its provisioner.",
  },
  get_run_status: {
    label: "Refresh status",
    tool: "amof_get_run_status",
    needs: ["run_id"],
    scope: "run",
    safety: "read-only",
    priority: 1,
    description: "See how far the run is.",
  },
  get_run_logs: {
    label: "Show logs",
    tool: "amof_get_run_logs",
    needs: ["run_id"],
    scope: "run",
    safety: "read-only",
    priority: 2,
    description: "Read what the run has logged.",
  },
  summarize_run: {
    label: "View summary",
    tool: "amof_summarize_run",
    needs: ["run_id"],
    scope: "run",
    safety: "read-only",
    priority: 1,
    description: "See outcome, duration and errors of the run.",
  },
  release_status: {
    label: "Release status",
    tool: "amof_release_status",
    needs: [],
    scope: "release",
    safety: "read-only",
    priority: 2,
    description: "See the current version and what can follow it.",
  },
  release_validate: {
    label: "Validate release",
    tool: "amof_release_validate",
    needs: [],
    scope: "release",
    safety: "read-only",
    priority: 3,
    description: "Check whether the next release can be made.",
  },
  release_log: {
    label: "Release history",
    tool: "amof_release_log",
    needs: [],
    scope: "release",
    safety: "read-only",
    priority: 3,
    description: "See the releases made so far.",
  },
  release_promote_beta: {
    label: "Promote to beta",
    tool: "amof_release_promote",
    needs: [],
    args: { target: "beta" },
    scope: "release",
    safety: "dangerous-write",
    priority: 1,
    description: "Release the current version as beta.",
  },
  release_promote_rc: {
    label: "Promote to RC",
    tool: "amof_release_promote",
    needs: [],
    args: { target: "rc" },
    scope: "release",
    safety: "dangerous-write",
    priority: 1,
    description: "Release the current version as release candidate.",
  },
  release_promote_stable: {
    label: "Promote to stable",
    tool: "amof_release_promote",
    needs: [],
    scope: "release",
    safety: "dangerous-write",
    priority: 1,
    description: "Release the current version as stable.",
  },
  release_bump_alpha: {
    label: "Start alpha",
    tool: "amof_release_bump",
    needs: [],
    args: { bump_type: "patch", pre_release: "alpha" },
    scope: "release",
    safety: "dangerous-write",
    priority: 1,
    description: "Release the new commits as alpha of the next patch version.",
  },
  server_start: {
    label: "Start server",
    tool: "amof_server_start",
    needs: [],
    scope: "server",
    safety: "safe-write",
    priority: 1,
    description: "Start the server.",
  },
  server_restart: {
    label: "Restart server",
    tool: "amof_server_restart",
    needs: [],
    scope: "server",
    safety: "safe-write",
    priority: 2,
    description: "Stop the server and start it again.",
  },
  confirm: {
    label: "Confirm",
    tool: "amof_confirm",
    needs: ["token"],
    scope: "tool",
    safety: "dangerous-write",
    priority: 1,
    description: "Carry out exactly what was previewed, with a person's consent.",
  },
  cancel_confirm: {
    label: "Cancel",
    tool: "amof_cancel_confirm",
    needs: ["token"],
    scope: "tool",
    safety: "read-only",
    priority: 2,
    description: "Give the request up; nothing is changed.",
  },
} as const satisfies Readonly<Record<string, Definition>>;

/** The id of an action of amof.md §6.2. */
export type ActionId = keyof typeof DEFINITIONS;
