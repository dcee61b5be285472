/**
 * Updates a branch of a ticket that is not the active one: nobody's files are touched, since its branch is not checked
 * out (TICKET-7).
 */

import { sha, shortSha } from "../../../base/ids.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { count, few } from "../../../base/text/words.ts";
import type { CommandContext, ExecuteContext } from "../../../contract/mod.ts";
import type { Repository } from "../../../git/mod.ts";
import { Joining } from "../../../git/write/mod.ts";
import { type RepoSnapshot, rewrittenOf } from "../../../workspace/clones/mod.ts";
import { branchAgain } from "../../../workspace/tickets/mod.ts";
import { cannotEnter, type TicketPlace } from "../preflight.ts";
import {
  compareWithBase,
  held,
  type HeldFact,
  type How,
  retracted,
  skipIntegrated,
  unreachable,
  type UpdateFact,
} from "./plan.ts";
import {
  baseByNow,
  changed,
  heldRow,
  type Site,
  type UpdateRow,
  updateRow,
  withoutBase,
} from "./row.ts";

interface Asked {
  readonly ticket: string;
  readonly branch: string;
  readonly base: string;
  readonly how: How | undefined;
  readonly offline: boolean;
}

/** The snapshot as if the branch were checked out. */
function as(snapshot: RepoSnapshot, branch: string): Pick<RepoSnapshot, "repo" | "git"> {
  return { repo: snapshot.repo, git: snapshot.git === null ? null : { ...snapshot.git, branch } };
}

/** Why a rebase is left to where the branch is checked out. */
function needsFiles(ticket: string, on: Pick<RepoSnapshot, "repo" | "git">): HeldFact {
  return held(
    on,
    "a rebase needs its branch checked out",
    "invalid_transition",
    `go to it first: amof ticket switch ${ticket}`,
  );
}

/** Waits for what the branch lacks of its own remote branch, as the checked-out one does; null where it lacks nothing. */
async function behindThere(
  repository: Repository,
  on: Pick<RepoSnapshot, "repo" | "git">,
  { branch, ticket }: Pick<Asked, "branch" | "ticket">,
): Promise<HeldFact | null> {
  const [here, there] = [`refs/heads/${branch}`, `refs/remotes/origin/${branch}`];
  const refs = await repository.refs.peek([here, there]);
  if (!refs.has(there) || refs.get(here) === refs.get(there)) return null;
  const apart = await repository.history.apart(here, there);
  if (apart === null || apart.other === 0) return null;
  const names = { branch, upstream: `origin/${branch}`, isBase: false };
  if (apart.one > 0 && await rewrittenOf(repository, names) !== null) return null;
  return held(
    on,
    `${count(apart.other, "commit")} behind its remote branch`,
    "repo_diverged",
    `go to it, and take that in first: amof ticket switch ${ticket}\namof sync --repo ${on.repo.name}`,
  );
}

/** What would happen to a branch that is not checked out, or why not. At most six git processes. */
export async function decideApart(
  ctx: CommandContext,
  place: TicketPlace,
  snapshot: RepoSnapshot,
  { ticket, branch, base, how, offline }: Asked,
): Promise<UpdateFact | HeldFact> {
  const { repo, directory } = snapshot;
  const on = as(snapshot, branch);
  const not = unreachable(snapshot);
  if (not !== null) return not;
  const repository = ctx.git.at(directory, repo.name);
  const ref = `refs/heads/${branch}`;
  const head = await repository.refs.resolve(ref);
  if (head === null) {
    const again = await branchAgain(repository, { directory, branch, base });
    const gone = `has no branch ${cleanLine(branch, 60)} any more`;
    return held(on, gone, "repo_diverged", again);
  }
  const taken = await cannotEnter(ctx, snapshot, branch);
  if (taken !== null) return held(on, taken.problem, taken.code, taken.fix);
  const fact = await compareWithBase(ctx, place, {
    snapshot,
    base,
    asked: how,
    apart: { branch, head },
  });
  const back = await retracted(ctx, { ...on, directory }, fact, ticket);
  if (back !== null) return back;
  if (fact.behind === 0 && offline) return { ...held(on, ""), up_to_date: true };
  const landed = skipIntegrated(on, fact, { ticket, state: null });
  if (landed !== null) return landed;
  const late = fact.behind === 0 ? null : await behindThere(repository, on, { branch, ticket });
  if (late !== null) return late;
  return fact.how === "rebase" && fact.own > 0 && fact.behind !== 0 ? needsFiles(ticket, on) : fact;
}

/** The commit to merge where the base branch has a part of a branch in another form. */
export function jointOf(
  repository: Repository,
  { landed, remote_base, branch }: Pick<UpdateFact, "remote_base" | "branch"> & {
    readonly landed: string;
  },
): Promise<string> {
  const message = `Take ${branch} up to ${shortSha(landed)} as merged into ${remote_base}`;
  const base = `refs/remotes/${remote_base}`;
  return repository.part(Joining).joint({ landed, base, message });
}

/** Brings the base branch into a branch that is not checked out; the remote was asked already. */
export async function updateApart(
  ctx: ExecuteContext,
  site: Site,
  fact: UpdateFact,
  meant: {
    readonly repository: Repository;
    readonly snapshot: RepoSnapshot;
    readonly ticket: string;
    readonly asked: How | undefined;
  },
): Promise<UpdateRow> {
  const { place, repo, directory } = site;
  const { repository, snapshot, ticket, asked } = meant;
  const { branch, base, head } = fact;
  const ref = `refs/heads/${branch}`;
  if (snapshot.git?.branch === branch || await repository.refs.resolve(ref) !== head) {
    throw changed(repo.name);
  }
  const now = await compareWithBase(ctx, place, { snapshot, base, asked, apart: { branch, head } });
  const { behind } = now;
  const other = await repository.refs.resolve(`refs/remotes/${now.remote_base}`);
  if (behind === null || other === null) {
    const { now: found } = await baseByNow(ctx, repo, ticket);
    if (found !== null && found !== base) {
      return await updateApart(ctx, site, { ...fact, base: found }, meant);
    }
    return await withoutBase(ctx, { repo, directory }, fact, ticket);
  }
  const on = { ...as(snapshot, branch), directory };
  const back = await retracted(ctx, on, { ...fact, ...now }, ticket);
  if (back !== null) return heldRow(back);
  if (behind === 0) return updateRow(fact, { result: "up_to_date" });
  const landed = skipIntegrated(on, { ...fact, ...now }, { ticket, state: null });
  if (landed !== null) return heldRow(landed);
  const late = await behindThere(repository, as(snapshot, branch), { branch, ticket });
  if (late !== null) return heldRow(late);
  const forward = now.own === 0;
  if (now.how === "rebase" && !forward) return heldRow(needsFiles(ticket, as(snapshot, branch)));
  const message = `Merge ${now.remote_base} into ${branch}`;
  const made = forward ? { commit: other } : await repository.part(Joining).mergeApart({
    into: sha(head),
    other: now.landed === null
      ? other
      : sha(await jointOf(repository, { ...now, landed: now.landed })),
    message,
  });
  if ("conflicts" in made) {
    const files = few(made.conflicts.map((path) => cleanLine(path, 80)), 3);
    return updateRow(fact, {
      result: "conflict",
      how: "merge",
      detail: `conflicts in ${files}; nothing was changed`,
      files: made.conflicts,
      code: "repo_diverged",
      fix: `go to it, then update it there: amof ticket switch ${ticket}`,
    });
  }
  if (!await repository.refs.move(ref, { to: sha(made.commit), expected: sha(head) })) {
    throw changed(repo.name);
  }
  return updateRow(fact, {
    result: "updated",
    how: now.how,
    commits: behind,
    detail: `${count(behind, "commit")} of ${cleanLine(base, 60)}, ${
      forward ? "moved forward" : "merged"
    }${now.why === null ? "" : `; merged because ${now.why}`}`,
  });
}
