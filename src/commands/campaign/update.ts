/**
 * `amof campaign update`: runs a campaign again where that can change anything, or goes on with a run that was cut off
 * (CAMP-9).
 */

import { type CommandContext, mutation, type Result } from "../../contract/mod.ts";
import { invocationOfFacts } from "../exec/invocation/facts.ts";
import { Submissions } from "../../engine/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, shellWord } from "../../base/text/words.ts";
import { requireApproved, shownLine } from "../../workspace/programs/mod.ts";
import { CAMPAIGN_RUN, campaignInput, outputInput } from "./declare.ts";
import { countsOf, GOOD, nothingRan, type RanData, ranResult, renderRan } from "./view.ts";
import { askBranches } from "./ask.ts";
import {
  among,
  type CampaignFacts,
  campaignsOf,
  type PlannedRun,
  planRun,
  runDetails,
} from "./plan.ts";
import type { Campaign, CampaignRow } from "./record.ts";
import { beginRun, resumeRun } from "./on_engine.ts";

interface UpdateFacts extends CampaignFacts {
  /** The run that is gone on with; null where another one begins. */
  readonly resumes: string | null;
  /** Why each repository is run again. */
  readonly why: readonly {
    readonly repo: string;
    readonly because: "new" | "not_done" | "base_moved";
    /** The commit of its base branch; null where it could not be asked. */
    readonly base: string | null;
  }[];
}

/** Which repositories are to be run again, and why. */
async function whyAgain(
  ctx: CommandContext,
  { facts }: PlannedRun,
  rows: ReadonlyMap<string, CampaignRow>,
): Promise<UpdateFacts["why"]> {
  const places = facts.repos.flatMap(({ name, remote }) =>
    remote === null ? [] : [{ repo: name as string, ...remote }]
  );
  const answers = await askBranches(ctx, places);
  return places.flatMap(({ repo }): UpdateFacts["why"] => {
    const row = rows.get(repo);
    const answer = answers.get(repo);
    const base = answer !== undefined && "commit" in answer ? answer.commit : null;
    if (row === undefined) return [{ repo, because: "new", base }];
    if (!GOOD.includes(row.state)) return [{ repo, because: "not_done", base }];
    return base === null || base === row.base ? [] : [{ repo, because: "base_moved", base }];
  });
}

async function factsOf(
  ctx: CommandContext,
  campaign: Campaign,
  plan: PlannedRun,
): Promise<UpdateFacts> {
  const { name, branch, message, author: { name: who, email } } = campaign;
  const rows = await campaignsOf(ctx).rows(name);
  // A run that ended before it submitted anything has nothing to resume.
  const submitted = campaign.run !== null &&
    await new Submissions(ctx.system.files, ctx.layout).get(campaign.run) !== null;
  const why = !submitted ? await whyAgain(ctx, plan, rows) : [];
  const again = new Set(why.map(({ repo }) => repo));
  return {
    name,
    branch,
    message,
    author: { name: who, email },
    exec: among(plan.facts, plan.facts.repos.filter((place) => again.has(place.name))),
    readonly: plan.readonly,
    resumes: submitted ? campaign.run : null,
    why,
  };
}

const BECAUSE = { new: "new", not_done: "no commit yet", base_moved: "its base moved" } as const;

/** `amof campaign update`. */
export const updateCampaign = mutation({
  ...CAMPAIGN_RUN,
  name: "amof_update_campaign",
  path: ["campaign", "update"],
  runs: "campaign_update",
  title: "Update campaign",
  summary: "Run a campaign again where repos are new, failed, or their base moved; pushes nothing.",
  description:
    "A run that was cut off is gone on with first: nothing is submitted twice. Approvals hold where the shape of the commit is the same; where nothing is left to change behind a pushed commit, it was merged. What was pushed is moved by the next campaign push, if nobody else has changed it.",
  examples: ["campaign update go-1.24"],
  input: (z) => ({
    ...campaignInput(z),
    ...outputInput(z),
  }),
  async preview(ctx, { campaign: name }) {
    const campaigns = campaignsOf(ctx);
    const campaign = await campaigns.open(name);
    const plan = await planRun(ctx, campaign.wish);
    const facts = await factsOf(ctx, campaign, plan);
    const { resumes, why } = facts;
    const line = cleanLine(shownLine(plan.invocation), 40);
    const counts = countsOf(campaign, [...(await campaigns.rows(name)).values()]);
    const nothing = nothingRan(campaign.name, campaign.branch, counts);
    return {
      facts,
      subject: { name: `campaign ${campaign.name}` },
      summary: resumes === null
        ? `Would run ${line} in ${count(why.length, "repo")}.`
        : `Would go on with run ${resumes.slice(0, 8)}.`,
      effects: [
        ...(resumes === null ? [] : [`Bring the commits of run ${resumes.slice(0, 8)} home`]),
        ...why.map(({ repo, because }) => `Run it in ${repo} (${BECAUSE[because]})`),
        ...(plan.refusal === null ? [] : [plan.refusal.message]),
      ],
      details: runDetails(ctx, facts, ctx.door === "cli" ? null : plan.approval),
      irreversible: "What the program does outside of its clones cannot be undone by amof.",
      current: resumes === null
        ? `${count(why.length, "repo")} new, without a commit, or with another base`
        : "its last run was cut off before everything was collected",
      alternatives: [`See how it stands: amof campaign status ${shellWord(campaign.name)}`],
      ...(plan.refusal !== null
        ? { settled: { data: nothing, failure: plan.refusal } }
        : resumes === null && why.length === 0
        ? { settled: { data: nothing } }
        : {}),
    };
  },
  undo: {
    irreversible: "what the program did outside of its clones",
  },
  async execute(ctx, { campaign: name, output = "group" }, facts): Promise<Result<RanData>> {
    await requireApproved(ctx, invocationOfFacts(facts.exec), facts.exec.hash);
    const campaigns = campaignsOf(ctx);
    await campaigns.alone(facts.name, async () => {
      const campaign = await campaigns.open(name);
      const plan = await planRun(ctx, campaign.wish);
      const { noTouchPaths: noTouch } = plan.manifest;
      const run = { campaign, noTouch, output };
      if (facts.resumes === null) await beginRun(ctx, { ...run, facts: facts.exec });
      else await resumeRun(ctx, { ...run, facts: plan.facts });
    });
    return await ranResult(ctx, facts.name);
  },
  render: (data: RanData) => renderRan(data),
});
