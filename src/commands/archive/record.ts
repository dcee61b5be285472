/**
 * The records of archived workspaces, `ecosystems/<name>/archives/<name>-<UTC time>.json` in the control
 * repository (WORKSPACE-19).
 *
 * They lie among files that anybody may edit, so everything read from them is checked.
 */

import { join } from "@std/path";
import { AmofError } from "../../base/error.ts";
import { type System, timestamp } from "../../base/system/mod.ts";
import { archivesOf, readState, type WorkspaceState } from "../../workspace/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, didYouMean, list, meantText } from "../../base/text/words.ts";
import { isBranchName, isTicketId, sha } from "../../base/ids.ts";
import type { LocalBranch } from "../../git/mod.ts";
import { type Fields, isObject, jsonIn } from "../../base/object.ts";

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
function parseRecord(text: string): Readable | string {
  const value = jsonIn(text);
  if (value === undefined) return "it is not valid JSON";
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

/** A file among the archives: what it says, or why it cannot be read. */
export type Archive =
  & { readonly name: string; readonly file: string; readonly damaged: readonly string[] }
  & (
    | { readonly record: ArchiveRecord; readonly problem: null }
    | { readonly record: null; readonly problem: string }
  );

const FILE = /^[A-Za-z0-9][A-Za-z0-9._-]*\.json$/;
const MAX_BYTES = 4 * 1024 * 1024;

/** Where a new record goes, relative to the control repository: the time makes it unique. */
export function newFile(ecosystem: string, now: number): string {
  return `${archivesOf(ecosystem)}/${ecosystem}-${timestamp(now).replace(/[-:.]/g, "")}.json`;
}

/** All archives of an ecosystem, newest first; those that cannot be read come last. */
export async function readArchives(
  system: System,
  root: string,
  ecosystem: string,
): Promise<Archive[]> {
  const directory = archivesOf(ecosystem);
  const archives: Archive[] = [];
  for (const entry of await system.files.list(join(root, directory))) {
    if (entry.kind !== "file" || !FILE.test(entry.name)) continue;
    const file = `${directory}/${entry.name}`;
    const named = { name: entry.name.replace(/\.json$/, ""), file };
    const info = await system.files.lstat(join(root, file));
    const read = (info?.size ?? 0) > MAX_BYTES
      ? "it is too large"
      : parseRecord(await system.files.readText(join(root, file)) ?? "");
    archives.push(
      typeof read === "string"
        ? { ...named, record: null, damaged: [], problem: read }
        : { ...named, ...read, problem: null },
    );
  }
  const time = (archive: Archive) => Date.parse(archive.record?.archived_at ?? "") || 0;
  return archives.sort((a, b) => time(b) - time(a) || (a.name < b.name ? 1 : -1));
}

/**
 * The archive with a name, the newest one without; throws `archive_not_found` or `state_corrupt`. `isThere` says whether
 * the workspace is, for where there is no archive.
 */
export function chooseArchive(
  archives: readonly Archive[],
  ecosystem: string,
  name: string | undefined,
  isThere = false,
): Archive & { readonly record: ArchiveRecord } {
  const wanted = name?.replace(/\.json$/, "");
  const found = archives.find((archive) => wanted === undefined || archive.name === wanted);
  if (found === undefined) {
    const names = archives.map((archive) => archive.name);
    const near = wanted === undefined ? null : didYouMean(wanted, names);
    throw new AmofError(
      "archive_not_found",
      wanted === undefined
        ? `Cannot restore "${ecosystem}": it has no archive`
        : `Cannot find archive "${cleanLine(wanted, 80)}"${meantText(near)}`,
      {
        hint: names.length === 0
          ? isThere
            ? `Its workspace is where it was: amof -e ${ecosystem} status`
            : `Install it: amof -e ${ecosystem} install`
          : `Available: ${list(names.slice(0, 20))}`,
        details: { available: names.slice(0, 100) },
      },
    );
  }
  if (found.record === null) {
    throw new AmofError(
      "state_corrupt",
      `Cannot use the archive ${found.file}: ${found.problem}`,
      { hint: "Choose another one: amof archive list", details: { file: found.file } },
    );
  }
  return found;
}
