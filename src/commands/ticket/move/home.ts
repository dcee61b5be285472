/**
 * Moving a ticket back from its own workspace into the base workspace: what it would do, and the work (MOVE-3).
 *
 * The files of the base workspace stay as they are. The ticket is there as if somebody had just switched away
 * from it, with its uncommitted work stashed under its name.
 */

import { stashName } from "../../../workspace/tickets/mod.ts";
import { join } from "@std/path";
import { AmofError } from "../../../base/error.ts";
import { inPool } from "../../../base/async/pool.ts";
import type { CommandContext, ExecuteContext, Preview, Result } from "../../../contract/mod.ts";
import { freeTicket } from "../../../workspace/tickets/changing.ts";
import {
  inPoolOf,
  type Refusal,
  refusalReason,
  repoDirectory,
  type TicketState,
  unlessRefused,
} from "../../../workspace/mod.ts";
import { type Stock } from "../../../workspace/removal/mod.ts";
import { ticketRemovalSteps } from "../../removal/removal.ts";
import { verifyRemotes } from "../../removal/leaving.ts";
import { ignoredWarning, lossLines, undeletable } from "../../removal/losses.ts";
import type { Repo } from "../../../workspace/manifest/mod.ts";
import { type Repository, useFix, useText } from "../../../git/mod.ts";
import { addressKey } from "../../../workspace/clones/mod.ts";
import type { JournalStep } from "../../../state/store/mod.ts";
import { foldedRepos } from "../../../base/text/parts.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { count } from "../../../base/text/words.ts";
import { planWorkspaceEnd, type WorkspaceEnd, type WorkspaceEndPlan } from "../end/workspace.ts";
import { type MoveData, stashNames } from "./out_plan.ts";
import { takeHome } from "../steps/move.ts";
import {
  type OwnWorkspace,
  stateStep,
  submoduleWork,
  type TicketPlace,
  ticketPlace,
} from "../preflight.ts";

/** A repository whose work comes back. */
interface Coming {
  readonly name: string;
  /** Of both clones, relative to their workspaces. */
  readonly path: string;
  readonly branch: string;
  readonly base: string;
  readonly commit: string;
  /** The commit of the branch in the base workspace, or null. */
  readonly before: string | null;
  /** Uncommitted files. */
  readonly dirty: number;
  /** What is put away, oldest first. */
  readonly stashes: readonly { readonly commit: string; readonly subject: string }[];
}

/** What a move back into the base workspace is bound to. */
export interface MoveHome {
  readonly to: "in_place";
  readonly ticket_id: string;
  readonly workspace: string;
  readonly repos: readonly Coming[];
  readonly end: WorkspaceEnd;
}

/** What a repository of the ticket holds that comes back, or why it cannot. */
function leavingOf(
  manifest: TicketPlace["manifest"],
  own: OwnWorkspace,
  { stock, name }: { readonly stock: Stock; readonly name: string },
): { readonly repo: Repo; readonly coming: Omit<Coming, "before"> } | Refusal {
  const record = own.record.repos[name];
  const refuse = refusalReason(name);
  const repo = manifest.repos.find((entry) => entry.name === name);
  if (record === undefined || repo === undefined || !repo.enabled || repo.readonly) {
    return refuse(
      "is not to be worked on in the base workspace",
      "correct the manifest: amof manifest validate",
    );
  }
  const there = stock.repos.find((entry) => entry.name === name);
  if (there === undefined || there.problem !== null || there.head === null) {
    return refuse(
      "is not cloned in the ticket",
      `end the ticket: amof ticket end ${own.record.ticket_id}`,
    );
  }
  const { path, branch, base } = record;
  if (there.branch !== branch) {
    return refuse(
      `is on ${cleanLine(there.branch ?? "no branch", 60)} instead of ${cleanLine(branch, 60)}`,
      `switch it there: git -C ${join(own.directory, path)} switch ${branch}`,
    );
  }
  const coming = {
    name,
    path,
    branch,
    base,
    commit: there.head,
    dirty: there.uncommitted.length,
    stashes: there.stashes.map(({ commit, subject }) => ({ commit, subject })).reverse(),
  };
  return { repo, coming };
}

/** Why the work of a repository cannot come back, or what comes. At most five git processes. */
async function comingOf(
  ctx: CommandContext,
  { place: { manifest, workspace }, own, stock }: {
    readonly place: TicketPlace;
    readonly own: OwnWorkspace;
    readonly stock: Stock;
  },
  name: string,
): Promise<Coming | Refusal> {
  const leaving = leavingOf(manifest, own, { stock, name });
  if (!("coming" in leaving)) return leaving;
  const { repo, coming: { path, branch, commit } } = leaving;
  const id = own.record.ticket_id;
  const refuse = refusalReason(name);
  const directory = await repoDirectory(ctx.system, workspace.directory, repo);
  const base = ctx.git.at(directory, name);
  if (await base.activity() === null) {
    return refuse("is not cloned in the base workspace", "clone it: amof sync");
  }
  const use = (await base.worktrees.uses()).find((entry) => entry.branch === branch);
  if (use !== undefined) {
    return refuse(`stands in the way: ${cleanLine(useText(use), 200)}`, useFix(use, directory));
  }
  if (await base.stashes.find(stashName(id)) !== null) {
    return refuse(
      `has a stash ${stashName(id)} in the base workspace already`,
      "apply or drop it there: git stash list",
    );
  }
  const before = await base.refs.resolve(`refs/heads/${branch}`);
  const clone = ctx.git.at(join(own.directory, path), name);
  const behind = before === null || before === commit ||
    await clone.refs.resolve(before) !== null &&
      await clone.history.countBeyond(before, [commit]) === 0;
  if (!behind) {
    return refuse(
      `has commits on ${cleanLine(branch, 60)} in the base workspace that the ticket does not have`,
      `bring them together: push one side, and: amof sync --ticket ${id}`,
    );
  }
  if (leaving.coming.dirty > 0) {
    const stays = submoduleWork({
      repo,
      directory: join(own.directory, path),
      git: await clone.status("all"),
    }, id);
    if (stays !== null) return stays;
  }
  return { ...leaving.coming, before };
}

/** Looks at everything and decides; throws one error for all that stands in the way. */
async function planMoveHome(
  ctx: CommandContext,
  own: OwnWorkspace,
): Promise<{ facts: MoveHome; place: TicketPlace; plan: WorkspaceEndPlan }> {
  const id = own.record.ticket_id;
  const what = `move ${id} into the base workspace`;
  const place = await ticketPlace(ctx);
  if (Object.hasOwn(place.state.tickets, id)) {
    throw new AmofError(
      "ticket_exists",
      `Cannot ${what}: there is such a ticket already`,
      { hint: `End one of them: amof ticket end ${id}`, details: { ticket_id: id } },
    );
  }
  const plan = await planWorkspaceEnd(ctx, own, {
    ticket_id: id,
    cleanup: false,
    cleanup_local: false,
    force: false,
    discard_local: false,
    home: true,
  });
  const work = Object.entries(own.record.repos).filter(([, { role }]) => role === "work")
    .map(([name]) => ({ name }));
  const found = await inPoolOf(
    ctx,
    "checking",
    work,
    ({ name }) => comingOf(ctx, { place, own, stock: plan.stock }, name),
  );
  const repos = unlessRefused<Coming>(what, found);
  const facts: MoveHome = {
    to: "in_place",
    ticket_id: id,
    workspace: plan.facts.workspace,
    repos,
    end: plan.facts,
  };
  return { facts, place, plan };
}

/** What comes back of a repository, under which names. */
function takingLine(
  { name, branch, dirty, stashes, ticket }: Coming & { readonly ticket: string },
): string {
  return [
    `Take ${cleanLine(branch, 60)} of ${name} into the base workspace`,
    ...(dirty === 0 ? [] : [`${count(dirty, "uncommitted file")} as ${stashName(ticket)}`]),
    ...(stashes.length === 0 ? [] : [
      `what was stashed there, under its names: ${
        stashNames(stashes.map(({ subject }) => subject).toReversed())
      }`,
    ]),
  ].join(", with ");
}

/** What is said before a ticket moves back into the base workspace. */
export async function previewMoveHome(
  ctx: CommandContext,
  own: OwnWorkspace,
): Promise<Preview<MoveHome, MoveData>> {
  const { facts } = await planMoveHome(ctx, own);
  const { ticket_id: id, workspace, end } = facts;
  const repos = facts.repos.map((repo) => ({ ...repo, ticket: id }));
  const irreversible = ignoredWarning(end.losses);
  const rest = [
    "Leave the files of the base workspace as they are",
    ...lossLines(end.losses).map((line) => `Lose ${line}`),
    `Delete ${workspace} with its clones`,
  ];
  return {
    facts,
    summary: `Would move ${id} into the base workspace, with ${count(repos.length, "repo")}.`,
    effects: [...repos.map(takingLine), ...rest],
    details: [
      ...foldedRepos(repos, takingLine, {
        onlyAsked: true,
        isPlain: ({ dirty, stashes }) => dirty + stashes.length === 0,
      }),
      ...rest,
    ],
    // Whoever moves a ticket does not expect that files of it go.
    ...(irreversible === null ? {} : {
      confirm: "type" as const,
      irreversible,
      will: "move the ticket with its uncommitted work, and lose its ignored files",
    }),
    current: `Ticket ${id} has its own workspace, ${workspace}`,
    alternatives: [`End it instead: amof ticket end ${id}`],
  };
}

/**
 * What the clone of the ticket knows of its branch at the remote and the base workspace does not, which would call pushed
 * work unpushed. Absent where it knows as much, or where the two go by other remotes. At most six git processes.
 */
async function trackedOf(
  source: Repository,
  target: Repository,
  branch: string,
): Promise<{ readonly tracked?: { readonly commit: string; readonly before: string | null } }> {
  const ref = `refs/remotes/origin/${branch}`;
  const commit = await source.refs.resolve(ref);
  const before = await target.refs.resolve(ref);
  if (commit === null || commit === before) return {};
  const [from, to] = [
    await source.remotes.address("origin"),
    await target.remotes.address("origin"),
  ];
  if (from === null || to === null || addressKey(from) !== addressKey(to)) return {};
  const isNews = before === null || await source.refs.resolve(before) !== null &&
      await source.history.countBeyond(before, [commit]) === 0;
  return isNews ? { tracked: { commit, before } } : {};
}

/** The steps that bring the work of each repository into the base workspace. */
async function takeSteps(
  ctx: ExecuteContext,
  { manifest, workspace }: TicketPlace,
  own: OwnWorkspace,
  repos: readonly Coming[],
): Promise<readonly JournalStep[]> {
  const named = stashName(own.record.ticket_id);
  return await inPool(ctx.jobs, repos, async ({ name, path, dirty, ...work }) => {
    const directory = await repoDirectory(ctx.system, workspace.directory, {
      name,
      path: manifest.repos.find((entry) => entry.name === name)?.path ?? path,
    });
    const from = join(own.directory, path);
    const [source, target] = [ctx.git.at(from, name), ctx.git.at(directory, name)];
    return takeHome.step({
      ...await trackedOf(source, target, work.branch),
      repo: name,
      directory,
      from,
      name: named,
      id: ctx.system.ids.hex(16),
      dirty: dirty > 0,
      branch: work.branch,
      commit: work.commit,
      before: work.before,
      stashes: work.stashes,
    });
  });
}

/** The ticket as the base workspace knows it. */
function homeTicket({ record }: OwnWorkspace, repos: readonly Coming[]): TicketState {
  return {
    created_at: record.created_at,
    ecosystem: record.ecosystem,
    repos: Object.fromEntries(repos.map((repo) => [repo.name, repo.branch])),
    repo_selections: repos.map((repo) => ({
      repo: repo.name,
      mode: "ticket_local",
      source_branch: repo.base,
      target_branch: repo.branch,
      status: "ready",
      ...(record.repos[repo.name]?.chosen === true ? { chosen: true } : {}),
    })),
    phase: "started",
  };
}

/** Moves a ticket back into the base workspace. */
export async function executeMoveHome(
  ctx: ExecuteContext,
  own: OwnWorkspace,
  facts: MoveHome,
): Promise<Result<MoveData>> {
  const { place, plan } = await planMoveHome(ctx, own);
  const { ticket_id: id, repos, workspace, end } = facts;
  const scope = ` --ticket ${id}`;
  await verifyRemotes(ctx, { what: `move ${id} into the base workspace`, scope }, plan.verify);
  const takes = await takeSteps(ctx, place, own, repos);
  const { undoable, final, aside } = ticketRemovalSteps(ctx, {
    directory: own.directory,
    stock: plan.stock,
    digests: end.digests,
    paths: Object.values(own.record.repos).map(({ path }) => path),
    among: end.among,
    scope,
  });
  const tickets = { ...place.state.tickets, [id]: homeTicket(own, repos) };
  const state = await stateStep(ctx, place, { ...place.state, tickets });
  const before = [...takes, state, ...undoable];
  const free = freeTicket.step({ directory: own.directory, ticket: id });
  await ctx.perform([...before, free, ...final], before.length);
  const left = await ctx.system.files.lstat(aside) === null ? null : aside;
  const data: MoveData = {
    ticket_id: id,
    to: "in_place",
    workspace,
    active_ticket: place.state.active_ticket,
    repos: repos.map(({ name, branch, commit, dirty, stashes }) => ({
      name,
      branch,
      commit,
      changes: dirty + stashes.length === 0 ? "none" : "kept",
      stashes: stashes.map(({ subject }) => ({ name: subject, now: "moved" as const }))
        .toReversed(),
    })),
    notes: [],
    left,
  };
  return left === null ? { data } : { data, failure: undeletable(left) };
}
