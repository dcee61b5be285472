/**
 * The state file of one workspace, `<workspace>/.amof/state.json` (WORKSPACE-8), or the record of the ticket it belongs
 * to (SCOPE-2).
 *
 * Keys this program does not know are kept when the file is rewritten.
 */

import { join } from "@std/path";
import { defined, isObject, readObject } from "../base/object.ts";
import { AmofError } from "../base/error.ts";
import { type System, timestamp } from "../base/system/mod.ts";
import { STATE_VERSION, type WorkspaceState } from "./state_format.ts";
import { isTicketDirectory, loadRecord, saveRecord, type TicketRecord } from "./tickets/record.ts";

/** The state, in the format of a version, that a record tells of. */
function stateOfRecord(record: TicketRecord, version: number): WorkspaceState {
  const { ticket_id, ecosystem, created_at } = record;
  const repos = Object.entries(record.repos);
  const branches = repos.filter(([, { role }]) => role === "work")
    .map(([name, { branch }]) => [name, branch]);
  return {
    version,
    ecosystem,
    workspace_branch: "",
    active_ticket: ticket_id,
    tickets: { [ticket_id]: { created_at, ecosystem, repos: Object.fromEntries(branches) } },
    repos: repos.map(([name, { last_push, compared, chosen }]) => ({
      name,
      ...defined({ last_push, compared, chosen }),
    })),
    created_at,
    last_modified: created_at,
  };
}

/** Whether a state is that of a ticket's own workspace, which has no branch of the control repository. */
export function isOwnState(
  { workspace_branch }: Pick<WorkspaceState, "workspace_branch">,
): boolean {
  return workspace_branch === "";
}

/** The record with what a state remembers of its repositories: their last pushes, and which branches are merged. */
function recordWith(record: TicketRecord, state: WorkspaceState): TicketRecord {
  const known = new Map(state.repos.map((repo) => [repo.name, repo]));
  const repos = Object.entries(record.repos).map(([name, repo]) => {
    const { last_push, compared }: Partial<WorkspaceState["repos"][number]> = known.get(name) ?? {};
    return [name, { ...repo, ...defined({ last_push, compared }) }];
  });
  return { ...record, repos: Object.fromEntries(repos) };
}

/** The record in a directory that is the workspace of a ticket; null in any other. */
async function recordIn(system: System, directory: string): Promise<TicketRecord | null> {
  return isTicketDirectory(directory) ? await loadRecord(system, directory) : null;
}

/** Writes what a state remembers into the record of a ticket. */
async function saveIntoRecord(
  system: System,
  directory: string,
  record: TicketRecord,
  state: WorkspaceState,
): Promise<void> {
  await saveRecord(system, directory, recordWith(record, state));
}

export {
  type LastPush,
  STATE_VERSION,
  type TicketState,
  type WorkspaceState,
} from "./state_format.ts";

/** What is said of a workspace without the file: reading goes on as if there were no tickets (WORKSPACE-9). */
export const NO_STATE =
  "The workspace has no state file (.amof/state.json), so no tickets are known; install --repair makes one";

/** Where the state of a workspace is. */
export function stateFile(workspace: string): string {
  return join(workspace, ".amof", "state.json");
}

/** The state of a workspace without tickets and pushes. */
export function freshState(system: System, ecosystem: string, branch: string): WorkspaceState {
  const now = timestamp(system.clock.now());
  return {
    version: STATE_VERSION,
    ecosystem,
    workspace_branch: branch,
    active_ticket: null,
    tickets: {},
    repos: [],
    created_at: now,
    last_modified: now,
  };
}

/** Reads the text of a state; answers why not when it is none. */
export function readState(text: string): WorkspaceState | string {
  const value = readObject(text);
  if (typeof value === "string") return value;
  if (typeof value["version"] !== "number" || value["version"] < STATE_VERSION) {
    return "it is of an older version";
  }
  if (value["version"] > STATE_VERSION) return "it was written by a newer amof";
  const tickets = value["tickets"] ?? {};
  const repos = value["repos"] ?? [];
  if (
    !isObject(tickets) ||
    !Object.values(tickets).every((ticket) => isObject(ticket) && isObject(ticket["repos"]))
  ) {
    return "its tickets are damaged";
  }
  if (
    !Array.isArray(repos) ||
    !repos.every((repo) => isObject(repo) && typeof repo["name"] === "string")
  ) {
    return "its repositories are damaged";
  }
  const active = value["active_ticket"] ?? null;
  if (active !== null && (typeof active !== "string" || !Object.hasOwn(tickets, active))) {
    return "its active ticket is unknown";
  }
  return { ...value, tickets, repos, active_ticket: active } as unknown as WorkspaceState;
}

/**
 * Reads the state of a workspace, that of a ticket's own out of the ticket's record; null when there is none. Throws
 * `state_corrupt` when it cannot be used.
 */
export async function loadState(system: System, workspace: string): Promise<WorkspaceState | null> {
  const record = await recordIn(system, workspace);
  if (record !== null) return stateOfRecord(record, STATE_VERSION);
  const text = await system.files.readText(stateFile(workspace));
  if (text === null) return null;
  const state = readState(text);
  if (typeof state !== "string") return state;
  throw new AmofError(
    "state_corrupt",
    `Cannot use the workspace state .amof/state.json: ${state}`,
    {
      hint: "Rebuild it, keeping the old file aside: amof install --repair",
      details: { reason: state },
    },
  );
}

/** Writes the state in one step and notes when; in the workspace of a ticket the ticket's record remembers it. */
export async function saveState(
  system: System,
  workspace: string,
  state: WorkspaceState,
): Promise<void> {
  const record = await recordIn(system, workspace);
  if (record !== null) return await saveIntoRecord(system, workspace, record, state);
  await system.files.write(stateFile(workspace), stateText(system, state));
}

/** The text of a state, stamped with the time, as it is written to the file. */
export function stateText(system: System, state: WorkspaceState): string {
  const stamped = { ...state, last_modified: timestamp(system.clock.now()) };
  return `${JSON.stringify(stamped, null, 2)}\n`;
}

/** The name an unusable state file is kept under. */
export function damagedName(system: System, workspace: string): string {
  return `${stateFile(workspace)}.corrupt-${timestamp(system.clock.now()).replace(/[-:.]/g, "")}`;
}
