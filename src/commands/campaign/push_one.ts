/**
 * Pushes the commit of one repository of a campaign out of a private clone, if the remote branch has not moved
 * (CAMP-7).
 */

import { join } from "@std/path";
import type { ExecuteContext } from "../../contract/mod.ts";
import { shaOf } from "../../engine/mod.ts";
import { AmofError, toAmofError } from "../../base/error.ts";
import type { PushOutcome } from "../../git/mod.ts";
import { privateFiles } from "../../git/changing.ts";
import { Bundles } from "../../git/write/mod.ts";
import { sha256 } from "../../base/hash.ts";
import { type Sha, shortSha } from "../../base/ids.ts";
import { timestamp } from "../../base/system/mod.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { isSame } from "../../base/policy/consent.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import type { Forges } from "../../forge/mod.ts";
import type { Manifest } from "../../workspace/manifest/mod.ts";
import { heldBack, type OfPullRequest, pullRequestOf } from "../outgoing/contents.ts";
import { takeIn } from "./arrive.ts";
import { ensureOpen } from "../pr/ensure.ts";
import type { Turns } from "./ask.ts";
import {
  type Campaign,
  type CampaignRow,
  type Campaigns,
  ownCommits,
  type Pushed,
} from "./record.ts";

/** What came of one push. */
export interface PushedRow extends OfPullRequest {
  readonly name: string;
  /**
   * `moved`: somebody else has changed the remote branch, which is left as it is; `unopened`: it is pushed, and has no
   * pull request yet.
   */
  readonly result: "pushed" | "up_to_date" | "moved" | "held_back" | "unopened" | "failed";
  readonly commit: string | null;
  readonly detail: string;
}

/** What all pushes of a campaign have in common. */
export interface Pushing {
  readonly ctx: ExecuteContext;
  readonly campaigns: Campaigns;
  readonly campaign: Campaign;
  readonly turns: Turns;
  readonly noTouch: readonly string[];
  readonly forges: Forges;
  readonly review: Manifest["review"];
}

/** The pack of a row, which must be the one that was looked at. */
async function packOf(
  { ctx, campaigns, campaign }: Pushing,
  { pack }: CampaignRow,
): Promise<Uint8Array> {
  const bytes = pack === null
    ? null
    : await ctx.system.files.readBytes(campaigns.pack(campaign.name, pack));
  if (bytes !== null && pack !== null && isSame(sha256(bytes), pack)) return bytes;
  throw new AmofError("git_failed", "What is kept of its commit is gone, or was changed", {
    hint: `Run it again: amof campaign update ${campaign.name}`,
  });
}

/** A refusal of the other side because the branch is not where it was taken for. */
function isMoved({ reason }: PushOutcome): boolean {
  return reason !== null && /stale info|fetch first|already exists|non-fast-forward/.test(reason);
}

/** Fills a private repository with the base and the commit; throws where anything is not as it was agreed. */
async function assembled(
  { ctx, campaign, turns, noTouch }: Pushing,
  { row, base, commit, pack, place }: {
    readonly row: CampaignRow;
    readonly base: Sha;
    readonly commit: Sha;
    readonly pack: Uint8Array;
    /** The private repository, absolute; it is empty, and its origin is the remote of the row. */
    readonly place: string;
  },
): Promise<string | null> {
  const repository = ctx.git.bare(place, null);
  const there = await turns.ask(
    row.url,
    (git) => git.bare(place, null).remotes.fetchCommit(base, { alone: true }),
  );
  if (!there) {
    throw new AmofError("git_failed", "Its remote does not have the base of the commit any more", {
      hint: `Run it again: amof campaign update ${campaign.name}`,
    });
  }
  await takeIn(repository, pack, { campaign, base, commit, whole: true });
  return await heldBack(await repository.part(Bundles).changes(base, commit), noTouch);
}

/** What is written down of a commit that is on the remote branch. */
function pushedNow({ ctx }: Pushing, { pushed }: CampaignRow, commit: string): Pushed {
  return pushed?.commit === commit ? pushed : { commit, at: timestamp(ctx.system.clock.now()) };
}

/** Whether the commit of a row is on its remote branch, since now or before. */
export function isThere({ result }: Pick<PushedRow, "result">): boolean {
  return result === "pushed" || result === "up_to_date";
}

/** Pushes one; what is not on its branch because of this campaign is never written over. */
async function pushFresh(pushing: Pushing, row: CampaignRow): Promise<PushedRow> {
  const { ctx, campaign, turns } = pushing;
  const told = { name: row.repo, commit: row.commit };
  const [base, commit] = [shaOf(row.base ?? ""), shaOf(row.commit ?? "")];
  if (base === null || commit === null) throw new TypeError("Cannot push what is no commit");
  const there = await turns.branch(row.url, campaign.branch);
  if (there === commit) return { ...told, result: "up_to_date", detail: "" };
  if (there === null ? row.pushed !== null : !ownCommits(row).includes(there)) {
    const now = there === null ? "is gone" : `is at ${shortSha(there)}`;
    return {
      ...told,
      result: "moved",
      detail: `${
        cleanLine(campaign.branch, 60)
      } ${now} on the remote, which is not by this campaign`,
    };
  }
  const pack = await packOf(pushing, row);
  const empty = privateFiles("clone", { like: commit, origin: row.url });
  return await ctx.system.files.scratch(empty, async (directory) => {
    const place = join(directory, "clone");
    const held = await assembled(pushing, { row, base, commit, pack, place });
    if (held !== null) return { ...told, result: "held_back", detail: held };
    // If this process is killed from here on, the branch may be pushed already; the next run must know that it is ours.
    await pushing.campaigns.note(campaign.name, [{
      ...row,
      pushed: there === null ? null : pushedNow(pushing, row, there),
      sending: commit,
    }]);
    const bundle = { commit, branch: campaign.branch, expected: there };
    const outcome = await turns.send(row, place, bundle);
    if (outcome.ok) {
      return { ...told, result: "pushed", detail: "", ...pullRequestOf(outcome, row.url) };
    }
    return {
      ...told,
      result: isMoved(outcome) ? "moved" : "failed",
      detail: maskSecrets(cleanLine(outcome.reason ?? "", 300)),
    };
  });
}

/** Opens the pull request of what is on the remote branch, unless there is or was one of it (CAMP-11). */
async function openFor(
  { campaign, forges, review }: Pushing,
  row: CampaignRow,
): Promise<{ readonly number: number; readonly url: string } | null> {
  const forge = row.change === undefined ? await forges.at(row.url) : null;
  if (forge === null) return null;
  const { branch: head, name, message } = campaign;
  const base = row.base_branch;
  const known = await forge.find(head, base);
  // What somebody has closed or merged as it is stays so.
  if (known !== null && known.head.sha === row.commit) return known;
  const [title = "", ...rest] = message.trim().split("\n");
  const { change } = await ensureOpen(forge, {
    head,
    base,
    title: cleanLine(title, 200),
    body: `${[...rest, "", `Campaign ${name}, shape ${row.shape ?? ""}.`].join("\n").trim()}\n`,
    draft: review.draft,
    labels: review.labels,
    reviewers: review.reviewers,
  });
  return change;
}

/** Pushes the commit of a repository and writes down that it is there. Never throws: what failed is in the row. */
export async function pushOne(pushing: Pushing, row: CampaignRow): Promise<PushedRow> {
  const { ctx, campaigns, campaign } = pushing;
  try {
    let pushed = await pushFresh(pushing, row);
    if (isThere(pushed)) {
      const { sending: _sent, ...rest } = row;
      const there = { ...rest, pushed: pushedNow(pushing, row, row.commit ?? "") };
      await campaigns.note(campaign.name, [there]);
      const opened = await openFor(pushing, there).catch((thrown: unknown) =>
        toAmofError(thrown, () => ctx.system.ids.hex(8))
      );
      if (opened instanceof AmofError) {
        ctx.report.log("error", `${row.repo}: ${opened.message}`, {
          type: "repo",
          payload: { repo: row.repo },
        });
        return { ...pushed, result: "unopened", detail: cleanLine(opened.message, 300) };
      }
      if (opened !== null) {
        await campaigns.note(campaign.name, [{ ...there, change: opened.number }]);
        pushed = { ...pushed, pull_request_url: opened.url };
      }
    }
    ctx.report.log(
      isThere(pushed) ? "info" : "error",
      `${row.repo}: ${pushed.result.replaceAll("_", " ")}${
        pushed.detail === "" ? "" : `: ${pushed.detail}`
      }`,
      { type: "repo", payload: { repo: row.repo, commit: row.commit } },
    );
    return pushed;
  } catch (thrown) {
    const { message } = toAmofError(thrown, () => ctx.system.ids.hex(8));
    ctx.report.log("error", `${row.repo}: ${message}`, {
      type: "repo",
      payload: { repo: row.repo },
    });
    return {
      name: row.repo,
      commit: row.commit,
      result: "failed",
      detail: cleanLine(message, 300),
    };
  }
}
