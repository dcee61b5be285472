/**
 * The routes of the API (SERVER-8), as a table: each names a command, and its arguments are made of the path, the query
 * and the body. The routes, what they accept, and the OpenAPI document follow from it.
 */

/** The beginning of every path. */
export const API = "/api/v1";

/** One route that carries out a command. */
export interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  /** Behind {@linkcode API}; what stands in braces is a member of the command's input. */
  readonly path: string;
  readonly tool: string;
  readonly group: string;
  /** Says which route it is where a tool has several; else its tool does. */
  readonly id?: string;
  /** Members that say nothing to the command, with the only value each may have. */
  readonly says?: Readonly<Record<string, string>>;
  /** The only members of the command's answer that are sent, besides those that every answer has. */
  readonly only?: readonly string[];
}

const ACTIONS: readonly (readonly [action: string, tool: string])[] = [
  ["install", "amof_install_ecosystem"],
  ["status", "amof_get_ecosystem_status"],
  ["sync", "amof_sync_ecosystem"],
  ["push", "amof_push_ecosystem"],
  ["archive", "amof_archive_ecosystem"],
  ["discard", "amof_discard_ecosystem"],
  ["validate", "amof_validate_manifest"],
  ["spin/deploy", "amof_spin_deploy"],
  ["spin/destroy", "amof_spin_destroy"],
  ["ticket-start", "amof_ticket_start"],
  ["ticket-list", "amof_ticket_list"],
  ["ticket-switch", "amof_ticket_switch"],
  ["ticket-end", "amof_ticket_end"],
];

const ECOSYSTEMS: readonly Route[] = [
  { method: "GET", path: "/ecosystems", tool: "amof_list_ecosystems", group: "ecosystems" },
  { method: "POST", path: "/ecosystems", tool: "amof_create_ecosystem", group: "ecosystems" },
  {
    method: "GET",
    path: "/ecosystems/{ecosystem}",
    tool: "amof_describe_ecosystem",
    group: "ecosystems",
  },
  {
    method: "DELETE",
    path: "/ecosystems/{ecosystem}",
    tool: "amof_discard_ecosystem",
    group: "ecosystems",
    id: "delete_ecosystem",
  },
  ...ACTIONS.map(([action, tool]): Route => ({
    method: "POST",
    path: `/ecosystems/{ecosystem}/actions/${action}`,
    tool,
    group: "actions",
  })),
];

const RELEASE: readonly Route[] = [
  { method: "GET", path: "/release/status", tool: "amof_release_status", group: "release" },
  { method: "GET", path: "/release/log", tool: "amof_release_log", group: "release" },
  { method: "POST", path: "/release/validate", tool: "amof_release_validate", group: "release" },
  { method: "POST", path: "/release/bump", tool: "amof_release_bump", group: "release" },
  { method: "POST", path: "/release/promote", tool: "amof_release_promote", group: "release" },
];

const RUNS: readonly Route[] = [
  { method: "GET", path: "/runs", tool: "amof_list_runs", group: "runs" },
  { method: "GET", path: "/runs/{run_id}", tool: "amof_get_run_status", group: "runs" },
  {
    method: "GET",
    path: "/runs/{run_id}/status",
    tool: "amof_get_run_status",
    group: "runs",
    id: "get_run_state",
    only: ["run_id", "action", "status", "terminal", "exit_code", "event_count", "last_message"],
  },
  { method: "GET", path: "/runs/{run_id}/logs", tool: "amof_get_run_logs", group: "runs" },
  { method: "GET", path: "/runs/{run_id}/summary", tool: "amof_summarize_run", group: "runs" },
  {
    method: "POST",
    path: "/runs/{run_id}/control",
    tool: "amof_cancel_run",
    group: "runs",
    says: { action: "stop" },
  },
];

const CONSENT: readonly Route[] = [
  { method: "POST", path: "/confirmations", tool: "amof_confirm", group: "confirmations" },
  {
    method: "POST",
    path: "/confirmations/cancel",
    tool: "amof_cancel_confirm",
    group: "confirmations",
  },
  { method: "GET", path: "/approvals", tool: "amof_approvals", group: "approvals" },
  {
    method: "GET",
    path: "/approvals/{id}",
    tool: "amof_approvals",
    group: "approvals",
    id: "get_approval",
  },
  { method: "GET", path: "/audit", tool: "amof_audit", group: "audit" },
  { method: "GET", path: "/audit/verify", tool: "amof_audit_verify", group: "audit" },
  { method: "GET", path: "/telemetry", tool: "amof_get_global_telemetry", group: "telemetry" },
];

/** Every route that carries out a command. */
export const ROUTES: readonly Route[] = [...ECOSYSTEMS, ...RELEASE, ...RUNS, ...CONSENT];

/** The members of a path. */
export function pathMembers(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

/** Where the log of a run is followed. */
export const STREAM_PATH = "/runs/{run_id}/stream";
/** Where is told what has changed. */
export const CHANGES_PATH = "/changes";
/** Where the document about the API is. */
export const OPENAPI_PATH = "/openapi.json";
