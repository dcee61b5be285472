/** `amof campaign push`: sends the commits of approved shapes to branches of their own (CAMP-7). */

import { foldingInput } from "../../contract/input.ts";
import { type ExecuteContext, mutation, type Result } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { table } from "../../base/text/table.ts";
import { count, few, shellWord } from "../../base/text/words.ts";
import { Forges } from "../../forge/mod.ts";
import { inPoolOf } from "../../workspace/mod.ts";
import { scopeManifest } from "../../workspace/tickets/mod.ts";
import { Turns } from "./ask.ts";
import { pullRequestLines } from "../outgoing/contents.ts";
import { CAMPAIGN_WORK, campaignInput } from "./declare.ts";
import { campaignsOf } from "./plan.ts";
import { isThere, type PushedRow, type Pushing, pushOne } from "./push_one.ts";
import type { Campaign, CampaignRow } from "./record.ts";
import { approvedShapes, isPushed, waitingLines } from "./view.ts";
import { shortSha } from "../../base/ids.ts";

const MOST_SHOWN = 30;

interface PushFacts {
  readonly campaign: string;
  readonly branch: string;
  readonly repos_affected: readonly string[];
  /** Exactly these commits are pushed, over exactly these. */
  readonly repos: readonly {
    readonly name: string;
    readonly commit: string;
    readonly base: string;
    readonly shape: string;
    /** The commit of this campaign that is there; null where the branch is new. */
    readonly over: string | null;
    /** The forge at which a pull request is opened; null where there is one, or none can be. */
    readonly opens: string | null;
  }[];
  /** How many more there are for a later push. */
  readonly later: number;
  /** Commits that nobody has approved. */
  readonly waiting: number;
}

interface PushData {
  readonly outcome: "success" | "partial" | "failed" | "nothing";
  readonly campaign: string;
  readonly branch: string;
  readonly repos: readonly PushedRow[];
  readonly later: number;
  /** Commits that nobody has approved. */
  readonly waiting: number;
}

/** The hosts of forges at which pull requests are missing, by the names of repositories. No process. */
async function unopened(
  forges: Forges,
  rows: Iterable<CampaignRow>,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const { repo, url, change } of rows) {
    const forge = change === undefined ? await forges.at(url) : null;
    if (forge !== null) found.set(repo, forge.slug.host);
  }
  return found;
}

/** What may be pushed and is not, or has no pull request: of approved shapes, of repositories that are still to be written to. */
function pushable(
  campaign: Campaign,
  rows: Iterable<CampaignRow>,
  { writable, opens }: {
    readonly writable: ReadonlySet<string>;
    readonly opens: ReadonlyMap<string, string>;
  },
): readonly CampaignRow[] {
  const approved = approvedShapes(campaign);
  return [...rows].filter((row) =>
    row.shape !== null && approved.has(row.shape) && writable.has(row.repo) &&
    (!isPushed(row) || opens.has(row.repo))
  ).toSorted((a, b) => a.repo.localeCompare(b.repo));
}

function conclude(facts: Omit<PushFacts, "repos">, repos: readonly PushedRow[]): Result<PushData> {
  const bad = repos.filter((row) => !isThere(row));
  const good = repos.length - bad.length;
  const { campaign, branch, later, waiting } = facts;
  const data: PushData = {
    outcome: repos.length === 0
      ? "nothing"
      : bad.length === 0
      ? "success"
      : good > 0
      ? "partial"
      : "failed",
    campaign,
    branch,
    repos,
    later,
    waiting,
  };
  if (bad.length === 0) return { data };
  return {
    data,
    failure: new AmofError(
      good > 0 ? "partial_failure" : "push_refused",
      `${good > 0 ? `Pushed ${good} of ${count(repos.length, "repo")};` : "Pushed nothing:"} ${
        few(
          bad.map(({ name, result, detail }) =>
            `${name} (${result.replaceAll("_", " ")}: ${cleanLine(detail, 100)})`
          ),
          3,
        )
      }`,
      {
        hint: bad.some(({ result }) => result === "moved")
          ? "Look at those branches on their remotes; they are never written over"
          : `Fix the cause, then repeat: amof campaign push ${shellWord(campaign)}`,
        details: { repos: bad },
      },
    ),
  };
}

async function pushAll(ctx: ExecuteContext, facts: PushFacts): Promise<readonly PushedRow[]> {
  const campaigns = campaignsOf(ctx);
  return await campaigns.alone(facts.campaign, async () => {
    const campaign = await campaigns.open(facts.campaign);
    const rows = await campaigns.rows(facts.campaign);
    const { noTouchPaths: noTouch, forges: hosts, review } = await scopeManifest(ctx);
    const turns = new Turns(ctx, [...rows.values()]);
    const forges = new Forges(ctx, hosts);
    const pushing: Pushing = { ctx, campaigns, campaign, turns, noTouch, forges, review };
    return await inPoolOf(
      { report: ctx.report, jobs: turns.jobs },
      "pushing",
      facts.repos,
      async (fact) => {
        const row = rows.get(fact.name);
        const stopped = { name: fact.name, commit: fact.commit, result: "failed" as const };
        if (ctx.signal.aborted) return { ...stopped, detail: "cancelled" };
        // A commit that another run has made since the preview was not agreed to.
        if (row?.commit !== fact.commit) {
          return { ...stopped, detail: "its commit is another one now" };
        }
        return await pushOne(pushing, row);
      },
    );
  });
}

/** `amof campaign push`. */
export const pushCampaign = mutation({
  ...CAMPAIGN_WORK,
  name: "amof_push_campaign",
  path: ["campaign", "push"],
  safety: "dangerous-write",
  confirm: "simple",
  asks: { deed: "push", will: "modify remote state" },
  runs: "campaign_push",
  title: "Push campaign",
  summary: "Push the commits of approved shapes to the branch of a campaign.",
  description:
    "A branch that is not there is made; one that this campaign has pushed is moved if nobody else has changed it since; any other is left as it is and told. Where the remote is at a forge, a pull request to the base branch is opened, with the message of the campaign. Nothing is pushed or opened twice: a push that was cut off goes on where it was. Hosts are asked no more often than they take.",
  instead: { force: "Branches that somebody else has changed are never written over" },
  examples: ["campaign push go-1.24", "campaign push go-1.24 --most 20"],
  input: (z) => ({
    ...campaignInput(z),
    most: z.int().min(1).optional().describe("Push at most so many repositories this time"),
    ...foldingInput(z),
  }),
  async preview(ctx, { campaign: name, most }) {
    const campaigns = campaignsOf(ctx);
    const campaign = await campaigns.open(name);
    const rows = await campaigns.rows(name);
    const manifest = await scopeManifest(ctx);
    const writable = new Set<string>(
      manifest.repos.filter((repo) => !repo.readonly).map((repo) => repo.name),
    );
    const opens = await unopened(new Forges(ctx, manifest.forges), rows.values());
    const all = pushable(campaign, rows.values(), { writable, opens });
    const going = all.slice(0, most);
    const approved = approvedShapes(campaign);
    const waiting = [...rows.values()].filter((row) =>
      row.commit !== null && !isPushed(row) && !(row.shape !== null && approved.has(row.shape))
    ).length;
    const facts: PushFacts = {
      campaign: campaign.name,
      branch: campaign.branch,
      repos_affected: going.map(({ repo }) =>
        repo
      ),
      repos: going.map(({ repo, commit, base, shape, pushed }) => ({
        name: repo,
        commit: commit ?? "",
        base: base ?? "",
        shape: shape ?? "",
        over: pushed?.commit ?? null,
        opens: opens.get(repo) ?? null,
      })),
      later: all.length - going.length,
      waiting,
    };
    const lines = facts.repos.map(({ name, commit, over, opens: host }) =>
      `${name}  ${shortSha(commit)} → ${cleanLine(campaign.branch, 60)} (${
        over === null ? "new branch" : over === commit ? "is there" : `over ${shortSha(over)}`
      }${host === null ? "" : `, pull request at ${host}`})`
    );
    return {
      facts,
      subject: { name: `campaign ${campaign.name}` },
      summary: going.length > 0
        ? `Would push ${count(going.length, "repo")} to ${cleanLine(campaign.branch, 30)}.`
        : waiting > 0
        ? "Would push nothing: nothing that is left is approved yet."
        : "Would push nothing: every commit is up to date.",
      effects: lines,
      details: [
        ...lines.slice(0, MOST_SHOWN),
        ...(lines.length > MOST_SHOWN ? [`… and ${lines.length - MOST_SHOWN} more`] : []),
        ...waitingLines(campaign.name, waiting),
      ],
      irreversible: "Others can fetch pushed commits at once; a revert leaves them in the history.",
      current: `${count(all.length, "approved commit")} not pushed, ${waiting} not approved`,
      alternatives: [`Look at the shapes first: amof campaign show ${shellWord(campaign.name)}`],
      ...(going.length === 0 ? { settled: conclude(facts, []) } : {}),
    };
  },
  undo: {
    irreversible: "what is pushed",
  },
  execute: async (ctx, _input, facts) => conclude(facts, await pushAll(ctx, facts)),
  render({ repos, campaign, branch, later, waiting }: PushData, { all }) {
    const bad = repos.filter((row) => !isThere(row));
    const good = repos.length - bad.length;
    const ordered = [...bad, ...repos.filter(isThere)];
    const shown = table(
      ["repo", "result", "commit", "detail"],
      ordered.map((row) => [
        `${isThere(row) ? "✓" : "✗"} ${row.name}`,
        row.result.replaceAll("_", " "),
        shortSha(row.commit),
        cleanLine(row.detail, 300),
      ]),
    );
    return {
      summary: repos.length === 0
        ? `Pushed nothing of ${cleanLine(campaign, 30)}: ${
          waiting > 0 ? "nothing that is left is approved yet" : "every commit is up to date"
        }.`
        : bad.length === 0
        ? `Pushed ${count(good, "repo")} to ${cleanLine(branch, 40)}.`
        : `Pushed ${good} of ${count(repos.length, "repo")}; ${
          cleanLine(bad[0]?.name ?? "", 30)
        } did not go.`,
      details: repos.length === 0 ? waitingLines(campaign, waiting) : [
        all === true ? shown : shown.folding(
          (at) => at >= bad.length,
          (at) => ordered[at]?.result.replaceAll("_", " ") ?? "",
        ),
        ...(later > 0 ? [`${later} more for a later push.`] : []),
        ...waitingLines(campaign, waiting),
        ...pullRequestLines(repos),
      ],
    };
  },
});
