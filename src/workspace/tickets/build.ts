/**
 * Makes the clones of a ticket: each borrows the objects of a mirror, or is a plain clone where there can be none
 * (TICKET-11).
 */

import { dirname, join } from "@std/path";
import type { ExecuteContext } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { logLines } from "../../git/changing.ts";
import { Clones, Mirrors as GitMirrors } from "../../git/write/mod.ts";
import { sha } from "../../base/ids.ts";
import { addSubmodules, historyOf } from "../clones/clone.ts";
import {
  addBorrowers,
  atMirror,
  type FreshMirror,
  freshMirror,
  isMirror,
  lendLarge,
  mirrorDirectory,
  mirrorKind,
  noMirror,
} from "../mirrors/mod.ts";
import type { Repo } from "../manifest/manifest.ts";
import { Transfers } from "../clones/transfer.ts";
import { type Refusal, refuseAll, whyOf } from "../refusal.ts";
import { inPoolOf } from "../progress.ts";

/** Where the mirror is that a repository's clones borrow from, there or not; null for those that borrow from none. */
export function mirrorOf(
  { layout }: Pick<ExecuteContext, "layout">,
  repo: Pick<Repo, "clone" | "url">,
): string | null {
  const kind = mirrorKind(repo);
  return kind === null ? null : mirrorDirectory(layout, repo.url, kind);
}

/** How a clone of a ticket comes to be. */
export interface ClonePlan {
  readonly name: string;
  /** Relative to the ticket's directory, with `/`. */
  readonly path: string;
  readonly role: "work" | "context";
  readonly branch: string;
  /** The branch of the remote that it belongs to. */
  readonly base: string;
  /** The mirror it borrows from, absolute; null for a plain clone. */
  readonly mirror: string | null;
  /** The commit its branch begins at; null where only the clone will tell. */
  readonly start: string | null;
  /** Whether the branch follows the remote's of that name. */
  readonly track: boolean;
}

/** What the clones of a ticket have in common. */
interface CloneTerms {
  /** The directory of the ticket, or the one that will become it, absolute. */
  readonly directory: string;
  /** Whether they get all objects themselves. */
  readonly standalone: boolean;
  /** The ticket, and where its directory will be, absolute: what its clones borrow is written down for that place. */
  readonly ticket: string;
  readonly place: string;
  readonly transfers: Transfers;
  /** Brings what its branch needs into a clone that borrows, before that is checked out. */
  readonly supply?: (clone: string) => Promise<void>;
}

/** How often a mirror is made again that somebody removes before it is borrowed from. */
const TRIES = 3;

/**
 * Does work on the mirror of a repository while nobody removes it. Who removes mirrors waits, and finds
 * afterwards what was made of this one. A mirror that has gone since it was looked up is made again.
 */
async function withMirror(
  ctx: ExecuteContext,
  repo: Repo,
  { mirror: place, transfers }: { readonly mirror: string; readonly transfers: Transfers },
  work: () => Promise<void>,
): Promise<void> {
  const { name } = repo;
  for (let tried = 0; tried < TRIES; tried++) {
    const done = await atMirror(ctx, { place, name }, async () => {
      if (!await isMirror(ctx, place)) return false;
      await work();
      return true;
    });
    if (done) return;
    ctx.report.log("info", `${name}: its mirror has gone meanwhile, and is made again`);
    await freshMirror(ctx, repo, { fresh: 0, transfers });
  }
  throw new AmofError(
    "mirror_missing",
    `Cannot use the mirror of "${name}": it goes again and again`,
    {
      hint: "See who uses mirrors: amof mirror list\nThen repeat",
      details: { repo: name },
    },
  );
}

/**
 * Makes one clone below the directory of a ticket, where nothing is yet. Three git processes for one that borrows, two
 * more for one that stands alone; else a clone with the network, and at most one more.
 */
export async function buildClone(
  ctx: ExecuteContext,
  { directory, standalone, ticket, place, transfers, supply }: CloneTerms,
  repo: Repo,
  plan: ClonePlan,
): Promise<void> {
  const target = join(directory, plan.path);
  const parent = dirname(target);
  await ctx.system.files.makeDirectory(parent);
  const clones = ctx.git.at(parent, plan.name).part(Clones);
  const { mirror, branch, base, start, track } = plan;
  const { url } = repo;
  // They borrow nothing (TICKET-16).
  const submodules = async () => {
    if (!repo.submodules) return;
    await transfers.turn(ctx, repo, () => addSubmodules(ctx, target, repo));
  };
  if (mirror !== null && start !== null) {
    await withMirror(ctx, repo, { mirror, transfers }, async () => {
      await clones.borrow({
        mirror,
        directory: target,
        url,
        base,
        branch,
        blobless: mirrorKind(repo) === "blobless",
        start: sha(start),
        track,
        sparse: repo.sparse,
        before: async () => {
          await supply?.(target);
          await lendLarge(ctx, { name: plan.name, mirror, clone: target, commit: start });
        },
      });
      if (standalone) return void await ctx.git.at(target, plan.name).borrowed.end();
      // If the mirror was removed in between, its borrowers were forgotten with it.
      const borrows = [{ path: plan.path, mirror }];
      await addBorrowers(ctx, { directory: place, ticket, borrows });
    });
    return await submodules();
  }
  const onLine = logLines(ctx.report.log, plan.name, { stdout: "debug", stderr: "debug" });
  const history = historyOf(repo.clone);
  await transfers.turn(
    ctx,
    repo,
    () =>
      clones.make({ url, directory: target, branch: base, history, sparse: repo.sparse, onLine }),
  );
  if (plan.role === "work") {
    const made = ctx.git.at(target, plan.name);
    const remote = `refs/remotes/origin/${branch}`;
    const there = (await made.refs.peek([remote])).has(remote);
    await made.branches.create(branch, there ? { start: `origin/${branch}`, track: true } : {});
  }
  await submodules();
}

// Mirrors of several repositories at once, for clones that are to borrow from them (TICKET-11).

/** The mirrors of repositories, by name; null for those that have none. */
export type Mirrors = ReadonlyMap<string, FreshMirror | null>;

/**
 * A mirror of what is only read is not fetched again within this time. Of what is worked on the remote may have had the
 * branch of the ticket since then.
 */
const FRESH_SECONDS = 60;

interface Terms {
  /** What messages call the work: "start T-1". */
  readonly what: string;
  /** Whether mirrors are taken as they are, and only missing ones are made. */
  readonly offline: boolean;
  /** Gets what a person should know, one sentence each. */
  readonly notes: string[];
  /** Whether a damaged one is made anew although somebody borrows from it. */
  readonly repair?: boolean;
}

/** Throws where git-lfs is needed and does not work: files would be made of which only a few words are there. */
async function refuseWithoutLarge(
  ctx: ExecuteContext,
  repos: readonly Repo[],
  what: string,
): Promise<void> {
  const needing = repos.filter(({ lfs }) => lfs);
  if (needing.length === 0) return;
  const problem = await ctx.git.at(ctx.root).part(GitMirrors).largeProblem();
  if (problem === null) return;
  const fix = problem === "missing"
    ? "install git-lfs, then: git lfs install"
    : "switch it on: git lfs install";
  refuseAll(
    what,
    needing.map(({ name }) => ({
      repo: name,
      code: "git_failed" as const,
      problem: problem === "missing"
        ? "needs git-lfs, which is not installed"
        : "needs git-lfs, which git is not told to use",
      fix,
    })),
  );
}

/**
 * Brings the mirrors of repositories up to date. They stay, whatever becomes of the ticket. `base` is the
 * directory of the workspace whose clones a new mirror may take from, or null. At most one transfer for each.
 *
 * Throws one error for all that cannot be had. One whose remote does not answer stays as last fetched, and is
 * noted.
 */
export async function bringMirrors(
  ctx: ExecuteContext,
  base: string | null,
  repos: readonly Repo[],
  { what, offline, notes, repair = false }: Terms,
): Promise<Mirrors> {
  await refuseWithoutLarge(ctx, repos, what);
  const transfers = new Transfers(ctx.transfers);
  const refusals: Refusal[] = [];
  const found = await inPoolOf(ctx, "fetching", repos, async (repo) => {
    const from = base === null ? null : join(base, repo.path);
    const fresh = offline ? Infinity : repo.readonly ? FRESH_SECONDS : 0;
    const wish = { transfers, from, repair, fresh };
    try {
      const mirror = await freshMirror(ctx, repo, wish);
      if (mirror === null) {
        notes.push(`${repo.name}: a plain clone, because ${noMirror(ctx, repo)}`);
      }
      return [repo.name, mirror] as const;
    } catch (error) {
      if (!(error instanceof AmofError) || error.code === "cancelled") throw error;
      // A mirror from an earlier fetch is as good as what an offline start begins at.
      const place = mirrorOf(ctx, repo);
      const stands = place !== null && await ctx.system.files.lstat(join(place, "HEAD")) !== null;
      if (stands && ["remote_unreachable", "timeout"].includes(error.code)) {
        notes.push(
          `${repo.name}: its remote could not be asked (${whyOf(error)}); it is as last fetched`,
        );
        return [repo.name, { directory: place, result: "fresh" as const }] as const;
      }
      refusals.push({
        repo: repo.name,
        code: error.code,
        problem: `cannot be fetched: ${whyOf(error)}`,
        fix: error.hint,
      });
      return [repo.name, null] as const;
    }
  });
  refuseAll(what, refusals, "nothing but mirrors was made");
  return new Map(found);
}
