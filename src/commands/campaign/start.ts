/**
 * `amof campaign start`: runs a change over many repositories and keeps what it changed as commits (CAMP-1).
 *
 * Nothing is pushed: that takes a person who approves the shapes of the commits.
 */

import {
  type CommandContext,
  type ExecuteContext,
  type InputOf,
  mutation,
  type Result,
  type ZodNamespace,
} from "../../contract/mod.ts";
import { invocationOfFacts, requireAuthor } from "../exec/invocation/facts.ts";
import { LOCAL_ENGINE } from "../../engine/mod.ts";
import { AmofError } from "../../base/error.ts";
import { isBranchName } from "../../base/ids.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, shellWord } from "../../base/text/words.ts";
import { lineOf, requireApproved, shownLine } from "../../workspace/programs/mod.ts";
import { SELECTION_FLAGS, selectionInput } from "../selection/mod.ts";
import { CAMPAIGN_RUN, outputInput } from "./declare.ts";
import { nothingRan, type RanData, ranResult, renderRan } from "./view.ts";
import { type CampaignFacts, campaignsOf, planRun, runDetails } from "./plan.ts";
import { type Campaign, type CampaignWish, isCampaignName } from "./record.ts";
import { beginRun } from "./on_engine.ts";
import { timestamp } from "../../base/system/mod.ts";

const startInput = (z: ZodNamespace) =>
  z.strictObject({
    campaign: z.string().min(1).describe("What it is called"),
    command: z.array(z.string()).optional().describe("The program and its arguments"),
    shell: z.string().min(1).optional().describe("A line for sh -c instead"),
    task: z.string().optional().describe("A task of the manifest instead"),
    message: z.string().min(1).max(10_000).optional().describe("Message of the commits"),
    branch: z.string().min(1).optional().describe(
      "The branch that is pushed; campaign/ and the name",
    ),
    ...selectionInput(z),
    env: z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of a variable"))
      .optional().describe("Pass also these variables"),
    time_limit: z.string().optional().describe("For each repository: 90s, 10m, 1h30m"),
    engine: z.string().min(1).optional().describe("The engine it runs on; local"),
    shards: z.int().min(1).max(1_000).optional().describe("Divide it into so many parts"),
    ...outputInput(z),
  });

type StartInput = InputOf<ReturnType<typeof startInput>>;

function wishOf(ctx: CommandContext, input: StartInput): CampaignWish {
  return {
    command: input.command ?? null,
    shell: input.shell ?? null,
    task: input.task ?? null,
    repos: input.repos ?? [],
    tags: input.tags ?? [],
    only: input.only ?? [],
    env: input.env ?? null,
    time_limit: input.time_limit ?? null,
    engine: input.engine ?? ctx.settings.engine ?? LOCAL_ENGINE,
    shards: input.shards ?? null,
  };
}

function invalid(field: string, message: string, hint: string): AmofError {
  return new AmofError("invalid_arguments", message, { hint, details: { field } });
}

/** Throws where a campaign of the name is there and open, or its name or branch can be none. */
async function requireFree(
  ctx: CommandContext,
  { campaign: name, branch = `campaign/${name}` }: StartInput,
): Promise<string> {
  const shown = cleanLine(name, 64);
  if (!isCampaignName(name)) {
    throw invalid(
      "campaign",
      `Cannot call a campaign "${shown}"`,
      "Take letters, digits, ., _ and -, at most 64, beginning with a letter or digit",
    );
  }
  if (!isBranchName(branch)) {
    throw invalid(
      "branch",
      `Cannot use "${cleanLine(branch, 64)}" as the name of a branch`,
      "Leave out --branch, or take a name that git accepts",
    );
  }
  const there = await campaignsOf(ctx).find(name);
  if (there === null || there.state === "closed") return branch;
  throw invalid(
    "campaign",
    `Cannot begin campaign "${shown}": it is there already`,
    `Go on with it: amof campaign update ${shellWord(name)}\nEnd it: amof campaign close ${
      shellWord(name)
    }`,
  );
}

/** Throws where the commits would go to a base branch. */
function requireOwnBranch(branch: string, bases: readonly string[]): void {
  if (!bases.includes(branch)) return;
  throw invalid(
    "branch",
    `Cannot push a campaign to ${cleanLine(branch, 60)}: it is a base branch`,
    "Leave out --branch, or take another one",
  );
}

/** The moment that commits of a campaign are from, in seconds since the epoch, and as text. */
function moment(ctx: ExecuteContext): { readonly at: number; readonly created: string } {
  const now = ctx.system.clock.now();
  return { at: Math.floor(now / 1_000), created: timestamp(now) };
}

/** `amof campaign start`. */
export const startCampaign = mutation({
  ...CAMPAIGN_RUN,
  name: "amof_start_campaign",
  path: ["campaign", "start"],
  runs: "campaign",
  title: "Start campaign",
  summary: "Run a change over many repositories and keep it as commits; pushes nothing.",
  description:
    "Typing it is the consent to it. The program runs in fresh clones of the base branches on an engine, as exec --engine does; what it changed becomes one commit in each repository, which is kept here. Changes of no-touch paths and new files that look secret are held back. Then look at the shapes of the commits (campaign show), approve them (campaign approve) and push (campaign push). When it is killed, campaign update goes on with the same work. Over MCP it runs only what a person has approved (amof exec trust, with --engine).",
  behind: "command",
  flags: SELECTION_FLAGS,
  short: { message: "m" },
  examples: [
    'campaign start go-1.24 -m "Use Go 1.24" -- go mod edit -go=1.24',
    "campaign start tidy --tag backend --shell 'gofmt -w .'",
    "campaign start bump --task bump --engine local --shards 8",
  ],
  input: startInput,
  async preview(ctx, input) {
    const branch = await requireFree(ctx, input);
    const plan = await planRun(ctx, wishOf(ctx, input));
    requireOwnBranch(branch, plan.facts.repos.map(({ remote }) => remote?.branch ?? ""));
    const author = await requireAuthor(ctx);
    const message = input.message ?? `${input.campaign}: ${shownLine(plan.invocation)}`;
    const exec = plan.facts;
    const facts: CampaignFacts = {
      name: input.campaign,
      branch,
      message,
      author,
      exec,
      readonly: plan.readonly,
    };
    const line = cleanLine(lineOf(plan.invocation), 300);
    return {
      facts,
      subject: { name: `campaign ${input.campaign}` },
      summary: `Would run ${cleanLine(shownLine(plan.invocation), 40)} in ${
        count(exec.repos.length, "repo")
      }.`,
      effects: [
        `Run ${line} in ${
          count(exec.repos.length, "repository", "repositories")
        }, and keep its changes as commits`,
        ...(plan.refusal === null ? [] : [plan.refusal.message]),
      ],
      details: runDetails(ctx, facts, ctx.door === "cli" ? null : plan.approval),
      irreversible: "What the program does outside of its clones cannot be undone by amof.",
      current: `${count(exec.repos.length, "repo")} selected; nothing is pushed`,
      alternatives: ["Run it without keeping anything: amof exec --engine local -- PROGRAM"],
      ...(plan.refusal !== null
        ? { settled: { data: nothingRan(input.campaign, branch), failure: plan.refusal } }
        : exec.repos.length === 0
        ? { settled: { data: nothingRan(input.campaign, branch) } }
        : {}),
    };
  },
  undo: {
    irreversible: (_, { campaign }) =>
      `what the program did outside of its clones; end it: amof campaign close ${campaign}`,
  },
  async execute(ctx, input, facts): Promise<Result<RanData>> {
    const invocation = invocationOfFacts(facts.exec);
    await requireApproved(ctx, invocation, facts.exec.hash);
    const campaigns = campaignsOf(ctx);
    await campaigns.alone(facts.name, async () => {
      await requireFree(ctx, input);
      await campaigns.forget(facts.name);
      const { at, created } = moment(ctx);
      const campaign: Campaign = {
        v: 1,
        name: facts.name,
        root: ctx.root,
        ecosystem: ctx.ecosystem,
        branch: facts.branch,
        message: facts.message,
        author: { ...facts.author, at },
        wish: wishOf(ctx, input),
        created,
        state: "open",
        run: null,
        approved: [],
      };
      await campaigns.put(campaign);
      const { noTouchPaths: noTouch } = (await planRun(ctx, campaign.wish)).manifest;
      await beginRun(ctx, {
        campaign,
        facts: facts.exec,
        noTouch,
        output: input.output ?? "group",
      });
    });
    return await ranResult(ctx, facts.name);
  },
  render: (data: RanData) => renderRan(data),
});
