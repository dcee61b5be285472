/**
 * How the clones of a ticket come to be: their mirrors brought up to date, and where each branch begins (TICKET-11).
 *
 * Costs one git process for a mirror that is made or fetched.
 *
 * @module
 */

import { join } from "@std/path";
import type { ExecuteContext } from "../../contract/mod.ts";
import { AmofError } from "../../error.ts";
import {
  type ClonePlan,
  type FreshMirror,
  freshMirror,
  inPoolOf,
  mirrorOf,
  noMirror,
  type Refusal,
  refuseAll,
  type Repo,
  Transfers,
  unlessRefused,
  whyOf,
} from "../../workspace/mod.ts";
import type { BasePlace, TicketRepoFact } from "./plan.ts";

/** The mirrors of repositories, by name; null for those that have none. */
export type Mirrors = ReadonlyMap<string, FreshMirror | null>;

/** A mirror that was fetched no longer ago than this is not fetched again. */
const FRESH_SECONDS = 60;

/** What is done for all clones of a ticket. */
interface Terms {
  /** What messages call the deed: "start T-1". */
  readonly what: string;
  /** Whether mirrors are taken as they are, and only missing ones are made. */
  readonly offline: boolean;
  /** Gets what a person should know, one sentence each. */
  readonly notes: string[];
}

/** Brings the mirrors up to date. They stay, whatever becomes of the ticket. At most one transfer for each. */
async function bringMirrors(
  ctx: ExecuteContext,
  base: BasePlace,
  repos: readonly Repo[],
  { what, offline, notes }: Terms,
): Promise<Mirrors> {
  const transfers = new Transfers(ctx.transfers);
  const refusals: Refusal[] = [];
  const found = await inPoolOf(ctx, "fetching", repos, async (repo) => {
    const from = base.directory === null ? null : join(base.directory, repo.path);
    const wish = { transfers, from, fresh: offline ? Infinity : FRESH_SECONDS };
    try {
      const mirror = await freshMirror(ctx, repo, wish);
      if (mirror === null) {
        notes.push(`${repo.name}: a plain clone, because ${noMirror(ctx, repo)}`);
      }
      return [repo.name, mirror] as const;
    } catch (error) {
      if (!(error instanceof AmofError) || error.code === "cancelled") throw error;
      // What was fetched before is as good as what an offline start begins at.
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
    "name another base: the same command with --base REPO=BRANCH",
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
  const mirrors = await bringMirrors(ctx, base, repos, terms);
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
