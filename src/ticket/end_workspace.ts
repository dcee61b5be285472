/**
 * What ending a ticket that has a workspace of its own would take away, and why it is refused (LEAVE-1).
 *
 * The workspace goes only when nothing is only there: as with `amof archive`, but for what has landed, its remotes are
 * asked before anything is deleted. Nothing is pushed.
 *
 * @module
 */

import { join } from "@std/path";
import { inPool } from "../async/pool.ts";
import { AmofError } from "../error.ts";
import type { CommandContext } from "../contract/mod.ts";
import {
  amongDigest,
  digestsOf,
  environmentStands,
  type GivenUp,
  inPoolOf,
  isMinor,
  loadManifest,
  type Loss,
  lossesOf,
  type Manifest,
  mirrorOf,
  refusalOf,
  refuseAll,
  refuseAtWork,
  refuseInside,
  refuseObstacles,
  type RepoStock,
  splitRefs,
  type Stock,
  type TicketRecord,
  ticketStock,
  type Verifiable,
} from "../workspace/mod.ts";
import { cleanLine } from "../text/sanitize.ts";
import { type Kept, worstOf } from "./branch_work.ts";
import { type Cleanup, type CleanupFact, type CleanupInput, planCleanup } from "./cleanup.ts";
import { ownPlace, type OwnWorkspace } from "./own_workspace.ts";

/** What is asked for. */
export interface EndInput extends CleanupInput {
  readonly discard_local?: boolean | undefined;
  /** Whether the work of the ticket has been brought elsewhere before its workspace goes: only other work counts. */
  readonly home?: boolean;
}

/** A branch whose commits no remote has, and whose work is on the base branch in another form. */
export interface Landed {
  readonly repo: string;
  readonly branch: string;
  readonly how: Kept;
  readonly into: string;
  readonly as_commit: string | null;
}

/** What a confirmation of the end is bound to. */
export interface WorkspaceEnd {
  readonly ticket_id: string;
  /** Relative to the control repository. */
  readonly workspace: string;
  readonly repos: readonly {
    readonly name: string;
    readonly branch: string | null;
    readonly commit: string | null;
    readonly role: "work" | "context" | null;
    /** Whether its remote has the branch of the ticket, as far as is known here, and goes on having it. */
    readonly stays_remote: boolean;
  }[];
  readonly landed: readonly Landed[];
  readonly cleanup: readonly CleanupFact[];
  /** Repositories whose branch stays on the remote although it was asked for. */
  readonly staying: Cleanup["staying"];
  readonly losses: readonly Loss[];
  readonly digests: Readonly<Record<string, string>>;
  /** A digest of what lies among the clones. */
  readonly among: string;
  readonly ports: TicketRecord["env"];
  /** Whether an environment of the ticket stands, which stays as it is. */
  readonly environment: boolean;
  /** Whether its clones can be made again out of mirrors and what is kept of them. */
  readonly again: boolean;
}

/** What would be done, and what it was computed from. */
export interface WorkspaceEndPlan {
  readonly facts: WorkspaceEnd;
  readonly stock: Stock;
  readonly verify: readonly Verifiable[];
}

/** The commits of one clone that its remote lacks, told apart. */
interface Own {
  readonly landed: readonly Landed[];
  readonly losses: readonly Loss[];
  /** Branches that need not be on the remote. */
  readonly without: ReadonlySet<string>;
  /** Whether a commit that is checked out on no branch is given up. */
  readonly head: boolean;
  /** Commits of base branches that have what landed: those the remote must have. */
  readonly bases: readonly { readonly name: string; readonly commit: string }[];
}

const NOTHING: Own = { landed: [], losses: [], without: new Set(), head: false, bases: [] };

/** Where the commits are that no remote of a clone is known to have. Where there are none, no process. */
async function ownOf(
  ctx: CommandContext,
  directory: string,
  repo: RepoStock,
  { base, saved }: {
    readonly base: string;
    /** A branch that has been brought elsewhere, or null. */
    readonly saved: string | null;
  },
): Promise<Own> {
  if (repo.unpushed.length === 0) return NOTHING;
  const { history, refs } = ctx.git.at(directory, repo.name);
  const there = await refs.list([`refs/remotes/origin/${base}`]);
  const into = there.get(`refs/remotes/origin/${base}`);
  const landed: Landed[] = [];
  const losses: Loss[] = [];
  const without = new Set<string>();
  const stuck = (count: number, where: string): Loss => ({
    repo: repo.name,
    kind: "commits",
    count,
    items: [where],
  });
  for (const { name: branch, commit } of repo.branches) {
    const commits = await history.unpushedCount(`refs/heads/${branch}`);
    if (commits === 0) continue;
    without.add(branch);
    if (branch === saved) continue;
    const found = into === undefined ? null : await worstOf(ctx, {
      directory,
      repo: repo.name,
      name: branch,
      local: commit,
      remote: null,
      bases: [into],
    }, true);
    if (found === null || found.unmerged > 0) {
      losses.push(stuck(commits, `on ${cleanLine(branch, 60)}`));
    } else {
      landed.push({
        repo: repo.name,
        branch,
        how: found.kept,
        into: base,
        as_commit: found.commit,
      });
    }
  }
  const detached = repo.branch === null && repo.head !== null
    ? await history.unpushedCount("HEAD")
    : 0;
  return {
    landed,
    losses: [...losses, ...(detached === 0 ? [] : [stuck(detached, "on no branch")])],
    without,
    head: detached > 0,
    bases: landed.length === 0 || into === undefined ? [] : [{ name: base, commit: into }],
  };
}

/** Kinds of losses that are told by looking closer than the stock does. */
const CLOSER: readonly Loss["kind"][] = ["commits", "tagged", "annotated", "refs"];

/** Kinds of losses that are none where the work of the ticket has been brought elsewhere. */
const CARRIED: readonly Loss["kind"][] = ["uncommitted", "stash"];

/** The workspace of a ticket relative to the control repository. */
function shownPlace(manifest: Manifest, id: string): string {
  return `${manifest.workspaceDir}@${id}`;
}

/** What the remote of each clone must have before it goes. */
function verifiable(
  own: OwnWorkspace,
  stock: Stock,
  { parts, refs, cleanup }: {
    readonly parts: ReadonlyMap<string, Own>;
    readonly refs: ReadonlyMap<string, GivenUp>;
    readonly cleanup: Cleanup;
  },
): Verifiable[] {
  return stock.repos.filter((repo) => repo.known && repo.problem === null).map((repo) => {
    const part = parts.get(repo.name) ?? NOTHING;
    const given = refs.get(repo.name) ?? { commits: [], tags: [] };
    const record = own.record.repos[repo.name];
    // What is deleted on the remote was looked for on the base branch instead.
    const deleted = cleanup.facts.find(({ name }) => name === repo.name)?.branch;
    return {
      name: repo.name,
      directory: join(own.directory, repo.path),
      detached: repo.branch === null && !part.head ? repo.head : null,
      branches: [
        ...repo.branches.filter(({ name }) => !part.without.has(name) && name !== deleted),
        ...part.bases.map(({ name, commit }) => ({ name, commit, upstream: null })),
      ],
      refs: repo.refs,
      givenUp: {
        // What is only there to be read came from the remote, which may have dropped it since.
        commits: [...given.commits, ...(record?.role === "context" ? [record.start] : [])],
        tags: given.tags,
      },
    } as Verifiable;
  });
}

/** The error of a ticket whose environment nobody could remove any more once its workspace is gone (SPIN-9). */
function environmentInTheWay(id: string, what: string, home: boolean): AmofError {
  const remove = `Remove it first: amof spin destroy --ticket ${id}`;
  return new AmofError("workspace_in_use", `Cannot ${what}: its environment still stands`, {
    hint: home ? remove : `${remove}; or leave it as it is: the same command with --discard-local`,
    details: { ticket_id: id },
  });
}

/** Whether a clone can be made out of the mirror of its repository again: not of one that lacks old contents. */
function isMadeAgain(
  ctx: CommandContext,
  manifest: Manifest,
  { name, path }: { readonly name: string; readonly path: string },
): boolean {
  const repo = manifest.repos.find((entry) => entry.name === name);
  return repo !== undefined && repo.enabled && repo.path === path && repo.clone !== "blobless" &&
    mirrorOf(ctx, repo) !== null;
}

/** Looks at everything and decides; throws one error for all that would be lost. */
export async function planWorkspaceEnd(
  ctx: CommandContext,
  own: OwnWorkspace,
  input: EndInput,
): Promise<WorkspaceEndPlan> {
  const { ticket_id: id } = input;
  const { directory, record } = own;
  const home = input.home === true;
  const what = home ? `move ${id} into the base workspace` : `end ${id}`;
  const words = home ? `ticket move ${id} --in-place` : `ticket end ${id}`;
  const scope = ` --ticket ${id}`;
  await refuseInside(ctx, words, directory, what);
  await refuseAtWork(ctx, id, what);
  const environment = await environmentStands({ ...ctx, ticket: id });
  if (environment && (home || input.discard_local !== true)) {
    throw environmentInTheWay(id, what, home);
  }
  const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  const entries = Object.entries(record.repos);
  const stock = await ticketStock(
    ctx,
    directory,
    entries.map(([name, { path, role }]) => ({
      name,
      path,
      readonly: role === "context",
      known: true,
    })),
  );
  refuseObstacles(what, stock.obstacles);
  const usable = stock.repos.filter((repo) => repo.known && repo.problem === null);
  const parts = new Map(
    await inPoolOf(ctx, "checking", usable, async (repo) => {
      const { base = "", branch = "", role } = record.repos[repo.name] ?? {};
      const saved = home && role === "work" ? branch : null;
      const place = join(directory, repo.path);
      return [repo.name, await ownOf(ctx, place, repo, { base, saved })] as const;
    }),
  );
  const refs = new Map(
    await inPoolOf(
      ctx,
      "checking",
      usable,
      async (repo) => [repo.name, await splitRefs(ctx, join(directory, repo.path), repo)] as const,
    ),
  );
  const { place, ticket } = await ownPlace(ctx, manifest, own);
  const cleanup = await planCleanup(ctx, place, ticket, { ...input, scope });
  const cleaned = new Map(cleanup.facts.map((fact) => [fact.name, fact]));
  const closer = [...parts.values()].flatMap((part) => part.losses).filter((loss) =>
    // With --force their commits are given up, and the deletion says how many.
    !(input.force && loss.items[0] === `on ${cleaned.get(loss.repo)?.branch ?? ""}`)
  );
  const losses = [
    ...lossesOf(stock).filter((loss) =>
      (!CLOSER.includes(loss.kind) || !parts.has(loss.repo)) &&
      !(home && CARRIED.includes(loss.kind) && record.repos[loss.repo]?.role === "work")
    ),
    ...closer,
    ...[...refs.values()].flatMap((part) => part.losses),
  ];
  const refused = input.discard_local === true ? [] : losses.filter((loss) => !isMinor(loss));
  refuseAll(
    what,
    refused.map((loss) => {
      const refusal = refusalOf(loss, { workspace: directory, scope });
      const base = record.repos[loss.repo]?.base ?? "";
      const pushable = loss.kind === "commits" && record.repos[loss.repo]?.role === "work" &&
        loss.items[0] !== `on ${cleanLine(base, 60)}`;
      return pushable ? { ...refusal, fix: `push them: amof push${scope}` } : refusal;
    }),
  );
  const paths = entries.map(([, { path }]) => path);
  return {
    stock,
    verify: verifiable(own, stock, { parts, refs, cleanup }),
    facts: {
      ticket_id: id,
      workspace: shownPlace(manifest, id),
      repos: await inPool(ctx.jobs, entries, async ([name, repo]) => {
        const there = stock.repos.find((entry) => entry.name === name);
        const remote = `refs/remotes/origin/${repo.branch}`;
        const known = there === undefined || there.problem !== null
          ? new Map<string, string>()
          : await ctx.git.at(join(directory, repo.path), name).refs.list([remote]);
        return {
          name,
          branch: there?.branch ?? null,
          commit: there?.head ?? null,
          role: repo.role,
          stays_remote: known.has(remote) && (cleaned.get(name)?.stays_remote ?? true),
        };
      }),
      landed: [...parts.values()].flatMap((part) => part.landed),
      cleanup: cleanup.facts,
      staying: cleanup.staying,
      losses,
      digests: digestsOf(stock),
      among: await amongDigest(ctx.system, directory, paths),
      ports: record.env,
      environment,
      again: entries.every(([name, { path }]) =>
        isMadeAgain(ctx, manifest, { name, path }) &&
        stock.repos.some((repo) =>
          repo.name === name && repo.problem === null && repo.head !== null
        )
      ),
    },
  };
}
