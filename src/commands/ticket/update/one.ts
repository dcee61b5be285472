/** Brings the base branch into the branch of one repository. */

import type { ExecuteContext } from "../../../contract/mod.ts";
import type { OnLine, Repository } from "../../../git/mod.ts";
import { Joining } from "../../../git/write/mod.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { count } from "../../../base/text/words.ts";
import { inspectRepos, type RepoSnapshot, rewrittenOf } from "../../../workspace/clones/mod.ts";
import {
  bringLateSubmodules,
  fetchRepo,
  type Sources,
  withSubmodules,
} from "../../../workspace/clones/changing.ts";
import {
  giveBack,
  giveBackAfter,
  keepWork,
  type KeptWork,
  mendNow,
  returnRefusal,
} from "../steps/update_kept.ts";
import {
  behindOwn,
  compareWithBase,
  dirty,
  type How,
  refuseKeptTwice,
  retracted,
  skipIntegrated,
  skipShallow,
  trackedChanges,
  unready,
  type UpdateFact,
} from "./plan.ts";
import {
  baseByNow,
  changed,
  guarded,
  heldRow,
  keptOf,
  type Site,
  type UpdateRow,
  updateRow,
  withBrought,
  withGiven,
  withoutBase,
} from "./row.ts";
import { isBaseBranch, jointRef } from "../../../workspace/tickets/mod.ts";
import { type WorkspaceState } from "../../../workspace/mod.ts";
import { overtakenWords } from "../../advice/clone.ts";
import { jointOf, updateApart } from "./apart.ts";
import { shortSha } from "../../../base/ids.ts";

/** Merges or rebases while uncommitted work stands aside, where there is some; that comes back where it fails. */
async function bringIn(
  ctx: ExecuteContext,
  { repo, directory }: Site,
  { remote_base, branch, head }: UpdateFact,
  { repository, onLine, merges, landed, aside, isRenamed }: {
    readonly repository: Repository;
    readonly onLine: OnLine;
    readonly merges: boolean;
    readonly landed: string | null;
    readonly aside: KeptWork | null;
    readonly isRenamed: boolean;
  },
): Promise<void> {
  const ref = `refs/remotes/${remote_base}`;
  const joint = merges && landed !== null
    ? await jointOf(repository, { landed, remote_base, branch })
    // What tidies up behind a kill was told of the old name: it goes by the same note.
    : merges && isRenamed
    ? await repository.refs.resolve(ref)
    : null;
  if (aside !== null) await keepWork(ctx, aside);
  try {
    if (merges) {
      if (joint !== null) await repository.refs.create(jointRef(branch), joint);
      const message = `Merge ${remote_base} into ${branch}`;
      await repository.part(Joining).merge(joint ?? ref, message, onLine);
    } else await repository.part(Joining).rebase(ref, landed, onLine);
  } catch (error) {
    try {
      if (merges) await mendNow(ctx, { repo, directory, head, ref });
    } catch (unmended) {
      throw aside === null ? unmended : returnRefusal(ctx, aside, unmended);
    }
    if (aside !== null) await giveBackAfter(ctx, aside, error);
    throw error;
  } finally {
    // Where that fails, as on a full disk, the next update does it.
    if (joint !== null) await repository.refs.delete(jointRef(branch), joint).catch(() => {});
  }
}

interface Meant {
  /** Null where nothing is fetched. */
  readonly sources: Sources | null;
  readonly asked: How | undefined;
  /** The ticket that is updated. */
  readonly ticket: string;
  /** Whether uncommitted work stands aside meanwhile. */
  readonly stash: boolean;
}

/** What was found in a repository that can be updated. */
interface Ready {
  readonly repository: Repository;
  readonly onLine: OnLine;
  readonly snapshot: RepoSnapshot;
  readonly stashes: number;
  /** How many changed files are in the way. */
  readonly files: number;
}

/** The same row, with what came of the work that stood aside; an interrupt must not keep anybody's from coming back. */
async function returned(
  ctx: ExecuteContext,
  site: Site,
  fact: UpdateFact,
  row: UpdateRow,
): Promise<UpdateRow> {
  const given = await giveBack({ ...ctx, git: ctx.git.until() }, keptOf(site, fact.branch));
  return withGiven(row, given, site);
}

/** Brings in what is new on the base branch. */
async function bringNews(
  ctx: ExecuteContext,
  site: Site,
  fact: UpdateFact,
  { repository, onLine, snapshot, stashes, files, now, stash, transfers }:
    & Ready
    & Pick<Meant, "stash">
    & {
      readonly now: Awaited<ReturnType<typeof compareWithBase>> & { readonly behind: number };
      /** Null where no remote is asked. */
      readonly transfers: Sources["transfers"] | null;
    },
): Promise<UpdateRow> {
  const { branch } = fact;
  const { behind, how, base } = now;
  if (files > 0 && !stash) return heldRow(dirty(snapshot, files, behind));
  const aside = keptOf(site, branch);
  if (files > 0 && stashes > 0 && await repository.stashes.find(aside.name, branch) !== null) {
    return heldRow(refuseKeptTwice(snapshot, aside.name));
  }
  if (how === "rebase" && now.published > fact.published) {
    throw changed(site.repo.name, "more of its commits were published");
  }
  // Without commits of its own a branch only moves forward, whatever was asked for.
  const forward = now.own === 0;
  const merges = how === "merge" || forward;
  // A remote may have been fetched for the first time since it was looked at.
  const { directory } = site;
  const settled = await withSubmodules(
    ctx,
    { repo: site.repo.name, directory },
    () =>
      bringIn(ctx, site, { ...fact, remote_base: now.remote_base }, {
        repository,
        onLine,
        merges,
        landed: now.landed,
        aside: files > 0 ? aside : null,
        isRenamed: now.remote_base !== fact.remote_base,
      }),
  );
  const fetched = transfers === null ? 0 : await bringLateSubmodules(ctx, transfers, site);
  const row = withBrought(
    updateRow(fact, {
      result: "updated",
      how,
      commits: behind,
      detail: `${count(behind, "commit")} of ${cleanLine(base, 60)}, ${
        forward ? "moved forward" : how === "merge" ? "merged" : "rebased onto"
      }${
        now.landed === null
          ? ""
          : `; ${how === "merge" ? "counted as merged" : "left out"} what is there already, up to ${
            shortSha(now.landed)
          }`
      }${now.why === null ? "" : `; merged because ${now.why}`}`,
    }),
    settled + fetched,
  );
  return stash && (files > 0 || stashes > 0) ? await returned(ctx, site, fact, row) : row;
}

/**
 * The same row, with what the branch's own remote branch has more, or has of what was rewritten: an update brings in the
 * base branch alone.
 */
async function besideRemote(
  ctx: ExecuteContext,
  row: UpdateRow,
  snapshot: RepoSnapshot,
  state: WorkspaceState | null,
): Promise<UpdateRow> {
  const { git, directory, repo } = snapshot;
  const { branch } = row;
  const [behind, upstream] = [git?.behind ?? 0, `origin/${branch}`];
  if (row.code !== null || git?.upstream !== upstream) return row;
  const isUpdated = row.result === "updated";
  if (behind === 0 && !(isUpdated && row.how === "rebase")) return row;
  const also = (said: string) => row.detail === "" ? said : `${row.detail}; ${said}`;
  const repository = ctx.git.at(directory, repo.name);
  const names = { branch, upstream, isBase: isBaseBranch(state, repo, branch) };
  const before = (git.ahead ?? 0) > 0 || isUpdated ? await rewrittenOf(repository, names) : null;
  if (before !== null && !await repository.history.isAncestor(before.was, "HEAD")) {
    const head = await repository.refs.resolve("HEAD") ?? "";
    const words = { directory, branch, head, behind };
    const { note, fix } = overtakenWords(before, words);
    const back = isUpdated ? "\ntake the update back: amof undo" : "";
    return { ...row, detail: also(note), fix: `${fix}${back}` };
  }
  const late = await behindOwn(ctx, { snapshot, state });
  return late === null ? row : { ...row, detail: also(late.detail), fix: late.fix };
}

/** Fetches, and brings the base branch in. Never throws: what failed is in the row. */
export function updateOne(
  ctx: ExecuteContext,
  site: Site,
  fact: UpdateFact,
  { sources, asked, stash, ticket }: Meant,
): Promise<UpdateRow> {
  const { place, repo } = site;
  const { branch, base } = fact;
  return guarded(ctx, site, branch, async (repository, onLine) => {
    if (sources !== null) {
      await fetchRepo(ctx, { ...sources, also: [base] }, repo, site.directory);
    }
    const [snapshot] = await inspectRepos(ctx, {
      workspace: place.workspace.directory,
      repos: [repo],
      state: place.state,
    });
    if (fact.apart && snapshot !== undefined) {
      return await updateApart(ctx, site, fact, { repository, snapshot, ticket, asked });
    }
    if (snapshot?.git?.head !== fact.head) throw changed(repo.name);
    const held = unready(snapshot, branch);
    if (held !== null) return heldRow(held);
    const left = (await repository.refs.peek([jointRef(branch)])).get(jointRef(branch));
    if (left !== undefined) await repository.refs.delete(jointRef(branch), left);
    const first = await compareWithBase(ctx, place, { snapshot, base, asked });
    // What the manifest names may be at the remote since the fetch alone.
    const other = first.behind === null ? (await baseByNow(ctx, repo, ticket)).now ?? base : base;
    const now = other === base
      ? first
      : await compareWithBase(ctx, place, { snapshot, base: other, asked });
    const { behind } = now;
    if (behind === null) return await withoutBase(ctx, site, fact, ticket);
    const back = await retracted(ctx, snapshot, now, ticket);
    if (back !== null) return heldRow(back);
    const { stashes } = snapshot.git;
    if (behind === 0) {
      const row = await besideRemote(
        ctx,
        updateRow(fact, { result: "up_to_date" }),
        snapshot,
        place.state,
      );
      // An update that could not give the changes back, as on a full disk, is completed by its repetition.
      return stash && stashes > 0 ? await returned(ctx, site, fact, row) : row;
    }
    const landed = skipIntegrated(snapshot, now, { ticket, state: place.state });
    if (landed !== null) return heldRow(landed);
    const cut = await skipShallow(ctx, snapshot, now);
    if (cut !== null) return heldRow(cut);
    const late = await behindOwn(ctx, { snapshot, state: place.state });
    if (late !== null) return heldRow(late);
    const ready = { repository, onLine, snapshot, stashes, files: trackedChanges(snapshot.git) };
    const row = await bringNews(ctx, site, fact, {
      ...ready,
      stash,
      now: { ...now, behind },
      transfers: sources?.transfers ?? null,
    });
    return await besideRemote(ctx, row, snapshot, place.state);
  });
}
