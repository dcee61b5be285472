/**
 * The change set of a ticket: its repositories with their branches and forges, in the order to land. It is told by names,
 * so it outlives the workspace of its ticket (CHANGE-2).
 */

import { AmofError } from "../../base/error.ts";
import { isBranchName, isTicketId } from "../../base/ids.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { type Forge, Forges } from "../../forge/mod.ts";
import type { Manifest, Repo } from "../../workspace/manifest/mod.ts";
import { requireWorkspace, type Workspace } from "../../workspace/mod.ts";
import { baseOf, scopeManifest } from "../../workspace/tickets/mod.ts";
import { landingOrder } from "./order.ts";

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
    { hint: "See the tickets: amof ticket list\nThen name one: amof pr status ID" },
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
