/** Carries an update out in all repositories. */

import { inPool } from "../../../base/async/pool.ts";
import type { ExecuteContext } from "../../../contract/mod.ts";
import type { JournalStep } from "../../../state/store/mod.ts";
import {
  borrowing,
  bringLateSubmodules,
  rememberMerged,
  Transfers,
  withSubmodules,
} from "../../../workspace/clones/changing.ts";
import { RepoCounter } from "../../../workspace/mod.ts";
import { directoriesOf, type TicketPlace, ticketPlace } from "../preflight.ts";
import type { UpdateFacts, UpdateInput } from "./facts.ts";
import { giveBack, repairUpdate, returnKept } from "../steps/update_kept.ts";
import { updateOne } from "./one.ts";
import { stashName } from "../../../workspace/tickets/mod.ts";
import {
  changed,
  guarded,
  heldRow,
  keptOf,
  type Site,
  type UpdateRow,
  updateRow,
  withBrought,
  withGiven,
} from "./row.ts";
import type { Middle, OnLine, Repository } from "../../../git/mod.ts";
import { Snapshots, stashSubject } from "../../../git/snapshot/mod.ts";
import { count, shellWord } from "../../../base/text/words.ts";
import { Joining } from "../../../git/write/mod.ts";
import { sha } from "../../../base/ids.ts";
import type { MiddleFact } from "./middle.ts";

/** Goes back to before an update, if that is wanted, and gives the work back that stood aside. */
async function settleKept(
  ctx: ExecuteContext,
  site: Site,
  fact: MiddleFact,
  repository: Repository,
): Promise<UpdateRow> {
  const entry = await repository.stashes.find(site.kept, fact.branch);
  const { head, branch } = await repository.status();
  if (entry?.commit !== fact.kept || head !== fact.head || branch !== fact.branch) {
    throw changed(fact.name);
  }
  if (fact.back_to !== null) {
    await repository.branches.putAt(
      branch,
      sha(fact.back_to),
      fact.head === null ? null : sha(fact.head),
    );
  }
  return withGiven(
    updateRow(fact, {
      result: fact.back_to === null ? "given_back" : "taken_back",
      detail: fact.back_to === null ? "" : "the update is undone",
    }),
    await giveBack({ ...ctx, git: ctx.git.until() }, keptOf(site, fact.branch)),
    site,
  );
}

/**
 * Goes back to before; what somebody has done since it stopped is kept as a stash. Answers what is said of that, and how
 * it is got back: a rebase was on other commits, with which it may not go together.
 */
async function goBack(
  ctx: ExecuteContext,
  { repo, directory }: Site,
  { doing, branch }: MiddleFact & { readonly doing: Middle["doing"] },
  onLine: OnLine,
): Promise<Pick<UpdateRow, "detail" | "fix">> {
  const repository = ctx.git.at(directory, repo.name);
  const joining = repository.part(Joining);
  const kept = await joining.changedSince(doing);
  const name = `changed before its ${doing} was taken back`;
  const [id, at] = [ctx.system.ids.hex(16), ctx.system.clock.now()];
  const snapshots = repository.part(Snapshots);
  const taken = kept.size === 0 ? null : await snapshots.take({ id, branch, name, at }, kept);
  if (taken !== null) {
    const subject = stashSubject({ branch, name });
    const [newest] = await repository.stashes.list();
    // Where going back was cut off behind it, all of that is kept already.
    const isKept = newest?.subject === subject && await snapshots.holds(newest.commit, taken.view);
    if (!isKept) await repository.stashes.store(taken.commit, subject);
  }
  await joining.abort(doing, { onLine, kept });
  const git = `git -C ${shellWord(directory)} stash`;
  const detail = `the ${doing} is undone`;
  return taken === null ? { detail, fix: null } : {
    detail: `${detail}; what was done since in ${count(kept.size, "file")} is kept as a stash`,
    fix: `see it: ${git} show --patch${doing === "merge" ? `\nbring it back: ${git} pop` : ""}`,
  };
}

/** Goes on behind conflicts; answers how many submodules came along. */
async function goOn(
  ctx: ExecuteContext,
  { repo, directory }: Site,
  doing: Middle["doing"],
  onLine: OnLine,
): Promise<number> {
  const joining = ctx.git.at(directory, repo.name).part(Joining);
  const settled = await withSubmodules(
    ctx,
    { repo: repo.name, directory },
    () => joining.goOn(doing, onLine),
  );
  const transfers = new Transfers(ctx.transfers);
  return settled + await bringLateSubmodules(ctx, transfers, { repo, directory });
}

/** Goes on behind conflicts, or back to before. Never throws: what failed is in the row. */
function settleOne(
  ctx: ExecuteContext,
  site: Site,
  fact: MiddleFact,
  step: "continue" | "abort",
): Promise<UpdateRow> {
  return guarded(ctx, site, fact.branch, async (repository, onLine) => {
    const { doing } = fact;
    if (doing === "return") return await settleKept(ctx, site, fact, repository);
    const middle = await repository.part(Joining).middle();
    if (middle?.doing !== fact.doing) throw changed(fact.name);
    const told = step === "abort"
      ? await goBack(ctx, site, { ...fact, doing }, onLine)
      : { detail: `the ${doing} is complete` };
    const brought = step === "abort" ? 0 : await goOn(ctx, site, doing, onLine);
    const result = step === "abort" ? "taken_back" : "updated";
    const row = withBrought(updateRow(fact, { result, how: doing, ...told }), brought);
    return fact.kept === null ? row : withGiven(
      row,
      await giveBack({ ...ctx, git: ctx.git.until() }, keptOf(site, fact.branch)),
      site,
    );
  });
}

/** The steps that tidy up where the work is cut off, last first: what stood aside comes back when all else is done. */
function repairSteps(facts: UpdateFacts, directories: (repo: string) => string, stash: boolean) {
  const kept = stashName(facts.ticket_id);
  // What is not checked out changes no file, and moves in one step.
  const here = facts.repos.filter(({ apart }) => !apart);
  const aside = [
    ...(stash ? here.map(({ name, branch }) => ({ name, branch, other: null })) : []),
    ...facts.waiting.filter((fact) => fact.kept !== null)
      .map(({ name, branch, back_to: other }) => ({ name, branch, other })),
  ];
  return [
    ...aside.map(({ name, branch, other }) =>
      returnKept.step({ repo: name, directory: directories(name), branch, name: kept, other })
    ),
    ...here.map(({ name, head, remote_base }) =>
      repairUpdate.step({
        repo: name,
        directory: directories(name),
        head,
        ref: `refs/remotes/${remote_base}`,
      })
    ),
    ...facts.waiting.map(({ name }) =>
      // Nothing needs mending there: git keeps its note until the update is finished.
      repairUpdate.step({ repo: name, directory: directories(name), head: "", ref: "" })
    ),
  ];
}

/** What working on a repository by its name needs; `steps` are those that tidy up. */
function siteIn(
  place: TicketPlace,
  directories: (repo: string) => string,
  facts: UpdateFacts,
  steps: readonly JournalStep[],
): (name: string, later: (step: JournalStep) => void) => Site {
  return (name, later) => {
    const repo = place.manifest.repos.find((entry) => entry.name === name);
    if (repo === undefined) throw new TypeError(`Nobody knows the repository "${name}"`);
    return {
      place,
      repo,
      directory: directories(name),
      kept: stashName(facts.ticket_id),
      later: () => steps.filter(({ args }) => args["repo"] === name).forEach(later),
    };
  };
}

/** Updates the repositories, or leads them on or back; answers their rows in the order of the manifest. */
export async function updateAll(
  ctx: ExecuteContext,
  input: UpdateInput,
  facts: UpdateFacts,
): Promise<UpdateRow[]> {
  const place = await ticketPlace(ctx);
  const directories = await directoriesOf(ctx, place);
  const steps = repairSteps(facts, directories, input.stash);
  const site = siteIn(place, directories, facts, steps);
  const { step } = input;
  const total = facts.repos.length + facts.waiting.length;
  const tally = new RepoCounter(ctx.report, "updating", total);
  const sources = input.offline ? null : {
    transfers: new Transfers(ctx.transfers),
    tally,
    // An update always fetches; calls that ask at the same time share the transfer.
    fresh: 0,
    bases: await borrowing(ctx),
  };
  const told = async (name: string, work: () => Promise<UpdateRow>) => {
    tally.begin(name);
    try {
      return await work();
    } finally {
      tally.end(name);
    }
  };
  const rows = await ctx.watchOver(steps, async (later) => [
    // Transfers are limited by host and in all; the pool only bounds how many wait.
    ...await inPool(
      64,
      facts.repos,
      (fact) =>
        told(
          fact.name,
          () =>
            updateOne(ctx, site(fact.name, later), fact, {
              sources,
              asked: input.how,
              ticket: facts.ticket_id,
              stash: input.stash,
            }),
        ),
    ),
    ...step === undefined
      ? []
      : await inPool(ctx.jobs, facts.waiting, (fact) =>
        told(fact.name, () =>
          settleOne(ctx, site(fact.name, later), fact, step))),
  ]);
  const { manifest, workspace } = place;
  const fetched = manifest.repos.filter(({ name }) =>
    facts.repos.some((fact) => fact.name === name)
  );
  if (sources !== null) {
    const remembering = {
      workspace: workspace.directory,
      workspaceBranch: manifest.workspaceBranch,
    };
    await rememberMerged(ctx, remembering, fetched);
  }
  const all = [...rows, ...facts.held.map(heldRow)];
  return manifest.repos.flatMap(({ name }) => all.filter((row) => row.name === name));
}
