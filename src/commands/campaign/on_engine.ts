/** Runs the program of a campaign on an engine and brings its commits home (CAMP-2, CAMP-4). */

import type { ExecuteContext } from "../../contract/mod.ts";
import { type ExecFacts, type ExecPlace, invocationOfFacts } from "../exec/facts.ts";
import { type Keeping, resumeFar, runKeeping } from "../exec/engine/run.ts";
import type { OutputForm } from "../exec/output.ts";
import { Submissions, submittedItems } from "../../engine/mod.ts";
import { AmofError } from "../../base/error.ts";
import { timestamp } from "../../base/system/mod.ts";
import { shellWord } from "../../base/text/words.ts";
import { MOST_BYTES } from "./arrive.ts";
import { askBranches } from "./ask.ts";
import { freshRow, Home } from "./home.ts";
import { among, campaignsOf } from "./plan.ts";
import type { Campaign, CampaignRow } from "./record.ts";

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
  const rows = await resumeFar(ctx, {
    facts: went,
    record,
    items: items.map(({ repo }) => repo),
    output,
    keeping: home.keeping,
  });
  await home.bring(went, rows);
}

/** The moment that commits of a campaign are from, in seconds since the epoch, and as text. */
export function moment(ctx: ExecuteContext): { readonly at: number; readonly created: string } {
  const now = ctx.system.clock.now();
  return { at: Math.floor(now / 1_000), created: timestamp(now) };
}
