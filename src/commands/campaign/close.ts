/** `amof campaign close`: ends a campaign, and deletes its branches where they still are as it left them (CAMP-10). */

import { join } from "@std/path";
import { foldingInput } from "../../contract/input.ts";
import { type ExecuteContext, mutation, type Result } from "../../contract/mod.ts";
import { AmofError, toAmofError } from "../../base/error.ts";
import { privateFiles } from "../../git/changing.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { table } from "../../base/text/table.ts";
import { count, few, list, shellWord } from "../../base/text/words.ts";
import { inPoolOf } from "../../workspace/mod.ts";
import { Turns } from "./ask.ts";
import { CAMPAIGN_WORK, campaignInput } from "./declare.ts";
import { campaignsOf } from "./plan.ts";
import { type CampaignRow, ownCommits } from "./record.ts";
import { shortSha } from "../../base/ids.ts";

interface CloseFacts {
  readonly campaign: string;
  readonly branch: string;
  /** The branches that are deleted, if they are at these commits. */
  readonly repos: readonly { readonly name: string; readonly commits: readonly string[] }[];
}

interface ClosedRow {
  readonly name: string;
  /** `moved`: somebody else has changed the branch, which is left as it is. */
  readonly result: "deleted" | "gone" | "moved" | "failed";
  readonly detail: string;
}

interface CloseData {
  readonly campaign: string;
  readonly state: "open" | "closed";
  /** Whether branches were to be deleted, of which there may have been none. */
  readonly delete_branches: boolean;
  readonly repos: readonly ClosedRow[];
}

/** The branches that a campaign has pushed, or may have, by the names of their repositories. */
function deletable(rows: ReadonlyMap<string, CampaignRow>): CloseFacts["repos"] {
  return [...rows.values()].map((row) => ({ name: row.repo, commits: ownCommits(row) }))
    .filter(({ commits }) => commits.length > 0)
    .toSorted((a, b) => a.name.localeCompare(b.name));
}

/** Whether a branch that goes may hold what nothing else has: all but those of which an update found that they are merged. */
function isOnlyCopy(rows: ReadonlyMap<string, CampaignRow> | null): boolean {
  return rows === null ||
    [...rows.values()].some((row) => ownCommits(row).length > 0 && row.state !== "merged");
}

/** Deletes the branch of one repository where it is what this campaign has pushed. Never throws. */
async function deleteOne(
  ctx: ExecuteContext,
  { row, branch, turns }: {
    readonly row: CampaignRow;
    readonly branch: string;
    readonly turns: Turns;
  },
): Promise<ClosedRow> {
  const name = row.repo;
  const moved: ClosedRow = {
    name,
    result: "moved",
    detail: "somebody else has changed the branch",
  };
  try {
    const there = await turns.branch(row.url, branch);
    if (there === null) return { name, result: "gone", detail: "" };
    if (!ownCommits(row).includes(there)) return moved;
    const empty = privateFiles("clone", { like: there, origin: row.url });
    return await ctx.system.files.scratch(empty, async (directory): Promise<ClosedRow> => {
      const place = join(directory, "clone");
      const sent = await turns.send(row, place, { commit: null, branch, expected: there });
      if (sent.ok) return { name, result: "deleted", detail: "" };
      if (sent.reason?.includes("stale info")) return moved;
      const why = maskSecrets(cleanLine(sent.reason ?? "", 300));
      return { name, result: "failed", detail: why };
    });
  } catch (thrown) {
    const { message } = toAmofError(thrown, () => ctx.system.ids.hex(8));
    return { name, result: "failed", detail: cleanLine(message, 300) };
  }
}

async function closed(
  ctx: ExecuteContext,
  { delete_branches }: { readonly delete_branches: boolean },
  facts: CloseFacts,
): Promise<Result<CloseData>> {
  const campaigns = campaignsOf(ctx);
  const { campaign: name, branch } = facts;
  return await campaigns.alone(name, async () => {
    const campaign = await campaigns.open(name);
    const all = await campaigns.rows(name);
    const turns = new Turns(ctx, [...all.values()]);
    const { jobs } = turns;
    const repos = await inPoolOf({ report: ctx.report, jobs }, "deleting", facts.repos, (fact) => {
      const row = all.get(fact.name);
      if (row === undefined) throw new TypeError(`Cannot find ${fact.name} in its campaign`);
      return deleteOne(ctx, { row, branch, turns });
    });
    const bad = repos.filter(({ result }) => result === "failed");
    // Branches that could not be deleted can be tried again.
    const state = bad.length === 0 ? "closed" : "open";
    await campaigns.put({ ...campaign, state, ...(state === "closed" ? { run: null } : {}) });
    const data: CloseData = { campaign: name, state, delete_branches, repos };
    if (bad.length === 0) return { data };
    return {
      data,
      failure: new AmofError(
        bad.length < repos.length ? "partial_failure" : "push_refused",
        `Campaign "${name}" stays open: ${
          few(bad.map((row) => `${row.name} (${cleanLine(row.detail, 80)})`), 3)
        }`,
        {
          hint: `Fix the cause, then repeat: amof campaign close ${
            shellWord(name)
          } --delete-branches`,
          details: { repos: bad },
        },
      ),
    };
  });
}

/** `amof campaign close`. */
export const closeCampaign = mutation({
  ...CAMPAIGN_WORK,
  name: "amof_close_campaign",
  path: ["campaign", "close"],
  safety: "safe-write",
  confirm: "none",
  asks: { deed: "deletion", will: "delete branches of remotes", verb: "delete" },
  runs: "campaign_close",
  inline: "attended",
  title: "Close campaign",
  summary: "End a campaign; with --delete-branches its branches go where nobody has changed them.",
  examples: ["campaign close go-1.24", "campaign close go-1.24 --delete-branches"],
  input: (z) => ({
    ...campaignInput(z),
    delete_branches: z.boolean().default(false).describe(
      "Delete the branches that it has pushed, where they are as it left them",
    ),
    ...foldingInput(z),
  }),
  raised: ({ delete_branches }) =>
    delete_branches ? { safety: "dangerous-write", confirm: "type" } : null,
  meets: async (at, { campaign: name, delete_branches }) => {
    if (!delete_branches) return null;
    const campaigns = campaignsOf(at);
    const there = await campaigns.find(name);
    const rows = there === null ? null : await campaigns.rows(name);
    // Nobody is asked for something that does not happen.
    if (rows !== null && deletable(rows).length === 0) {
      return { safety: "safe-write", confirm: "none" };
    }
    return { safety: "dangerous-write", confirm: isOnlyCopy(rows) ? "type" : "simple" };
  },
  async preview(ctx, { campaign: name, delete_branches }) {
    const campaigns = campaignsOf(ctx);
    const campaign = await campaigns.open(name);
    const facts: CloseFacts = {
      campaign: campaign.name,
      branch: campaign.branch,
      repos: delete_branches ? deletable(await campaigns.rows(name)) : [],
    };
    const branch = cleanLine(campaign.branch, 60);
    const branches = facts.repos.length === 0
      ? "no branch"
      : count(facts.repos.length, "branch", "branches");
    return {
      facts,
      // The question names the campaign, so that nobody takes it for an ecosystem or a repository.
      ...(delete_branches
        ? {
          subject: {
            name: `${branches} of campaign ${campaign.name}`,
            typed: { what: "campaign", value: campaign.name },
          },
        }
        : {}),
      summary: `Would close ${cleanLine(name, 30)}${
        facts.repos.length === 0
          ? ""
          : ` and delete ${count(facts.repos.length, "branch", "branches")}`
      }.`,
      effects: [
        `End campaign ${cleanLine(name, 64)}`,
        ...(delete_branches && facts.repos.length === 0 ? ["There is no branch to delete"] : []),
        ...facts.repos.map((repo) =>
          `Delete ${branch} of ${repo.name} if it is at ${
            list(repo.commits.map((commit) => shortSha(commit)), "or")
          }`
        ),
      ],
      ...(facts.repos.length === 0
        ? {}
        : { irreversible: "Open requests to merge these branches are closed by their host." }),
      current: `${count(facts.repos.length, "branch", "branches")} would be deleted`,
      alternatives: [`See how it stands: amof campaign status ${shellWord(campaign.name)}`],
    };
  },
  undo: {
    irreversible: "that it is closed",
  },
  execute: (ctx, input, facts) => closed(ctx, input, facts),
  render({ campaign, state, delete_branches, repos }: CloseData, { all }) {
    const deleted = repos.filter(({ result }) => result === "deleted").length;
    const name = cleanLine(campaign, 30);
    const shown = table(
      ["repo", "result", "detail"],
      repos.map((row) => [
        `${row.result === "failed" ? "✗" : row.result === "deleted" ? "✓" : "–"} ${row.name}`,
        row.result,
        cleanLine(row.detail, 200),
      ]),
    );
    return {
      summary: state === "open"
        ? `Campaign ${name} stays open: branches could not be deleted.`
        : repos.length === 0
        ? `Closed ${name}${delete_branches ? "; there was no branch to delete" : ""}.`
        : `Closed ${name}; deleted ${deleted} of ${count(repos.length, "branch", "branches")}.`,
      details: repos.length === 0 ? "" : all === true ? shown : shown.folding(
        (at) => repos[at]?.result === "deleted",
        "deleted",
      ),
    };
  },
});
