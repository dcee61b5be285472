/**
 * What follows an answer about a run: row 7 of NEXT-5.
 *
 * @module
 */

import { type Case, findAny, RUN, runAnswer } from "../_support.ts";

/** Row 7 of NEXT-5. */
export const AFTER_RUN: readonly Case[] = [
  {
    that: "offers to sync again what a sync left behind",
    given: {
      ...runAnswer("amof_get_run_status", "failed", "sync"),
      data: { ...runAnswer("", "failed", "sync").data, exit_code: 5 },
    },
    ids: ["sync_ecosystem", "get_run_logs", "summarize_run"],
  },
  ...["queued", "paused"].map((status) => ({
    that: `offers to look again at a ${status} run`,
    given: runAnswer("amof_get_run_status", status),
    ids: ["get_run_status"],
  })),
  {
    that: "offers status and logs of a running run",
    given: runAnswer("amof_get_run_status", "running"),
    ids: ["get_run_status", "get_run_logs"],
  },
  {
    that: "offers summary, logs and the way back after a successful run",
    given: runAnswer("amof_get_run_status", "success"),
    ids: ["summarize_run", "get_run_logs", "back_to_ecosystem"],
  },
  ...["failed", "cancelled"].map((status) => ({
    that: `offers logs, summary and the way back after a ${status} run`,
    given: runAnswer("amof_get_run_status", status),
    ids: ["get_run_logs", "summarize_run", "back_to_ecosystem"],
  })),
  {
    that: "leads from the run of a release to the history of releases",
    given: {
      tool: "amof_get_run_status",
      at: "run",
      data: { run_id: RUN, ecosystem: "", action: "release_bump", status: "success" },
    },
    ids: ["summarize_run", "get_run_logs", "release_log"],
  },
  {
    that: "leads back to no workspace after the run of a discard, and to what is left",
    given: runAnswer("amof_get_run_status", "success", "discard"),
    ids: ["list_ecosystems", "summarize_run", "get_run_logs"],
  },
  {
    that: "offers what is left after the run that removed an environment",
    given: runAnswer("amof_summarize_run", "success", "spin_destroy"),
    ids: ["list_ecosystems", "get_run_logs", "spin_status"],
  },
  {
    that: "leads back to no workspace after the run of an archive",
    given: runAnswer("amof_get_run_status", "success", "archive"),
    ids: ["summarize_run", "get_run_logs"],
  },
  {
    that: "offers what is left only once a discard has ended",
    given: runAnswer("amof_get_run_status", "running", "discard"),
    ids: ["get_run_status", "get_run_logs"],
  },
  {
    that: "offers what is left only where a discard has succeeded",
    given: runAnswer("amof_get_run_status", "failed", "discard"),
    ids: ["get_run_logs", "summarize_run", "back_to_ecosystem"],
  },
  {
    that: "leads from the failed run of an environment to the environment",
    given: runAnswer("amof_get_run_status", "failed", "spin_deploy"),
    ids: ["get_run_logs", "summarize_run", "spin_status"],
  },
  {
    that: "offers the status after the logs of a running run",
    given: runAnswer("amof_get_run_logs", "running"),
    ids: ["get_run_status"],
  },
  {
    that: "offers the summary after the logs of a failed run",
    given: runAnswer("amof_get_run_logs", "failed"),
    ids: ["summarize_run", "back_to_ecosystem"],
  },
  {
    that: "offers the logs after the summary of a successful run",
    given: runAnswer("amof_summarize_run", "success"),
    ids: ["get_run_logs", "back_to_ecosystem"],
  },
  {
    that: "leads from the run of an environment back where its state is not offered",
    given: {
      ...runAnswer("amof_get_run_status", "success", "spin_deploy"),
      find: (name) => name === "amof_spin_status" ? null : findAny(name),
    },
    ids: ["summarize_run", "get_run_logs", "back_to_ecosystem"],
  },
  ...["amof_summarize_run", "amof_get_run_status", "amof_get_run_logs"].map((tool): Case => ({
    that: `goes on when ${tool} tells that an install succeeded`,
    given: runAnswer(tool, "success", "install"),
    ids: ["get_ecosystem_status", "sync_ecosystem", "ticket_start"],
  })),
  ...["commit", "ticket_update"].map((action): Case => ({
    that: `offers the status after the logs of a ${action}, which do not tell what is to be pushed`,
    given: runAnswer("amof_get_run_logs", "success", action),
    ids: ["get_ecosystem_status", "summarize_run"],
  })),
  {
    that: "goes on after an install with what can be asked in mode ask",
    given: { ...runAnswer("amof_summarize_run", "success", "install"), mode: "ask" },
    ids: ["get_ecosystem_status", "get_run_logs"],
  },
  {
    that: "does not go on when an install failed",
    given: runAnswer("amof_summarize_run", "failed", "install"),
    ids: ["get_run_logs", "back_to_ecosystem"],
  },
  {
    that: "goes on when a sync succeeded",
    given: runAnswer("amof_summarize_run", "success", "sync"),
    ids: ["get_ecosystem_status", "get_active_runs", "get_run_logs"],
  },
  {
    that: "goes on after a sync with what mode plan allows",
    given: { ...runAnswer("amof_get_run_status", "success", "sync"), mode: "plan" },
    ids: ["get_ecosystem_status", "get_active_runs", "summarize_run"],
  },
  {
    that: "offers the status when logs do not tell it",
    given: { tool: "amof_get_run_logs", at: "run", data: { run_id: RUN } },
    ids: ["get_run_status"],
  },
  {
    that: "offers no way back from a run without an ecosystem",
    given: {
      ...runAnswer("amof_get_run_status", "success"),
      at: "global",
      data: { run_id: RUN, ecosystem: "", status: "success" },
    },
    ids: ["summarize_run", "get_run_logs"],
  },
];
