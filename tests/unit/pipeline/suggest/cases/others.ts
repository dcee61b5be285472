/**
 * What follows any other call: rows 12 to 21 and 23 of NEXT-5.
 *
 * @module
 */

import { type Case, findAny, listing, OTHER_RUN, RUN } from "../_support.ts";

const withoutSwitch: typeof findAny = (name) =>
  name === "amof_switch_ecosystem" ? null : findAny(name);

/** Rows 12 to 21 and 23 of NEXT-5. */
export const OTHERS: readonly Case[] = [
  {
    that: "offers the newest run after spin_status",
    given: { tool: "amof_spin_status", phase: "result", data: { runs: [{ run_id: RUN }] } },
    ids: ["get_run_status", "get_ecosystem_status", "describe_ecosystem"],
  },
  {
    that: "offers to open the only ecosystem",
    given: listing("demo"),
    ids: ["switch_ecosystem", "get_server_status", "get_active_runs"],
  },
  {
    that: "offers to open the first three ecosystems",
    given: listing("demo", "shop", "blog", "more"),
    ids: ["switch_ecosystem", "switch_ecosystem_2", "switch_ecosystem_3"],
  },
  {
    that: "offers to describe the first ecosystems where no session could stand in one",
    given: { ...listing("demo", "shop"), find: withoutSwitch },
    ids: ["describe_ecosystem", "describe_ecosystem_2", "get_server_status"],
  },
  {
    that: "offers server and runs when there is no ecosystem",
    given: listing(),
    ids: ["get_server_status", "get_active_runs"],
  },
  {
    that: "offers the default set after a switch",
    given: { tool: "amof_switch_ecosystem", data: { active_ecosystem: "demo" } },
    ids: ["get_ecosystem_status", "sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers to install first after a switch to what is not installed",
    given: { tool: "amof_switch_ecosystem", data: { installed: false } },
    ids: ["install_ecosystem", "get_ecosystem_status", "sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers status and sync after a description",
    given: { tool: "amof_describe_ecosystem", data: { installed: true } },
    ids: ["get_ecosystem_status", "sync_ecosystem"],
  },
  {
    that: "offers to install after the description of what is not installed",
    given: { tool: "amof_describe_ecosystem", data: { installed: false } },
    ids: ["install_ecosystem"],
  },
  {
    that: "offers status and description after a validation",
    given: { tool: "amof_validate_manifest", data: { valid: true } },
    ids: ["get_ecosystem_status", "describe_ecosystem"],
  },
  {
    that: "offers a ticket after an empty list of tickets",
    given: { tool: "amof_ticket_list", data: { tickets: [], active_ticket: null } },
    ids: ["ticket_start"],
  },
  {
    that: "offers neither a start nor a switch beside a repository that cannot change its branch",
    given: {
      tool: "amof_ticket_list",
      data: { tickets: [], active_ticket: null, held: ["api"] },
    },
    ids: ["get_ecosystem_status"],
  },
  {
    that: "offers the first inactive ticket after a list of tickets",
    given: {
      tool: "amof_ticket_list",
      data: {
        tickets: [{ ticket_id: "A-1", active: true }, { ticket_id: "A-2", active: false }],
      },
    },
    ids: ["ticket_switch", "get_ecosystem_status"],
  },
  {
    that: "offers the end of a ticket that has no branch any more, and no switch to it",
    given: {
      tool: "amof_ticket_list",
      data: {
        tickets: [
          { ticket_id: "A-1", repos: { api: "a", web: "a" }, states: { api: "gone", web: "gone" } },
          { ticket_id: "A-2", repos: { api: "a", web: "a" }, states: { web: "gone" } },
        ],
      },
    },
    ids: ["ticket_end", "ticket_switch", "get_ecosystem_status"],
  },
  {
    that: "offers only the status when every ticket is active",
    given: {
      tool: "amof_ticket_list",
      data: { tickets: [{ ticket_id: "A-1", active: true }] },
    },
    ids: ["get_ecosystem_status"],
  },
  ...["amof_ticket_start", "amof_ticket_switch", "amof_ticket_end"].map((tool) => ({
    that: `offers status and tickets after ${tool}`,
    given: { tool },
    ids: ["get_ecosystem_status", "ticket_list"],
  })),
  {
    that: "offers to restart a running server",
    given: { tool: "amof_get_server_status", at: "global", data: { running: true } },
    ids: ["server_restart", "list_ecosystems"],
  },
  {
    that: "offers to start a stopped server, from an ecosystem as well",
    given: { tool: "amof_get_server_status", data: { running: false } },
    ids: ["server_start", "list_ecosystems"],
  },
  {
    that: "offers the list when the server does not tell how it is",
    given: { tool: "amof_get_server_status", at: "global" },
    ids: ["list_ecosystems"],
  },
  ...["amof_server_start", "amof_server_stop", "amof_server_restart"].map((tool) => ({
    that: `offers server status and list after ${tool}`,
    given: { tool },
    ids: ["get_server_status", "list_ecosystems"],
  })),
  {
    that: "offers the status after a journal entry",
    given: { tool: "amof_create_journal" },
    ids: ["get_ecosystem_status"],
  },
  ...["amof_list_runs", "amof_get_active_runs"].map((tool) => ({
    that: `offers the newest run, then the default, after ${tool}`,
    given: { tool, data: { runs: [{ run_id: RUN }, { run_id: OTHER_RUN }] } },
    ids: ["get_run_status", "list_ecosystems", "get_server_status"],
  })),
  {
    that: "offers the newest run, then the default of the ecosystem whose runs were listed",
    given: { tool: "amof_list_runs", data: { ecosystem: "demo", runs: [{ run_id: RUN }] } },
    ids: ["get_run_status", "get_ecosystem_status", "sync_ecosystem"],
  },
  {
    that: "offers the newest run from the global scope",
    given: { tool: "amof_list_runs", at: "global", data: { runs: [{ run_id: RUN }] } },
    ids: ["get_run_status", "list_ecosystems", "get_server_status"],
  },
  {
    that: "offers the default after an empty list of runs",
    given: { tool: "amof_list_runs", at: "global", data: { runs: [] } },
    ids: ["list_ecosystems", "get_server_status", "get_active_runs"],
  },
  {
    that: "offers the global set by default",
    given: { tool: "amof_set_mode", at: "global" },
    ids: ["list_ecosystems", "get_server_status", "get_active_runs", "get_global_telemetry"],
  },
  {
    that: "offers the ecosystem set by default",
    given: { tool: "amof_set_mode" },
    ids: ["get_ecosystem_status", "sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers the release set by default",
    given: { tool: "amof_scope_info", at: "release" },
    ids: ["release_status", "release_log"],
  },
  {
    that: "offers the server set by default",
    given: { tool: "amof_scope_info", at: "server" },
    ids: ["get_server_status", "list_ecosystems"],
  },
  {
    that: "offers to look at the run by default",
    given: { tool: "amof_scope_info", at: "run", data: { scope: "run", run_id: RUN } },
    ids: ["get_run_status"],
  },
  {
    that: "offers what follows a cancelled run after cancel_run, from the global scope as well",
    given: {
      tool: "amof_cancel_run",
      at: "global",
      data: { run_id: RUN, ecosystem: "demo", status: "cancelled" },
    },
    ids: ["get_run_logs", "summarize_run", "back_to_ecosystem"],
  },
];
