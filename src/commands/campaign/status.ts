/** `amof campaign status`: how campaigns stand, and how far they are pushed (CAMP-8). */

import { inPool } from "../../base/async/pool.ts";
import { foldingInput } from "../../contract/input.ts";
import { type CommandContext, query } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { blocks, type Part } from "../../base/text/parts.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { table } from "../../base/text/table.ts";
import { count } from "../../base/text/words.ts";
import { Turns } from "./ask.ts";
import { CAMPAIGN } from "./declare.ts";
import { campaignsOf } from "./plan.ts";
import { type Campaign, type CampaignRow, ownCommits } from "./record.ts";
import { type Counts, countsOf, isPushed } from "./view.ts";
import { shortSha } from "../../base/ids.ts";

/** How the branch of a campaign stands on a remote: as it was pushed, changed by somebody, gone, or not to be asked. */
type Remote = "ours" | "moved" | "gone" | "unreachable";

interface StatusRepo extends Pick<CampaignRow, "repo" | "state" | "detail" | "commit" | "shape"> {
  readonly pushed: boolean;
  /** Null where remotes were not asked, or nothing was pushed there. */
  readonly remote: Remote | null;
}

interface CampaignStatus extends Counts {
  readonly name: string;
  readonly state: Campaign["state"];
  readonly branch: string;
  readonly created: string;
  /** The run whose commits have not all come home; null where none is under way. */
  readonly run_id: string | null;
  /** How many branches are on their remotes no more; null where remotes were not asked. */
  readonly gone: number | null;
}

interface StatusData {
  readonly campaigns: readonly CampaignStatus[];
  /** Those of the campaign that was named; none where none was. */
  readonly repos: readonly StatusRepo[];
}

async function remoteOf(turns: Turns, branch: string, row: CampaignRow): Promise<Remote | null> {
  const own = ownCommits(row);
  if (own.length === 0) return null;
  try {
    const there = await turns.branch(row.url, branch);
    // A commit that was about to be sent may never have arrived.
    if (there === null) return row.pushed === null ? null : "gone";
    return own.includes(there) ? "ours" : "moved";
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    return "unreachable";
  }
}

async function statusOf(
  ctx: CommandContext,
  campaign: Campaign,
  remotes: boolean,
): Promise<{ readonly status: CampaignStatus; readonly repos: readonly StatusRepo[] }> {
  const rows = [...(await campaignsOf(ctx).rows(campaign.name)).values()]
    .toSorted((a, b) => a.repo.localeCompare(b.repo));
  const turns = new Turns(ctx, rows);
  const repos = await inPool(
    remotes ? turns.jobs : ctx.jobs,
    rows,
    async (row): Promise<StatusRepo> => ({
      repo: row.repo,
      state: row.state,
      detail: row.detail,
      commit: row.commit,
      shape: row.shape,
      pushed: isPushed(row),
      remote: remotes ? await remoteOf(turns, campaign.branch, row) : null,
    }),
  );
  const { name, state, branch, created, run } = campaign;
  const gone = remotes ? repos.filter(({ remote }) => remote === "gone").length : null;
  return {
    status: { name, state, branch, created, run_id: run, gone, ...countsOf(campaign, rows) },
    repos,
  };
}

/** What is fine about a repository, in a word or two; null where a person should look at it. */
function fineness({ state, commit, pushed, remote }: StatusRepo): string | null {
  if (remote !== null && remote !== "ours") return null;
  if (state === "changed" && commit !== null) return pushed ? "pushed" : "not pushed";
  return state === "unchanged" || state === "merged" ? state : null;
}

function repoTable(repos: readonly StatusRepo[], all: boolean): Part {
  const fine = repos.map(fineness);
  const shown = table(
    ["repo", "state", "commit", "pushed", "detail"],
    repos.map((row) => [
      row.repo,
      row.state.replaceAll("_", " "),
      shortSha(row.commit),
      row.remote !== null && row.remote !== "ours"
        ? row.remote
        : row.pushed
        ? "yes"
        : row.commit === null
        ? ""
        : "no",
      cleanLine(row.detail, 120),
    ]),
  );
  return all ? shown : shown.folding((at) => fine[at] !== null, (at) => fine[at] ?? "");
}

/** The command. */
export const campaignStatus = query({
  ...CAMPAIGN,
  name: "amof_get_campaign_status",
  path: ["campaign", "status"],
  openWorld: true,
  title: "Campaign status",
  summary: "How campaigns stand: repos changed, approved, pushed and merged.",
  description:
    "What is told is what is known here; with --remotes the branches that were pushed are looked at. A branch that is gone was merged or closed: campaign update tells which, because where nothing is left to change it was merged.",
  examples: ["campaign status", "campaign status go-1.24 --remotes"],
  fields: ["campaigns.name", "campaigns.changed", "campaigns.approved", "campaigns.pushed"],
  input: (z) => ({
    campaign: z.string().optional().describe("Only this one, with its repositories"),
    remotes: z.boolean().default(false).describe("Ask the remotes for the branches"),
    ...foldingInput(z),
  }),
  async run(ctx, { campaign: name, remotes }) {
    const campaigns = campaignsOf(ctx);
    const all = name === undefined ? await campaigns.list() : [await campaigns.get(name)];
    const found = [];
    for (const one of all) found.push(await statusOf(ctx, one, remotes));
    return {
      data: {
        campaigns: found.map(({ status }) => status),
        repos: name === undefined ? [] : found.flatMap(({ repos }) => repos),
      },
    };
  },
  render({ campaigns, repos }: StatusData, { campaign, all }, say) {
    if (campaigns.length === 0) return { summary: "Found no campaigns." };
    const [only] = campaigns;
    return {
      summary: campaign !== undefined && only !== undefined
        ? `Campaign ${
          cleanLine(only.name, 20)
        }: ${only.pushed} pushed, ${only.approved} approved of ${only.changed}.`
        : `Found ${count(campaigns.length, "campaign")}.`,
      details: blocks(
        table(
          [
            "campaign",
            "state",
            "repos",
            "changed",
            "approved",
            "pushed",
            "merged",
            "held",
            "failed",
            "begun",
          ],
          campaigns.map((one) => [
            cleanLine(one.name, 64),
            one.run_id === null ? one.state : "running",
            one.repos,
            one.changed,
            one.approved,
            one.pushed,
            one.merged,
            one.held_back,
            one.failed,
            say.time(one.created),
          ]),
        ),
        repos.length === 0 ? null : repoTable(repos, all ?? false),
      ),
    };
  },
});
