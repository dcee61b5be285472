/**
 * The change set of a ticket: its repositories with their branches and forges, in the order to land: what others need
 * comes first (CHANGE-3). It is told by names, so it outlives the workspace of its ticket (CHANGE-2).
 */

import { AmofError } from "../../base/error.ts";
import { isBranchName, isTicketId, type Sha } from "../../base/ids.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import type { CommandContext, ExecuteContext } from "../../contract/mod.ts";
import { type Forge, Forges } from "../../forge/mod.ts";
import type { Manifest, Repo } from "../../workspace/manifest/mod.ts";
import { requireWorkspace, type Workspace } from "../../workspace/mod.ts";
import { baseOf, scopeManifest } from "../../workspace/tickets/mod.ts";
import { planPush, type PushFact, type PushFacts } from "../push/plan.ts";
import { didYouMean, meantText } from "../../base/text/words.ts";
import { layersOf, needsWithin } from "../look/layers.ts";
import { join } from "@std/path";
import type { Repository } from "../../git/mod.ts";
import { privateFiles } from "../../git/changing.ts";

/**
 * The names of a change set in the order to land: by layers of what they need, those of a layer as the manifest has
 * them. Those that `first` names come before all others, in its order; throws `repo_not_found` for one that is not in the
 * set.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { landingOrder } from "./set.ts";
 *
 * const all = [
 *   { name: "web", dependsOn: ["api"] },
 *   { name: "api", dependsOn: ["core"] },
 *   { name: "core", dependsOn: [] },
 * ];
 * assertEquals(landingOrder(all, ["web", "core"]), ["core", "web"]);
 * assertEquals(landingOrder(all, ["web", "core"], ["web"]), ["web", "core"]);
 * ```
 */
export function landingOrder(
  all: readonly { readonly name: string; readonly dependsOn: readonly string[] }[],
  names: readonly string[],
  first: readonly string[] = [],
): readonly string[] {
  const unknown = first.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const shown = cleanLine(unknown, 60);
    throw new AmofError(
      "repo_not_found",
      `Cannot put "${shown}" first: the ticket has no pull request there${
        meantText(didYouMean(unknown, names))
      }`,
      { hint: "See which there are: amof pr status", details: { repo: shown, available: names } },
    );
  }
  const layers = layersOf(needsWithin(all, names));
  const rest = all.filter(({ name }) => names.includes(name) && !first.includes(name))
    .map(({ name }) => name)
    .toSorted((a, b) => (layers.get(a) ?? 0) - (layers.get(b) ?? 0));
  return [...new Set(first), ...rest];
}

/** A change set with the workspace in which its branches are checked out. */
export type PlacedSet = ChangeSet & { readonly workspace: Workspace };

/** The set of a ticket that is worked on here; throws where it is not. */
export async function activeSet(ctx: CommandContext, input: SetInput): Promise<PlacedSet> {
  const set = await changeSet(ctx, input);
  const { workspace, ticket_id: id } = set;
  if (workspace === null || !set.known) {
    throw new AmofError("ticket_not_found", `Cannot find ticket "${id}" in "${ctx.ecosystem}"`, {
      hint: `See the tickets: amof ticket list\nBegin it: amof ticket start ${id}`,
      details: { ticket_id: id },
    });
  }
  if (workspace.state?.active_ticket !== id) {
    throw new AmofError("ticket_not_found", `Cannot push ${id}: its branches are not checked out`, {
      hint: `Go to it: amof ticket switch ${id}`,
      details: { ticket_id: id },
    });
  }
  return { ...set, workspace };
}

/** What a push of all repositories of a set would send; `agreed` is what an earlier look found. */
export async function pushOf(
  ctx: CommandContext,
  set: ChangeSet,
  agreed: readonly PushFact[] | undefined,
): Promise<PushFacts> {
  const input = { repos: set.members.map(({ name }) => name), commit: false, allow_base: false };
  const { facts } = await planPush(
    ctx,
    input,
    agreed === undefined
      ? undefined
      : { repos: agreed, repos_affected: [], skipped: [], message: null },
  );
  return facts;
}

/** A repository of a change set. */
export interface Member {
  readonly name: string;
  readonly repo: Repo;
  /** The branch of the ticket. */
  readonly branch: string;
  readonly base: string;
  /** Null where its remote only takes pushes. */
  readonly forge: Forge | null;
}

/** The change set of a ticket. */
export interface ChangeSet {
  readonly ticket_id: string;
  readonly manifest: Manifest;
  /** The workspace in which the ticket is worked on; null where there is none. */
  readonly workspace: Workspace | null;
  /** Whether the ticket is known here; else its branches are those that it would have. */
  readonly known: boolean;
  /** In the order to land. */
  readonly members: readonly Member[];
}

/** The branch of the pull request that takes back one that a ticket had. */
export function revertBranch(ticket: string, number: number): string {
  return `revert/${ticket}-${number}`;
}

/** What a change set is asked for by. */
export interface SetInput {
  readonly ticket_id?: string | undefined;
  readonly repos?: readonly string[] | undefined;
  readonly order?: readonly string[] | undefined;
}

/** The workspace of a call; null where none is installed. */
async function workspaceOrNone(ctx: CommandContext, manifest: Manifest): Promise<Workspace | null> {
  try {
    return await requireWorkspace(ctx, ctx.root, manifest);
  } catch (error) {
    if (error instanceof AmofError && error.code === "workspace_not_installed") return null;
    throw error;
  }
}

/** The id that is meant; throws `ticket_not_found` where none is. */
function idOf(asked: string | undefined, active: string | null): string {
  const id = asked ?? active;
  if (id !== null && isTicketId(id)) return id;
  throw new AmofError(
    "ticket_not_found",
    id === null
      ? "Cannot tell which ticket is meant: none is active here"
      : `Cannot use "${cleanLine(id, 60)}" as a ticket`,
    { hint: "See the tickets: amof ticket list\nThen name one in the same command" },
  );
}

/** The repositories that were named; throws `repo_not_found` for a name that is none of them. */
function named(repos: readonly Repo[], names: readonly string[] | undefined): readonly Repo[] {
  const unknown = names?.find((name) => !repos.some((repo) => repo.name === name));
  if (unknown !== undefined) {
    const shown = cleanLine(unknown, 60);
    throw new AmofError("repo_not_found", `Cannot find "${shown}" in the ticket`, {
      hint: "See its repositories: amof ticket list",
      details: { repo: shown },
    });
  }
  return names === undefined ? repos : repos.filter(({ name }) => names.includes(name));
}

/** The change set that a call means. At most one git process, and none of a forge. */
export async function changeSet(ctx: CommandContext, input: SetInput): Promise<ChangeSet> {
  const manifest = await scopeManifest(ctx);
  const workspace = await workspaceOrNone(ctx, manifest);
  const state = workspace?.state ?? null;
  const id = idOf(input.ticket_id, state?.active_ticket ?? null);
  const ticket = state !== null && Object.hasOwn(state.tickets, id) ? state.tickets[id] : undefined;
  const guessed = `${manifest.featurePrefix}/${id}`;
  const writable = manifest.repos.filter((repo) => repo.enabled && !repo.readonly);
  const own = ticket === undefined
    ? writable
    : writable.filter(({ name }) => Object.hasOwn(ticket.repos, name));
  const forges = new Forges(ctx, manifest.forges);
  const chosen = named(own, input.repos);
  const members = await Promise.all(chosen.map(async (repo): Promise<Member> => {
    const branch = ticket?.repos[repo.name] ?? guessed;
    return {
      name: repo.name,
      repo,
      // What can be written in a workspace is not believed to be a branch.
      branch: isBranchName(branch) ? branch : guessed,
      base: ticket === undefined ? repo.branch : baseOf(ticket, repo),
      forge: await forges.at(repo.url),
    };
  }));
  const order = landingOrder(manifest.repos, members.map(({ name }) => name), input.order);
  return {
    ticket_id: id,
    manifest,
    workspace,
    known: ticket !== undefined,
    members: order.flatMap((name) => members.filter((member) => member.name === name)),
  };
}

// Commits of remotes in a private repository that is gone afterwards: no working copy has a part in it.

/** Does work in an empty private repository whose `origin` is the remote of a repository; `like` is a commit there. */
export async function inPrivate<T>(
  ctx: ExecuteContext,
  { name, repo }: Pick<Member, "name" | "repo">,
  like: string,
  work: (repository: Repository) => Promise<T>,
): Promise<T> {
  const empty = privateFiles("clone", { like, origin: repo.url });
  return await ctx.system.files.scratch(
    empty,
    (directory) => work(ctx.git.bare(join(directory, "clone"), name)),
  );
}

/** The commit of a branch of a remote, as the remote itself says; null where it does not have it. */
export function remoteTip(
  ctx: ExecuteContext,
  { repo }: Pick<Member, "repo">,
  branch: string,
): Promise<Sha | null> {
  return ctx.git.at(ctx.root).remoteRefs.branch(repo.url, branch);
}
