/** The record of a ticket as the state of a workspace, which commands read and write (SCOPE-2). */

import { defined } from "../../base/object.ts";
import type { System } from "../../base/system/mod.ts";
import type { WorkspaceState } from "../state_format.ts";
import { isTicketDirectory, loadRecord, saveRecord, type TicketRecord } from "./record.ts";

/** The state, in the format of a version, that a record tells of. */
export function stateOfRecord(record: TicketRecord, version: number): WorkspaceState {
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
    repos: repos.map(([name, { last_push, compared }]) => ({
      name,
      ...defined({ last_push, compared }),
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
export async function recordIn(system: System, directory: string): Promise<TicketRecord | null> {
  return isTicketDirectory(directory) ? await loadRecord(system, directory) : null;
}

/** Writes what a state remembers into the record of a ticket. */
export async function saveIntoRecord(
  system: System,
  directory: string,
  record: TicketRecord,
  state: WorkspaceState,
): Promise<void> {
  await saveRecord(system, directory, recordWith(record, state));
}
