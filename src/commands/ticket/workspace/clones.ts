/**
 * How the clones of a ticket come to be: their mirrors brought up to date, and where each branch begins (TICKET-11).
 *
 * Costs one git process for a mirror that is made or fetched.
 */

import type { ExecuteContext } from "../../../contract/mod.ts";
import type { FreshMirror } from "../../../workspace/mirrors/mod.ts";
import { bringMirrors, type ClonePlan, type Mirrors } from "../../../workspace/tickets/changing.ts";
import { inPoolOf, type Refusal, unlessRefused } from "../../../workspace/mod.ts";
import type { BasePlace, TicketRepoFact } from "./plan.ts";

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
