/** Runs the program of a campaign on an engine and brings its commits home (CAMP-2, CAMP-4). */

import { dirname, join } from "@std/path";
import type { ExecuteContext } from "../../contract/mod.ts";
import { type ExecFacts, type ExecPlace, invocationOfFacts } from "../exec/invocation/facts.ts";
import { type Keeping, resumeOnEngine, runKeeping } from "../exec/engine/run.ts";
import type { OutputForm } from "../exec/invocation/output.ts";
import {
  Arrivals,
  shaOf,
  type ShardChange,
  Submissions,
  submittedItems,
} from "../../engine/mod.ts";
import { AmofError, toAmofError } from "../../base/error.ts";
import { type Files, timestamp } from "../../base/system/mod.ts";
import { shellWord } from "../../base/text/words.ts";
import { inspectPack, MOST_BYTES, type Shape } from "./arrive.ts";
import { askBranches, Turns } from "./ask.ts";
import { among, campaignsOf } from "./plan.ts";
import type { Campaign, CampaignRow, Campaigns, RowState } from "./record.ts";
import { inPool } from "../../base/async/pool.ts";
import type { ExecRow } from "../exec/invocation/answer.ts";
import { privateFiles } from "../../git/changing.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { sha256 } from "../../base/hash.ts";

// Brings home what the shards of a campaign have made, and writes down how each repository stands (CAMP-4).

/** A row of which nothing is known but what is on the remote branch because of the one before. */
function freshRow(
  { name, remote }: ExecPlace,
  before: CampaignRow | undefined,
): CampaignRow {
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
    pushed: before?.pushed ?? null,
    ...before?.sending === undefined ? {} : { sending: before.sending },
  };
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

/** Keeps a commit that was looked at: its pack, and an example of its shape. */
async function keep(
  files: Files,
  campaigns: Campaigns,
  name: string,
  { pack, shape }: { readonly pack: Uint8Array; readonly shape: Shape },
): Promise<string> {
  const hash = sha256(pack);
  const path = campaigns.pack(name, hash);
  await files.makeDirectory(dirname(path), { mode: 0o700 });
  await files.write(path, pack, { mode: 0o600 });
  const example = campaigns.shape(name, shape.hash);
  if (await files.stat(example) === null) {
    await files.makeDirectory(dirname(example), { mode: 0o700 });
    await files.write(example, JSON.stringify(shape), { mode: 0o600 });
  }
  return hash;
}

/** Brings home what shards have made. */
class Home {
  readonly #ctx: ExecuteContext;
  readonly #campaigns: Campaigns;
  readonly #campaign: Campaign;
  readonly #noTouch: readonly string[];
  readonly #arrivals: Arrivals;
  /** What became of what the program changed, by the names of repositories. */
  readonly #changes = new Map<string, ShardChange>();

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
    this.#arrivals = new Arrivals(ctx.system.files, campaigns.directory(campaign.name), MOST_BYTES);
  }

  /** Listens to shards. */
  get keeping(): Pick<Keeping, "line" | "end"> {
    return {
      line: (line) => this.#arrivals.take(line),
      end: ({ items }, names) => {
        for (const [at, { change }] of items) {
          if (change !== undefined) this.#changes.set(names[at] ?? "", change);
        }
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
    const turns = new Turns(ctx, facts.repos.flatMap(({ remote }) => remote ?? []));
    await inPool(ctx.jobs, rows, async (row) => {
      const place = places.get(row.name);
      if (place === undefined) return;
      const base = agreed.get(row.name) ?? null;
      const fresh = { ...freshRow(place, before.get(row.name)), base };
      const next = await this.#rowOf(row, fresh, turns);
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

  async #rowOf(row: ExecRow, fresh: CampaignRow, turns: Turns): Promise<CampaignRow> {
    const change = row.outcome === "ok" ? this.#changes.get(row.name) : undefined;
    if (change === undefined) {
      const detail = row.last_line ??
        (row.exit_code === null ? "" : `exit status ${row.exit_code}`);
      const state = STATES[row.outcome];
      const lost = row.outcome === "ok" ? "its shard told of no commit" : detail;
      return { ...fresh, state, detail: cleanLine(lost, 300) };
    }
    if (change.made === "nothing") {
      const known = await this.#sent(fresh, turns);
      return { ...known, state: known.pushed === null ? "unchanged" : "merged" };
    }
    if (change.made === "commits" || change.made === "unreadable") {
      return { ...fresh, state: "refused", detail: "its shard did something else than was agreed" };
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

  /**
   * The row with the answer of its remote about a commit that was being pushed when the push was ended. A
   * remote that hands the commit out has received it, whatever became of the branch since.
   */
  async #sent(row: CampaignRow, turns: Turns): Promise<CampaignRow> {
    const { sending, ...rest } = row;
    const commit = shaOf(sending ?? "");
    if (row.pushed !== null || commit === null) return row;
    try {
      const empty = privateFiles("clone", { like: commit, origin: row.url });
      return await this.#ctx.system.files.scratch(empty, async (directory) => {
        const place = join(directory, "clone");
        const there = await turns.ask(
          row.url,
          (git) => git.bare(place).remotes.fetchCommit(commit, { alone: true }),
        );
        if (!there) return row;
        return { ...rest, pushed: { commit, at: timestamp(this.#ctx.system.clock.now()) } };
      });
    } catch (error) {
      if (!(error instanceof AmofError)) throw error;
      return row;
    }
  }

  async #arrived(
    fresh: CampaignRow,
    change: { readonly commit: string; readonly sha256: string },
  ): Promise<CampaignRow> {
    const { pack, why } = await this.#arrivals.get(change.sha256);
    if (pack === null) {
      const detail = why === undefined
        ? "its commit did not arrive whole"
        : `its commit could not be kept: ${
          toAmofError(why, () => this.#ctx.system.ids.hex(8)).message
        }`;
      return { ...fresh, state: "lost", detail: cleanLine(detail, 300) };
    }
    const [base, commit] = [shaOf(fresh.base ?? ""), shaOf(change.commit)];
    if (base === null || commit === null) {
      return {
        ...fresh,
        state: "refused",
        detail: "its shard told of no commit that could be one",
      };
    }
    const { shape, files, held } = await inspectPack(this.#ctx, pack, {
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

/** What a run of a campaign is given. */
interface CampaignRun {
  readonly campaign: Campaign;
  readonly facts: ExecFacts;
  readonly noTouch: readonly string[];
  readonly output: OutputForm;
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
    absent.push({ ...freshRow(place, before.get(repo)), state: "unreachable", detail });
  }
  await campaigns.note(campaign.name, absent);
  const going = among(facts, facts.repos.filter(({ name }) => commits.has(name)));
  if (going.repos.length === 0) return;
  const now: Campaign = { ...campaign, run: ctx.runId };
  // After a crash the campaign goes on with this run and submits nothing a second time.
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
  const rows = await runKeeping(ctx, {
    invocation: invocationOfFacts(facts),
    facts: going,
    output,
    keeping,
  });
  await home.bring(going, rows);
}

/**
 * Goes on with a run whose process was ended. The caller holds the campaign. Throws `confirmation_stale` where nothing is
 * known of its array any more.
 */
export async function resumeRun(ctx: ExecuteContext, run: CampaignRun): Promise<void> {
  const { campaign, facts, noTouch, output } = run;
  const campaigns = campaignsOf(ctx);
  const submissions = new Submissions(ctx.system.files, ctx.layout);
  const record = campaign.run === null ? null : await submissions.get(campaign.run);
  if (record === null) {
    throw new AmofError("confirmation_stale", "Cannot go on with what is no longer known", {
      hint: `See what is left to do: amof campaign update ${shellWord(campaign.name)} --dry-run`,
    });
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
  const rows = await resumeOnEngine(ctx, {
    facts: went,
    record,
    items: items.map(({ repo }) => repo),
    output,
    keeping: home.keeping,
  });
  await home.bring(went, rows);
}
