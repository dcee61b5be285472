/**
 * Runs the program of a campaign on an engine and brings its commits home (CAMP-2, CAMP-4).
 *
 * @module
 */

import { inPool } from "../async/pool.ts";
import type { CommandContext, ExecuteContext } from "../contract/mod.ts";
import {
  deedOfFacts,
  type ExecFacts,
  type ExecPlace,
  type ExecRow,
  type Keeping,
  type OutputForm,
  resumeFar,
  runKeeping,
} from "../ecosystem/mod.ts";
import {
  type ArrayEnd,
  Budgets,
  budgetsOf,
  type ItemEnd,
  type PlanItem,
  Submissions,
  submittedItems,
} from "../engine/mod.ts";
import { AmofError } from "../error.ts";
import type { Sha } from "../ids.ts";
import { timestamp } from "../system/mod.ts";
import { cleanLine } from "../text/sanitize.ts";
import { Arrivals, keep, lookAt, MOST_BYTES, shaOf } from "./arrive.ts";
import { among, campaignsOf } from "./plan.ts";
import type { Campaign, CampaignRow, Campaigns, RowState } from "./record.ts";

/** What a run of a campaign is given. */
export interface CampaignRun {
  readonly campaign: Campaign;
  readonly facts: ExecFacts;
  readonly noTouch: readonly string[];
  readonly output: OutputForm;
}

/** A repository of which nothing is known yet. */
function freshRow({ name, remote }: ExecPlace): CampaignRow {
  return {
    repo: name,
    url: remote?.url ?? "",
    base_branch: remote?.branch ?? "",
    base: null,
    state: "lost",
    detail: "",
    commit: null,
    shape: null,
    files: 0,
    pack: null,
    pushed: null,
  };
}

/** Hands out turns to ask hosts, of this one process. */
export function turnsFor(ctx: CommandContext, items: readonly PlanItem[]): {
  readonly jobs: number;
  readonly budgets: Budgets;
} {
  const { parallel: jobs } = budgetsOf(items, { parallel: ctx.jobs }, ctx.settings);
  const { budgets } = budgetsOf(items, { parallel: 1 }, ctx.settings);
  return {
    jobs,
    budgets: new Budgets(budgets, {
      clock: ctx.system.clock,
      signal: ctx.signal,
      chance: () => Number.parseInt(ctx.system.ids.hex(4), 16) / 0xffff,
    }),
  };
}

/** What a remote answered: the commit of a branch, null where there is none, or why it could not be asked. */
export type Answer = { readonly commit: Sha | null } | { readonly why: string };

/** Asks remotes for one branch of each, in turns; answers by the names of repositories. */
export async function askBranches(
  ctx: CommandContext,
  asked: readonly { readonly repo: string; readonly url: string; readonly branch: string }[],
): Promise<ReadonlyMap<string, Answer>> {
  const items = asked.map((one) => ({ ...one, commit: null }));
  const { jobs, budgets } = turnsFor(ctx, items);
  const { remoteRefs } = ctx.git.at(ctx.root);
  const answers = new Map<string, Answer>();
  await inPool(jobs, items, async ({ repo, url, branch }) => {
    try {
      const commit = await budgets.turn(url, () => remoteRefs.branch(url, branch));
      answers.set(repo, { commit });
    } catch (error) {
      if (!(error instanceof AmofError)) throw error;
      answers.set(repo, { why: error.message });
    }
  });
  return answers;
}

/** Begins a run over the repositories of its facts, and brings it to its end. The caller holds the campaign. */
export async function beginRun(ctx: ExecuteContext, run: CampaignRun): Promise<void> {
  const { campaign, facts, noTouch, output } = run;
  if (ctx.runId === null) throw new TypeError("Cannot run a campaign without a run");
  const campaigns = campaignsOf(ctx);
  const places = facts.repos.flatMap((place) =>
    place.remote === null ? [] : [{ place, repo: place.name as string, ...place.remote }]
  );
  const answers = await askBranches(ctx, places);
  const before = await campaigns.rows(campaign.name);
  const commits = new Map<string, string>();
  const absent: CampaignRow[] = [];
  for (const { place, repo, branch } of places) {
    const answer = answers.get(repo);
    if (answer !== undefined && "commit" in answer && answer.commit !== null) {
      commits.set(repo, answer.commit);
      continue;
    }
    const detail = answer !== undefined && "why" in answer
      ? answer.why
      : `its remote has no branch ${branch}`;
    const pushed = before.get(repo)?.pushed ?? null;
    absent.push({ ...freshRow(place), state: "unreachable", detail, pushed });
  }
  await campaigns.note(campaign.name, absent);
  const going = among(facts, facts.repos.filter(({ name }) => commits.has(name)));
  if (going.repos.length === 0) return;
  const now: Campaign = { ...campaign, run: ctx.runId };
  // Whoever comes after a crash goes on with this run, and begins nothing again.
  await campaigns.put(now);
  const home = new Home(ctx, campaigns, now, noTouch);
  const keeping: Keeping = {
    ...home.keeping,
    commits,
    action: (program) => ({
      kind: "commit",
      ...program,
      author: campaign.author,
      message: campaign.message,
      no_touch: noTouch,
      most_bytes: MOST_BYTES,
    }),
  };
  const rows = await runKeeping(ctx, { deed: deedOfFacts(facts), facts: going, output, keeping });
  await home.bring(going, rows);
}

/** Goes on with a run whose process was ended; false where its array was never submitted. The caller holds the campaign. */
export async function resumeRun(ctx: ExecuteContext, run: CampaignRun): Promise<boolean> {
  const { campaign, facts, noTouch, output } = run;
  const campaigns = campaignsOf(ctx);
  const submissions = new Submissions(ctx.system.files, ctx.layout);
  const record = campaign.run === null ? null : await submissions.get(campaign.run);
  if (record === null) {
    await campaigns.put({ ...campaign, run: null });
    return false;
  }
  const items = submittedItems(await submissions.plan(record.run));
  const known = new Map(facts.repos.map((place) => [place.name as string, place]));
  // A repository can have left the manifest meanwhile.
  const places = items.map(({ repo, url, branch }): ExecPlace => ({
    name: repo,
    directory: "",
    workspace: "",
    layer: null,
    cloned: true,
    untrusted: [],
    ...known.get(repo),
    remote: { url, branch },
  }));
  const went = among(facts, places);
  const home = new Home(ctx, campaigns, campaign, noTouch);
  const rows = await resumeFar(ctx, {
    facts: went,
    record,
    items: items.map(({ repo }) => repo),
    output,
    keeping: home.keeping,
  });
  await home.bring(went, rows);
  return true;
}

/** How an outcome of the program stands in a campaign where it changed nothing that came home. */
const STATES: Readonly<Record<ExecRow["outcome"], RowState>> = {
  ok: "lost",
  failed: "failed",
  timed_out: "timed_out",
  cancelled: "cancelled",
  not_started: "lost",
  refused: "refused",
  unreachable: "unreachable",
  deferred: "unreachable",
  out_of_memory: "failed",
  evicted: "lost",
  node_lost: "lost",
  unknown: "lost",
};

/** Brings home what shards have made. */
class Home {
  readonly #ctx: ExecuteContext;
  readonly #campaigns: Campaigns;
  readonly #campaign: Campaign;
  readonly #noTouch: readonly string[];
  readonly #arrivals: Arrivals;
  readonly #ends = new Map<string, ItemEnd>();

  constructor(
    ctx: ExecuteContext,
    campaigns: Campaigns,
    campaign: Campaign,
    noTouch: readonly string[],
  ) {
    this.#ctx = ctx;
    this.#campaigns = campaigns;
    this.#campaign = campaign;
    this.#noTouch = noTouch;
    this.#arrivals = new Arrivals(ctx.system.files, campaigns.directory(campaign.name));
  }

  /** Listens to shards. */
  get keeping() {
    return {
      line: (line: Parameters<Arrivals["take"]>[0]) => this.#arrivals.take(line),
      end: ({ items }: ArrayEnd, names: readonly string[]) => {
        for (const [at, end] of items) this.#ends.set(names[at] ?? "", end);
      },
    };
  }

  /** Looks at everything that has come, and writes down how each repository stands. */
  async bring(facts: ExecFacts, rows: readonly ExecRow[]): Promise<void> {
    const ctx = this.#ctx;
    const { name } = this.#campaign;
    const { run } = this.#campaign;
    const text = await new Submissions(ctx.system.files, ctx.layout).plan(run ?? "");
    const agreed = new Map(submittedItems(text).map((item) => [item.repo, item.commit]));
    const before = await this.#campaigns.rows(name);
    const places = new Map(facts.repos.map((place) => [place.name as string, place]));
    await inPool(ctx.jobs, rows, async (row) => {
      const place = places.get(row.name);
      if (place === undefined) return;
      const pushed = before.get(row.name)?.pushed ?? null;
      const base = agreed.get(row.name) ?? null;
      const next = await this.#rowOf(row, { ...freshRow(place), base, pushed });
      await this.#campaigns.note(name, [next]);
      if (next.detail !== "") {
        ctx.report.log("warn", `${row.name}: ${cleanLine(next.detail, 300)}`, {
          type: "repo",
          payload: { repo: row.name, state: next.state },
        });
      }
    });
    const { run: _over, ...rest } = await this.#campaigns.get(name);
    await this.#campaigns.put({ ...rest, run: null });
    await this.#arrivals.clear();
  }

  async #rowOf(row: ExecRow, fresh: CampaignRow): Promise<CampaignRow> {
    const change = row.outcome === "ok" ? this.#ends.get(row.name)?.change : undefined;
    if (change === undefined) {
      const detail = row.last_line ??
        (row.exit_code === null ? "" : `exit status ${row.exit_code}`);
      const state = STATES[row.outcome];
      const lost = row.outcome === "ok" ? "its shard told of no commit" : detail;
      return { ...fresh, state, detail: cleanLine(lost, 300) };
    }
    if (change.made === "nothing") {
      return { ...fresh, state: fresh.pushed === null ? "unchanged" : "merged" };
    }
    if (change.made !== "commit") {
      return { ...fresh, state: change.made, detail: cleanLine(change.why, 300) };
    }
    try {
      return await this.#arrived(fresh, change);
    } catch (error) {
      if (!(error instanceof AmofError)) throw error;
      return { ...fresh, state: "refused", detail: cleanLine(error.message, 300) };
    }
  }

  async #arrived(
    fresh: CampaignRow,
    change: { readonly commit: string; readonly sha256: string },
  ): Promise<CampaignRow> {
    const pack = await this.#arrivals.get(change.sha256);
    if (pack === null) {
      return { ...fresh, state: "lost", detail: "its commit did not arrive whole" };
    }
    const [base, commit] = [shaOf(fresh.base ?? ""), shaOf(change.commit)];
    if (base === null || commit === null) {
      return {
        ...fresh,
        state: "refused",
        detail: "its shard told of no commit that could be one",
      };
    }
    const { shape, files, held } = await lookAt(this.#ctx, pack, {
      campaign: this.#campaign,
      base,
      commit,
      noTouch: this.#noTouch,
    });
    if (held !== null) return { ...fresh, state: "held_back", detail: held };
    const hash = await keep(this.#ctx.system.files, this.#campaigns, this.#campaign.name, {
      pack,
      shape,
    });
    return { ...fresh, state: "changed", commit, shape: shape.hash, files, pack: hash };
  }
}

/** The moment that commits of a campaign are from, in seconds since the epoch, and as text. */
export function moment(ctx: ExecuteContext): { readonly at: number; readonly created: string } {
  const now = ctx.system.clock.now();
  return { at: Math.floor(now / 1_000), created: timestamp(now) };
}
