/** Looks at all repositories before the first one is touched: a refusal in one leaves none changed. */

import { join } from "@std/path";

import { AmofError, type ErrorCode } from "../../base/error.ts";
import {
  freshState,
  loadState,
  NO_STATE,
  type Refusal,
  repoDirectory,
  requireWorkspace,
  stateFile,
  stateText,
  type TicketState,
  type Workspace,
  type WorkspaceState,
} from "../../workspace/mod.ts";
import { finishThere, listConflicts, unreadText } from "../advice/clone.ts";
import { newTicketOf } from "../advice/command_lines.ts";
import { writeState } from "../../workspace/changing.ts";
import { inspectRepos, type RepoSnapshot } from "../../workspace/clones/mod.ts";
import { loadManifest, type Manifest, type Repo } from "../../workspace/manifest/mod.ts";
import {
  findTicketWorkspace,
  scopeManifest,
  type TicketRecord,
  ticketWorkspaces,
} from "../../workspace/tickets/mod.ts";
import { suspectsText } from "../../workspace/seals/mod.ts";
import {
  changedSubmodules,
  isOddName,
  type PorcelainStatus,
  useFix,
  useText,
} from "../../git/mod.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { checkoutHint, headNeeds } from "../advice/head.ts";

import type { JournalStep } from "../../state/store/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, few, shellWord } from "../../base/text/words.ts";
import { isTicketId, NO_TICKET } from "../../base/ids.ts";

/** The installed workspace with its state; throws when there is none. */
export interface TicketPlace {
  readonly manifest: Manifest;
  readonly workspace: Workspace;
  readonly state: WorkspaceState;
}

/**
 * Finds the workspace for who only looks: one without a state file, made by hand or by another tool, has no tickets,
 * and `warnings` say so. One git process.
 */
export async function placeToRead(
  ctx: CommandContext,
): Promise<TicketPlace & { readonly warnings: readonly string[] }> {
  const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  const workspace = await requireWorkspace(ctx, ctx.root, manifest);
  const fresh = () => freshState(ctx.system, manifest.name, workspace.branch ?? "");
  return {
    manifest,
    workspace,
    state: workspace.state ?? fresh(),
    warnings: workspace.state === null ? [NO_STATE] : [],
  };
}

/**
 * Finds the workspace, that of the ticket which is meant where one is. At most one git process. Throws `state_corrupt`
 * where its state is missing.
 */
export async function ticketPlace(ctx: CommandContext): Promise<TicketPlace> {
  const manifest = await scopeManifest(ctx);
  const workspace = await requireWorkspace(ctx, ctx.root, manifest);
  if (workspace.state === null) {
    throw new AmofError(
      "state_corrupt",
      `Cannot work with tickets of "${manifest.name}": the workspace state is missing`,
      {
        hint: "Rebuild it: amof install --repair",
        details: { reason: "missing" },
      },
    );
  }
  return { manifest, workspace, state: workspace.state };
}

/** Looks at repositories. One git process each. */
export function inspectTicketRepos(
  ctx: CommandContext,
  place: TicketPlace,
  repos: readonly Repo[],
): Promise<RepoSnapshot[]> {
  return inspectRepos(ctx, { workspace: place.workspace.directory, repos, state: place.state });
}

/**
 * Why a repository cannot leave the branch it is on, or null. Dirty is no reason where it will be stashed, or goes along
 * (`carry`); either is null for a command that cannot do that. `ticket` is the one in whose own workspace it is.
 */
export function cannotLeave(
  snapshot: RepoSnapshot,
  stash: boolean | null,
  carry: boolean | null = null,
  ticket: string | null = null,
): Refusal | null {
  const { repo, git } = snapshot;
  const refuse = (code: ErrorCode, problem: string, fix: string): Refusal => ({
    repo: repo.name,
    code,
    problem,
    fix,
  });
  if (snapshot.missing) {
    return refuse("workspace_not_installed", "is not cloned", "clone it: amof sync");
  }
  if (git === null) {
    return refuse(
      snapshot.error?.code ?? "git_failed",
      unreadText(snapshot.error),
      snapshot.error?.hint ?? "look at it: amof status",
    );
  }
  if (snapshot.untrusted.length > 0) {
    return refuse(
      "clone_untrusted",
      `cannot be worked in: ${suspectsText(snapshot.untrusted)}`,
      `look at it: amof repo trust ${repo.name}`,
    );
  }
  const { inProgress, directory, updating } = snapshot;
  if (inProgress !== null) {
    const conflicted = git.changes.some((change) => change.conflicted);
    return refuse(
      "repo_in_progress",
      `has a ${inProgress} in progress`,
      finishThere({ name: repo.name, directory, inProgress, updating, conflicted }),
    );
  }
  // No flag gets past these, and before they are resolved git goes nowhere.
  if (git.changes.some((change) => change.conflicted)) {
    return refuse(
      "repo_in_progress",
      "has conflicts",
      `see what is to be resolved: ${listConflicts(directory)}`,
    );
  }
  if (git.branch === null) {
    const [need] = headNeeds(
      { ...snapshot, expectedBranch: repo.branch, expectedFrom: null, goesAlong: null },
      false,
    );
    const jj = snapshot.jj ? ", as jj has it" : "";
    const commits = snapshot.jj ? snapshot.unpushed : snapshot.loose;
    const alone = commits > 0 ? `, with ${count(commits, "commit")}` : "";
    const way = snapshot.jj && commits > 0 ? "push them from jj" : "go to a branch there";
    return refuse("repo_diverged", `is on no branch${jj}${alone}`, checkoutHint(need, way));
  }
  if (git.head === null) {
    return refuse(
      "git_failed",
      `has no commit on ${cleanLine(git.branch, 60)}`,
      "commit something there",
    );
  }
  // What goes along stays in the files, and submodules stay as they are.
  const inside = carry === true ? null : submoduleWork(snapshot, ticket);
  if (git.changes.length > 0 && !stash && carry !== true) {
    const commit = `commit them: amof commit -m TEXT --repo ${repo.name}${
      ticket === null ? "" : ` --ticket ${ticket}`
    }`;
    const begin = `begin another ticket with them: ${newTicketOf(repo.name)}`;
    // Nothing is committed for a ticket on another branch than its own.
    const isAstray = ![snapshot.expectedBranch, repo.branch].includes(git.branch) &&
      snapshot.expectedBranch !== repo.branch;
    const first = isAstray
      ? checkoutHint(headNeeds(snapshot, true)[0], "go to its branch")
      : commit;
    // What is put away comes back with the ticket.
    const canWait = git.branch === snapshot.expectedBranch && git.branch !== repo.branch &&
      inside === null && !git.changes.some(({ path }) => isOddName(path));
    const away = canWait
      ? [`leave the ticket open, and put them away: amof ticket switch ${NO_TICKET} --stash`]
      : [];
    const along = "take them along: the same command with --carry";
    if (stash === false && inside !== null && carry === null) return inside;
    return refuse(
      "repo_dirty",
      `has ${count(git.changes.length, "uncommitted file")}`,
      stash === null
        // A branch that is merged takes no more, and the workspace of a ticket is of that alone.
        ? ticket !== null
          ? first
          : (snapshot.merged !== null ? [begin, ...away] : [first, ...away, begin]).join("\n")
        : carry === false
        ? inside === null ? `${along}\nput them away: the same command with --stash` : along
        : "commit them, or put them away: the same command with --stash",
    );
  }
  const odd = git.changes.find(({ path }) => isOddName(path));
  if (odd !== undefined && stash === true && carry !== true) {
    const there = `git -C ${shellWord(directory)}`;
    return refuse(
      "would_lose_work",
      `has changes in ${cleanLine(odd.path, 80)}, a name that is not UTF-8`,
      `stage them: ${there} add --all\ncommit them: ${there} commit`,
    );
  }
  return inside;
}

/**
 * Why the changes of a repository cannot be put away as a whole, or null: no snapshot holds work inside of submodules
 * (TICKET-16). `ticket` is the one in whose own workspace it is.
 */
export function submoduleWork(
  { repo, directory, git }: Pick<RepoSnapshot, "repo" | "directory"> & {
    readonly git: Pick<PorcelainStatus, "submodules" | "branch"> | null;
  },
  ticket: string | null,
): Refusal | null {
  const inside = git === null ? [] : changedSubmodules(git);
  if (git === null || inside.length === 0) return null;
  const edited = git.submodules.filter(({ modified }) => modified);
  const commit = `commit it: amof commit -m TEXT --repo ${repo.name}${
    ticket === null ? "" : ` --ticket ${ticket}`
  }`;
  return {
    repo: repo.name,
    code: "repo_dirty",
    problem: `has work in submodules, which cannot be put away: ${
      few(inside.map((path) => cleanLine(path, 80)), 3)
    }`,
    // To put it back could leave commits on no branch of the submodule.
    fix: edited.length > 0
      ? edited.slice(0, 3).map(({ path }) =>
        `commit it there: git -C ${shellWord(join(directory, path))} commit --all`
      ).join("\n")
      : git.branch === repo.branch
      ? `begin another ticket with it: ${newTicketOf(repo.name)}`
      : commit,
  };
}

/** Why changes cannot be put away where earlier ones still are. */
export function alreadyKept({ name }: Repo, stash: string): Refusal {
  return {
    repo: name,
    code: "repo_dirty",
    problem: `has changes, and a stash ${stash} already`,
    fix: "commit the changes",
  };
}

/** Why a clone cannot go to a branch that another of its working copies is on, or null. No process. */
export async function cannotEnter(
  ctx: CommandContext,
  { repo, directory }: RepoSnapshot,
  branch: string,
): Promise<Refusal | null> {
  const use = await ctx.git.at(directory).worktrees.usedElsewhere(branch);
  return use === null ? null : {
    repo: repo.name,
    code: "would_lose_work",
    problem: `cannot go to ${cleanLine(branch, 60)}: ${cleanLine(useText(use), 200)}`,
    fix: useFix(use, directory),
  };
}

/** The step that writes a new workspace state, and takes it back to the letter. */
export async function stateStep(
  ctx: CommandContext,
  place: TicketPlace,
  state: WorkspaceState,
): Promise<JournalStep> {
  const workspace = place.workspace.directory;
  return writeState.step({
    workspace,
    before: await ctx.system.files.readText(stateFile(workspace)),
    after: stateText(ctx.system, state),
  });
}

/** The directories of all clones by repository name. */
export async function directoriesOf(
  ctx: CommandContext,
  place: TicketPlace,
): Promise<(repo: string) => string> {
  const found = new Map<string, string>();
  for (const repo of place.manifest.repos) {
    if (repo.enabled) {
      found.set(repo.name, await repoDirectory(ctx.system, place.workspace.directory, repo));
    }
  }
  return (repo) => {
    const directory = found.get(repo);
    if (directory === undefined) throw new TypeError(`No directory is known for "${repo}"`);
    return directory;
  };
}

/** The workspace of a ticket: its record and where it is. */
export type OwnWorkspace = NonNullable<Awaited<ReturnType<typeof findTicketWorkspace>>>;

/** The workspace of a ticket; null for one that has none. Throws `state_corrupt` where its record cannot be used. */
export async function findOwn(
  { system, root, ecosystem }: Pick<CommandContext, "system" | "root" | "ecosystem">,
  id: string,
): Promise<OwnWorkspace | null> {
  if (!isTicketId(id)) return null;
  return await findTicketWorkspace(system, root, await loadManifest(system, root, ecosystem), id);
}

/** A ticket with a workspace as the state of a workspace has tickets. */
function ticketOf({ created_at, ecosystem, repos }: TicketRecord): TicketState {
  const entries = Object.entries(repos);
  const work = entries.filter(([, { role }]) => role === "work");
  return {
    created_at,
    ecosystem,
    repos: Object.fromEntries(work.map(([name, { branch }]) => [name, branch])),
    repo_selections: entries.map(([repo, { base }]) => ({ repo, source_branch: base })),
  };
}

/** The branches of all other tickets of the ecosystem, wherever they are worked on, by ticket. */
async function othersOf(
  { system, root }: CommandContext,
  manifest: Manifest,
  id: string,
): Promise<Record<string, TicketState>> {
  const base = await loadState(system, join(root, manifest.workspaceDir)).catch(() => null);
  const beside = (await ticketWorkspaces(system, root, manifest))
    .flatMap(({ id, record }) => record === null ? [] : [[id, ticketOf(record)] as const]);
  const { [id]: _, ...others } = { ...base?.tickets, ...Object.fromEntries(beside) };
  return others;
}

/**
 * A ticket with a workspace as a place where one ticket is worked on, for questions about tickets and their
 * branches. What other tickets work on counts, too.
 */
export async function ownPlace(
  ctx: CommandContext,
  manifest: Manifest,
  { directory, record }: OwnWorkspace,
): Promise<{ readonly place: TicketPlace; readonly ticket: TicketState }> {
  const id = record.ticket_id;
  const ticket = ticketOf(record);
  const state = {
    ...freshState(ctx.system, record.ecosystem, ""),
    active_ticket: id,
    tickets: { ...await othersOf(ctx, manifest, id), [id]: ticket },
  };
  return {
    ticket,
    place: {
      manifest: await scopeManifest({ ...ctx, ticket: id }),
      workspace: { directory, branch: null, state },
      state,
    },
  };
}
