/**
 * The calls of a day: those of the chaos suite, and what else people do.
 *
 * @module
 */

import { choice, CHOICES, type Make, ticket, WITHOUT_ECOSYSTEM } from "../chaos/choices.ts";

const LOOKING: readonly Make[] = [
  () => choice("amof_get_ecosystem_status", ["status"]),
  () => choice("amof_describe_ecosystem", ["ecosystem", "describe"]),
  () => choice("amof_get_commits", ["log"]),
  () => choice("amof_get_diff", ["diff"]),
  () => choice("amof_search_files", ["grep", "mine"], { pattern: "mine" }),
  () => choice("amof_list_branches", ["branches"]),
  () => choice("amof_operations", ["operations"]),
  () => choice("amof_audit", ["audit"]),
  () => choice("amof_approvals", ["approvals"]),
  () => choice("amof_get_global_telemetry", ["telemetry"]),
  () => choice("amof_ticket_conflicts", ["ticket", "conflicts"]),
  () => choice("amof_list_archives", ["archive", "list"]),
];

const WORKING: readonly Make[] = [
  (_random, _ecosystem, serial) =>
    choice("amof_commit_ecosystem", ["commit", "-m", `Call ${serial}`, "--yes"], {
      message: `Call ${serial}`,
    }),
  () => choice("amof_undo", ["undo", "--yes"]),
  () => choice("amof_ticket_update", ["ticket", "update", "--stash", "--yes"], { stash: true }),
  () =>
    choice("amof_exec", ["exec", "--", "git", "log", "-1"], {
      command: ["git", "log", "-1"],
    }),
  (random) => {
    const id = `W-${1 + random.below(2)}`;
    return choice("amof_ticket_start", ["ticket", "start", id, "--workspace"], {
      ticket_id: id,
      workspace: true,
    });
  },
  (random) => {
    const id = random.below(2) === 0 ? ticket(random) : `W-${1 + random.below(2)}`;
    return choice("amof_ticket_end", ["ticket", "end", id, "--cleanup", "--yes"], {
      ticket_id: id,
      cleanup: true,
    });
  },
];

/** What is done with the ecosystems that are worked on. */
export const DAY: readonly Make[] = [...CHOICES, ...LOOKING, ...WORKING];

/** What is done with the one that nobody may change. */
export const LOOKS: readonly Make[] = LOOKING;

/** What calls of a day may be refused for, besides what those of the chaos suite may. */
export const ALSO_OWN: ReadonlySet<string> = new Set([
  "branch_not_merged",
  "confirmation_declined",
  "declined",
  "invalid_transition",
  "operation_not_found",
  "repo_changed",
  "task_untrusted",
  "undo_impossible",
  "undo_stale",
  "workspace_in_use",
]);

/** Tools that take no ecosystem. */
export const NOWHERE: ReadonlySet<string> = new Set([
  ...WITHOUT_ECOSYSTEM,
  "amof_get_global_telemetry",
]);
