/**
 * What follows a run that the caller waited for, as the command line does: rows 1, 3 and 7 of NEXT-5.
 *
 * @module
 */

import { type Case, runAnswer } from "../_support.ts";

/** Runs that the caller waited for, as the command line does: rows 1, 3 and 7 of NEXT-5. */
export const FINISHED: readonly Case[] = [
  {
    that: "looks at the run after a push that was waited for",
    given: { ...runAnswer("amof_push_ecosystem", "success"), phase: "finished" },
    ids: ["summarize_run", "get_run_logs", "back_to_ecosystem"],
  },
  {
    that: "goes on after an install that was waited for",
    given: {
      ...runAnswer("amof_install_ecosystem", "success", "install"),
      phase: "finished",
      at: "ecosystem",
    },
    ids: [
      "get_ecosystem_status",
      "sync_ecosystem",
      "ticket_start",
      "summarize_run",
      "get_run_logs",
    ],
  },
  ...[{}, { beyond_merged: true }].map((fields): Case => {
    const answer = runAnswer("amof_commit_ecosystem", "success", "commit");
    const made = { name: "api", result: "committed", on_base: false, ...fields };
    const isBeyond = "beyond_merged" in fields;
    return {
      that: `offers ${isBeyond ? "a look at" : "the push of"} what a commit has made`,
      given: {
        ...answer,
        data: { ...answer.data, result: { repos: [made] } },
        phase: "finished",
        at: "ecosystem",
      },
      ids: [
        ...(isBeyond ? [] : ["push_ecosystem"]),
        "get_ecosystem_status",
        "summarize_run",
        "get_run_logs",
      ],
    };
  }),
  ...["amof_discard_ecosystem", "amof_spin_destroy"].map((tool): Case => ({
    that: `offers only the list after a ${tool} that was waited for`,
    given: { ...runAnswer(tool, "success", "discard"), phase: "finished" },
    ids: ["list_ecosystems"],
  })),
  {
    that: "offers history and status after a release that was waited for",
    given: {
      ...runAnswer("amof_release_bump", "success", "release_bump"),
      at: "release",
      phase: "finished",
    },
    ids: ["release_log", "release_status"],
  },
  {
    that: "offers what helps and the logs after a failure that was waited for",
    given: {
      ...runAnswer("amof_sync_ecosystem", "failed", "sync"),
      at: "ecosystem",
      phase: "finished",
      code: "partial_failure",
    },
    ids: ["get_ecosystem_status", "get_run_logs"],
  },
];
