/**
 * Calls that whoever works on an ecosystem makes, as a tool and as a command line, and what they may be refused for.
 *
 * @module
 */

import type { Random } from "./random.ts";

/** Refusals that a caller has earned, or that say plainly that another one is at work. */
export const OWN_REASONS: ReadonlySet<string> = new Set([
  "approval_pending",
  "archive_not_found",
  "check_failed",
  "confirmation_invalid",
  "confirmation_stale",
  "ecosystem_busy",
  "ecosystem_exists",
  "partial_failure",
  "commit_refused",
  "push_refused",
  "release_blocked",
  "repo_dirty",
  "repo_diverged",
  "repo_in_progress",
  "run_not_found",
  "ticket_exists",
  "ticket_not_found",
  "workspace_exists",
  "workspace_not_installed",
  "would_lose_work",
]);

/** Causes that belong to another caller, whatever the code says. */
export const NOT_OWN = /\.lock\b|cannot lock ref|another git process|\.tmp\b|File exists/i;

/** A call of a tool, with the words that make it on the command line. */
export interface Choice {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly words: readonly string[];
}

/** Chooses the arguments of a call. */
export type Make = (random: Random, ecosystem: string, serial: number) => Choice;

/** A call; how often it is chosen follows from how often it stands in its list. */
export function choice(
  tool: string,
  words: readonly string[],
  args: Readonly<Record<string, unknown>> = {},
): Choice {
  return { tool, words, args };
}

/** One of the tickets that all work on. */
export const ticket = (random: Random): string => `T-${1 + random.below(3)}`;

/** What two servers and a person do. */
export const CHOICES: readonly Make[] = [
  () => choice("amof_get_ecosystem_status", ["status"]),
  () => choice("amof_get_ecosystem_status", ["status"]),
  () => choice("amof_list_ecosystems", ["ecosystem", "list"]),
  () => choice("amof_describe_ecosystem", ["ecosystem", "describe"]),
  () => choice("amof_ticket_list", ["ticket", "list"]),
  () => choice("amof_list_runs", ["runs", "list"]),
  () => choice("amof_get_active_runs", ["runs", "active"]),
  () => choice("amof_install_ecosystem", ["install", "--yes"]),
  () => choice("amof_sync_ecosystem", ["sync"]),
  () => choice("amof_sync_ecosystem", ["sync"]),
  () => choice("amof_push_ecosystem", ["push", "--yes"]),
  () =>
    choice("amof_push_ecosystem", ["push", "--commit", "-m", "All", "--yes"], {
      commit: true,
      message: "All",
    }),
  (random) => {
    const id = ticket(random);
    return choice("amof_ticket_start", ["ticket", "start", id, "--stash"], {
      ticket_id: id,
      stash: true,
    });
  },
  (random) => {
    const id = random.below(2) === 0 ? "main" : ticket(random);
    return choice("amof_ticket_switch", ["ticket", "switch", id, "--stash"], {
      ticket_id: id,
      stash: true,
    });
  },
  (random) => {
    const id = ticket(random);
    return choice("amof_ticket_switch", ["ticket", "switch", id, "--stash"], {
      ticket_id: id,
      stash: true,
    });
  },
  (random) => {
    const id = ticket(random);
    return choice("amof_ticket_end", ["ticket", "end", id, "--yes"], { ticket_id: id });
  },
  () => choice("amof_archive_ecosystem", ["archive", "--yes"]),
  () => choice("amof_restore_archive", ["archive", "restore", "--yes"]),
  () => choice("amof_doctor", ["doctor", "--repair"]),
  (_random, _ecosystem, serial) =>
    choice("amof_create_journal", ["journal", "add", `Note ${serial}`, "--body", "Text"], {
      title: `Note ${serial}`,
      body: "Text",
    }),
  (_random, _ecosystem, serial) =>
    choice(
      "amof_create_ecosystem",
      [
        "ecosystem",
        "create",
        `made-${serial}`,
        "--repo",
        "x=https://example.invalid/x.git@main",
        "--commit",
      ],
      {
        name: `made-${serial}`,
        repos: ["x=https://example.invalid/x.git@main"],
        commit: true,
      },
    ),
];

/** Tools that are about the control repository and take no ecosystem. */
export const WITHOUT_ECOSYSTEM: ReadonlySet<string> = new Set([
  "amof_create_ecosystem",
  "amof_get_active_runs",
  "amof_list_ecosystems",
]);
