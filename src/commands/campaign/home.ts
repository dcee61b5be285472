/** Brings home what the shards of a campaign have made, and writes down how each repository stands (CAMP-4). */

import { join } from "@std/path";
import { inPool } from "../../base/async/pool.ts";
import type { ExecuteContext } from "../../contract/mod.ts";
import type { ExecFacts, ExecPlace } from "../exec/facts.ts";
import type { ExecRow } from "../exec/row.ts";
import type { Keeping } from "../exec/engine/run.ts";
import {
  Arrivals,
  shaOf,
  type ShardChange,
  Submissions,
  submittedItems,
} from "../../engine/mod.ts";
import { AmofError, toAmofError } from "../../base/error.ts";
import { privateFiles } from "../../git/changing.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { timestamp } from "../../base/system/mod.ts";
import { inspectPack, keep, MOST_BYTES } from "./arrive.ts";
import { Turns } from "./ask.ts";
import type { Campaign, CampaignRow, Campaigns, RowState } from "./record.ts";

/** A row of which nothing is known but what is on the remote branch because of the one before. */
export function freshRow(
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

/** Brings home what shards have made. */
export class Home {
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
   * The row with what its remote says of a commit that was on its way when a push was ended: who hands it out was
   * sent it, whatever became of the branch since.
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
