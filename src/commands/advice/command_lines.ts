/** Command lines that several commands lead on to, and what they are about. */

import { shellWord } from "../../base/text/words.ts";
import type { GuardInput, Touch } from "../../workspace/manifest/mod.ts";
import type { WorkspaceState } from "../../workspace/mod.ts";
import type { Selecting } from "../selection/mod.ts";
import { branchFor, type GoneTicket, isOwnState } from "../../workspace/tickets/mod.ts";

/** `amof repo add` for what a manifest says of a repository, or is to say. */
export function addCommand(
  { name, url, branch = null, path = null, tags = [], dependsOn = [], readonly = false }: {
    readonly name: string;
    readonly url: string;
    /** Null for the one that its remote names. */
    readonly branch?: string | null;
    /** Null for the usual place. */
    readonly path?: string | null;
    readonly tags?: readonly string[];
    readonly dependsOn?: readonly string[];
    readonly readonly?: boolean;
  },
): string {
  const all: readonly (readonly [flag: string, value: string | null])[] = [
    ["branch", branch],
    ["path", path === `repos/${name}` ? null : path],
    ...tags.map((tag) => ["tag", tag] as const),
    ...dependsOn.map((one) => ["depends-on", one] as const),
  ];
  const flags = all.map(([flag, value]) => value === null ? "" : ` --${flag} ${shellWord(value)}`);
  return `amof repo add ${shellWord(name)} ${shellWord(url)}${flags.join("")}${
    readonly ? " --readonly" : ""
  }`;
}

/** `amof repo rename` for a base branch that its remote calls otherwise now; `BRANCH` for one that only a person knows. */
export function rebaseCommand(name: string, branch: string | null): string {
  return `amof repo rename ${shellWord(name)} --branch ${
    branch === null ? "BRANCH" : shellWord(branch)
  }`;
}

/** The command that begins a ticket with changes of one repository, which is all that the ticket is about. */
export function newTicketOf(repo: string): string {
  return `amof ticket start TICKET-ID --carry --repo ${repo}`;
}

/**
 * How work on a base branch comes into a ticket. That is the active ticket, where it is one of the base
 * workspace and lacks the repository. Without an active ticket it is a new one, where one may begin.
 */
export function joining(
  { repo, git, unpushed = 0 }: {
    readonly repo: { readonly name: string };
    readonly git?: { readonly head: string | null } | null;
    readonly unpushed?: number;
  },
  state: WorkspaceState | null,
  { begins = true, perTicket = false }: {
    readonly begins?: boolean;
    /** Whether new tickets get workspaces of their own, into which commits do not go along. */
    readonly perTicket?: boolean;
  } = {},
): readonly string[] {
  // Without a commit there is nothing to begin a branch at.
  if (git?.head === null || state !== null && isOwnState(state)) return [];
  const id = state?.active_ticket ?? null;
  if (state === null || id === null) {
    const place = perTicket && unpushed > 0 ? " --in-place" : "";
    return begins ? [`begin a ticket with it: ${newTicketOf(repo.name)}${place}`] : [];
  }
  return Object.hasOwn(state.tickets[id]?.repos ?? {}, repo.name)
    ? []
    : [`take it into ${id}: amof ticket add ${shellWord(id)} --repo ${repo.name}`];
}

/**
 * The command that brings an entry of git's list of stashes, by its subject, back to the branch that it was kept for; null
 * where none does. `aside` says that changes are in the way.
 */
export function broughtBack(
  subject: string,
  { state, repo, aside }: {
    readonly state: WorkspaceState | null;
    readonly repo: { readonly name: string; readonly branch: string };
    readonly aside: boolean;
  },
): string | null {
  const [, branch, id = ""] = /^On (.+): amof:(\S+)$/.exec(subject) ?? [];
  if (state === null || branch === undefined || branchFor(state, repo, id) !== branch) return null;
  if (id === state.active_ticket) return giveBackCommand(repo.name, state);
  const isKnown = id === "main" ? state.active_ticket !== null : Object.hasOwn(state.tickets, id);
  return isOwnState(state) || !isKnown
    ? null
    : `amof ticket switch ${shellWord(id)}${aside ? " --stash" : ""}`;
}

/** The command that gives changes of the active ticket back that were put away, in one of its repositories. */
export function giveBackCommand(repo: string, state: WorkspaceState | null): string {
  const own = state !== null && isOwnState(state) ? state.active_ticket : null;
  return `amof ticket update --continue --repo ${repo}${
    own === null ? "" : ` --ticket ${shellWord(own)}`
  }`;
}

/** The command that makes the workspace of a ticket again, out of what its remotes have. */
export function againCommand({ id, repos }: Pick<GoneTicket, "id" | "repos">): string {
  const named = repos.length === 0 ? "" : ` --repo ${repos.map(({ name }) => name).join(",")}`;
  return `amof ticket start ${id} --workspace${named}`;
}

/** Flags that a person types to let names go, at most three. */
export function flagsFor(flag: string, names: readonly string[]): string {
  return names.slice(0, 3).map((name) => `${flag} ${shellWord(name)}`).join(" ");
}

/** What lets guarded files go: the command, as a person types it in a terminal. */
export function touchFix(
  found: readonly Touch[],
  command: string,
  done: "pushed" | "committed" = "pushed",
): string {
  const paths = [...new Set(found.map(({ path }) => path))];
  const names = paths.length > 3 ? [...new Set(found.map(({ glob }) => glob))] : paths;
  return `take them out of what is ${done}\nlet them go: amof ${command} ${
    flagsFor("--allow-no-touch", names)
  }`;
}

/** The way to a workspace of its own for a ticket that is worked on in the base workspace. */
export function workspaceFor(id: string): string {
  return `Give it a workspace of its own: amof ticket move ${id} --workspace`;
}

/** What an install is asked for. */
interface Asked extends GuardInput, Selecting {
  readonly push: boolean;
  readonly repair: boolean;
  readonly locked: boolean;
  readonly lock_file?: string | undefined;
  readonly adopt?: string | undefined;
}

/** The command that installs what was asked for, as far as that can be cloned. */
export function keepingLine(
  { repos = [], tags = [], only = [], allow_no_touch: touches = [], ...asked }: Asked,
): string {
  const each = (flag: string, values: readonly string[]) =>
    values.map((value) => `--${flag} ${shellWord(value)}`);
  return [
    "amof install",
    ...each("repo", repos),
    ...each("tag", tags),
    ...each("only", only),
    ...each("adopt", asked.adopt === undefined ? [] : [asked.adopt]),
    ...each("lock-file", asked.lock_file === undefined ? [] : [asked.lock_file]),
    ...(asked.locked ? ["--locked"] : []),
    ...(asked.repair ? ["--repair"] : []),
    ...(asked.push ? ["--push"] : []),
    ...each("allow-no-touch", touches),
    "--keep-going",
  ].join(" ");
}
