/** What an archive finds in a workspace: what is only there, and what of it can be pushed. */

import { join } from "@std/path";
import { inPool } from "../../base/async/pool.ts";
import type { CommandContext } from "../../contract/mod.ts";
import type { LocalBranch } from "../../git/mod.ts";
import { AmofError } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import {
  CONTROL,
  refuseObstacles,
  type RepoStock,
  type Stock,
  takeStock,
} from "../../workspace/removal/mod.ts";
import { type GivenUp, splitRefs } from "../removal/leaving.ts";
import { type Loss, lossesOf, removablePlace } from "../removal/losses.ts";
import {
  inPoolOf,
  loadState,
  type WorkspacePlace,
  type WorkspaceState,
} from "../../workspace/mod.ts";
import type { Manifest } from "../../workspace/manifest/mod.ts";
import { landingOf } from "../../workspace/clones/mod.ts";
import { type TicketFact, ticketFacts } from "./tickets/back.ts";
import { ticketWorkspaces } from "../../workspace/tickets/mod.ts";

const REMOTE = "origin";

/** Commits of one repository that pushing its feature branches saves, and those that it does not. */
interface Split {
  readonly push: readonly PushPlan[];
  readonly stuck: readonly Loss[];
  /** The branches whose commits are stuck. */
  readonly branches: ReadonlySet<string>;
  /** Whether the commits of a detached HEAD are. */
  readonly head: boolean;
}

/** A repository without commits of its own. */
const NOTHING: Split = { push: [], stuck: [], branches: new Set(), head: false };

/**
 * What became of a branch that its remote had and has no more: whether it was merged, as a status would find.
 * Null where the remote has it, or never had.
 */
async function goneOf(
  repository: ReturnType<CommandContext["git"]["at"]>,
  { name: branch, commit }: LocalBranch,
  base: string | undefined,
): Promise<PushPlan["gone"]> {
  const { branches, refs } = repository;
  const found = await refs.peekBranches(base === undefined ? [] : [base]);
  if (found.remotes.has(branch) || !(await branches.following()).has(branch)) return null;
  if (await branches.lacking(branch) !== null) return null;
  const into = base === undefined ? undefined : found.base(base).commit;
  if (into === undefined) return "open";
  const tips = { branch, commit, base: into, own: undefined };
  const evidence = { lastPush: undefined, before: undefined, isGone: true };
  return (await landingOf(repository, tips, evidence)).merged === null ? "open" : "merged";
}

/** Tells the commits of one repository apart. One git process for each branch, where there is anything unpushed. */
async function split(
  ctx: CommandContext,
  directory: string,
  repo: RepoStock,
  base: string | undefined,
): Promise<Split> {
  if (repo.unpushed.length === 0) return NOTHING;
  const push: PushPlan[] = [];
  const stuck: Loss[] = [];
  const branches = new Set<string>();
  let head = false;
  const repository = ctx.git.at(directory, repo.name);
  const hasRemote = await repository.remotes.pushUrl(REMOTE) !== null;
  for (const local of repo.branches) {
    const { name: branch, commit } = local;
    const commits = await repository.history.unpushedCount(
      `refs/heads/${branch}`,
    );
    if (commits === 0) continue;
    if (repo.known && !repo.readonly && hasRemote && branch !== base) {
      const gone = await goneOf(repository, local, base);
      push.push({ repo: repo.name, branch, commit, commits, gone });
    } else {
      branches.add(branch);
      stuck.push({
        repo: repo.name,
        kind: "commits",
        count: commits,
        items: [`on ${cleanLine(branch, 60)}`],
      });
    }
  }
  if (repo.branch === null && repo.head !== null) {
    const counted = (names: readonly string[]) =>
      repository.history.unpushedCount("HEAD", names.map((name) => `refs/heads/${name}`));
    head = await counted(push.map(({ branch }) => branch)) > 0;
    // A branch that has them is told already.
    const count = head ? await counted(repo.branches.map(({ name }) => name)) : 0;
    if (count > 0) stuck.push({ repo: repo.name, kind: "commits", count, items: ["on no branch"] });
  }
  return { push, stuck, branches, head };
}

/** The stock of what is to be archived, with what is pushed of each repository, and what cannot be. */
interface Findings {
  readonly place: WorkspacePlace;
  readonly manifest: Manifest;
  readonly stock: Stock;
  readonly state: WorkspaceState | null;
  /** The working copy of the control repository. */
  readonly control: RepoStock;
  /** By repository what its branches have that no remote has. */
  readonly parts: ReadonlyMap<string, Split>;
  /** Branches that can be pushed. */
  readonly push: readonly PushPlan[];
  /** Repository to what only its tags and other refs hold, and that is given up. */
  readonly givenUp: ReadonlyMap<string, GivenUp>;
  /** What would be lost. */
  readonly losses: readonly Loss[];
  /** Workspaces of tickets that are put away, too. */
  readonly tickets: readonly TicketFact[];
}

/** A record could not bring back what stays elsewhere and goes on changing (ADOPT-2). */
function refuseAdopted(what: string, adopted: Stock["adopted"]): void {
  const [first] = Object.entries(adopted);
  if (first === undefined) return;
  const [repo, place] = first;
  throw new AmofError(
    "would_lose_work",
    `Cannot ${what}: the clone of "${repo}" stays in ${
      cleanLine(place, 200)
    }, where it was adopted from`,
    {
      hint: "Take only the workspace away, with what is only there shown first: amof discard",
      details: { repos: Object.keys(adopted).map((name) => ({ name, code: "would_lose_work" })) },
    },
  );
}

/** Tickets with workspaces of their own would be left without their ecosystem, and no record would know of them (LEAVE-3). */
async function refuseTickets(
  ctx: CommandContext,
  manifest: Manifest,
  what: string,
): Promise<void> {
  const tickets = await ticketWorkspaces(ctx.system, ctx.root, manifest);
  const [first] = tickets;
  if (first === undefined) return;
  const more = tickets.length === 1
    ? ""
    : `, and so ${tickets.length === 2 ? "has" : "have"} ${tickets.length - 1} more`;
  throw new AmofError(
    "workspace_in_use",
    `Cannot ${what}: ticket ${first.id} has a workspace of its own${more}`,
    {
      hint:
        `Put them away, too: the same command with --tickets\nEnd it first: amof ticket end ${first.id}`,
      details: { ecosystem: ctx.ecosystem, tickets: tickets.map(({ id }) => id) },
    },
  );
}

/** Looks at everything; throws where there is nothing to archive, or something stands in the way. */
export async function findings(
  ctx: CommandContext,
  what: string,
  { tickets }: { readonly tickets: boolean },
): Promise<Findings> {
  const { place, manifest } = await removablePlace(ctx, "archive");
  if (!tickets) await refuseTickets(ctx, manifest, what);
  const stock = await takeStock(ctx, place, manifest);
  if (stock.control === null) {
    throw new AmofError(
      "workspace_not_installed",
      `Cannot ${what}: the directory of its workspace is gone`,
      { hint: "Make it anew: amof install --repair\nForget it: amof discard" },
    );
  }
  refuseObstacles(what, stock.obstacles);
  refuseAdopted(what, stock.adopted);
  const base = (name: string) => manifest.repos.find((repo) => repo.name === name)?.branch;
  const directory = (repo: RepoStock) => join(place.directory, repo.path);
  const parts = await inPoolOf(ctx, "checking", stock.repos, async (repo) =>
    [
      repo.name,
      repo.problem === null ? await split(ctx, directory(repo), repo, base(repo.name)) : NOTHING,
    ] as const);
  const refs = await inPool(
    ctx.jobs,
    stock.repos,
    async (repo) => [repo.name, await splitRefs(ctx, directory(repo), repo)] as const,
  );
  return {
    place,
    manifest,
    stock,
    state: await loadState(ctx.system, place.directory),
    control: stock.control,
    parts: new Map(parts),
    push: parts.flatMap(([, part]) => part.push),
    givenUp: new Map(refs),
    losses: [
      // Commits, tags and refs of clones are told by `split`, where those that can be pushed are told apart.
      ...lossesOf(stock).filter((loss) =>
        loss.repo === CONTROL || !["commits", "tagged", "annotated", "refs"].includes(loss.kind)
      ),
      ...refs.flatMap(([, part]) => part.losses),
      ...parts.flatMap(([, part]) => part.stuck),
    ],
    tickets: tickets ? await ticketFacts(ctx, manifest) : [],
  };
}

/** A branch that is pushed under its own name. */
export interface PushPlan {
  readonly repo: string;
  readonly branch: string;
  readonly commit: string;
  /** Commits that no remote-tracking branch has. */
  readonly commits: number;
  /** Whether its work is in the base branch, where its remote has it no more, so that the push makes it again; else null. */
  readonly gone: "merged" | "open" | null;
}
