/**
 * Reads the text of a record of an archive, which anybody may have edited: what cannot be used is left out and named.
 */

import { isBranchName, isTicketId, sha } from "../../base/ids.ts";
import type { LocalBranch } from "../../git/mod.ts";
import { type Fields, isObject } from "../../base/object.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count } from "../../base/text/words.ts";
import { readState, type WorkspaceState } from "../../workspace/mod.ts";

/** A repository as it was when its workspace was archived. */
export interface ArchivedRepo {
  readonly name: string;
  /** The branch that was checked out, or null when none was. */
  readonly branch: string | null;
  readonly commit: string | null;
  readonly readonly: boolean;
  /** All local branches. */
  readonly branches: readonly LocalBranch[];
}

/** The workspace of a ticket that was put away with the rest. */
export interface ArchivedTicket {
  readonly ticket_id: string;
  /** The name of the directory it lies in, beside the workspace. */
  readonly away: string;
  readonly repos: readonly Pick<ArchivedRepo, "name" | "branch" | "commit">[];
}

/** A record. */
export interface ArchiveRecord {
  readonly version: 1;
  readonly ecosystem: string;
  /** ISO 8601, UTC. */
  readonly archived_at: string;
  readonly workspace_branch: string;
  readonly workspace_commit: string | null;
  readonly message: string | null;
  readonly tickets: readonly string[];
  readonly repos: readonly ArchivedRepo[];
  /** The workspace state, or null when there was none. */
  readonly state: WorkspaceState | null;
  /** Absent in records of older versions, and where no ticket had a workspace. */
  readonly ticket_workspaces?: readonly ArchivedTicket[];
}

interface Readable {
  readonly record: ArchiveRecord;
  /** What in it cannot be used and is left out, one phrase each. */
  readonly damaged: readonly string[];
}

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** The branches of a record; older ones name only the one that was checked out. What cannot be used goes to `damaged`. */
function branchesOf(repo: Fields, damaged: string[]): LocalBranch[] {
  const { branch, commit, branches } = repo;
  const label = cleanLine(String(repo["name"]), 60);
  if (branches !== undefined && !Array.isArray(branches)) {
    damaged.push(`${label}: its branches are not a list`);
  }
  // Older records name at most the branch that was checked out.
  const only = typeof branch === "string" && commit !== undefined && commit !== null
    ? [{ name: branch, commit, upstream: null }]
    : [];
  const given = Array.isArray(branches) ? branches : only;
  return given.flatMap((entry: unknown) => {
    if (!isObject(entry)) {
      damaged.push(`${label}: a branch entry that is not a record`);
      return [];
    }
    const { name, commit, upstream } = entry;
    if (typeof name !== "string" || !isBranchName(name)) {
      const shown = typeof name === "string" ? ` "${cleanLine(name, 60)}"` : "";
      damaged.push(`${label}: a branch${shown} whose name git does not accept`);
      return [];
    }
    if (typeof commit !== "string" || !COMMIT.test(commit)) {
      damaged.push(`${label}: the branch ${cleanLine(name, 60)}, whose commit cannot be read`);
      return [];
    }
    return [{ name, commit: sha(commit), upstream: textOrNull(upstream) }];
  });
}

/** A repository of a record; what of it is damaged is added to the list. */
function repoOf(
  repo: Fields,
  damaged: string[],
): ArchiveRecord["repos"][number] {
  const branches = branchesOf(repo, damaged);
  const commit = textOrNull(repo["commit"]);
  return {
    name: String(repo["name"]),
    branch: branches.find(({ name }) => name === repo["branch"])?.name ?? null,
    commit: commit !== null && COMMIT.test(commit) ? commit : null,
    readonly: repo["readonly"] === true,
    branches,
  };
}

/** The tickets of a record that were put away; what cannot be used goes to `damaged`. */
function ticketsOf(value: unknown, damaged: string[]): ArchivedTicket[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    damaged.push("its workspaces of tickets are not a list");
    return [];
  }
  return value.flatMap((entry: unknown) => {
    const { ticket_id: id, away, repos }: Fields = isObject(entry) ? entry : {};
    if (typeof id !== "string" || !isTicketId(id) || typeof away !== "string") {
      damaged.push("a workspace of a ticket that is not said which");
      return [];
    }
    const named = (Array.isArray(repos) ? repos : []).filter(isObject)
      .filter(({ name }) => typeof name === "string");
    return [{
      ticket_id: id,
      away,
      repos: named.map(({ name, branch, commit }) => ({
        name: String(name),
        branch: textOrNull(branch),
        commit: textOrNull(commit),
      })),
    }];
  });
}

/** Reads a record, with what in it is damaged and left out; answers why not when it is none. */
export function parseRecord(text: string): Readable | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "it is not valid JSON";
  }
  if (!isObject(value) || !Array.isArray(value["repos"])) return "it is not a record of an archive";
  const { version, ecosystem, archived_at, workspace_branch, workspace_commit } = value;
  if (version !== undefined && version !== 1) return "it was written by a newer amof";
  if (typeof ecosystem !== "string" || typeof archived_at !== "string") {
    return "it does not say what was archived, and when";
  }
  if (typeof workspace_branch !== "string" || !isBranchName(workspace_branch)) {
    return "its workspace branch cannot be the name of a branch";
  }
  if (Number.isNaN(Date.parse(archived_at))) return "its time cannot be read";
  const state = value["state"] === undefined || value["state"] === null
    ? null
    : readState(JSON.stringify(value["state"]));
  if (typeof state === "string") return `its workspace state cannot be used: ${state}`;
  const damaged: string[] = [];
  const repos = value["repos"].filter(isObject).filter((repo) => typeof repo["name"] === "string");
  const nameless = value["repos"].length - repos.length;
  if (nameless > 0) {
    damaged.push(`${count(nameless, "repository", "repositories")} without a name`);
  }
  const commitKnown = typeof workspace_commit === "string" && COMMIT.test(workspace_commit);
  if (!commitKnown && workspace_commit !== undefined && workspace_commit !== null) {
    damaged.push("the commit of the workspace branch");
  }
  const record: ArchiveRecord = {
    version: 1,
    ecosystem,
    archived_at,
    workspace_branch,
    workspace_commit: commitKnown ? workspace_commit : null,
    message: textOrNull(value["message"]),
    tickets: Array.isArray(value["tickets"])
      ? value["tickets"].filter((ticket) => typeof ticket === "string")
      : [],
    repos: repos.map((repo) => repoOf(repo, damaged)),
    state,
    ticket_workspaces: ticketsOf(value["ticket_workspaces"], damaged),
  };
  return { record, damaged };
}
