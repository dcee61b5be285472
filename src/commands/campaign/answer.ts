/** What is answered about a run of a campaign. */

import type { CommandContext, Rendered, Result } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { blocks, type Details } from "../../base/text/parts.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, few, shellWord } from "../../base/text/words.ts";
import { campaignsOf } from "./plan.ts";
import type { CampaignRow, RowState } from "./record.ts";
import {
  type Counts,
  countsOf,
  countsText,
  shapesOf,
  shapeTable,
  type ShapeView,
  waitingLines,
} from "./view.ts";
import { table } from "../../base/text/table.ts";

/** The answer: how all repositories stand, and the shapes of their commits. */
export interface RanData {
  readonly outcome: "success" | "partial" | "failed" | "cancelled" | "nothing";
  readonly campaign: string;
  readonly branch: string;
  readonly counts: Counts;
  readonly repos: readonly CampaignRow[];
  readonly shapes: readonly ShapeView[];
}

const NONE: Counts = {
  repos: 0,
  changed: 0,
  approved: 0,
  pushed: 0,
  merged: 0,
  unchanged: 0,
  held_back: 0,
  failed: 0,
};

/** The answer where nothing was run. */
export function nothingRan(campaign: string, branch: string, counts = NONE): RanData {
  return { outcome: "nothing", campaign, branch, counts, repos: [], shapes: [] };
}

const GOOD: readonly RowState[] = ["changed", "unchanged", "merged"];

/** Puts together how a run ended. */
export async function ranResult(ctx: CommandContext, name: string): Promise<Result<RanData>> {
  const campaigns = campaignsOf(ctx);
  const campaign = await campaigns.get(name);
  const repos = [...(await campaigns.rows(name)).values()].toSorted((a, b) =>
    a.repo.localeCompare(b.repo)
  );
  const bad = repos.filter(({ state }) => !GOOD.includes(state));
  const shapes = await shapesOf(ctx.system.files, campaigns, campaign, repos);
  const outcome = bad.length === 0
    ? "success"
    : ctx.signal.aborted
    ? "cancelled"
    : bad.length < repos.length
    ? "partial"
    : "failed";
  const data: RanData = {
    outcome,
    campaign: name,
    branch: campaign.branch,
    counts: countsOf(campaign, repos),
    repos,
    shapes,
  };
  if (bad.length === 0) return { data };
  const code = { cancelled: "cancelled", partial: "partial_failure", failed: "subprocess_failed" }[
    outcome === "success" ? "partial" : outcome
  ] as "cancelled" | "partial_failure" | "subprocess_failed";
  return {
    data,
    failure: new AmofError(
      code,
      `Campaign "${name}" has no commit of ${bad.length} of ${count(repos.length, "repo")}: ${
        few(
          bad.map(({ repo, state, detail }) =>
            `${repo} (${state.replaceAll("_", " ")}${
              detail === "" ? "" : `: ${cleanLine(detail, 80)}`
            })`
          ),
          3,
        )
      }`,
      {
        hint: `Run it again there: amof campaign update ${shellWord(name)}`,
        details: { repos: bad.map(({ repo: name, state, detail }) => ({ name, state, detail })) },
      },
    ),
  };
}

/** Repositories without a commit that should have one, with why. */
function troubleTable(rows: readonly CampaignRow[]): Details | null {
  const bad = rows.filter(({ state }) =>
    state !== "changed" && state !== "unchanged" && state !== "merged"
  );
  if (bad.length === 0) return null;
  return table(
    ["repo", "result", "why"],
    bad.map(({ repo, state, detail }) => [
      `✗ ${repo}`,
      state.replaceAll("_", " "),
      cleanLine(detail, 200),
    ]),
  );
}

/** Says how a run ended: problems first, then shapes. */
export function renderRan({ outcome, campaign, counts, repos, shapes }: RanData): Rendered {
  const name = cleanLine(campaign, 30);
  if (outcome === "nothing") {
    return {
      summary: `Ran nothing: no repo of ${name} is new, failed, or has another base.`,
      details: waitingLines(campaign, counts.changed - counts.approved),
    };
  }
  return {
    summary: `Ran ${name}: ${countsText(counts)}.`,
    details: blocks(troubleTable(repos), shapeTable(shapes)),
  };
}
