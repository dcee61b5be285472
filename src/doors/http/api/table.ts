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

/** A route by what it is called with, and the tool that answers. */
type Row = readonly [
  method: Route["method"],
  path: string,
  tool: string,
  more?: Pick<Route, "id" | "says" | "only">,
];

const ECOSYSTEMS: readonly Row[] = [
  ["GET", "/ecosystems", "amof_list_ecosystems"],
  ["POST", "/ecosystems", "amof_create_ecosystem"],
  ["GET", "/ecosystems/{ecosystem}", "amof_describe_ecosystem"],
  ["DELETE", "/ecosystems/{ecosystem}", "amof_discard_ecosystem", { id: "delete_ecosystem" }],
];

const ACTIONS: readonly Row[] = [
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
].map(([action = "", tool = ""]) => ["POST", `/ecosystems/{ecosystem}/actions/${action}`, tool]);

const RELEASE: readonly Row[] = [
  ["GET", "/release/status", "amof_release_status"],
  ["GET", "/release/log", "amof_release_log"],
  ["POST", "/release/validate", "amof_release_validate"],
  ["POST", "/release/bump", "amof_release_bump"],
  ["POST", "/release/promote", "amof_release_promote"],
];

/** What of a run tells how far it is. */
const STATE = [
  "run_id",
  "action",
  "status",
  "terminal",
  "exit_code",
  "event_count",
  "last_message",
];

const RUNS: readonly Row[] = [
  ["GET", "/runs", "amof_list_runs"],
  ["GET", "/runs/{run_id}", "amof_get_run_status"],
  ["GET", "/runs/{run_id}/status", "amof_get_run_status", { id: "get_run_state", only: STATE }],
  ["GET", "/runs/{run_id}/logs", "amof_get_run_logs"],
  ["GET", "/runs/{run_id}/summary", "amof_summarize_run"],
  ["POST", "/runs/{run_id}/control", "amof_cancel_run", { says: { action: "stop" } }],
];

function routes(group: string, rows: readonly Row[]): Route[] {
  return rows.map(([method, path, tool, more]) => ({ method, path, tool, group, ...more }));
}

/** Every route that carries out a command. */
export const ROUTES: readonly Route[] = [
  ...routes("ecosystems", ECOSYSTEMS),
  ...routes("actions", ACTIONS),
  ...routes("release", RELEASE),
  ...routes("runs", RUNS),
  ...routes("confirmations", [
    ["POST", "/confirmations", "amof_confirm"],
    ["POST", "/confirmations/cancel", "amof_cancel_confirm"],
  ]),
  ...routes("approvals", [
    ["GET", "/approvals", "amof_approvals"],
    ["GET", "/approvals/{id}", "amof_approvals", { id: "get_approval" }],
  ]),
  ...routes("audit", [
    ["GET", "/audit", "amof_audit"],
    ["GET", "/audit/verify", "amof_audit_verify"],
  ]),
  ...routes("telemetry", [["GET", "/telemetry", "amof_get_global_telemetry"]]),
];

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
