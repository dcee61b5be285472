/**
 * What follows an answer about a campaign: row 22 of NEXT-5.
 *
 * @module
 */

import type { Fields } from "../../../../../src/base/object.ts";
import { type Case, type Given, runAnswer } from "../_support.ts";

const SHAPE = { id: "4e8c1d7a03b2", repos: ["api", "core"], approved: false, pushed: 0 };
const COUNTS = { repos: 3, changed: 2, approved: 0, pushed: 0, merged: 0, unchanged: 1, failed: 0 };

function answer(tool: string, data: Fields): Given {
  return { tool: `amof_${tool}`, data: { campaign: "tidy", ...data } };
}

function status(...campaigns: Fields[]): Given {
  const all = campaigns.map((one) => ({ name: "tidy", state: "open", ...COUNTS, ...one }));
  return { tool: "amof_get_campaign_status", data: { campaigns: all, repos: [] } };
}

/** A run of a campaign, as the tools that follow it see it. */
function ran(tool: string, action: string, result: Fields, more: Fields = {}): Given {
  const given = runAnswer(`amof_${tool}`, "success", action);
  return { ...given, data: { ...given.data, result: { campaign: "tidy", ...result }, ...more } };
}

/** Row 22 of NEXT-5. */
export const AFTER_CAMPAIGN: readonly Case[] = [
  {
    that: "shows the shapes after a campaign was started",
    given: answer("start_campaign", { counts: COUNTS, shapes: [SHAPE] }),
    ids: ["campaign_show", "campaign_status"],
  },
  {
    that: "runs a campaign again where it was partly done",
    given: {
      ...answer("start_campaign", { counts: { ...COUNTS, failed: 1 }, shapes: [SHAPE] }),
      code: "partial_failure",
    },
    ids: ["campaign_show", "campaign_update", "campaign_status"],
  },
  {
    that: "offers the approval of the first shape that has none after it was shown",
    given: answer("show_campaign", {
      shapes: [{ ...SHAPE, approved: true, pushed: 2 }, SHAPE],
    }),
    ids: ["campaign_approve", "campaign_status"],
  },
  {
    that: "offers to push what was approved and is not pushed",
    given: answer("show_campaign", { shapes: [{ ...SHAPE, approved: true, pushed: 1 }] }),
    ids: ["campaign_push", "campaign_status"],
  },
  {
    that: "pushes after an approval",
    given: answer("approve_campaign", { approved: [SHAPE.id], repos: SHAPE.repos }),
    ids: ["campaign_push", "campaign_status"],
  },
  {
    that: "pushes nothing after an approval of nothing",
    given: answer("approve_campaign", { approved: [], repos: [] }),
    ids: ["campaign_status"],
  },
  {
    that: "asks the remotes after a push",
    given: answer("push_campaign", { repos: [{ name: "api", result: "pushed" }], later: 0 }),
    ids: ["campaign_status"],
  },
  {
    that: "goes on after an update under which approvals hold",
    given: answer("update_campaign", {
      counts: { ...COUNTS, approved: 2, pushed: 1 },
      shapes: [{ ...SHAPE, approved: true, pushed: 1 }],
    }),
    ids: ["campaign_push", "campaign_status"],
  },
  {
    that: "closes a campaign in which everything is merged",
    given: status({ changed: 0, merged: 2 }),
    ids: ["campaign_close"],
  },
  {
    that: "goes on with the newest campaign of a list that is open",
    given: status({ name: "over", state: "closed" }, { approved: 1, failed: 1 }),
    ids: ["campaign_show", "campaign_push", "campaign_update"],
  },
  {
    that: "offers no campaign where there is none that is open",
    given: status({ state: "closed" }),
    ids: ["ticket_list"],
  },
  {
    that: "offers the status of a campaign after a preview of it",
    given: {
      tool: "amof_push_campaign",
      phase: "preview",
      data: { preview: { campaign: "tidy" } },
    },
    ids: ["campaign_status"],
  },
  {
    that: "goes on after a run of a campaign that somebody else looks at",
    given: ran("get_run_status", "campaign", { counts: COUNTS, shapes: [SHAPE] }),
    ids: ["campaign_show", "campaign_status", "summarize_run"],
  },
  {
    that: "goes on after a push of a campaign that was waited for",
    given: {
      ...ran("push_campaign", "campaign_push", { repos: [{ result: "pushed" }], later: 0 }),
      phase: "finished",
    },
    ids: ["campaign_status", "summarize_run", "get_run_logs"],
  },
  {
    that: "offers nothing of a campaign after a run of one that failed as a whole",
    given: ran("get_run_status", "campaign", {}, { status: "failed", exit_code: 1 }),
    ids: ["get_run_logs", "summarize_run", "back_to_ecosystem"],
  },
];
