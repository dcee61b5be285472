/** What starting a ticket in a workspace of its own would do, and why it is refused (TICKET-11, TICKET-12). */

import { join } from "@std/path";
import type { CommandContext, ExecuteContext } from "../../../contract/mod.ts";
import { AmofError } from "../../../base/error.ts";
import {
  findWorkspace,
  followedState,
  inPoolOf,
  type Refusal,
  refuseAll,
  unlessRefused,
  type WorkspaceState,
} from "../../../workspace/mod.ts";
import { isLeft, ticketDirectory } from "../../../workspace/tickets/mod.ts";
import { workspaceFor } from "../../advice/command_lines.ts";
import {
  bringMirrors,
  type ClonePlan,
  mirrorOf,
  type Mirrors,
} from "../../../workspace/tickets/changing.ts";
import { loadManifest, type Manifest, type Repo } from "../../../workspace/manifest/mod.ts";
import { namedRepos, select, type Selecting } from "../../selection/mod.ts";
import { type Selection, toSelection } from "../selection.ts";
import { planTaking, refuseBoth, type TakenFact } from "../carry.ts";
import { branchOf } from "../id.ts";
import { type CarriedFact, findCarried, refuseLarge } from "../steps/carried.ts";
import type { FreshMirror } from "../../../workspace/mirrors/mod.ts";

/** Which repositories a ticket gets to read, besides those it works on. */
export const CONTEXTS = ["readonly", "all", "none"] as const;

/** What is asked for. */
export interface WorkspaceInput extends Selecting {
  readonly ticket_id: string;
  readonly repo_selections?: readonly (string | Selection)[] | undefined;
  readonly context?: typeof CONTEXTS[number] | undefined;
  readonly standalone: boolean;
  /** Whether uncommitted work goes along too; false where not even ignored files do. */
  readonly carry?: boolean | undefined;
  readonly stash: boolean;
  readonly carry_large: boolean;
  readonly offline: boolean;
}

/** A repository of the ticket. */
export interface TicketRepoFact {
  readonly name: string;
  /** Relative to the ticket's directory, with `/`. */
  readonly path: string;
  readonly role: "work" | "context";
  readonly branch: string;
  /** The branch that it begins at. */
  readonly base: string;
  readonly mode: "ticket_local" | "shared";
}

/** One line about a clone that would be made. */
export function describeClone({ role, name, branch, base }: TicketRepoFact): string {
  return role === "context"
    ? `Clone ${name} to be read, on ${branch}`
    : `Clone ${name} on ${branch}: the remote's where it has one, else a new one from ${base}`;
}

/** What a start is bound to. */
export interface WorkspaceFacts {
  readonly ticket_id: string;
  /** Relative to the control repository, with `/`. */
  readonly workspace: string;
  readonly repos: readonly TicketRepoFact[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
  readonly carried: readonly CarriedFact[];
  /** Uncommitted work that goes along. */
  readonly taken: readonly TakenFact[];
  readonly standalone: boolean;
}

/** The base workspace, as far as there is one. */
export interface BasePlace {
  readonly manifest: Manifest;
  /** Absolute; null where none is installed. */
  readonly directory: string | null;
  readonly state: WorkspaceState | null;
}

/** Finds the base workspace, also for a call from within a ticket. One git process. */
export async function basePlace(ctx: CommandContext): Promise<BasePlace> {
  const { system, git, root } = ctx;
  const manifest = await loadManifest(system, root, ctx.ecosystem);
  const { directory, worktree } = await findWorkspace({ system, git }, root, manifest);
  if (worktree === null || worktree.prunable) return { manifest, directory: null, state: null };
  return { manifest, directory, state: await followedState({ system, git }, directory, manifest) };
}

/** Throws where there is such a ticket, in the base workspace or in one of its own. */
export async function refuseTaken(
  ctx: CommandContext,
  { manifest, state }: Pick<BasePlace, "manifest" | "state">,
  id: string,
  { repos = [], own = false }: {
    /** The repositories that it was to begin in. */
    readonly repos?: readonly string[];
    /** Whether that was to be in a workspace of its own. */
    readonly own?: boolean;
  } = {},
): Promise<void> {
  const directory = ticketDirectory(ctx.root, manifest, id);
  const isTaken = Object.hasOwn(state?.tickets ?? {}, id) ||
    await ctx.system.files.lstat(join(directory, ".amof", "ticket.json")) !== null;
  if (!isTaken) return;
  const isActive = state?.active_ticket === id;
  const ticket = state?.tickets[id];
  const lacking = manifest.repos.map(({ name }) => name).filter((name) =>
    ticket !== undefined && repos.includes(name) && !Object.hasOwn(ticket.repos, name)
  );
  const hint = [
    ...(isActive ? [] : [`Go to it: amof ticket switch ${id}`]),
    ...(lacking.length > 0
      ? [`Take into it what it lacks: amof ticket add ${id} --repo ${lacking.join(",")}`]
      : isActive
      ? ["It is the active one: amof status"]
      : []),
    ...(own && ticket !== undefined ? [workspaceFor(id)] : []),
  ];
  throw new AmofError("ticket_exists", `Cannot start "${id}": there is such a ticket already`, {
    hint: hint.join("\n"),
    details: { ticket_id: id, active: isActive },
  });
}

/** Throws where something else lies at the place of a ticket. */
async function refuseOccupied(ctx: CommandContext, manifest: Manifest, id: string): Promise<void> {
  const directory = ticketDirectory(ctx.root, manifest, id);
  if (await ctx.system.files.lstat(directory) === null) return;
  const what = await isLeft(ctx.system, directory)
    ? "the workspace that it kept when it ended"
    : "something that is no ticket";
  throw new AmofError(
    "workspace_exists",
    `Cannot start "${id}": ${what} is at ${directory}`,
    { hint: "Move it away, then repeat", details: { ticket_id: id, path: directory } },
  );
}

/** Work on the branch that is only in the clone of the base workspace, where a second branch would part from it. */
export async function onlyInBase(
  ctx: CommandContext,
  base: BasePlace,
  repo: Repo,
  branch: string,
): Promise<Refusal | null> {
  if (base.directory === null) return null;
  const there = ctx.git.at(join(base.directory, repo.path), repo.name);
  const local = `refs/heads/${branch}`;
  const its = await there.refs.base(repo.branch);
  const remotes = [`refs/remotes/origin/${branch}`, its.ref];
  const known = await there.refs.peek([local, ...remotes]);
  const commit = known.get(local);
  if (commit === undefined || remotes.some((name) => known.get(name) === commit)) return null;
  if (await there.history.unpushedCount(local) === 0) return null;
  return {
    repo: repo.name,
    code: "repo_diverged",
    problem: `has commits on ${branch} in the base workspace that its remote does not have`,
    fix: "work on them there: the same command with --in-place",
  };
}

/** The part of each repository: to be worked on, only read, or left out. */
function partsOf(
  manifest: Manifest,
  chosen: ReadonlySet<string>,
  context: typeof CONTEXTS[number],
): {
  readonly taken: readonly { repo: Repo; role: "work" | "context" }[];
  readonly skipped: WorkspaceFacts["skipped"];
} {
  const enabled = manifest.repos.filter((repo) => repo.enabled);
  const roleOf = (repo: Repo): "work" | "context" | string => {
    if (!repo.readonly && chosen.has(repo.name)) return "work";
    if (context === "none") return repo.readonly ? "read-only" : "not selected";
    return repo.readonly || context === "all" ? "context" : "not selected";
  };
  const parts = enabled.map((repo) => ({ repo, role: roleOf(repo) }));
  return {
    taken: parts.flatMap(({ repo, role }) =>
      role === "work" || role === "context" ? [{ repo, role }] : []
    ),
    skipped: parts.flatMap(({ repo, role }) =>
      role === "work" || role === "context" ? [] : [{ name: repo.name, reason: role }]
    ),
  };
}

/** Looks at everything and decides; throws one error for all that stands in the way. */
export async function planWorkspace(
  ctx: CommandContext,
  input: WorkspaceInput,
): Promise<{ readonly facts: WorkspaceFacts; readonly base: BasePlace }> {
  const { ticket_id: id } = input;
  const base = await basePlace(ctx);
  const { manifest } = base;
  const branch = branchOf(manifest, id);
  refuseBoth(id, input);
  await refuseTaken(ctx, base, id, { own: true });
  await refuseOccupied(ctx, manifest, id);
  const selections = new Map(
    (input.repo_selections ?? []).map(toSelection).map((entry) => [entry.repo, entry]),
  );
  namedRepos(manifest, [...selections.keys()]);
  const from = { manifest, workspace: base.directory, state: base.state, action: "ticket_start" };
  const chosen = new Set((await select(ctx, from, input)).map(({ name }) => String(name)));
  const { taken, skipped } = partsOf(manifest, chosen, input.context ?? "readonly");
  const repos = taken.map(({ repo, role }): TicketRepoFact => {
    const selection = role === "work" ? selections.get(repo.name) : undefined;
    return {
      name: repo.name,
      path: repo.path,
      role,
      branch: role === "work" ? selection?.target_branch ?? branch : repo.branch,
      base: selection?.source_branch ?? repo.branch,
      mode: selection?.mode ?? "ticket_local",
    };
  });
  const work = repos.filter(({ role }) => role === "work");
  if (work.length === 0) {
    throw new AmofError(
      "repo_not_found",
      `Cannot start "${id}": no writable repository takes part`,
      {
        hint: "Choose others: the same command with --repo NAME",
        details: { skipped },
      },
    );
  }
  const repoOf = new Map(taken.map(({ repo }) => [String(repo.name), repo]));
  const refusals = await inPoolOf(ctx, "checking", work, async (fact) => {
    const repo = repoOf.get(fact.name);
    return repo === undefined ? null : await onlyInBase(ctx, base, repo, fact.branch);
  });
  refuseAll(`start ${id}`, refusals.filter((refusal) => refusal !== null));
  const carried = input.carry === false ? [] : await findCarried(ctx, carryPlaces(base, repos));
  if (!input.carry_large) refuseLarge(carried, id);
  const facts: WorkspaceFacts = {
    ticket_id: id,
    workspace: `${manifest.workspaceDir}@${id}`,
    repos,
    skipped,
    carried,
    taken: input.carry === true && base.directory !== null
      ? await planTaking(
        ctx,
        { workspace: base.directory, state: base.state, ticket: id },
        work.flatMap(({ name, branch, base: from }) => {
          const repo = repoOf.get(name);
          return repo === undefined ? [] : [{ repo, branch, base: from }];
        }),
      )
      : [],
    standalone: input.standalone,
  };
  return { facts, base };
}

/** The clones of the base workspace whose ignored files may go along. */
export function carryPlaces(
  { manifest, directory }: BasePlace,
  repos: readonly Pick<TicketRepoFact, "name">[],
): { name: string; directory: string; patterns: readonly string[] }[] {
  if (directory === null) return [];
  const wanted = new Set(repos.map(({ name }) => name));
  return manifest.repos.filter((repo) => wanted.has(repo.name)).map((repo) => ({
    name: repo.name,
    directory: join(directory, repo.path),
    patterns: repo.carry,
  }));
}

/** Whether something has to be transferred first that takes as long as cloning does. No process. */
export async function isLengthy(
  ctx: CommandContext,
  input: Pick<WorkspaceInput, "repos" | "tags" | "context">,
): Promise<boolean> {
  const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  const { repos, tags } = input;
  try {
    const from = { manifest, workspace: null, state: null };
    const chosen = new Set((await select(ctx, from, { repos, tags })).map(({ name }) => name));
    const { taken } = partsOf(manifest, chosen, input.context ?? "readonly");
    for (const { repo } of taken) {
      const mirror = mirrorOf(ctx, repo);
      if (mirror === null || await ctx.system.files.lstat(mirror) === null) return true;
    }
    return false;
  } catch (error) {
    // The preview tells what is wrong.
    if (error instanceof AmofError) return false;
    throw error;
  }
}

// How the clones of a ticket come to be: their mirrors brought up to date, and where each branch begins (TICKET-11).
//
// Costs one git process for a mirror that is made or fetched.

/** What is done for all clones of a ticket. */
interface Terms {
  /** What messages call the work: "start T-1". */
  readonly what: string;
  /** Whether mirrors are taken as they are, and only missing ones are made. */
  readonly offline: boolean;
  /** Gets what a person should know, one sentence each. */
  readonly notes: string[];
}

/** How each clone comes to be, by what the mirrors have; null for a repository without a commit. No process. */
async function planClone(
  ctx: ExecuteContext,
  fact: TicketRepoFact,
  mirror: FreshMirror | null,
): Promise<ClonePlan | Refusal | null> {
  const { name, path, role, branch, base } = fact;
  const plan = { name, path, role, branch, base };
  if (mirror === null) return { ...plan, mirror: null, start: null, track: role === "context" };
  const bare = ctx.git.bare(mirror.directory, name);
  const refs = await bare.refs.peek([`refs/heads/${branch}`, `refs/heads/${base}`]);
  const remote = refs.get(`refs/heads/${branch}`);
  if (remote !== undefined) {
    return { ...plan, mirror: mirror.directory, start: remote, track: true };
  }
  const start = refs.get(`refs/heads/${base}`);
  const refused = (problem: string, fix: string): Refusal => ({
    repo: name,
    code: "git_failed",
    problem,
    fix,
  });
  if (role === "work" && fact.mode === "shared") {
    return refused(`has no branch ${branch} to share`, "push it where it is, then repeat");
  }
  if (start !== undefined) return { ...plan, mirror: mirror.directory, start, track: false };
  if ((await bare.refs.list(["refs/heads"])).size === 0) return null;
  return refused(
    `has no branch ${base} to begin at`,
    `name another base: the same command with --base ${name}=BRANCH`,
  );
}

/** The clones that can be made, and the repositories that have no commit yet. */
export interface PlannedClones {
  readonly clones: readonly ClonePlan[];
  readonly empty: readonly string[];
  readonly mirrors: Mirrors;
}

/** Brings the mirrors up to date and decides how each clone comes to be; throws one error for all that cannot be made. */
export async function planClones(
  ctx: ExecuteContext,
  base: BasePlace,
  facts: readonly TicketRepoFact[],
  terms: Terms,
): Promise<PlannedClones> {
  const names = new Set(facts.map(({ name }) => name));
  const repos = base.manifest.repos.filter(({ name }) => names.has(name));
  const mirrors = await bringMirrors(ctx, base.directory, repos, terms);
  const planned = await inPoolOf(
    ctx,
    "checking",
    facts,
    async (fact) => ({ fact, plan: await planClone(ctx, fact, mirrors.get(fact.name) ?? null) }),
  );
  const plans = planned.flatMap(({ plan }) => plan === null ? [] : [plan]);
  return {
    clones: unlessRefused<ClonePlan>(terms.what, plans),
    empty: planned.filter(({ plan }) => plan === null).map(({ fact }) => fact.name),
    mirrors,
  };
}
