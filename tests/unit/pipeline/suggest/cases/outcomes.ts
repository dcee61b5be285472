/**
 * What follows requests, previews, started runs and what destroys: rows 2 to 5 of NEXT-5.
 *
 * @module
 */

import { type Case, findAny, REQUEST, RUN } from "../_support.ts";

/** Rows 2 to 5 of NEXT-5. */
export const OUTCOMES: readonly Case[] = [
  {
    that: "offers confirm, cancel and status for a confirmation request",
    given: {
      tool: "amof_push_ecosystem",
      code: "confirmation_required",
      data: { confirmation: REQUEST },
    },
    ids: ["confirm", "cancel_confirm", "get_ecosystem_status"],
  },
  {
    that: "offers to confirm the fresh request of an expired one",
    given: {
      tool: "amof_push_ecosystem",
      code: "confirmation_expired",
      data: { confirmation: REQUEST },
    },
    ids: ["confirm", "cancel_confirm", "get_ecosystem_status"],
  },
  {
    that: "offers to confirm the fresh request of a stale one",
    given: {
      tool: "amof_push_ecosystem",
      code: "confirmation_stale",
      data: { confirmation: REQUEST },
    },
    ids: ["confirm", "cancel_confirm", "get_ecosystem_status"],
  },
  {
    that: "offers to confirm in every mode and from every scope",
    given: {
      tool: "amof_create_ecosystem",
      at: "run",
      mode: "ask",
      code: "confirmation_required",
      data: { confirmation: REQUEST },
    },
    ids: ["confirm", "cancel_confirm", "list_ecosystems"],
  },
  {
    that: "offers the status of the run whose end is to be confirmed",
    given: {
      tool: "amof_cancel_run",
      at: "global",
      code: "confirmation_required",
      data: { confirmation: { ...REQUEST, preview: { run_id: RUN } } },
    },
    ids: ["confirm", "cancel_confirm", "get_run_status"],
  },
  {
    that: "offers only the list after a finished discard",
    given: { tool: "amof_discard_ecosystem" },
    ids: ["list_ecosystems"],
  },
  {
    that: "offers its run first after a started discard, from another run as well",
    given: {
      tool: "amof_discard_ecosystem",
      phase: "started",
      at: "run",
      data: { run_id: RUN },
    },
    ids: ["get_run_status", "get_run_logs"],
  },
  {
    that: "offers its run first after a started spin_destroy",
    given: { tool: "amof_spin_destroy", phase: "started", data: { run_id: RUN } },
    ids: ["get_run_status", "get_run_logs"],
  },
  {
    that: "adds nothing after a discard where the list is not offered",
    given: {
      tool: "amof_discard_ecosystem",
      find: (name) => name === "amof_list_ecosystems" ? null : findAny(name),
    },
    ids: [],
  },
  {
    that: "treats a failed discard as a failure",
    given: { tool: "amof_discard_ecosystem", code: "would_lose_work" },
    ids: ["get_ecosystem_status"],
  },
  {
    that: "offers the status after a preview of discard",
    given: { tool: "amof_discard_ecosystem", phase: "preview", mode: "plan" },
    ids: ["get_ecosystem_status"],
  },
  {
    that: "offers the state of the environment after a preview of spin_deploy",
    given: { tool: "amof_spin_deploy", phase: "preview", mode: "plan" },
    ids: ["spin_status"],
  },
  {
    that: "offers the status after a preview in ecosystem scope",
    given: { tool: "amof_push_ecosystem", phase: "preview", mode: "plan" },
    ids: ["get_ecosystem_status"],
  },
  {
    that: "offers the status, not the tool again, after a dry run in execute mode",
    given: { tool: "amof_push_ecosystem", phase: "preview", mode: "execute" },
    ids: ["get_ecosystem_status"],
  },
  {
    that: "offers the description after a preview of install",
    given: { tool: "amof_install_ecosystem", phase: "preview", mode: "plan" },
    ids: ["describe_ecosystem"],
  },
  {
    that: "offers the list after a preview in global scope",
    given: { tool: "amof_create_ecosystem", phase: "preview", mode: "plan", at: "global" },
    ids: ["list_ecosystems"],
  },
  {
    that: "offers the run status after a preview in run scope",
    given: {
      tool: "amof_cancel_run",
      phase: "preview",
      mode: "plan",
      at: "global",
      data: { preview: { run_id: RUN } },
    },
    ids: ["get_run_status"],
  },
  {
    that: "offers the release status after a preview in release scope",
    given: { tool: "amof_release_bump", phase: "preview", mode: "plan", at: "release" },
    ids: ["release_status"],
  },
  {
    that: "offers the server status after a preview in server scope",
    given: { tool: "amof_server_stop", phase: "preview", mode: "plan", at: "global" },
    ids: ["get_server_status"],
  },
  {
    that: "offers only status and logs of a run that was started",
    given: {
      tool: "amof_install_ecosystem",
      phase: "started",
      data: { run_id: RUN, action: "install", status: "queued" },
    },
    ids: ["get_run_status", "get_run_logs"],
  },
  {
    that: "offers status and logs of a started archive, which is no row of its own",
    given: { tool: "amof_archive_ecosystem", phase: "started", data: { run_id: RUN } },
    ids: ["get_run_status", "get_run_logs"],
  },
  {
    that: "offers nothing of another run when a started one has no id",
    given: { tool: "amof_push_ecosystem", phase: "started", at: "run" },
    ids: [],
  },
];
