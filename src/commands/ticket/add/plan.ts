/**
 * What bringing further repositories into the workspace of a ticket would do, and why it is refused (ADD-1).
 *
 * Costs one git process for the base workspace, one for each repository that was only read, and what looking for carried
 * files costs.
 */

import { join } from "@std/path";
import type { CommandContext, ExecuteContext } from "../../../contract/mod.ts";
import { AmofError } from "../../../base/error.ts";
import { inspectRepos } from "../../../workspace/clones/mod.ts";
import { isRefusal, loadState, type Refusal, refuseAll } from "../../../workspace/mod.ts";
import type { Manifest, Repo } from "../../../workspace/manifest/mod.ts";
import { requireTicketWorkspace, type TicketRepo } from "../../../workspace/tickets/mod.ts";
import { namedRepos, select, type Selecting } from "../../selection/mod.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { cannotLeave, type OwnWorkspace } from "../preflight.ts";
import { type Selection, toSelection } from "../selection.ts";
import { branchOf } from "../id.ts";
import { type CarriedFact, findCarried, refuseLarge } from "../steps/carried.ts";
import {
  type BasePlace,
  basePlace,
  carryPlaces,
  onlyInBase,
  type TicketRepoFact,
} from "../workspace/plan.ts";
import type { JournalStep } from "../../../state/store/mod.ts";
import type { ClonePlan } from "../../../workspace/tickets/changing.ts";
import { fetchRepo, Transfers } from "../../../workspace/clones/changing.ts";
import { dropBuilding, extendRecord, placeClones, reserveClones } from "../steps/add.ts";
import { createBranch } from "../steps/branch.ts";
import type { carriedPlaces } from "../workspace/making.ts";
import { buildTicket, carryFiles, sealTicket } from "../steps/make_workspace.ts";

/** What is asked for. */
export interface AddInput extends Selecting {
  readonly ticket_id: string;
  readonly repo_selections?: readonly (string | Selection)[] | undefined;
  readonly context: boolean;
  readonly carry: boolean;
  readonly carry_large: boolean;
  readonly offline: boolean;
}

/** A repository that was there to be read and is to be worked on. */
interface OpenedFact {
  readonly name: string;
  readonly path: string;
  readonly branch: string;
  readonly base: string;
  /** The branch it is on now, and its commit. */
  readonly from: string;
  readonly head: string;
}

/** What an addition is bound to. */
export interface AddFacts {
  readonly ticket_id: string;
  /** Relative to the control repository, with `/`. */
  readonly workspace: string;
  /** Clones that are made. */
  readonly repos: readonly TicketRepoFact[];
  readonly opened: readonly OpenedFact[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
  readonly carried: readonly CarriedFact[];
}

/** What the decisions about all repositories have in common. */
interface Terms {
  readonly base: BasePlace;
  readonly own: OwnWorkspace;
  readonly input: AddInput;
  readonly selections: ReadonlyMap<string, Selection>;
}

/** What becomes of one repository: a new clone, one that opens, nothing, or a refusal. */
type Part =
  | { readonly clone: TicketRepoFact }
  | { readonly opened: OpenedFact }
  | { readonly skipped: string; readonly name: string }
  | Refusal;

/** Throws unless it is said which repositories are meant: nobody means all that are left by saying nothing. */
export function requireWords({ ticket_id: id, repos, tags, only }: AddInput): void {
  if ([repos, tags, only].some((words) => (words ?? []).length > 0)) return;
  throw new AmofError(
    "invalid_arguments",
    `Cannot add to ${cleanLine(id, 60)}: no repository was named`,
    { hint: `Name them: amof ticket add ${cleanLine(id, 60)} --repo NAME` },
  );
}

/** Why a repository that is only read cannot be worked on as it stands, or how it begins. One git process. */
async function openedOf(
  ctx: CommandContext,
  { own, base, input, selections }: Terms,
  { repo, there }: { readonly repo: Repo; readonly there: TicketRepo },
): Promise<OpenedFact | Refusal> {
  const [snapshot] = await inspectRepos(ctx, {
    workspace: own.directory,
    repos: [{ ...repo, path: there.path }],
    state: await loadState(ctx.system, own.directory),
  });
  if (snapshot === undefined) throw new TypeError(`Nobody looked at "${repo.name}"`);
  const refused = cannotLeave(snapshot, null, null, input.ticket_id);
  if (refused !== null) return refused;
  const selection = selections.get(repo.name);
  return {
    name: repo.name,
    path: there.path,
    branch: selection?.target_branch ?? branchOf(base.manifest, input.ticket_id),
    base: selection?.source_branch ?? repo.branch,
    from: snapshot.git?.branch ?? "",
    head: snapshot.git?.head ?? "",
  };
}

/** How a repository comes that the ticket does not have yet, or why not. At most two git processes. */
async function cloneOf(
  ctx: CommandContext,
  { own, base, input, selections }: Terms,
  repo: Repo,
): Promise<TicketRepoFact | Refusal> {
  const { files } = ctx.system;
  const place = join(own.directory, repo.path);
  const there = await files.lstat(place);
  const isEmpty = there?.kind === "directory" && (await files.list(place)).length === 0;
  if (there !== null && !isEmpty) {
    return {
      repo: repo.name,
      code: "workspace_exists",
      problem: `has something in its way: ${repo.path} is there already`,
      fix: `move it away: ${place}`,
    };
  }
  const work = !repo.readonly && !input.context;
  const selection = work ? selections.get(repo.name) : undefined;
  const fact: TicketRepoFact = {
    name: repo.name,
    path: repo.path,
    role: work ? "work" : "context",
    branch: work
      ? selection?.target_branch ?? branchOf(base.manifest, input.ticket_id)
      : repo.branch,
    base: selection?.source_branch ?? repo.branch,
    mode: selection?.mode ?? "ticket_local",
  };
  return (work ? await onlyInBase(ctx, base, repo, fact.branch) : null) ?? fact;
}

/** What becomes of one repository. */
async function partOf(ctx: CommandContext, terms: Terms, repo: Repo): Promise<Part> {
  const { name } = repo;
  const repos = terms.own.record.repos;
  const there = Object.hasOwn(repos, name) ? repos[name] : undefined;
  if (there === undefined) {
    const clone = await cloneOf(ctx, terms, repo);
    return isRefusal(clone) ? clone : { clone };
  }
  if (there.role === "work") return { name, skipped: "in the ticket already" };
  if (terms.input.context || repo.readonly) {
    return { name, skipped: repo.readonly ? "read-only, and there already" : "read already" };
  }
  const opened = await openedOf(ctx, terms, { repo, there });
  return isRefusal(opened) ? opened : { opened };
}

/** Looks at everything and decides; throws one error for all that stands in the way. */
export async function planAdd(
  ctx: CommandContext,
  input: AddInput,
): Promise<{ readonly facts: AddFacts; readonly own: OwnWorkspace; readonly base: BasePlace }> {
  const { ticket_id: id } = input;
  requireWords(input);
  const base = await basePlace(ctx);
  const { manifest } = base;
  const own = await requireTicketWorkspace(ctx.system, ctx.root, manifest, id);
  const selections = new Map(
    (input.repo_selections ?? []).map(toSelection).map((entry) => [entry.repo, entry]),
  );
  namedRepos(manifest, [...selections.keys()]);
  const from = { manifest, workspace: base.directory, state: base.state, action: "ticket_add" };
  const chosen = await select(ctx, from, input);
  const terms = { base, own, input, selections };
  const parts: Part[] = [];
  for (const repo of chosen) parts.push(await partOf(ctx, terms, repo));
  refuseAll(`add to ${id}`, parts.filter(isRefusal));
  const repos = parts.flatMap((part) => "clone" in part ? [part.clone] : []);
  const carried = input.carry ? await findCarried(ctx, carryPlaces(base, repos)) : [];
  if (!input.carry_large) refuseLarge(carried, id);
  return {
    own,
    base,
    facts: {
      ticket_id: id,
      workspace: `${manifest.workspaceDir}@${id}`,
      repos,
      opened: parts.flatMap((part) => "opened" in part ? [part.opened] : []),
      skipped: parts.flatMap((part) =>
        "skipped" in part ? [{ name: part.name, reason: part.skipped }] : []
      ),
      carried,
    },
  };
}

/** A repository that opens, with the commit at which its branch begins. */
export interface Opening extends OpenedFact {
  readonly directory: string;
  readonly start: string;
  readonly track: boolean;
  readonly mirror: string | null;
}

/** Fetches what is to be worked on, and finds where its branches begin. Throws what fetching throws. */
export async function openingsOf(
  ctx: ExecuteContext,
  { own, manifest, opened, offline }: {
    readonly own: OwnWorkspace;
    readonly manifest: Manifest;
    readonly opened: readonly OpenedFact[];
    readonly offline: boolean;
  },
): Promise<Opening[]> {
  const transfers = new Transfers(ctx.transfers);
  const tally = { begin: () => {} };
  const openings: Opening[] = [];
  for (const fact of opened) {
    const { name, path, branch, base, head } = fact;
    const repo = manifest.repos.find((entry) => entry.name === name);
    if (repo === undefined) throw new TypeError(`"${name}" has left the manifest`);
    const directory = join(own.directory, path);
    const mirror = own.record.repos[name]?.mirror ?? null;
    if (!offline) {
      const from = join(ctx.root, manifest.workspaceDir, repo.path);
      const bases = new Map(mirror === null ? [] : [[String(name), from]]);
      await fetchRepo(ctx, { transfers, tally, fresh: 60, bases }, repo, directory);
    }
    const { refs } = ctx.git.at(directory, name);
    const names = [`refs/remotes/origin/${branch}`, (await refs.base(base)).ref] as const;
    const found = await refs.peek(names);
    const theirs = found.get(names[0]);
    const start = theirs ?? found.get(names[1]) ?? head;
    openings.push({ ...fact, directory, start, track: theirs !== undefined, mirror });
  }
  return openings;
}

/** The steps: `before` can be taken back, `after` is finished instead. */
export function addSteps(
  { directory, building, ticket, places, standalone }: {
    readonly directory: string;
    readonly building: string;
    readonly ticket: string;
    readonly places: ReturnType<typeof carriedPlaces>;
    readonly standalone: boolean;
  },
  clones: readonly ClonePlan[],
  openings: readonly Opening[],
): { readonly before: readonly JournalStep[]; readonly after: readonly JournalStep[] } {
  const lent = standalone ? clones.map((plan) => ({ ...plan, mirror: null })) : clones;
  const borrows = lent.flatMap(({ path, mirror }) => mirror === null ? [] : [{ path, mirror }]);
  const making = clones.length === 0 ? [] : [
    reserveClones.step({ directory, ticket, borrows }),
    buildTicket.step({ building, directory, ticket, clones, standalone }),
    ...(places.length === 0 ? [] : [carryFiles.step({ building, places })]),
  ];
  return {
    before: [
      ...making,
      ...openings.map(({ name, directory, from, head, branch, start, track }) =>
        createBranch.step({ repo: name, directory, from, head, branch, start, track })
      ),
      ...(clones.length === 0 ? [] : [placeClones.step({ directory, building, clones })]),
    ],
    after: [
      extendRecord.step({
        directory,
        ticket,
        repos: [
          ...lent,
          ...openings.map((opening) => ({ ...opening, role: "work" as const })),
        ].map(({ name, path, role, branch, base, mirror }) => ({
          name,
          path,
          role,
          branch,
          base,
          mirror,
        })),
      }),
      ...(clones.length === 0 ? [] : [
        sealTicket.step({ directory, clones: clones.map(({ path }) => path) }),
        dropBuilding.step({ building }),
      ]),
    ],
  };
}
