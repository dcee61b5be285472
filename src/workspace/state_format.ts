/** What the state of a workspace holds (WORKSPACE-8). */

/** The version of the file format. */
export const STATE_VERSION = 3;

/** What is remembered of a ticket. */
export interface TicketState {
  readonly [key: string]: unknown;
  readonly created_at: string;
  readonly ecosystem: string;
  /** Repository name to feature branch. */
  readonly repos: Readonly<Record<string, string>>;
}

/** The last successful push of a repository. */
export interface LastPush {
  readonly branch: string;
  readonly commit: string;
  readonly commit_full: string;
  readonly pushed_at: string;
}

/** What is remembered of a repository. Everything but `last_push` comes from the manifest. */
interface RepoState {
  readonly [key: string]: unknown;
  readonly name: string;
  readonly last_push?: LastPush;
}

/** The file. */
export interface WorkspaceState {
  readonly [key: string]: unknown;
  readonly version: number;
  readonly ecosystem: string;
  readonly workspace_branch: string;
  readonly active_ticket: string | null;
  readonly tickets: Readonly<Record<string, TicketState>>;
  readonly repos: readonly RepoState[];
  readonly created_at: string;
  readonly last_modified: string;
}
