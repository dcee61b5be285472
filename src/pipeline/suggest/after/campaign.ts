/**
 * What follows an answer about a campaign: its commits are looked at, approved, pushed, and kept up to date (NEXT-5).
 */

import { asRecords, asText, resultOf } from "../answer.ts";
import { holds } from "../conditions.ts";
import { DEFINITIONS } from "../definitions.ts";
import { inOrder, type Offer } from "../offer.ts";
import type { Situation } from "../situation.ts";

/** The approval of the most frequent shape that was just shown and has none: a person looks at one after the other. */
function toApprove(situation: Situation): Offer[] {
  if (situation.command.name !== DEFINITIONS.campaign_show.tool) return [];
  const open = asRecords(situation.data["shapes"]).find(({ approved }) => approved === false);
  const id = asText(open?.["id"]);
  if (id === null) return [];
  return [{
    id: "campaign_approve",
    args: { shapes: [id] },
    condition: "campaign.has_unapproved",
  }];
}

/** The offers after an answer about a campaign, or about a run of one. */
export function afterCampaign(situation: Situation): Offer[] {
  const when = (offer: Pick<Offer, "args"> & Required<Pick<Offer, "id" | "condition">>) =>
    holds(offer.condition, situation) ? [offer] : [];
  const name = asText(resultOf(situation)["campaign"]);
  // One that a list has told of has to be named, and only one that is open goes on.
  const listed = asRecords(situation.data["campaigns"]).find(({ state }) => state === "open");
  const campaign = name ?? asText(listed?.["name"]);
  const named = (offers: readonly Offer[]) =>
    campaign === null
      ? []
      : offers.map((offer) => ({ ...offer, args: { campaign, ...offer.args } }));
  return inOrder(named([
    ...when({ id: "campaign_show", condition: "campaign.has_unapproved" }),
    ...toApprove(situation),
    ...when({ id: "campaign_push", condition: "campaign.has_unpushed" }),
    ...when({ id: "campaign_update", condition: "campaign.has_undone" }),
    ...when({ id: "campaign_close", condition: "campaign.is_merged" }),
    ...when({ id: "campaign_status", args: { remotes: true }, condition: "campaign.was_pushed" }),
    { id: "campaign_status" },
  ]));
}
