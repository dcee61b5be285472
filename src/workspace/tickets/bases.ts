/** The base branches of tickets, and how they follow the manifest where the remote calls one otherwise (TICKET-19). */

import { isBranchName } from "../../base/ids.ts";
import { type Fields, isObject } from "../../base/object.ts";
import type { Repository } from "../../git/mod.ts";
import type { TicketState, WorkspaceState } from "../state_format.ts";

/** A repository with its base branch in the manifest. */
export interface Branched {
  readonly name: string;
  readonly branch: string;
}

/** Where a ticket began in a repository. */
interface Begun {
  readonly repo: string;
  readonly source_branch: string;
  /** True where somebody named it instead of the manifest's. */
  readonly chosen?: unknown;
}

function isBegun(entry: unknown): entry is Begun {
  return isObject(entry) && typeof entry["repo"] === "string" &&
    typeof entry["source_branch"] === "string" && isBranchName(entry["source_branch"]);
}

/** The notes of where a ticket began that are asked for; what is damaged is not there. */
function begunIn(ticket: TicketState, isAsked: (note: Fields) => boolean): readonly Begun[] {
  const all: unknown = ticket["repo_selections"];
  // A ticket may have many repositories and is looked at for each of these: the cheap question comes first.
  return Array.isArray(all)
    ? all.filter((entry): entry is Begun => isObject(entry) && isAsked(entry) && isBegun(entry))
    : [];
}

/** The base branch of a repository in a ticket: the one it was started from, else the manifest's. */
export function baseOf(ticket: TicketState, repo: Branched): string {
  return begunIn(ticket, ({ repo: name }) => name === repo.name)[0]?.source_branch ?? repo.branch;
}

/** Whether somebody chose where the ticket on a branch begins in a repository: its commits may be those of another, too. */
export function hasChosenBase(state: WorkspaceState, name: string, branch: string): boolean {
  const isChosen = ({ repo, chosen }: Fields) => repo === name && chosen === true;
  return state.repos.some((repo) => repo.name === name && repo["chosen"] === true) ||
    Object.values(state.tickets).some((ticket) =>
      ticket.repos[name] === branch && begunIn(ticket, isChosen).length > 0
    );
}

/** The base branches of the branches that tickets work on in a repository, by those; of any other it is the manifest's. */
export function basesOfTickets(
  state: WorkspaceState | null,
  repo: Branched,
): ReadonlyMap<string, string> {
  return new Map(
    Object.values(state?.tickets ?? {}).flatMap((ticket): [string, string][] => {
      const branch = Object.hasOwn(ticket.repos, repo.name) ? ticket.repos[repo.name] : undefined;
      return branch === undefined ? [] : [[branch, baseOf(ticket, repo)]];
    }),
  );
}

/** Whether others work from a branch: it is the base of the repository, or of a ticket in it. */
export function isBaseBranch(
  state: WorkspaceState | null,
  repo: Branched,
  branch: string,
): boolean {
  return branch === repo.branch || [...basesOfTickets(state, repo).values()].includes(branch);
}

/** The base branch of a branch of a repository: that of the ticket that works on it, else the manifest's. */
export function baseOfBranch(
  state: WorkspaceState | null,
  repo: Branched,
  branch: string,
): string {
  return basesOfTickets(state, repo).get(branch) ?? repo.branch;
}

/** Where a branch is known: at its remote, as last fetched, or only here, as it never went there. */
interface Known {
  readonly isThere: (branch: string) => boolean;
  readonly isOnlyHere: (branch: string) => boolean;
}

/** Whether two branches are of tickets, as both begin with the same prefix. */
function areOfTickets(one: string, other: string): boolean {
  const prefix = other.slice(0, other.lastIndexOf("/") + 1);
  return prefix !== "" && one.startsWith(prefix);
}

/**
 * The base branch of a ticket with its `branch`. That is the one it began at. Where the remote only has the
 * manifest's, `now`, it is that one, as after a rename there.
 *
 * A base that somebody has chosen stays. The branch of another ticket does not, as it goes when that is merged,
 * unless it is here and still waits to be pushed.
 */
export function followedBase(
  { branch, begun, chosen, now }: {
    readonly branch: string;
    readonly begun: string;
    readonly chosen: boolean;
    readonly now: string;
  },
  { isThere, isOnlyHere }: Known,
): string {
  if (isThere(begun) || !isThere(now)) return begun;
  return chosen && (!areOfTickets(begun, branch) || isOnlyHere(begun)) ? begun : now;
}

/** What the clone of a repository knows of some branches. No process where git's own files tell. */
export async function knownIn(
  { refs, branches }: Repository,
  names: readonly string[],
): Promise<Known> {
  const found = await refs.peekBranches(names);
  const following = await branches.following();
  return {
    isThere: (branch) => found.base(branch).commit !== undefined,
    isOnlyHere: (branch) => found.heads.has(branch) && !following.has(branch),
  };
}

/** The names of the repositories that a ticket began in at another branch than the manifest names now. */
export function begunElsewhere(
  state: WorkspaceState,
  repos: readonly Branched[],
): ReadonlySet<string> {
  const branches = new Map<unknown, string>(repos.map(({ name, branch }) => [name, branch]));
  const isElsewhere = ({ repo, source_branch: begun }: Fields) =>
    begun !== (branches.get(repo) ?? begun);
  return new Set(
    Object.values(state.tickets).flatMap((ticket) =>
      begunIn(ticket, isElsewhere).map(({ repo }) => repo)
    ),
  );
}

/**
 * The state with the base branches of a repository as its clone shows them now ({@linkcode followedBase}). No process
 * where git's own files tell.
 */
export async function withFollowed<State extends WorkspaceState | null>(
  state: State,
  repo: Branched,
  repository: Repository,
): Promise<State> {
  if (state === null || !begunElsewhere(state, [repo]).has(repo.name)) return state;
  const begun = Object.values(state.tickets)
    .flatMap((ticket) => begunIn(ticket, ({ repo: name }) => name === repo.name))
    .map((entry) => entry.source_branch);
  const known = await knownIn(repository, [repo.branch, ...begun]);
  const follow = (entry: unknown, branch: string) =>
    !isBegun(entry) || entry.repo !== repo.name ? entry : {
      ...entry,
      source_branch: followedBase(
        { branch, begun: entry.source_branch, chosen: entry.chosen === true, now: repo.branch },
        known,
      ),
    };
  const tickets = Object.entries(state.tickets).map(([id, ticket]) => {
    const all: unknown = ticket["repo_selections"];
    const branch = ticket.repos[repo.name] ?? "";
    return [
      id,
      Array.isArray(all)
        ? { ...ticket, repo_selections: all.map((entry) => follow(entry, branch)) }
        : ticket,
    ];
  });
  return { ...state, tickets: Object.fromEntries(tickets) };
}
